// Commands: the table, the assembler, the disassembler.
#include "SampleModules.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Describe.h"
#include "tw/Format/ProgramBuilder.h"

#include <gtest/gtest.h>

using namespace tw::format;

TEST(Commands, TableIsInOrderAndComplete) {
  uint16_t last = 0;
  for (const OpcodeInfo &info : opcodeTable()) {
    EXPECT_GT(uint16_t(info.opcode), last);
    last = uint16_t(info.opcode);
    EXPECT_EQ(findOpcode(last), &info);
    EXPECT_LE(info.operandCount, 4);
  }
  EXPECT_EQ(findOpcode(0), nullptr);
  EXPECT_EQ(findOpcode(60000), nullptr);
}

TEST(Commands, CheckedArithmetic) {
  int64_t r;
  EXPECT_TRUE(checkedFloorDiv(-7, 2, r) && r == -4);
  EXPECT_TRUE(checkedFloorDiv(7, -2, r) && r == -4);
  EXPECT_TRUE(checkedFloorDiv(-8, 2, r) && r == -4);
  EXPECT_TRUE(checkedCeilDiv(-7, 2, r) && r == -3);
  EXPECT_TRUE(checkedCeilDiv(7, 2, r) && r == 4);
  EXPECT_TRUE(checkedMod(-7, 2, r) && r == 1);
  EXPECT_TRUE(checkedMod(7, -2, r) && r == -1);
  EXPECT_TRUE(checkedMod(INT64_MIN, -1, r) && r == 0);
  EXPECT_FALSE(checkedFloorDiv(1, 0, r));
  EXPECT_FALSE(checkedCeilDiv(INT64_MIN, -1, r));
  EXPECT_FALSE(checkedMod(1, 0, r));
  EXPECT_FALSE(checkedMul(INT64_MAX, int64_t(2), r));
  uint64_t u;
  EXPECT_FALSE(checkedAlign(UINT64_MAX, 64, u));
  EXPECT_TRUE(checkedAlign(65, 64, u) && u == 128);
  EXPECT_FALSE(rangeWithin(UINT64_MAX, 2, 10));
  EXPECT_TRUE(rangeWithin(10, 0, 10));
}

TEST(Commands, BuilderSharesConstantsAndBindings) {
  ProgramBuilder builder("host");
  EXPECT_EQ(builder.constant(4).index, builder.constant(4).index);
  EXPECT_EQ(builder.bindArgument(1).index, builder.bindArgument(1).index);
  EXPECT_NE(builder.bindArgument(1).index, builder.bindResult(1).index);
}

TEST(Commands, BuilderSettlesLifetimesAndPlans) {
  ProgramBuilder builder("host");
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0);
  BufferRef a = builder.reserve(4096), b = builder.reserve(4096), c = builder.reserve(4096);
  builder.copy(a, x);
  builder.copy(b, a);
  builder.copy(c, b);
  builder.copy(y, c);
  ArenaReport report;
  Program program = builder.finish(&report);
  EXPECT_EQ(report.peakLiveBytes, 8192u);
  EXPECT_EQ(report.totalBytes, 8192u);
  ASSERT_EQ(program.intervals.size(), 3u);
  EXPECT_EQ(program.intervals[1].last, program.intervals[1].first + 1);
  EXPECT_EQ(program.slots[0].slabs, std::vector<uint64_t>{8192});
  EXPECT_EQ(program.code.back().opcode, uint16_t(Opcode::Return));
}

TEST(Commands, BuilderKeepsGivenPlaces) {
  ProgramBuilder builder("host");
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0);
  BufferRef a = builder.reserve(256, 64, Placement{0, 128}), b = builder.reserve(64);
  builder.copy(a, x);
  builder.copy(b, x);
  builder.copy(y, a);
  Program program = builder.finish();
  EXPECT_EQ(program.intervals[0].offset, 128);
  EXPECT_EQ(program.intervals[1].slab, 1);
  EXPECT_EQ(program.intervals[1].offset, 0);
  EXPECT_EQ(program.slots[0].slabs, (std::vector<uint64_t>{384, 64}));
}

TEST(Commands, Describe) {
  std::string text;
  Error error;
  DescribeOptions options;
  options.sources = true;
  ASSERT_TRUE(describeModule(tw::test::makeAffineModule(), options, text, error)) << error.message;
  for (const char *line :
       {"producer hand-made, build 0123",
        "  0 w: f32[16], section 1, offset 0, 64 bytes, alignment 64",
        "  1 scale: 1 scalars, 64 flops, 512 bytes", "    binding read f32[64], alignment 64",
        "    variant host, section 2, entry scale at 0x10100, needs sse2 x86-64, scratch 64 bytes",
        "function main", "  argument 0 x: f32[64], alignment 4", "  result 0 y: f32[64]",
        "    slot host, slab of 256 bytes", "    2: b2 = bind constant 0",
        "launch add r1 r2 r2 b0 b2 b3 // Add_0 at model.onnx:3:1",
        "source of kernel 1\nfunc.func @scale()"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  text.clear();
  ASSERT_TRUE(describeModule(tw::test::makeManyTargetsModule(), {}, text, error)) << error.message;
  for (const char *line :
       {"section 4 OPENCL_C: ", "section 5 PTX: ", "section 6 CUBIN: ",
        "    variant opencl-c, section 4, entry add at 0x0, group 16x1x1, subgroup 32, local 64 "
        "bytes, 24 registers, 8 bytes spilled",
        "    variant cubin, section 6, entry scale at 0x0, needs cubin_sm_90, group",
        "  program host: 11 commands", "  program opencl: 11 commands",
        "    slot device, slabs of at most 134217728 bytes, offsets aligned to 256, slab of 256"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  text.clear();
  ASSERT_TRUE(describeModule(tw::test::makeDynamicModule(), {}, text, error)) << error.message;
  for (const char *line : {"  symbol S: 0..1024 step 4", "  argument 0 x: f32[S], alignment 4",
                           "r0 = dim 0 0", "cmp gt", "fill b4 1088421888 4", "return"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}
