// Initializers: derived constants computed once, shared by calls and threads, and their memory.
#include "Device.h"
#include "Modules.h"
#include "Program.h"
#include "Suite.h"

#include <thread>

using namespace tw::test;

static std::vector<float> derived(std::vector<float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += 4 * (float(i % 16) + 2);
  return x;
}

static TwrtInitialization getInitialization(Bench &bench, const Program &program) {
  Error &error = bench.error;
  TwrtInitialization found = {};
  found.size = sizeof(found);
  EXPECT_OK(twrtProgramInitialization(program.get(), &found, &error));
  return found;
}

namespace {

struct Seen {
  std::vector<std::string> names;
  uint32_t stopAt = UINT32_MAX;
};

} // namespace

static TwrtCode see(void *user, const TwrtLaunch *launch) {
  Seen &seen = *static_cast<Seen *>(user);
  EXPECT_EQ(launch->launchCount, 2u);
  EXPECT_EQ(launch->launch, seen.names.size());
  seen.names.emplace_back(launch->name.data, launch->name.size);
  return launch->launch == seen.stopAt ? TWRT_CANCELLED : TWRT_OK;
}

CASE(DerivesConstantsOnce) {
  Module module = bench.suite();
  Program program = bench.program(module, "derived");
  TwrtInitialization before = getInitialization(bench, program);
  EXPECT_EQ(before.derivedBytes, 128u);
  EXPECT_EQ(before.launches, 0u);
  EXPECT_EQ(before.nanoseconds, 0u);
  Buffer x = bench.filled(ramp(64));
  for (int i = 0; i < 2; ++i) {
    Call call = bench.makeCall(program);
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    for (int run = 0; run < 2; ++run) {
      ASSERT_OK(bench.run(call));
      bench.expectResult(call, derived(ramp(64)));
    }
    size_t count = 0;
    ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
    EXPECT_EQ(count, 2u);
  }
  TwrtInitialization after = getInitialization(bench, program);
  EXPECT_EQ(after.launches, 2u);
  EXPECT_GE(after.arenaBytes, 64u);
  EXPECT_GT(after.nanoseconds, 0u);
  Seen seen;
  ASSERT_OK(twrtProgramInitialize(program.get(), see, &seen, &error));
  EXPECT_TRUE(seen.names.empty());
  EXPECT_EQ(getInitialization(bench, program).nanoseconds, after.nanoseconds);
}

CASE(InitializersLeaveOnlyWhatTheyDerive) {
  Module module = bench.suite();
  Program program = bench.program(module, "derived");
  uint64_t before = bench.usedBytes(), sources = getInitialization(bench, program).sourceBytes;
  // Constant w is read by the initializer alone.
  if (bench.target.hostMemory == Target::Never) {
    EXPECT_EQ(sources, 64u);
  }
  Seen seen;
  ASSERT_OK(twrtProgramInitialize(program.get(), see, &seen, &error));
  EXPECT_EQ(seen.names, (std::vector<std::string>{"add", "scale"}));
  EXPECT_EQ(bench.usedBytes(), before - sources);
  EXPECT_GE(bench.usedBytes(), 128u);
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, derived(ramp(64)));
}

CASE(InitializersStopAndGoOn) {
  Module module = bench.suite();
  Program program = bench.program(module, "derived");
  for (uint32_t launch = 0; launch < 2; ++launch) {
    Seen seen;
    seen.stopAt = launch;
    EXPECT_FAILS(twrtProgramInitialize(program.get(), see, &seen, &error), TWRT_CANCELLED,
                 launch == 0 ? "initializer failed at kernel 'add'"
                             : "initializer failed at kernel 'scale'");
    EXPECT_EQ(seen.names.size(), launch + 1);
  }
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64, 5));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, derived(ramp(64, 5)));
}

CASE(ProgramsWithoutInitializerHaveNone) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  ASSERT_OK(twrtProgramInitialize(program.get(), see, nullptr, &error));
  TwrtInitialization found = getInitialization(bench, program);
  EXPECT_EQ(found.launches, 0u);
  EXPECT_EQ(found.derivedBytes + found.sourceBytes + found.arenaBytes + found.nanoseconds, 0u);
}

CASE(ThreadsInitializeAtOnce) {
  Module module = bench.suite();
  for (int repeat = 0; repeat < 4; ++repeat) {
    Program program = bench.program(module, "derived");
    std::vector<std::thread> threads;
    std::vector<Call> calls;
    std::vector<Buffer> inputs;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t) {
      calls.push_back(bench.makeCall(program));
      inputs.push_back(bench.filled(ramp(64, float(t))));
      ASSERT_OK(bench.setFloats(calls.back(), 0, inputs.back(), 64));
    }
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Error own;
        wrong += (t == 3 ? twrtProgramInitialize(program.get(), nullptr, nullptr, &own)
                         : twrtCallPrepare(calls[size_t(t)].get(), nullptr, &own)) != TWRT_OK;
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(getInitialization(bench, program).launches, 2u);
    for (size_t t = 0; t < 4; ++t) {
      ASSERT_OK(bench.run(calls[t]));
      bench.expectResult(calls[t], derived(ramp(64, float(t))));
    }
  }
}
