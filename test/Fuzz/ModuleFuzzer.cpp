// libFuzzer's entry for module files: any bytes are opened, described, made a program of the null
// device, called and read back, or refused with section and offset.
//
//   build/fuzz/test/Fuzz/fuzz-module CORPUS...      see tools/dev/fuzz
//
// Most mutants get the size and the digests of their header made right again, so that what lies
// behind these checks is reached. The bytes end where the allocation ends, so AddressSanitizer sees
// what is read beyond them.
#include "Drivers/Null/Null.h"
#include "tw/Format/Container.h"
#include "tw/Format/Describe.h"
#include "twrt/twrt.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using tw::format::Header;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

/// Arguments and arenas above this are not allocated.
static constexpr uint64_t mostBytes = 16 << 20;

static void expect(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "fuzz-module: %s\n", what);
  abort();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  size = LLVMFuzzerMutate(data, size, capacity);
  if (size < sizeof(Header) || seed % 10 == 0)
    return size;
  memcpy(data, tw::format::containerMagic, sizeof(tw::format::containerMagic));
  uint64_t bytes = size;
  memcpy(data + offsetof(Header, fileBytes), &bytes, sizeof(bytes));
  tw::format::repairDigests({data, size});
  return size;
}

namespace {

/// Everything that is made for one input, released in the reverse order.
struct Run {
  TwrtError error = {};
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  std::vector<TwrtBuffer *> buffers;

  Run() { error.size = sizeof(error); }
  ~Run() {
    twrtCallRelease(call);
    for (TwrtBuffer *buffer : buffers)
      twrtBufferRelease(buffer);
    twrtProgramRelease(program);
    twrtModuleRelease(module);
  }

  bool ok(TwrtCode code) {
    expect(code == TWRT_OK || error.message[0], "a failure without a message");
    return code == TWRT_OK;
  }
};

struct Machine {
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;

  Machine() {
    TwrtError error = {};
    error.size = sizeof(error);
    TwrtInstanceOptions options = {};
    options.size = sizeof(options);
    options.hostThreads = 1;
    expect(twrtInstanceCreate(&options, TWRT_ABI, &instance, &error) == TWRT_OK &&
               twrtInstanceOpenDevice(instance, "null:0", &device, &error) == TWRT_OK &&
               twrtQueueCreate(device, &queue, &error) == TWRT_OK,
           "no null device");
  }
};

} // namespace

/// The value of a dimension: `size` for a free symbol, the sum of two such for a computed one.
static int64_t settle(const Run &run, int64_t dim, int64_t size) {
  TwrtSymbolInfo symbol = {};
  symbol.size = sizeof(symbol);
  if (dim >= 0)
    return dim;
  expect(twrtProgramSymbol(run.program, size_t(-1 - dim), &symbol, nullptr) == TWRT_OK,
         "a dimension that is no symbol");
  return symbol.computed ? 2 * size : size;
}

/// An argument of the shape that is asked for, with `size` for symbols; false if it is too large.
static bool setArgument(Machine &machine, Run &run, size_t index, int64_t size) {
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  if (!run.ok(twrtProgramArgument(run.program, index, &info, &run.error)))
    return false;
  uint64_t bytes = twrtElementBytes(info.element);
  std::vector<int64_t> dims, storage;
  for (uint32_t d = 0; d < info.rank; ++d) {
    dims.push_back(settle(run, info.dims[d], size));
    storage.push_back(settle(run, info.storage ? info.storage[d] : info.dims[d], size));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(storage[d]), &bytes) ||
        bytes > mostBytes)
      return false;
  }
  TwrtBuffer *buffer = nullptr;
  if (!run.ok(twrtBufferCreate(machine.device, bytes, 0, &buffer, &run.error)))
    return false;
  run.buffers.push_back(buffer);
  TwrtTensor tensor = {};
  tensor.size = sizeof(tensor);
  tensor.element = info.element;
  tensor.rank = info.rank;
  tensor.buffer = buffer;
  tensor.dims = dims.data();
  tensor.storage = info.storage ? storage.data() : nullptr;
  return run.ok(twrtCallSetArgument(run.call, index, &tensor, &run.error));
}

static void runAt(Machine &machine, Run &run, int64_t size) {
  for (size_t i = 0; i < twrtProgramArgumentCount(run.program); ++i)
    if (!setArgument(machine, run, i, size))
      return;
  uint64_t arena = 0;
  if (!run.ok(twrtCallPrepare(run.call, &arena, &run.error)))
    return;
  TwrtPoint point = {};
  // Loops may say that they run for ever.
  twrtCallSetStepLimit(run.call, 1 << 16, &run.error);
  if (!run.ok(twrtCallSubmit(run.call, machine.queue, nullptr, 0, &point, &run.error)) ||
      !run.ok(twrtPointWait(point, UINT64_MAX, &run.error)))
    return;
  for (size_t i = 0; i < twrtProgramResultCount(run.program); ++i) {
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[32];
    if (!run.ok(twrtCallGetResult(run.call, i, &tensor, dims, 32, &run.error)))
      continue;
    uint64_t bytes = twrtElementBytes(tensor.element);
    for (uint32_t d = 0; d < tensor.rank; ++d)
      expect(!__builtin_mul_overflow(bytes, static_cast<uint64_t>(dims[d]), &bytes),
             "a result with more bytes than there are");
    expect(tensor.offset + bytes <= twrtBufferBytes(tensor.buffer),
           "a result beyond the end of its buffer");
  }
}

/// At sizes that are made, followed where late symbols change, and found again.
static void runFunction(Machine &machine, Run &run) {
  runAt(machine, run, 3);
  if (twrtProgramSymbolCount(run.program) == 0)
    return;
  for (int64_t size : {4, 0, 4, 3})
    runAt(machine, run, size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Machine machine;
  std::vector<uint8_t> bytes(data, data + size);
  std::string text;
  tw::format::Error described;
  if (!tw::format::describeModule(bytes, {.commands = true, .sources = true}, text, described))
    expect(described.message[0], "a refused description without a message");
  {
    Run run;
    TwrtModuleOptions options = {
        sizeof(options), TWRT_MODULE_ALLOW_NATIVE, "/nonexistent", nullptr, nullptr, nullptr};
    if (!run.ok(twrtModuleFromMemory(machine.instance, {bytes.data(), bytes.size()}, &options,
                                     &run.module, &run.error))) {
      expect(run.error.code == TWRT_INVALID_MODULE || run.error.code == TWRT_OUT_OF_MEMORY,
             "refused with another code than TWRT_INVALID_MODULE");
      return 0;
    }
    twrtModuleDescription(run.module);
    for (size_t i = 0; i < twrtModuleKernelCount(run.module); ++i) {
      TwrtString source = {};
      twrtModuleKernelName(run.module, i);
      twrtModuleKernelSource(run.module, i, &source, &run.error);
    }
    for (size_t i = 0; i < twrtModuleFunctionCount(run.module); ++i) {
      TwrtString name = twrtModuleFunctionName(run.module, i);
      Run inner;
      std::string function(name.data, name.size);
      if (inner.ok(twrtProgramCreate(run.module, function.c_str(), &machine.device, 1,
                                     &inner.program, &inner.error)) &&
          inner.ok(twrtCallCreate(inner.program, &inner.call, &inner.error)))
        runFunction(machine, inner);
    }
  }
  expect(tw::runtime::null::mistakeCount() == 0, "the null device was used wrongly");
  return 0;
}
