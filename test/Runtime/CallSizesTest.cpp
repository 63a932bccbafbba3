// Calls at sizes that change: what symbols are settled to, plans that follow, what is refused.
#include "Call.h"
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/Planner.h"
#include "tw/Format/ProgramBuilder.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>

#if defined(__x86_64__)

using namespace tw::test;
using tw::format::BufferRef;
using tw::format::ElementType;
using tw::format::Metadata;
using tw::format::Opcode;
using tw::format::Predicate;
using tw::format::ProgramBuilder;
using tw::format::RegisterRef;
using tw::format::Symbol;
using tw::format::symbolicDim;
using tw::format::SymbolTable;

namespace {

/// A machine with one call of a module's program.
struct Bench : Machine {
  std::vector<uint8_t> bytes;
  Module module;
  Program program;
  Call call;

  explicit Bench(const Metadata &metadata) : bytes(assemble(metadata)) {
    module = load(bytes);
    EXPECT_TRUE(module) << error.message;
    program = makeProgram(module);
    EXPECT_TRUE(program) << error.message;
    call = makeCall(program);
  }

  /// `elements` times the values 1, 2, 3 ..., of which the call keeps a copy.
  TwrtCode set(size_t argument, int64_t elements) {
    TwrtBuffer *made = nullptr;
    EXPECT_OK(twrtBufferCreate(device.get(), uint64_t(elements) * 4, 0, &made, &error));
    Buffer buffer(made);
    for (int64_t i = 0; i < elements; ++i)
      static_cast<float *>(twrtBufferData(made))[i] = float(i + 1);
    return setArgument(call, argument, buffer, TWRT_F32, {elements});
  }
  /// The message of what fails, or "".
  std::string runWith(std::initializer_list<int64_t> sizes) {
    size_t argument = 0;
    for (int64_t elements : sizes)
      if (set(argument++, elements) != TWRT_OK)
        return error.message;
    return run(call) == TWRT_OK ? "" : error.message;
  }
};

std::vector<float> scaled(int64_t elements, float factor) {
  std::vector<float> values;
  for (int64_t i = 0; i < elements; ++i)
    values.push_back(float(i + 1) * factor);
  return values;
}

} // namespace

TEST(CallSizes, RunsAtEverySize) {
  Bench bench(makeSizesMetadata());
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    int64_t s = int64_t(random() % 200) * 2, t = int64_t(random() % 180) * 2;
    SCOPED_TRACE(s);
    ASSERT_EQ(bench.runWith({s, t}), "");
    std::vector<float> expected = scaled(s, 3), tail = scaled(t, 5);
    expected.insert(expected.end(), tail.begin(), tail.end());
    ASSERT_EQ(bench.result<float>(bench.call), expected);
  }
}

/// Conditions are decided when a call is prepared, and the side that is not taken needs no memory.
TEST(CallSizes, ChoosesSides) {
  Bench bench(makeChoiceMetadata());
  for (int64_t s : {1, 2, 15, 16, 17, 1, 0, 1024}) {
    SCOPED_TRACE(s);
    ASSERT_EQ(bench.runWith({s}), "");
    float factor = s == 1 ? 7 : s < 16 ? 5 : 3;
    EXPECT_EQ(bench.result<float>(bench.call), scaled(s, factor));
    uint64_t arena = 1, rounded = uint64_t(s * 4 + 63) / 64 * 64;
    ASSERT_EQ(twrtCallPrepare(bench.call.get(), &arena, &bench.error), TWRT_OK);
    EXPECT_EQ(arena, s == 1 ? 0 : s < 16 ? rounded : 2 * rounded);
  }
}

TEST(CallSizes, RefusesWithNamesAndNumbers) {
  Bench bench(makeSizesMetadata());
  EXPECT_EQ(bench.runWith({514, 2}), "dimension 0 of argument 'x' is 514, S must be from 0 to 512");
  EXPECT_EQ(bench.runWith({4, 3}),
            "dimension 0 of argument 'z' is 3, T must be from 0 to 512 and a multiple of 2");
  EXPECT_EQ(
      bench.runWith({3, 4}),
      "S mod 2 is 1, where S is 3 (dimension 0 of argument 'x'), but T mod 2 is 0, where T is 4 "
      "(dimension 0 of argument 'z') at node 'Add_0'");
  EXPECT_EQ(
      bench.runWith({512, 258}),
      "U = S + T is 770, where S is 512 (dimension 0 of argument 'x') and T is 258 (dimension 0 "
      "of argument 'z'); it must be from 0 to 768");
  EXPECT_EQ(bench.runWith({500, 4}),
            "command 14 of Add_0: the program is not made for these shapes");
  EXPECT_EQ(bench.runWith({2, 4}), "");
  EXPECT_EQ(bench.result<float>(bench.call), (std::vector<float>{3, 6, 5, 10, 15, 20}));
}

TEST(CallSizes, EquationsAreChecked) {
  auto solve = [](const std::function<void(SymbolTable &)> &add) {
    Metadata metadata = makeChoiceMetadata();
    SymbolTable table;
    table.add({"S", 0, -1});
    add(table);
    metadata.functions[0].symbols = table.list();
    return Bench(metadata).runWith({12});
  };
  EXPECT_EQ(
      solve([](SymbolTable &t) { t.derive(Opcode::FloorDiv, 0, t.constant(0)); }),
      "S floordiv 0 overflows or divides by zero, where S is 12 (dimension 0 of argument 'x')");
  EXPECT_EQ(
      solve([](SymbolTable &t) { t.derive(Opcode::Mul, 0, t.constant(int64_t(1) << 60), "big"); }),
      "big = S * 1152921504606846976 overflows or divides by zero, where S is 12 (dimension 0 "
      "of argument 'x')");
  EXPECT_EQ(
      solve([](SymbolTable &t) { t.derive(Opcode::Sub, 0, t.constant(13), "rest"); }),
      "rest = S - 13 is -1, where S is 12 (dimension 0 of argument 'x'); it must be at least 0");
  EXPECT_EQ(solve([](SymbolTable &t) {
              uint32_t twice = t.derive(Opcode::Add, 0, 0);
              t[twice].multiple = 7;
            }),
            "S + S is 24, where S is 12 (dimension 0 of argument 'x'); it must be at least 0 and a "
            "multiple of 7");
  EXPECT_EQ(solve([](SymbolTable &t) {
              auto expect = [&](Opcode opcode, int64_t other, int64_t value) {
                t.derive(opcode, 0, t.constant(other), "", {value, value});
              };
              expect(Opcode::Add, 5, 17);
              expect(Opcode::Sub, 5, 7);
              expect(Opcode::Mul, 5, 60);
              expect(Opcode::FloorDiv, 5, 2);
              expect(Opcode::CeilDiv, 5, 3);
              expect(Opcode::Mod, 5, 2);
              expect(Opcode::Min, 5, 5);
              expect(Opcode::Max, 5, 12);
            }),
            "");
}

/// A dimension that an equation gives, and one that an earlier argument gives.
TEST(CallSizes, DimensionsMustAgree) {
  Metadata metadata = makeSizesMetadata();
  metadata.functions[0].symbols[1].multiple = 1;
  metadata.functions[0].arguments[1].type.dims = {symbolicDim(0)};
  metadata.functions[0].arguments.push_back(
      {"more", {ElementType::F32, {symbolicDim(2)}}, 4, 0, -1});
  metadata.functions[0].arguments.push_back({"t", {ElementType::F32, {symbolicDim(1)}}, 4, 0, -1});
  Bench bench(metadata);
  EXPECT_EQ(bench.runWith({4, 6, 10, 6}),
            "dimension 0 of argument 'z' is 6, but S is 4 (dimension 0 of argument 'x')");
  EXPECT_EQ(
      bench.runWith({4, 4, 11, 6}),
      "dimension 0 of argument 'more' is 11, but U = S + T is 10, where S is 4 (dimension 0 of "
      "argument 'x') and T is 6 (dimension 0 of argument 't')");
}

/// Replaces the program of the sample of caches.
static Metadata cacheWith(const std::function<void(ProgramBuilder &)> &build) {
  Metadata metadata = makeCacheMetadata();
  ProgramBuilder p("host");
  p.setLocation(1);
  build(p);
  metadata.functions[0].programs = {p.finish()};
  return metadata;
}

namespace {

/// A call that appends to 256 values.
struct CacheBench : Bench {
  std::vector<float> past = std::vector<float>(256, -1), mask = scaled(256, 10);
  Buffer pastBuffer = lend(past), maskBuffer = lend(mask);

  explicit CacheBench(const Metadata &metadata = makeCacheMetadata()) : Bench(metadata) {
    int64_t rows = 0, storage = 256;
    TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, pastBuffer.get(), 0, &rows, &storage};
    EXPECT_OK(twrtCallSetArgument(call.get(), 1, &tensor, &error));
  }
  std::string append(int64_t rows, int64_t more) {
    if (set(0, more) != TWRT_OK || twrtCallSetDims(call.get(), 1, &rows, 1, &error) != TWRT_OK ||
        setArgument(call, 2, maskBuffer, TWRT_F32, {rows + more}) != TWRT_OK)
      return error.message;
    return run(call) == TWRT_OK ? "" : error.message;
  }
};

} // namespace

TEST(CallSizes, FollowsLateSymbolsWithoutPlanning) {
  CacheBench bench;
  for (int64_t rows = 0; rows < 250; rows += 2) {
    SCOPED_TRACE(rows);
    if (rows == 100) {
      // The guard stops half of what follows; the next size finds the plan in order.
      EXPECT_EQ(bench.append(rows, 2), "command 11: the program is not made for these shapes");
      bench.past[100] = 1;
      bench.past[101] = 2;
      continue;
    }
    ASSERT_EQ(bench.append(rows, 2), "");
    EXPECT_EQ(bench.past[size_t(rows)], 1);
    EXPECT_EQ(bench.past[size_t(rows) + 1], 2);
    EXPECT_EQ(bench.past[size_t(rows) + 2], -1);
    EXPECT_EQ(bench.result<float>(bench.call, 1), (std::vector<float>{10, 20}));
    EXPECT_EQ(bench.result<float>(bench.call).size(), size_t(rows) + 2);
  }
  // Without rows a launch has no groups; from then on for each 64 rows one.
  EXPECT_EQ(bench.call->arenasPlanned, 5u);
}

TEST(CallSizes, PlansNothingInAThousandSteps) {
  CacheBench bench;
  Error &error = bench.error;
  ASSERT_EQ(bench.append(1, 3), "");
  uint64_t planned = bench.call->arenasPlanned, used = 0, before = 0, total = 0;
  for (int64_t step = 0; step < 1000; ++step) {
    ASSERT_EQ(bench.append(1 + step % 64, 3), "");
    ASSERT_OK(twrtDeviceMemory(bench.device.get(), &used, &total, &error));
    if (step == 0)
      before = used;
  }
  EXPECT_EQ(bench.call->arenasPlanned, planned);
  EXPECT_EQ(used, before);
}

TEST(CallSizes, ScalarsTypeBindings) {
  // A kernel that says it writes one element more than it is given.
  Metadata metadata = makeChoiceMetadata();
  ProgramBuilder p("host");
  RegisterRef s = p.symbol(0), one = p.constant(1), zero = p.constant(0);
  RegisterRef scalars[] = {s, zero, one, p.arith(Opcode::Add, s, one)};
  BufferRef bindings[] = {p.bindArgument(0), p.bindResult(0)};
  p.launch(0, {one, one, one}, bindings, scalars);
  metadata.functions[0].programs = {p.finish()};
  EXPECT_EQ(Bench(metadata).runWith({12}),
            "command 6: a kernel is bound to less memory than it uses");
  auto end = [](const std::function<RegisterRef(ProgramBuilder &)> &make) {
    return CacheBench(cacheWith([&](ProgramBuilder &p) {
             RegisterRef one = p.constant(1), scalars[] = {one, one, one, make(p)};
             BufferRef bindings[] = {p.bindArgument(0), p.bindResult(0)};
             p.launch(0, {one, one, one}, bindings, scalars);
           }))
        .append(7, 2);
  };
  EXPECT_EQ(end([](ProgramBuilder &p) { return p.arith(Opcode::Sub, p.symbol(0), p.symbol(1)); }),
            "command 6 of Mul_1: the size of a kernel's binding is negative or overflows");
  EXPECT_EQ(end([](ProgramBuilder &p) { return p.constant(int64_t(1) << 62); }),
            "command 4 of Mul_1: the size of a kernel's binding is negative or overflows");
  EXPECT_EQ(end([](ProgramBuilder &p) { return p.constant(257); }),
            "command 4 of Mul_1: a kernel is bound to less memory than it uses");
  EXPECT_EQ(end([](ProgramBuilder &p) { return p.constant(256); }), "");
}

/// What a prepared call does not check again would be wrong at the next value.
TEST(CallSizes, LateLaunchesAreCheckedAgain) {
  CacheBench bench(cacheWith([](ProgramBuilder &p) {
    RegisterRef s = p.symbol(0), at = p.symbol(1), one = p.constant(1);
    RegisterRef scalars[] = {s, at, one, p.arith(Opcode::Mul, at, p.constant(8))};
    BufferRef bindings[] = {p.bindArgument(0), p.bindResult(0)};
    p.launch(0, {one, one, one}, bindings, scalars);
  }));
  EXPECT_EQ(bench.append(30, 2), "");
  EXPECT_EQ(bench.append(33, 2),
            "command 7 of Mul_1: a kernel is bound to less memory than it uses");
  EXPECT_EQ(bench.append(32, 2), "");
}

TEST(CallSizes, GridsAndRegistersOverflow) {
  auto launch = [](const std::function<RegisterRef(ProgramBuilder &)> &groups) {
    return CacheBench(cacheWith([&](ProgramBuilder &p) {
             RegisterRef one = p.constant(1), scalars[] = {one, one, one, one};
             BufferRef bindings[] = {p.bindArgument(0), p.bindResult(1)};
             p.launch(0, {groups(p), p.constant(65536), one}, bindings, scalars);
           }))
        .append(7, 2);
  };
  const char *grid = "command 7 of Mul_1: the grid is negative or has over 2^32 programs";
  EXPECT_EQ(launch([](ProgramBuilder &p) {
              return p.arith(Opcode::Mul, p.symbol(1), p.constant(10000));
            }),
            grid);
  EXPECT_EQ(
      launch([](ProgramBuilder &p) { return p.arith(Opcode::Sub, p.symbol(0), p.symbol(1)); }),
      grid);
  EXPECT_EQ(launch([](ProgramBuilder &p) {
              return p.arith(Opcode::Mul, p.symbol(1), p.constant(INT64_MAX));
            }),
            "command 5 of Mul_1: arithmetic overflows or divides by zero");
}

TEST(CallSizes, HooksSeeSizes) {
  Bench bench(makeSizesMetadata());
  ASSERT_EQ(bench.runWith({6, 2}), "");
  std::vector<int64_t> seen;
  auto hook = [](void *user, const TwrtLaunch *launch) {
    std::vector<int64_t> &seen = *static_cast<std::vector<int64_t> *>(user);
    for (uint32_t i = 0; i < launch->bindingCount; ++i) {
      EXPECT_EQ(launch->bindings[i].bytes, 4 * uint64_t(launch->bindings[i].dims[0]));
      seen.push_back(launch->bindings[i].dims[0]);
    }
    return TWRT_OK;
  };
  ASSERT_EQ(twrtCallSetLaunchHook(bench.call.get(), hook, &seen, &bench.error), TWRT_OK);
  ASSERT_EQ(bench.run(bench.call), TWRT_OK);
  EXPECT_EQ(seen, (std::vector<int64_t>{6, 6, 2, 2, 6, 6, 2, 8}));
}

TEST(CallSizes, ProgramsDeduceSymbols) {
  Metadata metadata = makeChoiceMetadata();
  SymbolTable table;
  uint32_t s = table.add({"S", 0, -1}), four = table.constant(4);
  uint32_t twelve = table.derive(Opcode::Mul, s, four);
  uint32_t more = table.derive(Opcode::Add, twelve, table.constant(1));
  uint32_t less = table.derive(Opcode::Sub, more, four);
  uint32_t rest = table.derive(Opcode::Mod, more, four);
  metadata.functions[0].symbols = table.list();
  Bench bench(metadata);
  size_t count = table.list().size();
  auto deduce = [&](uint32_t known, int64_t value) {
    std::vector<int64_t> values(count, -1);
    values[known] = value;
    EXPECT_EQ(twrtProgramDeduceSymbols(bench.program.get(), values.data(), count, &bench.error),
              TWRT_OK);
    return std::vector<int64_t>{values[s], values[twelve], values[more], values[less],
                                values[rest]};
  };
  EXPECT_EQ(deduce(s, 3), (std::vector<int64_t>{3, 12, 13, 9, 1}));
  EXPECT_EQ(deduce(less, 9), (std::vector<int64_t>{3, 12, 13, 9, 1}));
  // What is no multiple says nothing of S; nor does what a division leaves.
  EXPECT_EQ(deduce(more, 12), (std::vector<int64_t>{-1, 11, 12, 8, 0}));
  EXPECT_EQ(deduce(rest, 1), (std::vector<int64_t>{-1, -1, -1, -1, 1}));
  EXPECT_EQ(twrtProgramDeduceSymbols(bench.program.get(), nullptr, 1, &bench.error),
            TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(bench.error.message,
               ("values of 1 symbols for a program that has " + std::to_string(count)).c_str());
}

TEST(CallSizes, ProgramsTellSymbols) {
  CacheBench bench;
  Error &error = bench.error;
  ASSERT_EQ(twrtProgramSymbolCount(bench.program.get()), 6u);
  TwrtSymbolInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramSymbol(bench.program.get(), 1, &info, &error));
  EXPECT_EQ(std::string(info.name.data, info.name.size), "P");
  EXPECT_EQ(info.max, 255);
  EXPECT_EQ(info.late, 1u);
  EXPECT_EQ(info.computed, 0u);
  ASSERT_OK(twrtProgramSymbol(bench.program.get(), 5, &info, &error));
  EXPECT_EQ(info.computed, 1u);
  EXPECT_EQ(info.late, 0u);
  EXPECT_EQ(twrtProgramSymbol(bench.program.get(), 6, &info, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "symbol 6 of 6");
  info.size = 4;
  EXPECT_EQ(twrtProgramSymbol(bench.program.get(), 0, &info, &error), TWRT_INVALID_ARGUMENT);
  TwrtValueInfo value = {};
  value.size = sizeof(value);
  ASSERT_OK(twrtProgramArgument(bench.program.get(), 1, &value, &error));
  EXPECT_EQ(value.dims[0], -2);
  EXPECT_EQ(value.storage[0], 256);
  EXPECT_EQ(value.sharesResult, 0);
  ASSERT_OK(twrtProgramArgument(bench.program.get(), 0, &value, &error));
  EXPECT_EQ(value.storage, nullptr);
  EXPECT_EQ(value.sharesResult, -1);
}

/// Results that a call counts have as many elements as it says, in memory for the most.
TEST(CallSizes, CountsResults) {
  Bench bench(makeCountedMetadata(3, 10));
  Error &error = bench.error;
  ASSERT_EQ(twrtProgramResultCount(bench.program.get()), 2u);
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramResult(bench.program.get(), 0, &info, &error));
  EXPECT_EQ(info.counted, 2u);
  EXPECT_EQ(info.dims[1], 16);
  ASSERT_OK(twrtProgramResult(bench.program.get(), 1, &info, &error));
  EXPECT_EQ(info.counted, 1u);
  EXPECT_EQ(twrtProgramResult(bench.program.get(), 2, &info, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "value 2 of 2");

  TwrtTensor tensor = {};
  tensor.size = sizeof(tensor);
  int64_t dims[2] = {};
  auto get = [&](size_t result, uint32_t capacity) {
    return twrtCallGetResult(bench.call.get(), result, &tensor, dims, capacity, &error);
  };
  ASSERT_OK(bench.set(0, 64));
  ASSERT_OK(twrtCallPrepare(bench.call.get(), nullptr, &error));
  ASSERT_OK(get(0, 2));
  EXPECT_EQ(dims[1], 16);
  EXPECT_EQ(tensor.storage, nullptr);
  ASSERT_OK(bench.run(bench.call));
  ASSERT_OK(get(0, 2));
  EXPECT_EQ(dims[0], 4);
  EXPECT_EQ(dims[1], 3);
  EXPECT_EQ(tensor.storage[0], 4);
  EXPECT_EQ(tensor.storage[1], 16);
  EXPECT_EQ(bench.result<float>(bench.call, 1), scaled(10, 1));
  EXPECT_EQ(get(2, 2), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "result 2 of 2");
  EXPECT_EQ(twrtCallSetResult(bench.call.get(), 2, nullptr, &error), TWRT_INVALID_ARGUMENT);

  // The caller's memory is as large as the most.
  std::vector<float> values(64);
  Buffer buffer = bench.lend(values);
  int64_t all[] = {64}, few[] = {10};
  TwrtTensor own = {sizeof(own), TWRT_F32, 1, 0, buffer.get(), 0, few, nullptr};
  EXPECT_EQ(twrtCallSetResult(bench.call.get(), 1, &own, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "result 'z' has shape [10], expected [64]");
  own.dims = all;
  ASSERT_OK(twrtCallSetResult(bench.call.get(), 1, &own, &error));
  ASSERT_OK(bench.run(bench.call));
  ASSERT_OK(get(1, 1));
  EXPECT_EQ(dims[0], 10);
  EXPECT_EQ(values[9], 10);
}

TEST(CallSizes, CountsThatCannotBe) {
  auto run = [](int64_t columns, int64_t elements) {
    Bench bench(makeCountedMetadata(columns, elements));
    EXPECT_EQ(bench.runWith({64}), "");
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[2] = {-5, -5};
    for (size_t i = 0; i < 2; ++i)
      if (twrtCallGetResult(bench.call.get(), i, &tensor, dims, 2, &bench.error) != TWRT_OK) {
        bool isOfArguments = elements == -1 || elements == -2;
        EXPECT_EQ(bench.error.code, isOfArguments ? TWRT_INVALID_ARGUMENT : TWRT_INVALID_MODULE);
        EXPECT_EQ(dims[1], i == 0 ? -5 : columns);
        return std::string(bench.error.message);
      }
    return std::string();
  };
  EXPECT_EQ(run(0, 0), "");
  EXPECT_EQ(run(16, 64), "");
  EXPECT_EQ(run(17, 64), "the call counted 17 elements along dimension 1 of result 'y', which has "
                         "room for 16");
  EXPECT_EQ(run(16, -3), "the call counted -3 elements along dimension 0 of result 'z', which has "
                         "room for 64");
  // With all bits a program says that its arguments count fewer elements than it needs.
  EXPECT_EQ(run(16, -1),
            "the program needs elements that are not there: the values of its arguments "
            "say that there are fewer of dimension 0 of result 'z', or of what it is "
            "computed from");
  // So does the number below, of values beside the range that the program was compiled for.
  EXPECT_EQ(
      run(16, -2),
      "the values of the arguments make a size, on which dimension 0 of result 'z' or what it "
      "is computed from depends, that is outside of the range that the program was compiled "
      "for: compile it for a range with that size in it");
}

/// Callers that know no storage have none.
TEST(CallSizes, EarlierCallersGiveSmallerTensors) {
  Bench bench(makeSizesMetadata());
  std::vector<float> values = scaled(8, 1);
  Buffer buffer = bench.lend(values);
  int64_t dims[] = {8}, nonsense[] = {-7};
  TwrtTensor tensor = {
      offsetof(TwrtTensor, storage), TWRT_F32, 1, 0, buffer.get(), 0, dims, nonsense};
  EXPECT_EQ(twrtCallSetArgument(bench.call.get(), 0, &tensor, &bench.error), TWRT_OK);
  EXPECT_EQ(twrtCallSetArgument(bench.call.get(), 1, &tensor, &bench.error), TWRT_OK);
  ASSERT_EQ(bench.run(bench.call), TWRT_OK);
  ASSERT_EQ(twrtCallGetResult(bench.call.get(), 0, &tensor, dims, 1, &bench.error), TWRT_OK);
  EXPECT_EQ(tensor.storage, nonsense);
}

/// Chains of values of random sizes and lifetimes, on sizes that the order in the module is not
/// made for: the arena is within 5 % of what lives at once, where a search without end finds that.
TEST(CallSizes, ArenasAreTight) {
  std::mt19937 random(11);
  for (int round = 0; round < 10; ++round) {
    Metadata metadata = makeChoiceMetadata();
    ProgramBuilder p("host");
    RegisterRef s = p.symbol(0, 512), zero = p.constant(0);
    RegisterRef bytes = p.arith(Opcode::Mul, s, p.constant(4));
    std::vector<BufferRef> values = {p.bindArgument(0)};
    std::vector<int64_t> factors;
    for (int i = 0; i < 60; ++i) {
      // Each begins with what one of the last few begins with.
      size_t from = values.size() - 1 - random() % std::min<size_t>(values.size(), 4);
      factors.push_back(int64_t(1 + random() % 8));
      BufferRef made = p.reserve(p.arith(Opcode::Mul, bytes, p.constant(factors.back())));
      p.copy(p.slice(made, zero, bytes), p.slice(values[from], zero, bytes));
      values.push_back(made);
    }
    p.copy(p.bindResult(0), p.slice(values.back(), zero, bytes));
    metadata.functions[0].programs = {p.finish()};
    const tw::format::Program &program = metadata.functions[0].programs[0];
    ASSERT_EQ(program.slots[0].order.size(), 60u);
    Bench bench(metadata);
    for (int64_t elements : {0, 1, 16, 17, 100, 333, 1000, 1024}) {
      ASSERT_EQ(bench.runWith({elements}), "");
      EXPECT_EQ(bench.result<float>(bench.call), scaled(elements, 1));
      std::vector<tw::format::PlanInterval> intervals;
      for (size_t i = 0; i < factors.size(); ++i)
        intervals.push_back({uint64_t(elements * 4 * factors[i]), 64, program.intervals[i].first,
                             program.intervals[i].last});
      std::vector<tw::format::Placement> places(intervals.size());
      std::vector<uint64_t> slabs(intervals.size());
      tw::format::PlanSummary best;
      uint32_t bad = 0;
      ASSERT_EQ(tw::format::planArena(intervals, {}, places, slabs, best, bad),
                tw::format::PlanResult::Ok);
      uint64_t arena = 0;
      ASSERT_EQ(twrtCallPrepare(bench.call.get(), &arena, &bench.error), TWRT_OK);
      EXPECT_LE(arena, std::max(best.totalBytes, best.peakLiveBytes + best.peakLiveBytes / 20))
          << elements;
    }
  }
}

#endif
