// Sides and loops that a call decides: what the verifier refuses, how they are described, what the
// builder finds of lifetimes.
#include "SampleModules.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Describe.h"
#include "tw/Format/ProgramBuilder.h"

#include <functional>
#include <gtest/gtest.h>

using namespace tw::format;
using namespace tw::test;

static std::string verify(const Metadata &metadata) {
  std::string text;
  Error error;
  return describeModule(assemble(metadata), {}, text, error) ? "accepted" : error.message;
}

using Change = std::function<void(Program &)>;

/// A program of the sample's function, built and then damaged.
static std::string build(
    const std::function<void(ProgramBuilder &)> &make, const Change &change = [](Program &) {}) {
  Metadata metadata = makeLoopsMetadata();
  ProgramBuilder p("host");
  make(p);
  metadata.functions[0].programs = {p.finish()};
  change(metadata.functions[0].programs[0]);
  return verify(metadata);
}

static std::string damage(const Change &change) {
  Metadata metadata = makeLoopsMetadata();
  change(metadata.functions[0].programs[0]);
  return verify(metadata);
}

static Command &find(Program &program, Opcode opcode, size_t n = 0) {
  for (Command &command : program.code)
    if (command.opcode == uint16_t(opcode) && n-- == 0)
      return command;
  return program.code.back();
}

TEST(Blocks, SampleIsSound) {
  EXPECT_EQ(verify(makeLoopsMetadata()), "accepted");
  EXPECT_TRUE(needsFeatures14(makeLoopsMetadata()));
}

TEST(Blocks, EachEndGoesWithItsBeginning) {
  auto loop = [](ProgramBuilder &p) {
    p.repeat(p.constant(2));
    p.endLoop();
  };
  auto side = [](ProgramBuilder &p) {
    p.beginIf(p.bindArgument(1));
    p.beginElse();
    p.endIf();
  };
  auto opcode = [&](auto &make, Opcode from, Opcode to) {
    return build(make, [&](Program &p) { find(p, from).opcode = uint16_t(to); });
  };
  EXPECT_EQ(build(loop), "accepted");
  EXPECT_EQ(build(side), "accepted");
  EXPECT_EQ(opcode(loop, Opcode::EndLoop, Opcode::EndIf),
            "command 2 (end-if) lies in the block that command 1 (repeat) begins");
  EXPECT_EQ(opcode(loop, Opcode::EndLoop, Opcode::Else),
            "command 2 (else) lies in the block that command 1 (repeat) begins");
  EXPECT_EQ(opcode(side, Opcode::EndIf, Opcode::EndLoop),
            "command 3 (end-loop) lies in the block that command 1 (if) begins");
  EXPECT_EQ(opcode(side, Opcode::EndIf, Opcode::EndWhen),
            "command 3 (end-when) lies in the block that command 1 (if) begins");
  EXPECT_EQ(opcode(side, Opcode::Else, Opcode::Otherwise),
            "command 2 (otherwise) lies in the block that command 1 (if) begins");
  EXPECT_EQ(opcode(side, Opcode::EndIf, Opcode::Else),
            "command 3 begins the third side of a block");
  EXPECT_EQ(opcode(side, Opcode::Else, Opcode::EndIf), "command 3 lies in no block");
  EXPECT_EQ(build(loop, [](Program &p) { std::swap(p.code[2], p.code[3]); }),
            "command 2 returns inside a block");
  EXPECT_EQ(build([](ProgramBuilder &p) {
              RegisterRef two = p.constant(2);
              for (uint32_t i = 0; i <= maxBlockDepth; ++i)
                p.repeat(two);
              for (uint32_t i = 0; i <= maxBlockDepth; ++i)
                p.endLoop();
            }),
            "command 17 begins a block inside of 16");
}

TEST(Blocks, WhatIsMadeInOneIsSeenInThat) {
  EXPECT_EQ(build([](ProgramBuilder &p) {
              p.repeat(p.constant(1));
              RegisterRef inside = p.constant(5);
              p.endLoop();
              p.guard(inside);
            }),
            "command 4 uses register 1, of a block that is over");
  EXPECT_EQ(build([](ProgramBuilder &p) {
              p.beginIf(p.bindArgument(1));
              BufferRef inside = p.bindArgument(0);
              p.beginElse();
              p.copy(p.bindResult(1), inside);
              p.endIf();
            }),
            "command 5 uses buffer 1, of a block that is over");
}

/// A size that is late, in a module that has one.
static std::string late(const std::function<void(ProgramBuilder &, RegisterRef)> &make) {
  Metadata metadata = makeCacheMetadata();
  ProgramBuilder p("host");
  make(p, p.symbol(1));
  metadata.functions[0].programs = {p.finish()};
  return verify(metadata);
}

TEST(Blocks, LateSymbolsDecideNothing) {
  constexpr const char *decides = "command 1 decides by a late symbol";
  EXPECT_EQ(late([](ProgramBuilder &p, RegisterRef rows) {
              p.repeat(rows);
              p.endLoop();
            }),
            decides);
  EXPECT_EQ(late([](ProgramBuilder &p, RegisterRef rows) {
              p.repeatRead(p.bindArgument(0), rows);
              p.endLoop();
            }),
            "command 2 decides by a late symbol");
  EXPECT_EQ(late([](ProgramBuilder &p, RegisterRef rows) {
              p.beginWhile(p.bindArgument(0), rows);
              p.endLoop();
            }),
            "command 2 decides by a late symbol");
  EXPECT_EQ(late([](ProgramBuilder &p, RegisterRef) {
              p.beginIf(p.bindArgument(2));
              p.endIf();
            }),
            "command 2 reads a buffer whose size depends on a late symbol");
  for (int which : {1, 2, 3})
    EXPECT_EQ(late([&](ProgramBuilder &p, RegisterRef rows) {
                RegisterRef one = p.constant(1);
                BufferRef x = p.bindArgument(0);
                p.repeat(one);
                p.advance(x, which == 1 ? rows : one, which == 2 ? rows : one,
                          which == 3 ? rows : one);
                p.endLoop();
              }),
              "command 4 takes a slice whose place or size depends on a late symbol");
}

/// What is used in a loop and reserved outside of it lives over all of the loop.
TEST(Blocks, LifetimesTakeInLoops) {
  auto make = [](ProgramBuilder &p) {
    BufferRef x = p.bindArgument(0);
    BufferRef a = p.reserve(256), b = p.reserve(256);
    p.copy(a, x);
    p.repeat(p.constant(2));
    p.copy(b, a);
    BufferRef c = p.reserve(256);
    p.copy(c, b);
    p.endLoop();
  };
  ProgramBuilder p("host");
  make(p);
  Program program = p.finish();
  // bind const reserve reserve copy const repeat copy reserve copy end-loop return
  ASSERT_EQ(program.code[10].opcode, uint16_t(Opcode::EndLoop));
  EXPECT_EQ(program.intervals[0].first, 4u);
  EXPECT_EQ(program.intervals[0].last, 10u);
  EXPECT_EQ(program.intervals[1].first, 6u);
  EXPECT_EQ(program.intervals[1].last, 10u);
  EXPECT_EQ(program.intervals[2].first, 9u);
  EXPECT_EQ(program.intervals[2].last, 9u);
  EXPECT_EQ(build(make), "accepted");
  EXPECT_EQ(build(make, [](Program &p) { p.intervals[0].last = 9; }),
            "interval 0 lives to command 9, but is used in the loop from command 6 to 10");
  EXPECT_EQ(build(make, [](Program &p) { p.intervals[1].first = 7; }),
            "command 7 uses interval 1, which lives from command 7 on, in the loop that command 6 "
            "begins");
}

/// The condition of a `while` is read again, those of others are not.
TEST(Blocks, ConditionsLive) {
  auto decide = [](int which) {
    return [which](ProgramBuilder &p) {
      BufferRef flag = p.reserve(8);
      p.fill(flag, 0, 8);
      if (which == 0)
        p.beginIf(flag);
      else if (which == 1)
        p.repeatRead(flag, p.constant(3));
      else
        p.beginWhile(flag, p.constant(3));
      p.constant(4);
      which == 0 ? p.endIf() : p.endLoop();
    };
  };
  auto last = [](uint32_t command) {
    return [command](Program &p) { p.intervals[0].last = command; };
  };
  EXPECT_EQ(build(decide(0), last(3)), "accepted");
  EXPECT_EQ(build(decide(0), last(2)),
            "command 3 uses interval 0, which lives from command 2 to 2");
  EXPECT_EQ(build(decide(1), last(4)), "accepted");
  EXPECT_EQ(build(decide(1), last(3)),
            "command 4 uses interval 0, which lives from command 2 to 3");
  EXPECT_EQ(build(decide(2)), "accepted");
  EXPECT_EQ(build(decide(2), last(5)),
            "interval 0 lives to command 5, but is used in the loop from command 4 to 6");
}

TEST(Blocks, Rotations) {
  auto rotate = [](int which) {
    return [which](ProgramBuilder &p) {
      RegisterRef size = p.constant(256), other = p.constant(128);
      BufferRef a = p.reserve(size), b = p.reserve(which == 0 ? other : size);
      BufferRef x = p.bindResult(1), part = p.slice(b, p.constant(0), size);
      p.repeat(p.constant(2));
      BufferRef inside = p.reserve(size);
      p.copy(x, a);
      if (which == 1)
        p.repeat(p.constant(2));
      p.rotate(which == 2 ? x : a, which == 3 ? part : which == 4 ? inside : b);
      if (which == 1)
        p.endLoop();
      if (which == 5)
        p.copy(x, b);
      p.endLoop();
      p.copy(x, a);
    };
  };
  constexpr const char *differ = "command 11 rotates intervals 0 and 1, which differ in size, "
                                 "alignment, slot or lifetime";
  EXPECT_EQ(build(rotate(9)), "accepted");
  EXPECT_EQ(build(rotate(1)), "accepted");
  EXPECT_EQ(build(rotate(5)), "command 12 comes behind a rotate in the loop's body");
  EXPECT_EQ(build(rotate(9), [](Program &p) { find(p, Opcode::Repeat).opcode = 0; }),
            "command 8 has unknown opcode 0");
  EXPECT_EQ(build([](ProgramBuilder &p) {
              BufferRef a = p.reserve(64), b = p.reserve(64);
              p.beginIf(p.bindArgument(1));
              p.rotate(a, b);
              p.endIf();
            }),
            "command 5 rotates outside of a loop");
  EXPECT_EQ(build(rotate(3)), "command 11 rotates what is not two reserved buffers");
  EXPECT_EQ(build(rotate(9),
                  [](Program &p) {
                    Command &at = find(p, Opcode::Rotate);
                    p.operands[at.first] = p.operands[at.first + 1];
                  }),
            "command 11 rotates what is not two reserved buffers");
  EXPECT_EQ(build(rotate(9), [](Program &p) { p.operands[find(p, Opcode::Rotate).first] = 2; }),
            "command 11 rotates what is not two reserved buffers");
  EXPECT_EQ(build(rotate(4)),
            "command 11 rotates buffers that are not reserved side by side outside of the loop");
  EXPECT_EQ(build(rotate(0)), differ);
  EXPECT_EQ(build(rotate(9), [](Program &p) { p.intervals[1].alignment = 128; }), differ);
  EXPECT_EQ(build(rotate(9), [](Program &p) { --p.intervals[1].first; }), differ);
  EXPECT_EQ(build(rotate(9), [](Program &p) { ++p.intervals[1].last; }), differ);
}

TEST(Blocks, Advances) {
  auto advance = [](ProgramBuilder &p) {
    BufferRef x = p.bindArgument(0);
    RegisterRef step = p.constant(64);
    p.repeat(p.constant(4));
    BufferRef y = p.advance(x, step, step, step);
    p.copy(p.reserve(64), y);
    p.endLoop();
  };
  EXPECT_EQ(build(advance), "accepted");
  EXPECT_EQ(build([](ProgramBuilder &p) {
              RegisterRef step = p.constant(64);
              p.beginIf(p.bindArgument(1));
              p.advance(p.bindArgument(0), step, step, step);
              p.endIf();
            }),
            "command 4 advances outside of a loop");
  // Through it an argument is not written, and an interval is used.
  EXPECT_EQ(build([](ProgramBuilder &p) {
              RegisterRef step = p.constant(64);
              p.repeat(step);
              p.fill(p.advance(p.bindArgument(0), step, step, step), 0, 1);
              p.endLoop();
            }),
            "command 4 writes to an argument");
  ProgramBuilder p("host");
  RegisterRef step = p.constant(64);
  BufferRef whole = p.reserve(p.constant(256));
  p.repeat(p.constant(4));
  p.fill(p.advance(whole, step, step, step), 0, 1);
  p.endLoop();
  Program program = p.finish();
  EXPECT_EQ(program.intervals[0].first, 4u);
  EXPECT_EQ(program.intervals[0].last, 7u);
}

/// Memory that is reserved in a loop has a place; in a `when` it has none.
TEST(Blocks, StaticPlaces) {
  Metadata metadata = makeLoopsMetadata();
  const Program &program = metadata.functions[0].programs[0];
  for (const Interval &interval : program.intervals)
    EXPECT_GE(interval.offset, 0);
  // What is only used in the second loop lies where what is needed before or behind it does not.
  EXPECT_EQ(program.slots[0].slabs, (std::vector<uint64_t>{192}));
  EXPECT_EQ(damage([](Program &p) { p.intervals[4].offset = p.intervals[0].offset; }),
            "intervals 0 and 4 share bytes 0 to 64 of slab 0 at command 32");
}

TEST(Blocks, NoneInInitializers) {
  auto initializer = [](const std::function<void(ProgramBuilder &)> &make) {
    Metadata metadata = makeDerivedMetadata();
    ProgramBuilder once("host");
    make(once);
    metadata.functions[0].programs[0].initializer = {once.finish()};
    return verify(metadata);
  };
  EXPECT_EQ(initializer([](ProgramBuilder &p) {
              p.repeat(p.constant(1));
              p.endLoop();
            }),
            "initializer: command 1 begins or ends a block");
  EXPECT_EQ(initializer([](ProgramBuilder &p) {
              RegisterRef one = p.constant(1);
              p.advance(p.reserve(one), one, one, one);
            }),
            "initializer: command 2 advances outside of a loop");
}

TEST(Blocks, Described) {
  std::string text;
  Error error;
  ASSERT_TRUE(describeModule(assemble(makeLoopsMetadata()), {true}, text, error)) << error.message;
  auto contains = [&](const char *line) { EXPECT_NE(text.find(line), text.npos) << text; };
  contains(": repeat r2: 3 // Add_0 at model.onnx:3:1\n");
  contains(":   rotate b4 b5");
  contains(": repeat-read b7 r5 // Loop_2\n");
  contains(":   b10 = advance b3 r9 r10 r4");
  contains(": while b6 r5");
  contains(": if b");
  contains(": else");
  contains(": end-if");
}
