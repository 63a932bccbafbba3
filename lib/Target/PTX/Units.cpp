// Matrix instructions and asynchronous copies of NVIDIA chips.
//
// Sources: PTX ISA 9.0, sections 9.7.14.5 (fragments of mma), 9.7.14.5.15 (ldmatrix),
// 9.7.9.25.3 (cp.async) and 9.7.15.5.1.1 (sums of wgmma). With g = lane / 4, t = lane % 4 and
// register i of a lane, the element of lhs is (g + 8 * (i / 2 % 2), 2 * t + i % 2 + 8 * (i / 4)),
// that of rhs (2 * t + i % 2 + 8 * (i / 2), g), and that of the sums (g + 8 * (i / 2), 2 * t + i %
// 2). Of 8 bits it is (g + 8 * (i / 4 % 2), 4 * t + i % 4 + 16 * (i / 8)) of lhs and
// (4 * t + i % 4 + 16 * (i / 4), g) of rhs. Sums of wgmma in subgroup w of four are (16 * w + g + 8
// * (i / 2 % 2), 8 * (i / 4) + 2 * t + i % 2); its lhs, where it is in registers, is that of mma
// 16 * w rows further down.
#include "tw/Target/PTX/Chips.h"

#include "Copies.h"
#include "Products.h"
#include "SmallFloats.h"

#include <array>
#include <utility>

using namespace tw;
using format::ElementType;

namespace {

using Offset = MatrixFragment::Offset;
using Word = MatrixFragment::Word;

constexpr Offset lhsRegisters[] = {{0, 1}, {8, 0}, {0, 8}};
constexpr Offset rhsRegisters[] = {{1, 0}, {8, 0}};
constexpr Offset sumRegisters[] = {{0, 1}, {8, 0}};
constexpr Offset rowLanes[] = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
constexpr Offset columnLanes[] = {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};

/// Of 8 bits: four neighbours along the depth are a register of 32 bits.
constexpr Offset byteLhsRegisters[] = {{0, 1}, {0, 2}, {8, 0}, {0, 16}};
constexpr Offset byteRhsRegisters[] = {{1, 0}, {2, 0}, {16, 0}};
constexpr Offset byteRowLanes[] = {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};
constexpr Offset byteColumnLanes[] = {{4, 0}, {8, 0}, {0, 1}, {0, 2}, {0, 4}};

constexpr MatrixUnit byteUnitOf(llvm::StringLiteral name, llvm::StringLiteral intrinsic,
                                bool lhsUnsigned, bool rhsUnsigned) {
  return {.name = name,
          .rows = 16,
          .columns = 8,
          .depth = 32,
          .operands = ElementType::I8,
          .results = ElementType::I32,
          .intrinsic = intrinsic,
          .lhs = {byteLhsRegisters, byteRowLanes, 4, Word::Integer},
          .rhs = {byteRhsRegisters, byteColumnLanes, 4, Word::Integer},
          .sums = {sumRegisters, rowLanes},
          .lhsUnsigned = lhsUnsigned,
          .rhsUnsigned = rhsUnsigned};
}

/// Of sm_89 and sm_90, as others have measured (SageAttention2, arXiv 2411.10958, section 3.2;
/// DeepSeek-V3, arXiv 2412.19437, section 3.3.2): between two products sums lose all behind 13 bits
/// of the fraction. Of later chips, which keep more, too, until somebody has run ours there.
constexpr int64_t float8SumBits = 14;

/// The same of floats of 8 bits.
constexpr MatrixUnit float8UnitOf(llvm::StringLiteral name, llvm::StringLiteral intrinsic,
                                  ElementType type) {
  MatrixUnit unit = byteUnitOf(name, intrinsic, false, false);
  unit.operands = type;
  unit.results = ElementType::F32;
  unit.features = "+ptx84";
  unit.sumBits = float8SumBits;
  return unit;
}

constexpr MatrixUnit ampereUnits[] = {
    {.name = "mma.m16n8k16.bf16",
     .rows = 16,
     .columns = 8,
     .depth = 16,
     .operands = ElementType::BF16,
     .results = ElementType::F32,
     .intrinsic = "llvm.nvvm.mma.m16n8k16.row.col.bf16",
     .lhs = {lhsRegisters, rowLanes, 2, Word::Integer},
     .rhs = {rhsRegisters, columnLanes, 2, Word::Integer},
     .sums = {sumRegisters, rowLanes}},
    {.name = "mma.m16n8k16.f16",
     .rows = 16,
     .columns = 8,
     .depth = 16,
     .operands = ElementType::F16,
     .results = ElementType::F32,
     .intrinsic = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
     .lhs = {lhsRegisters, rowLanes, 2, Word::Elements},
     .rhs = {rhsRegisters, columnLanes, 2, Word::Elements},
     .sums = {sumRegisters, rowLanes}},
    byteUnitOf("mma.m16n8k32.s8", "llvm.nvvm.mma.m16n8k32.row.col.s8", false, false),
    byteUnitOf("mma.m16n8k32.u8", "llvm.nvvm.mma.m16n8k32.row.col.u8", true, true),
    byteUnitOf("mma.m16n8k32.u8.s8", "llvm.nvvm.mma.m16n8k32.row.col.u8.s8", true, false),
    byteUnitOf("mma.m16n8k32.s8.u8", "llvm.nvvm.mma.m16n8k32.row.col.s8.u8", false, true),
};

template <size_t... i> constexpr auto addFloat8(std::index_sequence<i...>) {
  return std::array{
      ampereUnits[i]...,
      float8UnitOf("mma.m16n8k32.e4m3", "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32",
                   ElementType::F8E4M3FN),
      float8UnitOf("mma.m16n8k32.e5m2", "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32",
                   ElementType::F8E5M2)};
}
constexpr auto adaUnits = addFloat8(std::make_index_sequence<std::size(ampereUnits)>());

/// Of 256 columns; fewer columns have the first ones.
constexpr Offset groupSumRegisters[] = {{0, 1},  {8, 0},  {0, 8},  {0, 16},
                                        {0, 32}, {0, 64}, {0, 128}};
constexpr Offset groupSubgroups[] = {{16, 0}, {32, 0}};

constexpr MatrixUnit groupUnitOf(llvm::StringLiteral name, llvm::StringLiteral instruction,
                                 int64_t columns, ElementType type) {
  size_t bits = 2;
  for (int64_t own = 8; own < columns; own *= 2)
    ++bits;
  return {.name = name,
          .rows = 64,
          .columns = columns,
          .depth = 16,
          .operands = type,
          .results = ElementType::F32,
          .intrinsic = instruction,
          .lhs = {lhsRegisters, rowLanes, 2, Word::Integer, groupSubgroups},
          .rhs = {},
          .sums = {.registers = {groupSumRegisters, bits},
                   .lanes = rowLanes,
                   .subgroups = groupSubgroups}};
}

constexpr MatrixUnit byteGroupUnitOf(llvm::StringLiteral name, llvm::StringLiteral instruction,
                                     int64_t columns, bool lhsUnsigned, bool rhsUnsigned) {
  MatrixUnit unit = groupUnitOf(name, instruction, columns, ElementType::I8);
  unit.depth = 32;
  unit.readsAlongDepth = true;
  unit.results = ElementType::I32;
  unit.lhs = {byteLhsRegisters, byteRowLanes, 4, Word::Integer, groupSubgroups};
  unit.lhsUnsigned = lhsUnsigned;
  unit.rhsUnsigned = rhsUnsigned;
  if (lhsUnsigned != rhsUnsigned)
    unit.features = "+ptx84";
  return unit;
}

constexpr MatrixUnit float8GroupUnitOf(llvm::StringLiteral name, llvm::StringLiteral instruction,
                                       int64_t columns, ElementType type) {
  MatrixUnit unit = byteGroupUnitOf(name, instruction, columns, false, false);
  unit.operands = type;
  unit.results = ElementType::F32;
  unit.sumBits = float8SumBits;
  return unit;
}

#define GROUP_UNIT(columns, type, element)                                                         \
  groupUnitOf("wgmma.m64n" #columns "k16." type,                                                   \
              "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32." type "." type, columns,      \
              element)
#define GROUP_UNITS(type, element)                                                                 \
  GROUP_UNIT(256, type, element), GROUP_UNIT(128, type, element), GROUP_UNIT(64, type, element),   \
      GROUP_UNIT(32, type, element), GROUP_UNIT(16, type, element), GROUP_UNIT(8, type, element)

#define BYTE_UNIT(columns, types, lhsUnsigned, rhsUnsigned)                                        \
  byteGroupUnitOf("wgmma.m64n" #columns "k32." types,                                              \
                  "wgmma.mma_async.sync.aligned.m64n" #columns "k32.s32." types, columns,          \
                  lhsUnsigned, rhsUnsigned)
#define BYTE_UNITS(types, lhsUnsigned, rhsUnsigned)                                                \
  BYTE_UNIT(256, types, lhsUnsigned, rhsUnsigned),                                                 \
      BYTE_UNIT(128, types, lhsUnsigned, rhsUnsigned),                                             \
      BYTE_UNIT(64, types, lhsUnsigned, rhsUnsigned),                                              \
      BYTE_UNIT(32, types, lhsUnsigned, rhsUnsigned),                                              \
      BYTE_UNIT(16, types, lhsUnsigned, rhsUnsigned),                                              \
      BYTE_UNIT(8, types, lhsUnsigned, rhsUnsigned)

#define FLOAT8_UNIT(columns, type, element)                                                        \
  float8GroupUnitOf("wgmma.m64n" #columns "k32." type,                                             \
                    "wgmma.mma_async.sync.aligned.m64n" #columns "k32.f32." type "." type,         \
                    columns, element)
#define FLOAT8_UNITS(type, element)                                                                \
  FLOAT8_UNIT(256, type, element), FLOAT8_UNIT(128, type, element),                                \
      FLOAT8_UNIT(64, type, element), FLOAT8_UNIT(32, type, element),                              \
      FLOAT8_UNIT(16, type, element), FLOAT8_UNIT(8, type, element)

// The widest first: those read the lhs least often.
constexpr MatrixUnit hopperUnits[] = {GROUP_UNITS("bf16", ElementType::BF16),
                                      GROUP_UNITS("f16", ElementType::F16),
                                      BYTE_UNITS("s8.s8", false, false),
                                      BYTE_UNITS("u8.u8", true, true),
                                      BYTE_UNITS("u8.s8", true, false),
                                      BYTE_UNITS("s8.u8", false, true),
                                      FLOAT8_UNITS("e4m3", ElementType::F8E4M3FN),
                                      FLOAT8_UNITS("e5m2", ElementType::F8E5M2)};

#undef FLOAT8_UNITS
#undef FLOAT8_UNIT
#undef BYTE_UNITS
#undef BYTE_UNIT
#undef GROUP_UNITS
#undef GROUP_UNIT

} // namespace

const ChipInstructions &tw::ptx::getChipInstructions(llvm::StringRef name) {
  static constexpr ChipInstructions none,
      ampere{.units = ampereUnits,
             .loadMatrices = "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
             .loadTransposed = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
             .copy4 = "llvm.nvvm.cp.async.ca.shared.global.4.s",
             .copy8 = "llvm.nvvm.cp.async.ca.shared.global.8.s",
             .copy16 = "llvm.nvvm.cp.async.cg.shared.global.16.s",
             .commit = "llvm.nvvm.cp.async.commit.group",
             .wait = "llvm.nvvm.cp.async.wait.group"};
  static constexpr ChipInstructions ada = [] {
    ChipInstructions own = ampere;
    own.units = adaUnits;
    return own;
  }();
  // Before sm_90 conversions of floats of 8 bits need a newer PTX than the chip.
  static constexpr ChipInstructions converting = [] {
    ChipInstructions own = ada;
    own.smallFloats = smallFloats;
    return own;
  }();
  // What only the chip itself has: code for sm_90a runs on no other.
  static constexpr ChipInstructions hopper = [] {
    ChipInstructions own = converting;
    own.localUnits = hopperUnits;
    own.describe = describeOperand;
    own.localAddressBits = 18;
    own.writeProducts = writeProducts;
    // In a block of its own, which goes on as there is a grid: in the block of what reads the sums,
    // behind a loop, ptxas 13.0 has moved reads before the wait (docs/rationale/local-memory.md).
    own.awaitProducts = "{\n.reg .pred again;\n.reg .u32 height;\nAWAIT:\n"
                        "wgmma.wait_group.sync.aligned 0;\n"
                        "mov.u32 height, %nctaid.y;\nsetp.eq.u32 again, height, 0;\n"
                        "@again bra AWAIT;\n}";
    own.publish = "fence.proxy.async.shared::cta;";
    own.boxes = &boxCopies;
    own.roles = &threadRoles;
    return own;
  }();
  const Chip *chip = findChip(name);
  if (chip && chip->name == "sm_90a")
    return hopper;
  int64_t capability = chip ? chip->getCapability() : 0;
  return capability >= 90 ? converting : capability >= 89 ? ada : capability >= 80 ? ampere : none;
}
