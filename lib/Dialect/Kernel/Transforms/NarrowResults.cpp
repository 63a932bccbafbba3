// The pass kernel-narrow-results: what no reader reads along a dimension is not computed.
#include "Cleaning.h"

#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_KERNELNARROWRESULTSPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// The places along a dimension at which a load reads it: `first + step * n` for each n below
/// `count`, or the one that a size is.
struct Places {
  int64_t first = 0, step = 1;
  Extent count = 1;
  view::SizesAttr size;
  Attribute below;

  bool operator==(const Places &other) const {
    return first == other.first && step == other.step && count == other.count &&
           size == other.size && below == other.below;
  }
};

/// The kernel's only result, if that is stored whole, and all its loads.
struct Narrowed {
  KernelOp kernel;
  StoreOp store;
  SmallVector<LoadOp> loads;

  static std::optional<Narrowed> find(KernelOp kernel);
  std::optional<Places> findPlaces(unsigned dim);
  bool narrow(unsigned dim);

private:
  std::optional<SmallVector<AffineExpr>> findAxes(unsigned dim, const Places &places);
  void moveAxes(unsigned dim, const Places &places, ArrayRef<AffineExpr> axes);
  static void readAt(LoadOp &load, unsigned dim);
};

} // namespace

/// Where a load reads a dimension; none where that is no sequence.
static std::optional<Places> getPlaces(LoadOp load, unsigned dim) {
  Places places;
  AffineExpr expr = load.getMap().getMap().getResult(dim);
  auto takeConstant = [&](AffineExprKind kind, int64_t &constant) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    auto right = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
    if (!right || binary.getKind() != kind)
      return;
    constant = right.getValue();
    expr = binary.getLHS();
  };
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    places.first = constant.getValue();
    return places;
  }
  takeConstant(AffineExprKind::Add, places.first);
  takeConstant(AffineExprKind::Mul, places.step);
  auto position = dyn_cast<AffineDimExpr>(expr);
  if (!position || places.step < 1)
    return std::nullopt;
  Value index = load.getIndices()[position.getPosition()];
  if (auto axis = dyn_cast<BlockArgument>(index)) {
    places.count = load->getParentOfType<KernelOp>().getExtent(axis.getArgNumber());
    return places;
  }
  auto size = index.getDefiningOp<SizeOp>();
  places.below = size ? size->getAttr(belowAttrName) : Attribute();
  if (!places.below || places.first != 0 || places.step != 1)
    return std::nullopt;
  places.size = size.getSize();
  return places;
}

std::optional<Narrowed> Narrowed::find(KernelOp kernel) {
  if (kernel.getSchedule() || kernel->hasAttr("materialize") || kernel->getNumResults() != 1)
    return std::nullopt;
  Narrowed narrowed{kernel, getWholeStore(kernel, 0), {}};
  if (!narrowed.store || view::hasRoom(cast<RankedTensorType>(kernel->getResultTypes()[0])))
    return std::nullopt;
  for (OpOperand &use : kernel.getResult(0).getUses()) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    if (!reader || reader.getSchedule() || isUpdated(reader, use.getOperandNumber()))
      return std::nullopt;
    for (Operation *user : reader.getOperandArgument(use.getOperandNumber()).getUsers()) {
      auto load = dyn_cast<LoadOp>(user);
      if (!load || !isTotal(load.getMap(), getExtents(reader, load.getIndices()),
                            cast<RankedTensorType>(load.getSource().getType())))
        return std::nullopt;
      narrowed.loads.push_back(load);
    }
  }
  return narrowed.loads.empty() ? std::nullopt : std::optional(narrowed);
}

/// The places at which all loads read the dimension, where these are not all of it.
std::optional<Places> Narrowed::findPlaces(unsigned dim) {
  auto type = cast<RankedTensorType>(loads.front().getSource().getType());
  std::optional<Places> places = getPlaces(loads.front(), dim);
  if (!places || places->count.most < 1 || places->count.most >= type.getDimSize(dim))
    return std::nullopt;
  // Lanes along what lies apart in memory cost a few loads, and save sums.
  bool isLast = dim + 1 == unsigned(type.getRank());
  if (isLast && places->step > 1 &&
      llvm::none_of(kernel.getBody().front(), llvm::IsaPred<ContractOp, ReduceOp>))
    return std::nullopt;
  bool areAlike = llvm::all_of(loads, [&](LoadOp load) { return getPlaces(load, dim) == places; });
  return areAlike ? places : std::nullopt;
}

/// What the axes of the store are at the n-th place, null for those that have no part in the
/// dimension. None where something is reduced along one of them, or is computed with them in a way
/// that it cannot be at the places.
std::optional<SmallVector<AffineExpr>> Narrowed::findAxes(unsigned dim, const Places &places) {
  SmallVector<int64_t> extents;
  for (Value index : store.getIndices())
    extents.push_back(kernel.getExtents()[cast<BlockArgument>(index).getArgNumber()]);
  auto shape = cast<RankedTensorType>(kernel->getResultTypes()[0]).getShape();
  std::optional<SmallVector<AffineExpr>> axes = invert(store.getMap(), extents, shape);
  if (!axes)
    return std::nullopt;
  AxisSets sets(kernel);
  AffineExpr n = getAffineDimExpr(0, kernel.getContext()),
             place = places.size ? n : n * places.step + places.first;
  for (auto [index, expr] : llvm::zip(store.getIndices(), *axes)) {
    auto axis = cast<BlockArgument>(index);
    if (!expr.isFunctionOfDim(dim)) {
      expr = nullptr;
      continue;
    }
    SmallVector<AffineExpr> coordinates(shape.size(),
                                        getAffineConstantExpr(0, kernel.getContext()));
    coordinates[dim] = place;
    expr = expr.replaceDims(coordinates);
    if (!places.size)
      expr = simplify(expr, {places.count});
    bool isBound = llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      return sets.reducedBy(&op)[axis.getArgNumber()] || sets.orderedBy(&op)[axis.getArgNumber()];
    });
    // No index is computed of a size.
    if (isBound ||
        (places.size &&
         (expr != n || llvm::any_of(axis.getUsers(), llvm::IsaPred<affine::AffineApplyOp>))))
      return std::nullopt;
  }
  return axes;
}

/// Has one axis run through the places in the place of those of the dimension.
void Narrowed::moveAxes(unsigned dim, const Places &places, ArrayRef<AffineExpr> axes) {
  SmallVector<BlockArgument> moved;
  SmallVector<AffineExpr> exprs;
  for (auto [index, expr] : llvm::zip(store.getIndices(), axes))
    if (expr) {
      moved.push_back(cast<BlockArgument>(index));
      exprs.push_back(expr);
    }
  auto isBefore = [](BlockArgument a, BlockArgument b) {
    return a.getArgNumber() < b.getArgNumber();
  };
  unsigned position = (*llvm::min_element(moved, isBefore)).getArgNumber();
  Attribute name = kernel.getAxisNames()[position];
  BlockArgument n = insertAxis(kernel, position, places.count, cast<StringAttr>(name));
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (auto [axis, expr] : llvm::zip(moved, exprs)) {
    Value place;
    if (places.size) {
      place = SizeOp::create(builder, kernel.getLoc(), builder.getIndexType(), places.size);
      place.getDefiningOp()->setAttr(belowAttrName, places.below);
    } else {
      place = createIndex(builder, kernel.getLoc(), kernel, expr, n);
    }
    axis.replaceUsesWithIf(place, [&](OpOperand &use) { return use.getOwner() != store; });
  }
  SmallVector<AffineExpr> coordinates(store.getMap().getResults());
  coordinates[dim] = builder.getAffineDimExpr(store.getIndices().size());
  SmallVector<Value> indices(store.getIndices());
  indices.push_back(n);
  store.setMap(AffineMap::get(indices.size(), 0, coordinates, builder.getContext()));
  SmallVector<AffineExpr> same;
  for (unsigned i = 0; i < indices.size(); ++i)
    same.push_back(builder.getAffineDimExpr(i));
  rewriteStore(store, indices, same);
  for (BlockArgument axis : moved)
    eraseAxis(kernel, axis.getArgNumber());
  SmallVector<Attribute> names(kernel.getAxisNames().getValue());
  names[n.getArgNumber()] = name;
  kernel.setAxisNamesAttr(builder.getArrayAttr(names));
}

/// Reads all of the dimension, in order.
void Narrowed::readAt(LoadOp &load, unsigned dim) {
  view::MapAttr map = load.getMap();
  SmallVector<AffineExpr> coordinates(map.getMap().getResults());
  auto type = cast<RankedTensorType>(load.getSource().getType());
  AffineExpr index = getAffineConstantExpr(0, load.getContext());
  if (type.getDimSize(dim) > 1)
    coordinates[dim].walk([&](AffineExpr part) {
      if (isa<AffineDimExpr>(part))
        index = part;
    });
  coordinates[dim] = index;
  auto changed = AffineMap::get(map.getMap().getNumDims(), 0, coordinates, load.getContext());
  OpBuilder builder(load);
  LoadOp read = createLoad(builder, load.getLoc(), load->getParentOfType<KernelOp>(),
                           load.getSource(), view::MapAttr::get(changed), load.getIndices());
  read->setDiscardableAttrs(load->getDiscardableAttrDictionary());
  load.getResult().replaceAllUsesWith(read.getResult());
  SmallVector<Value> indices(load.getIndices());
  load.erase();
  load = read;
  for (Value index : indices)
    if (Operation *size = index.getDefiningOp(); size && isOpTriviallyDead(size))
      size->erase();
}

/// Makes of a dimension what is read of it. False where that is all, or cannot be.
bool Narrowed::narrow(unsigned dim) {
  std::optional<Places> places = findPlaces(dim);
  std::optional<SmallVector<AffineExpr>> axes = places ? findAxes(dim, *places) : std::nullopt;
  if (!axes)
    return false;
  Value result = kernel.getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Extent> shape = getExtents(type);
  shape[dim] = places->count;
  auto narrower = getTensorType(shape, type.getElementType());
  moveAxes(dim, *places, *axes);
  result.setType(narrower);
  for (LoadOp &load : loads)
    load.getSource().setType(narrower);
  for (LoadOp &load : loads)
    readAt(load, dim);
  return true;
}

namespace {

struct KernelNarrowResultsPass : tw::impl::KernelNarrowResultsPassBase<KernelNarrowResultsPass> {
  using KernelNarrowResultsPassBase::KernelNarrowResultsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = getCleaningPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation()))
      // Readers come first: what they read of others is less then.
      for (auto kernel : llvm::make_early_inc_range(llvm::reverse(block->getOps<KernelOp>()))) {
        std::optional<Narrowed> narrowed = Narrowed::find(kernel);
        bool isNarrower = false;
        for (unsigned dim = 0; narrowed && dim < narrowed->store.getMap().getNumResults(); ++dim)
          isNarrower |= narrowed->narrow(dim);
        if (!isNarrower)
          continue;
        dropUnitAxes(kernel);
        clean(kernel, patterns);
      }
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
