// Stores, and what works along axes, inside of their loops; sums that follow a maximum or a mean.
//
// order [jb, jr], online jb, s the value that m is the maximum of:
//   for jb:
//     before = m;  for jr: m = max(m, s)
//     scale = exp(before - m);  l = l * scale;  for jr: l = l + exp(s - m)
//
// If a tile holds parts of j, each lane has a maximum and sums of its own, until the end:
//   whole = the maximum of m's lanes;  l = l * exp(m - whole);  the sum of l's lanes
#include "TreeBuilder.h"

#include "../Keep.h"

#include "tw/Schedule/Online.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

LogicalResult TreeBuilder::placeRoot(Operation *root) {
  if (root == starting)
    return writeKept(root, {}, innermost());
  if (auto store = dyn_cast<StoreOp>(root))
    return placeStore(store);
  if (auto scan = dyn_cast<ScanOp>(root))
    return placeScan(scan);
  if (!isRoot(root)) // Kept, in loops of its own.
    return failure(failed(get(root->getResult(0))));
  return accumulate(root);
}

LogicalResult TreeBuilder::placeStore(StoreOp store) {
  // What has been summed in the result is there.
  if (Operation *value = store.getValue().getDefiningOp();
      value && inResult.contains(value) && getPlace(value) == KeepPlace::Result)
    if (findKeepingStore(kernel, plan, value) == store)
      return success();
  llvm::SmallBitVector axes = sets.of(store.getValue());
  for (Value index : llvm::concat<Value>(store.getIndices(), store.getOffsets()))
    axes |= sets.of(index);
  Node own(here(), NodeKind::Store, store);
  if (!store.getValue().getDefiningOp<arith::ConstantOp>()) {
    FailureOr<Placed> value = get(store.getValue());
    if (failed(value))
      return failure();
    own.uses.push_back({store.getValue(), value->ref});
  }
  unsigned depth = 0;
  if (failed(visitIndices(store.getIndices(), own, depth)) ||
      failed(visitIndices(store.getOffsets(), own, depth)))
    return failure();
  Node &node = place(NodeKind::Store, innermost(), store);
  node.uses = own.uses;
  node.shape = getShape(axes);
  // Points beyond an axis are dropped.
  node.axes = getPadded(axes);
  return success();
}

/// Whether the load reads a finite number at all points beyond the axes, which are those of its
/// tensor.
static bool isFiniteBeyond(KernelOp kernel, LoadOp load, const llvm::SmallBitVector &axes) {
  auto tensor = cast<RankedTensorType>(load.getSource().getType());
  auto fill = dyn_cast<FloatAttr>(load.getMap().getOutsideFill(load.getResult().getType()));
  if (!fill || !fill.getValue().isFinite() || !load.getMap().getGuards().empty())
    return false;
  return llvm::all_of(axes.set_bits(), [&](unsigned axis) {
    return llvm::any_of(
        llvm::enumerate(load.getMap().getMap().getResults()), [&](const auto &result) {
          auto dim = dyn_cast<AffineDimExpr>(result.value());
          return dim && load.getIndices()[dim.getPosition()] == kernel.getAxis(axis) &&
                 !kernel.isSymbolic(axis) &&
                 tensor.getDimSize(result.index()) == kernel.getExtents()[axis];
        });
  });
}

/// Whether the value is exp(x - maximum), rounded perhaps, x being what the lead is the maximum of.
static bool isPowerUnder(Value value, ReduceOp lead) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto power = dyn_cast_or_null<math::ExpOp>(op);
  auto difference = power ? power.getOperand().getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  return difference && difference.getLhs() == lead.getValues()[0] &&
         difference.getRhs() == lead.getResult(0);
}

/// Whether what a step adds beyond the axes is 0 as it is: powers of minus infinity, which the lead
/// has there.
bool TreeBuilder::vanishesBeyond(Operation *root, const llvm::SmallBitVector &axes) const {
  if (!plan.warps || !isScaledOnline(root) || !accumulators.count(plan.online->lead))
    return false;
  unsigned terms = isa<ContractOp>(root) ? 2 : 1;
  return llvm::all_of(root->getOperands().take_front(terms), [&](Value operand) {
    auto load = operand.getDefiningOp<LoadOp>();
    return isPowerUnder(operand, plan.online->lead) || (load && isFiniteBeyond(kernel, load, axes));
  });
}

/// One step of a reduction or contraction at the innermost loop.
LogicalResult TreeBuilder::accumulate(Operation *root) {
  if (std::optional<unsigned> around = findLoopOf(root))
    return refuseInside(root, *around);
  llvm::SmallBitVector beyond = getPadded(sets.reducedBy(root));
  auto reduce = dyn_cast<ReduceOp>(root);
  ValueRange inputs =
      reduce ? ValueRange(reduce.getValues()) : ValueRange(root->getOperands().take_front(2));
  Node own(here(), NodeKind::Accumulate, root);
  for (Value input : inputs) {
    FailureOr<Placed> placed = get(input);
    if (failed(placed))
      return failure();
    own.uses.push_back({input, placed->ref});
  }
  if (unsigned depth = 0; beyond.any() && !vanishesBeyond(root, beyond))
    own.mask = placeMask(beyond, depth);
  auto it = accumulators.find(root);
  if (it != accumulators.end())
    own.before.append(it->second.values.begin(), it->second.values.end());
  // What a combining region uses from outside.
  if (reduce && !reduce.getKind() && it != accumulators.end())
    for (Operation &op : reduce.getCombine().front().without_terminator())
      for (Value operand : op.getOperands()) {
        if (operand.getParentRegion() == &reduce.getCombine() ||
            operand.getDefiningOp<arith::ConstantOp>())
          continue;
        FailureOr<Placed> placed = get(operand);
        if (failed(placed))
          return failure();
        own.uses.push_back({operand, placed->ref});
      }
  Node &node = place(NodeKind::Accumulate, innermost(), root);
  node.uses = own.uses;
  node.before = own.before;
  node.mask = own.mask;
  bool inSteps = tree.isCombinedInSteps(root) && !node.before.empty();
  if (inSteps)
    node.before.clear();
  node.shape = tree.getAccumulatorShape(here(), root);
  // What follows sees minus infinity beyond the axis, too.
  if (inSteps && root == plan.online->lead)
    define(inputs.front(), {&node, 0}, innermost());
  SmallVector<Ref, 1> after;
  for (unsigned i = 0; i < root->getNumResults(); ++i)
    after.push_back({&node, i});
  // An input may have opened loops of its own.
  it = accumulators.find(root);
  if (it == accumulators.end())
    return finish(root, after);
  if (inSteps)
    after = {addStep(root, it->second.values[0], after[0])};
  it->second.values.assign(after.begin(), after.end());
  if (reduce)
    updateOnline(root);
  return success();
}

/// One step of a scan: along the loop, and along a dimension of the tile.
LogicalResult TreeBuilder::placeScan(ScanOp scan) {
  unsigned axis = cast<BlockArgument>(scan.getAxis()).getArgNumber();
  Node own(here(), NodeKind::Scan, scan);
  for (Value value : scan.getValues()) {
    if (value.getDefiningOp<arith::ConstantOp>())
      continue;
    FailureOr<Placed> placed = get(value);
    if (failed(placed))
      return failure();
    own.uses.push_back({value, placed->ref});
  }
  auto it = accumulators.find(scan);
  if (it != accumulators.end())
    own.before.append(it->second.values.begin(), it->second.values.end());
  for (auto [d, leaf] : llvm::enumerate(here().frame))
    if (plan.leaves[leaf].axis == axis && plan.leaves[leaf].extent > 1)
      own.dims = {int64_t(d)};
  if (own.dims.empty() && own.before.empty())
    return refuse(scan,
                  "expected the scanned axis to be a loop of extent above 1 or of the kernel");
  // From the end, the points beyond the axis come first.
  if (here().padded[axis] && scan.getReverse()) {
    llvm::SmallBitVector axes(kernel.getNumAxes());
    unsigned depth = 0;
    own.mask = placeMask(axes.set(axis), depth);
  }
  Node &node = place(NodeKind::Scan, innermost(), scan);
  node.uses = own.uses;
  node.before = own.before;
  node.dims = own.dims;
  node.mask = own.mask;
  node.shape = getShape(sets.of(scan.getResult()));
  unsigned count = scan->getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    if (it != accumulators.end())
      accumulators[scan].values[i] = {&node, count + i};
    define(scan.getResult(i), {&node, i}, innermost());
  }
  return success();
}

/// The values with the dimensions of the tile that are reduced combined, where they have these.
SmallVector<Ref, 1> TreeBuilder::combine(Operation *root, ArrayRef<Ref> values) {
  llvm::SmallBitVector reduced = sets.reducedBy(root);
  SmallVector<int64_t, 2> dims;
  for (auto [d, leaf] : llvm::enumerate(here().frame))
    if (reduced[plan.leaves[leaf].axis] && tree.getShape(values[0])[d] > 1)
      dims.push_back(d);
  SmallVector<Ref, 1> results(values);
  if (dims.empty())
    return results;
  Node &node = place(NodeKind::Combine, innermost(), root);
  node.before.append(values.begin(), values.end());
  node.dims = dims;
  node.shape = tree.getShape(values[0]);
  for (int64_t d : dims)
    node.shape[d] = 1;
  for (auto [i, result] : llvm::enumerate(results))
    result = {&node, unsigned(i)};
  return results;
}

/// What has been accumulated with what a step adds, all of its tile combined.
Ref TreeBuilder::addStep(Operation *root, Ref before, Ref step) {
  Ref combined = combine(root, step)[0];
  Node &node = place(NodeKind::AddPartial, innermost(), root);
  node.before = {before, combined};
  node.shape = tree.getShape(before);
  return {&node, 0};
}

/// Combines the dimensions of the tile that are reduced and defines the root's results.
LogicalResult TreeBuilder::finish(Operation *root, ArrayRef<Ref> values) {
  SmallVector<Ref, 1> results = combine(root, values);
  if (partial.contains(root))
    return addToPartial(root, results.front());
  inResult.erase(root);
  for (auto [result, value] : llvm::zip(root->getResults(), results))
    define(result, value, innermost());
  return success();
}

bool TreeBuilder::isOnlineRoot(Operation *root) const {
  return plan.online &&
         (root == plan.online->lead ||
          llvm::any_of(plan.online->sums, [&](const auto &sum) { return sum.op == root; }));
}

bool TreeBuilder::isScaledOnline(Operation *root) const {
  return plan.online && !getMean(*plan.online) &&
         llvm::any_of(plan.online->sums, [&](const OnlineLoop::Sum &sum) {
           return sum.isCorrected && sum.op == root;
         });
}

/// After the lead of an iteration of the online loop: what follows subtracts it, or 0 where a
/// maximum has seen nothing but minus infinity, and sums up to here are corrected.
void TreeBuilder::updateOnline(Operation *root) {
  if (!plan.online || root != plan.online->lead || onlineDepth != innermost())
    return;
  Node &node = place(NodeKind::Online, innermost(), root);
  node.before.push_back(onlineBefore);
  node.uses.push_back({root->getResult(0), accumulators[root].values[0]});
  node.shape = tree.getShape(accumulators[root].values[0]);
  Operation *center = getMean(*plan.online) ? getMean(*plan.online) : root;
  define(center->getResult(0), {&node, 0}, innermost());
  onlineCorrection = {&node, 1};
  correctSums(onlineCorrection);
}

void TreeBuilder::correctSums(Ref correction) {
  for (const OnlineLoop::Sum &sum : plan.online->sums) {
    auto it = accumulators.find(sum.op);
    if (!sum.isCorrected || it == accumulators.end())
      continue;
    Node &corrected = place(NodeKind::Rescale, innermost(), sum.op);
    corrected.before = {it->second.values[0], correction};
    corrected.shape = tree.getShape(it->second.values[0]);
    it->second.values[0] = {&corrected, 0};
  }
}

/// After the loop: the sums of each lane become those under the lead of all lanes.
LogicalResult TreeBuilder::combineOnline(Ref lanes) {
  // Where it is not at hand it would be computed again, in a loop that ends here once more.
  if (isCombining)
    return refuse(plan.online->lead, "the result of this op is needed where its online loop ends, "
                                     "and is not kept there: leave online out");
  isCombining = true;
  FailureOr<Placed> whole = get(plan.online->lead->getResult(0));
  isCombining = false;
  if (failed(whole))
    return failure();
  if (tree.getShape(whole->ref) == tree.getShape(lanes))
    return success();
  Node &node = place(NodeKind::Online, innermost(), plan.online->lead);
  node.before.push_back(lanes);
  node.uses.push_back({plan.online->lead->getResult(0), whole->ref});
  node.shape = tree.getShape(lanes);
  for (auto [d, extent] : llvm::enumerate(node.shape))
    if (tree.getShape(whole->ref)[d] != extent)
      node.dims.push_back(d);
  correctSums({&node, 1});
  return success();
}

/// What the online sum is without online where only minus infinity has been seen: no number.
FailureOr<Ref> TreeBuilder::poisonUnseen(Operation *root, Ref value) {
  if (!isScaledOnline(root))
    return value;
  Value maximum = plan.online->lead->getResult(0);
  FailureOr<Placed> placed = get(maximum);
  if (failed(placed))
    return failure();
  Node &node = place(NodeKind::Poison, innermost(), root);
  node.before.push_back(value);
  node.uses.push_back({maximum, placed->ref});
  node.shape = tree.getShape(value);
  return Ref{&node, 0};
}
