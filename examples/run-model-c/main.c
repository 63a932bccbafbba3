/* Opens a module, fills its inputs, runs it once and prints the start of each result.
 *
 * Usage: run-model MODULE.twm [DEVICE]
 *
 * Inputs of f32 get 0, 0.1, 0.2 ... 0.9, 0, 0.1 ...; all others are zero. */
#include <twrt/twrt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 32 };

static TwrtError error;

/* Every function that can fail returns a code and fills `error`. */
static void check(TwrtCode code) {
  if (code != TWRT_OK) {
    fprintf(stderr, "run-model: error: %s\n", error.message);
    exit(1);
  }
}

static uint64_t countElements(const int64_t *dims, uint32_t rank) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i)
    count *= (uint64_t)dims[i];
  return count;
}

static void printShape(TwrtString name, uint32_t element, const int64_t *dims, uint32_t rank) {
  printf("%.*s %s[", (int)name.size, name.data, twrtElementName(element));
  for (uint32_t i = 0; i < rank; ++i)
    printf("%s%lld", i ? ", " : "", (long long)dims[i]);
  printf("]");
}

/* Makes a buffer for argument `index`, fills it and hands it to the call, which keeps it. */
static void setArgument(TwrtProgram *program, TwrtDevice *device, TwrtQueue *queue, TwrtCall *call,
                        size_t index) {
  TwrtValueInfo info = {.size = sizeof info};
  check(twrtProgramArgument(program, index, &info, &error));
  uint64_t count = countElements(info.dims, info.rank);
  size_t bytes = count * twrtElementBytes(info.element);
  void *data = calloc(bytes ? bytes : 1, 1);
  if (!data) {
    fprintf(stderr, "run-model: error: no memory\n");
    exit(1);
  }
  if (info.element == TWRT_F32)
    for (uint64_t i = 0; i < count; ++i)
      ((float *)data)[i] = (float)(i % 10) / 10;

  TwrtBuffer *buffer = NULL;
  check(twrtBufferCreate(device, bytes, 0, &buffer, &error));
  /* Without a point to wait for later, the write is done when this returns. */
  check(twrtBufferWrite(queue, buffer, 0, (TwrtBytes){data, bytes}, NULL, &error));
  free(data);

  TwrtTensor tensor = {.size = sizeof tensor,
                       .element = info.element,
                       .rank = info.rank,
                       .buffer = buffer,
                       .dims = info.dims};
  check(twrtCallSetArgument(call, index, &tensor, &error));
  twrtBufferRelease(buffer);
  printf("input  ");
  printShape(info.name, info.element, info.dims, info.rank);
  printf("\n");
}

static void printResult(TwrtProgram *program, TwrtQueue *queue, TwrtCall *call, size_t index) {
  TwrtValueInfo info = {.size = sizeof info};
  check(twrtProgramResult(program, index, &info, &error));
  TwrtTensor tensor = {.size = sizeof tensor};
  int64_t dims[MAX_RANK];
  check(twrtCallGetResult(call, index, &tensor, dims, MAX_RANK, &error));
  printf("output ");
  printShape(info.name, tensor.element, dims, tensor.rank);

  /* The first numbers, read from the device's memory. */
  float values[4];
  uint64_t count = countElements(dims, tensor.rank);
  if (count > 4)
    count = 4;
  if (tensor.element == TWRT_F32) {
    check(twrtBufferRead(queue, tensor.buffer, tensor.offset, values, count * sizeof values[0],
                         NULL, &error));
    for (uint64_t i = 0; i < count; ++i)
      printf(" %g", values[i]);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "usage: run-model MODULE.twm [DEVICE]\n");
    return 2;
  }
  error.size = sizeof error;

  TwrtInstance *instance = NULL;
  TwrtDevice *device = NULL;
  TwrtQueue *queue = NULL;
  check(twrtInstanceCreate(NULL, TWRT_ABI, &instance, &error));
  check(twrtInstanceOpenDevice(instance, argc == 3 ? argv[2] : "host", &device, &error));
  check(twrtQueueCreate(device, &queue, &error));

  /* A module holds machine code, which runs with the rights of this process: allow it for modules
   * that you trust. */
  TwrtModuleOptions options = {.size = sizeof options, .flags = TWRT_MODULE_ALLOW_NATIVE};
  TwrtModule *module = NULL;
  TwrtProgram *program = NULL;
  TwrtCall *call = NULL;
  check(twrtModuleOpen(instance, argv[1], &options, &module, &error));
  check(twrtProgramCreate(module, NULL, &device, 1, &program, &error));
  check(twrtCallCreate(program, &call, &error));

  for (size_t i = 0; i < twrtProgramArgumentCount(program); ++i)
    setArgument(program, device, queue, call, i);
  TwrtPoint done;
  check(twrtCallSubmit(call, queue, NULL, 0, &done, &error));
  check(twrtPointWait(done, UINT64_MAX, &error));
  for (size_t i = 0; i < twrtProgramResultCount(program); ++i)
    printResult(program, queue, call, i);

  /* In any order: an object keeps alive what it was made from. */
  twrtCallRelease(call);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
  return 0;
}
