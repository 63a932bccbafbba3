// Branches and loops: building, parsing and printing.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/View/View.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// The type of a slice along the first dimension, under either encoding.
static Type getSliceType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return type;
  if (view::hasSymbols(tensor))
    return view::getTensorType(tensor.getShape().drop_front(),
                               ArrayRef<Dim>(view::getSizes(tensor)).drop_front(),
                               tensor.getElementType());
  if (std::optional<Shape> shape = getShape(tensor))
    return getTensorType(ArrayRef<Dim>(*shape).drop_front(), tensor.getElementType());
  return type;
}

static Block &addBody(OperationState &state, TypeRange arguments) {
  auto block = std::make_unique<Block>();
  block->addArguments(arguments, SmallVector<Location>(arguments.size(), state.location));
  state.addRegion()->push_back(block.release());
  return state.regions.back()->front();
}

void ForOp::build(OpBuilder &, OperationState &state, const Dim &count, ValueRange inits,
                  ValueRange slices, TypeRange stacked, bool reverse) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.count = DimsAttr::get(state.getContext(), ArrayRef<Dim>(count));
  if (reverse)
    properties.reverse = UnitAttr::get(state.getContext());
  properties.operandSegmentSizes = {0, int32_t(inits.size()), int32_t(slices.size())};
  state.addOperands(inits);
  state.addOperands(slices);
  state.addTypes(inits.getTypes());
  state.addTypes(stacked);
  SmallVector<Type> arguments(inits.getTypes());
  for (Value slice : slices)
    arguments.push_back(getSliceType(slice.getType()));
  addBody(state, arguments);
}

void ForOp::build(OpBuilder &builder, OperationState &state, Value amount, int64_t limit,
                  ValueRange inits) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.limit = builder.getI64IntegerAttr(limit);
  properties.operandSegmentSizes = {1, int32_t(inits.size()), 0};
  state.addOperands(amount);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  addBody(state, inits.getTypes());
}

void WhileOp::build(OpBuilder &builder, OperationState &state, ValueRange inits, int64_t limit) {
  state.getOrAddProperties<Properties>().limit = builder.getI64IntegerAttr(limit);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  addBody(state, inits.getTypes());
}

/// `(%x = %x0 : tensor<4xf32>, ...)`: arguments, and what they stand for.
static ParseResult parseBindings(OpAsmParser &parser, bool areSlices,
                                 SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                 SmallVectorImpl<Value> &operands) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    Type type;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operand) || parser.parseColonType(type))
      return failure();
    arguments.back().type = areSlices ? getSliceType(type) : type;
    return parser.resolveOperand(operand, type, operands);
  });
}

static void printBindings(OpAsmPrinter &printer, ArrayRef<BlockArgument> arguments,
                          ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(arguments, operands), printer, [&](auto binding) {
    auto [argument, operand] = binding;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ')';
}

/// `10`, `#tgraph.dims<[T]>` or `%n : tensor<i64> limit 4096`.
static ParseResult parseCount(OpAsmParser &parser, ForOp::Properties &properties,
                              SmallVectorImpl<Value> &amount) {
  int64_t known;
  OptionalParseResult number = parser.parseOptionalInteger(known);
  if (number.has_value()) {
    properties.count = DimsAttr::get(parser.getContext(), ArrayRef<Dim>{Dim(known)});
    return *number;
  }
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult value = parser.parseOptionalOperand(operand);
  if (!value.has_value())
    return parser.parseAttribute(properties.count);
  Type type;
  int64_t limit;
  if (*value || parser.parseColonType(type) || parser.resolveOperand(operand, type, amount) ||
      parser.parseKeyword("limit") || parser.parseInteger(limit))
    return failure();
  properties.limit = parser.getBuilder().getI64IntegerAttr(limit);
  return success();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Value> amount, inits, slices;
  if (parseCount(parser, properties, amount))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = UnitAttr::get(parser.getContext());
  if (succeeded(parser.parseOptionalKeyword("carried")) &&
      parseBindings(parser, false, arguments, inits))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("slices")) &&
      parseBindings(parser, true, arguments, slices))
    return failure();
  if (succeeded(parser.parseOptionalArrow()) && parser.parseTypeList(state.types))
    return failure();
  if (parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  properties.operandSegmentSizes = {int32_t(amount.size()), int32_t(inits.size()),
                                    int32_t(slices.size())};
  for (ValueRange operands : {ValueRange(amount), ValueRange(inits), ValueRange(slices)})
    state.addOperands(operands);
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<int64_t> known = getKnownIterations())
    printer << *known;
  else if (getCountAttr())
    printer << getCountAttr();
  else
    printer << getAmount() << " : " << getAmount().getType() << " limit " << int64_t(*getLimit());
  if (getReverse())
    printer << " reverse";
  if (!getInits().empty()) {
    printer << " carried";
    printBindings(printer, getRegionIterArgs(), getInits());
  }
  if (!getSlices().empty()) {
    printer << " slices";
    printBindings(printer, getSliceArguments(), getSlices());
  }
  if (getOperation()->getNumResults() != 0)
    printer << " -> " << getResultTypes();
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"count", "limit", "reverse", "operandSegmentSizes"});
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Value> inits;
  int64_t limit;
  if (parseBindings(parser, false, arguments, inits) || parser.parseKeyword("limit") ||
      parser.parseInteger(limit) || parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.getOrAddProperties<Properties>().limit = parser.getBuilder().getI64IntegerAttr(limit);
  state.addOperands(inits);
  state.addTypes(ValueRange(inits).getTypes());
  return success();
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printBindings(printer, getRegionIterArgs(), getInits());
  printer << " limit " << int64_t(getLimit()) << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs(), {"limit"});
}
