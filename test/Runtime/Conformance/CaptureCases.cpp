// Calls that are captured: their results, what is recorded again, and what is not captured.
#include "Call.h"
#include "Suite.h"

using namespace tw::test;

/// Whether calls can be captured here; where they cannot, that they say so.
static bool canCapture(Bench &bench, const Call &call) {
  Error &error = bench.error;
  TwrtCode code = twrtCallSetCaptured(call.get(), 1, &error);
  if (code == TWRT_OK)
    return true;
  EXPECT_FAILS(code, TWRT_UNSUPPORTED, "calls cannot be captured on device");
  EXPECT_NE(strstr(error.message, bench.target.uri), nullptr) << error.message;
  EXPECT_OK(twrtCallSetCaptured(call.get(), 0, &error));
  return false;
}

namespace {

/// Calls of the library, where a fake of it counts them.
struct Calls {
  uint64_t launches = 0, recorded = 0, made = 0, updated = 0;

  static Calls of(const Bench &bench) {
    if (!bench.target.fake)
      return {};
    bool isCuda = strcmp(bench.target.runs(), "cuda") == 0;
    auto count = [&](const char *cuda, const char *hip) {
      return bench.target.fake->callCount(isCuda ? cuda : hip);
    };
    return {count("cuGraphLaunch", "hipGraphLaunch"),
            count("cuStreamEndCapture", "hipStreamEndCapture"),
            count("cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags"),
            count("cuGraphExecUpdate_v2", "hipGraphExecUpdate")};
  }
};

/// Expects so many more calls than at first.
void expectCalls(const Bench &bench, const Calls &first, const Calls &more) {
  if (!bench.target.fake)
    return;
  Calls now = Calls::of(bench);
  EXPECT_EQ(now.launches - first.launches, more.launches);
  EXPECT_EQ(now.recorded - first.recorded, more.recorded);
  EXPECT_EQ(now.made - first.made, more.made);
  EXPECT_EQ(now.updated - first.updated, more.updated);
}

std::vector<float> chained(std::vector<float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += 100 * float(i % 16);
  return x;
}

std::vector<float> moved(std::vector<float> x) {
  std::fill(x.end() - ptrdiff_t(x.size() / 4), x.end(), 7.0f);
  return x;
}

} // namespace

CASE(CapturedOnceAndUpdatedWhereArgumentsMove) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  if (!canCapture(bench, call))
    GTEST_SKIP() << error.message;
  Calls first = Calls::of(bench);
  Buffer x = bench.filled(ramp(64)), z = bench.filled(ramp(64, 5));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, chained(ramp(64)));
  }
  expectCalls(bench, first, {3, 1, 1, 0});
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(bench.setFloats(call, 0, z, 64));
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, chained(ramp(64, 5)));
  }
  expectCalls(bench, first, {5, 2, 1, 1});
  // Back again: what was recorded first is forgotten.
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, chained(ramp(64)));
  expectCalls(bench, first, {6, 3, 1, 2});
}

CASE(CapturedAtSeveralSizes) {
  Module module = bench.suite();
  Program program = bench.program(module, "moves");
  Call call = bench.makeCall(program);
  if (!canCapture(bench, call))
    GTEST_SKIP() << error.message;
  // The arena grows, plans are kept, and one has nothing in it.
  Buffer x = bench.filled(ramp(4096));
  for (int64_t size : {64, 64, 4096, 64, 0, 8, 4096, 0, 64, 12, 16, 20, 24, 28, 32, 36, 40, 64}) {
    SCOPED_TRACE(size);
    ASSERT_OK(bench.setFloats(call, 0, x, size));
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, moved(ramp(size_t(size))));
  }
}

CASE(CapturedWithoutWaiting) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program), other = bench.makeCall(program);
  if (!canCapture(bench, call) || !canCapture(bench, other))
    GTEST_SKIP() << error.message;
  Buffer x = bench.filled(ramp(64)), z = bench.filled(ramp(64, 5));
  Buffer results[] = {bench.buffer(256), bench.buffer(256)};
  int64_t dims[] = {64};
  // What moves while an earlier run of the graph goes on is not that run's.
  for (int i = 0; i < 8; ++i) {
    TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, results[i % 2].get(), 0, dims, nullptr};
    ASSERT_OK(bench.setFloats(call, 0, i % 2 ? x : z, 64));
    ASSERT_OK(twrtCallSetResult(call.get(), 0, &tensor, &error));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, nullptr, &error));
    ASSERT_OK(bench.setFloats(other, 0, x, 64));
    ASSERT_OK(twrtCallSubmit(other.get(), bench.queue.get(), nullptr, 0, nullptr, &error));
  }
  bench.expectResult(other, chained(ramp(64)));
  for (int i = 0; i < 2; ++i) {
    std::vector<float> expected = chained(ramp(64, i ? 0 : 5));
    std::vector<uint8_t> bytes(256);
    memcpy(bytes.data(), expected.data(), 256);
    bench.expectBytes(results[i], 0, bytes);
  }
}

CASE(CapturedForAnotherQueue) {
  Module module = bench.suite();
  Program program = bench.program(module, "empty");
  Call call = bench.makeCall(program);
  if (!canCapture(bench, call))
    GTEST_SKIP() << error.message;
  // The result lies over the argument: each queue has memory that the copy goes through.
  std::vector<float> values = ramp(20);
  std::vector<uint8_t> bytes(80);
  memcpy(bytes.data(), values.data(), 80);
  Buffer x = bench.buffer(80);
  int64_t dims[] = {16};
  TwrtTensor over = {sizeof(over), TWRT_F32, 1, 0, x.get(), 16, dims, nullptr};
  ASSERT_OK(twrtCallSetResult(call.get(), 0, &over, &error));
  ASSERT_OK(bench.setFloats(call, 0, x, 16));
  auto run = [&](const Queue &queue) {
    bench.write(x, 0, bytes);
    TwrtPoint point = {};
    ASSERT_OK(twrtCallSubmit(call.get(), queue.get(), nullptr, 0, &point, &error));
    bench.wait(point);
    bench.expectResult(call, ramp(16));
  };
  run(bench.queue);
  for (int i = 0; i < 3; ++i) {
    Queue second = bench.makeQueue();
    run(second);
  }
  run(bench.queue);
  // A stream of the caller's.
  program = bench.program(module, "affine");
  call = bench.makeCall(program);
  ASSERT_TRUE(canCapture(bench, call));
  Buffer z = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, z, 64));
  ASSERT_OK(bench.run(call));
  Calls first = Calls::of(bench);
  TwrtHandle found = {};
  found.size = sizeof(found);
  TwrtQueue *made = nullptr;
  ASSERT_OK(twrtQueueHandle(bench.queue.get(), &found, &error));
  ASSERT_OK(twrtQueueImportHandle(bench.device.get(), &found, &made, &error));
  Queue same(made);
  TwrtPoint point = {};
  ASSERT_OK(twrtCallSubmit(call.get(), same.get(), nullptr, 0, &point, &error));
  bench.wait(point);
  expectCalls(bench, first, {1, 0, 0, 0});
}

CASE(CapturedOnAndOff) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  if (!canCapture(bench, call))
    GTEST_SKIP() << error.message;
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  std::vector<float> expected = ramp(64);
  for (size_t i = 0; i < 64; ++i)
    expected[i] = 3 * (expected[i] + float(i % 16));
  Calls first = Calls::of(bench);
  auto run = [&](uint64_t launches) {
    ASSERT_OK(bench.run(call));
    bench.expectResult(call, expected);
    expectCalls(bench, first, {launches, launches ? 1u : 0u, launches ? 1u : 0u, 0});
  };
  ASSERT_OK(twrtCallSetCaptured(call.get(), 0, &error));
  run(0);
  ASSERT_OK(twrtCallSetCaptured(call.get(), 1, &error));
  run(1);
  ASSERT_OK(twrtCallSetCaptured(call.get(), 0, &error));
  run(1);
  ASSERT_OK(twrtCallSetCaptured(call.get(), 1, &error));
  run(2);
  // Launches that somebody looks at are handed in one by one.
  ASSERT_OK(twrtCallSetTimed(call.get(), 1, &error));
  run(2);
  ASSERT_OK(twrtCallSetTimed(call.get(), 0, &error));
  int seen = 0;
  auto hook = [](void *seen, const TwrtLaunch *) {
    ++*static_cast<int *>(seen);
    return TWRT_OK;
  };
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), hook, &seen, &error));
  run(2);
  EXPECT_EQ(seen, 2);
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), nullptr, nullptr, &error));
  run(3);
}

CASE(CapturedAndReleasedInFlight) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  if (!canCapture(bench, call))
    GTEST_SKIP() << error.message;
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, nullptr, &error));
  bench.instance.reset();
  module.reset();
  program.reset();
  x.reset();
  call.reset();
}
