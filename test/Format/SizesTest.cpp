// Modules of changing sizes, minor version 4: what is written, what the verifier refuses, how it is
// described.
#include "SampleModules.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Describe.h"
#include "tw/Format/ProgramBuilder.h"

#include <cstdio>
#include <functional>
#include <gtest/gtest.h>

using namespace tw::format;
using namespace tw::test;

static std::string verify(const std::vector<uint8_t> &file) {
  std::string text;
  Error error;
  return describeModule(file, {}, text, error) ? "accepted" : error.message;
}

static std::string damage(Metadata metadata, const std::function<void(Metadata &)> &change) {
  change(metadata);
  return verify(assemble(metadata));
}

static std::string damageSymbol(uint32_t index, const std::function<void(Symbol &)> &change) {
  return damage(makeSizesMetadata(), [&](Metadata &m) { change(m.functions[0].symbols[index]); });
}

static std::string damageFunction(const std::function<void(Function &)> &change) {
  return damage(makeCacheMetadata(), [&](Metadata &m) { change(m.functions[0]); });
}

static std::string damageProgram(Metadata metadata, const std::function<void(Program &)> &change) {
  return damage(std::move(metadata), [&](Metadata &m) { change(m.functions[0].programs[0]); });
}

/// The n-th command with that opcode.
static Command &find(Program &program, Opcode opcode, size_t n = 0) {
  for (Command &command : program.code)
    if (command.opcode == uint16_t(opcode) && n-- == 0)
      return command;
  return program.code.back();
}

TEST(Sizes, SamplesAreSound) {
  for (const Metadata &metadata : {makeSizesMetadata(), makeChoiceMetadata(), makeCacheMetadata(),
                                   makeCountedMetadata(3, 10)}) {
    EXPECT_EQ(verify(assemble(metadata)), "accepted");
    EXPECT_TRUE(needsFeatures14(metadata));
  }
}

/// What earlier releases read is written as they wrote it.
TEST(Sizes, EarlierModulesKeepTheirBytes) {
  auto digest = [](const std::vector<uint8_t> &file) {
    std::string text;
    for (uint8_t byte : computeDigest(file)) {
      char digits[3];
      snprintf(digits, sizeof(digits), "%02x", byte);
      text += digits;
    }
    return text;
  };
  EXPECT_EQ(digest(makeAffineModule()), "33d449a8b5b212f021c45904db0eca0c");
  EXPECT_EQ(digest(makeDerivedModule()), "9af1bcfe2e6648e21ce56995f2bc147b");
  EXPECT_EQ(digest(makeDynamicModule()), "b16b3f796b6879e5a80e2c6f01a8cc73");
  EXPECT_EQ(digest(makeControlModule()), "00196ee744997c4b74b9cf8aa6ca4376");
  EXPECT_EQ(digest(makeManyTargetsModule()), "b616fa6d73001a08e80d4a4133957f86");
  EXPECT_EQ(digest(makeExternalModule("weights.bin", std::vector<uint8_t>(256), 4)),
            "72d399bfd6cfb03a91d9adbc56880946");
}

/// They carry a required section that earlier releases refuse.
TEST(Sizes, LaterModulesSaySo) {
  std::vector<uint8_t> file = assemble(makeSizesMetadata()), early = makeDynamicModule();
  Container container;
  Error error;
  ASSERT_TRUE(Container::open(early, container, error)) << error.message;
  EXPECT_EQ(container.minor(), 3);
  ASSERT_TRUE(Container::open(file, container, error)) << error.message;
  EXPECT_EQ(container.minor(), 4);
  SectionEntry last = container.section(container.sectionCount() - 1);
  EXPECT_EQ(last.kind, 10u);
  EXPECT_EQ(last.flags, uint32_t(SectionRequired));
  EXPECT_EQ(last.length, 0u);
  auto with = [](uint32_t flags, std::vector<uint8_t> bytes) {
    ContainerWriter writer;
    addSections(writer, true);
    writer.addSection(SectionKind::Features14, 0, bytes, flags);
    return verify(writer.finish(encodeMetadata(makeSizesMetadata())));
  };
  EXPECT_EQ(with(SectionRequired, {}), "accepted");
  EXPECT_EQ(with(0, {}), "section 4 (FEATURES_1_4) has 0 bytes and flags 0, expected none and 1");
  EXPECT_EQ(with(SectionRequired, {1}),
            "section 4 (FEATURES_1_4) has 1 bytes and flags 1, expected none and 1");
}

static std::string withoutFeatures(const Metadata &metadata) {
  ContainerWriter writer;
  addSections(writer, true);
  return verify(writer.finish(encodeMetadata(metadata)));
}

TEST(Sizes, EachFeatureNeedsTheSection) {
  auto without = [](const char *what, const std::function<void(Metadata &)> &add) {
    Metadata metadata = makeAffineMetadata();
    EXPECT_FALSE(needsFeatures14(metadata));
    add(metadata);
    EXPECT_TRUE(needsFeatures14(metadata)) << what;
    EXPECT_EQ(verify(assemble(metadata)), "accepted") << what;
    EXPECT_EQ(withoutFeatures(metadata),
              std::string(what) + " needs a section FEATURES_1_4, which the module has not");
  };
  without("a binding with dimensions from scalars",
          [](Metadata &m) { m.kernels[1].bindings[0].type.dims = {symbolicDim(0)}; });
  without("a symbol that is computed or late", [](Metadata &m) {
    SymbolTable table;
    table.constant(4);
    m.functions[0].symbols = table.list();
  });
  without("an argument with storage of its own", [](Metadata &m) {
    m.functions[0].arguments[0].storage = TensorType{ElementType::F32, {64}};
  });
  without("an argument of an assumed value",
          [](Metadata &m) { m.functions[0].arguments[0].assumed.resize(256); });
  without("a result that is counted", [](Metadata &m) { m.functions[0].results[0].counts = {-1}; });
  without("an order of intervals",
          [](Metadata &m) { m.functions[0].programs[0].slots[0].order = {0}; });
  without("when", [](Metadata &m) {
    ProgramBuilder p("host");
    p.when(p.constant(1));
    p.endWhen();
    m.functions[0].programs = {p.finish()};
  });
  Metadata late = makeDerivedMetadata();
  EXPECT_FALSE(needsFeatures14(late));
}

TEST(Sizes, Symbols) {
  EXPECT_EQ(damageSymbol(2, [](Symbol &s) { s.a = 2; }),
            "symbol 'U' (2) is computed from symbols 2 and 1, expected earlier ones");
  EXPECT_EQ(damageSymbol(2, [](Symbol &s) { s.b = 7; }),
            "symbol 'U' (2) is computed from symbols 0 and 7, expected earlier ones");
  EXPECT_EQ(damageSymbol(2, [](Symbol &s) { s.equation = uint8_t(Opcode::Dim); }),
            "symbol 'U' has unknown equation 2");
  EXPECT_EQ(damageSymbol(2, [](Symbol &s) { s.equation = 11; }),
            "symbol 'U' has unknown equation 11");
  EXPECT_EQ(damageSymbol(3, [](Symbol &s) { s.literal = 3; }),
            "symbol '2' is 3, outside its range");
  EXPECT_EQ(damageSymbol(3, [](Symbol &s) { s.multiple = 4; }),
            "symbol '2' is 2, outside its range");
  EXPECT_EQ(damageSymbol(0, [](Symbol &s) { s.equation = 0, s.multiple = 0; }),
            "symbol 'S' has range 0 to 512 step 0");
  EXPECT_EQ(damageFunction([](Function &f) {
              f.symbols.push_back({"N", 0, 5, 1});
            }),
            "no argument settles symbol 'N'");
  EXPECT_EQ(damage(makeSizesMetadata(),
                   [](Metadata &m) { m.kernels[0].bindings[0].type.dims = {symbolicDim(4)}; }),
            "a kernel's binding has dimension -5, of 4 scalars");
}

TEST(Sizes, Storage) {
  EXPECT_EQ(
      damageFunction([](Function &f) {
        f.arguments[1].storage->dims = {256, 1};
      }),
      "argument 'past' does not fit in its storage, or that has another element type or rank");
  EXPECT_EQ(
      damageFunction([](Function &f) { f.arguments[1].storage->element = ElementType::I32; }),
      "argument 'past' does not fit in its storage, or that has another element type or rank");
  EXPECT_EQ(
      damageFunction([](Function &f) { f.arguments[1].type.dims = {257}; }),
      "argument 'past' does not fit in its storage, or that has another element type or rank");
  EXPECT_EQ(damageFunction([](Function &f) { f.arguments[1].storage->dims = {-9}; }),
            "an argument's storage has dimension -9, of 6 symbols");
  EXPECT_EQ(damageFunction([](Function &f) { f.results[0].type.dims = {257}; }),
            "argument 'past' shares the memory of result 0, which has another type");
  EXPECT_EQ(damageFunction([](Function &f) { f.arguments[1].storage.reset(); }),
            "argument 'past' shares the memory of result 0, which has another type");
  EXPECT_EQ(damageFunction([](Function &f) { f.arguments[0].aliasesResult = 0; }),
            "argument 'x' shares the memory of result 0, which has another type");
  EXPECT_EQ(damageFunction([](Function &f) {
              f.arguments[2].aliasesResult = 0;
              f.arguments[2].storage = f.arguments[1].storage;
            }),
            "two arguments share the memory of result 0");
  EXPECT_EQ(damageFunction([](Function &f) { f.arguments[1].storage->dims = {symbolicDim(2)}; }),
            "argument 'past' shares the memory of result 0, and its size in memory depends on late "
            "symbol 'L'");
  EXPECT_EQ(damageFunction([](Function &f) { f.results[1].type.dims = {symbolicDim(2)}; }),
            "result 'y' has memory of its own, whose size depends on late symbol 'L'");
}

TEST(Sizes, Counts) {
  auto counted = [](const std::function<void(Function &)> &change) {
    return damage(makeCountedMetadata(3, 10), [&](Metadata &m) { change(m.functions[0]); });
  };
  EXPECT_EQ(counted([](Function &f) { f.results[0].counts = {2}; }),
            "result 'y' has 1 counts for 2 dimensions");
  EXPECT_EQ(counted([](Function &f) { f.results[0].counts[1] = 4; }),
            "result 'y' is counted by result 4, which is no scalar of i64");
  EXPECT_EQ(counted([](Function &f) { f.results[0].counts[1] = -2; }),
            "result 'y' is counted by result -2, which is no scalar of i64");
  EXPECT_EQ(counted([](Function &f) { f.results[2].type.element = ElementType::I32; }),
            "result 'y' is counted by result 2, which is no scalar of i64");
  EXPECT_EQ(counted([](Function &f) { f.results[3].type.dims = {1}; }),
            "result 'z' is counted by result 3, which is no scalar of i64");
  EXPECT_EQ(counted([](Function &f) {
              std::swap(f.results[1], f.results[2]);
              f.results[0].counts[1] = 1;
            }),
            "result 'z' is counted and stands behind one that counts");
  EXPECT_EQ(counted([](Function &f) { f.arguments[0].aliasesResult = 1; }),
            "argument 'x' shares the memory of result 1, which is counted or counts");
  EXPECT_EQ(counted([](Function &f) { f.arguments[0].aliasesResult = 2; }),
            "argument 'x' shares the memory of result 2, which is counted or counts");
}

TEST(Sizes, AssumedValues) {
  auto assume = [](size_t bytes, const std::function<void(Argument &)> &change) {
    return damage(makeCacheMetadata(), [&](Metadata &m) {
      m.functions[0].arguments[1].assumed.resize(bytes);
      change(m.functions[0].arguments[1]);
    });
  };
  EXPECT_EQ(assume(16, [](Argument &) {}),
            "argument 'past' has an assumed value of 16 bytes, which is not that of its type");
  EXPECT_EQ(assume(16, [](Argument &a) { a.type.dims = a.storage->dims; }),
            "argument 'past' has an assumed value of 16 bytes, which is not that of its type");
}

/// Nothing that late symbols change moves memory.
TEST(Sizes, LateSymbols) {
  auto program = [](const std::function<void(ProgramBuilder &)> &build) {
    return damage(makeCacheMetadata(), [&](Metadata &m) {
      ProgramBuilder p("host");
      build(p);
      m.functions[0].programs = {p.finish()};
    });
  };
  constexpr uint32_t rows = 1, grown = 5;
  EXPECT_EQ(program([](ProgramBuilder &p) { p.reserve(p.symbol(grown)); }), "accepted");
  EXPECT_EQ(program([](ProgramBuilder &p) { p.reserve(p.symbol(rows)); }),
            "interval 0 has a size that depends on a late symbol");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.reserve(p.arith(Opcode::Add, p.constant(4), p.dim(1, 0)));
            }),
            "interval 0 has a size that depends on a late symbol");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.reserve(p.select(p.compare(Predicate::Eq, p.symbol(rows), p.constant(4)),
                                 p.constant(4), p.constant(8)));
            }),
            "interval 0 has a size that depends on a late symbol");
  constexpr const char *slice =
      "command 3 takes a slice whose place or size depends on a late symbol";
  EXPECT_EQ(
      program([](ProgramBuilder &p) { p.slice(p.bindArgument(0), p.symbol(rows), p.constant(0)); }),
      slice);
  EXPECT_EQ(
      program([](ProgramBuilder &p) { p.slice(p.bindArgument(0), p.constant(0), p.symbol(rows)); }),
      slice);
  EXPECT_EQ(
      program([](ProgramBuilder &p) { p.slice(p.bindArgument(2), p.constant(0), p.constant(4)); }),
      slice);
  EXPECT_EQ(program([](ProgramBuilder &p) { p.copy(p.bindResult(1), p.bindArgument(2)); }),
            "command 2 copies a buffer whose size depends on a late symbol");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.when(p.symbol(rows));
              p.endWhen();
            }),
            "command 1 decides by a late symbol");
  EXPECT_EQ(program([](ProgramBuilder &p) { p.guard(p.symbol(rows)); }), "accepted");
}

TEST(Sizes, Blocks) {
  auto program = [](
                     const std::function<void(ProgramBuilder &)> &build,
                     const std::function<void(Program &)> &change = [](Program &) {}) {
    return damage(makeChoiceMetadata(), [&](Metadata &m) {
      ProgramBuilder p("host");
      build(p);
      m.functions[0].programs = {p.finish()};
      change(m.functions[0].programs[0]);
    });
  };
  auto choose = [](ProgramBuilder &p) {
    p.when(p.constant(1));
    p.constant(5);
    p.otherwise();
    p.constant(6);
    p.endWhen();
    p.constant(7);
  };
  EXPECT_EQ(program(choose), "accepted");
  auto opcode = [&](Opcode from, Opcode to) {
    return program(choose, [&](Program &p) { find(p, from).opcode = uint16_t(to); });
  };
  EXPECT_EQ(opcode(Opcode::EndWhen, Opcode::Otherwise),
            "command 5 begins the third side of a block");
  EXPECT_EQ(opcode(Opcode::Otherwise, Opcode::EndWhen), "command 5 lies in no block");
  EXPECT_EQ(program(choose, [](Program &p) { std::swap(p.code[5], p.code[7]); }),
            "command 5 returns inside a block");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              for (uint32_t i = 0; i <= maxBlockDepth; ++i)
                p.when(p.constant(i));
              for (uint32_t i = 0; i <= maxBlockDepth; ++i)
                p.endWhen();
            }),
            "command 33 begins a block inside of 16");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.when(p.constant(1));
              RegisterRef inside = p.constant(5);
              p.endWhen();
              p.guard(inside);
            }),
            "command 4 uses register 1, of a block that is over");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.when(p.constant(1));
              RegisterRef inside = p.constant(5);
              p.otherwise();
              p.guard(inside);
              p.endWhen();
            }),
            "command 4 uses register 1, of a block that is over");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.when(p.constant(1));
              BufferRef inside = p.bindArgument(0);
              p.endWhen();
              p.copy(p.bindResult(0), inside);
            }),
            "command 5 uses buffer 0, of a block that is over");
  EXPECT_EQ(program([](ProgramBuilder &p) {
              p.when(p.constant(1));
              RegisterRef inside = p.constant(5);
              p.endWhen();
              p.reserve(inside);
            }),
            "interval 0 has its size in register 1, of a block that is over");
  EXPECT_EQ(program(
                [](ProgramBuilder &p) {
                  p.when(p.constant(1));
                  p.reserve(64);
                  p.endWhen();
                },
                [](Program &p) {
                  p.slots[0].slabs = {64};
                  p.intervals[0].offset = 0;
                }),
            "interval 0 has a place, and lies in a block");
  EXPECT_EQ(damage(makeDerivedMetadata(),
                   [](Metadata &m) {
                     ProgramBuilder once("host");
                     once.when(once.constant(1));
                     once.endWhen();
                     m.functions[0].programs[0].initializer = {once.finish()};
                   }),
            "initializer: command 1 begins or ends a block");
  EXPECT_EQ(damage(makeDerivedMetadata(),
                   [](Metadata &m) {
                     ProgramBuilder once("host");
                     once.symbol(0);
                     m.functions[0].programs[0].initializer = {once.finish()};
                   }),
            "initializer: command 0 uses symbol 0, of 0 there");
}

TEST(Sizes, ChecksAndOrders) {
  auto program = [](const std::function<void(Program &)> &change) {
    return damageProgram(makeSizesMetadata(), change);
  };
  EXPECT_EQ(program([](Program &p) { p.checks[0].a = 6; }), "check 0 is of symbols 6 and 5 of 6");
  EXPECT_EQ(program([](Program &p) { p.checks[0].b = 6; }), "check 0 is of symbols 4 and 6 of 6");
  EXPECT_EQ(program([](Program &p) { p.checks[0].location = 2; }), "check 0 has location 2 of 2");
  EXPECT_EQ(program([](Program &p) { p.checks[0].location = UINT32_MAX; }), "accepted");
  EXPECT_EQ(
      damageProgram(makeDerivedMetadata(), [](Program &p) { p.initializer[0].checks = {{}}; }),
      "initializer: 1 checks of symbols, which it has not");
  EXPECT_EQ(program([](Program &p) { p.slots[0].order.pop_back(); }),
            "slot 0 orders 1 of its 2 intervals");
  EXPECT_EQ(program([](Program &p) {
              p.slots[0].order = {1, 1};
            }),
            "slot 0 orders interval 1, which it has not, or twice");
  EXPECT_EQ(program([](Program &p) {
              p.slots[0].order = {0, 2};
            }),
            "slot 0 orders interval 2, which it has not, or twice");
  EXPECT_EQ(program([](Program &p) { p.operands[find(p, Opcode::Symbol).first] = 6; }),
            "command 3 uses symbol 6, of 6 there");
}

TEST(Sizes, EqualEquationsShareASymbol) {
  SymbolTable table;
  uint32_t s = table.add({"S", 1, 64}), t = table.add({"T", 1, 64}), two = table.constant(2);
  EXPECT_EQ(table.constant(2), two);
  uint32_t half = table.derive(Opcode::CeilDiv, s, two);
  EXPECT_EQ(table.derive(Opcode::CeilDiv, s, two), half);
  EXPECT_NE(table.derive(Opcode::CeilDiv, t, two), half);
  EXPECT_NE(table.derive(Opcode::FloorDiv, s, two), half);
  EXPECT_EQ(table[half].name, "S ceildiv 2");
  EXPECT_FALSE(table[half].late);
  table[s].late = true;
  EXPECT_TRUE(table[table.derive(Opcode::Mul, s, t)].late);
}

/// An order is written for sizes that are not known alone.
TEST(Sizes, BuilderOrdersIntervals) {
  Metadata metadata = makeSizesMetadata();
  EXPECT_EQ(metadata.functions[0].programs[0].slots[0].order.size(), 2u);
  EXPECT_TRUE(makeChoiceMetadata().functions[0].programs[0].slots[0].order.empty());
  ProgramBuilder p("host");
  p.reserve(p.arith(Opcode::Mul, p.constant(4), p.constant(8)));
  EXPECT_TRUE(p.finish().slots[0].order.empty());
}

TEST(Sizes, Describe) {
  auto describe = [](const Metadata &metadata) {
    std::string text;
    Error error;
    EXPECT_TRUE(describeModule(assemble(metadata), {}, text, error)) << error.message;
    return text;
  };
  auto expect = [](const std::string &text, std::initializer_list<const char *> lines) {
    for (const char *line : lines)
      EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  };
  expect(describe(makeSizesMetadata()),
         {"module format 1.4, ", "section 4 FEATURES_1_4: ", "  symbol S: 0..512 step 1\n",
          "  symbol T: 0..512 step 2\n", "  symbol U = S + T: 0..768 step 1\n",
          "  symbol 2: 2..2 step 1\n", "  symbol S mod 2: 0.. step 1\n",
          "    binding read f32[s0], alignment 4\n", "    binding write f32[s3], alignment 4\n",
          "  result 0 y: f32[U]\n", "    check S mod 2 eq T mod 2 // Add_0 at model.onnx:3:1\n",
          "r0 = symbol S", ": guard r8: S ne 500 // Add_0", ": launch put r"});
  expect(describe(makeCacheMetadata()),
         {"  symbol P: 0..255 step 1, late\n", "  symbol L = P + S: 1..256 step 1, late\n",
          "  symbol C = P ceildiv 64 * 64: 0..256 step 1\n",
          "  argument 1 past: f32[P], alignment 4, shares result 0, in memory f32[256]\n"});
  expect(describe(makeCountedMetadata(3, 10)),
         {"  result 0 y: f32[4, 16], dimension 1 counted by result 2\n",
          "  result 1 z: f32[64], dimension 0 counted by result 3\n"});
  expect(describe(makeChoiceMetadata()),
         {": when r4: S lt 16\n", ":   when r6: S eq 1\n", ":   otherwise\n",
          ":     b2 = reserve i0", ":   end-when\n", ": otherwise\n", ": end-when\n"});
}
