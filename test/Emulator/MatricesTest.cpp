// Fragments of matrix instructions: each product of one-hot operands must come out where the manual
// says.
#include "Harness.h"

#include <bit>

using namespace tw::test;

namespace {

/// Row and column of element i (in order of registers and of halves in them) of lane l.
struct Place {
  uint32_t row, column;
};

// PTX manual, fragments of mma.m16n8k16 with 16-bit elements.
Place placeA(uint32_t lane, uint32_t i) {
  return {lane / 4 + ((i < 2 || (4 <= i && i < 6)) ? 0 : 8),
          lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Place placeB(uint32_t lane, uint32_t i) {
  return {lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4};
}
Place placeC(uint32_t lane, uint32_t i) {
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

const std::string multiply = kernel(R"(
    mul.wide.u32 %d7, %r0, 16; add.s64 %d8, %d0, %d7;
    mul.wide.u32 %d9, %r0, 8; add.s64 %d10, %d1, %d9;
    add.s64 %d11, %d2, %d7;
    ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d8];
    ld.global.v2.b32 {%r5, %r6}, [%d10];
    mov.b32 %r7, 0;
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r8, %r9, %r10, %r11}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r7, %r7, %r7};
    st.global.v4.b32 [%d11], {%r8, %r9, %r10, %r11};)");

uint16_t brain(float value) { return uint16_t(std::bit_cast<uint32_t>(value) >> 16); }

} // namespace

TEST(Matrices, Product16) {
  float a[16][16], b[16][8];
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t k = 0; k < 16; ++k) {
      a[i][k] = float(int(i * 7 + k * 3) % 11 - 5);
      if (i < 8)
        b[k][i] = float(int(k * 5 + i * 2) % 13 - 6);
    }
  Machine machine;
  auto *halvesA = reinterpret_cast<uint16_t *>(machine.a.data()),
       *halvesB = reinterpret_cast<uint16_t *>(machine.b.data());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t i = 0; i < 8; ++i)
      halvesA[8 * lane + i] = brain(a[placeA(lane, i).row][placeA(lane, i).column]);
    for (uint32_t i = 0; i < 4; ++i)
      halvesB[4 * lane + i] = brain(b[placeB(lane, i).row][placeB(lane, i).column]);
  }
  ASSERT_EQ(machine.run(multiply), "");
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t i = 0; i < 4; ++i) {
      Place place = placeC(lane, i);
      float expected = 0;
      for (uint32_t k = 0; k < 16; ++k)
        expected += a[place.row][k] * b[k][place.column];
      EXPECT_EQ(std::bit_cast<float>(machine.c[4 * lane + i]), expected) << lane << " " << i;
    }
}

TEST(Matrices, NeedsTheWholeWarp) {
  Machine machine;
  EXPECT_FAULT(machine.run(edit(multiply, "mma.sync", "setp.lt.u32 %p1, %r0, 16; @%p1 mma.sync")),
               "in divergent code");
}

/// ldmatrix of what a plain store has written; .trans; and back with stmatrix.
TEST(Matrices, LoadsAndStores) {
  const char *local = ".shared .align 16 .b8 s[512];\n";
  std::string text = kernel(R"(
    mov.b64 %d7, s; mul.wide.u32 %d8, %r0, 16; add.s64 %d8, %d8, %d7;
    mul.wide.u32 %d9, %r0, 16; add.s64 %d10, %d0, %d9; add.s64 %d11, %d2, %d9;
    ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d10];
    st.shared.v4.b32 [%d8], {%r1, %r2, %r3, %r4};
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%d8];
    st.global.v4.b32 [%d11], {%r5, %r6, %r7, %r8};)",
                            local);
  Machine machine;
  auto *from = reinterpret_cast<uint16_t *>(machine.a.data()),
       *to = reinterpret_cast<uint16_t *>(machine.c.data());
  for (uint32_t i = 0; i < 256; ++i)
    from[i] = uint16_t(1000 + i);
  for (bool transposed : {false, true}) {
    ASSERT_EQ(machine.run(transposed ? edit(text, "x4.shared", "x4.trans.shared") : text), "");
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t m = 0; m < 4; ++m)
        for (uint32_t h = 0; h < 2; ++h) {
          uint32_t row = lane / 4, column = lane % 4 * 2 + h;
          if (transposed)
            std::swap(row, column);
          EXPECT_EQ(to[8 * lane + 2 * m + h], 1000 + 64 * m + 8 * row + column);
        }
  }
  // What stmatrix stores, a plain load finds as it was.
  std::string back = edit(text, "st.global.v4.b32 [%d11], {%r5, %r6, %r7, %r8};",
                          "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%d8], {%r5, %r6, %r7, %r8};"
                          "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%d8]; st.global.v4.b32 [%d11], "
                          "{%r1, %r2, %r3, %r4};");
  ASSERT_EQ(machine.run(back), "");
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(to[i], 1000 + i);
}

TEST(Matrices, Bytes) {
  // A and B of ones but one row and column: sums of 32.
  std::string text =
      edit(multiply, "m16n8k16.row.col.f32.bf16.bf16.f32", "m16n8k32.row.col.s32.s8.s8.s32");
  Machine machine;
  machine.a.assign(1024, 0xffffffffu);
  machine.b.assign(1024, 0x02020202u);
  ASSERT_EQ(machine.run(text), "");
  EXPECT_EQ(machine.c[5], uint32_t(-64));
  ASSERT_EQ(machine.run(edit(text, "s32.s8.s8.s32", "s32.u8.s8.s32")), "");
  EXPECT_EQ(machine.c[5], 255u * 2 * 32);
}
