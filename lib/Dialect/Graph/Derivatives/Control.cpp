// Branches and loops: what a region computed is computed again on the way back.
#include "Adjoint.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// What the region uses from around it, of what has cotangents.
static SmallVector<Value> getActiveAround(MutableArrayRef<Region> regions, Adjoint &a) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(regions, used);
  return llvm::to_vector(
      llvm::make_filter_range(used, [&](Value value) { return a.isActive(value); }));
}

/// The region's ops, at the builder's place; what it yields.
static SmallVector<Value> cloneBody(Block &from, OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : from.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(from.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// A side gives the cotangents of what both sides use.
static LogicalResult deriveIf(IfOp op, Adjoint &a) {
  SmallVector<Value> around = getActiveAround(op->getRegions(), a);
  auto back = IfOp::create(a.builder, a.loc, TypeRange(ValueRange(around)), op.getCondition());
  OpBuilder::InsertionGuard guard(a.builder);
  for (auto [from, to] : llvm::zip(op->getRegions(), back->getRegions())) {
    a.builder.setInsertionPointToStart(&to.emplaceBlock());
    IRMapping mapping;
    SmallVector<Value> yielded = cloneBody(from.front(), a.builder, mapping);
    FailureOr<SmallVector<Value>> given = a.pullBack(yielded, a.getCotangents(), around);
    if (failed(given))
      return failure();
    for (auto [value, cotangent] : llvm::zip(around, *given))
      if (!cotangent)
        cotangent = a.zero(value);
    YieldOp::create(a.builder, a.loc, *given);
  }
  for (auto [value, cotangent] : llvm::zip(around, back.getResults()))
    a.giveTo(value, cotangent);
  return success();
}

/// The same loop, which also stacks what each iteration begins with, takes its place. The old one
/// stays for whoever holds its results.
static ForOp stackCarried(ForOp op, const Dim &count) {
  OpBuilder builder(op);
  SmallVector<Type> stacked(op.getStacked().getTypes());
  for (Value init : op.getInits()) {
    Shape shape = *getShape(init.getType());
    shape.insert(shape.begin(), count);
    stacked.push_back(getTensorType(shape, getElementTypeOrSelf(init)));
  }
  auto whole = ForOp::create(builder, op.getLoc(), count, op.getInits(), op.getSlices(), stacked,
                             op.getReverse());
  IRMapping mapping;
  whole.getBody().getBlocks().clear();
  op.getBody().cloneInto(&whole.getBody(), mapping);
  YieldOp yield = whole.getYield();
  yield->insertOperands(
      yield->getNumOperands(),
      SmallVector<Value>(whole.getBody().getArguments().take_front(whole.getNumCarried())));
  op->replaceAllUsesWith(whole->getResults().take_front(op->getNumResults()));
  return whole;
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

/// Iterations from the last one to the first carry the cotangents of what was carried, and the sums
/// of those of what all of them use.
static LogicalResult deriveFor(ForOp op, Adjoint &a) {
  std::optional<Dim> count = op.getIterations();
  if (!count)
    return a.fail("a number of iterations that a tensor holds; give the loop a number");
  SmallVector<Value> cotangents(a.getCotangents());
  unsigned carried = op.getNumCarried(), results = op->getNumResults();
  op = stackCarried(op, *count);
  SmallVector<Value> around = getActiveAround(op->getRegions(), a);

  // Carried: cotangents of floats that are carried, then sums. Slices: what the iteration began
  // with, its own slices, the cotangents of what it stacked.
  SmallVector<unsigned> floats, stacked;
  SmallVector<Value> inits, slices(op->getResults().drop_front(results));
  for (unsigned i = 0; i < carried; ++i)
    if (isFloat(op.getInits()[i])) {
      floats.push_back(i);
      inits.push_back(cotangents[i] ? cotangents[i] : a.zero(op.getInits()[i]));
    }
  for (Value value : around)
    inits.push_back(a.zero(value));
  llvm::append_range(slices, op.getSlices());
  for (unsigned i = carried; i < results; ++i)
    if (cotangents[i]) {
      stacked.push_back(i);
      slices.push_back(cotangents[i]);
    }
  SmallVector<Value> wholes;
  for (Value whole : op.getSlices())
    if (a.isActive(whole))
      wholes.push_back(whole);

  auto back = ForOp::create(a.builder, a.loc, *count, inits, slices, TypeRange(ValueRange(wholes)),
                            !op.getReverse());
  OpBuilder::InsertionGuard guard(a.builder);
  Block &from = op.getBody().front(), &to = back.getBody().front();
  a.builder.setInsertionPointToEnd(&to);
  IRMapping mapping;
  ValueRange given = back.getSliceArguments();
  for (auto [argument, slice] : llvm::zip(from.getArguments(), given))
    mapping.map(argument, slice);
  SmallVector<Value> yielded = cloneBody(from, a.builder, mapping);
  SmallVector<Value> outputs, seeds, inputs;
  for (auto [i, number] : llvm::enumerate(floats)) {
    outputs.push_back(yielded[number]);
    seeds.push_back(to.getArgument(i));
    inputs.push_back(given[number]);
  }
  for (auto [i, number] : llvm::enumerate(stacked)) {
    outputs.push_back(yielded[number]);
    seeds.push_back(given[from.getNumArguments() + i]);
  }
  llvm::append_range(inputs, around);
  for (auto [i, whole] : llvm::enumerate(op.getSlices()))
    if (a.isActive(whole))
      inputs.push_back(given[carried + i]);
  FailureOr<SmallVector<Value>> pulled = a.pullBack(outputs, seeds, inputs);
  if (failed(pulled))
    return failure();
  SmallVector<Value> next;
  for (auto [i, cotangent] : llvm::enumerate(*pulled)) {
    bool isSum = i >= floats.size() && i < floats.size() + around.size();
    if (!isSum)
      next.push_back(cotangent ? cotangent : a.zero(inputs[i]));
    else
      next.push_back(cotangent ? a.add(to.getArgument(i), cotangent) : to.getArgument(i));
  }
  YieldOp::create(a.builder, a.loc, next);

  // What is both carried in and used around gets two, which are added.
  a.builder.setInsertionPointAfter(back);
  ValueRange all = back->getResults();
  for (auto [i, number] : llvm::enumerate(floats))
    a.giveTo(op.getInits()[number], all[i]);
  for (auto [value, cotangent] : llvm::zip(around, all.drop_front(floats.size())))
    a.giveTo(value, cotangent);
  for (auto [whole, cotangent] : llvm::zip(wholes, all.drop_front(inits.size())))
    a.giveTo(whole, cotangent);
  return success();
}

void tw::graph::addControlDerivatives(DerivativeRules &rules) {
  rules.add<IfOp>(deriveIf);
  rules.add<ForOp>(deriveFor);
  rules.addNone<WhileOp>("loops whose length data decide keep no iteration to go back to; "
                         "tgraph.for has a number of them");
}
