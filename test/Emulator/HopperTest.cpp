// A product by bulk copies of tensors and wgmma, and each fault that can be planted in it.
#include "Harness.h"
#include "PTX/TensorMap.h"

#include <bit>
#include <fstream>
#include <sstream>

using namespace tw::test;

namespace {

constexpr uint32_t M = 256, N = 256, K = 384;

std::string source(bool transposed) {
  std::ifstream file(std::string(TW_TEST_SOURCE_DIR "/Emulator/Inputs/gemm-sm90a") +
                     (transposed ? "-nt" : "") + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

float valueA(uint32_t i, uint32_t k) { return float(int(i * 5 + k * 3) % 9 - 4); }
float valueB(uint32_t k, uint32_t j) { return float(int(k * 7 + j * 5) % 11 - 5); }

struct Result {
  std::string fault;
  uint32_t wrong = 0;
};

constexpr uint32_t bf16 = 9, swizzle128 = 3;

ptx::TensorMap makeMap(const uint32_t *memory, uint32_t rows, uint32_t columns, uint32_t boxRows) {
  ptx::TensorMap map;
  const uint64_t extents[] = {columns, rows}, strides[] = {columns * 2};
  const uint32_t box[] = {64, boxRows}, ones[] = {1, 1};
  EXPECT_TRUE(ptx::encodeTiled(map, bf16, 2, reinterpret_cast<uintptr_t>(memory), extents, strides,
                               box, ones, 0, swizzle128, 0));
  return map;
}

/// `transposed`: the right operand is [n, k]. Blocks have 128 by 128 of the result each.
Result multiply(const std::string &text, bool transposed = false, uint32_t blocks = 1) {
  Machine machine(M * N);
  machine.threads = 384;
  machine.blocks = blocks;
  machine.dynamicBytes = 4 * 32768;
  auto *a = reinterpret_cast<uint16_t *>(machine.a.data()),
       *b = reinterpret_cast<uint16_t *>(machine.b.data());
  auto brain = [](float value) { return uint16_t(std::bit_cast<uint32_t>(value) >> 16); };
  for (uint32_t k = 0; k < K; ++k) {
    for (uint32_t i = 0; i < M; ++i)
      a[i * K + k] = brain(valueA(i, k));
    for (uint32_t j = 0; j < N; ++j)
      b[transposed ? j * K + k : k * N + j] = brain(valueB(k, j));
  }
  machine.setParameters = [&](std::vector<uint8_t> &parameters,
                              const std::vector<uint32_t *> &memory) {
    parameters.resize(264);
    ptx::TensorMap left = makeMap(memory[0], M, K, 128);
    ptx::TensorMap right =
        transposed ? makeMap(memory[1], N, K, 128) : makeMap(memory[1], K, N, 64);
    memcpy(parameters.data(), &left, sizeof(left));
    memcpy(parameters.data() + 128, &right, sizeof(right));
    memcpy(parameters.data() + 256, &memory[2], 8);
  };
  Result result;
  result.fault = machine.run(text, "gemm");
  for (uint32_t i = 0; i < (blocks == 1 ? 128 : M); ++i)
    for (uint32_t j = 0; j < (blocks == 1 ? 128 : N); ++j) {
      float expected = 0;
      for (uint32_t k = 0; k < K; ++k)
        expected += valueA(i, k) * valueB(k, j);
      result.wrong += std::bit_cast<float>(machine.c[i * N + j]) != expected;
    }
  return result;
}

std::string planted(const char *from, const char *to, size_t nth = 0) {
  return multiply(edit(source(false), from, to, nth)).fault;
}

} // namespace

TEST(Hopper, IsRight) {
  for (bool transposed : {false, true}) {
    Result result = multiply(source(transposed), transposed, 4);
    EXPECT_EQ(result.fault, "");
    EXPECT_EQ(result.wrong, 0u);
  }
}

TEST(Hopper, WhatIsNotWaitedForIsFound) {
  EXPECT_FAULT(planted("@!%p2 bra FILLED;", ""), "was not waited for");
  EXPECT_FAULT(planted("wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
               "where an asynchronous copy");
  EXPECT_NE(planted("wgmma.wait_group.sync.aligned 0;", ""), "");
  // Slots that are filled again while they are read, or that nobody gives back.
  EXPECT_NE(planted("@!%p2 bra FREE;", ""), "");
  EXPECT_FAULT(planted("@%p4 mbarrier.arrive.shared.b64 _, [%r13];", ""), "deadlock");
  EXPECT_FAULT(planted("xor.b32 %r14, %r14, 1;", ""), "deadlock");
  std::string early = edit(source(false), "@%p4 mbarrier.arrive.shared.b64 _, [%r13];", "");
  early = edit(early, "wgmma.commit_group.sync.aligned;",
               "wgmma.commit_group.sync.aligned;\n @%p4 mbarrier.arrive.shared.b64 _, [%r13];");
  EXPECT_NE(multiply(early).fault, "");
}

TEST(Hopper, WrongCountsAreFound) {
  EXPECT_FAULT(planted("_, [%r12], 32768;", "_, [%r12], 32784;"), "deadlock");
  EXPECT_NE(planted("_, [%r12], 32768;", "_, [%r12], 32752;"), "");
  EXPECT_FAULT(planted("[empty+8], 8;", "[empty+8], 9;"), "deadlock");
  EXPECT_NE(planted("[empty+8], 8;", "[empty+8], 7;"), "");
  EXPECT_NE(planted("[full+8], 1;", "[full+8], 2;"), "");
}

TEST(Hopper, MissingFencesAreFound) {
  EXPECT_FAULT(planted("fence.mbarrier_init.release.cluster;", ""), "without a fence");
  EXPECT_FAULT(planted("bar.sync 0;", ""), "race: uses the mbarrier");
  EXPECT_FAULT(planted("wgmma.fence.sync.aligned;", ""), "wgmma.fence");
  // A sum that is read while its product is under way.
  EXPECT_FAULT(planted("wgmma.commit_group.sync.aligned;",
                       "wgmma.commit_group.sync.aligned;\n mov.b32 %f3, %f4;"),
               "touches a register");
  EXPECT_FAULT(planted("STEP:", "STEP:\n mov.b32 %f3, %f4;\n wgmma.fence.sync.aligned;\n mov.b32 "
                                "%f4, %f3;\n bra.uni BEHIND;\nBEHIND:"
                                "\n"),
               "");
}

TEST(Hopper, OperandsThatLieElsewhereGiveWrongValues) {
  for (bool transposed : {false, true}) {
    std::string text = source(transposed);
    // The step of the right operand that the other order of its elements has; and no order at all.
    std::string step = transposed ? "add.s64 %d8, %d6, 2;" : "add.s64 %d8, %d6, 128;";
    std::string other = transposed ? "add.s64 %d8, %d6, 128;" : "add.s64 %d8, %d6, 2;";
    Result result = multiply(edit(text, step, other), transposed);
    EXPECT_TRUE(!result.fault.empty() || result.wrong > 0);
    result = multiply(edit(text, transposed ? "1, 1, 0, 0;" : "1, 1, 0, 1;",
                           transposed ? "1, 1, 0, 1;" : "1, 1, 0, 0;"),
                      transposed);
    EXPECT_TRUE(!result.fault.empty() || result.wrong > 0);
    // Sums that begin with what the registers held.
    result = multiply(edit(text, "%d5, %d6, %p5", "%d5, %d6, %p6"), transposed);
    EXPECT_TRUE(!result.fault.empty() || result.wrong > 0);
  }
}

TEST(Hopper, MapsHaveRules) {
  ptx::TensorMap map;
  uint64_t extents[] = {64, 64}, strides[] = {128};
  uint32_t box[] = {64, 64}, ones[] = {1, 1};
  auto encode = [&](uint64_t address = 4096, uint32_t swizzle = swizzle128) {
    return ptx::encodeTiled(map, bf16, 2, address, extents, strides, box, ones, 0, swizzle, 0);
  };
  EXPECT_TRUE(encode());
  EXPECT_FALSE(encode(4100));
  EXPECT_FALSE(encode(4096, 2)); // rows of 128 bytes in a swizzle of 64
  box[1] = 257;
  EXPECT_FALSE(encode());
  box[1] = 64;
  strides[0] = 120;
  EXPECT_FALSE(encode());
}

TEST(Hopper, WhoAsksFirstAsksInVain) {
  // A thread that has its own copy made and asks once.
  std::string source =
      kernel(".shared .align 128 .b8 box[128]; .shared .align 8 .b64 full;\n"
             "mov.u32 %r1, box; mov.u32 %r2, full; setp.eq.u32 %p0, %r0, 0;\n"
             "@%p0 mbarrier.init.shared::cta.b64 [%r2+0], 1;\n"
             "fence.mbarrier_init.release.cluster;\n"
             "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+0], 128;\n"
             "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+0], "
             "[%d0], 128, [%r2+0];\n"
             "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+0], 0;\n"
             "@!%p1 bra AGAIN;\n"
             "shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r1; ld.shared.b32 %r4, [%r3];\n"
             "st.global.b32 [%d6], %r4;");
  Machine machine;
  for (size_t i = 0; i < machine.a.size(); ++i)
    machine.a[i] = uint32_t(i * 3);
  EXPECT_EQ(machine.run(source), "");
  EXPECT_EQ(machine.c[31], 93u);
  EXPECT_FAULT(Machine().run(edit(source, "@!%p1 bra AGAIN;", "")), "was not waited for");
}

TEST(Hopper, BoxesOfThreeDimensions) {
  // Columns in parts of 64, the dimension of parts last: of 128 columns and 8 rows of a matrix of
  // 192 columns and 6 rows, from column 128 and row 2 on, what there is.
  std::string source = kernel(
      ".shared .align 1024 .b8 box[2048]; .shared .align 8 .b64 full;\n"
      "mov.u32 %r1, box; mov.u32 %r2, full; setp.eq.u32 %p0, %r0, 0;\n"
      "@%p0 mbarrier.init.shared::cta.b64 [%r2+0], 1;\n"
      "fence.mbarrier_init.release.cluster;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+0], 2048;\n"
      "mov.u64 %d7, a; cvta.param.u64 %d7, %d7; mov.u32 %r5, 0; mov.u32 %r6, 2;\n"
      "@%p0 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%r1+0], [%d7, {%r5, %r6, %r6}], [%r2+0];\n"
      "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2+0], 0;\n"
      "@!%p1 bra AGAIN;\n"
      "shl.b32 %r3, %r0, 4; add.u32 %r3, %r3, %r1; ld.shared.b32 %r4, [%r3];\n"
      "st.global.b32 [%d6], %r4; ld.shared.b32 %r4, [%r3+1024];\n"
      "st.global.b32 [%d6+128], %r4;");
  source = edit(source, ".param .u64 .ptr .global .align 16 a", ".param .align 64 .b8 a[128]");
  source = edit(source, "ld.param.b64 %d0, [a]; ", "");
  Machine machine;
  auto *elements = reinterpret_cast<uint16_t *>(machine.a.data());
  for (uint32_t row = 0; row < 6; ++row)
    for (uint32_t column = 0; column < 192; ++column)
      elements[row * 192 + column] = uint16_t(row * 256 + column);
  machine.setParameters = [](std::vector<uint8_t> &parameters,
                             const std::vector<uint32_t *> &memory) {
    parameters.resize(144);
    ptx::TensorMap map;
    const uint64_t extents[] = {64, 6, 3}, strides[] = {384, 128};
    const uint32_t box[] = {64, 8, 2}, ones[] = {1, 1, 1};
    EXPECT_TRUE(ptx::encodeTiled(map, bf16, 3, reinterpret_cast<uintptr_t>(memory[0]), extents,
                                 strides, box, ones, 0, swizzle128, 0));
    memcpy(parameters.data(), &map, sizeof(map));
    memcpy(parameters.data() + 128, &memory[1], 8);
    memcpy(parameters.data() + 136, &memory[2], 8);
  };
  EXPECT_EQ(machine.run(source), "");
  // Run r of row i holds columns 8 (r ^ i) on: lanes have runs 0 to 7 of rows 0 to 3.
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t row = lane / 8, column = 8 * (lane % 8 ^ row);
    uint32_t first = (row + 2) * 256 + 128 + column;
    EXPECT_EQ(machine.c[lane], first | (first + 1) << 16) << lane;
    // There are no columns from 192 on.
    EXPECT_EQ(machine.c[32 + lane], 0u) << lane;
  }
}
