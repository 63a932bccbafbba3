// Every call of OpenCL and Vulkan that returns a status is made to fail, the first and the second
// time: the error names it, and everything can be released.
#include "Call.h"
#include "Device.h"
#include "DeviceModules.h"
#include "Drivers/OpenCL/Library.h"
#include "Drivers/Vulkan/Library.h"
#include "Harness.h"
#include "Queue.h"

#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>

using namespace tw::test;
namespace opencl = tw::runtime::opencl;
namespace vulkan = tw::runtime::vulkan;

namespace {

/// The function that fails, which time, and with what.
struct Fault {
  const char *function = nullptr;
  int skip = 0;
  int status = 0;
  bool fired = false;
};
Fault fault;

bool fires(const char *function) {
  if (!fault.function || strcmp(fault.function, function) != 0 || fault.fired || fault.skip-- > 0)
    return false;
  return fault.fired = true;
}

/// Stands before the function of the table that `Name` names.
template <typename Name, typename Signature> struct Guarded;
template <typename Name, typename Result, typename... Arguments>
struct Guarded<Name, Result(Arguments...)> {
  static inline Result (*real)(Arguments...) = nullptr;
  static Result call(Arguments... arguments) {
    if constexpr (std::is_same_v<Result, cl_int> || std::is_same_v<Result, VkResult>) {
      if (fires(Name::text))
        return Result(fault.status);
    } else if constexpr (std::is_pointer_v<Result>) {
      if (fires(Name::text)) {
        *std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)) = fault.status;
        return nullptr;
      }
    }
    return real(arguments...);
  }
};

#define NAME(function)                                                                             \
  struct Name_##function {                                                                         \
    [[maybe_unused]] static constexpr const char *text = #function;                                \
  };
TW_OPENCL_FUNCTIONS(NAME)
TW_VULKAN_FUNCTIONS(NAME)
#undef NAME

template <typename Name, typename Signature> void guard(Signature *&function) {
  using Guard = Guarded<Name, Signature>;
  if (Guard::real)
    return;
  Guard::real = function;
  function = Guard::call;
}

#define GUARD(function) guard<Name_##function>(call.function);
void guardOpenCL() {
  opencl::Functions &call = opencl::library().call;
  TW_OPENCL_FUNCTIONS(GUARD)
}

void guardVulkan() {
  vulkan::Functions &call = vulkan::library().call;
  TW_VULKAN_FUNCTIONS(GUARD)
}
#undef GUARD

/// Everything from device to result; the code of the first thing that fails.
TwrtCode runAll(const char *uri, const std::vector<uint8_t> &bytes, TwrtError &error) {
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  TwrtBuffer *buffer = nullptr;
  TwrtModuleOptions options = {sizeof(options), TWRT_MODULE_ALLOW_NATIVE, nullptr, nullptr, nullptr,
                               nullptr};
  TwrtCode code = twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error);
  auto then = [&](auto step) {
    if (code == TWRT_OK)
      code = step();
  };
  then([&] { return twrtInstanceOpenDevice(instance, uri, &device, &error); });
  then([&] { return twrtQueueCreate(device, &queue, &error); });
  then([&] {
    return twrtModuleFromMemory(instance, {bytes.data(), bytes.size()}, &options, &module, &error);
  });
  then([&] { return twrtProgramCreate(module, nullptr, &device, 1, &program, &error); });
  then([&] { return twrtBufferCreate(device, 512, 0, &buffer, &error); });
  float x[64] = {1, 2, 3};
  then([&] { return twrtBufferWrite(queue, buffer, 0, {x, sizeof(x)}, nullptr, &error); });
  then([&] { return twrtBufferCopy(queue, buffer, 8, buffer, 0, 256, nullptr, &error); });
  then([&] { return twrtCallCreate(program, &call, &error); });
  int64_t dims[] = {64};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer, 0, dims, nullptr};
  then([&] { return twrtCallSetArgument(call, 0, &tensor, &error); });
  TwrtPoint point = {};
  then([&] { return twrtCallSubmit(call, queue, nullptr, 0, &point, &error); });
  then([&] { return twrtPointWait(point, 60000000000u, &error); });
  then([&] { return twrtCallGetResult(call, 0, &tensor, dims, 1, &error); });
  then([&] { return twrtBufferRead(queue, tensor.buffer, 0, x, sizeof(x), nullptr, &error); });
  twrtCallRelease(call);
  twrtBufferRelease(buffer);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
  return code;
}

class FailingCalls : public testing::Test {
protected:
  void TearDown() override { fault = {}; }

  bool present(const char *uri) {
    std::string reason;
    if (hasDevice(uri, reason))
      return true;
    EXPECT_FALSE(getenv("TENSORWRIGHT_REQUIRE_DEVICES")) << reason;
    return false;
  }

  /// Fails `function` at its call `skip` with `status`. False once it is not called so often.
  bool fail(const char *uri, const char *function, int skip, int status, TwrtCode expected) {
    Error error;
    fault = {function, skip, status, false};
    TwrtCode code = runAll(uri, bytes, error);
    bool fired = fault.fired;
    fault = {};
    if (!fired) {
      EXPECT_EQ(code, TWRT_OK) << error.message;
      return false;
    }
    // What is only released or waited for at the end has nobody to tell.
    if (code == TWRT_OK) {
      EXPECT_TRUE(strstr(function, "Release") || strstr(function, "Finish") ||
                  strstr(function, "WaitIdle"))
          << function;
      return true;
    }
    EXPECT_STREQ(error.call, function) << error.message;
    EXPECT_EQ(error.driverCode, status) << function;
    EXPECT_EQ(code, expected) << function << ": " << error.message;
    EXPECT_NE(strstr(error.message, function), nullptr) << error.message;
    return true;
  }

  std::vector<uint8_t> bytes = makeDeviceModule();
};

} // namespace

TEST_F(FailingCalls, OpenCL) {
  if (!present("opencl:0"))
    GTEST_SKIP();
  guardOpenCL();
  int fired = 0;
  const char *functions[] = {
#define NAME(function) #function,
      TW_OPENCL_FUNCTIONS(NAME)
#undef NAME
  };
  for (const char *function : functions)
    for (int skip = 0;
         skip < 2 && fail("opencl:0", function, skip, CL_OUT_OF_RESOURCES, TWRT_DRIVER_ERROR);
         ++skip)
      ++fired;
  EXPECT_GT(fired, 30);
  EXPECT_TRUE(fail("opencl:0", "clWaitForEvents", 0, CL_DEVICE_NOT_AVAILABLE, TWRT_DEVICE_LOST));
}

TEST_F(FailingCalls, Vulkan) {
  if (!present("vulkan:0"))
    GTEST_SKIP();
  guardVulkan();
  int fired = 0;
  const char *functions[] = {
#define NAME(function) #function,
      TW_VULKAN_FUNCTIONS(NAME)
#undef NAME
  };
  for (const char *function : functions)
    for (int skip = 0; skip < 2 && fail("vulkan:0", function, skip, VK_ERROR_INITIALIZATION_FAILED,
                                        TWRT_DRIVER_ERROR);
         ++skip)
      ++fired;
  EXPECT_GT(fired, 20);
  for (const char *function : {"vkQueueSubmit", "vkWaitSemaphores"})
    EXPECT_TRUE(fail("vulkan:0", function, 0, VK_ERROR_DEVICE_LOST, TWRT_DEVICE_LOST)) << function;
}

/// Whoever was told of a failed wait may let the times go that the work was to write.
TEST_F(FailingCalls, NothingIsWrittenAfterAFailedWait) {
  struct Row {
    const char *uri, *wait;
    void (*guard)();
    int status;
  };
  for (const Row &row : {Row{"opencl:0", "clWaitForEvents", guardOpenCL, CL_OUT_OF_RESOURCES},
                         Row{"vulkan:0", "vkWaitSemaphores", guardVulkan, VK_ERROR_UNKNOWN}}) {
    if (!present(row.uri))
      continue;
    row.guard();
    Machine machine(row.uri);
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
    std::vector<TwrtSample> samples(2);
    const tw::runtime::Prepared &prepared = call->plan;
    tw::runtime::Plan plan = {prepared.steps, prepared.ranges, prepared.scalars,
                              prepared.scratchBytes, samples.data()};
    const tw::runtime::Driver &driver = *machine.device->driver;
    uint64_t point = 0;
    ASSERT_OK(driver.submitPlan(machine.queue->handle, plan, &point, &error));
    fault = {row.wait, 0, row.status, false};
    EXPECT_EQ(driver.pointWait(machine.queue->handle, point, UINT64_MAX, &error),
              TWRT_DRIVER_ERROR);
    EXPECT_STREQ(error.call, row.wait);
    fault = {};
    call.reset();
    machine.queue.reset();
    for (const TwrtSample &sample : samples)
      EXPECT_EQ(sample.endNs, 0u) << row.uri;
  }
}

/// A failure that has no place in a run stays with the queue it happened on.
TEST_F(FailingCalls, LostDevicesStayLost) {
  if (!present("vulkan:0"))
    GTEST_SKIP();
  guardVulkan();
  Machine machine("vulkan:0");
  Error &error = machine.error;
  TwrtBuffer *made = nullptr;
  ASSERT_OK(twrtBufferCreate(machine.device.get(), 64, 0, &made, &error));
  Buffer buffer(made);
  fault = {"vkQueueSubmit", 0, VK_ERROR_DEVICE_LOST, false};
  EXPECT_EQ(twrtBufferCopy(machine.queue.get(), made, 0, made, 32, 8, nullptr, &error),
            TWRT_DEVICE_LOST);
  EXPECT_STREQ(error.message, "vkQueueSubmit failed: VK_ERROR_DEVICE_LOST (-4)");
  EXPECT_EQ(twrtBufferCopy(machine.queue.get(), made, 0, made, 32, 8, nullptr, &error),
            TWRT_DEVICE_LOST);
  char byte = 0;
  EXPECT_EQ(twrtBufferRead(machine.queue.get(), made, 0, &byte, 1, nullptr, &error),
            TWRT_DEVICE_LOST);
}
