// The kernel op: syntax, verifier, growth.
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Kernel/Pieces.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

SmallVector<Extent> kernel::getExtents(RankedTensorType type) {
  SmallVector<Extent> extents;
  for (auto [most, size] : llvm::zip(type.getShape(), view::getSizes(type)))
    extents.emplace_back(most, size);
  return extents;
}

RankedTensorType kernel::getTensorType(ArrayRef<Extent> extents, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<Dim> sizes;
  for (const Extent &extent : extents) {
    shape.push_back(extent.most);
    sizes.push_back(extent.size);
  }
  return view::getTensorType(shape, sizes, elementType);
}

/// The two attributes that say what axes are.
template <typename Properties>
static void setExtents(Properties &properties, ArrayRef<Extent> axes, MLIRContext *context) {
  SmallVector<int64_t> extents;
  SmallVector<Dim> sizes;
  for (const Extent &axis : axes) {
    extents.push_back(axis.most);
    sizes.push_back(axis.size);
  }
  bool isFixed = llvm::all_of(axes, [](const Extent &axis) { return axis.isFixed(); });
  properties.extents = DenseI64ArrayAttr::get(context, extents);
  properties.sizes = isFixed ? view::SizesAttr() : view::SizesAttr::get(context, sizes);
}

void KernelOp::build(OpBuilder &builder, OperationState &state, TypeRange results,
                     ValueRange operands, ArrayRef<Extent> axes, ArrayRef<StringRef> names) {
  state.addTypes(results);
  state.addOperands(operands);
  ::setExtents(state.getOrAddProperties<Properties>(), axes, builder.getContext());
  state.getOrAddProperties<Properties>().axis_names = builder.getStrArrayAttr(names);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (size_t i = 0; i < axes.size(); ++i)
    block->addArgument(builder.getIndexType(), state.location);
  for (Value operand : operands)
    block->addArgument(operand.getType(), operand.getLoc());
}

Dim KernelOp::getSize(unsigned i) {
  return getSizes() ? getSizes()->getSizes()[i] : Dim(getExtents()[i]);
}

void KernelOp::setAxes(ArrayRef<Extent> axes, ArrayRef<Attribute> names) {
  ::setExtents(getProperties(), axes, getContext());
  setAxisNamesAttr(ArrayAttr::get(getContext(), names));
}

BlockArgument KernelOp::addAxis(const Extent &extent, StringRef name) {
  SmallVector<Extent> extents;
  for (unsigned i = 0; i < getNumAxes(); ++i)
    extents.push_back(getExtent(i));
  SmallVector<Attribute> names(getAxisNames().getValue());
  std::string unique = name.str();
  for (unsigned n = 0; llvm::is_contained(names, StringAttr::get(getContext(), unique)); ++n)
    unique = (name + Twine(n)).str();
  extents.push_back(extent);
  names.push_back(StringAttr::get(getContext(), unique));
  unsigned position = getNumAxes();
  setAxes(extents, names);
  return getBody().insertArgument(position, IndexType::get(getContext()), getLoc());
}

std::optional<unsigned> KernelOp::findUpdated(unsigned result) {
  for (auto store : getBody().getOps<StoreOp>())
    if (store.getResultNumber() == result)
      return store.getInto()
                 ? std::optional(cast<BlockArgument>(store.getInto()).getArgNumber() - getNumAxes())
                 : std::nullopt;
  return std::nullopt;
}

BlockArgument KernelOp::addOperand(Value operand) {
  getOperation()->insertOperands(getNumOperands(), operand);
  return getBody().addArgument(operand.getType(), operand.getLoc());
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    if (i < getNumAxes() && i < getAxisNames().size())
      setName(argument, getAxisName(i));
}

// tkernel.kernel @hint (%i : 4, %k : 16) reads(%a = %x : tensor<4x16xf32>) -> tensor<4xf32> { ... }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  StringAttr hint;
  if (succeeded(parser.parseOptionalSymbolName(hint)))
    properties.sym_hint = hint;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Extent> extents;
  SmallVector<Attribute> names;
  auto parseAxis = [&]() -> ParseResult {
    OpAsmParser::Argument axis;
    Dim size;
    if (parser.parseArgument(axis) || parser.parseColon() || parseDim(parser, size))
      return failure();
    Extent extent(size.getConstant(), size);
    if (!size.isStatic() &&
        (parser.parseLess() || parser.parseEqual() || parser.parseInteger(extent.most)))
      return failure();
    axis.type = builder.getIndexType();
    names.push_back(builder.getStringAttr(axis.ssaName.name.drop_front()));
    extents.push_back(extent);
    arguments.push_back(axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reads"))) {
    SmallVector<OpAsmParser::UnresolvedOperand> operands;
    SmallVector<Type> types;
    auto parseRead = [&]() -> ParseResult {
      if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
          parser.parseOperand(operands.emplace_back()) ||
          parser.parseColonType(types.emplace_back()))
        return failure();
      arguments.back().type = types.back();
      return success();
    };
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseRead) ||
        parser.resolveOperands(operands, types, loc, result.operands))
      return failure();
  }
  if (parser.parseArrowTypeList(result.types) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (auto schedule = result.attributes.getNamed("schedule")) {
    properties.schedule = dyn_cast<ScheduleAttr>(schedule->getValue());
    if (!properties.schedule)
      return parser.emitError(parser.getNameLoc(), "expected 'schedule' to be a #tkernel.schedule");
    result.attributes.erase("schedule");
  }
  ::setExtents(properties, extents, builder.getContext());
  properties.axis_names = builder.getArrayAttr(names);
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  if (getSymHint()) {
    printer << ' ';
    printer.printSymbolName(*getSymHint());
  }
  printer << " (";
  llvm::interleaveComma(llvm::enumerate(getExtents()), printer, [&](auto it) {
    printer << getBody().getArgument(it.index()) << " : ";
    if (isSymbolic(it.index())) {
      getSize(it.index()).print(printer.getStream());
      printer << " <= ";
    }
    printer << it.value();
  });
  printer << ')';
  if (getNumOperands()) {
    printer << " reads(";
    llvm::interleaveComma(llvm::enumerate(getOperands()), printer, [&](auto it) {
      printer << getOperandArgument(it.index()) << " = " << it.value() << " : "
              << it.value().getType();
    });
    printer << ')';
  }
  printer.printArrowTypeList(getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"extents", "sizes", "axis_names", "sym_hint"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  if (getAxisNames().size() != getExtents().size())
    return emitOpError("expected one name per axis, found ")
           << getAxisNames().size() << " names for " << getExtents().size() << " axes";
  llvm::SmallDenseSet<Attribute> seen;
  for (auto [i, name] : llvm::enumerate(getAxisNames()))
    if (!seen.insert(name).second)
      return emitOpError("expected distinct axis names, found ") << name << " twice";
  for (auto [i, extent] : llvm::enumerate(getExtents()))
    if (extent < 0)
      return emitOpError("expected the extent of axis '")
             << getAxisName(i) << "' to be at least 0, found " << extent;
  if (getSizes() && getSizes()->getSizes().size() != getExtents().size())
    return emitOpError("expected one size per axis, found ")
           << getSizes()->getSizes().size() << " sizes for " << getExtents().size() << " axes";
  for (auto [i, extent] : llvm::enumerate(getExtents()))
    if (Dim size = getSize(i); size.isStatic() && size.getConstant() != extent)
      return emitOpError("expected axis '") << getAxisName(i) << "' of size " << toString(size)
                                            << " to be that long, found " << extent;
  int64_t points = 1;
  for (int64_t extent : getExtents())
    if (llvm::MulOverflow(points, std::max<int64_t>(extent, 1), points))
      return emitOpError("expected at most 2^63 - 1 points, found more");
  if (getBody().getNumArguments() != getNumAxes() + getNumOperands())
    return emitOpError("expected one block argument per axis and operand, ")
           << getNumAxes() + getNumOperands() << ", found " << getBody().getNumArguments();
  for (unsigned i = 0; i < getNumAxes(); ++i)
    if (!getAxis(i).getType().isIndex())
      return emitOpError("expected the block argument of axis '")
             << getAxisName(i) << "' to be an index, found " << getAxis(i).getType();
  for (auto [i, operand] : llvm::enumerate(getOperands()))
    if (getOperandArgument(i).getType() != operand.getType())
      return emitOpError("expected the block argument of operand ")
             << i << " to have type " << operand.getType() << ", found "
             << getOperandArgument(i).getType();
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getResultTypes()))
    if (Type element = cast<RankedTensorType>(type).getElementType(); !element.isIntOrFloat())
      return emitOpError("expected tensors of integers or floats, found ") << type;
  SmallVector<int64_t> written(getNumResults(), 0);
  for (auto store : getBody().getOps<StoreOp>()) {
    if (store.getResultNumber() >= getNumResults())
      return store.emitOpError("expected a result number below ")
             << getNumResults() << ", found " << store.getResultNumber();
    ++written[store.getResultNumber()];
  }
  for (auto [i, count] : llvm::enumerate(written))
    if (count == 0)
      return emitOpError("expected a store to result ") << i << ", found none";
    else if (count > 1 && failed(verifyPieces(*this, i)))
      return failure();
  return success();
}

LogicalResult SizeOp::verify() {
  if (size_t count = getSize().getSizes().size(); count != 1)
    return emitOpError("expected one size, found ") << count;
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Kernel/StructureOps.cpp.inc"
