// The host driver from module to result.
#include "../../lib/Runtime/Drivers/Host/Host.h"
#include "../../lib/Runtime/Device.h"
#include "../../lib/Runtime/Drivers/Host/Image.h"
#include "../../lib/Runtime/Queue.h"
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/HostAbi.h"

#include <cstring>
#include <fstream>
#include <unistd.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

using namespace tw::test;

static std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i) * 0.5f;
  return values;
}

static void runAffine(uint32_t threads) {
  Machine machine("host", threads);
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x = ramp(64);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  uint64_t arena = 0;
  ASSERT_OK(twrtCallPrepare(call.get(), &arena, &error));
  EXPECT_EQ(arena, 256u);
  for (int repeat = 0; repeat < 3; ++repeat) {
    x[5] = float(repeat);
    ASSERT_OK(machine.run(call));
    std::vector<float> y = machine.result<float>(call);
    ASSERT_EQ(y.size(), 64u);
    for (size_t i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], 3 * (x[i] + float(i % 16))) << i;
  }
}

TEST(Host, RunsAProgram) { runAffine(1); }

TEST(Host, RunsAProgramOnSeveralThreads) {
  for (uint32_t threads : {2, 3, 7})
    runAffine(threads);
}

TEST(Host, OpensAModuleFile) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  std::string path = testing::TempDir() + "twrt-host-" + std::to_string(getpid()) + ".twm";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  TwrtModuleOptions options = {sizeof(options), TWRT_MODULE_ALLOW_NATIVE, nullptr, nullptr, nullptr,
                               nullptr};
  TwrtModule *opened = nullptr;
  ASSERT_OK(twrtModuleOpen(machine.instance.get(), path.c_str(), &options, &opened, &error));
  Module module(opened);
  unlink(path.c_str());
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x = ramp(64);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(machine.result<float>(call)[17], 3 * (x[17] + 1));
}

TEST(Host, PlansDynamicShapes) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDynamicModule();
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  Call call = machine.makeCall(program);
  for (size_t size : {64, 4, 256, 0}) {
    std::vector<float> x = ramp(size);
    Buffer buffer = machine.lend(x);
    ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {int64_t(size)}));
    ASSERT_OK(machine.run(call));
    std::vector<float> y = machine.result<float>(call);
    ASSERT_EQ(y.size(), size);
    for (size_t i = 0; i < size; ++i)
      EXPECT_EQ(y[i], i < size - size / 4 ? x[i] : 7) << i;
  }
  std::vector<float> x = ramp(8);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {8}));
  EXPECT_EQ(machine.run(call), TWRT_UNSUPPORTED);
  EXPECT_NE(strstr(error.message, "the program is not made for these shapes"), nullptr)
      << error.message;
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {6}));
  EXPECT_EQ(machine.run(call), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "dimension 0 of argument 'x' is 6, S must be from 0 to 1024 and a "
                              "multiple of 4");
}

/// Kernels read the first element in place of those that are not there.
TEST(Host, BindsTensorsWithoutElementsToMemory) {
  using namespace tw::runtime;
  Machine machine;
  Error &error = machine.error;
  static double read;
  TwrtHostKernel *kernel = [](const TwrtHostLaunch *launch, uint32_t, uint32_t, void *) {
    read = *static_cast<const double *>(launch->bindings[0]);
  };
  host::Image image;
  image.memory = reinterpret_cast<void *>(kernel);
  DriverMemory memory;
  ASSERT_OK(host::importMemory(machine.device->handle, nullptr, 0, &memory, &error));
  PlanRange range;
  range.memory = &memory;
  PlanStep step;
  step.executable = &image;
  step.grid[0] = step.grid[1] = step.grid[2] = 1;
  step.rangeCount = 1;
  Plan plan;
  plan.steps = {&step, 1};
  plan.ranges = {&range, 1};
  uint64_t point = 0;
  read = 1;
  ASSERT_OK(host::submitPlan(machine.queue->handle, plan, &point, &error));
  EXPECT_EQ(read, 0);
  host::freeMemory(machine.device->handle, &memory);
}

TEST(Host, SetsTheFloatingPointEnvironment) {
  for (uint32_t threads : {1, 4}) {
    Machine machine("host", threads);
    Error &error = machine.error;
    std::vector<uint8_t> bytes = makeControlModule();
    Module module = machine.load(bytes);
    Program program = machine.makeProgram(module);
    ASSERT_TRUE(program) << error.message;
    Call call = machine.makeCall(program);
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
    unsigned set = _mm_getcsr();
    TwrtCode code = machine.run(call);
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    ASSERT_OK(code);
    EXPECT_EQ(after, set);
    for (int32_t word : machine.result<int32_t>(call))
      EXPECT_EQ(word, 0x1f80);
  }
}

#endif
