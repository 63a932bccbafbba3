// Sizes that change from call to call: equations, checks, blocks, storage, plans that are kept.
#include "Call.h"
#include "Modules.h"
#include "Suite.h"

#include <random>

using namespace tw::test;

/// What "joined" makes of x and z.
static std::vector<float> joined(std::vector<float> x, const std::vector<float> &z) {
  float factor = x.size() == 1 ? 5 : 3;
  x.insert(x.end(), z.begin(), z.end());
  for (float &value : x)
    value *= factor;
  return x;
}

static TwrtCode runJoined(Bench &bench, const Call &call, int64_t s, int64_t t) {
  Buffer x = bench.filled(ramp(size_t(s), 1)), z = bench.filled(ramp(size_t(t), 7));
  if (TwrtCode code = bench.setFloats(call, 0, x, s); code != TWRT_OK)
    return code;
  if (TwrtCode code = bench.setFloats(call, 1, z, t); code != TWRT_OK)
    return code;
  return bench.run(call);
}

CASE(RunsAtAHundredSizes) {
  Module module = bench.suite();
  Program program = bench.program(module, "joined");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  std::mt19937 random(7);
  std::vector<int64_t> sizes = {0, 1, 2, 15, 16, 17, 31, 127, 509, 749, 749, 1};
  while (sizes.size() < 100)
    sizes.push_back(int64_t(random() % 750));
  for (int64_t s : sizes) {
    SCOPED_TRACE(s);
    ASSERT_OK(runJoined(bench, call, s, s + 1));
    bench.expectResult(call, joined(ramp(size_t(s), 1), ramp(size_t(s + 1), 7)));
    size_t launches = 0;
    ASSERT_OK(twrtCallProfile(call.get(), nullptr, &launches, &error));
    EXPECT_EQ(launches, s == 0 ? 2u : 4u) << "launches without groups are left out";
  }
}

/// A size that is refused leaves the call as it was.
CASE(RefusesSizes) {
  Module module = bench.suite();
  Program program = bench.program(module, "joined");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  auto expect = [&](int64_t s, int64_t t, const char *message) {
    EXPECT_EQ(runJoined(bench, call, s, t), TWRT_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
    ASSERT_OK(runJoined(bench, call, 40, 41));
    bench.expectResult(call, joined(ramp(40, 1), ramp(41, 7)));
  };
  expect(1001, 1002, "dimension 0 of argument 'x' is 1001, S must be from 0 to 1000");
  expect(8, 10,
         "S + 1 is 9, where S is 8 (dimension 0 of argument 'x'), but T is 10 (dimension 0 of "
         "argument 'z')");
  expect(
      800, 801,
      "U = S + T is 1601, where S is 800 (dimension 0 of argument 'x') and T is 801 (dimension 0 "
      "of argument 'z'); it must be from 0 to 1500");
}

CASE(KeepsThePlansOfEightSizes) {
  Module module = bench.suite();
  Program program = bench.program(module, "joined");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  for (int round = 0; round < 3; ++round)
    for (int64_t s = 700; s > 620; s -= 10)
      ASSERT_OK(runJoined(bench, call, s, s + 1));
  EXPECT_EQ(call->arenasPlanned, 8u);
  // The one that was left longest ago goes.
  ASSERT_OK(runJoined(bench, call, 16, 17));
  EXPECT_EQ(call->arenasPlanned, 9u);
  ASSERT_OK(runJoined(bench, call, 690, 691));
  EXPECT_EQ(call->arenasPlanned, 9u);
  ASSERT_OK(runJoined(bench, call, 700, 701));
  EXPECT_EQ(call->arenasPlanned, 10u);
  bench.expectResult(call, joined(ramp(700, 1), ramp(701, 7)));
  // They share one arena, as large as the largest size needs.
  uint64_t arena = 0, used = bench.usedBytes();
  ASSERT_OK(twrtCallPrepare(call.get(), &arena, &error));
  EXPECT_LE(used - arena, 8192u + 4 * 1401);
  call.reset();
  EXPECT_GE(used - bench.usedBytes(), arena);
}

static TwrtCode setPast(const Call &call, const Buffer &past, int64_t rows, int64_t storage,
                        Error &error) {
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, past.get(), 0, &rows, &storage};
  return twrtCallSetArgument(call.get(), 1, &tensor, &error);
}

CASE(AppendsInPlace) {
  Module module = bench.suite();
  Program program = bench.program(module, "append");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  Buffer past = bench.filled(std::vector<float>(256, -1));
  Buffer x = bench.filled(ramp(2, 1));
  ASSERT_OK(bench.setFloats(call, 0, x, 2));
  ASSERT_OK(setPast(call, past, 0, 256, error));
  std::vector<float> expected;
  for (int64_t rows = 0; rows < 254; rows += 2) {
    ASSERT_OK(twrtCallSetDims(call.get(), 1, &rows, 1, &error));
    ASSERT_OK(bench.run(call));
    expected.insert(expected.end(), {1, 2});
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[1];
    ASSERT_OK(twrtCallGetResult(call.get(), 0, &tensor, dims, 1, &error));
    EXPECT_EQ(dims[0], rows + 2);
    EXPECT_EQ(tensor.buffer, past.get());
    ASSERT_NE(tensor.storage, nullptr);
    EXPECT_EQ(tensor.storage[0], 256);
  }
  bench.expectResult(call, expected);
  std::vector<float> whole = expected;
  whole.resize(256, -1);
  std::vector<uint8_t> bytes(1024);
  memcpy(bytes.data(), whole.data(), 1024);
  bench.expectBytes(past, 0, bytes);
  // For 0, up to 64, up to 128 ... rows of the buffer that grows.
  EXPECT_EQ(call->arenasPlanned, 5u);
}

CASE(RefusesSharedState) {
  Module module = bench.suite();
  Program program = bench.program(module, "append");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  Buffer past = bench.filled(std::vector<float>(256, -1));
  Buffer x = bench.filled(ramp(2, 1));
  ASSERT_OK(bench.setFloats(call, 0, past, 2));
  ASSERT_OK(setPast(call, past, 0, 256, error));
  EXPECT_FAILS(bench.run(call), TWRT_INVALID_ARGUMENT,
               "argument 'past' is written in place and shares memory with argument 'x'");
  ASSERT_OK(bench.setFloats(call, 0, x, 2));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, ramp(2, 1));
}

CASE(RefusesStorage) {
  Module module = bench.suite();
  Program program = bench.program(module, "append");
  ASSERT_TRUE(program) << error.message;
  Call call = bench.makeCall(program);
  Buffer past = bench.filled(std::vector<float>(256, -1));
  Buffer x = bench.filled(ramp(64, 1));
  int64_t rows = 3, wide[] = {1, 3};
  EXPECT_FAILS(twrtCallSetDims(call.get(), 1, &rows, 1, &error), TWRT_INVALID_ARGUMENT,
               "argument 1 'past' is not set");
  EXPECT_FAILS(bench.setFloats(call, 1, past, 3), TWRT_INVALID_ARGUMENT,
               "argument 'past' has storage [3], expected [256]");
  EXPECT_FAILS(setPast(call, past, 257, 256, error), TWRT_INVALID_ARGUMENT,
               "argument 'past' has dimension 0 of 257 in storage of 256");
  int64_t two = 2, storage = 64;
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, x.get(), 0, &two, &storage};
  EXPECT_FAILS(twrtCallSetArgument(call.get(), 0, &tensor, &error), TWRT_INVALID_ARGUMENT,
               "argument 'x' has dimension 0 of 2 in storage of 64; it has no storage of its own");
  ASSERT_OK(setPast(call, past, 3, 256, error));
  EXPECT_FAILS(twrtCallSetDims(call.get(), 1, wide, 2, &error), TWRT_INVALID_ARGUMENT,
               "argument 'past' has rank 1, found 2 dims");
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  rows = 193;
  ASSERT_OK(twrtCallSetDims(call.get(), 1, &rows, 1, &error));
  EXPECT_FAILS(bench.run(call), TWRT_INVALID_ARGUMENT,
               "L = P + S is 257, where P is 193 (dimension 0 of argument 'past') and S is 64 "
               "(dimension 0 of argument 'x'); it must be from 1 to 256");
  std::vector<uint8_t> untouched(1024);
  std::vector<float> values(256, -1);
  memcpy(untouched.data(), values.data(), 1024);
  bench.expectBytes(past, 0, untouched);
  rows = 192;
  ASSERT_OK(twrtCallSetDims(call.get(), 1, &rows, 1, &error));
  ASSERT_OK(bench.run(call));
}
