// Modules on devices that run OpenCL C and SPIR-V.
#include "DeviceModules.h"
#include "Harness.h"

#include <cstdlib>
#include <cstring>

using namespace tw::test;

namespace {

class Devices : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    std::string reason;
    if (hasDevice(GetParam(), reason))
      return;
    if (getenv("TENSORWRIGHT_REQUIRE_DEVICES"))
      FAIL() << reason;
    GTEST_SKIP() << reason;
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
    ASSERT_OK(twrtCallSetTimed(call.get(), repeat, &error));
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

namespace {
struct Seen {
  std::vector<std::string> names;
  std::vector<float> sum;
  uint32_t stopAt = UINT32_MAX;
};

TwrtCode see(void *user, const TwrtLaunch *launch) {
  Seen &seen = *static_cast<Seen *>(user);
  seen.names.emplace_back(launch->name.data, launch->name.size);
  if (launch->launch == 0) {
    const float *values = static_cast<const float *>(launch->bindings[2].data);
    seen.sum.assign(values, values + 64);
  }
  return launch->launch == seen.stopAt ? TWRT_CANCELLED : TWRT_OK;
}
} // namespace

TEST_P(Devices, ShowEveryLaunchToTheHook) {
  Machine machine(GetParam());
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDeviceModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  Buffer buffer = upload(machine, std::vector<float>(64, 2));
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  Seen seen;
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), see, &seen, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(seen.names, (std::vector<std::string>{"add", "scale"}));
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(seen.sum[i], 2 + float(i % 16));
  seen.stopAt = 1;
  EXPECT_EQ(machine.run(call), TWRT_CANCELLED);
  EXPECT_STREQ(error.message, "the launch hook stopped the call at launch 1");
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), nullptr, nullptr, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(machine.result<float>(call)[3], 15);
}

/// Calls, queues and buffers may go while their work runs.
TEST_P(Devices, ObjectsMayBeReleasedWhileWorkRuns) {
  Machine machine(GetParam());
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDeviceModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  for (int repeat = 0; repeat < 20; ++repeat) {
    Call call = machine.makeCall(program);
    Buffer buffer = upload(machine, std::vector<float>(64, 1));
    ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
    TwrtQueue *queue = nullptr;
    ASSERT_OK(twrtQueueCreate(machine.device.get(), &queue, &error));
    for (int run = 0; run < 100; ++run)
      ASSERT_OK(twrtCallSubmit(call.get(), queue, nullptr, 0, nullptr, &error));
    if (repeat % 2)
      twrtQueueRelease(queue);
    buffer.reset();
    call.reset();
    if (repeat % 2 == 0)
      twrtQueueRelease(queue);
  }
}

TEST_P(Devices, RefuseKernelsOverTheirLimits) {
  Machine machine(GetParam());
  auto refusal = [&](const std::function<void(tw::format::Metadata &)> &change) {
    std::vector<uint8_t> bytes = makeDeviceModule(change);
    Module module = machine.load(bytes);
    EXPECT_TRUE(module) << machine.error.message;
    EXPECT_FALSE(machine.makeProgram(module));
    EXPECT_EQ(machine.error.code, TWRT_UNSUPPORTED);
    return std::string(machine.error.message);
  };
  auto each = [](tw::format::Metadata &metadata, auto change) {
    for (tw::format::Variant &variant : metadata.kernels[1].variants)
      change(variant);
  };
  std::string has = std::string(", device ") + GetParam() + " has ";
  std::string group = refusal([&](tw::format::Metadata &metadata) {
    each(metadata, [](tw::format::Variant &variant) { variant.group = {1000, 65, 1}; });
  });
  EXPECT_EQ(group.find("kernel 'scale' needs 65000 threads in a group" + has), 0u) << group;
  std::string local = refusal([&](tw::format::Metadata &metadata) {
    each(metadata, [](tw::format::Variant &variant) { variant.localBytes = 16u << 20; });
  });
  EXPECT_EQ(local.find("kernel 'scale' needs 16777216 bytes of local memory in a group" + has), 0u)
      << local;
  std::string needs = refusal([&](tw::format::Metadata &metadata) {
    each(metadata, [](tw::format::Variant &variant) { variant.needs = {"warp-drive"}; });
  });
  EXPECT_EQ(needs.find(std::string("kernel 'scale' needs 'warp-drive', which device ") +
                       GetParam() + " lacks; its variants, and what they lack there: "),
            0u)
      << needs;
  std::string target = refusal([&](tw::format::Metadata &metadata) {
    metadata.functions[0].programs[0].target = "cuda";
    metadata.functions[0].programs[1].target = "host";
  });
  EXPECT_EQ(target, std::string("the module has no program for device ") + GetParam() +
                        " (target " + std::string(GetParam(), strchr(GetParam(), ':')) +
                        "); it has: cuda, host");
}

TEST_P(Devices, RefuseCodeWithoutTheKernel) {
  Machine machine(GetParam());
  std::vector<uint8_t> bytes = makeDeviceModule([](tw::format::Metadata &metadata) {
    for (tw::format::Variant &variant : metadata.kernels[1].variants)
      variant.entry = "scales";
  });
  Module module = machine.load(bytes);
  EXPECT_FALSE(machine.makeProgram(module));
  EXPECT_EQ(machine.error.code, TWRT_INVALID_MODULE);
  EXPECT_NE(strstr(machine.error.message, "has no kernel 'scales'"), nullptr)
      << machine.error.message;
}

/// Constants of more than the device binds at once, in several slabs.
TEST_P(Devices, TakeConstantsOfAnySize) {
  Machine machine(GetParam());
  Error &error = machine.error;
  constexpr uint64_t large = 48u << 20;
  std::vector<uint8_t> bytes = makeConstantsModule(4, large);
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  ASSERT_OK(machine.run(call));
  std::vector<uint8_t> y = machine.result<uint8_t>(call);
  ASSERT_EQ(y.size(), 4u * 64);
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_EQ(y[i], uint8_t(i / 64 + 1)) << i;
}

INSTANTIATE_TEST_SUITE_P(Runtime, Devices, testing::Values("opencl:0", "vulkan:0"),
                         [](const auto &info) {
                           return std::string(info.param, strchr(info.param, ':'));
                         });
