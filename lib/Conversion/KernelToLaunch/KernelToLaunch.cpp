// The pass kernel-to-launch: functions become host programs, kernels become functions of their own.
//
// Every tensor value of the function is one buffer: an argument, a constant of the module, a result
// given by the caller, or a reservation in the arena. Kernels that are equal but for their
// locations, names, and which rows of their operands they read become one function.
#include "Commands.h"
#include "NarrowReads.h"
#include "Placement.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/AssumedValues.h"
#include "tw/Dialect/Graph/ComplexNumbers.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/Support/SaveAndRestore.h"

namespace tw {
#define GEN_PASS_DEF_KERNELTOLAUNCHPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// The ranges of symbols that types name, on functions and on what becomes of them.
constexpr StringLiteral symbolsName = "tgraph.symbols";

class Outliner {
public:
  Outliner(ModuleOp module, StringRef target, int64_t alignment)
      : module(module), symbols(module), target(target), alignment(alignment) {}

  LogicalResult outline(func::FuncOp function);
  /// The functions of parts, which are in programs now.
  void eraseApart();

private:
  /// The function that holds the kernel, shared by equal kernels.
  StringAttr getKernelFunction(kernel::KernelOp kernel);
  StringAttr getConstant(graph::ConstantOp constant);
  /// The kernels that a kernel is for some sizes, in its place.
  LogicalResult writeApart(func::FuncOp function, ValueRange reads, ValueRange writes,
                           Commands &commands);
  /// A constant, or the launch of a kernel.
  LogicalResult write(Operation *op, OpBuilder &builder, Commands &commands);

  ModuleOp module;
  SymbolTable symbols;
  StringRef target;
  int64_t alignment;
  /// Whether what is written in a kernel's place reads memory that loops move.
  bool movesOperands = false;
  llvm::DenseMap<llvm::hash_code, SmallVector<std::pair<kernel::KernelOp, StringAttr>>> kernels;
  llvm::DenseMap<std::pair<Attribute, Type>, StringAttr> constants;
  /// What has been written in place of kernels.
  std::vector<OwningOpRef<func::FuncOp>> written;
};

StringAttr Outliner::getKernelFunction(kernel::KernelOp kernel) {
  auto &known = kernels[kernel::hash(kernel)];
  for (auto &[other, name] : known)
    if (kernel::areEqual(other, kernel))
      return name;
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  // Those of a variant are not as large as what the kernel reads.
  SmallVector<Type> operands;
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    operands.push_back(kernel.getOperandArgument(i).getType());
  auto type = builder.getFunctionType(operands, kernel->getResultTypes());
  std::string hint = kernel.getSymHint().value_or("kernel").str();
  auto function = func::FuncOp::create(builder, kernel.getLoc(), hint, type);
  function.setPrivate();
  // The symbol table makes the name unique.
  StringAttr name = symbols.insert(function);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto copy = cast<kernel::KernelOp>(builder.clone(*kernel));
  copy->setOperands(body->getArguments());
  copy.removeSymHintAttr();
  func::ReturnOp::create(builder, kernel.getLoc(), copy.getResults());
  known.push_back({copy, name});
  return name;
}

StringAttr Outliner::getConstant(graph::ConstantOp constant) {
  StringAttr &name = constants[{constant.getValue(), constant.getType()}];
  if (name)
    return name;
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  auto op = launch::ConstantOp::create(builder, constant.getLoc(), "constant", constant.getType(),
                                       constant.getValue());
  return name = symbols.insert(op, module.getBody()->begin());
}

LogicalResult Outliner::outline(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc(), Code::T0312)
           << "expected function '" << function.getName() << "' to have one block";
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
      return emitError(function.getLoc(), Code::T0312)
             << "expected function '" << function.getName()
             << "' to take and give tensors of integers or floats of static shapes, found " << type;
  Block &body = function.getBody().front();
  OpBuilder builder(function);
  SmallVector<Type> buffers;
  SmallVector<std::string> texts;
  SmallVector<double> steps;
  SmallVector<bool> complex;
  SmallVector<Attribute> counts;
  bool isCounted = false, isAssumed = false;
  SmallVector<Attribute> assumed;
  auto addName = [&](StringAttr given, StringRef stem, size_t i) {
    texts.push_back(given ? given.str() : (stem + Twine(i)).str());
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    buffers.push_back(getBufferType(type));
    addName(function.getArgAttrOfType<StringAttr>(i, "tgraph.name"), "arg", i);
    complex.push_back(static_cast<bool>(function.getArgAttr(unsigned(i), graph::complexName)));
    Attribute value = function.getArgAttr(unsigned(i), graph::assumedName);
    isAssumed |= static_cast<bool>(value);
    assumed.push_back(value ? value : builder.getUnitAttr());
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    buffers.push_back(getBufferType(type));
    addName(function.getResultAttrOfType<StringAttr>(i, "tgraph.name"), "result", i);
    auto step = function.getResultAttrOfType<FloatAttr>(i, "tgraph.step");
    steps.push_back(step ? step.getValueAsDouble() : 0);
    complex.push_back(static_cast<bool>(function.getResultAttr(unsigned(i), graph::complexName)));
    auto own = function.getResultAttrOfType<DenseI64ArrayAttr>(i, countsName);
    isCounted |= static_cast<bool>(own);
    counts.push_back(own ? own : builder.getDenseI64ArrayAttr({}));
  }
  SmallVector<StringRef> names(texts.begin(), texts.end());
  StringAttr symbol = function.getNameAttr();
  symbols.remove(function);
  auto program = launch::FuncOp::create(builder, function.getLoc(), symbol.getValue(), buffers,
                                        function.getNumResults(), names, target);
  if (llvm::any_of(steps, [](double step) { return step != 0; }))
    program.setSteps(steps);
  if (llvm::is_contained(complex, true))
    program.setComplex(complex);
  if (isCounted)
    program.setCountsAttr(builder.getArrayAttr(counts));
  if (isAssumed)
    program.setAssumedAttr(builder.getArrayAttr(assumed));
  if (Attribute ranges = function->getAttr(symbolsName))
    program->setAttr(symbolsName, ranges);
  builder.setInsertionPointToEnd(&program.getBody().front());

  auto writeOp = [&](Operation *op, Commands &to) { return write(op, builder, to); };
  SmallVector<int64_t> aliases = getAliases(function);
  if (llvm::any_of(aliases, [](int64_t alias) { return alias >= 0; }))
    program.setAliases(aliases);
  Commands commands(builder, program, writeOp);
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    commands.buffer[argument] = program.getArgument(i);
  // A value that is returned once is written where the caller wants it.
  SmallVector<Value> results;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(program.getResultBuffer(i));
  Placement placement(function, aliases);
  for (auto [value, result] : placement.getPlaces())
    commands.buffer[value] = program.getResultBuffer(result);
  if (failed(commands.writeBlock(body, results)))
    return failure();
  launch::ReturnOp::create(builder, body.getTerminator()->getLoc());
  function.erase();
  symbols.insert(program);
  return success();
}

/// Whether rows of the tensor are found when a program is prepared: not where loops change the
/// memory that it lies in.
bool hasOnePlace(Value tensor) {
  return !isa_and_nonnull<LoopLikeOpInterface>(getOwnShape(tensor).getDefiningOp());
}

LogicalResult Outliner::writeApart(func::FuncOp function, ValueRange reads, ValueRange writes,
                                   Commands &commands) {
  // Each time with values of its own, whose buffers are others.
  func::FuncOp copy = *written.emplace_back(function.clone());
  for (auto [argument, buffer] : llvm::zip(copy.getArguments(), reads))
    commands.buffer[argument] = buffer;
  return commands.writeBlock(copy.getBody().front(), writes);
}

/// Whether no result has elements in a call that settles the symbol to none, as one may.
bool mayBeOfNone(kernel::KernelOp kernel, StringAttr symbol) {
  auto isAlong = [&](const Dim &size) {
    ArrayRef<Dim::Term> terms = size.getTerms();
    return size.getConstant() == 0 && terms.size() == 1 && terms.front().first == symbol;
  };
  return graph::getLeast(Dim::symbol(symbol), kernel->getParentOfType<func::FuncOp>()) == 0 &&
         llvm::all_of(kernel->getResultTypes(), [&](Type type) {
           return llvm::any_of(view::getSizes(cast<RankedTensorType>(type)), isAlong);
         });
}

void Outliner::eraseApart() {
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (function->hasAttr(kernel::positionsAttrName))
      symbols.erase(function);
}

LogicalResult Outliner::write(Operation *op, OpBuilder &builder, Commands &commands) {
  if (auto constant = dyn_cast<graph::ConstantOp>(op)) {
    // One in a branch or a loop is there all the time.
    OpBuilder::InsertionGuard guard(builder);
    for (Operation *around = builder.getInsertionBlock()->getParentOp();
         !isa<launch::FuncOp>(around); around = around->getParentOp())
      builder.setInsertionPoint(around);
    commands.buffer[constant.getResult()] = launch::GetConstantOp::create(
        builder, op->getLoc(), getBufferType(constant.getType()), getConstant(constant));
    return success();
  }
  if (auto reshape = dyn_cast<graph::ReshapeOp>(op)) {
    for (RankedTensorType type : {reshape.getInput().getType(), reshape.getType()})
      if (view::hasRoom(type))
        return emitOpError(op, Code::T0312)
               << "expected tensors that fill their memory, found " << type
               << ": reshape what is appended before it is joined with the rest";
    commands.buffer[reshape.getResult()] = commands.buffer.lookup(reshape.getInput());
    return success();
  }
  auto kernel = dyn_cast<kernel::KernelOp>(op);
  if (!kernel)
    return emitError(op->getLoc(), Code::T0312)
           << "expected kernels and constants only, found '" << op->getName()
           << "'; view-to-kernel should have removed it";
  llvm::DenseMap<Value, Rows> rows;
  SmallVector<kernel::Variant> variants = kernel::getVariants(kernel);
  bool isApart = llvm::any_of(variants, [](const auto &each) { return bool(each.apart); });
  bool isFixed = !movesOperands && !kernel->getParentOfType<LoopLikeOpInterface>() &&
                 llvm::all_of(kernel.getOperands(), hasOnePlace);
  if (alignment > 0 && !isApart && isFixed)
    narrowReads(kernel, alignment, rows);
  SmallVector<Value> reads, writes;
  SmallVector<int64_t> offsets;
  llvm::SmallBitVector isUpdated(kernel.getNumOperands());
  for (OpResult result : kernel->getResults()) {
    if (std::optional<unsigned> updated = kernel.findUpdated(result.getResultNumber()))
      commands.takeOver(result, kernel.getOperand(*updated));
    writes.push_back(commands.reserve(result));
    if (std::optional<unsigned> updated = kernel.findUpdated(result.getResultNumber())) {
      isUpdated.set(*updated);
      commands.copy(op->getLoc(), commands.buffer.lookup(kernel.getOperand(*updated)),
                    writes.back());
    }
  }
  for (auto [i, operand] : llvm::enumerate(kernel.getOperands())) {
    if (isUpdated[i])
      continue;
    Rows read = rows.lookup(operand);
    reads.push_back(commands.buffer.lookup(read.whole ? read.whole : operand));
    offsets.push_back(read.offset);
  }
  // Sides for the variants, one in the other, and the kernel's own launch behind them.
  OpBuilder::InsertionGuard guard(builder);
  auto addLaunch = [&](kernel::KernelOp own) {
    auto launch =
        launch::LaunchOp::create(builder, op->getLoc(), getKernelFunction(own), reads, writes);
    if (!rows.empty())
      launch.setOffsets(offsets);
  };
  // What a call has more points of than any other variant is not asked for.
  bool isLastForMost =
      isApart && variants.back().apart &&
      variants.back().most >= kernel::getMost(kernel, variants.back().symbol).value_or(INT64_MAX);
  auto writeFunction = [&](const kernel::Variant &variant) {
    llvm::SaveAndRestore moves(movesOperands, !isFixed);
    auto function = symbols.lookup<func::FuncOp>(variant.apart.getAttr());
    return writeApart(function, reads, writes, commands);
  };
  for (const kernel::Variant &variant : ArrayRef(variants).drop_back(isLastForMost)) {
    auto when =
        launch::WhenOp::create(builder, op->getLoc(), variant.symbol, variant.least, variant.most);
    builder.setInsertionPoint(when.getThenRegion().front().getTerminator());
    if (!variant.apart)
      addLaunch(*kernel::makeVariant(kernel, variant));
    else if (failed(writeFunction(variant)))
      return failure();
    builder.setInsertionPoint(when.getElseRegion().front().getTerminator());
  }
  if (isLastForMost) {
    // What many points are packed for, none are not.
    if (mayBeOfNone(kernel, variants.back().symbol)) {
      auto none = launch::WhenOp::create(builder, op->getLoc(), variants.back().symbol, 0, 0);
      builder.setInsertionPoint(none.getElseRegion().front().getTerminator());
    }
    return writeFunction(variants.back());
  }
  kernel->removeAttr(kernel::variantsAttrName);
  addLaunch(kernel);
  return success();
}

struct KernelToLaunch : public tw::impl::KernelToLaunchPassBase<KernelToLaunch> {
  using KernelToLaunchPassBase::KernelToLaunchPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    Outliner outliner(getOperation(), target, offsetAlignment);
    for (func::FuncOp function : functions)
      if (!function.isPrivate() && failed(outliner.outline(function)))
        return signalPassFailure();
    outliner.eraseApart();
  }
};

} // namespace
