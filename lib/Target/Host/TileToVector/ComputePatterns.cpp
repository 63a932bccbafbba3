// Constants, elementwise operations and broadcast, part by part.
#include "Parts.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/IR/OpDefinition.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// arith.constant dense<..> : tensor<4x32xf32>   ->   one constant per part, zeros beyond the tile
class ConstantPattern : public OpConversionPattern<arith::ConstantOp> {
public:
  ConstantPattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern(converter, context), parts(parts) {}

  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile || !elements)
      return rewriter.notifyMatchFailure(op, "not a dense tile");
    SmallVector<Value> values;
    if (elements.isSplat()) {
      auto value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
      Value constant = splatConstant(rewriter, op.getLoc(), value, parts.lanes(tile));
      values.assign(parts.count(tile), constant);
    } else {
      SmallVector<Attribute> all(elements.getValues<Attribute>());
      size_t next = 0;
      for (const Part &part : parts.split(tile)) {
        SmallVector<Attribute> lanes(all.begin() + next, all.begin() + next + part.valid);
        next += part.valid;
        lanes.resize(part.lanes, rewriter.getZeroAttr(tile.getElementType()));
        TypedAttr value = cast<TypedAttr>(lanes.front());
        if (part.lanes != 1)
          value = DenseElementsAttr::get(cast<VectorType>(parts.type(tile)), lanes);
        values.push_back(arith::ConstantOp::create(rewriter, op.getLoc(), value));
      }
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }

private:
  const Parts parts;
};

/// op %a, %b : tensor<4x32xf32>   ->   the same op on every part; operands that are no tiles (the
/// condition of a select) are shared.
class ElementwisePattern : public ConversionPattern {
public:
  ElementwisePattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context), parts(parts) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0)
      return rewriter.notifyMatchFailure(op, "not an elementwise operation");
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        return rewriter.notifyMatchFailure(op, "a result is no tile");
      types.push_back(parts.type(tile));
    }
    unsigned count = parts.count(cast<RankedTensorType>(op->getResult(0).getType()));
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<Value> inputs;
      for (auto [operand, original] : llvm::zip(operands, op->getOperands()))
        inputs.push_back(operand[isa<RankedTensorType>(original.getType()) ? i : 0]);
      Operation *part = rewriter.create(op->getLoc(), op->getName().getIdentifier(), inputs, types,
                                        op->getAttrs());
      for (auto [result, list] : llvm::zip(part->getResults(), results))
        list.push_back(result);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  const Parts parts;
};

class BroadcastPattern : public OpConversionPattern<tw::tile::BroadcastOp> {
public:
  BroadcastPattern(const TypeConverter &converter, const Parts &parts, MLIRContext *context)
      : OpConversionPattern(converter, context), parts(parts) {}

  LogicalResult matchAndRewrite(tw::tile::BroadcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> values;
    // One for all parts that repeat an element.
    llvm::SmallDenseMap<Value, Value> spread;
    for (const Part &part : parts.split(tile)) {
      Value value = adaptor.getSource()[parts.indexOf(source, part.coordinates)];
      Value &result = spread[value];
      if (!result)
        result = splat(rewriter, op.getLoc(), value, part.lanes);
      values.push_back(result);
    }
    rewriter.replaceOpWithMultiple(op, SmallVector<SmallVector<Value>>{values});
    return success();
  }

private:
  const Parts parts;
};

} // namespace

void tw::host::populateComputePatterns(const TileTypeConverter &converter, const Parts &parts,
                                       RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ConstantPattern, ElementwisePattern, BroadcastPattern>(converter, parts, context);
}
