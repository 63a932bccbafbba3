// Ops that work along axes: syntax and verifiers.
#include "tw/Dialect/Kernel/Kernel.h"

#include "tw/Support/ElementTypes.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

LogicalResult verifyAxes(Operation *op, ValueRange axes) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  if (!kernel)
    return op->emitOpError("expected to be directly in a tkernel.kernel");
  if (axes.empty())
    return op->emitOpError("expected at least one axis after 'over'");
  for (Value axis : axes) {
    auto argument = dyn_cast<BlockArgument>(axis);
    if (!argument || argument.getOwner() != &kernel.getBody().front() ||
        argument.getArgNumber() >= kernel.getNumAxes())
      return op->emitOpError("expected axes of the kernel after 'over'");
  }
  return success();
}

/// Narrow floats are formats of storage.
LogicalResult verifyCombined(Operation *op, Type type) {
  if (isNarrowFloat(type))
    return op->emitOpError("expected ")
           << type << " to be combined in f32: extend the value, and round the result";
  return success();
}

LogicalResult verifyKind(Operation *op, arith::AtomicRMWKind kind, Type type) {
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case Kind::addf:
  case Kind::mulf:
  case Kind::maximumf:
  case Kind::minimumf:
    if (!isFloat)
      return op->emitOpError("expected a float for kind '")
             << arith::stringifyAtomicRMWKind(kind) << "', found " << type;
    return success();
  case Kind::addi:
  case Kind::muli:
  case Kind::maxs:
  case Kind::maxu:
  case Kind::mins:
  case Kind::minu:
  case Kind::ori:
  case Kind::andi:
    if (!type.isSignlessInteger())
      return op->emitOpError("expected an integer for kind '")
             << arith::stringifyAtomicRMWKind(kind) << "', found " << type;
    return success();
  default:
    return op->emitOpError(
               "expected a kind with an identity: addf, mulf, maximumf, minimumf, addi, "
               "muli, maxs, maxu, mins, minu, ori or andi, found '")
           << arith::stringifyAtomicRMWKind(kind) << "'";
  }
}

/// What combines by a region: identities and accumulators of the values' types.
LogicalResult verifyRegion(Operation *op, ValueRange values, Region &combine,
                           std::optional<ArrayAttr> identities) {
  if (combine.empty() || !identities)
    return op->emitOpError("expected a kind, or a combining region and identities");
  size_t count = values.size();
  if (identities->size() != count)
    return op->emitOpError("expected ") << count << " identities, found " << identities->size();
  for (auto [identity, value] : llvm::zip(*identities, values))
    if (auto typed = dyn_cast<TypedAttr>(identity); !typed || typed.getType() != value.getType())
      return op->emitOpError("expected an identity of type ")
             << value.getType() << ", found " << identity;
  Block &block = combine.front();
  SmallVector<Type> expected(values.getTypes());
  expected.append(values.getTypes().begin(), values.getTypes().end());
  if (!llvm::equal(block.getArgumentTypes(), expected))
    return op->emitOpError("expected the region to take accumulators, then values: ")
           << expected.size() << " arguments of the types of the values twice";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().getTypes() != values.getTypes())
    return op->emitOpError("expected the region to yield one accumulator per value");
  return success();
}

/// `addf` in front of values, if it is there.
ParseResult parseOptionalKind(OpAsmParser &parser, StringRef what,
                              arith::AtomicRMWKindAttr &result) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  auto kind = arith::symbolizeAtomicRMWKind(keyword);
  if (!kind)
    return parser.emitError(loc, "expected a kind of ") << what << ", found '" << keyword << "'";
  result = arith::AtomicRMWKindAttr::get(parser.getContext(), *kind);
  return success();
}

} // namespace

// reduce maximumf %v over (%j) : f32   or   reduce %v, %p over (%j) identities [..] : f32, i64 {..}
ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::UnresolvedOperand> values, axes;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseOptionalKind(parser, "reduction", properties.kind)) ||
      parser.parseOperandList(values) || parser.parseKeyword("over") ||
      parser.parseOperandList(axes, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("identities")) &&
      parser.parseAttribute(properties.identities))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(values, types, loc, result.operands) ||
      parser.resolveOperands(axes, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  result.addTypes(types);
  properties.operandSegmentSizes = {static_cast<int32_t>(values.size()),
                                    static_cast<int32_t>(axes.size())};
  auto region = parser.parseOptionalRegion(*result.addRegion());
  return failure(region.has_value() && failed(*region));
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (getKind())
    printer << arith::stringifyAtomicRMWKind(*getKind()) << ' ';
  printer << getValues() << " over (" << getAxes() << ')';
  if (getIdentities())
    printer << " identities " << *getIdentities();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "identities", "operandSegmentSizes"});
  printer << " : " << getResultTypes();
  if (!getCombine().empty()) {
    printer << ' ';
    printer.printRegion(getCombine());
  }
}

LogicalResult ReduceOp::verify() {
  if (getValues().getTypes() != getResultTypes())
    return emitOpError("expected results of the types of its values");
  if (failed(verifyAxes(*this, getAxes())))
    return failure();
  for (Type type : getResultTypes())
    if (failed(verifyCombined(*this, type)))
      return failure();
  if (getKind()) {
    if (getValues().size() != 1 || !getCombine().empty() || getIdentities())
      return emitOpError("expected one value and neither region nor identities beside a kind");
    return verifyKind(*this, *getKind(), getValues()[0].getType());
  }
  return verifyRegion(*this, getValues(), getCombine(), getIdentities());
}

/// `f32` where all types are that, else `bf16, bf16 -> f32`.
static ParseResult parseProductTypes(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  if (parser.parseType(lhs))
    return failure();
  rhs = result = lhs;
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseType(rhs) || parser.parseArrow() || parser.parseType(result));
}

static void printProductTypes(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs, Type result) {
  if (lhs != result)
    printer << lhs << ", " << rhs << " -> ";
  printer << result;
}

LogicalResult ContractOp::verify() {
  Type type = getResult().getType(), operand = getLhs().getType();
  if (!isa<FloatType>(type) && !type.isSignlessInteger())
    return emitOpError("expected a float or an integer, found ") << type;
  bool isNarrow = isNarrowFloat(operand);
  bool isByte = operand.isSignlessInteger(8) && type.isSignlessInteger(32);
  if (isNarrow ? !type.isF32() : operand != type && !isByte)
    return emitOpError("expected operands and result of one type of at least 32 bits or of "
                       "integers, narrow floats with sums in f32, or i8 with sums in i32, found ")
           << operand << " -> " << type;
  if ((getLhsUnsigned() || getRhsUnsigned()) && !isByte)
    return emitOpError("expected unsigned operands of i8 with sums in i32 only, found ")
           << operand << " -> " << type;
  return verifyAxes(*this, getAxes());
}

/// contract (extui %a), (extsi %b) : i32   ->   contract %a, %b lhs_unsigned : i8, i8 -> i32
LogicalResult ContractOp::canonicalize(ContractOp op, PatternRewriter &rewriter) {
  if (!op.getLhs().getType().isSignlessInteger(32))
    return failure();
  auto source = [](Value value, bool &isUnsigned) -> Value {
    Operation *extension = value.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extension) ||
        !extension->getOperand(0).getType().isSignlessInteger(8))
      return {};
    isUnsigned = isa<arith::ExtUIOp>(extension);
    return extension->getOperand(0);
  };
  bool lhsUnsigned = false, rhsUnsigned = false;
  Value lhs = source(op.getLhs(), lhsUnsigned), rhs = source(op.getRhs(), rhsUnsigned);
  if (!lhs || !rhs)
    return rewriter.notifyMatchFailure(op, "operands are not extended from i8");
  rewriter.modifyOpInPlace(op, [&] {
    op.getLhsMutable().assign(lhs);
    op.getRhsMutable().assign(rhs);
    op.setLhsUnsigned(lhsUnsigned);
    op.setRhsUnsigned(rhsUnsigned);
  });
  return success();
}

void ScanOp::build(OpBuilder &, OperationState &state, Value value, Value axis,
                   arith::AtomicRMWKindAttr kind, UnitAttr exclusive, UnitAttr reverse) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.kind = kind;
  properties.exclusive = exclusive;
  properties.reverse = reverse;
  state.addOperands({value, axis});
  state.addTypes(value.getType());
  state.addRegion();
}

// scan addf %v over %j reverse : f32   or   scan %a, %b over %j identities [..] : f32, f32 {..}
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  OpAsmParser::UnresolvedOperand axis;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseOptionalKind(parser, "scan", properties.kind)) ||
      parser.parseOperandList(values) || parser.parseKeyword("over") || parser.parseOperand(axis))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("exclusive")))
    properties.exclusive = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("identities")) &&
      parser.parseAttribute(properties.identities))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(values, types, loc, result.operands) ||
      parser.resolveOperand(axis, parser.getBuilder().getIndexType(), result.operands))
    return failure();
  result.addTypes(types);
  auto region = parser.parseOptionalRegion(*result.addRegion());
  return failure(region.has_value() && failed(*region));
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (getKind())
    printer << arith::stringifyAtomicRMWKind(*getKind()) << ' ';
  printer << getValues() << " over " << getAxis();
  if (getExclusive())
    printer << " exclusive";
  if (getReverse())
    printer << " reverse";
  if (getIdentities())
    printer << " identities " << *getIdentities();
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"kind", "identities", "exclusive", "reverse"});
  printer << " : " << getResultTypes();
  if (!getCombine().empty()) {
    printer << ' ';
    printer.printRegion(getCombine());
  }
}

LogicalResult ScanOp::verify() {
  if (getValues().empty() || getValues().getTypes() != getResultTypes())
    return emitOpError("expected results of the types of its values");
  if (failed(verifyAxes(*this, getAxis())))
    return failure();
  for (Type type : getResultTypes())
    if (failed(verifyCombined(*this, type)))
      return failure();
  if (!getKind())
    return verifyRegion(*this, getValues(), getCombine(), getIdentities());
  if (getValues().size() != 1 || !getCombine().empty() || getIdentities())
    return emitOpError("expected one value and neither region nor identities beside a kind");
  return verifyKind(*this, *getKind(), getValue().getType());
}

#define GET_OP_CLASSES
#include "tw/Dialect/Kernel/ReductionOps.cpp.inc"
