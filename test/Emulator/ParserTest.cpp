// What the parser takes, and how it says what it does not.
#include "Harness.h"

using namespace tw::test;

static std::string parseError(const std::string &text) {
  std::string error;
  return ptx::parse(text, error) ? "no error" : error;
}

TEST(PtxParser, NamesLineAndTokenOfWhatItDoesNotKnow) {
  EXPECT_EQ(parseError(""), "line 1: a PTX text begins with .version, found 'the end of the text'");
  EXPECT_EQ(parseError(".version 7.0\n.target sm_80\n.texref t;\n"),
            "line 3: '.texref' is not known at this place");
  EXPECT_EQ(parseError(".version 7.0\n.address_size 32\n"),
            "line 2: expected addresses of 64 bits, found 32");
  std::string head = ".version 7.0\n.target sm_80\n.address_size 64\n.entry f() {\n.reg .b32 "
                     "%r<4>;\n.reg .b64 %d<2>;\n";
  EXPECT_EQ(parseError(head + "frob.b32 %r1, %r2;\n}"),
            "line 7: the instruction 'frob.b32' is not known");
  EXPECT_EQ(parseError(head + "add.s32 %r1, %r9, 1;\n}"), "line 7: no register '%r9'");
  EXPECT_EQ(parseError(head + "add.s32 %r1, %d1, 1;\n}"),
            "line 7: add.s32 takes 32 bits here, '%d1' has 64");
  EXPECT_EQ(parseError(head + "add.s32 %r1, %r2;\n}"), "line 7: add.s32 takes 3 operands, found 2");
  EXPECT_EQ(parseError(head + "bra nowhere;\n}"), "line 7: no label 'nowhere'");
  EXPECT_EQ(parseError(head + "add.s32 %r1, %r2 %r3;\n}"),
            "line 7: expected ',' or ';' after an operand of add.s32, found '%r3'");
  EXPECT_EQ(
      parseError(
          head +
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r0}, {%r1}, {%r2}, {%r3};\n}"),
      "line 7: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 takes 4 result and 10 source "
      "registers, "
      "found 1 and 3");
  EXPECT_EQ(parseError(head + "cp.async.cg.shared.global [%d0], [%d1], 8;\n}"),
            "line 7: cp.async.cg.shared.global copies 16 bytes, or 4 or 8 with .ca, not 8");
}

TEST(PtxParser, TakesScopesAndSinks) {
  Machine machine;
  for (uint32_t i = 0; i < 32; ++i)
    machine.a[i] = i;
  // Registers and labels of an inner scope are its own; '_' and a register that nobody reads throw
  // a half away.
  EXPECT_EQ(machine.run(kernel(R"(
    ld.global.b32 %r1, [%d4];
    mov.b64 %d7, {%r1, %r0};
    { .reg .b32 tmp; mov.b64 {tmp, %r2}, %d7; }
    mov.b64 {_, %r3}, %d7;
    { .reg .pred again; L: setp.eq.s32 again, %r3, -1; @again bra L; }
    { L: add.s32 %r2, %r2, %r3; }
    st.global.b32 [%d6], %r2;)")),
            "");
  EXPECT_EQ(machine.c[7], 14u);
}
