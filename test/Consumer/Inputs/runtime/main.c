/* Lists the devices of the installed runtime. */
#include <twrt/twrt.h>

#include <stdio.h>

const char *versionFromCxx(void);

int main(void) {
  TwrtInstance *instance = NULL;
  TwrtError error = {0};
  size_t i;
  error.size = sizeof error;
  if (twrtInstanceCreate(NULL, TWRT_ABI, &instance, &error) != TWRT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (i = 0; i < twrtInstanceDeviceCount(instance); ++i) {
    TwrtString uri = twrtInstanceDeviceUri(instance, i);
    printf("runtime %s device %.*s\n", versionFromCxx(), (int)uri.size, uri.data);
  }
  twrtInstanceRelease(instance);
  return 0;
}
