// The function of a tile program: syntax and verifier.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange buffers,
                   int64_t numOutputs, ArrayRef<int64_t> grid, ArrayRef<StringRef> gridNames) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.buffer_types = builder.getTypeArrayAttr(SmallVector<Type>(buffers));
  properties.num_outputs = builder.getI64IntegerAttr(numOutputs);
  properties.grid = builder.getDenseI64ArrayAttr(grid);
  properties.grid_names = builder.getStrArrayAttr(gridNames);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Type buffer : buffers)
    block->addArgument(buffer, state.location);
  for (size_t i = 0; i < grid.size(); ++i)
    block->addArgument(builder.getIndexType(), state.location);
}

void FuncOp::setSymbols(ArrayRef<StringAttr> names, ArrayRef<int64_t> limits,
                        ArrayRef<Dim> gridSizes, ArrayRef<int64_t> gridSteps) {
  Builder builder(getContext());
  setSymbolsAttr(builder.getArrayAttr(SmallVector<Attribute>(names.begin(), names.end())));
  if (llvm::any_of(limits, [](int64_t limit) { return limit >= 0; }))
    setSymbolLimits(limits);
  for (size_t i = 0; i < names.size(); ++i)
    getBody().addArgument(builder.getIndexType(), getLoc());
  bool isFixed = llvm::all_of(gridSizes, [](const Dim &size) { return size.isStatic(); });
  if (isFixed)
    return;
  setGridSizesAttr(view::SizesAttr::get(getContext(), gridSizes));
  setGridSteps(gridSteps);
}

SmallVector<Dim> FuncOp::getScalars() {
  SmallVector<Dim> scalars;
  if (!getSymbols())
    return scalars;
  for (auto name : getSymbolsAttr().getAsRange<StringAttr>())
    scalars.push_back(Dim::symbol(name));
  if (getBufferSizes())
    for (Attribute sizes : getBufferSizesAttr())
      if (auto own = dyn_cast<view::SizesAttr>(sizes))
        for (const Dim &size : own.getStorageSizes())
          if (!size.isStatic() && !llvm::is_contained(scalars, size))
            scalars.push_back(size);
  return scalars;
}

int64_t FuncOp::getNumPrograms() {
  int64_t product = 1;
  for (int64_t extent : getGrid())
    product *= extent;
  return product;
}

void FuncOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  SmallVector<Attribute> names;
  for (std::optional<ArrayAttr> some : {getGridNames(), getSymbols()})
    if (some)
      llvm::append_range(names, *some);
  for (auto [i, name] : llvm::enumerate(names))
    if (getNumBuffers() + i < region.getNumArguments())
      setName(region.getArgument(getNumBuffers() + i), cast<StringAttr>(name).getValue());
}

// ttile.func @k(%x: memref<..>) results(%y: memref<..>) grid(%i = 4) attributes {..} { .. }
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  size_t reads = arguments.size();
  if (succeeded(parser.parseOptionalKeyword("results"))) {
    SmallVector<OpAsmParser::Argument> written;
    if (parser.parseArgumentList(written, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
      return failure();
    arguments.append(written);
  }
  SmallVector<Attribute> types;
  for (auto &argument : arguments)
    types.push_back(TypeAttr::get(argument.type));
  properties.buffer_types = builder.getArrayAttr(types);
  properties.num_outputs = builder.getI64IntegerAttr(arguments.size() - reads);
  SmallVector<int64_t> grid, steps;
  SmallVector<Dim> sizes;
  SmallVector<Attribute> names;
  if (succeeded(parser.parseOptionalKeyword("grid"))) {
    auto parseId = [&]() -> ParseResult {
      OpAsmParser::Argument id;
      if (parser.parseArgument(id) || parser.parseEqual() || parseDim(parser, sizes.emplace_back()))
        return failure();
      grid.push_back(sizes.back().getConstant());
      steps.push_back(1);
      if (!sizes.back().isStatic()) {
        if (succeeded(parser.parseOptionalKeyword("ceildiv")) && parser.parseInteger(steps.back()))
          return failure();
        if (parser.parseLess() || parser.parseEqual() || parser.parseInteger(grid.back()))
          return failure();
      }
      id.type = builder.getIndexType();
      names.push_back(builder.getStringAttr(id.ssaName.name.drop_front()));
      arguments.push_back(id);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseId))
      return failure();
  }
  properties.grid = builder.getDenseI64ArrayAttr(grid);
  properties.grid_names = builder.getArrayAttr(names);
  if (succeeded(parser.parseOptionalKeyword("warps"))) {
    int64_t warps = 0;
    if (parser.parseLParen() || parser.parseInteger(warps) || parser.parseRParen())
      return failure();
    properties.warps = builder.getI64IntegerAttr(warps);
  }
  if (llvm::any_of(sizes, [](const Dim &size) { return !size.isStatic(); })) {
    properties.grid_sizes = view::SizesAttr::get(builder.getContext(), sizes);
    properties.grid_steps = builder.getDenseI64ArrayAttr(steps);
  }
  if (succeeded(parser.parseOptionalKeyword("symbols"))) {
    SmallVector<Attribute> symbols;
    SmallVector<int64_t> limits;
    auto parseSymbol = [&]() -> ParseResult {
      OpAsmParser::Argument symbol;
      std::string name;
      if (parser.parseArgument(symbol) || parser.parseEqual() || parser.parseKeywordOrString(&name))
        return failure();
      if (succeeded(parser.parseOptionalLess())) {
        if (parser.parseEqual() || parser.parseInteger(limits.emplace_back()))
          return failure();
      } else {
        limits.push_back(-1);
      }
      symbol.type = builder.getIndexType();
      symbols.push_back(builder.getStringAttr(name));
      arguments.push_back(symbol);
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseSymbol))
      return failure();
    properties.symbols = builder.getArrayAttr(symbols);
    if (llvm::any_of(limits, [](int64_t limit) { return limit >= 0; }))
      properties.symbol_limits = builder.getDenseI64ArrayAttr(limits);
  }
  return failure(parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  auto printBuffers = [&](unsigned begin, unsigned end) {
    printer << '(';
    for (unsigned i = begin; i < end; ++i) {
      if (i > begin)
        printer << ", ";
      printer << getBuffer(i) << ": " << getBuffer(i).getType();
    }
    printer << ')';
  };
  unsigned reads = getNumBuffers() - getNumOutputs();
  printBuffers(0, reads);
  if (getNumOutputs()) {
    printer << " results";
    printBuffers(reads, getNumBuffers());
  }
  if (!getGrid().empty()) {
    printer << " grid(";
    llvm::interleaveComma(llvm::enumerate(getGrid()), printer, [&](auto it) {
      printer << getProgramId(it.index()) << " = ";
      if (getGridSizes()) {
        Dim size = getGridSizes()->getSizes()[it.index()];
        if (!size.isStatic()) {
          size.print(printer.getStream());
          if (int64_t step = (*getGridSteps())[it.index()]; step != 1)
            printer << " ceildiv " << step;
          printer << " <= ";
        }
      }
      printer << it.value();
    });
    printer << ')';
  }
  if (getWarps())
    printer << " warps(" << *getWarps() << ')';
  if (getSymbols()) {
    printer << " symbols(";
    llvm::interleaveComma(llvm::enumerate(*getSymbols()), printer, [&](auto it) {
      printer << getSymbol(it.index()) << " = ";
      printer.printKeywordOrString(cast<StringAttr>(it.value()).getValue());
      if (std::optional<int64_t> limit = getSymbolLimit(it.index()))
        printer << " <= " << *limit;
    });
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "buffer_types", "num_outputs", "grid", "grid_names",
                            "warps", "symbols", "grid_sizes", "grid_steps", "symbol_limits"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Sizes of the grid are affine in the program's symbols.
static LogicalResult verifyGridSizes(FuncOp function) {
  view::SizesAttr sizes = function.getGridSizesAttr();
  if (!sizes)
    return success();
  size_t rank = function.getGrid().size();
  if (sizes.getSizes().size() != rank || !function.getGridSteps() ||
      function.getGridSteps()->size() != rank)
    return function.emitOpError("expected a size and a step for each of the ")
           << rank << " dimensions of its grid";
  for (StringAttr symbol : sizes.getSymbols())
    if (ArrayAttr known = function.getSymbolsAttr(); !known || !llvm::is_contained(known, symbol))
      return function.emitOpError("expected symbol ")
             << symbol << " of its grid to be one of its symbols";
  for (int64_t step : function.getGridStepsAttr().asArrayRef())
    if (step < 1)
      return function.emitOpError("expected steps of the grid of at least 1, found ") << step;
  return success();
}

LogicalResult FuncOp::verify() {
  if (getNumOutputs() > getNumBuffers())
    return emitOpError("expected between 0 and ")
           << getNumBuffers() << " results, found " << getNumOutputs();
  size_t arguments = getNumBuffers() + getGrid().size() + getNumSymbols();
  if (getBody().getNumArguments() != arguments)
    return emitOpError("expected one block argument per buffer, grid dimension and symbol, ")
           << arguments << ", found " << getBody().getNumArguments();
  if (failed(verifyGridSizes(*this)))
    return failure();
  if (getSymbolLimits() && getSymbolLimits()->size() != getNumSymbols())
    return emitOpError("expected a limit for each of ")
           << getNumSymbols() << " symbols, found " << getSymbolLimits()->size();
  for (auto [i, type] : llvm::enumerate(getBufferTypes().getAsValueRange<TypeAttr>())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape() || !memref.getLayout().isIdentity())
      return emitOpError("expected buffer ")
             << i << " to be a row-major memref of static shape, found " << type;
    if (getBuffer(i).getType() != type)
      return emitOpError("expected the block argument of buffer ")
             << i << " to have type " << type << ", found " << getBuffer(i).getType();
  }
  for (int64_t extent : getGrid())
    if (extent < 0)
      return emitOpError("expected extents of the grid of at least 0, found ") << extent;
  if (int64_t warps = getWarps().value_or(1); warps < 1 || !llvm::isPowerOf2_64(warps))
    return emitOpError("expected a power of two of warps, found ") << warps;
  if (!isa<ReturnOp>(getBody().front().back()))
    return emitOpError("expected to end in ttile.return");
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Tile/StructureOps.cpp.inc"
