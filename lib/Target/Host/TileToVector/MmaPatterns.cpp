// ttile.mma, part by part: multiply-adds, and dot instructions on groups of narrow elements.
//
// Groups are multiplied on packed lanes (PackedGroups).
#include "Parts.h"

#include "../InstructionSet.h"

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
  MmaEmitter(OpBuilder &builder, Location location, ArrayRef<const DotProducts *> dots,
             unsigned lanes, const Parts &parts)
      : e(builder, location, lanes), dots(dots), parts(parts) {}

  /// With `lhsLast`, the left operand's values are used less often than the right one's.
  Value emit(const GroupValues &lhs, const GroupValues &rhs, Value sum, bool lhsLast) {
    bool fits = (e.lanes == 4 || e.lanes == 8 || e.lanes == 16) &&
                parts.hasVectors(e.lanes * lhs.values.size());
    if (fits && lhs.values.size() == 2 && lhs.element().isBF16()) {
      PackedGroups a = pack(lhs), b = pack(rhs);
      if (lhsLast)
        std::swap(a, b);
      const DotProducts *pairs = find(DotKind::BF16);
      return pairs ? pairs->emit(e, a, b, sum) : emitBF16(a.lanes, b.lanes, sum);
    }
    if (fits && lhs.values.size() == 4 && lhs.element().isInteger(8))
      for (DotKind kind : {DotKind::Int8, DotKind::Int16})
        if (const DotProducts *quadruples = find(kind)) {
          PackedGroups a = pack(lhs), b = pack(rhs);
          return quadruples->emit(e, a, b, sum);
        }
    for (auto [a, b] : llvm::zip(lhs.values, rhs.values))
      sum = multiplyAdd(widen(a, lhs.isUnsigned, sum), widen(b, rhs.isUnsigned, sum), sum);
    return sum;
  }

private:
  DotEmitter e;
  ArrayRef<const DotProducts *> dots;
  const Parts &parts;

  const DotProducts *find(DotKind kind) {
    auto found = llvm::find_if(dots, [&](auto *candidate) {
      return candidate->kind == kind && e.lanes <= candidate->maxLanes;
    });
    return found == dots.end() ? nullptr : *found;
  }

  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
      return e.create<math::FmaOp>(a, b, sum);
    return e.create<arith::AddIOp>(sum, e.create<arith::MulIOp>(a, b));
  }

  /// In the type of the sums, in all lanes.
  Value widen(Value value, bool isUnsigned, Value sum) {
    Type element = getElementTypeOrSelf(sum.getType());
    if (getElementTypeOrSelf(value.getType()) != element) {
      auto vector = dyn_cast<VectorType>(value.getType());
      Type wide = vector ? Type(vector.clone(element)) : element;
      if (isa<FloatType>(element))
        value = e.create<arith::ExtFOp>(wide, value);
      else if (isUnsigned)
        value = e.create<arith::ExtUIOp>(wide, value);
      else
        value = e.create<arith::ExtSIOp>(wide, value);
    }
    return splat(e.builder, e.location, value, e.lanes);
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
    Type i32 = e.builder.getI32Type();
    if (!isa<VectorType>(values.front().getType())) {
      auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
      if (!source)
        source = e.create<vector::FromElementsOp>(type, values);
      Value bits = e.create<vector::BitCastOp>(VectorType::get({1}, i32), source);
      return splat(e.builder, e.location, e.create<vector::ExtractOp>(bits, 0), e.lanes);
    }
    if (!source) {
      auto interleave = [&](Value a, Value b) { return e.create<vector::InterleaveOp>(a, b); };
      source = values.size() == 2
                   ? interleave(values[0], values[1])
                   : interleave(interleave(values[0], values[2]), interleave(values[1], values[3]));
    }
    return e.create<vector::BitCastOp>(e.lanesOf(i32), source);
  }

  PackedGroups pack(const GroupValues &group) {
    return {pack(group.values), group.isUnsigned, group.isScalar()};
  }

  /// Two products of bf16 a lane without an instruction for them: shifts to f32 and two
  /// multiply-adds.
  Value emitBF16(Value a, Value b, Value sum) {
    Type f32 = e.builder.getF32Type();
    auto first = [&](Value packed) {
      Value bits = e.create<arith::ShLIOp>(packed, e.constant(16));
      return e.create<vector::BitCastOp>(e.lanesOf(f32), bits);
    };
    auto second = [&](Value packed) {
      Value bits = e.create<arith::AndIOp>(packed, e.constant(0xffff0000));
      return e.create<vector::BitCastOp>(e.lanesOf(f32), bits);
    };
    sum = e.create<math::FmaOp>(first(a), first(b), sum);
    return e.create<math::FmaOp>(second(a), second(b), sum);
  }
};

/// ttile.mma %a, %b, %c   ->   on every part of %c: math.fma (floats) or arith.muli and addi; a dot
/// instruction for a group
class MmaPattern : public OpConversionPattern<tw::tile::MmaOp> {
public:
  MmaPattern(const TypeConverter &converter, const Parts &parts, ArrayRef<const DotProducts *> dots,
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
      MmaEmitter emitter(rewriter, op.getLoc(), dots, part.lanes, parts);
      bool isSkipped = op.getSkipsZeros() && (lhs.isZero() || rhs.isZero());
      values.push_back(isSkipped ? sum : emitter.emit(lhs, rhs, sum, lhsLast));
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }

private:
  const Parts parts;
  const SmallVector<const DotProducts *> dots;
};

} // namespace

void tw::host::populateMmaPatterns(const TileTypeConverter &converter, const Parts &parts,
                                   ArrayRef<const DotProducts *> dots,
                                   RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(converter, parts, dots, patterns.getContext());
}
