// associative_scan: building, parsing, printing, verification, and its region on whole tensors.
#include "ShapeInference.h"

#include "tw/Dialect/Graph/Create.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

RankedTensorType AssociativeScanOp::getScalarType(Type operand) {
  return RankedTensorType::get({}, getComputedType(getElementTypeOrSelf(operand)));
}

void AssociativeScanOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                              int64_t dim, bool reverse) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.dim = builder.getI64IntegerAttr(dim);
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  state.addOperands(inputs);
  state.addTypes(inputs.getTypes());
  auto block = std::make_unique<Block>();
  for (unsigned side = 0; side < 2; ++side)
    for (Value input : inputs)
      block->addArgument(getScalarType(input.getType()), state.location);
  state.addRegion()->push_back(block.release());
}

// associative_scan %a, %b dim 1 : tensor<4x8xf32>, tensor<4x8xf32> {..}
ParseResult AssociativeScanOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SMLoc loc = parser.getCurrentLocation();
  int64_t dim;
  if (parser.parseOperandList(inputs) || parser.parseKeyword("dim") || parser.parseInteger(dim))
    return failure();
  properties.dim = parser.getBuilder().getI64IntegerAttr(dim);
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = parser.getBuilder().getUnitAttr();
  return failure(parser.parseOptionalAttrDict(state.attributes) ||
                 parser.parseColonTypeList(state.types) ||
                 parser.resolveOperands(inputs, state.types, loc, state.operands) ||
                 parser.parseRegion(*state.addRegion(), {}, /*enableNameShadowing=*/true));
}

void AssociativeScanOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getInputs() << " dim " << int64_t(getDim());
  if (getReverse())
    printer << " reverse";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dim", "reverse"});
  printer << " : " << getResultTypes() << ' ';
  printer.printRegion(getCombine());
}

/// Whether a region that combines scalars may hold the op.
static bool isScalarOp(Operation &op) {
  auto isScalar = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0;
  };
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isScalar(constant.getType()) && isa<DenseElementsAttr>(constant.getValue());
  return isa<ElementwiseOpInterface, CompositeOpInterface>(op) && !isa<RandomOp>(op) &&
         op.getNumResults() == 1 && llvm::all_of(op.getOperandTypes(), isScalar) &&
         isScalar(op.getResult(0).getType());
}

bool AssociativeScanOp::takeConstants(Region &region) {
  llvm::SetVector<Value> around;
  getUsedValuesDefinedAbove(region, region, around);
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  for (Value value : around) {
    auto constant = value.getDefiningOp<ConstantOp>();
    if (!constant || constant.getType().getRank() != 0)
      return false;
    replaceAllUsesInRegionWith(value, builder.clone(*constant)->getResult(0), region);
  }
  return true;
}

bool AssociativeScanOp::isOfScalars(Region &region) {
  return llvm::all_of(region.front().without_terminator(), isScalarOp);
}

/// One argument and one yielded value per operand and side, and scalar ops between them.
static LogicalResult verifyCombine(AssociativeScanOp op, const ShapeChecker &check) {
  Block &block = op.getCombine().front();
  SmallVector<Type> scalars;
  for (Value input : op.getInputs())
    scalars.push_back(AssociativeScanOp::getScalarType(input.getType()));
  size_t count = scalars.size();
  if (block.getNumArguments() != 2 * count)
    return check.error(Code::T0219, "expected a region of ", 2 * count,
                       " arguments, what is combined and the next elements, found ",
                       block.getNumArguments());
  for (BlockArgument argument : block.getArguments())
    if (Type expected = scalars[argument.getArgNumber() % count]; argument.getType() != expected)
      return check.error(Code::T0219, "expected argument ", argument.getArgNumber(),
                         " of the region to be of type ", expected, ", found ", argument.getType());
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != count)
    return check.error(Code::T0219, "expected a region that yields ", count,
                       " values, one per operand");
  for (auto [i, value, expected] : llvm::enumerate(yield.getValues(), scalars))
    if (value.getType() != expected)
      return check.error(Code::T0219, "expected value ", i, " of the region to be of type ",
                         expected, ", found ", value.getType());
  for (Operation &inner : block.without_terminator())
    if (!isScalarOp(inner))
      return check.error(Code::T0219,
                         "expected a region of elementwise ops and constants on scalars, found '",
                         inner.getName().getStringRef(), "'");
  return success();
}

LogicalResult AssociativeScanOp::verify() {
  ShapeChecker check(*this);
  if (getInputs().empty())
    return check.error(Code::T0219, "expected at least one operand");
  if (getInputs().getTypes() != getResultTypes())
    return check.error(Code::T0203, "expected results of the types of its operands");
  FailureOr<Shape> shape = check.shape(getInputs().front().getType());
  if (failed(shape) || failed(check.dims("dim", int64_t(getDim()), shape->size())))
    return failure();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (FailureOr<Shape> other = check.shape(input.getType()); failed(other))
      return failure();
    else if (*other != *shape)
      return check.error(Code::T0208, "expected operands of one shape, found ", toString(*shape),
                         ", and ", toString(*other), " of operand ", i);
  return verifyCombine(*this, check);
}

SmallVector<Value> AssociativeScanOp::emitCombined(OpBuilder &builder, ValueRange before,
                                                   ValueRange next) {
  Block &block = getCombine().front();
  IRMapping mapping;
  for (auto [argument, value] :
       llvm::zip(block.getArguments(),
                 llvm::concat<const Value>(SmallVector<Value>(before), SmallVector<Value>(next))))
    mapping.map(argument, value);
  auto typeOf = [&](Value scalar) {
    return cast<RankedTensorType>(
        withElementType(before.front().getType(), getElementTypeOrSelf(scalar.getType())));
  };
  for (Operation &op : block.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    Value result = copy->getResult(0);
    if (isa<ConstantOp>(copy))
      result = broadcast(builder, op.getLoc(), result, {}, typeOf(result));
    else
      result.setType(typeOf(result));
    mapping.map(op.getResult(0), result);
  }
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(mapping.lookup(value));
  return values;
}
