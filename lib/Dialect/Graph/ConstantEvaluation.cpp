// Evaluation of elementwise ops on inline constants, for the folders.
#include "ConstantEvaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tw::graph;

// Upstream folds no truncation that loses bits; here it rounds to nearest even as at run time.
static Attribute truncate(arith::TruncFOp op, Attribute operand) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op.getType()));
  auto convert = [&](APFloat value) {
    bool losesInfo;
    value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value;
  };
  if (auto number = dyn_cast_or_null<FloatAttr>(operand))
    return FloatAttr::get(element, convert(number.getValue()));
  if (auto elements = dyn_cast_or_null<DenseFPElementsAttr>(operand))
    return elements.mapValues(
        element, [&](const APFloat &value) { return convert(value).bitcastToAPInt(); });
  return {};
}

static bool isExact(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
         isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::CopySignOp,
             math::SqrtOp>(op);
}

// Folds the ops of a block in order; the attribute of `value` at its end, or null.
static Attribute foldBlock(Block &block, Value value) {
  DenseMap<Value, Attribute> known;
  for (Operation &op : block) {
    if (!isExact(&op))
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
      known[op.getResult(0)] = truncate(truncation, operands[0]);
      continue;
    }
    SmallVector<OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1)
      return {};
    auto attribute = dyn_cast<Attribute>(results[0]);
    known[op.getResult(0)] = attribute ? attribute : known.lookup(cast<Value>(results[0]));
    if (!known[op.getResult(0)])
      return {};
  }
  return known.lookup(value);
}

Attribute tw::graph::evaluateElementwise(ElementwiseOpInterface op, ArrayRef<Attribute> operands) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return {};
  bool areSplats = true;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements || !elements.getElementType().isIntOrFloat())
      return {};
    areSplats &= elements.isSplat();
  }
  if (!areSplats && type.getNumElements() > 1024)
    return {};

  Block block;
  OpBuilder builder = OpBuilder::atBlockEnd(&block);
  Location loc = op->getLoc();
  SmallVector<Value> scalars;
  SmallVector<Type> elementTypes;
  for (Attribute operand : operands) {
    auto elements = cast<DenseElementsAttr>(operand);
    elementTypes.push_back(elements.getElementType());
    elements = elements.bitcast(getScalarType(elements.getElementType()));
    TypedAttr scalar = areSplats ? cast<TypedAttr>(elements.getSplatValue<Attribute>())
                                 : cast<TypedAttr>(elements);
    scalars.push_back(arith::ConstantOp::create(builder, loc, scalar));
  }
  Value value = op.buildScalar(builder, loc, scalars, elementTypes, type.getElementType());
  Attribute result = foldBlock(block, value);
  if (!result)
    return {};
  auto elements = dyn_cast<DenseElementsAttr>(result);
  if (!elements)
    elements = DenseElementsAttr::get(
        cast<ShapedType>(withElementType(type, getScalarType(type.getElementType()))), result);
  return elements.bitcast(type.getElementType());
}

std::optional<APInt> tw::graph::getIntegerSplat(Attribute constant) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(constant);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

std::optional<APFloat> tw::graph::getFloatSplat(Attribute constant) {
  auto elements = dyn_cast_or_null<DenseFPElementsAttr>(constant);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

bool tw::graph::isSplat(Attribute constant, double value) {
  if (std::optional<APInt> number = getIntegerSplat(constant))
    return *number == APInt(number->getBitWidth(), uint64_t(int64_t(value)), /*isSigned=*/true,
                            /*implicitTrunc=*/true);
  if (std::optional<APFloat> number = getFloatSplat(constant)) {
    APFloat expected(value);
    bool losesInfo;
    expected.convert(number->getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return !losesInfo && number->bitwiseIsEqual(expected);
  }
  return false;
}

bool tw::graph::isAllOnes(Attribute constant) {
  std::optional<APInt> number = getIntegerSplat(constant);
  return number && number->isAllOnes();
}

Attribute tw::graph::getSplat(Type type, double value) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return {};
  Type element = tensor.getElementType();
  Builder builder(type.getContext());
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(tensor, Attribute(builder.getFloatAttr(element, value)));
  return DenseElementsAttr::get(tensor, APInt(element.getIntOrFloatBitWidth(),
                                              uint64_t(int64_t(value)), /*isSigned=*/true,
                                              /*implicitTrunc=*/true));
}
