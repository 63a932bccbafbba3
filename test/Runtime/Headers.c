/* The public headers are C99, without warnings under -pedantic. */
#include "tw-c/Compiler.h"
#include "tw/Format/HostAbi.h"
#include "twrt/twrt.h"

int checkHeadersAsC(void);

int checkHeadersAsC(void) {
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtInstance *instance = NULL;
  TwcTensor tensor = {TWRT_F32, 0, NULL, NULL};
  TwrtHostLaunch launch = {NULL, NULL, {1, 1, 1}, NULL};
  if (twrtInstanceCreate(NULL, TWRT_ABI + 1, &instance, &error) != TWRT_UNSUPPORTED)
    return 1;
  return tensor.rank != 0 || launch.grid[0] != 1 || instance != NULL;
}
