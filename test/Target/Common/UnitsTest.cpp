// The fragments of matrix units, as bits of numbers, against the formulas of the manuals; and that
// what is no fragment of a unit is none.
#include "tw/Target/Common/Instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <functional>
#include <set>

using namespace tw;

namespace {

using Place = std::pair<int64_t, int64_t>;
/// The row and column of a register of a lane.
using Formula = std::function<Place(int64_t i, int64_t lane)>;

Place locate(const MatrixFragment &fragment, int64_t reg, int64_t lane) {
  Place at{0, 0};
  auto add = [&](llvm::ArrayRef<MatrixFragment::Offset> offsets, int64_t number) {
    for (auto [row, column] : offsets) {
      if (number & 1)
        at = {at.first ^ row, at.second ^ column};
      number >>= 1;
    }
  };
  add(fragment.registers, reg);
  add(fragment.lanes, lane);
  return at;
}

void expectFragment(const MatrixFragment &fragment, int64_t rows, int64_t columns,
                    const Formula &formula) {
  std::set<Place> all;
  for (int64_t lane = 0; lane < int64_t(1) << fragment.lanes.size(); ++lane)
    for (int64_t reg = 0; reg < int64_t(1) << fragment.registers.size(); ++reg) {
      Place at = locate(fragment, reg, lane);
      EXPECT_EQ(at, formula(reg, lane)) << "register " << reg << " of lane " << lane;
      all.insert(at);
    }
  EXPECT_EQ(int64_t(all.size()), rows * columns);
}

struct Formulas {
  Formula lhs, rhs, sums;
};

/// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
const Formulas mma{[](int64_t i, int64_t lane) {
                     return Place(lane / 4 + (i < 2 || (4 <= i && i < 6) ? 0 : 8),
                                  lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0));
                   },
                   [](int64_t i, int64_t lane) {
                     return Place(lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4);
                   },
                   [](int64_t i, int64_t lane) {
                     return Place(lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1));
                   }};

/// PTX ISA, "Matrix Fragments for mma.m16n8k32" of 8 bits.
const Formulas byteMma{[](int64_t i, int64_t lane) {
                         return Place(lane / 4 + (i < 4 || (8 <= i && i < 12) ? 0 : 8),
                                      lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0));
                       },
                       [](int64_t i, int64_t lane) {
                         return Place(lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane / 4);
                       },
                       mma.sums};

/// CDNA 3 ISA, "Dense Matrix Layouts".
const Formulas mfma32{[](int64_t i, int64_t lane) { return Place(lane % 32, 4 * (lane / 32) + i); },
                      [](int64_t i, int64_t lane) { return Place(4 * (lane / 32) + i, lane % 32); },
                      [](int64_t i, int64_t lane) {
                        return Place(8 * (i / 4) + 4 * (lane / 32) + i % 4, lane % 32);
                      }};
const Formulas mfma16{
    [](int64_t i, int64_t lane) { return Place(lane % 16, 4 * (lane / 16) + i); },
    [](int64_t i, int64_t lane) { return Place(4 * (lane / 16) + i, lane % 16); },
    [](int64_t i, int64_t lane) { return Place(4 * (lane / 16) + i, lane % 16); }};

/// RDNA 3 ISA and RDNA 4 ISA, "WMMA".
const Formulas wmma3{[](int64_t i, int64_t lane) { return Place(lane % 16, i); },
                     [](int64_t i, int64_t lane) { return Place(i, lane % 16); },
                     [](int64_t i, int64_t lane) { return Place(2 * i + lane / 16, lane % 16); }};
const Formulas wmma4{[](int64_t i, int64_t lane) { return Place(lane % 16, 8 * (lane / 16) + i); },
                     [](int64_t i, int64_t lane) { return Place(8 * (lane / 16) + i, lane % 16); },
                     [](int64_t i, int64_t lane) { return Place(i + 8 * (lane / 16), lane % 16); }};

/// CDNA 3 ISA, "Dense Matrix Layouts", of 8 bits: eight along the depth.
const Formulas deepMfma32{
    [](int64_t i, int64_t lane) { return Place(lane % 32, 8 * (lane / 32) + i); },
    [](int64_t i, int64_t lane) { return Place(8 * (lane / 32) + i, lane % 32); }, mfma32.sums};
const Formulas deepMfma16{
    [](int64_t i, int64_t lane) { return Place(lane % 16, 8 * (lane / 16) + i); },
    [](int64_t i, int64_t lane) { return Place(8 * (lane / 16) + i, lane % 16); }, mfma16.sums};

const Formulas *findFormulas(llvm::StringRef name) {
  return name.starts_with("mma.m16n8k16")    ? &mma
         : name.starts_with("mma.m16n8k32")  ? &byteMma
         : name.starts_with("mfma.32x32x8")  ? &mfma32
         : name.starts_with("mfma.16x16x16") ? &mfma16
         : name.starts_with("mfma.32x32x16") ? &deepMfma32
         : name.starts_with("mfma.16x16x32") ? &deepMfma16
         : name.starts_with("wmma3.")        ? &wmma3
         : name.starts_with("wmma4.")        ? &wmma4
                                             : nullptr;
}

TEST(Units, FragmentsAreThoseOfTheManuals) {
  for (llvm::StringRef chip : {"cuda:sm_80", "cuda:sm_89", "amd:gfx942", "amd:gfx90a", "amd:gfx950",
                               "amd:gfx1100", "amd:gfx1201"}) {
    EXPECT_FALSE(getInstructions(chip).units.empty()) << chip.str();
    for (const MatrixUnit &unit : getInstructions(chip).units) {
      SCOPED_TRACE(unit.name.str());
      const Formulas *formulas = findFormulas(unit.name);
      ASSERT_TRUE(formulas);
      expectFragment(unit.lhs, unit.rows, unit.depth, formulas->lhs);
      expectFragment(unit.rhs, unit.depth, unit.columns, formulas->rhs);
      expectFragment(unit.sums, unit.rows, unit.columns, formulas->sums);
      const MatrixUnit *found = findMatrixUnit(unit.name);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->intrinsic, unit.intrinsic);
      EXPECT_EQ(found->depth, unit.depth);
    }
  }
}

/// PTX ISA, "Register Fragments" of wgmma.mma_async: fragment D of m64nNk16 and of m64nNk32.
TEST(Units, SumsOfSeveralSubgroupsAreThoseOfTheManual) {
  std::set<int64_t> columns;
  for (const MatrixUnit &unit : getInstructions("cuda:sm_90a").localUnits) {
    SCOPED_TRACE(unit.name.str());
    EXPECT_TRUE(unit.rhs.lanes.empty());
    // Fragment A: of each subgroup that of mma.
    bool isOfBytes = tw::format::elementBytes(unit.operands) == 1;
    EXPECT_EQ(unit.readsAlongDepth, isOfBytes);
    expectFragment(unit.lhs, unit.rows / unit.countSubgroups(), unit.depth,
                   isOfBytes ? byteMma.lhs : mma.lhs);
    ASSERT_EQ(unit.lhs.subgroups.size(), unit.sums.subgroups.size());
    for (auto [left, sums] : llvm::zip(unit.lhs.subgroups, unit.sums.subgroups))
      EXPECT_EQ(Place(left.row, left.column), Place(sums.row, sums.column));
    EXPECT_EQ(unit.rows, 64);
    EXPECT_EQ(unit.depth, isOfBytes ? 32 : 16);
    EXPECT_EQ(unit.countSubgroups(), 4);
    EXPECT_EQ(int64_t(1) << unit.sums.registers.size(), unit.columns / 2);
    EXPECT_EQ(findMatrixUnit(unit.name), &unit);
    columns.insert(unit.columns);
    std::set<Place> all;
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t i = 0; i < unit.columns / 2; ++i) {
          Place at = locate(unit.sums, i, lane);
          for (auto [bit, offset] : llvm::enumerate(unit.sums.subgroups))
            if (warp >> bit & 1)
              at = {at.first ^ offset.row, at.second ^ offset.column};
          EXPECT_EQ(at, Place(16 * warp + lane / 4 + (i / 2 % 2) * 8,
                              8 * (i / 4) + 2 * (lane % 4) + i % 2))
              << "register " << i << " of lane " << lane << " of subgroup " << warp;
          all.insert(at);
        }
    EXPECT_EQ(int64_t(all.size()), unit.rows * unit.columns);
  }
  EXPECT_EQ(columns, (std::set<int64_t>{8, 16, 32, 64, 128, 256}));
}

/// PTX ISA, "Matrix descriptor" and the layouts without swizzling: addresses in 16 bytes from bit 0
/// on, the leading offset from bit 16 on, the stride offset from bit 32 on.
TEST(Units, OperandsInLocalMemoryAreDescribed) {
  const ChipInstructions &chip = getInstructions("cuda:sm_90a");
  ASSERT_TRUE(chip.describe);
  EXPECT_EQ(chip.describe({true, 2064}), uint64_t(129) << 16 | uint64_t(8) << 32);
  EXPECT_EQ(chip.describe({false, 1040}), uint64_t(8) << 16 | uint64_t(65) << 32);
}

/// The first chips of AMD with floats of 8 bits have not those of OCP.
TEST(Units, FloatsOf8BitsAreThoseOfTheChip) {
  using tw::format::ElementType;
  auto multiplies = [](llvm::StringRef chip, ElementType type) {
    return llvm::any_of(getInstructions(chip).units,
                        [&](const MatrixUnit &unit) { return unit.operands == type; });
  };
  for (llvm::StringRef chip : {"cuda:sm_89", "cuda:sm_90a", "amd:gfx950", "amd:gfx1201"}) {
    EXPECT_TRUE(multiplies(chip, ElementType::F8E4M3FN)) << chip.str();
    EXPECT_TRUE(multiplies(chip, ElementType::F8E5M2)) << chip.str();
    EXPECT_FALSE(multiplies(chip, ElementType::F8E4M3FNUZ)) << chip.str();
  }
  EXPECT_TRUE(multiplies("amd:gfx942", ElementType::F8E4M3FNUZ));
  EXPECT_TRUE(multiplies("amd:gfx942", ElementType::F8E5M2FNUZ));
  for (llvm::StringRef chip : {"cuda:sm_80", "amd:gfx942", "amd:gfx90a", "amd:gfx1100"})
    EXPECT_FALSE(multiplies(chip, ElementType::F8E4M3FN)) << chip.str();
}

TEST(Units, ChipsWithoutHaveNone) {
  for (llvm::StringRef chip :
       {"cuda:sm_75", "amd:gfx1030", "amd:gfx1100-wave64", "opencl:cpu", "vulkan", "", "cuda:x"}) {
    EXPECT_TRUE(getInstructions(chip).units.empty()) << chip.str();
    EXPECT_FALSE(getInstructions(chip).copies()) << chip.str();
  }
  for (llvm::StringRef chip : {"cuda:sm_80", "cuda:sm_90", "cuda:sm_100a", "amd:gfx942"})
    EXPECT_TRUE(getInstructions(chip).localUnits.empty()) << chip.str();
  EXPECT_TRUE(getInstructions("cuda:sm_90a").copies());
  EXPECT_EQ(findMatrixUnit("none"), nullptr);
}

} // namespace
