// AMD's instructions as a disassembler prints them, run without a driver: results, and what the
// checks say of faults that are planted.
#include "AMDGCN/Program.h"

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
    std::vector<uint64_t> addresses;
    for (size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      addresses.push_back(4 * kernel.text.size());
      kernel.text.push_back(text.substr(at, end - at));
    }
    std::string error;
    if (!amdgcn::decode(kernel, addresses, error))
      return error;
    Memory memory;
    uint64_t address = reinterpret_cast<uintptr_t>(words.data());
    memory.add(address, 4 * words.size());
    memory.markWritten(address, 4 * words.size());
    LaunchShape shape;
    shape.block[0] = threads;
    shape.memory = &memory;
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

TEST(Amdgcn, ChecksMemory) {
  Device device;
  expectFault(device.run(load + "global_load_dword v1, v2, s[4:5] offset:960\ns_endpgm"),
              "which is in no allocation");
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

TEST(Amdgcn, NamesWhatItDoesNotKnow) {
  Device device;
  expectFault(device.run("v_unheard_of_b32 v0, v1\ns_endpgm"),
              "instruction 0 'v_unheard_of_b32 v0, v1': 'v_unheard_of_b32' is not known");
  expectFault(device.run("v_mov_b32_e32 v0, banana\ns_endpgm"),
              "the operand 'banana' is not known");
  expectFault(device.run("s_nop 0\ns_branch 7\ns_endpgm"),
              "a branch to where no instruction begins");
}

} // namespace
