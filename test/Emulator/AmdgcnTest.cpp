// AMD's instructions as a disassembler prints them, run without a driver: results, and what the
// checks say of faults that are planted.
#include "AMDGCN/Program.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>

using namespace tw::emulator;
namespace amdgcn = tw::emulator::amdgcn;

namespace {

/// One buffer of 256 words, that holds 0, 1, 2 ..., whose address is the only parameter, in s[0:1].
class Device {
public:
  std::vector<uint32_t> words;
  uint32_t threads = 64, localBytes = 1024, generation = 9;
  int64_t budget = LaunchShape().budget;

  Device() : words(256) {
    for (uint32_t i = 0; i < 256; ++i)
      words[i] = i;
  }
  /// The fault, or the decoder's error.
  std::string run(const std::string &text) {
    amdgcn::Kernel kernel;
    kernel.name = "f";
    kernel.chip.generation = generation;
    kernel.chip.waveLanes = generation >= 10 ? 32 : 64;
    kernel.localBytes = localBytes;
    kernel.parameterBytes = 8;
    kernel.groupAt = 2;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      kernel.addresses.push_back(4 * kernel.text.size());
      kernel.text.push_back(text.substr(at, end - at));
    }
    std::string error;
    if (!amdgcn::decode(kernel, error))
      return error;
    Memory memory;
    uint64_t address = reinterpret_cast<uintptr_t>(words.data());
    memory.add(address, 4 * words.size());
    memory.markWritten(address, 4 * words.size());
    LaunchShape shape;
    shape.block[0] = threads;
    shape.memory = &memory;
    shape.budget = budget;
    shape.parameters.resize(8);
    memcpy(shape.parameters.data(), &address, 8);
    return kernel.run(shape);
  }
};

/// Each thread's word in v1, its offset in v2, the buffer in s[4:5].
const std::string load = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                         "v_lshlrev_b32_e32 v2, 2, v0\n"
                         "s_waitcnt lgkmcnt(0)\n"
                         "global_load_dword v1, v2, s[4:5]\n"
                         "s_waitcnt vmcnt(0)\n";
const std::string store = "\nglobal_store_dword v2, v1, s[4:5]\ns_endpgm";

TEST(Amdgcn, RunsLanesUnderMasks) {
  Device device;
  EXPECT_EQ(device.run(load +
                       "v_cmp_gt_u32_e32 vcc, 10, v0\n"
                       "s_and_saveexec_b64 s[6:7], vcc\n"
                       "v_mul_lo_u32 v1, v1, 3\n"
                       "s_or_b64 exec, exec, s[6:7]\n"
                       "v_add_u32_e32 v1, 1, v1" +
                       store),
            "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(device.words[i], (i < 10 ? 3 * i : i) + 1);
  EXPECT_EQ(device.words[64], 64u);
}

TEST(Amdgcn, DividesAsTheStepsDo) {
  Device device;
  EXPECT_EQ(device.run(load +
                       "v_cvt_f32_u32_e32 v1, v1\n"
                       "v_mov_b32_e32 v3, 0x40e00000\n"
                       "v_div_scale_f32 v4, s[6:7], v3, v3, v1\n"
                       "v_div_scale_f32 v5, vcc, v1, v3, v1\n"
                       "v_rcp_f32_e32 v6, v4\n"
                       "v_fma_f32 v7, -v4, v6, 1.0\n"
                       "v_fmac_f32_e32 v6, v7, v6\n"
                       "v_mul_f32_e32 v7, v5, v6\n"
                       "v_fma_f32 v8, -v4, v7, v5\n"
                       "v_fmac_f32_e32 v7, v8, v6\n"
                       "v_fma_f32 v4, -v4, v7, v5\n"
                       "v_div_fmas_f32 v4, v4, v6, v7\n"
                       "v_div_fixup_f32 v1, v4, v3, v1" +
                       store),
            "");
  for (uint32_t i = 0; i < 64; ++i) {
    float found;
    memcpy(&found, &device.words[i], 4);
    EXPECT_EQ(found, float(i) / 7.0f) << i;
  }
}

/// Numbers of all sizes, special ones among them.
std::vector<uint32_t> manyFloats(size_t count, uint32_t seed) {
  static const uint32_t special[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000,
                                     0x3f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                     0x7fc00000, 0x7e800000, 0x7f000000, 0x00400000};
  std::vector<uint32_t> made;
  for (uint32_t state = seed; made.size() < count;) {
    state = state * 1664525 + 1013904223;
    made.push_back(state >> 28 ? state ^ state >> 15 << 3 : special[(state >> 8) % 14]);
  }
  return made;
}

TEST(Amdgcn, DividesNumbersOfAllSizesAsCompilersExpect) {
  const std::string steps = "global_load_dword v3, v2, s[4:5] offset:256\n"
                            "s_waitcnt vmcnt(0)\n"
                            "v_div_scale_f32 v4, s[6:7], v3, v3, v1\n"
                            "v_rcp_f32_e32 v5, v4\n"
                            "v_div_scale_f32 v6, vcc, v1, v3, v1\n"
                            "v_fma_f32 v7, -v4, v5, 1.0\n"
                            "v_fmac_f32_e32 v5, v7, v5\n"
                            "v_mul_f32_e32 v7, v6, v5\n"
                            "v_fma_f32 v8, -v4, v7, v6\n"
                            "v_fmac_f32_e32 v7, v8, v5\n"
                            "v_fma_f32 v4, -v4, v7, v6\n"
                            "v_div_fmas_f32 v4, v4, v5, v7\n"
                            "v_div_fixup_f32 v1, v4, v3, v1";
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Device device;
    std::vector<uint32_t> bits = manyFloats(128, seed);
    // Of similar size, or not: quotients are subnormal, or too large.
    for (size_t i = 0; seed % 4 == 0 && i < 64; ++i)
      bits[64 + i] = (bits[i] + (seed << 20)) ^ (i << 11);
    std::copy(bits.begin(), bits.end(), device.words.begin());
    ASSERT_EQ(device.run(load + steps + store), "");
    for (size_t i = 0; i < 64; ++i) {
      float a = std::bit_cast<float>(bits[i]), b = std::bit_cast<float>(bits[64 + i]);
      float found = std::bit_cast<float>(device.words[i]), expected = a / b;
      if (expected == expected)
        EXPECT_EQ(device.words[i], std::bit_cast<uint32_t>(expected))
            << a << " / " << b << " gives " << found;
      else
        EXPECT_NE(found, found) << a << " / " << b;
    }
  }
}

TEST(Amdgcn, ApproximationsFlushSubnormalNumbers) {
  Device device;
  device.words[0] = 0x00000001;
  device.words[1] = 0x7f7fffff;
  EXPECT_EQ(device.run(load + "v_rcp_f32_e32 v1, v1" + store), "");
  EXPECT_EQ(device.words[0], 0x7f800000u);
  EXPECT_EQ(device.words[1], 0u);
  device.words[2] = std::bit_cast<uint32_t>(-127.0f);
  EXPECT_EQ(device.run(load + "v_exp_f32_e32 v1, v1" + store), "");
  EXPECT_EQ(device.words[2], 0u);
}

/// What v1 is after `text`, where it was 0xaaaabbbb, v3 is 5 and v4 is 7.
uint32_t resultOf(uint32_t generation, const std::string &text) {
  Device device;
  device.generation = generation;
  device.threads = 32;
  std::string begin = generation >= 10 ? "s_load_b64 s[4:5], s[0:1], null\ns_waitcnt lgkmcnt(0)\n"
                                       : "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                                         "s_waitcnt lgkmcnt(0)\n";
  device.words[0] = 0x80008180;
  EXPECT_EQ(device.run(begin +
                       "v_mov_b32_e32 v1, 0xaaaabbbb\nv_mov_b32_e32 v2, 0\n"
                       "v_mov_b32_e32 v3, 0x10005\nv_mov_b32_e32 v4, 7\n" +
                       text +
                       (generation >= 10 ? "\ns_waitcnt vmcnt(0)\nglobal_store_b32"
                                         : "\ns_waitcnt vmcnt(0)\nglobal_store_dword") +
                       " v2, v1, s[4:5]\ns_endpgm"),
            "");
  return device.words[0];
}

TEST(Amdgcn, ResultsOf16BitsKeepOrClearTheOtherHalf) {
  EXPECT_EQ(resultOf(9, "v_mad_legacy_u16 v1, v3, v4, v4"), 42u);
  EXPECT_EQ(resultOf(9, "v_mad_u16 v1, v3, v4, v4"), 0xaaaa002au);
  EXPECT_EQ(resultOf(9, "v_mul_lo_u16_e32 v1, v3, v4"), 35u);
  EXPECT_EQ(resultOf(11, "v_mul_lo_u16 v1, v3, v4"), 0xaaaa0023u);
  EXPECT_EQ(resultOf(11, "v_add_nc_u16 v1, v3, v4 op_sel:[1,0,1]"), 0x0008bbbbu);
}

TEST(Amdgcn, ResultsGoToPartsOfRegisters) {
  EXPECT_EQ(resultOf(9, "v_add_u16_sdwa v1, v3, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
                        "src0_sel:WORD_1 src1_sel:DWORD"),
            0x0008bbbbu);
  EXPECT_EQ(resultOf(9, "v_sub_u16_sdwa v1, v3, v4 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT "
                        "src0_sel:DWORD src1_sel:DWORD"),
            0xfffffe00u);
  EXPECT_EQ(resultOf(9, "v_or_b32_sdwa v1, v3, v4 dst_sel:BYTE_3 dst_unused:UNUSED_PAD "
                        "src0_sel:DWORD src1_sel:DWORD"),
            0x07000000u);
}

TEST(Amdgcn, LoadsBytesIntoHalves) {
  EXPECT_EQ(resultOf(11, "global_load_d16_u8 v1, v2, s[4:5]"), 0xaaaa0080u);
  EXPECT_EQ(resultOf(11, "global_load_d16_i8 v1, v2, s[4:5]"), 0xaaaaff80u);
  EXPECT_EQ(resultOf(11, "global_load_d16_hi_u8 v1, v2, s[4:5] offset:1"), 0x0081bbbbu);
  EXPECT_EQ(resultOf(11, "global_load_d16_hi_i8 v1, v2, s[4:5] offset:1"), 0xff81bbbbu);
  // Where registers have ECC the other half is lost.
  EXPECT_EQ(resultOf(9, "global_load_ubyte_d16 v1, v2, s[4:5]"), 0x80u);
  EXPECT_EQ(resultOf(9, "global_load_short_d16_hi v1, v2, s[4:5]"), 0x81800000u);
}

TEST(Amdgcn, ClampsSums) {
  EXPECT_EQ(resultOf(9, "v_sub_u32_e64 v1, v4, 8 clamp"), 0u);
  EXPECT_EQ(resultOf(9, "v_sub_u32_e32 v1, 3, v4"), 0xfffffffcu);
  EXPECT_EQ(resultOf(11, "v_add_nc_u16 v1, v4, -3 clamp"), 0xaaaaffffu);
  EXPECT_EQ(resultOf(9, "v_add_i32 v1, v4, 0x7fffffff clamp"), 0x7fffffffu);
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v5, 0xc0000000\nv_add_f32_e64 v1, v5, 1.0 clamp"), 0u);
}

TEST(Amdgcn, MixesNumbersOf16And32Bits) {
  // 1.5 and 2 as halves, -4 as a float.
  std::string values = "v_mov_b32_e32 v3, 0x40003e00\nv_mov_b32_e32 v4, 0xc0800000\n";
  EXPECT_EQ(resultOf(9, values + "v_fma_mix_f32 v1, v3, v4, |v4| op_sel:[1,0,0] op_sel_hi:[1,0,0]"),
            std::bit_cast<uint32_t>(-4.0f));
  EXPECT_EQ(resultOf(9, values + "v_fma_mixlo_f16 v1, v3, v3, 1.0 op_sel_hi:[1,1,0]"), 0xaaaa4280u);
  EXPECT_EQ(resultOf(11, values + "v_fma_mixhi_f16 v1, v3, v3, 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]"),
            0x4200bbbbu);
}

TEST(Amdgcn, ComputesWithHalves) {
  // 2048 and 1; a sum that is halfway between two numbers goes to the even one.
  std::string values = "v_mov_b32_e32 v3, 0x3c006800\nv_mov_b32_e32 v4, 0x3c00\n";
  EXPECT_EQ(resultOf(9, values + "v_add_f16_e32 v1, v3, v4"), 0x6800u);
  EXPECT_EQ(resultOf(9, values + "v_fma_f16 v1, v3, 1.0, v4"), 0xaaaa6800u);
  EXPECT_EQ(resultOf(11, values + "v_min_f16_e32 v1.l, v3.l, v3.h"), 0xaaaa3c00u);
  // Subnormal, negative.
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v3, 0x8001\nv_cmp_class_f16_e64 vcc, v3, 16\n"
                        "v_cndmask_b32_e64 v1, 0, 1, vcc"),
            1u);
  // NaN wins; of the high halves the less.
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v3, 0x3c007e00\nv_mov_b32_e32 v4, 0x40003c00\n"
                        "v_pk_minimum3_f16 v1, v3, v4, v4"),
            0x3c007fffu);
}

TEST(Amdgcn, ComputesWithPackedIntegers) {
  // Pairs of 16 bits wrap each for itself.
  std::string pairs = "v_mov_b32_e32 v3, 0x0003ffff\nv_mov_b32_e32 v4, 0x00050002\n";
  EXPECT_EQ(resultOf(11, pairs + "v_pk_mul_lo_u16 v1, v3, v4"), 0x000ffffeu);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_add_u16 v1, v3, v4"), 0x00080001u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_sub_i16 v1, v4, v3"), 0x00020003u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_mad_u16 v1, v3, v4, v4 op_sel_hi:[1,1,0]"), 0x00110000u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_add_u16 v1, v3, v4 op_sel:[1,0] op_sel_hi:[0,1]"),
            0x00040005u);
  // Constants are of 32 bits: of -2 the high half is -1, of 1.0 it alone is not 0.
  EXPECT_EQ(resultOf(9, pairs + "v_pk_sub_u16 v1, v4, -2"), 0x00060004u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_sub_u16 v1, v4, -2 op_sel_hi:[1,0]"), 0x00070004u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_add_u16 v1, v4, 15"), 0x00050011u);
  EXPECT_EQ(resultOf(9, pairs + "v_pk_add_u16 v1, v4, 1.0"), 0x3f850002u);
  EXPECT_EQ(resultOf(11, pairs + "v_pk_add_u16 v1, v4, 0x10002"), 0x00060004u);
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v3, 0x3c003c00\nv_pk_add_f16 v1, v3, 1.0"), 0x3c004000u);
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v3, 0x3c003c00\nv_pk_add_f16 v1, v3, 1.0 op_sel_hi:[1,0]"),
            0x40004000u);
}

TEST(Amdgcn, SumsProductsOfBytes) {
  // Bytes -1, 2, 127, -128 by 3, -1, 1, 2: signed -134, of the left ones unsigned 890.
  std::string bytes = "v_mov_b32_e32 v3, 0x807f02ff\nv_mov_b32_e32 v4, 0x0201ff03\n"
                      "v_mov_b32_e32 v1, 1000\n";
  EXPECT_EQ(resultOf(9, bytes + "v_dot4c_i32_i8_e32 v1, v3, v4"), 866u);
  EXPECT_EQ(resultOf(9, bytes + "v_dot4_i32_i8 v1, v3, v4, v1"), 866u);
  EXPECT_EQ(resultOf(11, bytes + "v_dot4_i32_iu8 v1, v3, v4, v1 neg_lo:[1,1,0]"), 866u);
  EXPECT_EQ(resultOf(11, bytes + "v_dot4_i32_iu8 v1, v3, v4, v1 neg_lo:[0,1,0]"), 2146u);
  EXPECT_EQ(resultOf(11, bytes + "v_dot4_i32_iu8 v1, v3, v4, v1"), 2658u);
  EXPECT_EQ(resultOf(9, bytes + "v_dot4_u32_u8 v1, v3, v4, v1"), 2658u);
}

TEST(Amdgcn, ReadsVectorsOfWordsAtAnyByte) {
  EXPECT_EQ(resultOf(9, "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                        "v_mov_b32_e32 v6, 5\nglobal_load_dword v1, v6, s[4:5]\n"
                        "s_waitcnt vmcnt(0)"),
            0x02000000u);
}

TEST(Amdgcn, ComputesWithScalars) {
  EXPECT_EQ(resultOf(9, "s_flbit_i32 s6, 0xfffff000\ns_flbit_i32 s7, -1\n"
                        "s_lshl_b32 s6, s6, 8\ns_or_b32 s6, s6, 1\ns_add_i32 s6, s6, s7\n"
                        "v_mov_b32_e32 v1, s6"),
            20u << 8);
  EXPECT_EQ(resultOf(12, "s_mov_b32 s6, 2.0\ns_fmaak_f32 s6, s6, s6, 0x3f800000\n"
                         "s_cmp_gt_f32 s6, 4.0\ns_cselect_b32 s7, s6, 0\ns_fmac_f32 s7, s6, s6\n"
                         "v_mov_b32_e32 v1, s7"),
            std::bit_cast<uint32_t>(30.0f));
  EXPECT_EQ(resultOf(9, "v_mov_b32_e32 v5, 0xff00ff00\nv_mov_b32_e32 v6, 0xffff\n"
                        "v_bitop3_b32 v1, v5, v6, v3 bitop3:0xc8"),
            // b and (a or c)
            0xff05u);
}

TEST(Amdgcn, ReadsBothHalvesOfADualOperationFirst) {
  Device device;
  device.generation = 11;
  device.threads = 32;
  EXPECT_EQ(device.run("s_load_b64 s[4:5], s[0:1], null\n"
                       "v_lshlrev_b32_e32 v2, 2, v0\n"
                       "v_dual_mov_b32 v3, 7 :: v_dual_mov_b32 v4, 9\n"
                       "v_dual_mov_b32 v3, v4 :: v_dual_mov_b32 v4, v3\n"
                       "s_waitcnt lgkmcnt(0)\n"
                       "v_lshl_or_b32 v1, v3, 8, v4\n"
                       "global_store_b32 v2, v1, s[4:5]\ns_endpgm"),
            "");
  EXPECT_EQ(device.words[5], 0x907u);
}

TEST(Amdgcn, MultipliesMatrices) {
  // a is the identity's first columns, b holds numbers of its lane: d must be b's transposed order
  // of rows.
  Device device;
  std::string zero;
  for (int i = 4; i < 8; ++i)
    zero += "v_mov_b32_e32 v" + std::to_string(i) + ", 0\n";
  // 16x16x4 in f32: lane l holds a[l % 16][l / 16] and b[l / 16][l % 16].
  EXPECT_EQ(device.run("s_load_dwordx2 s[4:5], s[0:1], 0x0\n" + zero +
                       "v_lshrrev_b32_e32 v2, 4, v0\n"
                       "v_and_b32_e32 v3, 15, v0\n"
                       "v_cmp_eq_u32_e32 vcc, v2, v3\n"
                       "v_cndmask_b32_e32 v8, 0, 1.0, vcc\n"
                       "v_cvt_f32_u32_e32 v9, v0\n"
                       "v_mfma_f32_16x16x4_f32 v[4:7], v8, v9, v[4:7]\n"
                       "v_lshlrev_b32_e32 v2, 4, v0\n"
                       "v_cvt_u32_f32_e32 v4, v4\nv_cvt_u32_f32_e32 v5, v5\n"
                       "v_cvt_u32_f32_e32 v6, v6\nv_cvt_u32_f32_e32 v7, v7\n"
                       "s_waitcnt lgkmcnt(0)\n"
                       "global_store_dwordx4 v2, v[4:7], s[4:5]\ns_endpgm"),
            "");
  // Register i of lane l is row 4 (l / 16) + i, column l % 16: rows 0 to 3 are b's, the others 0.
  for (uint32_t lane = 0; lane < 64; ++lane)
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(device.words[4 * lane + i], lane < 16 ? 16 * i + lane : 0u);
}

void expectFault(const std::string &found, const char *expected) {
  EXPECT_NE(found.find(expected), std::string::npos) << found;
}

TEST(Amdgcn, FindsMissingWaits) {
  Device device;
  expectFault(device.run("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s6, s4\ns_endpgm"),
              "s4 is used before the load into it has been waited for");
  std::string two = load + "global_load_dword v3, v2, s[4:5]\nglobal_load_dword v4, v2, s[4:5]\n";
  EXPECT_EQ(device.run(two + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v1, v3" + store), "");
  expectFault(device.run(two + "s_waitcnt vmcnt(1)\nv_mov_b32_e32 v1, v4" + store),
              "v4 is used before the load into it has been waited for");
  // Scalars come in any order.
  expectFault(device.run("s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n"
                         "s_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4\ns_endpgm"),
              "s4 is used before");
}

TEST(Amdgcn, FindsLoadsThatMayOvertake) {
  Device device;
  device.threads = 64;
  std::string both = load + "ds_write_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n"
                            "global_load_dword v3, v2, s[4:5]\n";
  // In order among themselves, in any order with those of another counter.
  EXPECT_EQ(device.run(both + "global_load_dword v3, v2, s[4:5]\ns_endpgm"), "");
  expectFault(device.run(both + "ds_read_b32 v3, v2\ns_endpgm"),
              "v3 is loaded while another load into it has not been waited for");
}

TEST(Amdgcn, BarriersOfGfx12HaveTwoHalves) {
  Device device;
  device.generation = 12;
  device.threads = 64;
  std::string write = "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 0x80, v2\n"
                      "ds_store_b32 v2, v0\n";
  std::string read = "ds_load_b32 v1, v3\ns_wait_dscnt 0x0\ns_endpgm";
  EXPECT_EQ(
      device.run(write + "s_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait 0xffff\n" + read),
      "");
  expectFault(device.run(write + "s_barrier_signal -1\ns_barrier_wait 0xffff\n" + read),
              "have not been waited for");
  expectFault(device.run(write + "s_wait_dscnt 0x0\ns_barrier_wait 0xffff\n" + read),
              "a wait at a barrier that the wave did not arrive at");
}

TEST(Amdgcn, ChecksMemory) {
  Device device;
  expectFault(device.run(load + "global_load_dword v1, v2, s[4:5] offset:960\ns_endpgm"),
              "which is in no allocation");
  expectFault(device.run("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                         "s_load_dword s6, s[4:5], 0x5\ns_endpgm"),
              "not a multiple of 4");
  expectFault(device.run("v_lshlrev_b32_e32 v2, 2, v0\nds_read_b32 v1, v2\ns_endpgm"),
              "which nobody has written");
  expectFault(device.run("v_lshlrev_b32_e32 v2, 2, v0\nds_write_b32 v2, v0 offset:800\ns_endpgm"),
              "the kernel has 1024");
}

TEST(Amdgcn, FindsRacesAndMissingBarriers) {
  Device device;
  device.threads = 128;
  std::string write =
      "v_lshlrev_b32_e32 v2, 2, v0\nv_xor_b32_e32 v3, 0x100, v2\nds_write_b32 v2, v0\n";
  std::string read = "ds_read_b32 v1, v3\ns_waitcnt lgkmcnt(0)\ns_endpgm";
  EXPECT_EQ(device.run(write + "s_waitcnt lgkmcnt(0)\ns_barrier\n" + read), "");
  expectFault(
      device.run(
          write +
          "s_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v1, v3\nds_write_b32 v2, v0\ns_endpgm"),
      "a race in local memory");
  expectFault(device.run(write + "s_barrier\n" + read), "have not been waited for");
  expectFault(device.run("s_mov_b64 exec, 1\ns_barrier\ns_endpgm"), "a barrier in divergent code");
}

TEST(Amdgcn, EndsLaunchesThatHang) {
  Device device;
  device.budget = 1'000'000;
  const char *expected = "no end in sight after 1000000 operations of lanes";
  // A branch counts instructions of 4 bytes from the one behind it.
  expectFault(device.run("s_nop 0\ns_branch 65534\ns_endpgm"), expected);
  expectFault(device.run("s_barrier\ns_branch 65534\ns_endpgm"), expected);
  expectFault(device.run("s_mov_b64 exec, 0\ns_nop 0\ns_branch 65534\ns_endpgm"), expected);
}

TEST(Amdgcn, NamesWhatItDoesNotKnow) {
  Device device;
  expectFault(device.run("v_unheard_of_b32 v0, v1\ns_endpgm"),
              "instruction 0 'v_unheard_of_b32 v0, v1': 'v_unheard_of_b32' is not known");
  expectFault(device.run("v_mov_b32_e32 v0, banana\ns_endpgm"),
              "the operand 'banana' is not known");
  expectFault(device.run("v_mul_lo_u16_e64 v0, v0, v1 clamp\ns_endpgm"), "'clamp' is not known");
  // Two blocks: the name is like that of one.
  expectFault(device.run("v_mfma_f32_32x32x4_f16 a[0:31], v[0:1], v[2:3], a[0:31]\ns_endpgm"),
              "a matrix instruction of 2 and 2 registers to 32, not of 1 to 16");
  expectFault(device.run("ds_read2_b32 v[0:1], v2 offset0:1 offset1:1\ns_endpgm"),
              "two accesses at one offset");
  expectFault(device.run("s_nop 0\ns_branch 7\ns_endpgm"),
              "a branch to where no instruction begins");
}

} // namespace
