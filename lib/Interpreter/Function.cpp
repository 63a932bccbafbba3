// Functions of tgraph, tview and tkernel ops: op by op, in order.
//===---------------------------------------------------------------------------------------===//
#include <cmath>
#include <cstring>

#include "Graph/Graph.h"
#include "View/View.h"

#include "tw/Dialect/Graph/AssumedValues.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ResultCounts.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

namespace {

// Results without the encoding that names symbolic dimensions: shapes are static here.
LogicalResult checkTypes(Operation *op) {
  for (Value value : op->getResults())
    if (!Tensor::isSupported(value.getType()))
      return tw::emitOpError(op, Code::T0702)
             << "yields " << value.getType() << ", which is not held";
  return success();
}

FailureOr<SmallVector<Tensor>> evaluateOp(Operation *op, ArrayRef<Tensor> operands,
                                          const Options &options) {
  if (failed(checkTypes(op)) || failed(Tensor::checkMemory(op, op->getResultTypes())))
    return failure();
  if (auto kernel = dyn_cast<kernel::KernelOp>(op))
    return evaluate(kernel, operands);
  if (auto view = dyn_cast<view::ViewOp>(op))
    return SmallVector<Tensor>{readThrough(operands[0], view.getMap(), view.getResult().getType())};
  if (isa<view::MaterializeOp>(op))
    return SmallVector<Tensor>{operands[0]};
  if (!isa_and_nonnull<graph::GraphDialect>(op->getDialect()))
    return tw::emitOpError(op, Code::T0701) << "cannot be interpreted in a function";
  FailureOr<Tensor> result = evaluateGraphOp(op, operands, options);
  if (failed(result))
    return failure();
  return SmallVector<Tensor>{*result};
}

/// Runs blocks, which see the values of those around them.
class BlockEvaluator {
public:
  explicit BlockEvaluator(const Options &options) : options(options) {}

  /// The operands of the terminator.
  FailureOr<SmallVector<Tensor>> run(Block &block, ArrayRef<Tensor> arguments) {
    for (auto [argument, tensor] : llvm::zip(block.getArguments(), arguments))
      values[argument] = tensor;
    auto &last = getLastUses(block);
    for (Operation &op : block) {
      SmallVector<Tensor> operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      if (op.hasTrait<OpTrait::IsTerminator>())
        return operands;
      FailureOr<SmallVector<Tensor>> results = evaluate(&op, operands);
      if (failed(results))
        return failure();
      if (options.observe)
        options.observe(&op, *results);
      for (Value value : last[&op])
        values.erase(value);
      for (auto [value, tensor] : llvm::zip(op.getResults(), *results))
        if (!value.use_empty())
          values[value] = tensor;
    }
    llvm_unreachable("blocks end in a terminator");
  }

private:
  using LastUses = llvm::DenseMap<Operation *, SmallVector<Value>>;

  FailureOr<SmallVector<Tensor>> evaluate(Operation *op, ArrayRef<Tensor> operands) {
    if (isa<graph::AssociativeScanOp>(op))
      return evaluateScan(op, operands);
    bool isCounted = op->getNumRegions() != 0 && counts(op);
    auto runRegion = [&](Region &region, ArrayRef<Tensor> arguments) {
      return isCounted ? runCopy(region, arguments) : run(region.front(), arguments);
    };
    if (isControl(op))
      return evaluateControl(op, operands, runRegion);
    if (auto prefix = dyn_cast<graph::PrefixOp>(op);
        prefix && failed(settleCount(prefix, operands)))
      return failure();
    return evaluateOp(op, operands, options);
  }

  /// What runs is a copy of the region that lives as long as the scan: nobody else is to know of
  /// it.
  FailureOr<SmallVector<Tensor>> evaluateScan(Operation *op, ArrayRef<Tensor> operands) {
    Options unseen = options;
    unseen.observe = {};
    BlockEvaluator evaluator(unseen);
    return evaluateControl(op, operands, [&](Region &region, ArrayRef<Tensor> arguments) {
      return evaluator.run(region.front(), arguments);
    });
  }

  /// Whether sizes are counted somewhere inside of the op.
  static bool counts(Operation *op) {
    return op->walk([](graph::PrefixOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// What is counted inside of a region is another number each time: it runs in a copy.
  FailureOr<SmallVector<Tensor>> runCopy(Region &region, ArrayRef<Tensor> arguments) {
    Operation *op = region.getParentOp(), *copy = op->clone();
    op->getBlock()->getOperations().insert(Block::iterator(op), copy);
    FailureOr<SmallVector<Tensor>> results =
        run(copy->getRegion(region.getRegionNumber()).front(), arguments);
    copy->walk([&](Block *block) {
      lastUses.erase(block);
      for (Value argument : block->getArguments())
        values.erase(argument);
      for (Operation &each : *block)
        for (Value result : each.getResults())
          values.erase(result);
    });
    copy->erase();
    return results;
  }

  /// From here on the symbol that stands for the count is that number, in all types of the op
  /// around, which is a copy then.
  LogicalResult settleCount(graph::PrefixOp op, ArrayRef<Tensor> operands) {
    int64_t most = operands[0].getShape()[op.getDim()];
    int64_t given = operands[1].elements<int64_t>().front();
    int64_t count = std::clamp<int64_t>(given, 0, most);
    if (StringAttr symbol = op.getSymbol()) {
      auto function = op->getParentOfType<func::FuncOp>();
      auto declared =
          function ? function->getAttrOfType<DictionaryAttr>("tgraph.symbols") : nullptr;
      auto range = declared ? declared.getAs<graph::SymbolAttr>(symbol) : graph::SymbolAttr();
      int64_t least = range ? range.getMin() : 0;
      if (op.getChecked() && (given < least || given > most))
        return tw::emitOpError(op, Code::T0703)
               << "counts " << given << " elements, of which the program has a range from " << least
               << " to " << most;
      if (range && count < range.getMin())
        return tw::emitOpError(op, Code::T0703)
               << "counts " << count << " elements, of which the program needs " << range.getMin()
               << " or more";
      auto valueOf = [&](StringAttr name) {
        return name == symbol ? std::optional(count) : std::nullopt;
      };
      graph::changeSizes(op->getParentOp(), [&](const graph::Dim &dim) {
        graph::Dim value = substitute(dim, valueOf).value_or(dim);
        return value.isStatic() ? graph::Dim(std::max<int64_t>(value.getConstant(), 0)) : value;
      });
    }
    int64_t size = op.getType().getDimSize(op.getDim());
    if (size == count)
      return success();
    return tw::emitOpError(op, Code::T0703)
           << "counts " << count << " elements of a size that is " << size;
  }

  /// The values of the block that are dropped after each of its ops, which are those that read them
  /// last, themselves or in regions.
  LastUses &getLastUses(Block &block) {
    auto [it, isNew] = lastUses.try_emplace(&block);
    if (!isNew)
      return *it->second;
    it->second = std::make_unique<LastUses>();
    llvm::DenseMap<Value, Operation *> last;
    for (Operation &op : block)
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == &block)
            last[operand] = &op;
      });
    for (auto [value, op] : last)
      (*it->second)[op].push_back(value);
    return *it->second;
  }

  const Options &options;
  llvm::DenseMap<Value, Tensor> values;
  llvm::DenseMap<Block *, std::unique_ptr<LastUses>> lastUses;
};

LogicalResult checkInputs(func::FuncOp func, ArrayRef<Tensor> inputs) {
  if (inputs.size() != func.getNumArguments())
    return tw::emitOpError(func, Code::T0703)
           << "expected " << func.getNumArguments() << " inputs, found " << inputs.size();
  for (auto [i, type, input] : llvm::enumerate(func.getArgumentTypes(), inputs)) {
    if (!Tensor::isSupported(type))
      return tw::emitOpError(func, Code::T0702) << "takes " << type << ", which is not held";
    if (input.getType() != type)
      return tw::emitOpError(func, Code::T0703)
             << "expected input " << i << " of type " << type << ", found " << input.getType();
    auto assumed = func.getArgAttrOfType<DenseElementsAttr>(unsigned(i), graph::assumedName);
    if (assumed && std::memcmp(Tensor::fromAttr(assumed).bytes(), input.bytes(),
                               size_t(input.getBytes())) != 0)
      return tw::emitOpError(func, Code::T0703)
             << "expected input " << i << " to have the assumed value " << assumed;
  }
  return success();
}

} // namespace

FailureOr<SmallVector<Tensor>> tw::interp::takeCounted(Location loc, ArrayRef<Tensor> results,
                                                       ArrayRef<ArrayRef<int64_t>> counts) {
  SmallVector<Tensor> visible(results.take_front(countVisible(counts)));
  for (auto [tensor, own] : llvm::zip(visible, counts)) {
    SmallVector<int64_t> shape(tensor.getShape());
    for (auto [size, count] : llvm::zip(shape, own))
      if (count >= 0) {
        int64_t found = results[size_t(count)].elements<int64_t>().front();
        if (found < 0)
          return tw::emitError(loc, Code::T0703)
                 << "data decide on a size of which the program needs more elements";
        size = std::min(found, size);
      }
    if (ArrayRef(shape) == tensor.getShape())
      continue;
    Tensor cut = Tensor::allocate(RankedTensorType::get(shape, tensor.getElementType()));
    copyInto(tensor, cut);
    tensor = cut;
  }
  return visible;
}

FailureOr<SmallVector<Tensor>> tw::interp::evaluate(func::FuncOp func, ArrayRef<Tensor> inputs,
                                                    const Options &options) {
  if (failed(checkInputs(func, inputs)))
    return failure();
  if (!llvm::hasSingleElement(func.getBody()) || func.front().empty() ||
      !isa<func::ReturnOp>(func.front().back()))
    return tw::emitOpError(func, Code::T0701)
           << "expected a body of one block that ends in func.return";
  OwningOpRef<func::FuncOp> settled;
  bool isCounted =
      func.walk([](graph::PrefixOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (isCounted) {
    settled = func.clone();
    func = *settled;
  }
  FailureOr<SmallVector<Tensor>> results = BlockEvaluator(options).run(func.front(), inputs);
  if (failed(results))
    return failure();
  ResultCounts counts;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto own = func.getResultAttrOfType<DenseI64ArrayAttr>(i, countsName);
    counts.push_back(own ? own.asArrayRef() : ArrayRef<int64_t>());
  }
  return takeCounted(func.getLoc(), *results, counts);
}

namespace {

/// The values that one value depends on, evaluated once each.
class ConstantEvaluator {
public:
  ConstantEvaluator(const Options &options, int64_t maxBytes)
      : options(options), maxBytes(maxBytes) {}

  FailureOr<Tensor> evaluate(Value value) {
    if (Tensor known = values.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !isConstant(op))
      return failure();
    SmallVector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<Tensor> tensor = evaluate(operand);
      if (failed(tensor))
        return failure();
      operands.push_back(*tensor);
    }
    FailureOr<SmallVector<Tensor>> results = evaluateOp(op, operands, options);
    if (failed(results))
      return failure();
    for (auto [result, tensor] : llvm::zip(op->getResults(), *results))
      values[result] = tensor;
    return values[value];
  }

private:
  // Whether the op is worth looking at: held, small enough, of a dialect that has values only.
  bool isConstant(Operation *op) {
    if (isControl(op) ||
        !isa_and_nonnull<graph::GraphDialect, view::ViewDialect, kernel::KernelDialect>(
            op->getDialect()))
      return false;
    if (auto constant = dyn_cast<graph::ConstantOp>(op);
        constant && isa<graph::FileAttr>(constant.getValue()) && !options.resolve)
      return false;
    return llvm::all_of(op->getResultTypes(), [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && Tensor::isSupported(tensor) &&
             tensor.getNumElements() * getElementBytes(tensor.getElementType()) <= maxBytes;
    });
  }

  const Options &options;
  int64_t maxBytes;
  llvm::DenseMap<Value, Tensor> values;
};

} // namespace

FailureOr<DenseElementsAttr> tw::interp::evaluateConstant(Value value, const Options &options,
                                                          int64_t maxBytes) {
  FailureOr<Tensor> tensor = ConstantEvaluator(options, maxBytes).evaluate(value);
  if (failed(tensor))
    return failure();
  return tensor->toAttr();
}
