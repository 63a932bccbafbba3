// Calls: registers that overflow, slices that leave their buffer, hooks, profiles, sharing.
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/ProgramBuilder.h"

#include <cstring>
#include <functional>
#include <thread>

using namespace tw::test;
using tw::format::ContainerWriter;
using tw::format::ElementType;
using tw::format::Function;
using tw::format::Metadata;
using tw::format::Opcode;
using tw::format::Predicate;
using tw::format::ProgramBuilder;
using tw::format::RegisterRef;

// Sanitizers end a process that asks for too much, unless told to behave like the C library.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

/// A module whose program is made by `build`, with x: f32[4] in and y: f32[4] out.
static std::vector<uint8_t> makeModule(const std::function<void(ProgramBuilder &)> &build,
                                       bool inPlace = false) {
  ProgramBuilder builder("host");
  build(builder);
  Function main;
  main.name = "main";
  main.arguments = {{"x", {ElementType::F32, {4}}, 4, 0, inPlace ? 0 : -1}};
  main.results = {{"y", {ElementType::F32, {4}}, 0}};
  main.programs = {builder.finish()};
  Metadata metadata;
  metadata.functions = {main};
  metadata.locations = {{"m.onnx", 1, 1, "Node_7", -1}};
  ContainerWriter writer;
  return writer.finish(encodeMetadata(metadata));
}

/// The error of preparing it, or "" if it runs.
static std::string runProgram(const std::function<void(ProgramBuilder &)> &build) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeModule(build);
  Module module = machine.load(bytes);
  EXPECT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  EXPECT_TRUE(program) << error.message;
  if (!program)
    return error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x = {1, 2, 3, 4};
  Buffer buffer = machine.lend(x);
  EXPECT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {4}));
  return machine.run(call) == TWRT_OK ? "" : error.message;
}

TEST(Call, RegistersAreChecked) {
  auto arith = [](Opcode opcode, int64_t a, int64_t b) {
    return runProgram([=](ProgramBuilder &p) {
      p.setLocation(0);
      p.arith(opcode, p.constant(a), p.constant(b));
    });
  };
  const char *message = "command 2 of Node_7: arithmetic overflows or divides by zero";
  EXPECT_EQ(arith(Opcode::Add, INT64_MAX, 1), message);
  EXPECT_EQ(arith(Opcode::Sub, INT64_MIN, 1), message);
  EXPECT_EQ(arith(Opcode::Mul, INT64_MAX, 2), message);
  EXPECT_EQ(arith(Opcode::FloorDiv, 1, 0), message);
  EXPECT_EQ(arith(Opcode::CeilDiv, INT64_MIN, -1), message);
  EXPECT_EQ(arith(Opcode::Mod, 5, 0), message);
  EXPECT_EQ(arith(Opcode::Min, 5, 0), "");
  EXPECT_EQ(arith(Opcode::Max, 5, INT64_MIN), "");
}

TEST(Call, CommandsComputeWhatTheySay) {
  EXPECT_EQ(runProgram([](ProgramBuilder &p) {
              auto expect = [&](RegisterRef found, int64_t value) {
                p.guard(p.compare(Predicate::Eq, found, p.constant(value)));
              };
              auto a = p.constant(-7), b = p.constant(2), one = p.constant(1);
              expect(p.dim(0, 0), 4);
              expect(p.arith(Opcode::Add, a, b), -5);
              expect(p.arith(Opcode::Sub, a, b), -9);
              expect(p.arith(Opcode::Mul, a, b), -14);
              expect(p.arith(Opcode::FloorDiv, a, b), -4);
              expect(p.arith(Opcode::CeilDiv, a, b), -3);
              expect(p.arith(Opcode::Mod, a, b), 1);
              expect(p.arith(Opcode::Min, a, b), -7);
              expect(p.arith(Opcode::Max, a, b), 2);
              expect(p.compare(Predicate::Ne, a, b), 1);
              expect(p.compare(Predicate::Lt, a, b), 1);
              expect(p.compare(Predicate::Le, b, b), 1);
              expect(p.compare(Predicate::Gt, a, b), 0);
              expect(p.compare(Predicate::Ge, a, b), 0);
              expect(p.select(one, a, b), -7);
              expect(p.select(p.constant(0), a, b), 2);
            }),
            "");
  EXPECT_EQ(runProgram([](ProgramBuilder &p) { p.guard(p.constant(0)); }),
            "command 1: the program is not made for these shapes");
}

TEST(Call, MemoryIsChecked) {
  auto slice = [](int64_t offset, int64_t bytes) {
    return runProgram([=](ProgramBuilder &p) {
      p.slice(p.bindArgument(0), p.constant(offset), p.constant(bytes));
    });
  };
  EXPECT_EQ(slice(4, 12), "");
  for (auto [offset, bytes] : {std::pair<int64_t, int64_t>{4, 13}, {-1, 4}, {0, -1}, {17, 0}})
    EXPECT_EQ(slice(offset, bytes), "command 3: a slice lies outside its buffer");
  EXPECT_EQ(runProgram([](ProgramBuilder &p) {
              p.reserve(p.arith(Opcode::Sub, p.constant(1), p.constant(2)));
            }),
            "command 3: memory of negative size");
  EXPECT_EQ(runProgram([](ProgramBuilder &p) { p.copy(p.reserve(8), p.bindArgument(0)); }),
            "command 3: a copy between buffers of different sizes");
  EXPECT_EQ(runProgram([](ProgramBuilder &p) { p.fill(p.reserve(10), 1, 4); }),
            "command 2: a fill of part of an element");
  EXPECT_EQ(runProgram([](ProgramBuilder &p) {
              p.reserve(p.arith(Opcode::Mul, p.constant(int64_t(1) << 40), p.constant(1 << 21)));
            }),
            "not enough memory on host for the arena of 2305843009213693952 bytes");
}

TEST(Call, ArgumentsMayBeUpdatedInPlace) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes =
      makeModule([](ProgramBuilder &p) { p.fill(p.bindResult(0), 0x3f800000, 4); }, true);
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x = {5, 6, 7, 8};
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {4}));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(x, std::vector<float>(4, 1));
  EXPECT_EQ(machine.result<float>(call), x);
  int64_t dims[] = {4};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer.get(), 0, dims, nullptr};
  EXPECT_EQ(twrtCallSetResult(call.get(), 0, &tensor, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "result 'y' has the memory of an argument");
}

#if defined(__x86_64__)

namespace {
struct Seen {
  std::vector<std::string> names;
  std::vector<float> firstSum;
  uint32_t stopAt = UINT32_MAX;
};

TwrtCode see(void *user, const TwrtLaunch *launch) {
  Seen &seen = *static_cast<Seen *>(user);
  EXPECT_EQ(launch->size, sizeof(TwrtLaunch));
  EXPECT_EQ(launch->launchCount, 2u);
  seen.names.emplace_back(launch->name.data, launch->name.size);
  if (launch->launch == 0) {
    EXPECT_EQ(launch->bindingCount, 3u);
    const TwrtBinding &sum = launch->bindings[2];
    EXPECT_EQ(sum.access, uint32_t(TWRT_WRITE));
    EXPECT_EQ(sum.rank, 1u);
    EXPECT_EQ(sum.dims[0], 64);
    EXPECT_EQ(sum.bytes, 256u);
    const float *values = static_cast<const float *>(sum.data);
    seen.firstSum.assign(values, values + 64);
  }
  return launch->launch == seen.stopAt ? TWRT_CANCELLED : TWRT_OK;
}
} // namespace

TEST(Call, HooksSeeEveryLaunchAndProfilesTimeIt) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  Call call = machine.makeCall(program);
  std::vector<float> x(64, 2);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  Seen seen;
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), see, &seen, &error));
  ASSERT_OK(twrtCallSetTimed(call.get(), 1, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(seen.names, (std::vector<std::string>{"add", "scale"}));
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(seen.firstSum[i], 2 + float(i % 16));
  size_t count = 0;
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
  ASSERT_EQ(count, 2u);
  TwrtSample samples[2];
  ASSERT_OK(twrtCallProfile(call.get(), samples, &count, &error));
  EXPECT_EQ(samples[1].kernel, 1u);
  EXPECT_EQ(samples[0].flops, 64u);
  EXPECT_GT(samples[0].beginNs, 0u);
  EXPECT_LE(samples[0].beginNs, samples[0].endNs);
  EXPECT_LE(samples[0].endNs, samples[1].beginNs);
  auto nodeOf = [&](size_t launch) {
    TwrtString node = twrtCallLaunchNode(call.get(), launch);
    return std::string(node.data, node.size);
  };
  EXPECT_EQ(nodeOf(0), "Add_0");
  EXPECT_EQ(nodeOf(1), "Mul_1");
  EXPECT_EQ(nodeOf(2), "");
  seen.stopAt = 0;
  EXPECT_EQ(machine.run(call), TWRT_CANCELLED);
  EXPECT_STREQ(error.message, "the launch hook stopped the call at launch 0");
  EXPECT_EQ(seen.names.size(), 3u);
  ASSERT_OK(twrtCallSetLaunchHook(call.get(), nullptr, nullptr, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(machine.result<float>(call)[3], 15);
}

TEST(Call, ArgumentsHaveTheValuesThatWereAssumed) {
  Machine machine;
  Error &error = machine.error;
  std::vector<float> x(64, 2);
  tw::format::Metadata metadata = makeAffineMetadata();
  const auto *assumed = reinterpret_cast<const uint8_t *>(x.data());
  metadata.functions[0].arguments[0].assumed.assign(assumed, assumed + 256);
  std::vector<uint8_t> bytes = assemble(metadata);
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramArgument(program.get(), 0, &info, &error));
  ASSERT_TRUE(info.assumed);
  EXPECT_EQ(static_cast<const float *>(info.assumed)[63], 2);
  Call call = machine.makeCall(program);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(machine.result<float>(call)[3], 15);
  x[7] = 2.5;
  EXPECT_EQ(machine.run(call), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "argument 'x' has 2.5 at element 7, and the program was made for the "
                              "assumed value of 2 there: compile it with the value that it has");
  x[7] = 2;
  ASSERT_OK(machine.run(call));
}

TEST(Call, ResultsMayBeTheCallers) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeAffineModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  Call call = machine.makeCall(program);
  std::vector<float> x(64, 1), y(64), z(64);
  Buffer in = machine.lend(x), out = machine.lend(y), other = machine.lend(z);
  ASSERT_OK(machine.setArgument(call, 0, in, TWRT_F32, {64}));
  int64_t dims[] = {64};
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, out.get(), 0, dims, nullptr};
  ASSERT_OK(twrtCallSetResult(call.get(), 0, &tensor, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(y[17], 6);
  tensor.buffer = other.get();
  ASSERT_OK(twrtCallSetResult(call.get(), 0, &tensor, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(z, y);
  ASSERT_OK(twrtCallSetResult(call.get(), 0, nullptr, &error));
  ASSERT_OK(machine.run(call));
  EXPECT_EQ(machine.result<float>(call), y);
}

/// The argument of `shift`: what the module adds to w before it adds x.
static void shareAProgram(const std::vector<uint8_t> &bytes, float shift) {
  Machine machine("host", 3);
  Error &error = machine.error;
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Error own;
      TwrtQueue *queue = nullptr;
      TwrtCall *call = nullptr;
      TwrtBuffer *buffer = nullptr;
      EXPECT_EQ(twrtQueueCreate(machine.device.get(), &queue, &own), TWRT_OK);
      EXPECT_EQ(twrtCallCreate(program.get(), &call, &own), TWRT_OK);
      EXPECT_EQ(twrtBufferCreate(machine.device.get(), 256, 0, &buffer, &own), TWRT_OK);
      float *x = static_cast<float *>(twrtBufferData(buffer));
      int64_t dims[] = {64};
      TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer, 0, dims, nullptr};
      EXPECT_EQ(twrtCallSetArgument(call, 0, &tensor, &own), TWRT_OK);
      for (int repeat = 0; repeat < 50; ++repeat) {
        for (int i = 0; i < 64; ++i)
          x[i] = float(t * 1000 + repeat);
        EXPECT_EQ(twrtCallSubmit(call, queue, nullptr, 0, nullptr, &own), TWRT_OK);
        TwrtTensor result = {};
        result.size = sizeof(result);
        EXPECT_EQ(twrtCallGetResult(call, 0, &result, dims, 1, &own), TWRT_OK);
        const float *y = static_cast<const float *>(twrtBufferData(result.buffer));
        for (int i = 0; i < 64; ++i)
          EXPECT_EQ(y[i], 3 * (x[i] + float(i % 16) + shift));
      }
      twrtBufferRelease(buffer);
      twrtCallRelease(call);
      twrtQueueRelease(queue);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Call, ThreadsShareAProgram) { shareAProgram(makeAffineModule(), 0); }

/// All prepare at once: one runs the initializer, the others wait for it.
TEST(Call, ThreadsShareDerivedConstants) {
  for (int repeat = 0; repeat < 20; ++repeat)
    shareAProgram(makeDerivedModule(), 1);
}

TEST(Call, InitializersAreShownAndStopped) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDerivedModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  auto stop = [](void *, const TwrtLaunch *) { return TWRT_CANCELLED; };
  EXPECT_EQ(twrtProgramInitialize(program.get(), stop, nullptr, &error), TWRT_CANCELLED);
  EXPECT_STREQ(error.message, "the program's initializer failed at kernel 'add': the launch hook "
                              "stopped the call at launch 0");
  TwrtInitialization found = {};
  found.size = sizeof(found);
  ASSERT_OK(twrtProgramInitialization(program.get(), &found, &error));
  EXPECT_EQ(found.launches, 0u);
  EXPECT_EQ(found.nanoseconds, 0u);
  auto show = [](void *user, const TwrtLaunch *launch) {
    EXPECT_EQ(launch->launchCount, 1u);
    EXPECT_EQ(launch->bindingCount, 3u);
    const float *derived = static_cast<const float *>(launch->bindings[2].data);
    static_cast<std::vector<float> *>(user)->assign(derived, derived + 64);
    return TWRT_OK;
  };
  std::vector<float> seen;
  ASSERT_OK(twrtProgramInitialize(program.get(), show, &seen, &error));
  ASSERT_EQ(seen.size(), 64u);
  EXPECT_EQ(seen[17], 2);
  seen.clear();
  ASSERT_OK(twrtProgramInitialize(program.get(), show, &seen, &error));
  EXPECT_TRUE(seen.empty());
  ASSERT_OK(twrtProgramInitialization(program.get(), &found, &error));
  EXPECT_EQ(found.launches, 1u);
  EXPECT_EQ(found.derivedBytes, 256u);
  EXPECT_EQ(found.arenaBytes, 256u);
  EXPECT_GT(found.nanoseconds, 0u);
  found.size = 3;
  EXPECT_EQ(twrtProgramInitialization(program.get(), &found, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_EQ(twrtProgramInitialize(nullptr, nullptr, nullptr, &error), TWRT_INVALID_ARGUMENT);
  // Profiles and hooks of calls know nothing of it.
  Call call = machine.makeCall(program);
  std::vector<float> x(64, 2);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  ASSERT_OK(machine.run(call));
  size_t count = 0;
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
  EXPECT_EQ(count, 2u);
}

TEST(Call, InitializersAreChecked) {
  Machine machine;
  Error &error = machine.error;
  Metadata metadata = makeDerivedMetadata();
  // The fill's interval becomes 4 bytes short of what the kernel reads.
  auto &initializer = metadata.functions[0].programs[0].initializer[0];
  for (int64_t &literal : initializer.literals)
    if (literal == 256)
      literal = 252;
  std::vector<uint8_t> bytes = assemble(metadata);
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  std::vector<float> x(64, 2);
  Buffer buffer = machine.lend(x);
  ASSERT_OK(machine.setArgument(call, 0, buffer, TWRT_F32, {64}));
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(machine.run(call), TWRT_INVALID_MODULE);
    EXPECT_STREQ(error.message, "the program's initializer failed at its preparation: command 7 of "
                                "Add_0: a kernel is bound to less memory than it uses");
  }
}

#endif
