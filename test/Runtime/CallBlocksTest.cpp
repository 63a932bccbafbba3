// Calls that decide about sides and loops while they run: numbers, limits, profiles, hooks.
#include "Call.h"
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/ProgramBuilder.h"

#include <functional>

#if defined(__x86_64__)

using namespace tw::test;
using tw::format::BufferRef;
using tw::format::ElementType;
using tw::format::Metadata;
using tw::format::Opcode;
using tw::format::ProgramBuilder;
using tw::format::RegisterRef;
using tw::format::symbolicDim;

namespace {

/// A call of a program over x: f32[64], of rows of 16, and four bytes of flags; it gives y: f32[16]
/// and z: f32[64].
struct Bench : Machine {
  std::vector<uint8_t> bytes;
  Module module;
  Program program;
  Call call;
  std::vector<float> x = std::vector<float>(64);
  std::vector<uint8_t> flags = std::vector<uint8_t>(4);
  Buffer xBuffer, flagsBuffer;

  explicit Bench(const Metadata &metadata) : bytes(assemble(metadata)) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = float(i + 1);
    module = load(bytes);
    EXPECT_TRUE(module) << error.message;
    program = makeProgram(module);
    EXPECT_TRUE(program) << error.message;
    call = makeCall(program);
    xBuffer = lend(x);
    flagsBuffer = lend(flags);
    EXPECT_OK(setArgument(call, 0, xBuffer, TWRT_F32, {64}));
    EXPECT_OK(setArgument(call, 1, flagsBuffer, TWRT_F32, {1}));
  }
  /// The message of what fails, or "".
  std::string message() { return run(call) == TWRT_OK ? "" : error.message; }

  std::vector<float> row(size_t which, float factor) const {
    std::vector<float> values(x.begin() + long(16 * which), x.begin() + long(16 * which + 16));
    for (float &value : values)
      value *= factor;
    return values;
  }
};

/// y = x * factor of rows of 16.
void launchRow(ProgramBuilder &p, BufferRef x, BufferRef y, int64_t factor) {
  BufferRef bindings[] = {x, y};
  RegisterRef one = p.constant(1), row = p.constant(16);
  RegisterRef scalars[] = {row, p.constant(0), p.constant(factor), row};
  p.launch(0, {one, one, one}, bindings, scalars);
}

/// The sample with another program.
Metadata withProgram(const std::function<void(ProgramBuilder &)> &make) {
  Metadata metadata = makeLoopsMetadata();
  ProgramBuilder p("host");
  p.setLocation(2);
  make(p);
  metadata.functions[0].programs = {p.finish()};
  return metadata;
}

struct Buffers {
  BufferRef x, flags, y, a, b, amount;

  explicit Buffers(ProgramBuilder &p)
      : x(p.bindArgument(0)), flags(p.bindArgument(1)), y(p.bindResult(0)), a(p.reserve(64)),
        b(p.reserve(64)), amount(p.reserve(8)) {
    p.copy(a, p.slice(x, p.constant(0), p.constant(64)));
  }
  void doubleAndRotate(ProgramBuilder &p) const {
    launchRow(p, a, b, 2);
    p.rotate(a, b);
  }
};

} // namespace

TEST(CallBlocks, RunsTheSample) {
  Bench bench(makeLoopsMetadata());
  for (int set = 0; set < 16; ++set) {
    SCOPED_TRACE(set);
    for (int i = 0; i < 4; ++i)
      bench.flags[size_t(i)] = uint8_t((set >> i & 1) * 0x80);
    ASSERT_EQ(bench.message(), set == 15
                                   ? "loop 'Loop_2' would go on after 4 iterations, its limit "
                                     "is 4"
                                   : "");
    if (set == 15)
      continue;
    // It stops one iteration behind the first zero, from the last flag on.
    int iterations = 0;
    while (iterations < 4 && (iterations == 0 ? set & 8 : set >> (4 - iterations) & 1))
      ++iterations;
    float factor = float(8 << iterations) * (set & 4 ? 1 : 5);
    EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, factor));
    std::vector<float> z(16), expected = bench.result<float>(bench.call, 1);
    for (size_t row : {2, 1, 0})
      for (float value : bench.row(row, 3))
        z.push_back(value);
    EXPECT_EQ(expected, z);
    EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 0), 3u);
    EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 3), uint64_t(iterations));
    EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 4), set & 4 ? 1u : 0u);
    EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 5), set & 4 ? 0u : 1u);
  }
}

/// Behind a loop the names stand for what the last iteration made, whatever the parity.
TEST(CallBlocks, RotateOddTrip) {
  for (int64_t outer : {0, 1, 2, 3})
    for (int64_t inner : {-4, 0, 1, 2, 3, 5}) {
      SCOPED_TRACE(outer * 10 + inner);
      Bench bench(withProgram([&](ProgramBuilder &p) {
        Buffers b(p);
        p.repeat(p.constant(outer));
        p.repeat(p.constant(inner));
        b.doubleAndRotate(p);
        p.endLoop();
        launchRow(p, b.a, b.b, 3);
        p.rotate(b.a, b.b);
        p.endLoop();
        p.copy(b.y, b.a);
      }));
      ASSERT_EQ(bench.message(), "");
      float factor = 1;
      for (int64_t i = 0; i < outer; ++i)
        factor *= float(3 << std::max<int64_t>(inner, 0));
      EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, factor));
    }
}

/// Three names go round: each time a, b and c stand for what b, c and a stood for.
TEST(CallBlocks, RotatesInOrder) {
  Bench bench(withProgram([](ProgramBuilder &p) {
    Buffers b(p);
    BufferRef c = p.reserve(64);
    p.fill(b.b, 0, 8);
    p.fill(c, 0, 8);
    p.repeat(p.constant(4));
    p.rotate(b.a, b.b);
    p.rotate(b.b, c);
    p.endLoop();
    p.copy(b.y, c);
  }));
  ASSERT_EQ(bench.message(), "");
  EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, 1));
}

TEST(CallBlocks, Limits) {
  int64_t amount = 0;
  uint8_t going = 1;
  auto read = [&] {
    return withProgram([&](ProgramBuilder &p) {
      Buffers b(p);
      p.fill(b.amount, amount, 8);
      p.repeatRead(b.amount, p.constant(7));
      b.doubleAndRotate(p);
      p.endLoop();
      p.copy(b.y, b.a);
    });
  };
  for (int64_t n : {-1, 0, 1, 6, 7}) {
    amount = n;
    Bench bench(read());
    EXPECT_EQ(bench.message(), "");
    EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, float(1 << std::max<int64_t>(n, 0))));
  }
  amount = 8;
  Bench over(read());
  EXPECT_EQ(over.message(), "loop 'Loop_2' is to run 8 iterations, its limit is 7");
  EXPECT_EQ(over.error.code, TWRT_LIMIT);
  amount = int64_t(1) << 40;
  EXPECT_EQ(Bench(read()).message(),
            "loop 'Loop_2' is to run 1099511627776 iterations, its limit is 7");
  auto forever = withProgram([&](ProgramBuilder &p) {
    p.setLocation(UINT32_MAX);
    Buffers b(p);
    p.fill(b.amount, going, 8);
    p.beginWhile(b.amount, p.constant(5));
    p.endLoop();
  });
  Bench whiles(forever);
  EXPECT_EQ(whiles.message(),
            "the loop at command 13 would go on after 5 iterations, its limit is 5");
  EXPECT_EQ(whiles.error.code, TWRT_LIMIT);
  auto below = withProgram([&](ProgramBuilder &p) {
    Buffers b(p);
    p.beginWhile(b.amount, p.constant(-1));
    p.endLoop();
  });
  EXPECT_EQ(Bench(below).message(), "command 12 of Loop_2: a loop has a limit below zero");
  auto none = withProgram([&](ProgramBuilder &p) {
    Buffers b(p);
    p.fill(b.amount, going, 8);
    p.beginWhile(b.amount, p.constant(0));
    launchRow(p, b.a, b.b, 1);
    p.endLoop();
  });
  EXPECT_EQ(Bench(none).message(), "loop 'Loop_2' would go on after 0 iterations, its limit is 0");
}

/// A loop of any length takes the memory of a piece, and one sample for each launch in it.
TEST(CallBlocks, LongLoops) {
  Bench bench(withProgram([](ProgramBuilder &p) {
    Buffers b(p);
    p.repeat(p.constant(10001));
    launchRow(p, b.a, b.b, -1);
    p.rotate(b.a, b.b);
    p.endLoop();
    p.copy(b.y, b.a);
  }));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(twrtCallSetTimed(bench.call.get(), i > 0, &bench.error), TWRT_OK);
    ASSERT_EQ(bench.message(), "");
    EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, -1));
  }
  EXPECT_EQ(bench.call->piece.steps.size(), tw::runtime::maxPieceSteps);
  size_t count = 0;
  ASSERT_EQ(twrtCallProfile(bench.call.get(), nullptr, &count, &bench.error), TWRT_OK);
  ASSERT_EQ(count, 1u);
  TwrtSample sample;
  ASSERT_EQ(twrtCallProfile(bench.call.get(), &sample, &count, &bench.error), TWRT_OK);
  EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 0), 10001u);
  EXPECT_EQ(twrtCallLaunchRuns(bench.call.get(), 1), 0u);
  EXPECT_GT(sample.endNs - sample.beginNs, 10001u) << "the time of all runs";
  ASSERT_EQ(twrtCallSetStepLimit(bench.call.get(), 20002, &bench.error), TWRT_OK);
  EXPECT_EQ(bench.message(), "");
  ASSERT_EQ(twrtCallSetStepLimit(bench.call.get(), 20001, &bench.error), TWRT_OK);
  EXPECT_EQ(bench.message(),
            "the call takes more than 20001 steps, in iteration 10000 of loop 'Loop_2'");
  EXPECT_EQ(bench.error.code, TWRT_LIMIT);
  ASSERT_EQ(twrtCallSetStepLimit(bench.call.get(), UINT64_MAX, &bench.error), TWRT_OK);
  EXPECT_EQ(bench.message(), "");
  EXPECT_EQ(bench.result<float>(bench.call), bench.row(0, -1));
}

/// Loops without commands end as well.
TEST(CallBlocks, EmptyLoops) {
  Bench bench(withProgram([](ProgramBuilder &p) {
    p.repeat(p.constant(INT64_MAX));
    p.endLoop();
  }));
  EXPECT_EQ(bench.message(),
            "the call takes more than 16777216 steps, in iteration 16777216 of loop 'Loop_2'");
}

TEST(CallBlocks, PartsLieInTheirBuffer) {
  auto part = [](int64_t count, int64_t from, int64_t step, int64_t bytes) {
    Bench bench(withProgram([&](ProgramBuilder &p) {
      Buffers b(p);
      p.repeat(p.constant(count));
      p.advance(b.x, p.constant(from), p.constant(step), p.constant(bytes));
      p.endLoop();
    }));
    std::string message = bench.message();
    return message.substr(std::min(message.size(), message.find(':')));
  };
  constexpr const char *outside = ": a part lies outside its buffer";
  EXPECT_EQ(part(4, 0, 64, 64), "");
  EXPECT_EQ(part(4, 192, -64, 64), "");
  EXPECT_EQ(part(5, 0, 64, 63), outside);
  EXPECT_EQ(part(4, 0, 64, 65), outside);
  EXPECT_EQ(part(4, 191, -64, 64), outside);
  EXPECT_EQ(part(2, 0, INT64_MAX, 64), outside);
  EXPECT_EQ(part(INT64_MAX, 0, INT64_MAX, 64), outside);
  EXPECT_EQ(part(1, 0, 64, -1), outside);
  EXPECT_EQ(part(0, 999, 64, 64), "");
}

TEST(CallBlocks, ConditionsAreLargeEnough) {
  Bench bench(withProgram([](ProgramBuilder &p) {
    Buffers b(p);
    p.repeatRead(p.slice(b.flags, p.constant(0), p.constant(4)), p.constant(1));
    p.endLoop();
  }));
  EXPECT_EQ(bench.message(), "command 14 of Loop_2: what decides about a block is too small");
  EXPECT_EQ(bench.error.code, TWRT_INVALID_MODULE);
}

TEST(CallBlocks, HooksSeeEachRun) {
  Bench bench(withProgram([](ProgramBuilder &p) {
    Buffers b(p);
    p.repeat(p.constant(3));
    b.doubleAndRotate(p);
    p.endLoop();
    launchRow(p, b.a, b.y, 1);
  }));
  struct Seen {
    std::string text;
    size_t stopAt = SIZE_MAX;
  } seen;
  auto hook = [](void *user, const TwrtLaunch *launch) {
    Seen &seen = *static_cast<Seen *>(user);
    float first = static_cast<const float *>(launch->bindings[1].data)[0];
    seen.text += std::to_string(launch->launch) + ":" + std::to_string(int(first)) + " ";
    EXPECT_EQ(launch->launchCount, 2u);
    return seen.text.size() >= seen.stopAt ? TWRT_IO_ERROR : TWRT_OK;
  };
  ASSERT_EQ(twrtCallSetLaunchHook(bench.call.get(), hook, &seen, &bench.error), TWRT_OK);
  ASSERT_EQ(bench.message(), "");
  EXPECT_EQ(seen.text, "0:2 0:4 0:8 1:8 ");
  seen = {"", 8};
  EXPECT_NE(bench.message(), "");
  EXPECT_EQ(bench.error.code, TWRT_CANCELLED);
  EXPECT_EQ(seen.text, "0:2 0:4 ");
}

/// What an iteration reads and overwrites is shown as it was.
TEST(CallBlocks, HooksSeeWhatWasThere) {
  Metadata metadata = withProgram([](ProgramBuilder &p) {
    Buffers b(p);
    p.repeat(p.constant(3));
    launchRow(p, b.a, b.a, 2);
    p.endLoop();
    launchRow(p, b.a, b.y, 1);
  });
  metadata.kernels[0].bindings[1].access = tw::format::Access::ReadWrite;
  Bench bench(metadata);
  std::string seen;
  auto hook = [](void *user, const TwrtLaunch *launch) {
    auto first = [](const void *data) {
      return std::to_string(int(*static_cast<const float *>(data)));
    };
    const TwrtBinding &x = launch->bindings[0], &y = launch->bindings[1];
    EXPECT_EQ(x.before, nullptr);
    EXPECT_EQ(launch->scalarCount, 4u);
    EXPECT_EQ(launch->scalars[2], launch->launch == 0 ? 2 : 1);
    *static_cast<std::string *>(user) += first(x.data) +
                                         (launch->launch == 0 ? ":" + first(y.before) : "") + ">" +
                                         first(y.data) + " ";
    return TWRT_OK;
  };
  ASSERT_EQ(twrtCallSetLaunchHook(bench.call.get(), hook, &seen, &bench.error), TWRT_OK);
  ASSERT_EQ(bench.message(), "");
  EXPECT_EQ(seen, "1:1>2 2:2>4 4:4>8 8>8 ");
}

/// Sizes and late symbols in loops; a `when` in one.
TEST(CallBlocks, SizesInLoops) {
  Metadata metadata = makeCacheMetadata();
  ProgramBuilder p("host");
  BufferRef x = p.bindArgument(0), y = p.bindResult(0), sum = p.bindResult(1);
  RegisterRef s = p.symbol(0), at = p.symbol(1), end = p.symbol(2), one = p.constant(1);
  RegisterRef bytes = p.arith(Opcode::Mul, s, p.constant(4)), zero = p.constant(0);
  BufferRef a = p.reserve(bytes), b = p.reserve(bytes);
  auto put = [&](BufferRef from, BufferRef to, RegisterRef at, int64_t factor, RegisterRef end) {
    BufferRef bindings[] = {from, to};
    RegisterRef scalars[] = {s, at, p.constant(factor), end};
    p.launch(0, {p.arith(Opcode::CeilDiv, s, p.constant(16)), one, one}, bindings, scalars);
  };
  p.copy(a, x);
  p.repeat(s);
  p.when(p.compare(tw::format::Predicate::Lt, s, p.constant(4)));
  put(a, b, zero, 3, s);
  p.otherwise();
  put(a, b, zero, 2, s);
  p.endWhen();
  put(b, y, at, 1, end);
  p.rotate(a, b);
  p.endLoop();
  p.copy(sum, a);
  metadata.functions[0].programs = {p.finish()};
  std::vector<uint8_t> bytesOfModule = assemble(metadata);
  Machine machine;
  Error &error = machine.error;
  Module module = machine.load(bytesOfModule);
  ASSERT_TRUE(module) << error.message;
  Program program = machine.makeProgram(module);
  Call call = machine.makeCall(program);
  std::vector<float> values(64, 1), past(256), mask(256);
  Buffer xBuffer = machine.lend(values), pastBuffer = machine.lend(past),
         maskBuffer = machine.lend(mask);
  for (int64_t rows : {0, 7, 100})
    for (int64_t n : {1, 2, 3, 4, 9}) {
      SCOPED_TRACE(rows * 100 + n);
      ASSERT_OK(machine.setArgument(call, 0, xBuffer, TWRT_F32, {n}));
      int64_t storage = 256;
      TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, pastBuffer.get(), 0, &rows, &storage};
      ASSERT_OK(twrtCallSetArgument(call.get(), 1, &tensor, &error));
      ASSERT_OK(machine.setArgument(call, 2, maskBuffer, TWRT_F32, {rows + n}));
      ASSERT_OK(machine.run(call));
      float expected = 1;
      for (int64_t i = 0; i < n; ++i)
        expected *= n < 4 ? 3 : 2;
      EXPECT_EQ(machine.result<float>(call, 1), std::vector<float>(size_t(n), expected));
      EXPECT_EQ(past[size_t(rows + n - 1)], expected);
    }
}

#endif
