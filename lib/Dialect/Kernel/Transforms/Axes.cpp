// Axes of kernels: those of one point are dropped, those that loads divide are split.
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

static SmallVector<Extent> getAxes(KernelOp kernel) {
  SmallVector<Extent> axes;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    axes.push_back(kernel.getExtent(i));
  return axes;
}

void kernel::eraseAxis(KernelOp kernel, unsigned i) {
  SmallVector<Extent> extents = getAxes(kernel);
  SmallVector<Attribute> names(kernel.getAxisNames().getValue());
  extents.erase(extents.begin() + i);
  names.erase(names.begin() + i);
  kernel.setAxes(extents, names);
  kernel.getBody().eraseArgument(i);
}

BlockArgument kernel::insertAxis(KernelOp kernel, unsigned i, const Extent &extent,
                                 StringRef name) {
  SmallVector<Extent> extents = getAxes(kernel);
  SmallVector<Attribute> names(kernel.getAxisNames().getValue());
  std::string unique = name.str();
  for (unsigned n = 0; llvm::is_contained(names, StringAttr::get(kernel.getContext(), unique)); ++n)
    unique = (name + "_" + Twine(n)).str();
  extents.insert(extents.begin() + i, extent);
  names.insert(names.begin() + i, StringAttr::get(kernel.getContext(), unique));
  kernel.setAxes(extents, names);
  return kernel.getBody().insertArgument(i, IndexType::get(kernel.getContext()), kernel.getLoc());
}

void kernel::permuteAxes(KernelOp kernel, ArrayRef<unsigned> order) {
  SmallVector<Extent> extents;
  SmallVector<Attribute> names;
  SmallVector<Value> before(kernel.getAxes());
  for (auto [i, axis] : llvm::enumerate(order)) {
    extents.push_back(kernel.getExtent(axis));
    names.push_back(kernel.getAxisNames()[axis]);
    before[axis].replaceAllUsesWith(kernel.getBody().insertArgument(
        order.size() + i, IndexType::get(kernel.getContext()), kernel.getLoc()));
  }
  kernel.getBody().front().eraseArguments(0, order.size());
  kernel.setAxes(extents, names);
}

void kernel::rewriteStore(StoreOp store, ValueRange indices, ArrayRef<AffineExpr> replacements) {
  auto kernel = cast<KernelOp>(store->getParentOp());
  // Every expression over an axis without a point is a constant, but the store has the axis.
  SmallVector<std::optional<Extent>> extents = kernel::getExtents(kernel, indices);
  for (std::optional<Extent> &extent : extents)
    if (extent && extent->most == 0)
      extent = std::nullopt;
  SmallVector<AffineExpr> exprs;
  llvm::SmallBitVector used(indices.size());
  for (AffineExpr expr : store.getMap().getResults()) {
    exprs.push_back(simplify(expr.replaceDims(replacements), extents));
    exprs.back().walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        used.set(dim.getPosition());
    });
  }
  SmallVector<AffineExpr> onto(indices.size(), getAffineConstantExpr(0, store.getContext()));
  SmallVector<Value> kept;
  for (unsigned i : used.set_bits()) {
    onto[i] = getAffineDimExpr(kept.size(), store.getContext());
    kept.push_back(indices[i]);
  }
  for (AffineExpr &expr : exprs)
    expr = expr.replaceDims(onto);
  store.getIndicesMutable().assign(kept);
  store.setMap(AffineMap::get(kept.size(), 0, exprs, store.getContext()));
}

/// Replaces `axis` in a store by an expression over `parts`.
static void replaceInStore(StoreOp store, BlockArgument axis, AffineExpr expr, ValueRange parts) {
  SmallVector<Value> indices(parts);
  SmallVector<AffineExpr> replacements;
  for (Value index : store.getIndices()) {
    if (index == axis) {
      replacements.push_back(expr);
      continue;
    }
    replacements.push_back(getAffineDimExpr(indices.size(), store.getContext()));
    indices.push_back(index);
  }
  rewriteStore(store, indices, replacements);
}

/// The axes that an op reduces, to be changed in place.
static std::optional<MutableOperandRange> getReducedAxes(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getAxesMutable();
  if (auto contract = dyn_cast<ContractOp>(op))
    return contract.getAxesMutable();
  return std::nullopt;
}

/// Takes an axis of one point from an op that works along it; false where the op needs it.
static bool releaseUnitAxis(Operation *op, BlockArgument axis) {
  if (auto scan = dyn_cast<ScanOp>(op)) {
    if (scan.getExclusive())
      return false;
    // By a region a single point is what the region makes of it.
    if (!scan.getKind())
      return false;
    scan.getResult().replaceAllUsesWith(scan.getValue());
    scan.erase();
    return true;
  }
  auto axes = getReducedAxes(op);
  if (!axes)
    return true;
  if (axes->size() > 1) {
    SmallVector<Value> rest;
    for (OpOperand &operand : *axes)
      if (operand.get() != axis)
        rest.push_back(operand.get());
    axes->assign(rest);
    return true;
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce || !reduce.getKind())
    return false;
  reduce.getResult(0).replaceAllUsesWith(reduce.getValues()[0]);
  reduce.erase();
  return true;
}

void kernel::dropUnitAxes(KernelOp kernel) {
  for (unsigned i = kernel.getNumAxes(); i-- > 0;) {
    BlockArgument axis = kernel.getAxis(i);
    if (kernel.getExtent(i) != Extent(1))
      continue;
    bool isFree = true;
    for (Operation *user : llvm::make_early_inc_range(axis.getUsers())) {
      if (auto store = dyn_cast<StoreOp>(user))
        replaceInStore(store, axis, getAffineConstantExpr(0, kernel.getContext()), {});
      else
        isFree &= releaseUnitAxis(user, axis);
    }
    if (!isFree)
      continue;
    if (!axis.use_empty()) {
      OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
      axis.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, kernel.getLoc(), 0));
    }
    eraseAxis(kernel, i);
  }
}

void kernel::dropIdleAxes(KernelOp kernel) {
  if (kernel.getSchedule())
    return;
  for (unsigned i = kernel.getNumAxes(); i-- > 0;) {
    Extent extent = kernel.getExtent(i);
    // Without points nothing is stored.
    if (kernel.getAxis(i).use_empty() && extent.isFixed() && extent.most > 0)
      eraseAxis(kernel, i);
  }
}

/// The numbers by which an expression divides a dim, or takes its remainder.
static void collectDivisors(AffineExpr expr, unsigned dim, SmallVectorImpl<int64_t> &divisors) {
  // floordiv and mod of (dim floordiv a) divide the dim by a multiple of a.
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (!binary ||
        (binary.getKind() != AffineExprKind::FloorDiv && binary.getKind() != AffineExprKind::Mod))
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    AffineExpr operand = binary.getLHS();
    int64_t scale = 1;
    while (auto inner = dyn_cast<AffineBinaryOpExpr>(operand)) {
      auto factor = dyn_cast<AffineConstantExpr>(inner.getRHS());
      if (!factor ||
          (inner.getKind() != AffineExprKind::FloorDiv && inner.getKind() != AffineExprKind::Mod))
        return;
      if (inner.getKind() == AffineExprKind::FloorDiv)
        scale *= factor.getValue();
      operand = inner.getLHS();
    }
    auto index = dyn_cast<AffineDimExpr>(operand);
    if (divisor && index && index.getPosition() == dim)
      divisors.push_back(scale * divisor.getValue());
  });
}

/// Whether the row-major address of a load needs divisions.
static bool hasDividedAddress(LoadOp load, KernelOp kernel) {
  AffineExpr address = getAffineConstantExpr(0, load.getContext());
  for (auto [expr, extent] :
       llvm::zip(load.getMap().getMap().getResults(),
                 cast<RankedTensorType>(load.getSource().getType()).getShape()))
    address = address * extent + expr;
  return hasDivisions(simplify(address, kernel::getExtents(kernel, load.getIndices())));
}

/// Splits axis `i` into parts whose inner ones have the given strides (ascending).
static void splitAxis(KernelOp kernel, unsigned i, ArrayRef<int64_t> strides) {
  BlockArgument axis = kernel.getAxis(i);
  std::string name = kernel.getAxisName(i).str();
  int64_t extent = kernel.getExtents()[i], inner = 1;
  SmallVector<int64_t> all(strides);
  all.push_back(extent);
  SmallVector<Value> parts;
  AffineExpr sum = getAffineConstantExpr(0, kernel.getContext());
  for (auto [k, stride] : llvm::enumerate(all)) {
    // Outer parts come first, so each is inserted before the one within it.
    BlockArgument part =
        insertAxis(kernel, i, stride / inner, name + std::to_string(strides.size() - k));
    sum = sum + getAffineDimExpr(k, kernel.getContext()) * inner;
    parts.push_back(part);
    inner = stride;
  }
  for (Operation *user : llvm::make_early_inc_range(axis.getUsers())) {
    if (auto store = dyn_cast<StoreOp>(user)) {
      replaceInStore(store, axis, sum, parts);
    } else if (auto axes = getReducedAxes(user);
               axes && llvm::any_of(*axes, [&](OpOperand &o) { return o.get() == axis; })) {
      SmallVector<Value> reduced;
      for (OpOperand &operand : *axes) {
        if (operand.get() == axis)
          reduced.append(parts.rbegin(), parts.rend());
        else
          reduced.push_back(operand.get());
      }
      axes->assign(reduced);
    }
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  if (!axis.use_empty())
    axis.replaceAllUsesWith(createIndex(builder, kernel.getLoc(), kernel, sum, parts));
  eraseAxis(kernel, axis.getArgNumber());
}

bool kernel::splitAxes(KernelOp kernel, bool all) {
  SmallVector<LoadOp> loads;
  for (auto load : kernel.getBody().getOps<LoadOp>())
    if (all || hasDividedAddress(load, kernel))
      loads.push_back(load);
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
    BlockArgument axis = kernel.getAxis(i);
    if (kernel.isSymbolic(i) ||
        llvm::any_of(axis.getUsers(), [](Operation *user) { return isa<ScanOp>(user); }))
      continue;
    SmallVector<int64_t> divisors, strides;
    for (LoadOp load : loads)
      for (auto [dim, index] : llvm::enumerate(load.getIndices()))
        if (index == axis)
          for (AffineExpr expr : load.getMap().getMap().getResults())
            collectDivisors(expr, dim, divisors);
    llvm::sort(divisors);
    int64_t extent = kernel.getExtents()[i], last = 1;
    for (int64_t divisor : divisors)
      if (divisor > last && divisor < extent && divisor % last == 0 && extent % divisor == 0)
        strides.push_back(last = divisor);
    if (strides.empty())
      continue;
    splitAxis(kernel, i, strides);
    return true;
  }
  return false;
}
