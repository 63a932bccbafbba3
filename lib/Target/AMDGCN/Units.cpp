// Matrix instructions of AMD chips: MFMA of CDNA by subgroups of 64, WMMA of RDNA by those of 32.
//
// Sources: the instruction set references of MI200, MI300, RDNA 3 and RDNA 4, as LLVM's and
// Triton's tables have them. Register i of a lane holds, of MFMA's sums of 32 x 32, (8 * (i / 4) +
// 4
// * (lane / 32) + i % 4, lane % 32), of those of 16 x 16, (4 * (lane / 16) + i, lane % 16); of
// operands, element i of the depth beginning at 4 times the same quotient, of bytes of gfx940 and
// up at 8 times. WMMA of RDNA 3 has copies of operands in both halves of a subgroup, and sums (2 *
// i + lane / 16, lane % 16); that of RDNA 4 half of the depth in each, and sums (i + 8 * (lane /
// 16), lane % 16).
#include "tw/Target/AMDGCN/Chips.h"

#include "SmallFloats.h"

using namespace tw;
using format::ElementType;

namespace {

using Offset = MatrixFragment::Offset;
using Word = MatrixFragment::Word;

namespace mfma32 {
constexpr Offset sumRegisters[] = {{1, 0}, {2, 0}, {8, 0}, {16, 0}};
constexpr Offset sumLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}};
constexpr Offset lhsRegisters[] = {{0, 1}, {0, 2}}, rhsRegisters[] = {{1, 0}, {2, 0}};
constexpr Offset lhsLanes[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}};
constexpr Offset rhsLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}};
} // namespace mfma32

namespace mfma16 {
constexpr Offset sumRegisters[] = {{1, 0}, {2, 0}};
constexpr Offset sumLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}};
constexpr Offset lhsLanes[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 4}, {0, 8}};
constexpr Offset rhsLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}};
} // namespace mfma16

namespace rdna3 {
constexpr Offset sumRegisters[] = {{2, 0}, {4, 0}, {8, 0}};
constexpr Offset sumLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}};
constexpr Offset lhsRegisters[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}};
constexpr Offset rhsRegisters[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}};
constexpr Offset lhsLanes[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}};
constexpr Offset rhsLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}};
} // namespace rdna3

namespace rdna4 {
constexpr Offset sumRegisters[] = {{1, 0}, {2, 0}, {4, 0}};
constexpr Offset sumLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}};
constexpr Offset lhsRegisters[] = {{0, 1}, {0, 2}, {0, 4}};
constexpr Offset rhsRegisters[] = {{1, 0}, {2, 0}, {4, 0}};
constexpr Offset lhsLanes[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}};
constexpr Offset rhsLanes[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}};
} // namespace rdna4

namespace bytes {
constexpr Offset depths[] = {{0, 1}, {0, 2}, {0, 4}}, heights[] = {{1, 0}, {2, 0}, {4, 0}};
constexpr Offset mfma32Lhs[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 8}};
constexpr Offset mfma32Rhs[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {8, 0}};
constexpr Offset mfma16Lhs[] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}, {0, 16}};
constexpr Offset mfma16Rhs[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}, {16, 0}};
} // namespace bytes

constexpr MatrixUnit mfma32Of(llvm::StringLiteral name, ElementType type,
                              llvm::StringLiteral intrinsic, Word word) {
  return {.name = name,
          .rows = 32,
          .columns = 32,
          .depth = 8,
          .operands = type,
          .results = ElementType::F32,
          .intrinsic = intrinsic,
          .lhs = {mfma32::lhsRegisters, mfma32::lhsLanes, 4, word},
          .rhs = {mfma32::rhsRegisters, mfma32::rhsLanes, 4, word},
          .sums = {mfma32::sumRegisters, mfma32::sumLanes, 16},
          .zeros = 3};
}

constexpr MatrixUnit mfma16Of(llvm::StringLiteral name, ElementType type,
                              llvm::StringLiteral intrinsic, Word word) {
  return {.name = name,
          .rows = 16,
          .columns = 16,
          .depth = 16,
          .operands = type,
          .results = ElementType::F32,
          .intrinsic = intrinsic,
          .lhs = {mfma32::lhsRegisters, mfma16::lhsLanes, 4, word},
          .rhs = {mfma32::rhsRegisters, mfma16::rhsLanes, 4, word},
          .sums = {mfma16::sumRegisters, mfma16::sumLanes, 4},
          .zeros = 3};
}

constexpr MatrixUnit wmma3Of(llvm::StringLiteral name, ElementType type,
                             llvm::StringLiteral intrinsic, Word word) {
  return {.name = name,
          .rows = 16,
          .columns = 16,
          .depth = 16,
          .operands = type,
          .results = ElementType::F32,
          .intrinsic = intrinsic,
          .lhs = {rdna3::lhsRegisters, rdna3::lhsLanes, 16, word},
          .rhs = {rdna3::rhsRegisters, rdna3::rhsLanes, 16, word},
          .sums = {rdna3::sumRegisters, rdna3::sumLanes, 8}};
}

constexpr MatrixUnit wmma4Of(llvm::StringLiteral name, ElementType type,
                             llvm::StringLiteral intrinsic, Word word) {
  return {.name = name,
          .rows = 16,
          .columns = 16,
          .depth = 16,
          .operands = type,
          .results = ElementType::F32,
          .intrinsic = intrinsic,
          .lhs = {rdna4::lhsRegisters, rdna4::lhsLanes, 8, word},
          .rhs = {rdna4::rhsRegisters, rdna4::rhsLanes, 8, word},
          .sums = {rdna4::sumRegisters, rdna4::sumLanes, 8}};
}

/// The unit of floats with bytes in their places, of which as many are an integer of 32 bits.
constexpr MatrixUnit mfmaBytesOf(MatrixUnit unit) {
  unit.results = ElementType::I32;
  return unit;
}

/// With twice the depth: eight bytes are an integer of 64 bits.
constexpr MatrixUnit deepMfmaOf(MatrixUnit unit) {
  unit.results = ElementType::I32;
  unit.depth *= 2;
  bool isLarge = unit.rows == 32;
  unit.lhs = {bytes::depths, isLarge ? bytes::mfma32Lhs : bytes::mfma16Lhs, 8, Word::Integer};
  unit.rhs = {bytes::heights, isLarge ? bytes::mfma32Rhs : bytes::mfma16Rhs, 8, Word::Integer};
  return unit;
}

/// With floats of 8 bits instead.
constexpr MatrixUnit float8MfmaOf(MatrixUnit unit) {
  unit = deepMfmaOf(unit);
  unit.results = ElementType::F32;
  return unit;
}

/// The unit of floats with bytes in their places, for operands of these signs.
constexpr MatrixUnit wmmaBytesOf(MatrixUnit unit, bool lhsUnsigned, bool rhsUnsigned) {
  unit.results = ElementType::I32;
  unit.takesSigns = true;
  unit.lhsUnsigned = lhsUnsigned;
  unit.rhsUnsigned = rhsUnsigned;
  return unit;
}

#define WMMA_BYTES(makeUnit, prefix)                                                               \
  wmmaBytesOf(makeUnit(prefix ".16x16x16.s8", ElementType::I8,                                     \
                       "llvm.amdgcn.wmma.i32.16x16x16.iu8", Word::Words),                          \
              false, false),                                                                       \
      wmmaBytesOf(makeUnit(prefix ".16x16x16.u8", ElementType::I8,                                 \
                           "llvm.amdgcn.wmma.i32.16x16x16.iu8", Word::Words),                      \
                  true, true),                                                                     \
      wmmaBytesOf(makeUnit(prefix ".16x16x16.u8.s8", ElementType::I8,                              \
                           "llvm.amdgcn.wmma.i32.16x16x16.iu8", Word::Words),                      \
                  true, false),                                                                    \
      wmmaBytesOf(makeUnit(prefix ".16x16x16.s8.u8", ElementType::I8,                              \
                           "llvm.amdgcn.wmma.i32.16x16x16.iu8", Word::Words),                      \
                  false, true)

// The largest first.
#define CDNA_FLOAT_UNITS                                                                           \
  mfma32Of("mfma.32x32x8.bf16", ElementType::BF16, "llvm.amdgcn.mfma.f32.32x32x8bf16.1k",          \
           Word::Integers),                                                                        \
      mfma32Of("mfma.32x32x8.f16", ElementType::F16, "llvm.amdgcn.mfma.f32.32x32x8f16",            \
               Word::Elements),                                                                    \
      mfma16Of("mfma.16x16x16.bf16", ElementType::BF16, "llvm.amdgcn.mfma.f32.16x16x16bf16.1k",    \
               Word::Integers),                                                                    \
      mfma16Of("mfma.16x16x16.f16", ElementType::F16, "llvm.amdgcn.mfma.f32.16x16x16f16",          \
               Word::Elements)

constexpr MatrixUnit cdna2Units[] = {
    CDNA_FLOAT_UNITS,
    mfmaBytesOf(mfma32Of("mfma.32x32x8.s8", ElementType::I8, "llvm.amdgcn.mfma.i32.32x32x8i8",
                         Word::Integer)),
    mfmaBytesOf(mfma16Of("mfma.16x16x16.s8", ElementType::I8, "llvm.amdgcn.mfma.i32.16x16x16i8",
                         Word::Integer)),
};

#define CDNA_BYTE_UNITS                                                                            \
  deepMfmaOf(mfma32Of("mfma.32x32x16.s8", ElementType::I8, "llvm.amdgcn.mfma.i32.32x32x16.i8",     \
                      Word::Integer)),                                                             \
      deepMfmaOf(mfma16Of("mfma.16x16x32.s8", ElementType::I8, "llvm.amdgcn.mfma.i32.16x16x32.i8", \
                          Word::Integer))
#define CDNA_FLOAT8_UNITS(wide, fine, wideType, fineType)                                          \
  float8MfmaOf(mfma32Of("mfma.32x32x16." wide, wideType, "llvm.amdgcn.mfma.f32.32x32x16.bf8.bf8",  \
                        Word::Integer)),                                                           \
      float8MfmaOf(mfma32Of("mfma.32x32x16." fine, fineType,                                       \
                            "llvm.amdgcn.mfma.f32.32x32x16.fp8.fp8", Word::Integer)),              \
      float8MfmaOf(mfma16Of("mfma.16x16x32." wide, wideType,                                       \
                            "llvm.amdgcn.mfma.f32.16x16x32.bf8.bf8", Word::Integer)),              \
      float8MfmaOf(mfma16Of("mfma.16x16x32." fine, fineType,                                       \
                            "llvm.amdgcn.mfma.f32.16x16x32.fp8.fp8", Word::Integer))

// The same instructions multiply other floats of 8 bits from gfx950 on.
constexpr MatrixUnit cdna3Units[] = {
    CDNA_FLOAT_UNITS, CDNA_BYTE_UNITS,
    CDNA_FLOAT8_UNITS("e5m2fnuz", "e4m3fnuz", ElementType::F8E5M2FNUZ, ElementType::F8E4M3FNUZ)};

constexpr MatrixUnit cdna4Units[] = {
    CDNA_FLOAT_UNITS, CDNA_BYTE_UNITS,
    CDNA_FLOAT8_UNITS("e5m2", "e4m3", ElementType::F8E5M2, ElementType::F8E4M3FN)};

#undef CDNA_FLOAT8_UNITS
#undef CDNA_BYTE_UNITS
#undef CDNA_FLOAT_UNITS

constexpr MatrixUnit rdna3Units[] = {
    wmma3Of("wmma3.16x16x16.bf16", ElementType::BF16, "llvm.amdgcn.wmma.f32.16x16x16.bf16",
            Word::Integers),
    wmma3Of("wmma3.16x16x16.f16", ElementType::F16, "llvm.amdgcn.wmma.f32.16x16x16.f16",
            Word::Elements),
    WMMA_BYTES(wmma3Of, "wmma3"),
};

constexpr MatrixUnit rdna4Units[] = {
    wmma4Of("wmma4.16x16x16.bf16", ElementType::BF16, "llvm.amdgcn.wmma.f32.16x16x16.bf16",
            Word::Integers),
    wmma4Of("wmma4.16x16x16.f16", ElementType::F16, "llvm.amdgcn.wmma.f32.16x16x16.f16",
            Word::Elements),
    WMMA_BYTES(wmma4Of, "wmma4"),
    wmma4Of("wmma4.16x16x16.e4m3", ElementType::F8E4M3FN, "llvm.amdgcn.wmma.f32.16x16x16.fp8.fp8",
            Word::Words),
    wmma4Of("wmma4.16x16x16.e5m2", ElementType::F8E5M2, "llvm.amdgcn.wmma.f32.16x16x16.bf8.bf8",
            Word::Words),
};

#undef WMMA_BYTES

} // namespace

const ChipInstructions &tw::amdgcn::getChipInstructions(llvm::StringRef name) {
  static constexpr ChipInstructions none, cdna2{.units = cdna2Units},
      cdna3{.units = cdna3Units, .smallFloats = fnuzFloats},
      cdna4{.units = cdna4Units, .smallFloats = ocpFloats}, rdna3{.units = rdna3Units},
      rdna4{.units = rdna4Units, .smallFloats = ocpFloats};
  std::optional<Chip> chip = findChip(name);
  if (!chip)
    return none;
  if (chip->subgroup == 64)
    return chip->processor.starts_with("gfx90")   ? cdna2
           : chip->processor.starts_with("gfx95") ? cdna4
           : chip->processor.starts_with("gfx9")  ? cdna3
                                                  : none;
  return chip->processor.starts_with("gfx11")   ? rdna3
         : chip->processor.starts_with("gfx12") ? rdna4
                                                : none;
}
