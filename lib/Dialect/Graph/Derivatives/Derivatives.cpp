// The walk back from a value to what it depends on.
#include "Adjoint.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

const DerivativeRules::Rule *DerivativeRules::find(OperationName op) const {
  auto it = rules.find(op.getStringRef());
  return it == rules.end() ? nullptr : &it->second;
}

std::optional<StringRef> DerivativeRules::whyNone(OperationName op) const {
  auto it = none.find(op.getStringRef());
  return it == none.end() ? std::nullopt : std::optional<StringRef>(it->second);
}

const DerivativeRules &tw::graph::getDerivativeRules() {
  static const DerivativeRules rules = [] {
    DerivativeRules all;
    for (auto *add : {addUnaryDerivatives, addBinaryDerivatives, addCompositeDerivatives,
                      addContractionDerivatives, addMovementDerivatives, addReductionDerivatives,
                      addGatherDerivatives, addControlDerivatives, addAssociativeScanDerivatives})
      add(all);
    return all;
  }();
  return rules;
}

namespace {

/// What an op reads: its operands, and what its regions use from around them.
SmallVector<Value> getInputs(Operation *op) {
  SmallVector<Value> inputs(op->getOperands());
  if (op->getNumRegions()) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op->getRegions(), used);
    llvm::append_range(inputs, used);
  }
  return inputs;
}

/// "'tgraph.exp' (x.mlir:3:8)".
std::string describeStep(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += llvm::formatv(" ({0}:{1}:{2})", place.getFilename().getValue(), place.getLine(),
                          place.getColumn());
  return text;
}

/// The name of an argument, or of what is the argument times one.
std::string describeSource(Value value) {
  if (Operation *op = value.getDefiningOp(); op && op->getNumOperands() > 0)
    value = op->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
                           : FunctionOpInterface();
  if (function)
    if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tgraph.name"))
      return "'" + name.str() + "'";
  return "what is differentiated by";
}

/// Cotangents of `wrt` from those of `outputs`, which are in one block, or around it.
class Reverse {
public:
  Reverse(OpBuilder &builder, ArrayRef<Value> outputs, ArrayRef<Value> wrt,
          const DerivativeRules &rules, Replaced replaced)
      : builder(builder), block(*builder.getInsertionBlock()), outputs(outputs), wrt(wrt),
        rules(rules), replaced(replaced) {}

  /// Null seeds are zeros.
  FailureOr<SmallVector<Value>> run(ArrayRef<Value> seeds) {
    findActive();
    if (failed(decomposeActive()))
      return failure();
    for (auto [output, seed] : llvm::zip(outputs, seeds))
      if (seed && isActive(output))
        give(output, seed);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (walked.contains(&op) && failed(visit(&op)))
        return failure();
    SmallVector<Value> results;
    for (Value value : wrt)
      results.push_back(cotangents.lookup(value));
    return results;
  }

private:
  static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }
  bool isActive(Value value) const { return active.contains(value); }
  void give(Value value, Value cotangent) {
    Value &sum = cotangents[value];
    sum = sum ? AddOp::create(builder, cotangent.getLoc(), sum, cotangent).getResult() : cotangent;
  }

  /// What depends on one of `wrt`, and an output on it, by way of floats and ops that do not cut
  /// it.
  void findActive() {
    llvm::DenseSet<Value> reached(wrt.begin(), wrt.end());
    llvm::DenseSet<Value> needed(outputs.begin(), outputs.end());
    walked.clear();
    active.clear();
    for (Operation &op : block)
      if (!rules.isConstant(op.getName()) &&
          llvm::any_of(getInputs(&op), [&](Value v) { return reached.contains(v); }))
        for (Value result : op.getResults())
          if (isFloat(result))
            reached.insert(result);
    for (Operation &op : llvm::reverse(block)) {
      bool isNeeded = llvm::any_of(op.getResults(), [&](Value result) {
        return needed.contains(result) && reached.contains(result);
      });
      // What is differentiated by ends there.
      bool isEnd = llvm::all_of(op.getResults(),
                                [&](Value result) { return llvm::is_contained(wrt, result); });
      if (!isNeeded || isEnd || rules.isConstant(op.getName()))
        continue;
      walked.insert(&op);
      for (Value input : getInputs(&op))
        if (isFloat(input))
          needed.insert(input);
    }
    for (Value value : reached)
      if (needed.contains(value))
        active.insert(value);
  }

  /// Composites without a rule become their parts, until none is left.
  LogicalResult decomposeActive() {
    bool changed = true;
    while (std::exchange(changed, false)) {
      for (Operation &op : llvm::make_early_inc_range(block)) {
        auto composite = dyn_cast<CompositeOpInterface>(op);
        if (!walked.contains(&op) || !composite || rules.find(op.getName()))
          continue;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(&op);
        SmallVector<Value> parts = composite.decompose(builder);
        if (parts.empty())
          return tw::emitOpError(&op, Code::T0220)
                 << "is differentiated through its parts, which need sizes that are known";
        for (Value &output : outputs)
          if (output.getDefiningOp() == &op)
            output = parts[cast<OpResult>(output).getResultNumber()];
        replaced(&op, parts);
        op.replaceAllUsesWith(parts);
        changed = true;
      }
      if (changed)
        findActive();
    }
    return success();
  }

  /// The ops from an output to one of `wrt` by way of that one.
  std::string describePath(Operation *through) const {
    SmallVector<Operation *> path;
    for (Operation *op = through; op;) {
      path.push_back(op);
      Operation *next = nullptr;
      for (Operation *user : op->getUsers())
        if (Operation *around = block.findAncestorOpInBlock(*user); walked.contains(around))
          next = around;
      op = next;
    }
    std::reverse(path.begin(), path.end());
    Value source;
    for (Operation *op = through; op;) {
      auto inputs = getInputs(op);
      auto next = llvm::find_if(inputs, [&](Value input) { return isActive(input); });
      if (next == inputs.end())
        break;
      source = *next;
      op = llvm::is_contained(wrt, source) ? nullptr : source.getDefiningOp();
      if (op)
        path.push_back(op);
    }
    std::string text = "on the way back from what is differentiated: ";
    constexpr size_t most = 12;
    for (auto [i, op] : llvm::enumerate(path))
      if (op == through || i < most / 2 || i + most / 2 >= path.size())
        text += describeStep(op) + ", ";
      else if (i == most / 2)
        text += "..., ";
    return text + "to " + (source ? describeSource(source) : "what is differentiated by");
  }

  /// With the way to it where that fails.
  LogicalResult visit(Operation *op) {
    // Branches and loops are replaced on the way.
    std::string path = op->getNumRegions() ? describePath(op) : "";
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        diagnostic.attachNote(op->getLoc()) << (path.empty() ? describePath(op) : path);
      return failure();
    });
    return visitOne(op);
  }

  LogicalResult visitOne(Operation *op) {
    SmallVector<Value> own;
    for (Value result : op->getResults())
      own.push_back(cotangents.lookup(result));
    if (llvm::all_of(own, [](Value cotangent) { return !cotangent; }))
      return success();
    const DerivativeRules::Rule *rule = rules.find(op->getName());
    if (!rule)
      return tw::emitOpError(op, Code::T0220)
             << "has no derivative: "
             << rules.whyNone(op->getName()).value_or("no rule is known for it");
    auto isNeeded = [&](Value value) { return isActive(value); };
    auto pullBack = [&](ArrayRef<Value> outputs, ArrayRef<Value> seeds, ArrayRef<Value> inputs) {
      return Reverse(builder, outputs, inputs, rules, replaced).run(seeds);
    };
    Adjoint adjoint(builder, op, own, isNeeded, pullBack, replaced);
    if (failed((*rule)(op, adjoint)))
      return failure();
    for (auto [value, cotangent] : adjoint.getGiven())
      if (isActive(value))
        give(value, cotangent);
    return success();
  }

  OpBuilder &builder;
  Block &block;
  SmallVector<Value> outputs, wrt;
  const DerivativeRules &rules;
  Replaced replaced;
  llvm::DenseSet<Value> active;
  llvm::DenseSet<Operation *> walked;
  llvm::DenseMap<Value, Value> cotangents;
};

} // namespace

/// What is differentiated, and by what, is in the block that is built.
static LogicalResult checkPlaces(OpBuilder &builder, ValueRange of, ValueRange wrt) {
  for (Value value : llvm::concat<Value>(SmallVector<Value>(of), SmallVector<Value>(wrt)))
    if (value.getParentBlock() != builder.getInsertionBlock())
      return tw::emitError(of.front().getLoc(), Code::T0223)
             << "expected what is differentiated, and by what, in the block where the derivatives "
                "are asked for, found one outside or inside of a branch or a loop";
  return success();
}

FailureOr<SmallVector<Value>> tw::graph::buildGradients(OpBuilder &builder, Value of, Value seed,
                                                        ValueRange wrt,
                                                        const DerivativeRules &rules,
                                                        Replaced replaced) {
  if (wrt.empty())
    return SmallVector<Value>();
  if (failed(checkPlaces(builder, of, wrt)))
    return failure();
  if (!seed) {
    PartsBuilder parts{builder, of.getLoc()};
    seed = parts.real(PartsBuilder::shapeOf(of), PartsBuilder::elementOf(of), 1);
  }
  return Reverse(builder, of, SmallVector<Value>(wrt), rules, replaced).run(seed);
}

FailureOr<SmallVector<Value>> tw::graph::buildTangents(OpBuilder &builder, ValueRange of,
                                                       ValueRange wrt, ValueRange tangents,
                                                       const DerivativeRules &rules,
                                                       Replaced replaced) {
  if (of.empty() || wrt.empty())
    return SmallVector<Value>(of.size());
  if (failed(checkPlaces(builder, of, wrt)))
    return failure();
  // Weights that nobody knows.
  SmallVector<Value> weights;
  for (Value value : of)
    weights.push_back(
        UnrealizedConversionCastOp::create(builder, value.getLoc(), value.getType(), ValueRange())
            .getResult(0));
  auto backward = Reverse(builder, SmallVector<Value>(of), SmallVector<Value>(wrt), rules, replaced)
                      .run(weights);
  FailureOr<SmallVector<Value>> results = failure();
  if (succeeded(backward)) {
    SmallVector<Value> cotangents, along;
    for (auto [cotangent, tangent] : llvm::zip(*backward, tangents))
      if (cotangent) {
        cotangents.push_back(cotangent);
        along.push_back(tangent);
      }
    results = Reverse(builder, cotangents, weights, rules, replaced).run(along);
  }
  for (Value value : weights) {
    PartsBuilder parts{builder, value.getLoc()};
    Operation *placeholder = value.getDefiningOp();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(placeholder);
    placeholder->replaceAllUsesWith(
        ValueRange(parts.real(PartsBuilder::shapeOf(value), PartsBuilder::elementOf(value), 0)));
    placeholder->erase();
  }
  return results;
}
