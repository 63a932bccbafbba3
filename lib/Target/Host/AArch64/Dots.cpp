// Dot products of AArch64: those of bytes (FEAT_DotProd, and FEAT_I8MM for operands of unlike
// signs) and those of bf16 (FEAT_BF16).
#include "AArch64.h"

using namespace mlir;
using namespace tw::host;

static Value dot(DotEmitter &e, StringRef name, Value sum, Value a, Value b) {
  Type i8 = e.builder.getI8Type();
  return e.call(("llvm.aarch64.neon." + name + ".v4i32.v16i8").str(), sum.getType(),
                {sum, e.asElements(a, i8), e.asElements(b, i8)});
}

static Value dotOfLikeSigns(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs,
                            Value sum) {
  return dot(e, lhs.isUnsigned ? "udot" : "sdot", sum, lhs.lanes, rhs.lanes);
}

/// Of unlike signs, the unsigned operand is shifted by 128 into the signed range, and 128 times the
/// sum of the other one is added.
static Value emitDotProd(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs,
                         Value sum) {
  if (lhs.isUnsigned == rhs.isUnsigned)
    return dotOfLikeSigns(e, lhs, rhs, sum);
  Value other = lhs.isUnsigned ? rhs.lanes : lhs.lanes;
  Value shifted =
      e.create<arith::XOrIOp>(lhs.isUnsigned ? lhs.lanes : rhs.lanes, e.constant(0x80808080));
  Value total = dot(e, "sdot", e.constant(0), other, e.constant(0x01010101));
  Value correction = e.create<arith::ShLIOp>(total, e.constant(7));
  return dot(e, "sdot", e.create<arith::AddIOp>(sum, correction), other, shifted);
}

static Value emitI8MM(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs, Value sum) {
  if (lhs.isUnsigned == rhs.isUnsigned)
    return dotOfLikeSigns(e, lhs, rhs, sum);
  return lhs.isUnsigned ? dot(e, "usdot", sum, lhs.lanes, rhs.lanes)
                        : dot(e, "usdot", sum, rhs.lanes, lhs.lanes);
}

/// bfdot rounds to odd between its two products, and takes and gives denormals as 0.
static Value emitBF16(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs, Value sum) {
  Type bf16 = e.builder.getBF16Type();
  return e.call("llvm.aarch64.neon.bfdot.v4f32.v8bf16", sum.getType(),
                {sum, e.asElements(lhs.lanes, bf16), e.asElements(rhs.lanes, bf16)});
}

static constexpr llvm::StringLiteral needsI8MM[] = {"dotprod", "i8mm"};
static constexpr llvm::StringLiteral needsDotProd[] = {"dotprod"};
static constexpr llvm::StringLiteral needsBF16[] = {"bf16"};

static constexpr DotProducts dots[] = {
    {.name = "bfdot", .kind = DotKind::BF16, .needs = needsBF16, .maxLanes = 4, .emit = emitBF16},
    {.name = "usdot", .kind = DotKind::Int8, .needs = needsI8MM, .maxLanes = 4, .emit = emitI8MM},
    {.name = "sdot",
     .kind = DotKind::Int8,
     .needs = needsDotProd,
     .maxLanes = 4,
     .emit = emitDotProd},
};

llvm::ArrayRef<DotProducts> tw::host::aarch64::getDots() { return dots; }
