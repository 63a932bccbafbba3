// What only the fakes can show: each call of the vendor's library failing, lost devices, work that
// is held, devices that are full, images of several kinds.
#include "Call.h"
#include "Device.h"
#include "Modules.h"
#include "Queue.h"
#include "Suite.h"

#include <set>

using namespace tw::test;
namespace fake = tw::emulator;

namespace {

const Target &cuda() {
  for (const Target &target : allTargets())
    if (strcmp(target.name, "cuda") == 0)
      return target;
  abort();
}
const Target &amd() {
  for (const Target &target : allTargets())
    if (strcmp(target.name, "amd") == 0)
      return target;
  abort();
}

/// Runs a function, `affine` or `derived`, on the target's device from instance to result and
/// releases everything; the code of the first thing that fails, with its error.
TwrtCode runAll(const Target &target, const char *name, TwrtError &error) {
  static const std::vector<uint8_t> bytes = makeSuiteModule();
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  TwrtBuffer *buffer = nullptr;
  TwrtModuleOptions options = {sizeof(options), TWRT_MODULE_ALLOW_NATIVE, nullptr, nullptr, nullptr,
                               nullptr};
  std::vector<float> x = ramp(64), y(64);
  TwrtPoint point = {};
  int64_t dims[] = {64}, shape[1];
  TwrtTensor result = {};
  result.size = sizeof(result);
  TwrtCode code = TWRT_OK;
  auto then = [&](auto step) {
    if (code == TWRT_OK)
      code = step();
  };
  then([&] { return twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error); });
  then([&] { return twrtInstanceOpenDevice(instance, target.uri, &device, &error); });
  then([&] { return twrtQueueCreate(device, &queue, &error); });
  then([&] {
    return twrtModuleFromMemory(instance, {bytes.data(), bytes.size()}, &options, &module, &error);
  });
  then([&] { return twrtProgramCreate(module, name, &device, 1, &program, &error); });
  then([&] { return twrtBufferCreate(device, 512, 0, &buffer, &error); });
  then([&] { return twrtBufferWrite(queue, buffer, 0, {x.data(), 256}, &point, &error); });
  then([&] { return twrtPointWait(point, 1000000000, &error); });
  then([&] { return twrtCallCreate(program, &call, &error); });
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer, 0, dims, nullptr};
  then([&] { return twrtCallSetArgument(call, 0, &tensor, &error); });
  // With times, recorded, and recorded anew for another argument.
  then([&] { return twrtCallSetTimed(call, 1, &error); });
  then([&] { return twrtCallSubmit(call, queue, nullptr, 0, &point, &error); });
  then([&] { return twrtPointWait(point, UINT64_MAX, &error); });
  then([&] { return twrtCallSetTimed(call, 0, &error); });
  for (uint64_t offset : {0, 256}) {
    then([&] { return twrtCallSetCaptured(call, 1, &error); });
    then([&] { return twrtBufferWrite(queue, buffer, offset, {x.data(), 256}, &point, &error); });
    tensor.offset = offset;
    then([&] { return twrtCallSetArgument(call, 0, &tensor, &error); });
    then([&] { return twrtCallSubmit(call, queue, nullptr, 0, &point, &error); });
    then([&] { return twrtPointWait(point, UINT64_MAX, &error); });
  }
  then([&] { return twrtCallGetResult(call, 0, &result, shape, 1, &error); });
  then([&] { return twrtBufferRead(queue, result.buffer, 0, y.data(), 256, &point, &error); });
  then([&] { return twrtPointWait(point, UINT64_MAX, &error); });
  for (size_t i = 0; code == TWRT_OK && i < 64; ++i)
    EXPECT_EQ(y[i], strcmp(name, "affine") == 0    ? 3 * (x[i] + float(i % 16))
                    : strcmp(name, "counted") == 0 ? x[i] + 3 * float(i % 16)
                                                   : x[i] + 4 * (float(i % 16) + 2));
  twrtCallRelease(call);
  twrtBufferRelease(buffer);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
  return code;
}

/// Releases cannot report: what the library keeps then is lost to it. They must not stop the rest.
const std::set<std::string> releases = {
    "cuMemFree_v2",      "cuMemFreeHost",      "cuStreamDestroy_v2", "cuStreamSynchronize",
    "cuGraphDestroy",    "cuGraphExecDestroy", "hipGraphDestroy",    "hipGraphExecDestroy",
    "cuEventDestroy_v2", "cuModuleUnload",     "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2",
    "hipFree",           "hipHostFree",        "hipStreamDestroy",   "hipStreamSynchronize",
    "hipEventDestroy",   "hipModuleUnload",    "hipSetDevice",       "hipGetDevice"};

/// Calls whose results are descriptions, times or a faster way: done without.
const std::set<std::string> services = {
    "cuDriverGetVersion",  "cuDeviceGetName",       "cuDeviceTotalMem_v2",  "cuGetErrorName",
    "cuMemHostAlloc",      "cuEventElapsedTime",    "cuDeviceGetAttribute", "hipDriverGetVersion",
    "hipDeviceGetName",    "hipDeviceTotalMem",     "hipDrvGetErrorName",   "hipHostMalloc",
    "hipEventElapsedTime", "hipDeviceGetAttribute", "cuGraphExecUpdate_v2", "hipGraphExecUpdate"};

/// Comes before releases too.
bool makesCurrent(std::string_view function) { return function == "cuCtxPushCurrent_v2"; }

void failEachCall(const Target &target, const char *name, int code, bool sticky) {
  const fake::Control &control = *target.fake;
  size_t failed = 0;
  for (size_t i = 0; const char *function = control.functionName(i); ++i) {
    control.abandon();
    control.reset(nullptr, 0);
    Error error;
    ASSERT_EQ(runAll(target, name, error), TWRT_OK) << error.message;
    uint64_t calls = control.callCount(function);
    EXPECT_EQ(control.liveCount(), 0u);
    for (uint64_t nth = 1; nth <= calls; nth = nth < 6 || nth == calls ? nth + 1 : calls) {
      SCOPED_TRACE(std::string(function) + ", call " + std::to_string(nth) + ", code " +
                   std::to_string(code));
      control.abandon();
      control.reset(nullptr, 0);
      control.fail(function, nth, code, sticky);
      Error failure;
      TwrtCode result = runAll(target, name, failure);
      if (result != TWRT_OK) {
        ++failed;
        EXPECT_EQ(failure.code, result);
        EXPECT_NE(*failure.message, 0);
        if (result == TWRT_DRIVER_ERROR) {
          EXPECT_STREQ(failure.call, function);
          EXPECT_EQ(failure.driverCode, code);
        }
        // Devices that cannot be described are not listed, and what is missing is not a feature.
        bool early = result == TWRT_NOT_FOUND || result == TWRT_UNSUPPORTED;
        if (code == 999 && !early && !releases.count(function) && !services.count(function)) {
          EXPECT_EQ(result, TWRT_DRIVER_ERROR) << failure.message;
        }
      } else {
        bool mayPass = releases.count(function) || services.count(function) ||
                       std::string(function).find("Event") != std::string::npos ||
                       makesCurrent(function);
        EXPECT_TRUE(mayPass) << "the failure went unnoticed";
      }
      if (!releases.count(function) && !sticky) {
        // Without the context nothing can be released: what is left goes with it.
        bool leaks = makesCurrent(function);
        if (!leaks) {
          EXPECT_EQ(control.liveCount(), 0u) << "leaked";
        }
        for (uint64_t i = 0; i < control.mistakeCount(); ++i) {
          std::string_view mistake = control.mistake(i);
          EXPECT_TRUE(leaks && mistake.starts_with("a context destroyed with")) << mistake;
        }
      }
    }
  }
  EXPECT_GT(failed, 20u);
  control.abandon();
  control.reset(nullptr, 0);
}

} // namespace

TEST(FakeCuda, EachCallFails) { failEachCall(cuda(), "affine", 999, false); }
TEST(FakeCuda, EachCallRunsOutOfMemory) { failEachCall(cuda(), "affine", 2, false); }
TEST(FakeCuda, EachCallLosesTheDevice) { failEachCall(cuda(), "affine", 719, true); }
TEST(FakeHip, EachCallFails) { failEachCall(amd(), "affine", 999, false); }
TEST(FakeHip, EachCallRunsOutOfMemory) { failEachCall(amd(), "affine", 2, false); }
TEST(FakeHip, EachCallLosesTheDevice) { failEachCall(amd(), "affine", 719, true); }

TEST(FakeCuda, EachCallFailsAroundAnInitializer) { failEachCall(cuda(), "derived", 999, false); }
TEST(FakeHip, EachCallFailsAroundAnInitializer) { failEachCall(amd(), "derived", 999, false); }

TEST(FakeCuda, EachCallFailsAroundLoops) { failEachCall(cuda(), "counted", 999, false); }
TEST(FakeHip, EachCallFailsAroundLoops) { failEachCall(amd(), "counted", 999, false); }
TEST(FakeCuda, EachCallLosesTheDeviceAroundLoops) { failEachCall(cuda(), "counted", 719, true); }

TEST(FakeCuda, AFailingLaunchNamesTheKernel) {
  for (const char *function : {"affine", "counted"}) {
    cuda().fake->reset(nullptr, 0);
    Bench bench(cuda());
    Error &error = bench.error;
    Module module = bench.suite();
    Program program = bench.program(module, function);
    Call call = bench.makeCall(program);
    Buffer x = bench.filled(ramp(64));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    for (int captured = 0; captured < 2; ++captured) {
      ASSERT_OK(twrtCallSetCaptured(call.get(), captured, &error));
      cuda().fake->fail("cuLaunchKernel", 1, 701, false);
      EXPECT_FAILS(bench.run(call), TWRT_DRIVER_ERROR, "kernel 'add': cuLaunchKernel: ");
      EXPECT_STREQ(error.call, "cuLaunchKernel");
      EXPECT_EQ(error.driverCode, 701);
      // What fails behind the launches is no kernel's.
      cuda().fake->fail("cuEventRecord", 1, 999, false);
      EXPECT_EQ(bench.run(call), TWRT_DRIVER_ERROR);
      EXPECT_STREQ(error.message, "cuEventRecord: CUDA_ERROR_UNKNOWN");
      ASSERT_OK(bench.run(call));
    }
  }
}

TEST(FakeCuda, AFailingInitializerNamesTheKernel) {
  cuda().fake->reset(nullptr, 0);
  {
    Bench bench(cuda());
    Error &error = bench.error;
    Module module = bench.suite();
    Program program = bench.program(module, "derived");
    cuda().fake->fail("cuLaunchKernel", 2, 999, false);
    EXPECT_FAILS(twrtProgramInitialize(program.get(), nullptr, nullptr, &error), TWRT_DRIVER_ERROR,
                 "the program's initializer failed at kernel 'scale': ");
    EXPECT_STREQ(error.call, "cuLaunchKernel");
    EXPECT_EQ(error.driverCode, 999);
    // It is tried again.
    Call call = bench.makeCall(program);
    Buffer x = bench.filled(ramp(64));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(bench.run(call));
    EXPECT_EQ(bench.readResult<float>(call)[17], 17.0f + 4 * 3);
  }
  EXPECT_EQ(cuda().fake->liveCount(), 0u);
  EXPECT_EQ(cuda().fake->mistakeCount(), 0u);
}

/// A kernel that faults: found when its point is waited for, and for ever after; the driver's other
/// device goes on.
static void loseDevice(const Target &target, const char *synchronize) {
  const fake::Control &control = *target.fake;
  control.reset(nullptr, 0);
  {
    Bench lost(target);
    Target second = target;
    second.uri = target.other;
    Bench other(second);
    Error &error = lost.error;
    Buffer buffer = lost.buffer(100), there = other.buffer(100);
    std::vector<uint8_t> data = pattern(100);
    TwrtPoint point = lost.write(lost.queue, buffer, 0, data);
    control.fail(synchronize, 1, 700, true);
    EXPECT_FAILS(twrtPointWait(point, UINT64_MAX, &error), TWRT_DEVICE_LOST, "the device is lost");
    EXPECT_STREQ(error.call, synchronize);
    EXPECT_EQ(error.driverCode, 700);
    EXPECT_EQ(twrtPointReached(point), -1);
    EXPECT_FAILS(twrtPointWait(point, 1000, &error), TWRT_DEVICE_LOST,
                 "was lost by an earlier call");
    EXPECT_FAILS(
        twrtBufferWrite(lost.queue.get(), buffer.get(), 0, {data.data(), 100}, nullptr, &error),
        TWRT_DEVICE_LOST, "was lost by an earlier call");
    TwrtQueue *queue = nullptr;
    EXPECT_EQ(twrtQueueCreate(lost.device.get(), &queue, &error), TWRT_DEVICE_LOST);
    TwrtBuffer *large = nullptr;
    EXPECT_EQ(twrtBufferCreate(lost.device.get(), 20 << 20, 0, &large, &error), TWRT_DEVICE_LOST);
    Module module = lost.suite();
    Program program;
    EXPECT_EQ(lost.tryProgram(module, "affine", program), TWRT_DEVICE_LOST) << error.message;
    other.write(there, 0, data);
    other.expectBytes(there, 0, data);
  }
  EXPECT_EQ(control.mistakeCount(), 0u) << control.mistake(0);
  control.abandon();
}

/// A run that fails after it was submitted, and that nobody waits for.
TEST(FakeCuda, TheLogIsToldOfFailuresThatNobodyWaitsFor) {
  cuda().fake->reset(nullptr, 0);
  {
    Bench bench(cuda());
    Error &error = bench.error;
    Module module = bench.suite();
    Program program = bench.program(module, "affine");
    Call call = bench.makeCall(program);
    Buffer x = bench.filled(ramp(64));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    TwrtPoint point = {};
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
    cuda().fake->fail("cuEventSynchronize", 1, 700, true);
    call.reset();
    EXPECT_NE(bench.log.text().find("0 a call of 'affine' failed and nobody waited for it: "),
              std::string::npos)
        << bench.log.text();
  }
  cuda().fake->abandon();
}

TEST(FakeCuda, LostDevicesStayLost) { loseDevice(cuda(), "cuEventSynchronize"); }
TEST(FakeHip, LostDevicesStayLost) { loseDevice(amd(), "hipEventSynchronize"); }

static void holdWork(const Target &target) {
  const fake::Control &control = *target.fake;
  control.reset(nullptr, 0);
  {
    Bench bench(target);
    Error &error = bench.error;
    Module module = bench.suite();
    Program program = bench.program(module, "affine");
    Call call = bench.makeCall(program);
    Buffer x = bench.filled(ramp(64));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(twrtCallPrepare(call.get(), nullptr, &error));
    control.hold(true);
    TwrtPoint point = {};
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
    EXPECT_EQ(twrtPointReached(point), 0);
    EXPECT_FAILS(twrtPointWait(point, 2000000, &error), TWRT_TIMEOUT, "not reached yet");
    EXPECT_EQ(twrtPointReached(point), 0);
    control.hold(false);
    EXPECT_OK(twrtPointWait(point, 10000000000u, &error));
    EXPECT_EQ(twrtPointReached(point), 1);
    std::vector<float> expected = ramp(64);
    for (size_t i = 0; i < 64; ++i)
      expected[i] = 3 * (expected[i] + float(i % 16));
    bench.expectResult(call, expected);
  }
  EXPECT_EQ(control.mistakeCount(), 0u) << control.mistake(0);
  EXPECT_EQ(control.liveCount(), 0u);
}

/// A queue waits for another on the device: nothing of either has run when this returns.
static void waitOnTheDevice(const Target &target) {
  const fake::Control &control = *target.fake;
  control.reset(nullptr, 0);
  {
    Bench bench(target);
    Error &error = bench.error;
    Queue second = bench.makeQueue();
    std::vector<uint8_t> data = pattern(1000);
    Buffer a = bench.buffer(1000), b = bench.buffer(1000);
    control.hold(true);
    TwrtPoint written = bench.write(bench.queue, a, 0, data);
    ASSERT_OK(twrtQueueWait(second.get(), &written, 1, &error));
    ASSERT_OK(twrtQueueWait(bench.queue.get(), &written, 1, &error));
    TwrtPoint copied = bench.copy(second, b, 0, a, 0, 1000);
    EXPECT_EQ(twrtPointReached(written), 0);
    EXPECT_EQ(twrtPointReached(copied), 0);
    control.hold(false);
    // Only the second is waited for, and runs what it depends on.
    bench.wait(copied);
    EXPECT_EQ(twrtPointReached(written), 1);
    bench.expectBytes(b, 0, data);
  }
  EXPECT_EQ(control.mistakeCount(), 0u) << control.mistake(0);
  EXPECT_EQ(control.liveCount(), 0u);
}

TEST(FakeCuda, QueuesWaitOnTheDevice) { waitOnTheDevice(cuda()); }
TEST(FakeHip, QueuesWaitOnTheDevice) { waitOnTheDevice(amd()); }

TEST(FakeCuda, WaitsEndWhileWorkGoesOn) { holdWork(cuda()); }
TEST(FakeHip, WaitsEndWhileWorkGoesOn) { holdWork(amd()); }

/// Whoever was told of a failed wait may let the times go that the work was to write.
static void failWait(const Target &target, const char *synchronize) {
  const fake::Control &control = *target.fake;
  control.reset(nullptr, 0);
  Bench bench(target);
  Error &error = bench.error;
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  std::vector<TwrtSample> samples(2);
  const tw::runtime::Prepared &prepared = call->plan;
  tw::runtime::Plan plan = {prepared.steps, prepared.ranges, prepared.scalars,
                            prepared.scratchBytes, samples.data()};
  const tw::runtime::Driver &driver = *bench.device->driver;
  uint64_t point = 0;
  ASSERT_OK(driver.submitPlan(bench.queue->handle, plan, &point, &error));
  control.fail(synchronize, 1, 999, false);
  EXPECT_FAILS(driver.pointWait(bench.queue->handle, point, UINT64_MAX, &error), TWRT_DRIVER_ERROR,
               synchronize);
  call.reset();
  bench.queue.reset();
  for (const TwrtSample &sample : samples)
    EXPECT_EQ(sample.endNs, 0u);
}

TEST(FakeCuda, NothingIsWrittenAfterAFailedWait) { failWait(cuda(), "cuEventSynchronize"); }
TEST(FakeHip, NothingIsWrittenAfterAFailedWait) { failWait(amd(), "hipEventSynchronize"); }

static void fillDevice(const Target &target) {
  target.fake->reset(nullptr, 0);
  {
    Bench bench(target);
    std::vector<Buffer> buffers;
    while (Buffer buffer = bench.tryBuffer(100 << 20))
      buffers.push_back(std::move(buffer));
    EXPECT_EQ(buffers.size(), 10u);
    EXPECT_EQ(bench.error.code, TWRT_OUT_OF_MEMORY);
    EXPECT_NE(strstr(bench.error.message, "not enough memory on"), nullptr) << bench.error.message;
    EXPECT_EQ(bench.usedBytes(), 1000u << 20);
    buffers.pop_back();
    EXPECT_TRUE(bench.tryBuffer(100 << 20)) << bench.error.message;
    // A slab that is kept for small buffers makes room for large ones.
    Buffer small = bench.tryBuffer(1000);
    small.reset();
    while (Buffer buffer = bench.tryBuffer(15 << 20))
      buffers.push_back(std::move(buffer));
    EXPECT_GT(target.fake->usedBytes(), uint64_t(1008) << 20);
  }
  EXPECT_EQ(target.fake->liveCount(), 0u);
  EXPECT_EQ(target.fake->mistakeCount(), 0u);
}

TEST(FakeCuda, FullDevices) { fillDevice(cuda()); }
TEST(FakeHip, FullDevices) { fillDevice(amd()); }

static void expectNoDevices(const Target &target, const char *message) {
  const fake::Control &control = *target.fake;
  fake::Device none = {};
  control.reset(&none, 0);
  {
    Error error;
    TwrtInstance *made = nullptr;
    ASSERT_OK(twrtInstanceCreate(nullptr, TWRT_ABI, &made, &error));
    Instance instance(made);
    TwrtDevice *device = nullptr;
    EXPECT_FAILS(twrtInstanceOpenDevice(made, target.uri, &device, &error), TWRT_NOT_FOUND,
                 message);
  }
  control.restore();
}

TEST(FakeCuda, NoDevice) {
  expectNoDevices(cuda(), "libcuda.so.1 is there, but no device it can use");
}
TEST(FakeHip, NoDevice) {
  expectNoDevices(amd(), "libamdhip64.so is there, but no device it can use");
}

TEST(FakeCuda, TheCallersContextStaysCurrent) {
  cuda().fake->reset(nullptr, 0);
  Error error;
  ASSERT_EQ(runAll(cuda(), "affine", error), TWRT_OK) << error.message;
  EXPECT_GT(cuda().fake->callCount("cuCtxPushCurrent_v2"), 10u);
  EXPECT_EQ(cuda().fake->callCount("cuCtxPushCurrent_v2"),
            cuda().fake->callCount("cuCtxPopCurrent_v2"));
}

TEST(FakeCuda, SaysWhatTheCompilerOfPtxSaid) {
  cuda().fake->reset(nullptr, 0);
  Bench bench(cuda());
  Error &error = bench.error;
  std::vector<uint8_t> bytes = makeSuiteModule();
  tw::format::Container container;
  tw::format::Error reason;
  ASSERT_TRUE(tw::format::Container::open(bytes, container, reason));
  std::span<const uint8_t> ptx = container.sectionBytes(5);
  std::string_view text(reinterpret_cast<const char *>(ptx.data()), ptx.size());
  size_t at = text.find("add.rn.f32");
  memcpy(bytes.data() + container.section(5).offset + at, "syntax error", 12);
  tw::format::repairDigests(bytes);
  Module module = bench.load(bytes);
  Program program;
  EXPECT_FAILS(bench.tryProgram(module, "affine", program), TWRT_INVALID_MODULE,
               "device cuda:0 refuses the ptx image: it is not valid: ptxas application ptx input, "
               "line 7; error   : Parsing error near 'error'");
  EXPECT_STREQ(error.call, "cuModuleLoadDataEx");
}

/// A module whose kernels for CUDA come as machine code for one chip and as PTX.
static std::vector<uint8_t> makeWithCubin(int chip) {
  tw::format::Metadata metadata = makeSuiteMetadata();
  for (uint32_t kernel = 3 * KernelCount; kernel < 4 * KernelCount; ++kernel) {
    auto &variants = metadata.kernels[kernel].variants;
    variants.insert(variants.begin(), variants[0]);
    variants[0].format = "cubin";
    variants[0].section = cubinSection;
  }
  return assembleSuite(metadata, chip);
}

TEST(FakeCuda, TakesPtxWhereMachineCodeIsForAnotherChip) {
  for (int chip : {90, 80}) {
    cuda().fake->reset(nullptr, 0);
    Bench bench(cuda());
    Error &error = bench.error;
    std::vector<uint8_t> bytes = makeWithCubin(chip);
    Module module = bench.load(bytes);
    ASSERT_TRUE(module) << error.message;
    Program program = bench.program(module, "affine");
    Call call = bench.makeCall(program);
    Buffer x = bench.filled(ramp(64));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(bench.run(call));
    std::vector<float> expected = ramp(64);
    for (size_t i = 0; i < 64; ++i)
      expected[i] = 3 * (expected[i] + float(i % 16));
    bench.expectResult(call, expected);
    EXPECT_EQ(cuda().fake->callCount("cuModuleLoadDataEx"), chip == 90 ? 1u : 2u);
  }
}

TEST(FakeCuda, RefusesCodeForNewerChips) {
  cuda().fake->reset(nullptr, 0);
  Target old = cuda();
  old.uri = old.other; // sm_75
  Bench bench(old);
  Error &error = bench.error;
  tw::format::Metadata metadata = makeSuiteMetadata();
  metadata.kernels[3 * KernelCount + Add].variants[0].needs = {"sm_80"};
  std::vector<uint8_t> bytes = assembleSuite(metadata);
  Module module = bench.load(bytes);
  Program program;
  EXPECT_FAILS(bench.tryProgram(module, "affine", program), TWRT_UNSUPPORTED,
               "kernel 'add' needs 'sm_80', which device cuda:1 lacks");
}

TEST(FakeCuda, AsksForLocalMemoryAboveTheDefault) {
  cuda().fake->reset(nullptr, 0);
  Bench bench(cuda());
  Error &error = bench.error;
  tw::format::Metadata metadata = makeSuiteMetadata();
  metadata.kernels[3 * KernelCount + Reverse].variants[0].localBytes = 100 << 10;
  std::vector<uint8_t> bytes = assembleSuite(metadata);
  Module module = bench.load(bytes);
  Program program = bench.program(module, "reverse");
  // How much, and the share of a processor.
  EXPECT_EQ(cuda().fake->callCount("cuFuncSetAttribute"), 2u);
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  EXPECT_EQ(bench.readResult<float>(call)[0], 15);
}
