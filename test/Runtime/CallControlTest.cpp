// What a caller decides about runs: its own threads, how many, when to stop; and what it is told.
#include "Harness.h"
#include "SampleModules.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace tw::test;

#if defined(__x86_64__)

namespace {

/// Threads of a caller's own, and what they were asked for.
struct Executor {
  enum Way { Together, Backwards, Never } way = Together;
  std::atomic<uint32_t> jobs{0}, most{0};

  static void run(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                  void *context) {
    Executor &executor = *static_cast<Executor *>(user);
    ++executor.jobs;
    executor.most = std::max(executor.most.load(), count);
    if (executor.way == Backwards)
      for (uint32_t i = count; i-- > 0;)
        task(context, i);
    std::vector<std::thread> threads;
    for (uint32_t i = 0; executor.way == Together && i < count; ++i)
      threads.emplace_back(task, context, i);
    for (std::thread &thread : threads)
      thread.join();
  }
};

/// The affine sample on a machine of these options, ready to run.
struct Affine {
  Error error;
  std::vector<uint8_t> bytes = makeAffineModule();
  std::vector<float> x = std::vector<float>(64);
  Machine machine;
  Module module;
  Program program;
  Call call;
  Buffer buffer;

  explicit Affine(const TwrtInstanceOptions &options) : machine(options) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i) * 0.5f;
    module = machine.load(bytes);
    program = machine.makeProgram(module);
    call = machine.makeCall(program);
    buffer = machine.lend(x);
    EXPECT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  }

  void expectRun() {
    ASSERT_EQ(machine.run(call), TWRT_OK) << machine.error.message;
    std::vector<float> y = machine.result<float>(call);
    ASSERT_EQ(y.size(), 64u);
    for (size_t i = 0; i < 64; ++i)
      EXPECT_EQ(y[i], 3 * (x[i] + float(i % 16))) << i;
  }
  void expectStop(TwrtCode code, const char *text) {
    EXPECT_EQ(machine.run(call), code);
    EXPECT_STREQ(machine.error.message, text);
  }
};

TwrtInstanceOptions withThreads(uint32_t threads) {
  TwrtInstanceOptions options = {};
  options.size = sizeof(options);
  options.hostThreads = threads;
  return options;
}

/// Sanitizers have one of their own from when the first one is made.
size_t countThreads() {
  static std::once_flag first;
  std::call_once(first, [] { std::thread([] {}).join(); });
  auto folder = std::filesystem::directory_iterator("/proc/self/task");
  return size_t(std::distance(begin(folder), end(folder)));
}

} // namespace

TEST(CallControl, ThreadsOfTheCallersOwn) {
  for (Executor::Way way : {Executor::Together, Executor::Backwards, Executor::Never}) {
    Executor executor{way};
    TwrtInstanceOptions options = withThreads(3);
    options.parallel = Executor::run;
    options.user = &executor;
    size_t before = countThreads();
    Affine affine(options);
    affine.expectRun();
    EXPECT_EQ(countThreads(), before);
    EXPECT_EQ(executor.jobs, 2u);
    EXPECT_EQ(executor.most, 3u);
    ASSERT_EQ(twrtCallSetThreads(affine.call.get(), 2, nullptr), TWRT_OK);
    executor.most = 0;
    affine.expectRun();
    EXPECT_EQ(executor.most, 2u);
    ASSERT_EQ(twrtCallSetThreads(affine.call.get(), 1, nullptr), TWRT_OK);
    executor.jobs = 0;
    affine.expectRun();
    EXPECT_EQ(executor.jobs, 0u);
  }
}

TEST(CallControl, FewerThreadsThanThereAre) {
  Affine affine(withThreads(4));
  for (uint32_t threads : {1, 2, 3, 4, 100, 0}) {
    ASSERT_EQ(twrtCallSetThreads(affine.call.get(), threads, nullptr), TWRT_OK);
    affine.expectRun();
  }
}

/// From within a run, and before one.
TEST(CallControl, CancelledCallsStop) {
  for (uint32_t threads : {1, 3}) {
    Affine affine(withThreads(threads));
    auto cancel = [](void *user, const TwrtLaunch *) {
      return twrtCallSetCancelled(static_cast<TwrtCall *>(user), 1, nullptr);
    };
    TwrtCall *call = affine.call.get();
    ASSERT_EQ(twrtCallSetLaunchHook(call, cancel, call, nullptr), TWRT_OK);
    affine.expectStop(TWRT_CANCELLED, "the call was cancelled before launch 1");
    ASSERT_EQ(twrtCallSetLaunchHook(call, nullptr, nullptr, nullptr), TWRT_OK);
    affine.expectStop(TWRT_CANCELLED, "the call was cancelled before launch 0");
    ASSERT_EQ(twrtCallSetCancelled(call, 0, nullptr), TWRT_OK);
    affine.expectRun();
  }
}

TEST(CallControl, AnyThreadCancels) {
  Affine affine(withThreads(2));
  TwrtCall *call = affine.call.get();
  std::thread other([call] {
    usleep(2000);
    twrtCallSetCancelled(call, 1, nullptr);
  });
  TwrtCode code;
  do
    code = affine.machine.run(affine.call);
  while (code == TWRT_OK);
  EXPECT_EQ(code, TWRT_CANCELLED) << affine.machine.error.message;
  other.join();
}

TEST(CallControl, CallsStopWhenTheirTimeIsOver) {
  Affine affine(withThreads(1));
  TwrtCall *call = affine.call.get();
  auto wait = [](void *, const TwrtLaunch *) {
    usleep(2000);
    return TWRT_OK;
  };
  ASSERT_EQ(twrtCallSetLaunchHook(call, wait, nullptr, nullptr), TWRT_OK);
  ASSERT_EQ(twrtCallSetTimeLimit(call, 1'000'000, nullptr), TWRT_OK);
  affine.expectStop(TWRT_TIMEOUT, "the call's time was over before launch 1");
  ASSERT_EQ(twrtCallSetTimeLimit(call, 60'000'000'000, nullptr), TWRT_OK);
  affine.expectRun();
  ASSERT_EQ(twrtCallSetTimeLimit(call, 0, nullptr), TWRT_OK);
  affine.expectRun();
}

TEST(CallControl, TellsWhatTookTime) {
  struct Told {
    std::string kinds, launches, functions;
    bool isOrdered = true;

    static void add(void *user, const TwrtEvent *event) {
      Told &told = *static_cast<Told *>(user);
      static constexpr char letters[] = "?DMLIPSKWwrcAF";
      told.kinds += letters[event->kind];
      told.isOrdered &= event->beginNs != 0 && event->beginNs <= event->endNs;
      if (event->kind == TWRT_EVENT_LAUNCH)
        told.launches += std::string(event->name.data, event->name.size) + ";";
      if (event->kind == TWRT_EVENT_SUBMIT)
        told.functions += std::string(event->name.data, event->name.size) + ";";
    }
  } told;
  TwrtInstanceOptions options = withThreads(1);
  options.trace = Told::add;
  options.user = &told;
  {
    Affine affine(options);
    affine.expectRun();
  }
  EXPECT_TRUE(told.isOrdered);
  // Told when they are over: what is allocated in between is told before.
  std::string work;
  std::copy_if(told.kinds.begin(), told.kinds.end(), std::back_inserter(work),
               [](char kind) { return kind != 'A' && kind != 'F'; });
  EXPECT_EQ(work.substr(0, 3), "DML") << told.kinds;
  EXPECT_NE(told.kinds.find('P'), std::string::npos) << told.kinds;
  EXPECT_NE(work.find("SKK"), std::string::npos) << told.kinds;
  EXPECT_EQ(std::count(told.kinds.begin(), told.kinds.end(), 'A') > 0, true) << told.kinds;
  EXPECT_EQ(told.functions, "main;");
  EXPECT_EQ(std::count(told.launches.begin(), told.launches.end(), ';'), 2) << told.launches;
}

#endif

TEST(CallControl, CountsMemory) {
  Machine machine;
  Error &error = machine.error;
  auto ask = [&] {
    TwrtMemoryInfo info = {};
    info.size = sizeof(info);
    EXPECT_OK(twrtDeviceMemoryInfo(machine.device.get(), &info, &error));
    return info;
  };
  auto make = [&](uint64_t bytes) {
    TwrtBuffer *made = nullptr;
    EXPECT_OK(twrtBufferCreate(machine.device.get(), bytes, 0, &made, &error));
    return Buffer(made);
  };
  TwrtMemoryInfo before = ask();
  {
    Buffer a = make(1000), b = make(500);
    EXPECT_EQ(ask().used, before.used + 1500);
    EXPECT_EQ(ask().allocations, before.allocations + 2);
  }
  Buffer c = make(100);
  TwrtMemoryInfo after = ask();
  EXPECT_EQ(after.used, before.used + 100);
  EXPECT_EQ(after.peak, before.used + 1500);
  EXPECT_EQ(after.made, before.made + 3);
  EXPECT_EQ(after.madeBytes, before.madeBytes + 1600);
  EXPECT_GT(after.total, after.peak);
  EXPECT_OK(twrtDeviceResetPeak(machine.device.get(), &error));
  EXPECT_EQ(ask().peak, after.used);
  TwrtMemoryInfo wrong = {};
  wrong.size = 4;
  EXPECT_EQ(twrtDeviceMemoryInfo(machine.device.get(), &wrong, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "TwrtMemoryInfo has size 4, expected 56");
}
