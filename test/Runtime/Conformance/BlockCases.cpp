// Sides and loops that data decide about while a call runs.
#include "Call.h"
#include "Modules.h"
#include "Suite.h"

#include <algorithm>

using namespace tw::test;

/// What decides about "loops".
struct Control {
  int64_t rows;
  uint8_t flags[8];
};

static std::vector<uint8_t> bytesOf(const Control &control) {
  const uint8_t *begin = reinterpret_cast<const uint8_t *>(&control);
  return {begin, begin + sizeof(control)};
}

/// What "loops" makes of ramp(80).
static std::vector<float> loops(const Control &control) {
  std::vector<float> x = ramp(80), y(80), sum(x.begin(), x.begin() + 16);
  for (int64_t i = 0; i < control.rows; ++i)
    for (int64_t k = 0; k < 16; ++k)
      y[size_t(48 - 16 * i + k)] = sum[size_t(k)] += x[size_t(16 * i + 16 + k)];
  float factor = 1;
  for (int i = 0; control.flags[i] && i < 4; ++i)
    factor *= 2;
  for (size_t k = 0; k < 16; ++k)
    y[64 + k] = control.flags[7] ? sum[k] * factor * 27 : 0;
  return y;
}

static constexpr Control controls[] = {
    {0, {0, 0, 0, 0, 0, 0, 0, 1}}, {1, {1, 0, 1, 1, 0, 0, 0, 1}}, {2, {1, 1, 0, 0, 0, 0, 0, 1}},
    {3, {1, 1, 1, 0, 0, 0, 0, 0}}, {4, {1, 1, 1, 1, 0, 0, 0, 1}}, {-9, {0, 1, 1, 1, 1, 0, 0, 1}},
};

CASE(DataDecidesAboutBlocks) {
  Module module = bench.suite();
  Program program = bench.program(module, "loops");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(80));
  ASSERT_OK(bench.setFloats(call, 0, x, 80));
  for (const Control &control : controls) {
    SCOPED_TRACE(control.rows);
    Buffer decides = bench.filled(bytesOf(control));
    ASSERT_OK(bench.setFloats(call, 1, decides, 4));
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, loops(control));
    if (bench.target.computes)
      EXPECT_EQ(twrtCallLaunchRuns(call.get(), 0), uint64_t(std::max<int64_t>(control.rows, 0)));
  }
}

/// One run after the other without waiting: what decides is written by the queue before.
CASE(BlocksFollowTheQueue) {
  Module module = bench.suite();
  Program program = bench.program(module, "loops");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(80)), decides = bench.filled(bytesOf({0, {}}));
  ASSERT_OK(bench.setFloats(call, 0, x, 80));
  ASSERT_OK(bench.setFloats(call, 1, decides, 4));
  for (const Control &control : controls) {
    std::vector<uint8_t> bytes = bytesOf(control);
    bench.write(bench.queue, decides, 0, bytes);
    TwrtPoint point = {};
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
    bench.expectResult(call, loops(control));
  }
}

CASE(LimitsOfLoops) {
  Module module = bench.suite();
  Program program = bench.program(module, "loops");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(80));
  ASSERT_OK(bench.setFloats(call, 0, x, 80));
  auto run = [&](const Control &control) {
    Buffer decides = bench.filled(bytesOf(control));
    EXPECT_EQ(bench.setFloats(call, 1, decides, 4), TWRT_OK);
    return bench.run(call);
  };
  if (bench.target.computes) {
    EXPECT_FAILS(run({5, {}}), TWRT_LIMIT, "is to run 5 iterations, its limit is 4");
    EXPECT_FAILS(run({1, {1, 1, 1, 1, 1}}), TWRT_LIMIT, "would go on after 4 iterations");
  }
  // The call is as good as before.
  ASSERT_OK(run(controls[2]));
  bench.expectResult(call, loops(controls[2]));
  if (!bench.target.computes)
    return;
  ASSERT_OK(twrtCallSetStepLimit(call.get(), 10, &error));
  EXPECT_FAILS(run(controls[4]), TWRT_LIMIT, "the call takes more than 10 steps, in iteration ");
}

/// "long" at the number of launches that `n` is.
static void setLong(Bench &bench, const Call &call, const Buffer &x, const Buffer &n) {
  EXPECT_EQ(bench.setFloats(call, 0, x, 16), TWRT_OK);
  EXPECT_EQ(bench.setFloats(call, 1, n, 2), TWRT_OK);
}

/// In pieces of 4,096 launches. Those of a software Vulkan take their time.
CASE(LongLoops) {
  Module module = bench.suite();
  Program program = bench.program(module, "long");
  Call call = bench.makeCall(program);
  int64_t count = strcmp(bench.target.name, "vulkan") == 0 ? 4100 : 10000;
  Buffer x = bench.filled(ramp(16, 5)), n = bench.filled(std::vector<int64_t>{count});
  setLong(bench, call, x, n);
  std::vector<float> expected = ramp(16, 5);
  for (size_t i = 0; i < 16; ++i)
    expected[i] += float(count * int64_t(i));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, expected);
  ASSERT_OK(twrtCallSetTimed(call.get(), 1, &error));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, expected);
  size_t launches = 0;
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &launches, &error));
  ASSERT_EQ(launches, 1u);
  TwrtSample sample = {};
  ASSERT_OK(twrtCallProfile(call.get(), &sample, &launches, &error));
  EXPECT_GE(sample.endNs, sample.beginNs);
  EXPECT_EQ(twrtCallLaunchRuns(call.get(), 0), bench.target.computes ? uint64_t(count) : 0);
  EXPECT_LE(call->piece.steps.size(), tw::runtime::maxPieceSteps);
}

CASE(HooksSeeLaunchesInLoops) {
  Module module = bench.suite();
  Program program = bench.program(module, "long");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(16)), n = bench.filled(std::vector<int64_t>{9});
  setLong(bench, call, x, n);
  struct Seen {
    int launches = 0, stopAt = -1;
    float last = 0;
  } seen;
  auto hook = [](void *user, const TwrtLaunch *launch) {
    Seen &seen = *static_cast<Seen *>(user);
    seen.last = static_cast<const float *>(launch->bindings[2].data)[3];
    EXPECT_EQ(launch->launch, 0u);
    return ++seen.launches == seen.stopAt ? TWRT_INVALID_ARGUMENT : TWRT_OK;
  };
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), hook, &seen, &error));
  seen.stopAt = 7;
  EXPECT_EQ(bench.run(call), bench.target.computes ? TWRT_CANCELLED : TWRT_OK);
  EXPECT_EQ(seen.launches, bench.target.computes ? 7 : 0);
  EXPECT_EQ(seen.last, bench.target.computes ? 3 + 7 * 3 : 0);
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), nullptr, nullptr, &error));
  ASSERT_OK(bench.run(call));
}
