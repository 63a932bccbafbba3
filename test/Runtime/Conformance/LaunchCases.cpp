// Launch programs: numbers, grids, local memory, constants, results, profiles, hooks.
#include "Call.h"
#include "Device.h"
#include "Modules.h"
#include "Suite.h"

#include <ctime>

using namespace tw::test;

/// 3 * (x + w) with w = 0, 1 ... 15 repeated.
static std::vector<float> affine(std::vector<float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 3 * (x[i] + float(i % 16));
  return x;
}

CASE(Affine) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, affine(ramp(64)));
}

CASE(RunsAgainWithOtherArguments) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  for (int i = 0; i < 5; ++i) {
    Buffer x = bench.filled(ramp(64, float(100 * i)));
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, affine(ramp(64, float(100 * i))));
  }
}

CASE(SeventyThousandGroups) {
  Module module = bench.suite();
  Program program = bench.program(module, "ids");
  Call call = bench.makeCall(program);
  ASSERT_OK(bench.run(call));
  std::vector<int32_t> expected(70000);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] = int32_t(i);
  bench.expectResult(call, expected);
}

/// On the host, where all threads run the kernel together, also with more of them than cores and
/// than points.
static void reverse(Bench &bench) {
  Error &error = bench.error;
  Module module = bench.suite();
  Program program = bench.program(module, "reverse");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected(64);
  for (size_t i = 0; i < 64; ++i)
    expected[i] = float(i / 16 * 16 + 15 - i % 16);
  bench.expectResult(call, expected);
}

CASE(LocalMemory) { reverse(bench); }

CASE(LocalMemoryOfOneThread) {
  Bench one(bench.target, 1);
  reverse(one);
}

CASE(LocalMemoryOfManyThreads) {
  for (uint32_t threads : {3, 21}) {
    Bench many(bench.target, threads);
    for (int i = 0; i < 20; ++i)
      reverse(many);
  }
}

/// Groups of 16 independent threads on devices that allow fewer: the largest divisors that fit.
CASE(DividesGroups) {
  constexpr uint32_t limits[] = {16, 15, 8, 7, 3, 1};
  bool divides =
      strcmp(bench.target.name, "opencl") == 0 || strcmp(bench.target.name, "vulkan") == 0;
  Module module = bench.suite();
  std::vector<float> x = ramp(64), expected = x;
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] += 100 * float(i % 16);
  for (uint32_t limit : limits) {
    SCOPED_TRACE(limit);
    if (divides)
      bench.device->info.maxGroup = limit;
    Program program = bench.program(module, "chain");
    Call call = bench.makeCall(program);
    Buffer input = bench.filled(x);
    ASSERT_OK(bench.setFloats(call, 0, input, 64));
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, expected);
  }
}

CASE(SixteenBindingsAndScalars) {
  Module module = bench.suite();
  Program program = bench.program(module, "many");
  Call call = bench.makeCall(program);
  std::vector<float> expected(16, -100);
  for (size_t k = 0; k < 15; ++k) {
    std::vector<float> values = ramp(16, float(k));
    Buffer x = bench.filled(values);
    ASSERT_OK(bench.setFloats(call, k, x, 16));
    for (size_t i = 0; i < 16; ++i)
      expected[i] += values[i] * float(k + 1);
  }
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, expected);
}

CASE(GridsOfThreeDimensions) {
  Module module = bench.suite();
  Program program = bench.program(module, "grid");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(384));
  ASSERT_OK(bench.setFloats(call, 0, x, 384));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected = ramp(384);
  for (float &value : expected)
    value *= 2;
  bench.expectResult(call, expected);
}

CASE(EmptyGrids) {
  Module module = bench.suite();
  Program program = bench.program(module, "empty");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(16, 5));
  ASSERT_OK(bench.setFloats(call, 0, x, 16));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, ramp(16, 5));
  size_t count = 0;
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
  EXPECT_EQ(count, 0u) << "a launch without groups makes no step";
}

/// The core leaves them out; drivers take them all the same.
CASE(EmptyGridsOfPlans) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  const tw::runtime::Prepared &prepared = call->plan;
  std::vector<tw::runtime::PlanStep> steps(prepared.steps.begin(), prepared.steps.end());
  for (tw::runtime::PlanStep &step : steps)
    step.grid[0] = 0;
  std::vector<TwrtSample> samples(2);
  tw::runtime::Plan plan = {steps, prepared.ranges, prepared.scalars, prepared.scratchBytes,
                            samples.data()};
  uint64_t point = 0;
  ASSERT_OK(bench.device->driver->submitPlan(bench.queue->handle, plan, &point, &error));
  ASSERT_OK(bench.device->driver->pointWait(bench.queue->handle, point, UINT64_MAX, &error));
  bench.expectResult(call, affine(ramp(64)));
}

struct MovesRow {
  const char *name;
  int64_t size;
};
static constexpr MovesRow moves[] = {{"0", 0}, {"4", 4}, {"64", 64}, {"100", 100}, {"4096", 4096}};

ROWS(CopiesAndFillsInPlans, moves) {
  Module module = bench.suite();
  Program program = bench.program(module, "moves");
  Call call = bench.makeCall(program);
  std::vector<float> values = ramp(size_t(row.size));
  Buffer x = bench.filled(values);
  ASSERT_OK(bench.setFloats(call, 0, x, row.size));
  ASSERT_OK(bench.run(call));
  std::fill(values.end() - row.size / 4, values.end(), 7.0f);
  bench.expectResult(call, values);
}

CASE(PreparedAgainForOtherShapes) {
  Module module = bench.suite();
  Program program = bench.program(module, "moves");
  Call call = bench.makeCall(program);
  for (int64_t size : {64, 4096, 8, 0, 1024}) {
    std::vector<float> values = ramp(size_t(size));
    Buffer x = bench.filled(values);
    ASSERT_OK(bench.setFloats(call, 0, x, size));
    ASSERT_OK(bench.run(call));
    std::fill(values.end() - size / 4, values.end(), 7.0f);
    bench.expectResult(call, values);
  }
}

CASE(ResultsInTheArgumentsMemory) {
  Module module = bench.suite();
  Program program = bench.program(module, "twice");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64, 1));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected = ramp(64, 1);
  for (float &value : expected)
    value *= 9;
  bench.expectResult(call, expected);
  std::vector<uint8_t> bytes(256);
  memcpy(bytes.data(), expected.data(), 256);
  bench.expectBytes(x, 0, bytes);
}

CASE(ArgumentsAtOffsets) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramArgument(program.get(), 0, &info, &error));
  uint64_t step = std::max(4u, info.alignment);
  std::vector<float> values(64 + 3 * step, -1);
  std::copy_n(ramp(64).begin(), 64, values.begin() + int64_t(3 * step / 4));
  Buffer x = bench.filled(values);
  ASSERT_OK(bench.setFloats(call, 0, x, 64, 3 * step));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, affine(ramp(64)));
  EXPECT_FAILS(bench.setFloats(call, 0, x, 64, 3 * step + 1), TWRT_INVALID_ARGUMENT,
               "argument 'x' is not aligned to");
}

CASE(ResultsInTheCallersBuffer) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64)), y = bench.filled(std::vector<float>(256, -1));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  int64_t dims[] = {64};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, y.get(), 256, dims, nullptr};
  ASSERT_OK(twrtCallSetResult(call.get(), 0, &tensor, &error));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected(256, -1), result = affine(ramp(64));
  std::copy(result.begin(), result.end(), expected.begin() + 64);
  std::vector<uint8_t> bytes(1024);
  memcpy(bytes.data(), expected.data(), 1024);
  bench.expectBytes(y, 0, bytes);
}

CASE(OneCallFeedsTheNext) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call first = bench.makeCall(program), second = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(first, 0, x, 64));
  TwrtPoint point = {};
  ASSERT_OK(twrtCallSubmit(first.get(), bench.queue.get(), nullptr, 0, &point, &error));
  TwrtTensor result = {};
  result.size = sizeof(result);
  int64_t dims[1];
  ASSERT_OK(twrtCallGetResult(first.get(), 0, &result, dims, 1, &error));
  ASSERT_OK(twrtCallSetArgument(second.get(), 0, &result, &error));
  Queue other = bench.makeQueue();
  TwrtPoint done = {};
  ASSERT_OK(twrtCallSubmit(second.get(), other.get(), &point, 1, &done, &error));
  bench.wait(done);
  bench.expectResult(second, affine(affine(ramp(64))));
}

CASE(HundredLaunches) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected = ramp(64);
  for (size_t i = 0; i < 64; ++i)
    expected[i] += 100 * float(i % 16);
  bench.expectResult(call, expected);
}

CASE(Constants) {
  Module module = bench.suite();
  Program program = bench.program(module, "constants");
  Call call = bench.makeCall(program);
  ASSERT_OK(bench.run(call));
  std::vector<float> expected = ramp(16), tail(16, 2.5f);
  std::vector<float> again = expected;
  expected.insert(expected.end(), again.begin(), again.end());
  expected.insert(expected.end(), tail.begin(), tail.end());
  std::vector<double> thirds(8, 1.0 / 3);
  expected.resize(64);
  memcpy(expected.data() + 48, thirds.data(), 64);
  bench.expectResult(call, expected);
}

CASE(ConstantsAreUploadedOnce) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  uint64_t afterProgram = bench.usedBytes();
  Buffer x = bench.filled(ramp(64));
  std::vector<Call> calls;
  for (int i = 0; i < 4; ++i) {
    calls.push_back(bench.makeCall(program));
    ASSERT_OK(bench.setFloats(calls[size_t(i)], 0, x, 64));
    ASSERT_OK(bench.run(calls[size_t(i)]));
    // The argument, and an arena and a result for each call; no more constants.
    EXPECT_EQ(bench.usedBytes(), afterProgram + 256 + 512 * uint64_t(i + 1));
  }
  if (bench.target.fake) {
    const char *upload =
        strcmp(bench.target.runs(), "cuda") == 0 ? "cuMemcpyHtoDAsync_v2" : "hipMemcpyHtoDAsync";
    uint64_t uploads = bench.target.fake->callCount(upload);
    ASSERT_OK(bench.run(calls[0]));
    EXPECT_EQ(bench.target.fake->callCount(upload), uploads);
  }
}

CASE(TenThousandLaunchesInConstantMemory) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  uint64_t used = 0, live = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(bench.run(call));
    if (i == 1) {
      used = bench.usedBytes();
      live = bench.target.fake ? bench.target.fake->liveCount() : 0;
    }
  }
  EXPECT_EQ(bench.usedBytes(), used);
  if (bench.target.fake) {
    EXPECT_EQ(bench.target.fake->liveCount(), live);
  }
  std::vector<float> expected = ramp(64);
  for (size_t i = 0; i < 64; ++i)
    expected[i] += 100 * float(i % 16);
  bench.expectResult(call, expected);
}

CASE(SubmittedAgainWithoutWaiting) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  TwrtPoint point = {};
  for (int i = 0; i < 300; ++i)
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
  bench.wait(point);
  bench.expectResult(call, affine(ramp(64)));
}

static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

CASE(ProfilesEachLaunch) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  size_t count = 0;
  EXPECT_FAILS(twrtCallProfile(call.get(), nullptr, &count, &error), TWRT_INVALID_ARGUMENT,
               "the call has not run");
  // Times are there if they are asked for.
  std::vector<TwrtSample> samples(100);
  auto expectNoTimes = [&] {
    ASSERT_OK(bench.run(call));
    size_t count = samples.size();
    ASSERT_OK(twrtCallProfile(call.get(), samples.data(), &count, &error));
    ASSERT_EQ(count, samples.size());
    for (const TwrtSample &sample : samples) {
      EXPECT_EQ(sample.flops, 16u);
      EXPECT_EQ(sample.beginNs | sample.endNs, 0u);
    }
  };
  expectNoTimes();
  ASSERT_OK(twrtCallSetTimed(call.get(), 1, &error));
  uint64_t begin = now();
  ASSERT_OK(bench.run(call));
  uint64_t end = now();
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
  ASSERT_EQ(count, 100u);
  ASSERT_OK(twrtCallProfile(call.get(), samples.data(), &count, &error));
  uint64_t before = bench.target.computes ? begin : 0;
  // Devices have clocks of their own, laid beside the host's to a millisecond.
  uint64_t slack = strcmp(bench.target.name, "host") == 0 ? 0 : 1000000;
  for (const TwrtSample &sample : samples) {
    EXPECT_EQ(sample.flops, 16u);
    EXPECT_EQ(sample.bytes, 128u);
    EXPECT_GE(sample.beginNs + slack, before);
    EXPECT_GE(sample.endNs, sample.beginNs);
    EXPECT_LE(sample.endNs, end + slack);
    before = sample.beginNs;
  }
  count = 3;
  ASSERT_OK(twrtCallProfile(call.get(), samples.data(), &count, &error));
  EXPECT_EQ(count, 100u);
  ASSERT_OK(twrtCallSetTimed(call.get(), 0, &error));
  expectNoTimes();
}

CASE(HooksSeeEachLaunch) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  struct Seen {
    int launches = 0, stopAt = -1;
  } seen;
  auto hook = [](void *user, const TwrtLaunch *) {
    Seen &seen = *static_cast<Seen *>(user);
    return seen.launches++ == seen.stopAt ? TWRT_INVALID_ARGUMENT : TWRT_OK;
  };
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), hook, &seen, &error));
  ASSERT_OK(bench.run(call));
  EXPECT_EQ(seen.launches, 2);
  bench.expectResult(call, affine(ramp(64)));
  seen = {0, 1};
  EXPECT_FAILS(bench.run(call), TWRT_CANCELLED, "the launch hook stopped the call at launch 1");
  EXPECT_EQ(seen.launches, 2);
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), nullptr, nullptr, &error));
  ASSERT_OK(bench.run(call));
  EXPECT_EQ(seen.launches, 2);
  bench.expectResult(call, affine(ramp(64)));
}

CASE(PreparesWithoutRunning) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  EXPECT_FAILS(twrtCallPrepare(call.get(), nullptr, &error), TWRT_INVALID_ARGUMENT,
               "argument 0 'x' is not set");
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  uint64_t arena = 0;
  ASSERT_OK(twrtCallPrepare(call.get(), &arena, &error));
  EXPECT_EQ(arena, 256u);
  ASSERT_OK(twrtCallPrepare(call.get(), nullptr, &error));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, affine(ramp(64)));
}
