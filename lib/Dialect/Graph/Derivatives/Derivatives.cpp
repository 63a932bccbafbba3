// The walk back from a value to what it depends on.
#include "Adjoint.h"

#include "mlir/Analysis/SliceAnalysis.h"

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
                      addGatherDerivatives})
      add(all);
    return all;
  }();
  return rules;
}

namespace {

class Reverse {
public:
  Reverse(OpBuilder &builder, Value of, ValueRange wrt, const DerivativeRules &rules)
      : builder(builder), of(of), wrt(wrt), rules(rules),
        block(wrt.empty() ? nullptr : of.getParentBlock()) {}

  FailureOr<SmallVector<Value>> run(Value seed) {
    findActive();
    if (failed(decomposeActive()))
      return failure();
    if (!isActive(of))
      return SmallVector<Value>(wrt.size());
    if (!seed) {
      PartsBuilder parts{builder, of.getLoc()};
      seed = parts.real(PartsBuilder::shapeOf(of), PartsBuilder::elementOf(of), 1);
    }
    cotangents[of] = seed;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
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

  /// What depends on one of `wrt`, and `of` on it, by way of floats and ops that do not cut it.
  void findActive() {
    llvm::DenseSet<Value> reached(wrt.begin(), wrt.end()), needed;
    walked.clear();
    active.clear();
    Operation *end = of.getDefiningOp();
    for (Operation &op : *block) {
      if (!rules.isConstant(op.getName()) &&
          llvm::any_of(op.getOperands(), [&](Value v) { return reached.contains(v); }))
        for (Value result : op.getResults())
          if (isFloat(result))
            reached.insert(result);
      if (&op == end)
        break;
    }
    needed.insert(of);
    for (Operation &op : llvm::reverse(*block)) {
      bool isNeeded = llvm::any_of(op.getResults(), [&](Value result) {
        return needed.contains(result) && reached.contains(result);
      });
      if (!isNeeded || rules.isConstant(op.getName()) ||
          llvm::all_of(op.getResults(), [&](Value result) {
            return llvm::is_contained(wrt, result) && result != of;
          }))
        continue;
      walked.insert(&op);
      for (Value operand : op.getOperands())
        if (isFloat(operand))
          needed.insert(operand);
    }
    for (Value value : reached)
      if (needed.contains(value))
        active.insert(value);
  }

  /// Composites without a rule become their parts, until none is left.
  LogicalResult decomposeActive() {
    bool changed = true;
    while (std::exchange(changed, false)) {
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        auto composite = dyn_cast<CompositeOpInterface>(op);
        if (!walked.contains(&op) || !composite || rules.find(op.getName()))
          continue;
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(&op);
        SmallVector<Value> parts = composite.decompose(builder);
        if (parts.empty())
          return tw::emitOpError(&op, Code::T0220)
                 << "is differentiated through its parts, which need sizes that are known";
        for (auto [result, part] : llvm::zip(op.getResults(), parts))
          if (of == result)
            of = part;
        op.replaceAllUsesWith(parts);
        op.erase();
        changed = true;
      }
      if (changed)
        findActive();
    }
    return success();
  }

  LogicalResult visit(Operation *op) {
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
    Adjoint adjoint(builder, op, own, isNeeded);
    if (failed((*rule)(op, adjoint)))
      return failure();
    for (auto [operand, given] : llvm::zip(op->getOperands(), adjoint.getGiven()))
      if (given && isActive(operand)) {
        Value &sum = cotangents[operand];
        sum = sum ? AddOp::create(builder, op->getLoc(), sum, given).getResult() : given;
      }
    return success();
  }

  OpBuilder &builder;
  Value of;
  SmallVector<Value> wrt;
  const DerivativeRules &rules;
  Block *block;
  llvm::DenseSet<Value> active;
  llvm::DenseSet<Operation *> walked;
  llvm::DenseMap<Value, Value> cotangents;
};

} // namespace

FailureOr<SmallVector<Value>> tw::graph::buildGradients(OpBuilder &builder, Value of, Value seed,
                                                        ValueRange wrt,
                                                        const DerivativeRules &rules) {
  if (wrt.empty())
    return SmallVector<Value>();
  for (Value value : wrt)
    if (value.getParentBlock() != of.getParentBlock() ||
        builder.getInsertionBlock() != of.getParentBlock())
      return tw::emitError(of.getLoc(), Code::T0223)
             << "expected what is differentiated, and by what, in the block where the derivatives "
                "are asked for, found one outside or inside of a branch or a loop";
  return Reverse(builder, of, wrt, rules).run(seed);
}
