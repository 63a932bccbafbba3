// What instructions compute, against values that the PTX manual gives.
#include "Harness.h"

#include <bit>
#include <cmath>
#include <tuple>

using namespace tw::test;

/// One instruction of 32-bit operands over lanes: `op %r3, %r1, %r2`.
static uint32_t apply(const std::string &op, uint32_t a, uint32_t b = 0) {
  Machine machine;
  machine.a.assign(1024, a);
  machine.b.assign(1024, b);
  EXPECT_EQ(machine.run(kernel("ld.global.b32 %r1, [%d4]; ld.global.b32 %r2, [%d5];\n" + op +
                               "\nst.global.b32 [%d6], %r3;")),
            "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(machine.c[lane], machine.c[0]);
  return machine.c[0];
}

static uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }
static float real(uint32_t value) { return std::bit_cast<float>(value); }

TEST(PtxInstructions, Integers) {
  EXPECT_EQ(apply("shl.b32 %r3, %r1, %r2;", 1, 40), 0u);
  EXPECT_EQ(apply("shr.s32 %r3, %r1, %r2;", 0x80000000u, 99), 0xffffffffu);
  EXPECT_EQ(apply("shr.u32 %r3, %r1, 31;", 0x80000000u), 1u);
  EXPECT_EQ(apply("mul.hi.s32 %r3, %r1, %r2;", uint32_t(-2), 3), 0xffffffffu);
  EXPECT_EQ(apply("mul.hi.u32 %r3, %r1, %r2;", uint32_t(-2), 3), 2u);
  EXPECT_EQ(apply("div.s32 %r3, %r1, %r2;", 0x80000000u, uint32_t(-1)), 0x80000000u);
  EXPECT_EQ(apply("rem.s32 %r3, %r1, %r2;", uint32_t(-7), 3), uint32_t(-1));
  EXPECT_EQ(apply("bfe.s32 %r3, %r1, 4, 8;", 0xf80), 0xfffffff8u);
  EXPECT_EQ(apply("bfe.u32 %r3, %r1, 28, 16;", 0xf0000000u), 15u);
  EXPECT_EQ(apply("prmt.b32 %r3, %r1, %r2, 0x7650;", 0x03020100, 0x07060504), 0x07060500u);
  EXPECT_EQ(apply("prmt.b32 %r3, %r1, %r2, 0x9999;", 0x0000ff00, 0), 0xffffffffu);
  EXPECT_EQ(apply("lop3.b32 %r3, %r1, %r2, %r1, 0x3c;", 0xff00ff00u, 0x0ff00ff0u), 0xf0f0f0f0u);
  EXPECT_EQ(apply("shf.l.wrap.b32 %r3, %r1, %r2, 8;", 0x11223344u, 0x55667788u), 0x66778811u);
}

TEST(PtxInstructions, Floats) {
  float nan = NAN;
  EXPECT_EQ(apply("min.f32 %r3, %r1, %r2;", bits(nan), bits(2)), bits(2));
  EXPECT_TRUE(std::isnan(real(apply("min.NaN.f32 %r3, %r1, %r2;", bits(nan), bits(2)))));
  EXPECT_EQ(apply("max.f32 %r3, %r1, %r2;", bits(-0.0f), bits(0.0f)), bits(0.0f));
  EXPECT_EQ(apply("min.f32 %r3, %r1, %r2;", bits(0.0f), bits(-0.0f)), bits(-0.0f));
  EXPECT_EQ(apply("copysign.f32 %r3, %r1, %r2;", bits(-1), bits(3)), bits(-3));
  EXPECT_EQ(apply("mul.rn.f32 %r3, %r1, %r2;", bits(0x1p-100f), bits(0x1p-40f)), bits(0x1p-140f));
  EXPECT_EQ(apply("mul.rn.ftz.f32 %r3, %r1, %r2;", bits(-0x1p-100f), bits(0x1p-40f)), bits(-0.0f));
  // One rounding: 1 + 2^-24 squared less 1 is not what two roundings give.
  EXPECT_EQ(apply("fma.rn.f32 %r3, %r1, %r1, %r2;", bits(1 + 0x1p-12f), bits(-1)),
            bits(0x1p-11f + 0x1p-24f));
  EXPECT_EQ(apply("ex2.approx.ftz.f32 %r3, %r1;", bits(3)), bits(8));
  EXPECT_EQ(apply("rsqrt.approx.f32 %r3, %r1;", bits(4)), bits(0.5f));
}

/// The predicates of both halves, the lower one first.
TEST(PtxInstructions, ComparesBothHalves) {
  auto compare = [](const std::string &op, uint32_t a, uint32_t b) {
    return apply("setp.eq.u32 %p3, %r1, %r1; setp." + op +
                     "; selp.b32 %r3, 1, 0, %p1; selp.b32 %r4, 2, 0, %p2; or.b32 %r3, %r3, %r4;",
                 a, b);
  };
  // 1 and NaN with 1 and 1; 1 and 2 with 1 and 1; of bf16 1 and -1 with 2 and -2.
  EXPECT_EQ(compare("neu.f16x2 %p1|%p2, %r1, %r2", 0x7e003c00u, 0x3c003c00u), 2u);
  EXPECT_EQ(compare("eq.f16x2 %p1|%p2, %r1, %r2", 0x7e003c00u, 0x3c003c00u), 1u);
  EXPECT_EQ(compare("num.f16x2 %p1|%p2, %r1, %r2", 0x7e003c00u, 0x3c003c00u), 1u);
  EXPECT_EQ(compare("geu.f16x2 %p1|%p2, %r1, %r2", 0x7e003c00u, 0x3c004000u), 2u);
  EXPECT_EQ(compare("gt.f16x2 %p1|%p2, %r1, %r2", 0x40003c00u, 0x3c003c00u), 2u);
  EXPECT_EQ(compare("lt.bf16x2 %p1|%p2, %r1, %r2", 0xbf803f80u, 0xc0004000u), 1u);
  EXPECT_EQ(compare("lt.xor.bf16x2 %p1|%p2, %r1, %r2, %p3", 0xbf803f80u, 0xc0004000u), 2u);
  EXPECT_EQ(compare("le.and.bf16x2 %p1|%p2, %r1, %r2, %p3", 0xbf803f80u, 0xc0004000u), 1u);
}

TEST(PtxInstructions, ConversionsToIntegersSaturate) {
  EXPECT_EQ(apply("cvt.rzi.s32.f32 %r3, %r1;", bits(3e9f)), 0x7fffffffu);
  EXPECT_EQ(apply("cvt.rzi.s32.f32 %r3, %r1;", bits(-3e9f)), 0x80000000u);
  EXPECT_EQ(apply("cvt.rzi.u32.f32 %r3, %r1;", bits(-1)), 0u);
  EXPECT_EQ(apply("cvt.rzi.s32.f32 %r3, %r1;", bits(NAN)), 0u);
  EXPECT_EQ(apply("cvt.rni.s32.f32 %r3, %r1;", bits(2.5f)), 2u);
  EXPECT_EQ(apply("cvt.rzi.s64.f32 %d7, %r1; mov.b64 {_, %r3}, %d7;", bits(NAN)), 0x80000000u);
}

TEST(PtxInstructions, SmallFloats) {
  auto toBrain = [](float v) {
    return apply("cvt.rn.bf16x2.f32 %r3, %r1, %r2;", bits(v), bits(1)) >> 16;
  };
  EXPECT_EQ(apply("cvt.rn.bf16x2.f32 %r3, %r1, %r2;", bits(1), bits(2)),
            0x3f804000u);                   // the first is the upper half
  EXPECT_EQ(toBrain(1 + 0x1p-8f), 0x3f80u); // a tie goes to even
  EXPECT_EQ(toBrain(1 + 3 * 0x1p-8f), 0x3f82u);
  EXPECT_EQ(toBrain(3.4e38f), 0x7f80u);
  EXPECT_EQ(toBrain(0x1p-140f), 0x0000u);
  EXPECT_EQ(toBrain(0x1p-130f), 0x0008u);
  // Whole numbers of 16 bits: halves to even, towards 0, up.
  for (auto [op, a, whole] :
       {std::tuple("rni.f16.f16", 0x4100u, 0x4000u), std::tuple("rzi.f16.f16", 0xc100u, 0xc000u),
        std::tuple("rni.bf16.bf16", 0x4060u, 0x4080u),
        std::tuple("rpi.bf16.bf16", 0x4020u, 0x4040u)})
    EXPECT_EQ(
        ::apply(std::string("cvt.u16.u32 %h1, %r1; cvt.") + op + " %h2, %h1; cvt.u32.u16 %r3, %h2;",
                a),
        whole)
        << op;
  auto toHalf = [](float v) { return apply("cvt.rn.f16x2.f32 %r3, %r1, %r1;", bits(v)) & 0xffff; };
  EXPECT_EQ(toHalf(65504), 0x7bffu);
  EXPECT_EQ(toHalf(65520), 0x7c00u);
  EXPECT_EQ(toHalf(65519.99f), 0x7bffu);
  EXPECT_EQ(toHalf(0x1p-24f), 0x0001u);
  EXPECT_EQ(toHalf(0x1p-25f), 0x0000u);
  EXPECT_EQ(toHalf(1.5f * 0x1p-25f), 0x0001u);
  // Every half is what it was after a way through f32.
  for (uint32_t h = 0; h < 0x10000; h += 257) {
    bool isNaN = (h & 0x7fff) > 0x7c00;
    uint32_t back = apply("mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %r2, %h1; cvt.rn.f16.f32 %h3, %r2;"
                          "mov.b32 %r3, {%h3, %h2};",
                          h);
    EXPECT_EQ(isNaN ? back & 0x7fff : back, isNaN ? 0x7fffu : h);
  }
  // Rounded once: 1.0078125 squared less 1 is 2^-6 (1 + 2^-8), a tie; squared alone it would
  // be 1.015625.
  EXPECT_EQ(apply("fma.rn.bf16x2 %r3, %r1, %r1, %r2;", 0x3f813f81u, 0xbf80bf80u), 0x3c803c80u);
  EXPECT_EQ(apply("fma.rn.bf16x2 %r3, %r1, %r1, %r2;", 0x3f833f83u, 0xbf80bf80u), 0x3d423d42u);
  EXPECT_EQ(apply("cvt.rn.satfinite.e4m3x2.f32 %h1, %r1, %r2; cvt.u32.u16 %r3, %h1;", bits(1000),
                  bits(-0.5f)),
            0x7eb0u);
  EXPECT_EQ(apply("cvt.u16.u32 %h1, %r1; cvt.rn.f16x2.e4m3x2 %r3, %h1;", 0x7eb0u), 0x5f00b800u);
}

TEST(PtxInstructions, Exchanges) {
  Machine machine;
  for (uint32_t i = 0; i < 32; ++i)
    machine.a[i] = 100 + i;
  EXPECT_EQ(machine.run(kernel(R"(
    ld.global.b32 %r1, [%d4];
    shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;
    shfl.sync.up.b32 %r3|%p1, %r1, 4, 0, -1;
    selp.b32 %r4, 1000, 0, %p1;
    setp.lt.u32 %p2, %r0, 7;
    vote.sync.ballot.b32 %r5, %p2, -1;
    add.s32 %r2, %r2, %r4;
    st.global.b32 [%d6], %r2;
    st.global.b32 [%d6+128], %r3;
    st.global.b32 [%d6+256], %r5;)")),
            "");
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(machine.c[i], 100 + (i ^ 5) + (i >= 4 ? 1000 : 0));
    EXPECT_EQ(machine.c[32 + i], 100 + (i >= 4 ? i - 4 : i));
    EXPECT_EQ(machine.c[64 + i], 127u);
  }
}

TEST(PtxInstructions, DivergentLanesMeetAgain) {
  Machine machine;
  // A loop that lanes leave one after the other, then a shuffle of all of them.
  EXPECT_EQ(machine.run(kernel(R"(
    mov.b32 %r1, 0;
    L: add.s32 %r1, %r1, 2;
    setp.lt.u32 %p1, %r1, %r0;
    @%p1 bra L;
    shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;
    st.global.b32 [%d6], %r2;)")),
            "");
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(machine.c[i], std::max(2u, ((i ^ 1) + 1) / 2 * 2));
}
