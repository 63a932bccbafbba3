// What the runtime's tests share: objects released at the end of the test, checked calls.
#pragma once

#include "twrt/twrt.h"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tw::test {

struct Error : TwrtError {
  Error() : TwrtError{sizeof(TwrtError), TWRT_OK, 0, "", ""} {}
};

#define EXPECT_OK(expression)                                                                      \
  do {                                                                                             \
    EXPECT_EQ(expression, TWRT_OK) << error.message;                                               \
  } while (false)
#define ASSERT_OK(expression)                                                                      \
  do {                                                                                             \
    ASSERT_EQ(expression, TWRT_OK) << error.message;                                               \
  } while (false)

template <typename T, void (*release)(T *)> struct Released {
  void operator()(T *object) const { release(object); }
};
template <typename T, void (*release)(T *)> using Owner = std::unique_ptr<T, Released<T, release>>;

using Instance = Owner<TwrtInstance, twrtInstanceRelease>;
using Device = Owner<TwrtDevice, twrtDeviceRelease>;
using Queue = Owner<TwrtQueue, twrtQueueRelease>;
using Buffer = Owner<TwrtBuffer, twrtBufferRelease>;
using Module = Owner<TwrtModule, twrtModuleRelease>;
using Program = Owner<TwrtProgram, twrtProgramRelease>;
using Call = Owner<TwrtCall, twrtCallRelease>;

/// What an instance logs, a line each: "2 device host is open: ...".
class Log {
public:
  static void add(void *user, int level, const char *text) {
    Log &log = *static_cast<Log *>(user);
    std::lock_guard lock(log.mutex);
    log.lines += std::to_string(level) + " " + text + "\n";
  }
  std::string text() {
    std::lock_guard lock(mutex);
    return lines;
  }

private:
  std::mutex mutex;
  std::string lines;
};

/// Counts, and fails the one allocation, or all from it on.
struct FailingAllocator {
  uint64_t calls = 0, failAt = UINT64_MAX, live = 0;
  bool forGood = false;

  TwrtInstanceOptions getOptions(uint32_t hostThreads) {
    TwrtInstanceOptions options = {};
    options.size = sizeof(options);
    options.hostThreads = hostThreads;
    options.allocate = allocate;
    options.release = release;
    options.user = this;
    return options;
  }
  static void *allocate(void *user, size_t bytes, size_t alignment) {
    FailingAllocator &self = *static_cast<FailingAllocator *>(user);
    uint64_t call = self.calls++;
    if (call == self.failAt || (self.forGood && call > self.failAt))
      return nullptr;
    void *memory = nullptr;
    if (posix_memalign(&memory, alignment < 16 ? 16 : alignment, bytes) != 0)
      return nullptr;
    ++self.live;
    return memory;
  }
  static void release(void *user, void *memory, size_t) {
    --static_cast<FailingAllocator *>(user)->live;
    free(memory);
  }
};

/// An instance with a device and a queue of it.
struct Machine {
  Log log;
  Error error;
  Instance instance;
  Device device;
  Queue queue;

  explicit Machine(const char *uri = "host", uint32_t threads = 1) {
    TwrtInstanceOptions options = {};
    options.size = sizeof(options);
    options.hostThreads = threads;
    options.log = Log::add;
    options.user = &log;
    open(options, uri);
  }
  explicit Machine(const TwrtInstanceOptions &options) { open(options, "host"); }

  void open(const TwrtInstanceOptions &options, const char *uri) {
    TwrtInstance *madeInstance = nullptr;
    TwrtDevice *madeDevice = nullptr;
    TwrtQueue *madeQueue = nullptr;
    EXPECT_OK(twrtInstanceCreate(&options, TWRT_ABI, &madeInstance, &error));
    instance.reset(madeInstance);
    EXPECT_OK(twrtInstanceOpenDevice(madeInstance, uri, &madeDevice, &error));
    device.reset(madeDevice);
    EXPECT_OK(twrtQueueCreate(madeDevice, &madeQueue, &error));
    queue.reset(madeQueue);
  }

  /// The module borrows `bytes`. NULL on failure, with `error` filled.
  Module load(const std::vector<uint8_t> &bytes, uint32_t flags = TWRT_MODULE_ALLOW_NATIVE,
              const char *weightsFolder = nullptr) {
    TwrtModuleOptions options = {sizeof(options), flags, weightsFolder, nullptr, nullptr, nullptr};
    TwrtModule *module = nullptr;
    twrtModuleFromMemory(instance.get(), {bytes.data(), bytes.size()}, &options, &module, &error);
    return Module(module);
  }

  Program makeProgram(const Module &module) {
    TwrtProgram *program = nullptr;
    TwrtDevice *devices[] = {device.get()};
    twrtProgramCreate(module.get(), nullptr, devices, 1, &program, &error);
    return Program(program);
  }

  Call makeCall(const Program &program) {
    TwrtCall *call = nullptr;
    EXPECT_OK(twrtCallCreate(program.get(), &call, &error));
    return Call(call);
  }

  /// A buffer that borrows the values.
  template <typename T> Buffer lend(std::vector<T> &values) {
    TwrtBuffer *buffer = nullptr;
    EXPECT_OK(twrtBufferImport(device.get(), values.data(), values.size() * sizeof(T), nullptr,
                               nullptr, &buffer, &error));
    return Buffer(buffer);
  }

  TwrtCode setArgument(const Call &call, size_t index, const Buffer &buffer, uint32_t element,
                       std::vector<int64_t> dims) {
    TwrtTensor tensor = {sizeof(tensor), element, uint32_t(dims.size()), 0,
                         buffer.get(),   0,       dims.data(),           nullptr};
    return twrtCallSetArgument(call.get(), index, &tensor, &error);
  }

  TwrtCode run(const Call &call) {
    TwrtPoint point = {};
    TwrtCode code = twrtCallSubmit(call.get(), queue.get(), nullptr, 0, &point, &error);
    return code == TWRT_OK ? twrtPointWait(point, UINT64_MAX, &error) : code;
  }

  template <typename T> std::vector<T> result(const Call &call, size_t index = 0) {
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[32];
    EXPECT_OK(twrtCallGetResult(call.get(), index, &tensor, dims, 32, &error));
    if (!tensor.buffer)
      return {};
    size_t count = 1;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      count *= size_t(dims[i]);
    std::vector<T> values(count);
    EXPECT_OK(twrtBufferRead(queue.get(), tensor.buffer, tensor.offset, values.data(),
                             count * sizeof(T), nullptr, &error));
    return values;
  }
};

} // namespace tw::test
