// The host program: syntax and verifier.
#include "tw/Dialect/Launch/Launch.h"

using namespace mlir;
using namespace tw;
using namespace tw::launch;

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, TypeRange buffers,
                   int64_t numOutputs, ArrayRef<StringRef> names, StringRef target) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.buffer_types = builder.getTypeArrayAttr(SmallVector<Type>(buffers));
  properties.num_outputs = builder.getI64IntegerAttr(numOutputs);
  properties.names = builder.getStrArrayAttr(names);
  properties.target = builder.getStringAttr(target);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.addRegion());
  for (Type buffer : buffers)
    block->addArgument(buffer, state.location);
}

// tlaunch.func @main(%x: ..) results(%y: ..) names ["x", "y"] target "host" attributes {..} { .. }
ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments, results;
  if (parser.parseSymbolName(properties.sym_name) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("results") ||
      parser.parseArgumentList(results, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("names") || parser.parseAttribute(properties.names) ||
      parser.parseKeyword("target") || parser.parseAttribute(properties.target) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  arguments.append(results);
  SmallVector<Attribute> types;
  for (auto &argument : arguments)
    types.push_back(TypeAttr::get(argument.type));
  properties.buffer_types = builder.getArrayAttr(types);
  properties.num_outputs = builder.getI64IntegerAttr(results.size());
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  auto printBuffers = [&](unsigned begin, unsigned end) {
    printer << '(';
    for (unsigned i = begin; i < end; ++i) {
      if (i > begin)
        printer << ", ";
      printer << getBody().getArgument(i) << ": " << getBody().getArgument(i).getType();
    }
    printer << ')';
  };
  printBuffers(0, getNumArguments());
  printer << " results";
  printBuffers(getNumArguments(), getBufferTypes().size());
  printer << " names " << getNames() << " target " << getTargetAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"sym_name", "buffer_types", "num_outputs", "names", "target"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

tw::ResultCounts FuncOp::getResultCounts() {
  ResultCounts counts(getNumOutputs());
  if (getCounts())
    for (auto [own, attribute] : llvm::zip(counts, getCounts()->getAsRange<DenseI64ArrayAttr>()))
      own = attribute.asArrayRef();
  return counts;
}

LogicalResult FuncOp::verify() {
  size_t count = getBufferTypes().size();
  if (getNumOutputs() > count)
    return emitOpError("expected between 0 and ") << count << " results, found " << getNumOutputs();
  if (getNames().size() != count)
    return emitOpError("expected one name per argument and result, ")
           << count << ", found " << getNames().size();
  if (std::optional<ArrayRef<double>> steps = getSteps();
      steps && int64_t(steps->size()) != int64_t(getNumOutputs()))
    return emitOpError("expected one step per result, ")
           << getNumOutputs() << ", found " << steps->size();
  if (std::optional<ArrayRef<bool>> complex = getComplex()) {
    if (complex->size() != count)
      return emitOpError("expected to be said of each argument and result whether it is complex, ")
             << count << ", found " << complex->size();
    for (auto [isComplex, type] : llvm::zip(*complex, getBufferTypes().getAsValueRange<TypeAttr>()))
      if (auto buffer = dyn_cast<BufferType>(type);
          isComplex && buffer &&
          (buffer.getTensor().getRank() == 0 || buffer.getTensor().getShape().back() != 2 ||
           !(buffer.getTensor().getElementType().isF32() ||
             buffer.getTensor().getElementType().isF64())))
        return emitOpError("expected complex numbers as f32 or f64 with a last dimension of 2, "
                           "found ")
               << buffer;
  }
  if (getCounts()) {
    if (getCounts()->size() != getNumOutputs())
      return emitOpError("expected counts of each result, ")
             << getNumOutputs() << ", found " << getCounts()->size();
    SmallVector<RankedTensorType> types;
    for (Type type : getBufferTypes().getAsValueRange<TypeAttr>())
      types.push_back(isa<BufferType>(type) ? cast<BufferType>(type).getTensor()
                                            : RankedTensorType());
    if (std::string wrong =
            checkCounts(getResultCounts(), ArrayRef(types).drop_front(getNumArguments()));
        !wrong.empty())
      return emitOpError("has counts, of which ") << wrong;
  }
  if (getAssumed()) {
    if (getAssumed()->size() != getNumArguments())
      return emitOpError("expected one assumed value per argument, ")
             << getNumArguments() << ", found " << getAssumed()->size();
    for (unsigned i = 0; i < getNumArguments(); ++i) {
      auto buffer = dyn_cast<BufferType>(cast<TypeAttr>(getBufferTypes()[i]).getValue());
      DenseElementsAttr value = getAssumedValue(i);
      if (value ? !buffer || value.getType() != buffer.getTensor()
                : !isa<UnitAttr>((*getAssumed())[i]))
        return emitOpError("expected the assumed value of argument ")
               << i << " to be a unit or of its type, found " << (*getAssumed())[i];
    }
  }
  if (std::optional<ArrayRef<int64_t>> aliases = getAliases()) {
    if (aliases->size() != getNumArguments())
      return emitOpError("expected one alias per argument, ")
             << getNumArguments() << ", found " << aliases->size();
    for (auto [i, alias] : llvm::enumerate(*aliases))
      if (alias >= int64_t(getNumOutputs()) ||
          (alias >= 0 && llvm::is_contained(aliases->take_front(i), alias)))
        return emitOpError("expected the alias of argument ")
               << i << " to be a result of its own, found " << alias;
  }
  if (getBody().getNumArguments() != count)
    return emitOpError("expected one block argument per argument and result, ")
           << count << ", found " << getBody().getNumArguments();
  for (auto [argument, type] :
       llvm::zip(getBody().getArguments(), getBufferTypes().getAsValueRange<TypeAttr>())) {
    if (argument.getType() != type || !isa<BufferType>(type))
      return emitOpError("expected !tlaunch.buffer arguments as in buffer_types, found ")
             << argument.getType();
  }
  if (!isa<ReturnOp>(getBody().front().back()))
    return emitOpError("expected to end in tlaunch.return");
  return success();
}

static bool writes(Operation *op, Value buffer) {
  auto launch = dyn_cast<LaunchOp>(op);
  auto copy = dyn_cast<CopyOp>(op);
  return (launch && llvm::is_contained(launch.getWrites(), buffer)) ||
         (copy && copy.getDestination() == buffer);
}

/// What an argument held is gone once its memory is the result's; in a loop, before the next
/// iteration.
static LogicalResult verifyAlias(Block &block, StringRef name, Value argument, Value result,
                                 Operation *&written) {
  for (Operation &op : block) {
    if (written && llvm::is_contained(op.getOperands(), argument)) {
      InFlightDiagnostic diagnostic = op.emitOpError("reads argument '")
                                      << name << "' after its memory has become a result's";
      diagnostic.attachNote(written->getLoc()) << "the result is written here";
      return diagnostic;
    }
    if (isa<RepeatOp, WhileOp>(op))
      op.walk([&](Operation *inner) {
        if (writes(inner, result))
          written = inner;
      });
    if (writes(&op, result))
      written = &op;
    // Of sides one runs: none reads what another one has written.
    bool areSides = !isa<RepeatOp, WhileOp>(op);
    Operation *before = written;
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        Operation *own = areSides ? before : written;
        if (failed(verifyAlias(inner, name, argument, result, own)))
          return failure();
        if (own)
          written = own;
      }
  }
  return success();
}

static LogicalResult verifyAlias(FuncOp program, BlockArgument argument, BlockArgument result) {
  Operation *written = nullptr;
  return verifyAlias(program.getBody().front(), program.getName(argument.getArgNumber()), argument,
                     result, written);
}

LogicalResult FuncOp::verifyRegions() {
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (getAlias(i) >= 0 &&
        failed(verifyAlias(*this, getArgument(i), getResultBuffer(getAlias(i)))))
      return failure();
  auto initializers = getBody().getOps<InitializeOp>();
  if (!initializers.empty() && !llvm::hasSingleElement(initializers))
    return emitOpError("expected at most one tlaunch.initialize, found ")
           << std::distance(initializers.begin(), initializers.end());
  return success();
}

static bool isWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(),
                      [&](Operation *user) { return llvm::is_contained(getWrites(user), buffer); });
}

LogicalResult InitializeOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield)
    return emitOpError("expected to end in tlaunch.yield");
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields ") << yield.getOperandTypes() << ", expected " << getResultTypes();
  for (Operation &op : getBody().front().without_terminator())
    if (!isa<GetConstantOp, ReserveOp, LaunchOp, CopyOp>(op))
      return op.emitOpError("does not belong in an initializer");
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Value buffer : yield.getBuffers()) {
    auto reserve = buffer.getDefiningOp<ReserveOp>();
    if (!reserve || !seen.insert(reserve).second)
      return yield.emitOpError("expected reservations, each named once");
    if (reserve.getOffset())
      return reserve.emitOpError("is yielded, so it lies in no arena; found offset ")
             << *reserve.getOffset();
    if (!isWritten(buffer))
      return reserve.emitOpError("is yielded but never written");
  }
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Launch/StructureOps.cpp.inc"
