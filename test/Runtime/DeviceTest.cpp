// Modules on devices that run OpenCL C and SPIR-V.
#include "DeviceModules.h"
#include "Harness.h"

#include <cstdlib>
#include <cstring>

using namespace tw::test;

namespace {

/// Skipped where the device is missing; on the machine that checks, the lit suite demands it.
class Devices : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    setenv("POCL_CACHE_DIR", (testing::TempDir() + "pocl-cache").c_str(), 0);
    TwrtInstance *instance = nullptr;
    TwrtDevice *device = nullptr;
    Error error;
    ASSERT_OK(twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error));
    bool present = twrtInstanceOpenDevice(instance, GetParam(), &device, &error) == TWRT_OK;
    twrtDeviceRelease(device);
    twrtInstanceRelease(instance);
    if (!present)
      GTEST_SKIP() << error.message;
  }
  static Buffer upload(Machine &machine, const std::vector<float> &values) {
    Error &error = machine.error;
    TwrtBuffer *made = nullptr;
    EXPECT_OK(twrtBufferCreate(machine.device.get(), values.size() * 4, 0, &made, &error));
    EXPECT_OK(twrtBufferWrite(machine.queue.get(), made, 0, {values.data(), values.size() * 4},
                              nullptr, &error));
    return Buffer(made);
  }
};

} // namespace

TEST_P(Devices, RunTheProgramMadeForThem) {
  Machine machine(GetParam());
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDeviceModule();
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x(64);
  for (size_t i = 0; i < 64; ++i)
    x[i] = float(i) / 8;
  Buffer buffer = upload(machine, x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  for (int repeat = 0; repeat < 3; ++repeat) {
    ASSERT_OK(machine.run(call));
    std::vector<float> y = machine.result<float>(call);
    for (size_t i = 0; i < 64; ++i)
      ASSERT_EQ(y[i], 3 * (x[i] + float(i % 16))) << i;
  }
  TwrtSample samples[2];
  size_t count = 2;
  ASSERT_OK(twrtCallProfile(call.get(), samples, &count, &error));
  ASSERT_EQ(count, 2u);
  EXPECT_GT(samples[0].beginNs, 0u);
  EXPECT_LE(samples[0].beginNs, samples[0].endNs);
  EXPECT_LE(samples[0].endNs, samples[1].endNs);
}

INSTANTIATE_TEST_SUITE_P(Runtime, Devices, testing::Values("opencl:0", "vulkan:0"),
                         [](const auto &info) {
                           return std::string(info.param, strchr(info.param, ':'));
                         });
