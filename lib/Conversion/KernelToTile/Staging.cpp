// Values in local memory: their buffers are allocated where the program or the team's loop begins,
// filled where the loop of the stage begins (Filling.cpp), and read inside.
#include "Emitter.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::StagedValue;

/// The dimensions of a window's buffer: the tensor's, one of them in groups where a dot instruction
/// takes them, whose elements are the last dimension then.
static SmallVector<schedule::WindowDim> getWindowDims(const schedule::Plan &plan,
                                                      const StagedValue &staged) {
  SmallVector<schedule::WindowDim> dims = staged.window;
  if (!staged.groupDim)
    return dims;
  schedule::WindowDim &groups = dims[*staged.groupDim], elements;
  elements.coefficients.resize(plan.leaves.size());
  elements.extent = plan.leaves[staged.groupLeaf].extent;
  std::swap(elements.coefficients[staged.groupLeaf], groups.coefficients[staged.groupLeaf]);
  for (int64_t *value : {&groups.constant, &groups.least, &groups.extent})
    *value /= elements.extent;
  for (int64_t &coefficient : groups.coefficients)
    coefficient /= elements.extent;
  dims.push_back(elements);
  return dims;
}

/// Those of the program, or those that each thread of its team has for itself.
void TileEmitter::allocateBuffers(bool ownInTeam) {
  insertIn(innermost());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  for (const StagedValue &staged : plan.staged) {
    if (schedule::isOwnInTeam(plan, staged) != ownInTeam)
      continue;
    SmallVector<int64_t> shape;
    for (unsigned leaf : staged.isWindow ? ArrayRef<unsigned>() : ArrayRef(staged.leaves))
      shape.push_back(plan.leaves[leaf].extent);
    for (const schedule::WindowDim &dim : getWindowDims(plan, staged))
      shape.push_back(dim.extent);
    SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size() - 1; d-- > 0;)
      strides[d] = d + 2 == shape.size() ? staged.rowStride : strides[d + 1] * shape[d + 1];
    bool isPadded = shape.size() > 1 && staged.rowStride != shape.back();
    auto layout =
        isPadded
            ? MemRefLayoutAttrInterface(StridedLayoutAttr::get(builder.getContext(), 0, strides))
            : MemRefLayoutAttrInterface();
    auto type = MemRefType::get(shape, staged.op->getResult(0).getType(), layout, space);
    buffers[staged.op] = tile::AllocOp::create(builder, staged.op->getLoc(), type);
  }
}

/// Where the stage's loop begins; but where a sum is computed again inside of it, loops that come
/// before it in the order, along which the value varies, may be open inside of it.
unsigned TileEmitter::getStageScope(const StagedValue &staged) const {
  if (!staged.loop)
    return gridScope;
  unsigned scope = leafScopes[*staged.loop];
  const llvm::SmallBitVector &axes = sets.of(staged.op->getResult(0));
  for (unsigned leaf : ArrayRef(plan.loops.begin(), llvm::find(plan.loops, *staged.loop)))
    if (leafValues[leaf] && axes[plan.leaves[leaf].axis])
      scope = std::max(scope, leafScopes[leaf]);
  return scope;
}

LogicalResult TileEmitter::ensureFilled(const StagedValue &staged) {
  unsigned scope = getStageScope(staged);
  return success(!scopes[scope].filled.insert(staged.op).second || succeeded(fill(staged, scope)));
}

/// The value read from its buffer, which is filled first where that has not happened yet; nothing
/// when it is not in local memory here.
FailureOr<std::optional<TileEmitter::Emitted>> TileEmitter::getStaged(Operation *op) {
  auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &s) { return s.op == op; });
  // The tiles of a filling are not those of other buffers; but contractions read what is filled.
  bool isHidden =
      filling && (op == filling || !isFillingContraction || !scopes.front().filled.contains(op));
  if (staged == plan.staged.end() || isHidden || (staged->loop && !leafOpen[*staged->loop]))
    return std::optional<Emitted>();
  if (failed(ensureFilled(*staged)))
    return failure();
  unsigned scope = getStageScope(*staged);
  Coordinates coordinates;
  coordinates.scope = scope;
  SmallVector<AffineExpr> exprs;
  for (const schedule::WindowDim &dim : getWindowDims(plan, *staged))
    exprs.push_back(getWindowExpr(dim, *staged, /*inside=*/true, coordinates));
  for (unsigned leaf : staged->isWindow ? ArrayRef<unsigned>() : ArrayRef(staged->leaves)) {
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end()) {
      exprs.push_back(builder.getAffineDimExpr(dim - frame.begin()));
      continue;
    }
    if (!leafValues[leaf]) { // A loop of one iteration.
      exprs.push_back(builder.getAffineConstantExpr(0));
      continue;
    }
    exprs.push_back(builder.getAffineDimExpr(getTileRank() + coordinates.operands.size()));
    coordinates.operands.push_back(leafValues[leaf]);
    coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
  }
  SmallVector<view::GuardAttr> guards;
  if (staged->isWindow)
    guards = getWindowGuards(op, coordinates);
  insertIn(coordinates.scope);
  Value result = op->getResult(0);
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto map = view::MapAttr::get(AffineMap::get(dims, 0, exprs, builder.getContext()), guards);
  auto type = RankedTensorType::get(getShape(sets.of(result)), result.getType());
  Value tile = tile::LoadOp::create(builder, op->getLoc(), type, buffers[op], coordinates.operands,
                                    map, DenseBoolArrayAttr());
  define(result, tile, coordinates.scope);
  return std::optional<Emitted>(Emitted{tile, coordinates.scope});
}
