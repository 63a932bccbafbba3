// Evaluation of elementwise ops on inline constants, for the folders.
#include "ConstantEvaluation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace tw::graph;

// Upstream folds no truncation that loses bits; here it rounds to nearest even as at run time.
static Attribute truncate(arith::TruncFOp op, Attribute operand) {
  auto number = dyn_cast_or_null<FloatAttr>(operand);
  if (!number)
    return {};
  auto element = cast<FloatType>(op.getType());
  APFloat value = number.getValue();
  bool losesInfo;
  value.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return FloatAttr::get(element, value);
}

// Upstream folds no root of a negative number or NaN. The C library's root is correctly rounded.
static Attribute squareRoot(math::SqrtOp op, Attribute operand) {
  auto number = dyn_cast_or_null<FloatAttr>(operand);
  if (!number)
    return {};
  if (op.getType().isF32())
    return FloatAttr::get(op.getType(), APFloat(std::sqrt(number.getValue().convertToFloat())));
  if (op.getType().isF64())
    return FloatAttr::get(op.getType(), APFloat(std::sqrt(number.getValue().convertToDouble())));
  return {};
}

static bool isExact(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
         isa<math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::CopySignOp,
             math::SqrtOp>(op);
}

// Folds the ops of a block in order, its arguments being `arguments`; the attribute of `value` at
// its end, or null.
static Attribute foldBlock(Block &block, ArrayRef<Attribute> arguments, Value value) {
  DenseMap<Value, Attribute> known;
  for (auto [argument, attribute] : llvm::zip_equal(block.getArguments(), arguments))
    known[argument] = attribute;
  for (Operation &op : block) {
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(known.lookup(operand));
    Attribute result;
    SmallVector<OpFoldResult> results;
    if (auto truncation = dyn_cast<arith::TruncFOp>(op))
      result = truncate(truncation, operands[0]);
    else if (auto root = dyn_cast<math::SqrtOp>(op))
      result = squareRoot(root, operands[0]);
    else if (succeeded(op.fold(operands, results)) && results.size() == 1)
      result = isa<Attribute>(results[0]) ? cast<Attribute>(results[0])
                                          : known.lookup(cast<Value>(results[0]));
    if (!result)
      return {};
    known[op.getResult(0)] = result;
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
  int64_t count = areSplats ? 1 : type.getNumElements();
  if (count == 0 || count > 1024)
    return {};

  Block block;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointToEnd(&block);
  SmallVector<Type> elementTypes;
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands) {
    auto elements = cast<DenseElementsAttr>(operand);
    elementTypes.push_back(elements.getElementType());
    constants.push_back(elements.bitcast(getScalarType(elements.getElementType())));
    block.addArgument(constants.back().getElementType(), op->getLoc());
  }
  Value value = op.buildScalar(builder, op->getLoc(), block.getArguments(), elementTypes,
                               type.getElementType());
  // Integer powers expand to hundreds of ops.
  int64_t work = count * std::distance(block.begin(), block.end());
  if (work > 1 << 16 || !llvm::all_of(block, [](Operation &op) { return isExact(&op); }))
    return {};

  SmallVector<Attribute> results;
  for (int64_t i = 0; i != count; ++i) {
    SmallVector<Attribute> arguments;
    for (DenseElementsAttr constant : constants)
      arguments.push_back(constant.getValues<Attribute>()[i]);
    results.push_back(foldBlock(block, arguments, value));
    if (!results.back())
      return {};
  }
  auto scalarType = cast<ShapedType>(withElementType(type, getScalarType(type.getElementType())));
  return DenseElementsAttr::get(scalarType, results).bitcast(type.getElementType());
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
