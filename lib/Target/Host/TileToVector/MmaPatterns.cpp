// ttile.mma, part by part: multiply-adds, and dot instructions on groups of narrow elements.
//
// Groups are multiplied on packed lanes: vectors of i32 each of whose lanes holds the elements of a
// group, 2 of 16 bits or 4 of 8, the first in the low bits.
#include "Parts.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// An operand's values for one part of the accumulator, one per element of the group.
struct GroupValues {
  SmallVector<Value> values;
  bool isUnsigned = false;

  bool isScalar() const { return !isa<VectorType>(values.front().getType()); }
  bool isZero() const {
    return llvm::all_of(values, [](Value value) {
      return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
    });
  }
  Type element() const { return getElementTypeOrSelf(values.front().getType()); }
};

class MmaEmitter {
public:
  MmaEmitter(OpBuilder &builder, Location location, DotInstructions dots, unsigned lanes)
      : builder(builder), location(location), dots(dots), lanes(lanes) {}

  /// With `lhsLast`, the left operand's values are used less often than the right one's.
  Value emit(const GroupValues &lhs, const GroupValues &rhs, Value sum, bool lhsLast) {
    bool fits = lanes == 4 || lanes == 8 || lanes == 16;
    if (fits && lhs.values.size() == 2 && lhs.element().isBF16()) {
      Value a = pack(lhs.values), b = pack(rhs.values);
      return lhsLast ? emitBF16(b, a, sum) : emitBF16(a, b, sum);
    }
    if (fits && lhs.values.size() == 4 && lhs.element().isInteger(8) && (dots.int8 || dots.int16))
      return dots.int8 ? emitDots(lhs, rhs, sum) : emitPairs(lhs, rhs, sum);
    for (auto [a, b] : llvm::zip(lhs.values, rhs.values))
      sum = multiplyAdd(widen(a, lhs.isUnsigned, sum), widen(b, rhs.isUnsigned, sum), sum);
    return sum;
  }

private:
  OpBuilder &builder;
  Location location;
  DotInstructions dots;
  unsigned lanes;

  template <typename Op, typename... Args> Value create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  Type lanesOf(Type element) { return VectorType::get({int64_t(lanes)}, element); }
  Value packedConstant(uint32_t value) {
    return splatConstant(builder, location, builder.getI32IntegerAttr(int32_t(value)), lanes);
  }
  /// Packed lanes as vectors of narrow elements.
  Value asElements(Value packed, Type element) {
    int64_t count = int64_t(lanes) * 32 / element.getIntOrFloatBitWidth();
    return create<vector::BitCastOp>(VectorType::get({count}, element), packed);
  }
  Value call(StringRef name, Value sum, ValueRange operands) {
    SmallVector<Value> arguments(operands);
    return LLVM::CallIntrinsicOp::create(builder, location, sum.getType(),
                                         builder.getStringAttr(name), arguments)
        .getResult(0);
  }

  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
      return create<math::FmaOp>(a, b, sum);
    return create<arith::AddIOp>(sum, create<arith::MulIOp>(a, b));
  }

  /// In the type of the sums, in all lanes.
  Value widen(Value value, bool isUnsigned, Value sum) {
    Type element = getElementTypeOrSelf(sum.getType());
    if (getElementTypeOrSelf(value.getType()) != element) {
      auto vector = dyn_cast<VectorType>(value.getType());
      Type wide = vector ? Type(vector.clone(element)) : element;
      if (isa<FloatType>(element))
        value = create<arith::ExtFOp>(wide, value);
      else if (isUnsigned)
        value = create<arith::ExtUIOp>(wide, value);
      else
        value = create<arith::ExtSIOp>(wide, value);
    }
    return splat(builder, location, value, lanes);
  }

  /// The vector out of which a load took the values of a group, if it holds them packed.
  static Value findPacked(ArrayRef<Value> values) {
    Value source;
    for (auto [g, value] : llvm::enumerate(values)) {
      Value from;
      if (auto extract = value.getDefiningOp<vector::ExtractOp>()) {
        if (extract.hasDynamicPosition() || extract.getStaticPosition().size() != 1 ||
            extract.getStaticPosition()[0] != int64_t(g))
          return {};
        from = extract.getSource();
      } else if (auto shuffle = value.getDefiningOp<vector::ShuffleOp>()) {
        for (auto [lane, at] : llvm::enumerate(shuffle.getMask()))
          if (at != int64_t(lane * values.size() + g))
            return {};
        from = shuffle.getV1();
      }
      if (!from || (source && from != source))
        return {};
      source = from;
    }
    auto type = cast<VectorType>(source.getType());
    auto part = dyn_cast<VectorType>(values.front().getType());
    int64_t expected = int64_t(values.size()) * (part ? part.getNumElements() : 1);
    return type.getNumElements() == expected ? source : Value();
  }

  Value pack(ArrayRef<Value> values) {
    Value source = findPacked(values);
    Type i32 = builder.getI32Type();
    if (!isa<VectorType>(values.front().getType())) {
      auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
      if (!source)
        source = create<vector::FromElementsOp>(type, values);
      Value bits = create<vector::BitCastOp>(VectorType::get({1}, i32), source);
      return splat(builder, location, create<vector::ExtractOp>(bits, 0), lanes);
    }
    if (!source) {
      auto interleave = [&](Value a, Value b) { return create<vector::InterleaveOp>(a, b); };
      source = values.size() == 2
                   ? interleave(values[0], values[1])
                   : interleave(interleave(values[0], values[2]), interleave(values[1], values[3]));
    }
    return create<vector::BitCastOp>(lanesOf(i32), source);
  }

  /// Two products of bf16 a lane: vdpbf16ps, which reads `b` from memory itself where nothing else
  /// does; or shifts to f32 and two multiply-adds.
  Value emitBF16(Value a, Value b, Value sum) {
    Type bf16 = builder.getBF16Type(), f32 = builder.getF32Type();
    if (dots.bf16)
      return call("llvm.x86.avx512bf16.dpbf16ps." + std::to_string(lanes * 32), sum,
                  {sum, asElements(a, bf16), asElements(b, bf16)});
    auto first = [&](Value packed) {
      Value bits = create<arith::ShLIOp>(packed, packedConstant(16));
      return create<vector::BitCastOp>(lanesOf(f32), bits);
    };
    auto second = [&](Value packed) {
      Value bits = create<arith::AndIOp>(packed, packedConstant(0xffff0000));
      return create<vector::BitCastOp>(lanesOf(f32), bits);
    };
    sum = create<math::FmaOp>(first(a), first(b), sum);
    return create<math::FmaOp>(second(a), second(b), sum);
  }

  /// vpdpbusd: four products a lane of unsigned by signed 8-bit integers.
  Value dot(Value sum, Value unsignedLanes, Value signedLanes) {
    Type i8 = builder.getI8Type();
    return call("llvm.x86.avx512.vpdpbusd." + std::to_string(lanes * 32), sum,
                {sum, asElements(unsignedLanes, i8), asElements(signedLanes, i8)});
  }

  /// With both operands signed or both unsigned, one is shifted by 128 into the other range, and
  /// what that adds is taken back: 128 times the sum of the other operand. The scalar one is
  /// shifted, so that all rows of a tile share the correction.
  Value emitDots(const GroupValues &lhs, const GroupValues &rhs, Value sum) {
    Value a = pack(lhs.values), b = pack(rhs.values);
    if (lhs.isUnsigned != rhs.isUnsigned)
      return lhs.isUnsigned ? dot(sum, a, b) : dot(sum, b, a);
    Value &shifted = rhs.isScalar() && !lhs.isScalar() ? b : a, &other = &shifted == &a ? b : a;
    shifted = create<arith::XOrIOp>(shifted, packedConstant(0x80808080));
    Value zero = packedConstant(0);
    if (!lhs.isUnsigned)
      return dot(create<arith::SubIOp>(sum, dot(zero, packedConstant(0x80808080), other)), shifted,
                 other);
    Value total = dot(zero, other, packedConstant(0x01010101));
    Value correction = create<arith::ShLIOp>(total, packedConstant(7));
    return dot(create<arith::AddIOp>(sum, correction), other, shifted);
  }

  /// vpmaddwd on the even and on the odd elements of the groups, extended to 16 bits.
  Value emitPairs(const GroupValues &lhs, const GroupValues &rhs, Value sum) {
    Type i16 = builder.getI16Type();
    auto halves = [&](const GroupValues &group) {
      Value all = asElements(pack(group.values), i16);
      Value eight = splatConstant(builder, location, builder.getI16IntegerAttr(8), lanes * 2);
      if (group.isUnsigned) {
        Value low = splatConstant(builder, location, builder.getI16IntegerAttr(255), lanes * 2);
        return std::pair(create<arith::AndIOp>(all, low), create<arith::ShRUIOp>(all, eight));
      }
      return std::pair(create<arith::ShRSIOp>(create<arith::ShLIOp>(all, eight), eight),
                       create<arith::ShRSIOp>(all, eight));
    };
    StringRef name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                  : "llvm.x86.sse2.pmadd.wd";
    auto [a0, a1] = halves(lhs);
    auto [b0, b1] = halves(rhs);
    sum = create<arith::AddIOp>(sum, call(name, sum, {a0, b0}));
    return create<arith::AddIOp>(sum, call(name, sum, {a1, b1}));
  }
};

/// ttile.mma %a, %b, %c   ->   on every part of %c: math.fma (floats) or arith.muli and addi; a dot
/// instruction for a group
class MmaPattern : public OpConversionPattern<tw::tile::MmaOp> {
public:
  MmaPattern(const TypeConverter &converter, const Parts &parts, DotInstructions dots,
             MLIRContext *context)
      : OpConversionPattern(converter, context), parts(parts), dots(dots) {}

  LogicalResult matchAndRewrite(tw::tile::MmaOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto lhsTile = cast<RankedTensorType>(op.getLhs().getType());
    auto rhsTile = cast<RankedTensorType>(op.getRhs().getType());
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    std::optional<unsigned> dim = op.getGroupDim();
    SmallVector<Value> values;
    bool lhsLast = adaptor.getLhs().size() > adaptor.getRhs().size();
    for (auto [part, sum] : llvm::zip(parts.split(tile), adaptor.getAccumulator())) {
      auto gather = [&](RankedTensorType from, ValueRange all, bool isUnsigned) {
        GroupValues group{{}, isUnsigned};
        SmallVector<int64_t> at(part.coordinates);
        for (int64_t g = 0, size = dim ? lhsTile.getDimSize(*dim) : 1; g < size; ++g) {
          if (dim)
            at[*dim] = g;
          group.values.push_back(all[parts.indexOf(from, at)]);
        }
        return group;
      };
      GroupValues lhs = gather(lhsTile, adaptor.getLhs(), op.getLhsUnsigned());
      GroupValues rhs = gather(rhsTile, adaptor.getRhs(), op.getRhsUnsigned());
      MmaEmitter emitter(rewriter, op.getLoc(), dots, part.lanes);
      bool isSkipped = op.getSkipsZeros() && (lhs.isZero() || rhs.isZero());
      values.push_back(isSkipped ? sum : emitter.emit(lhs, rhs, sum, lhsLast));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }

private:
  const Parts parts;
  DotInstructions dots;
};

} // namespace

void tw::host::populateMmaPatterns(const TileTypeConverter &converter, const Parts &parts,
                                   DotInstructions dots, RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter, parts, dots, patterns.getContext());
}
