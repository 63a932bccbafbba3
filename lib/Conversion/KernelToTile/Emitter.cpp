// Loops of a tile program, from the outside in.
#include "Emitter.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::LeafAxis;

TileEmitter::TileEmitter(KernelOp kernel, const schedule::Plan &plan)
    : kernel(kernel), plan(plan), sets(kernel), builder(kernel.getContext()),
      location(kernel.getLoc()), leafValues(plan.leaves.size()), leafScopes(plan.leaves.size(), 0),
      leafOpen(plan.leaves.size(), false), frame(plan.tile), loops(plan.loops), padded(plan.padded),
      rest(kernel.getExtents()), chunks(plan.leaves.size(), 0) {}

FailureOr<tile::FuncOp> TileEmitter::emit(OpBuilder &at, StringRef name) {
  SmallVector<Type> buffers;
  for (Type type : llvm::concat<const Type>(kernel->getOperandTypes(), kernel->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    buffers.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  SmallVector<int64_t> grid;
  SmallVector<StringRef> names;
  for (unsigned leaf : plan.grid) {
    grid.push_back(plan.leaves[leaf].extent);
    names.push_back(plan.leaves[leaf].name.getValue());
  }
  func = tile::FuncOp::create(at, location, name, buffers, kernel->getNumResults(), grid, names);
  if (plan.warps)
    func.setWarps(plan.warps);
  Block *body = &func.getBody().front();
  scopes.emplace_back(body);
  for (auto [i, leaf] : llvm::enumerate(plan.grid)) {
    leafValues[leaf] = func.getProgramId(i);
    leafOpen[leaf] = true;
  }
  allocateBuffers(/*ownInTeam=*/false);
  allocateKept();

  SmallVector<Operation *> roots;
  for (Operation &op : kernel.getBody().front())
    if (isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op) && !schedule::isForStages(plan, &op))
      roots.push_back(&op);
  if (failed(emitGrid(roots, 0))) {
    func.erase();
    return failure();
  }
  insertIn(0);
  tile::ReturnOp::create(builder, location);
  // Inner loops first: unrolling an outer one copies them.
  for (auto [loop, factor] : llvm::reverse(unrolls)) {
    LogicalResult unrolled = success();
    if (factor == 0)
      unrolled = loopUnrollFull(cast<scf::ForOp>(loop));
    else
      unrolled = LogicalResult(loopUnrollByFactor(cast<scf::ForOp>(loop), factor));
    if (failed(unrolled)) {
      emitError(location, Code::T0311) << "expected a loop that can be unrolled by " << factor;
      func.erase();
      return failure();
    }
  }
  return func;
}

int64_t TileEmitter::getExtent(unsigned leaf) const {
  const LeafAxis &axis = plan.leaves[leaf];
  if (chunks[leaf])
    return chunks[leaf];
  if (!plan.peeled[axis.axis])
    return axis.extent;
  return std::min<int64_t>(axis.extent, llvm::divideCeil(rest[axis.axis], axis.stride));
}

/// Where the last program along a dimension has less to do, it gets a body of its own.
LogicalResult TileEmitter::emitGrid(ArrayRef<Operation *> roots, unsigned dimension) {
  if (dimension == plan.grid.size()) {
    gridScope = innermost();
    scopes.back().rest = rest;
    return emitRoots(roots, 0);
  }
  unsigned position = plan.grid[dimension];
  const LeafAxis &leaf = plan.leaves[position];
  int64_t whole = rest[leaf.axis], partial = whole % leaf.stride;
  if (!plan.peeled[leaf.axis] || leaf.extent == 1)
    return emitGrid(roots, dimension + 1);
  auto emitPart = [&](int64_t part) {
    rest[leaf.axis] = part;
    LogicalResult result = emitGrid(roots, dimension + 1);
    rest[leaf.axis] = whole;
    return result;
  };
  if (partial == 0 || whole < leaf.stride)
    return emitPart(std::min(whole, leaf.stride));
  insertIn(innermost());
  Value last = arith::ConstantIndexOp::create(builder, location, whole / leaf.stride);
  Value isLast = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                       leafValues[position], last);
  auto branch = scf::IfOp::create(builder, location, isLast, /*withElseRegion=*/true);
  unsigned outer = leafScopes[position];
  scopes[innermost()].anchor = branch;
  for (auto [block, part] :
       {std::pair(branch.thenBlock(), partial), std::pair(branch.elseBlock(), leaf.stride)}) {
    block->getTerminator()->erase();
    scopes.emplace_back(block);
    leafScopes[position] = innermost();
    leafValues[position] = block == branch.thenBlock() ? last : func.getProgramId(dimension);
    kept.clear();
    LogicalResult result = emitPart(part);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, location);
    scopes.pop_back();
    if (failed(result))
      return failure();
  }
  leafValues[position] = func.getProgramId(dimension);
  leafScopes[position] = outer;
  scopes[innermost()].anchor = nullptr;
  return success();
}

void TileEmitter::insertIn(unsigned scope) {
  // A loop of one iteration has no block of its own: the loop that is open in its scope is open in
  // this one, and what both need comes before it.
  Block *block = scopes[scope].block;
  Operation *anchor = nullptr;
  for (; scope < scopes.size() && scopes[scope].block == block; ++scope)
    anchor = scopes[scope].anchor ? scopes[scope].anchor : anchor;
  if (anchor)
    return builder.setInsertionPoint(anchor);
  builder.setInsertionPointToEnd(block);
}

bool TileEmitter::usesAxis(Operation *root, unsigned axis) const {
  return llvm::any_of(root->getOperands(), [&](Value operand) { return sets.of(operand)[axis]; });
}

/// Whether the root carries something from one iteration over the axis to the next.
bool TileEmitter::carriesAlong(Operation *root, unsigned axis) const {
  if (auto scan = dyn_cast<ScanOp>(root))
    return cast<BlockArgument>(scan.getAxis()).getArgNumber() == axis;
  return sets.reducedBy(root)[axis];
}

/// Whether the root needs, for one point of the axis, what an op of the group has only after all.
bool TileEmitter::mustFollow(Operation *root, ArrayRef<Operation *> group, unsigned axis) const {
  auto *scan = dyn_cast<ScanOp>(root) ? root : nullptr;
  for (Operation *other : group)
    if (scan && carriesAlong(scan, axis) && isa<ScanOp>(other) && carriesAlong(other, axis) &&
        cast<ScanOp>(other).getReverse() != cast<ScanOp>(scan).getReverse())
      return true;
  SmallVector<Operation *> work{root};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || !seen.insert(producer).second)
        continue;
      if (llvm::is_contained(group, producer) && sets.reducedBy(producer)[axis])
        return true;
      work.push_back(producer);
    }
  }
  return false;
}

/// The part of an axis in whose last iteration alone the axis can end.
bool TileEmitter::isOutermostPart(unsigned leaf) const {
  return llvm::none_of(plan.leaves, [&](const LeafAxis &other) {
    return other.axis == plan.leaves[leaf].axis && other.stride > plan.leaves[leaf].stride;
  });
}

/// Whether the last iteration of the leaf's loop, where alone the axis can end, is emitted apart.
bool TileEmitter::isMaskedApart(unsigned leaf) const {
  const LeafAxis &own = plan.leaves[leaf];
  return own.edge == EdgeMode::Peel && padded[own.axis] && isOutermostPart(leaf);
}

LogicalResult TileEmitter::emitRoots(ArrayRef<Operation *> roots, unsigned level) {
  if (level == loops.size()) {
    for (Operation *root : roots)
      if (failed(emitRoot(root)))
        return failure();
    return success();
  }
  unsigned position = loops[level];
  unsigned axis = plan.leaves[position].axis;
  if (leafOpen[position] || (starting && carriesAlong(starting, axis)))
    return emitRoots(roots, level + 1);
  if (isTeamAt(roots, level))
    return emitTeam(roots, level);
  auto isScanned = [&](Operation *root) { return isa<ScanOp>(root) && carriesAlong(root, axis); };
  // The last iteration of a peeled axis has the stages of the others, also if only one point of an
  // inner part is left.
  if (plan.leaves[position].extent == 1 && llvm::none_of(roots, isScanned)) {
    leafOpen[position] = true;
    leafScopes[position] = innermost();
    LogicalResult result = emitRoots(roots, level + 1);
    leafOpen[position] = false;
    return result;
  }
  for (size_t begin = 0; begin < roots.size();) {
    bool uses = usesAxis(roots[begin], axis);
    size_t end = begin + 1;
    while (end < roots.size() && usesAxis(roots[end], axis) == uses &&
           !(uses && !isOnline(position) &&
             mustFollow(roots[end], roots.slice(begin, end - begin), axis)))
      ++end;
    ArrayRef<Operation *> group = roots.slice(begin, end - begin);
    if (failed(uses ? emitLoop(group, level) : emitRoots(group, level + 1)))
      return failure();
    begin = end;
  }
  return success();
}

LogicalResult TileEmitter::emitLoop(ArrayRef<Operation *> group, unsigned level) {
  unsigned position = loops[level];
  const LeafAxis &leaf = plan.leaves[position];
  // What another stage reduced over this loop is reduced again before it opens; what it scanned,
  // inside of it.
  Missing missing = findMissing(group, leaf.axis);
  if (!missing.reductions.empty() && failed(emitRoots(missing.reductions, 0)))
    return failure();
  SmallVector<Operation *> roots(missing.scans);
  roots.append(group.begin(), group.end());
  unsigned parent = innermost();
  SmallVector<Operation *> carrying, started;
  std::optional<bool> direction;
  for (Operation *root : roots) {
    if (!carriesAlong(root, leaf.axis))
      continue;
    if (hasPartials(root, level) && !accumulators.count(root)) {
      if (!partial.count(root))
        started.push_back(root);
      continue;
    }
    carrying.push_back(root);
    if (auto scan = dyn_cast<ScanOp>(root)) {
      if (direction.value_or(scan.getReverse()) != scan.getReverse())
        return emitError(root->getLoc(), Code::T0311)
               << "scans along '" << leaf.name.getValue()
               << "' in both directions need what one gives in the loop of the other: keep it";
      direction = scan.getReverse();
    }
    if (accumulators.count(root))
      continue;
    SmallVector<Value> initial;
    insertIn(parent);
    Shape shape = getAccumulatorShape(root);
    auto add = [&](TypedAttr identity) { initial.push_back(splat(identity, shape)); };
    if (auto reduce = dyn_cast<ReduceOp>(root)) {
      if (reduce.getKind())
        add(arith::getIdentityValueAttr(*reduce.getKind(), reduce.getResultTypes()[0], builder,
                                        location));
      else
        for (Attribute identity : reduce.getIdentitiesAttr())
          add(cast<TypedAttr>(identity));
    } else if (auto scan = dyn_cast<ScanOp>(root)) {
      add(arith::getIdentityValueAttr(scan.getKind(), scan.getResult().getType(), builder,
                                      location));
    } else {
      add(builder.getZeroAttr(root->getResultTypes()[0]));
    }
    accumulators[root] = {initial, level};
  }
  bool reverse = direction.value_or(false);
  for (Operation *root : started)
    if (failed(startPartials(root, level)))
      return failure();
  auto collect = [&] {
    SmallVector<Value> values;
    for (Operation *root : carrying)
      values.append(accumulators[root].values);
    return values;
  };
  auto distribute = [&](ValueRange values) {
    for (Operation *root : carrying)
      for (Value &value : accumulators[root].values) {
        value = values.front();
        values = values.drop_front();
      }
  };
  stage.push_back(group.front());
  auto emitBody = [&](Block *block, Value index) -> LogicalResult {
    scopes.emplace_back(block);
    // A filling goes on before what is in its block already.
    if (block == scopes[parent].block)
      scopes.back().anchor = scopes[parent].anchor;
    scopes.back().rest = rest;
    leafValues[position] = index;
    leafScopes[position] = innermost();
    leafOpen[position] = true;
    // What comes apart from the maximum has a loop of its own, over the same axis.
    if (isOnline(position) && accumulators.count(plan.online->maximum))
      startOnline();
    LogicalResult result = emitRoots(roots, level + 1);
    scopes.pop_back();
    leafValues[position] = nullptr;
    leafOpen[position] = false;
    if (isOnline(position))
      onlineScope = std::nullopt;
    return result;
  };

  insertIn(parent);
  int64_t extent = getExtent(position), whole = rest[leaf.axis];
  bool shrinks =
      plan.peeled[leaf.axis] && leaf.extent > 1 && whole % leaf.stride != 0 && whole > leaf.stride;
  // A reversed loop begins with the partial iteration.
  bool masks = isMaskedApart(position) && !reverse;
  int64_t iterations = shrinks || masks ? extent - 1 : extent;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  if (iterations > 1 || (iterations == 1 && extent > 1)) {
    Value lower = constant(0), upper = constant(iterations), step = constant(1);
    if (const schedule::SkippedAxis *skipped = findSkipped(position))
      std::tie(lower, upper) = getSeen(position, *skipped, iterations);
    auto loop = scf::ForOp::create(builder, location, lower, upper, step, collect());
    if (leaf.unroll != 1)
      unrolls.push_back({loop, leaf.unroll});
    Block *body = loop.getBody();
    if (Operation *terminator = body->empty() ? nullptr : &body->back())
      terminator->erase();
    distribute(loop.getRegionIterArgs());
    Value index = loop.getInductionVar();
    if (reverse) {
      builder.setInsertionPointToEnd(body);
      AffineExpr d0 = builder.getAffineDimExpr(0);
      index = affine::AffineApplyOp::create(builder, location,
                                            AffineMap::get(1, 0, extent - 1 - d0), index);
    }
    Operation *anchor = std::exchange(scopes[parent].anchor, loop);
    bool before = std::exchange(padded[leaf.axis], masks ? false : padded[leaf.axis]);
    rest[leaf.axis] = std::min(whole, leaf.stride);
    if (failed(emitBody(body, index)))
      return failure();
    padded[leaf.axis] = before;
    scopes[parent].anchor = anchor;
    builder.setInsertionPointToEnd(body);
    scf::YieldOp::create(builder, location, collect());
    distribute(loop.getResults());
  }
  if (shrinks || masks || extent == 1) {
    insertIn(parent);
    // A part of one point leaves the others theirs.
    rest[leaf.axis] = shrinks            ? whole % leaf.stride
                      : leaf.extent == 1 ? whole
                                         : std::min(whole, leaf.stride);
    if (failed(emitBody(scopes[parent].block, constant(extent - 1))))
      return failure();
  }
  rest[leaf.axis] = whole;
  stage.pop_back();
  for (Operation *root : started) {
    partial.erase(root);
    inResult.insert(root);
  }
  for (Operation *root : carrying) {
    Accumulator done = accumulators[root];
    if (done.level != level) {
      updateOnline(root);
      continue;
    }
    accumulators.erase(root);
    if (isa<ScanOp>(root))
      continue;
    if (isOnline(position) && isScaledOnline(root)) {
      FailureOr<Value> value = poisonUnseen(root, done.values[0]);
      if (failed(value))
        return failure();
      done.values[0] = *value;
    }
    if (failed(finish(root, done.values)))
      return failure();
  }
  return success();
}
