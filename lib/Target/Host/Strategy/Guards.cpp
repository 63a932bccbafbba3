// Intervals of a load's coordinates.
#include "Guards.h"

#include "tw/Dialect/View/Algebra.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

using Interval = view::DimRange;

/// A condition that a coordinate, or a constraint of a guard, lies between 0 and an end.
struct Condition {
  AffineExpr expr; ///< of leaves
  int64_t end;
  bool isEquality = false;

  /// A coordinate's, as the code asks for it.
  static Condition of(AffineExpr coordinate, int64_t end, unsigned leaves) {
    if (!coordinate)
      return {coordinate, end};
    view::Between between = view::multiplyOut({coordinate, end}, leaves);
    return {between.expr, between.end};
  }
};

class GuardFinder {
public:
  GuardFinder(const LoopTree &tree, const Node &node, const Around &around)
      : plan(tree.plan), scope(node.scope) {
    for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf) {
      intervals.push_back(getIndexInterval(leaf, around));
      if (llvm::is_contained(scope.frame, leaf))
        intervals.back().max += tree.getExtent(scope, leaf) - 1;
    }
    if (!scope.frame.empty() && node.shape.back() > 1)
      lanes = scope.frame.back();
    for (const LoopNode *loop : around.loops) {
      if (!loop->leaf || scope.indices[*loop->leaf].loop != loop)
        continue;
      bool isUnrolled = isFullyUnrolled(*loop);
      if (isUnrolled)
        unrolled.push_back({*loop->leaf, loop->upper.value});
      else if (isSplitLoop(*loop))
        split.push_back({*loop->leaf, loop->upper.value});
      else if (loop->skipped)
        skipped.push_back(loop->skipped->axis);
      loops.push_back({*loop->leaf, double(loop->upper.value) / double(loop->step), isUnrolled});
    }
  }

  Guards find(LoadOp load) {
    view::MapAttr map = load.getMap();
    auto type = cast<RankedTensorType>(load.getSource().getType());
    // Indices that are computed are inside, or said not to be.
    readIndices(load.getIndices());
    for (auto [dim, expr] : llvm::enumerate(map.getMap().getResults())) {
      if (isInside(expr, type.getDimSize(dim)))
        continue;
      if (AffineExpr bound = bind(load.getIndices(), expr); bound || map.getOutside())
        add(Condition::of(bound, type.getDimSize(dim), plan.leaves.size()));
    }
    for (view::GuardAttr guard : map.getGuards())
      for (auto [expr, isEquality] :
           llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags()))
        add({bind(load.getIndices(), expr), std::numeric_limits<int64_t>::max(), isEquality});
    return guards;
  }

  Guards find(StoreOp store, RankedTensorType type) {
    readIndices(store.getIndices());
    for (auto [dim, expr] : llvm::enumerate(store.getMap().getResults()))
      if (isInside(expr, type.getDimSize(dim)))
        continue;
      else if (AffineExpr bound = bind(store.getIndices(), expr))
        add(Condition::of(bound, type.getDimSize(dim), plan.leaves.size()));
    return guards;
  }

private:
  static bool isFullyUnrolled(const LoopNode &loop) {
    return isConstant(loop) && (loop.unroll == 0 || loop.unroll >= loop.upper.value);
  }

  /// The intervals of an access's indices, none where one is no axis.
  void readIndices(ValueRange indices) {
    for (Value index : indices) {
      auto axis = dyn_cast<BlockArgument>(index);
      std::optional<layout::Range> range;
      if (axis)
        range = view::getRange(plan.index[axis.getArgNumber()], intervals);
      if (!range) {
        ofIndices.clear();
        return;
      }
      ofIndices.push_back({range->min, range->max});
    }
  }

  /// Whether a coordinate lies inside wherever in their intervals the indices are: most do, and are
  /// not looked at by loops then.
  bool isInside(AffineExpr coordinate, int64_t end) const {
    if (ofIndices.empty())
      return false;
    std::optional<layout::Range> range = view::getRange(coordinate, ofIndices);
    return range && range->min >= 0 && range->max < end;
  }

  /// An expression of an access's indices as one of leaves; null where an index is computed.
  AffineExpr bind(ValueRange values, AffineExpr expr) const {
    SmallVector<AffineExpr> indices;
    for (Value index : values) {
      indices.push_back(getIndexExpr(index, [&](BlockArgument axis) {
        return getIndex(plan, axis.getArgNumber(), scope.filling);
      }));
      if (!indices.back())
        return AffineExpr();
    }
    return simplifyAffineExpr(expr.replaceDims(indices), plan.leaves.size(), 0);
  }

  Interval getIndexInterval(unsigned leaf, const Around &around) const {
    const LeafIndex &index = scope.indices[leaf];
    switch (index.from) {
    case LeafIndex::From::Nowhere:
      return {0, 0};
    case LeafIndex::From::Constant:
      return {index.value, index.value};
    case LeafIndex::From::Program: {
      int64_t last = plan.leaves[plan.grid[index.value]].extent - 1;
      for (const BranchNode *branch : around.branches)
        if (branch->index.from == index.from && branch->index.value == index.value &&
            branch->at == last)
          return {0, last - 1};
      return {0, last};
    }
    case LeafIndex::From::Loop:
      if (auto *loop = dyn_cast<LoopNode>(index.loop))
        return {0, loop->upper.value - loop->step};
      return {0, cast<TeamNode>(index.loop)->extents[index.value] - 1};
    }
    llvm_unreachable("unknown origin of an index");
  }

  bool isProved(const Condition &condition) const {
    std::optional<layout::Range> range = view::getRange(condition.expr, intervals);
    return !condition.isEquality && range && range->min >= 0 && range->max < condition.end;
  }

  /// Of the iterations of such loops, the share in which the condition is open: of the first one,
  /// those in the middle, and the last one.
  double getShare(const Condition &condition, size_t from = 0) {
    for (; from < unrolled.size(); ++from)
      if (isFunctionOfDim(condition.expr, unrolled[from].first))
        break;
    if (from == unrolled.size())
      return isProved(condition) ? 0 : 1;
    auto [leaf, trips] = unrolled[from];
    Interval whole = intervals[leaf];
    int64_t tile = whole.max - (trips - 1);
    auto shareIn = [&](int64_t first, int64_t last) {
      if (first > last)
        return 0.0;
      intervals[leaf] = {first, last + tile};
      return double(last - first + 1) * getShare(condition, from + 1);
    };
    double share =
        shareIn(0, 0) + shareIn(1, trips - 2) + (trips > 1 ? shareIn(trips - 1, trips - 1) : 0);
    intervals[leaf] = whole;
    return share / double(trips);
  }

  /// Of the iterations of a loop that is split, the share that pass a border: one, unless what
  /// moves inside of it moves more than an iteration.
  double getSplitShare(const Condition &condition) {
    double share = 1;
    for (auto [leaf, trips] : split) {
      if (!isFunctionOfDim(condition.expr, leaf))
        continue;
      auto saved = intervals;
      // Of what is fixed there, one value.
      for (auto [i, index] : llvm::enumerate(scope.indices))
        if (index.from == LeafIndex::From::Program)
          intervals[i].max = intervals[i].min;
      for (const Loop &loop : loops) {
        intervals[loop.leaf].max -= int64_t(loop.trips) - 1;
        if (loop.leaf == leaf)
          break;
      }
      std::optional<layout::Range> inner = view::getRange(condition.expr, intervals);
      intervals[leaf].min += 1;
      intervals[leaf].max += 1;
      std::optional<layout::Range> next = view::getRange(condition.expr, intervals);
      intervals = saved;
      if (!inner || !next)
        continue;
      int64_t step = std::abs(next->min - inner->min), spread = inner->max - inner->min;
      if (spread <= step)
        share = std::min(share, spread == 0 ? 0 : 1 / double(trips));
    }
    return share;
  }

  /// How often what depends on the condition is computed, for each time that the access runs.
  double getTimes(const Condition &condition) const {
    double times = 1;
    for (const Loop &loop : llvm::reverse(loops)) {
      bool moves = isFunctionOfDim(condition.expr, loop.leaf);
      if (moves && !loop.isUnrolled)
        break;
      if (!moves)
        times /= loop.trips;
    }
    return times;
  }

  /// Whether constants alone decide: no loop that is left moves the condition.
  bool isDecided(const Condition &condition) const {
    for (auto [leaf, index] : llvm::enumerate(scope.indices)) {
      bool isMoved = index.from == LeafIndex::From::Program || index.from == LeafIndex::From::Loop;
      if (isMoved && isFunctionOfDim(condition.expr, leaf) &&
          llvm::none_of(unrolled, [leaf = leaf](auto &entry) { return entry.first == leaf; }))
        return false;
    }
    return true;
  }

  /// Whether the leaf stands below a division.
  static bool isDivided(AffineExpr expr, unsigned leaf) {
    bool found = false;
    expr.walk([&](AffineExpr part) {
      found |=
          (part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod) &&
          isFunctionOfDim(part, leaf);
    });
    return found;
  }

  void add(const Condition &condition) {
    if (!condition.expr) {
      guards.rows = guards.both = guards.masked = guards.maskedApart = 1;
      return;
    }
    if (isProved(condition))
      return;
    bool isAlongLanes = lanes && isFunctionOfDim(condition.expr, *lanes);
    // A loop that is as short as it may be sees no point outside, of coordinates along it alone.
    if (!isAlongLanes)
      for (unsigned axis : skipped)
        for (auto [i, leaf] : llvm::enumerate(plan.leaves))
          if (leaf.axis == axis && isFunctionOfDim(condition.expr, i))
            return;
    bool isComputed = isAlongLanes && isDivided(condition.expr, *lanes);
    double share = getShare(condition);
    if (!isComputed)
      share = std::min(share, getSplitShare(condition));
    guards.masked = std::max(guards.masked, share);
    if (isAlongLanes)
      guards.maskedApart = std::max(guards.maskedApart, share);
    if (isDecided(condition))
      return;
    double times = share * getTimes(condition);
    guards.computed += isComputed ? times : 0;
    double &kind = isAlongLanes ? guards.lanes : guards.rows;
    kind = std::max(kind, times);
    guards.both = std::max(guards.both, times);
  }

  struct Loop {
    unsigned leaf;
    double trips;
    bool isUnrolled;
  };

  const Plan &plan;
  const Scope &scope;
  SmallVector<Interval> intervals; ///< by leaves
  SmallVector<Interval> ofIndices; ///< of the access
  std::optional<unsigned> lanes;
  SmallVector<std::pair<unsigned, int64_t>> unrolled, split; ///< leaves and iterations
  SmallVector<unsigned> skipped;                             ///< axes
  SmallVector<Loop> loops;                                   ///< outermost first
  Guards guards;
};

} // namespace

bool host::isConstant(const LoopNode &loop) {
  return loop.step == 1 && loop.lower.at == LoopBound::At::Constant &&
         loop.upper.at == LoopBound::At::Constant;
}

/// Operations of a block once its loops are unrolled that are to be.
static double countNodes(const schedule::Block &block) {
  double count = 0;
  for (const Node *node : block) {
    ++count;
    if (auto *loop = dyn_cast<LoopNode>(node)) {
      double trips = double(loop->upper.value);
      count += countNodes(loop->body) *
               (loop->unroll == 0 ? trips : std::min(trips, double(loop->unroll)));
    } else if (auto *branch = dyn_cast<BranchNode>(node)) {
      count += countNodes(branch->there) + countNodes(branch->elsewhere);
    } else if (auto *fill = dyn_cast<FillNode>(node)) {
      count += countNodes(fill->body);
    }
  }
  return count;
}

bool host::isSplitLoop(const LoopNode &loop) {
  constexpr double kMostOps = 64; // The pass's default.
  return isConstant(loop) && countNodes(loop.body) <= kMostOps &&
         llvm::none_of(loop.carried, [](const LoopNode::Carried &carried) {
           return isa<ContractOp>(carried.root);
         });
}

/// Of the points of a skipped axis, the share that a load finds inside of its tensor for some point
/// of a tile, over the axis that moves its coordinate most besides.
static double getSeenShare(const LoopTree &tree, const SkippedAxis &skipped) {
  ArrayRef<int64_t> extents = KernelOp(tree.kernel).getExtents();
  double share = 1;
  for (const SkippedAxis::Bound &bound : skipped.bounds) {
    unsigned other = skipped.axis;
    for (auto [axis, coefficient] : llvm::enumerate(bound.coefficients))
      if (axis != skipped.axis && coefficient != 0 &&
          (other == skipped.axis || extents[axis] > extents[other]))
        other = axis;
    // Enough points to tell the share of long axes.
    constexpr int64_t kMostPoints = 256;
    int64_t points = other == skipped.axis ? 1 : extents[other], tile = 1;
    for (const LeafAxis &leaf : tree.plan.leaves)
      if (points > 1 && leaf.axis == other && leaf.role == Role::Tile)
        tile *= leaf.extent;
    int64_t step = llvm::alignTo(llvm::divideCeil(points, kMostPoints), tile), seen = 0, all = 0;
    for (int64_t i = 0; i < points; i += step)
      for (int64_t j = 0; j < extents[skipped.axis]; ++j, ++all) {
        int64_t factor = points == 1 ? 0 : bound.coefficients[other];
        int64_t last = std::min(i + tile, points) - 1;
        seen += bound.coefficients[skipped.axis] * j + factor * (factor > 0 ? last : i) +
                    bound.constant >=
                0;
      }
    share -= 1 - double(seen) / double(all);
  }
  return std::max(share, 0.0);
}

/// Of the iterations of loops over parts of an axis, those that begin inside of it.
static double countBegun(SmallVector<const LeafAxis *> parts, double extent) {
  llvm::sort(parts, [](const LeafAxis *a, const LeafAxis *b) { return a->stride > b->stride; });
  double inner = 1, begun = 0;
  for (const LeafAxis *part : parts)
    inner *= double(part->extent);
  for (const LeafAxis *part : parts) {
    inner /= double(part->extent);
    double whole = std::floor(extent / double(part->stride));
    if (whole >= double(part->extent))
      return begun + double(part->extent) * inner;
    begun += whole * inner;
    extent -= whole * double(part->stride);
  }
  return begun + (extent > 0 ? 1 : 0);
}

/// Iterations of a loop along an axis of which a comparison with others hides half, on average, by
/// where the border is: of parts of a part only the last one that is seen is seen in half, what is
/// left behind whole parts is seen by few, and so many parts as the points of a tile move the
/// border by are seen by some of them and not by all.
static double getSeenTrips(const LoopTree &tree, const LoopNode &loop, double trips) {
  // No loop is left out wherever the tile is.
  constexpr double kFewest = 0.1;
  const SkippedAxis &skipped = *loop.skipped;
  const Plan &plan = tree.plan;
  auto extent = double(KernelOp(tree.kernel).getExtents()[skipped.axis]);
  double outer = 1, behind = 1, moved = 0, stride = double(loop.step);
  for (auto [i, leaf] : llvm::enumerate(plan.leaves)) {
    if (leaf.axis == skipped.axis && i != loop.leaf && loop.scope.open[i]) {
      const LeafIndex &index = loop.scope.indices[i];
      auto *around = dyn_cast_or_null<LoopNode>(index.loop);
      if (index.from == LeafIndex::From::Constant)
        behind *= double(leaf.stride) / extent;
      else
        outer *= double(around ? around->upper.value : leaf.extent);
    }
    for (const SkippedAxis::Bound &bound : skipped.bounds)
      if (leaf.axis != skipped.axis && !loop.scope.open[i])
        moved += std::abs(double(bound.coefficients[leaf.axis])) * double(leaf.stride) *
                 double(leaf.extent - 1);
  }
  if (loop.leaf)
    stride *= double(plan.leaves[*loop.leaf].stride);
  // The share of borders that lie inside of these parts, and what is seen of so many.
  double inside = behind < 1 ? 1 : std::min(1.0, outer * trips * stride / extent);
  auto getSeen = [&](double parts) { return inside * (parts + 1) / 2 + (1 - inside) * parts; };
  double around = getSeen(outer) / behind, seen = getSeen(outer * trips) / around;
  double inPart = std::min(seen, inside * (moved + stride - 1) / stride / around);
  if (loop.lower.at == LoopBound::At::EndAllSeen)
    return std::max(kFewest, inPart);
  return std::max(kFewest, loop.upper.at == LoopBound::At::EndAllSeen ? seen - inPart : seen);
}

double host::getTrips(const LoopTree &tree, const LoopNode &loop) {
  double trips = std::ceil(
      double(loop.upper.value - (loop.lower.at == LoopBound::At::Constant ? loop.lower.value : 0)) /
      double(loop.step));
  if (loop.skipped && isa<arith::SelectOp>(loop.skipped->mask) &&
      (loop.upper.at != LoopBound::At::Constant || loop.lower.at != LoopBound::At::Constant))
    return getSeenTrips(tree, loop, trips);
  if (loop.skipped && isa<LoadOp>(loop.skipped->mask))
    return std::max(1.0, trips * getSeenShare(tree, *loop.skipped));
  if (!loop.leaf || !isSplitLoop(loop))
    return std::max(1.0, trips);
  const LeafAxis &leaf = tree.plan.leaves[*loop.leaf];
  if (!loop.scope.padded[leaf.axis])
    return std::max(1.0, trips);
  // What begins beyond the axis is left out.
  double extent = double(KernelOp(tree.kernel).getExtents()[leaf.axis]);
  auto countInside = [&](bool withLoop) {
    SmallVector<const LeafAxis *> parts;
    for (auto [i, other] : llvm::enumerate(tree.plan.leaves))
      if (other.axis == leaf.axis && other.extent > 1 &&
          (loop.scope.open[i] || (withLoop && i == *loop.leaf)))
        parts.push_back(&other);
    return countBegun(parts, extent);
  };
  return std::clamp(countInside(true) / countInside(false), 1.0, std::max(1.0, trips));
}

Guards host::getGuards(const LoopTree &tree, const Node &node, const Around &around) {
  if (auto load = dyn_cast<LoadOp>(node.op))
    return GuardFinder(tree, node, around).find(load);
  auto store = cast<StoreOp>(node.op);
  auto type = KernelOp(tree.kernel).getResult(store.getResultNumber()).getType();
  return GuardFinder(tree, node, around).find(store, cast<RankedTensorType>(type));
}
