// The null driver: lifetimes in any order of release, arguments refused, memory running out.
#include "Drivers/Null/Null.h"
#include "Harness.h"
#include "SampleModules.h"

#include <cstdlib>
#include <cstring>

using namespace tw::test;
namespace null = tw::runtime::null;

TEST(Null, ObjectsMayBeReleasedInAnyOrder) {
  uint64_t mistakes = null::mistakeCount(), live = null::liveCount(), steps = null::stepCount();
  std::vector<uint8_t> bytes = makeAffineModule();
  for (int order = 0; order < 5; ++order) {
    Machine machine("null:0");
    Error &error = machine.error;
    Module module = machine.load(bytes);
    Program program = machine.makeProgram(module);
    ASSERT_TRUE(program) << error.message;
    Call call = machine.makeCall(program);
    TwrtBuffer *made = nullptr;
    ASSERT_OK(twrtBufferCreate(machine.device.get(), 256, 0, &made, &error));
    Buffer buffer(made);
    ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
    ASSERT_OK(machine.run(call));
    uint64_t used = 0;
    ASSERT_OK(twrtDeviceMemory(machine.device.get(), &used, nullptr, &error));
    EXPECT_EQ(used, 256u * 3); // argument, arena, result
    if (order == 1)
      machine.instance.reset();
    if (order == 2)
      module.reset();
    if (order == 3) {
      program.reset();
      module.reset();
    }
    if (order == 4) {
      machine.device.reset();
      buffer.reset();
      ASSERT_OK(machine.run(call));
    }
  }
  EXPECT_EQ(null::mistakeCount(), mistakes);
  EXPECT_EQ(null::liveCount(), live);
  EXPECT_EQ(null::stepCount(), steps + 12);
}

TEST(Null, RefusesWrongArguments) {
  Machine machine("null:0");
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  Call call = machine.makeCall(program);
  TwrtBuffer *made = nullptr;
  ASSERT_OK(twrtBufferCreate(machine.device.get(), 300, 0, &made, &error));
  Buffer buffer(made);
  auto expect = [&](TwrtCode code, const char *message) {
    EXPECT_EQ(code, TWRT_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
  };
  expect(machine.run(call), "argument 0 'x' is not set");
  expect(machine.setArgument(call, 1, buffer, TWRT_F32, {64}), "argument 1 of 1");
  expect(machine.setArgument(call, 0, buffer, TWRT_F64, {64}),
         "argument 'x' has element type f64, expected f32");
  expect(machine.setArgument(call, 0, buffer, TWRT_F32, {8, 8}),
         "argument 'x' has shape [8, 8], expected [64]");
  expect(machine.setArgument(call, 0, nullptr, TWRT_F32, {64}), "the tensor's buffer is NULL");
  int64_t dims[] = {64};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, made, 60, dims, nullptr};
  expect(twrtCallSetArgument(call.get(), 0, &tensor, &error),
         "argument 'x' takes 256 bytes at offset 60 of a buffer of 300 bytes");
  tensor.offset = 2;
  expect(twrtCallSetArgument(call.get(), 0, &tensor, &error),
         "argument 'x' is not aligned to 4 bytes");
  tensor.size = 3;
  expect(twrtCallSetArgument(call.get(), 0, &tensor, &error), "TwrtTensor has size 3, expected 48");
  tensor.size = sizeof(tensor);
  tensor.offset = 0;
  ASSERT_OK(twrtCallSetResult(call.get(), 0, &tensor, &error));
  expect(twrtCallSetResult(call.get(), 1, &tensor, &error), "result 1 of 1");
  expect(twrtCallGetResult(call.get(), 0, &tensor, dims, 1, &error), "the call is not prepared");
  size_t count = 0;
  expect(twrtCallProfile(call.get(), nullptr, &count, &error), "the call has not run");
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  ASSERT_OK(machine.run(call));
  expect(twrtCallGetResult(call.get(), 0, &tensor, dims, 0, &error),
         "room for 0 dims, the result has 1");
  expect(twrtBufferCreate(machine.device.get(), 1, 4, &made, &error),
         "usage is 0x4, expected 0 or TWRT_BUFFER_SHARED (1)");
  char byte;
  expect(twrtBufferRead(machine.queue.get(), buffer.get(), 300, &byte, 1, nullptr, &error),
         "1 bytes at offset 300 of a buffer of 300 bytes");
  expect(twrtBufferRead(nullptr, buffer.get(), 0, &byte, 1, nullptr, &error), "queue is NULL");
  Machine host;
  expect(twrtBufferCopy(host.queue.get(), buffer.get(), 0, buffer.get(), 0, 1, nullptr, &error),
         "the buffer is of device null:0, the queue of host");
  expect(twrtCallSubmit(call.get(), host.queue.get(), nullptr, 0, nullptr, &error),
         "the queue is of device host, the program on null:0");
}

TEST(Null, RefusesWhatDoesNotFit) {
  Machine machine("null:0");
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  Module noCode = machine.load(bytes, 0);
  EXPECT_FALSE(machine.makeProgram(noCode));
  EXPECT_EQ(error.code, TWRT_UNSUPPORTED);
  EXPECT_STREQ(error.message, "the module holds machine code: running it needs the flag "
                              "TWRT_MODULE_ALLOW_NATIVE");
  EXPECT_FALSE(machine.load(bytes, 64));
  EXPECT_STREQ(error.message, "unknown module flags 0x40");
  TwrtProgram *program = nullptr;
  TwrtDevice *devices[] = {machine.device.get(), machine.device.get()};
  Module module = machine.load(bytes);
  EXPECT_EQ(twrtProgramCreate(module.get(), "f", devices, 1, &program, &error), TWRT_NOT_FOUND);
  EXPECT_STREQ(error.message, "the module has no function 'f'; its first is 'main'");
  EXPECT_EQ(twrtProgramCreate(module.get(), nullptr, devices, 2, &program, &error),
            TWRT_UNSUPPORTED);
  TwrtDevice *device = nullptr;
  EXPECT_EQ(twrtInstanceOpenDevice(machine.instance.get(), "null:7", &device, &error),
            TWRT_NOT_FOUND);
  EXPECT_NE(strstr(error.message, "no device 'null:7', did you mean 'null:0'? There are: host, "),
            nullptr)
      << error.message;
  EXPECT_EQ(twrtInstanceOpenDevice(machine.instance.get(), "toaster", &device, &error),
            TWRT_NOT_FOUND);
  EXPECT_NE(strstr(error.message, "no device 'toaster'; there are: host, "), nullptr)
      << error.message;
  ASSERT_OK(twrtInstanceOpenDevice(machine.instance.get(), "null", &device, &error));
  twrtDeviceRelease(device);
  TwrtBuffer *buffer = nullptr;
  EXPECT_EQ(twrtBufferCreate(device = machine.device.get(), uint64_t(1) << 50, 0, &buffer, &error),
            TWRT_OUT_OF_MEMORY);
  EXPECT_STREQ(error.message, "not enough memory on null:0 for a buffer of 1125899906842624 bytes");
  TwrtString source;
  EXPECT_OK(twrtModuleKernelSource(module.get(), 1, &source, &error));
  EXPECT_EQ(std::string(source.data, source.size), "func.func @scale()\n");
  EXPECT_EQ(twrtModuleKernelSource(module.get(), 2, &source, &error), TWRT_INVALID_ARGUMENT);
}

TEST(Null, NeedsMissingFeaturesByName) {
  Machine host;
  tw::format::Metadata metadata = makeAffineMetadata();
  std::vector<tw::format::Variant> &variants = metadata.kernels[1].variants;
  variants[0].needs = {"avx2", "warp-drive", "shields"};
  variants.push_back(variants[0]);
  variants[1].needs = {"sails", "avx2"};
  std::vector<uint8_t> bytes = assemble(metadata);
  Module module = host.load(bytes);
  EXPECT_FALSE(host.makeProgram(module));
  EXPECT_EQ(host.error.code, TWRT_UNSUPPORTED);
  EXPECT_STREQ(host.error.message,
               "kernel 'scale' needs 'sails', which device host lacks; its variants, and what they "
               "lack there: host (warp-drive shields), host (sails)");
  metadata.functions[0].programs[0].target = "cuda";
  metadata.functions[0].programs.push_back(metadata.functions[0].programs[0]);
  metadata.functions[0].programs[1].target = "vulkan";
  bytes = assemble(metadata);
  module = host.load(bytes);
  EXPECT_FALSE(host.makeProgram(module));
  EXPECT_STREQ(host.error.message,
               "the module has no program for device host (target host); it has: cuda, vulkan");
}

/// What a runtime says that is older than the format of a kernel.
TEST(Null, KernelsOfALaterReleaseTakeANewerRuntime) {
  Machine host;
  tw::format::Metadata metadata = makeAffineMetadata();
  metadata.kernels[1].variants[0].format = "host-crew";
  std::vector<uint8_t> bytes = assemble(metadata);
  uint16_t later = tw::format::containerMinor + 1;
  memcpy(bytes.data() + offsetof(tw::format::Header, minor), &later, sizeof(later));
  tw::format::repairDigests(bytes);
  Module module = host.load(bytes);
  ASSERT_TRUE(module);
  EXPECT_FALSE(host.makeProgram(module));
  EXPECT_EQ(host.error.code, TWRT_UNSUPPORTED);
  std::string own = "1." + std::to_string(tw::format::containerMinor);
  EXPECT_EQ(host.error.message,
            "kernel 'scale' has code of format 'host-crew', which this runtime does not know: the "
            "module is of format 1." +
                std::to_string(later) + ", this runtime's is " + own +
                "; take a newer runtime; its variants, and what they lack there: host-crew (a "
                "later release's)");
}

namespace {

/// Everything from instance to result; the code of the first thing that fails.
TwrtCode runAll(FailingAllocator &allocator, const char *uri, const std::vector<uint8_t> &bytes) {
  TwrtInstanceOptions options = allocator.getOptions(2);
  Error error;
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  TwrtBuffer *buffer = nullptr;
  TwrtModuleOptions moduleOptions = {
      sizeof(moduleOptions), TWRT_MODULE_ALLOW_NATIVE, nullptr, nullptr, nullptr, nullptr};
  TwrtCode code = twrtInstanceCreate(&options, TWRT_ABI, &instance, &error);
  auto then = [&](auto step) {
    if (code == TWRT_OK)
      code = step();
  };
  then([&] { return twrtInstanceOpenDevice(instance, uri, &device, &error); });
  then([&] { return twrtQueueCreate(device, &queue, &error); });
  then([&] {
    return twrtModuleFromMemory(instance, {bytes.data(), bytes.size()}, &moduleOptions, &module,
                                &error);
  });
  TwrtString source;
  then([&] { return twrtModuleKernelSource(module, 0, &source, &error); });
  then([&] { return twrtProgramCreate(module, nullptr, &device, 1, &program, &error); });
  then([&] { return twrtBufferCreate(device, 256, 0, &buffer, &error); });
  then([&] { return twrtCallCreate(program, &call, &error); });
  int64_t dims[] = {64};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer, 0, dims, nullptr};
  then([&] { return twrtCallSetArgument(call, 0, &tensor, &error); });
  then([&] { return twrtCallSubmit(call, queue, nullptr, 0, nullptr, &error); });
  if (code == TWRT_OUT_OF_MEMORY && call && !allocator.forGood) {
    // The object is usable afterwards.
    tensor.buffer = buffer;
    EXPECT_OK(twrtCallSetArgument(call, 0, &tensor, &error));
    EXPECT_OK(twrtCallSubmit(call, queue, nullptr, 0, nullptr, &error));
  }
  twrtCallRelease(call);
  twrtBufferRelease(buffer);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
  return code;
}

} // namespace

TEST(Null, EveryAllocationMayFail) {
  uint64_t mistakes = null::mistakeCount();
  std::vector<uint8_t> modules[] = {makeAffineModule(), makeDerivedModule()};
  for (auto [uri, bytes] : {std::pair("null:0", modules[0]),
                            {"host", modules[0]},
                            {"null:0", modules[1]},
                            {"host", modules[1]}})
    for (bool forGood : {false, true}) {
      uint64_t failures = 0;
      for (uint64_t k = 0;; ++k) {
        FailingAllocator allocator;
        allocator.failAt = k;
        allocator.forGood = forGood;
        TwrtCode code = runAll(allocator, uri, bytes);
        ASSERT_EQ(allocator.live, 0u) << k;
        if (code == TWRT_OK)
          break;
        ASSERT_EQ(code, TWRT_OUT_OF_MEMORY) << k;
        ++failures;
      }
      EXPECT_GT(failures, 20u);
    }
  EXPECT_EQ(null::mistakeCount(), mistakes);
}
