// Dot products of x86-64: AVX512-BF16, VNNI in both encodings, and the multiply-add of 16 bits that
// every CPU has.
#include "X86_64.h"

using namespace mlir;
using namespace tw::host;

/// vdpbf16ps, which reads `rhs` from memory itself where nothing else does.
static Value emitBF16(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs, Value sum) {
  Type bf16 = e.builder.getBF16Type();
  return e.call("llvm.x86.avx512bf16.dpbf16ps." + std::to_string(e.lanes * 32), sum.getType(),
                {sum, e.asElements(lhs.lanes, bf16), e.asElements(rhs.lanes, bf16)});
}

/// vcvtneps2bf16, for vectors of 8 and 16 lanes: it takes denormals as 0.
static Value truncateSums(OpBuilder &builder, Location location, Value sums) {
  auto type = cast<VectorType>(sums.getType());
  if (!llvm::is_contained({8, 16}, type.getNumElements()))
    return {};
  std::string name =
      "llvm.x86.avx512bf16.cvtneps2bf16." + std::to_string(type.getNumElements() * 32);
  return LLVM::CallIntrinsicOp::create(builder, location, type.clone(builder.getBF16Type()),
                                       builder.getStringAttr(name), sums)
      .getResult(0);
}

/// vpdpbusd: four products a lane of unsigned by signed 8-bit integers.
static Value dot(DotEmitter &e, Value sum, Value unsignedLanes, Value signedLanes) {
  Type i8 = e.builder.getI8Type();
  return e.call("llvm.x86.avx512.vpdpbusd." + std::to_string(e.lanes * 32), sum.getType(),
                {sum, e.asElements(unsignedLanes, i8), e.asElements(signedLanes, i8)});
}

/// With both operands signed or both unsigned, one is shifted by 128 into the other range, and what
/// that adds is taken back: 128 times the sum of the other operand. The scalar one is shifted, so
/// that all rows of a tile share the correction.
static Value emitInt8(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs, Value sum) {
  Value a = lhs.lanes, b = rhs.lanes;
  if (lhs.isUnsigned != rhs.isUnsigned)
    return lhs.isUnsigned ? dot(e, sum, a, b) : dot(e, sum, b, a);
  Value &shifted = rhs.isUniform && !lhs.isUniform ? b : a, &other = &shifted == &a ? b : a;
  shifted = e.create<arith::XOrIOp>(shifted, e.constant(0x80808080));
  Value zero = e.constant(0);
  if (!lhs.isUnsigned)
    return dot(e, e.create<arith::SubIOp>(sum, dot(e, zero, e.constant(0x80808080), other)),
               shifted, other);
  Value total = dot(e, zero, other, e.constant(0x01010101));
  Value correction = e.create<arith::ShLIOp>(total, e.constant(7));
  return dot(e, e.create<arith::AddIOp>(sum, correction), other, shifted);
}

/// vpmaddwd on the even and on the odd elements of the groups, extended to 16 bits.
static Value emitInt16(DotEmitter &e, const PackedGroups &lhs, const PackedGroups &rhs, Value sum) {
  Type i16 = e.builder.getI16Type();
  auto halves = [&](const PackedGroups &group) {
    Value all = e.asElements(group.lanes, i16);
    Value eight = e.constant(e.builder.getI16IntegerAttr(8), e.lanes * 2);
    if (group.isUnsigned) {
      Value low = e.constant(e.builder.getI16IntegerAttr(255), e.lanes * 2);
      return std::pair(e.create<arith::AndIOp>(all, low), e.create<arith::ShRUIOp>(all, eight));
    }
    return std::pair(e.create<arith::ShRSIOp>(e.create<arith::ShLIOp>(all, eight), eight),
                     e.create<arith::ShRSIOp>(all, eight));
  };
  StringRef name = e.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                   : e.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
  auto [a0, a1] = halves(lhs);
  auto [b0, b1] = halves(rhs);
  sum = e.create<arith::AddIOp>(sum, e.call(name, sum.getType(), {a0, b0}));
  return e.create<arith::AddIOp>(sum, e.call(name, sum.getType(), {a1, b1}));
}

static constexpr llvm::StringLiteral needsBF16[] = {"avx512bf16", "avx512bw", "avx512dq", "avx512f",
                                                    "avx512vl"};
static constexpr llvm::StringLiteral needsVnni[] = {"avx512vnni", "avx512bw", "avx512dq", "avx512f",
                                                    "avx512vl"};
static constexpr llvm::StringLiteral needsAvxVnni[] = {"avxvnni"};

static constexpr DotProducts dots[] = {
    {.name = "avx512bf16",
     .kind = DotKind::BF16,
     .needs = needsBF16,
     .maxLanes = 16,
     .emit = emitBF16,
     .intrinsic = "llvm.x86.avx512bf16.dpbf16ps.",
     .truncateSums = truncateSums},
    {.name = "avx512vnni",
     .kind = DotKind::Int8,
     .needs = needsVnni,
     .maxLanes = 16,
     .emit = emitInt8},
    {.name = "avxvnni",
     .kind = DotKind::Int8,
     .needs = needsAvxVnni,
     .maxLanes = 16,
     .emit = emitInt8},
    {.name = "pmaddwd", .kind = DotKind::Int16, .needs = {}, .maxLanes = 16, .emit = emitInt16},
};

llvm::ArrayRef<DotProducts> tw::host::x86_64::getDots() { return dots; }
