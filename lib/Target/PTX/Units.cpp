// Matrix instructions and asynchronous copies of NVIDIA chips.
//
// Sources: PTX ISA 9.0, sections 9.7.14.5 (fragments of mma), 9.7.14.5.15 (ldmatrix) and
// 9.7.9.25.3 (cp.async). With g = lane / 4, t = lane % 4 and register i of a lane, the element of
// lhs is (g + 8 * (i / 2 % 2), 2 * t + i % 2 + 8 * (i / 4)), that of rhs (2 * t + i % 2 + 8 * (i /
// 2), g), and that of the sums (g + 8 * (i / 2), 2 * t + i % 2).
#include "tw/Target/PTX/Chips.h"

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
};

} // namespace

const ChipInstructions &tw::ptx::getChipInstructions(llvm::StringRef name) {
  static constexpr ChipInstructions none,
      ampere{.units = ampereUnits,
             .loadMatrices = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16",
             .loadTransposed = "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16",
             .copy4 = "llvm.nvvm.cp.async.ca.shared.global.4.s",
             .copy8 = "llvm.nvvm.cp.async.ca.shared.global.8.s",
             .copy16 = "llvm.nvvm.cp.async.cg.shared.global.16.s",
             .commit = "llvm.nvvm.cp.async.commit.group",
             .wait = "llvm.nvvm.cp.async.wait.group"};
  const Chip *chip = findChip(name);
  return chip && chip->getCapability() >= 80 ? ampere : none;
}
