// Coalescing of axes: pairs of loads vote for what would make them equal.
#include "Coalesce.h"

#include "AxisGraph.h"
#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Blocks.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Dialect/View/Algebra.h"

#include <map>

namespace tw {
#define GEN_PASS_DEF_KERNELCOALESCEAXESPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Sorted, without repetitions.
using Pairs = std::vector<AxisPair>;

/// The accesses of a kernel as maps over one list of indices: its axes, then data.
class Votes {
public:
  explicit Votes(KernelOp kernel) : kernel(kernel), sets(kernel) {
    llvm::append_range(base, kernel.getAxes());
    for (auto load : kernel.getBody().getOps<LoadOp>())
      for (Value index : load.getIndices())
        if (!llvm::is_contained(base, index))
          base.push_back(index);
    extents = kernel::getExtents(kernel, base);
    for (auto load : kernel.getBody().getOps<LoadOp>())
      all.push_back({load, express(load)});
  }

  /// What each set of pairs saves, in bytes that are not loaded again: 0 where two results of one
  /// shape, or two pieces of a result, come to be stored along the same axes.
  std::map<Pairs, int64_t> count() {
    std::map<Pairs, int64_t> votes;
    for (auto [i, first] : llvm::enumerate(all))
      for (Access &second : MutableArrayRef(all).drop_front(i + 1))
        if (second.load.getSource() == first.load.getSource() && second.map != first.map)
          if (std::optional<Pairs> pairs = match(first.map, second.map, first.load))
            votes[*pairs] += getBytes(second.load);
    SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
    for (auto [i, first] : llvm::enumerate(stores))
      for (StoreOp second : ArrayRef(stores).drop_front(i + 1))
        if (std::optional<Pairs> pairs = match(first, second))
          votes.try_emplace(*pairs, 0);
    return votes;
  }

private:
  struct Access {
    LoadOp load;
    view::MapAttr map;
  };

  view::MapAttr express(LoadOp load) {
    SmallVector<AffineExpr> dims;
    for (Value index : load.getIndices())
      dims.push_back(getAffineDimExpr(llvm::find(base, index) - base.begin(), load.getContext()));
    view::MapAttr map =
        load.getMap().compose(AffineMap::get(base.size(), 0, dims, load.getContext()));
    return kernel::simplify(map, extents, cast<RankedTensorType>(load.getSource().getType()));
  }

  int64_t getBytes(LoadOp load) {
    auto type = cast<RankedTensorType>(load.getSource().getType());
    return std::min(sets.points(sets.of(load.getResult())), type.getNumElements()) *
           llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }

  /// The pairs of axes that make the stores' maps one, if their results have one shape; of pieces
  /// of one result the maps without what is constant in them.
  std::optional<Pairs> match(StoreOp first, StoreOp second) {
    auto shape = [&](StoreOp store) {
      return kernel::getExtents(
          cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType()));
    };
    bool arePieces = first.getResultNumber() == second.getResultNumber();
    auto express = [&](StoreOp store) {
      SmallVector<AffineExpr> dims,
          zeros(store.getIndices().size(), getAffineConstantExpr(0, store.getContext()));
      for (Value index : store.getIndices())
        dims.push_back(
            getAffineDimExpr(cast<BlockArgument>(index).getArgNumber(), store.getContext()));
      SmallVector<AffineExpr> exprs;
      for (AffineExpr expr : store.getMap().getResults())
        exprs.push_back(arePieces ? expr - expr.replaceDims(zeros) : expr);
      return AffineMap::get(store.getIndices().size(), 0, exprs, store.getContext())
          .replaceDimsAndSymbols(dims, {}, base.size(), 0);
    };
    Pairs pairs;
    if (shape(first) != shape(second) || !match(express(first), express(second), pairs) ||
        pairs.empty())
      return std::nullopt;
    return pairs;
  }

  /// The pairs of axes that make the maps one, none if nothing does.
  std::optional<Pairs> match(view::MapAttr first, view::MapAttr second, LoadOp load) {
    Pairs pairs;
    if (!match(first.getMap(), second.getMap(), pairs) || pairs.empty() ||
        rename(first, pairs, load) != rename(second, pairs, load))
      return std::nullopt;
    return pairs;
  }

  /// Pairs what differs, coordinate by coordinate; false if there is more than axes to rename.
  bool match(AffineMap first, AffineMap second, Pairs &pairs) {
    for (auto [a, b] : llvm::zip_equal(first.getResults(), second.getResults())) {
      auto left = view::toLayout(a), right = view::toLayout(b);
      if (!left || !right || !match(*left, *right, pairs))
        return false;
    }
    llvm::sort(pairs);
    pairs.erase(llvm::unique(pairs), pairs.end());
    return true;
  }

  /// Terms that are not in both sums are paired by coefficient and kind.
  bool match(const layout::Expr &left, const layout::Expr &right, Pairs &pairs) {
    if (left.getConstant() != right.getConstant())
      return false;
    auto isIn = [](const layout::Term &term, const layout::Expr &sum) {
      return sum.coefficientOf(term.atom) == term.coefficient;
    };
    SmallVector<const layout::Term *> open;
    for (const layout::Term &term : right.getTerms())
      if (!isIn(term, left))
        open.push_back(&term);
    for (const layout::Term &term : left.getTerms()) {
      if (isIn(term, right))
        continue;
      auto *partner = llvm::find_if(open, [&](const layout::Term *other) {
        return other->coefficient == term.coefficient && matchAtoms(term.atom, other->atom, pairs);
      });
      if (partner == open.end())
        return false;
      open.erase(partner);
    }
    return open.empty();
  }

  bool matchAtoms(const layout::Atom &left, const layout::Atom &right, Pairs &pairs) {
    if (left.divisor != right.divisor)
      return false;
    if (!left.isDim()) {
      Pairs inner;
      if (!match(*left.numerator, *right.numerator, inner))
        return false;
      llvm::append_range(pairs, inner);
      return true;
    }
    unsigned count = kernel.getNumAxes();
    if (left.dim >= count || right.dim >= count || extents[left.dim] != extents[right.dim])
      return false;
    pairs.push_back(std::minmax(left.dim, right.dim));
    return true;
  }

  view::MapAttr rename(view::MapAttr map, const Pairs &pairs, LoadOp load) {
    SmallVector<unsigned> leaders = llvm::to_vector(llvm::seq<unsigned>(0, base.size()));
    for (auto [a, b] : pairs) {
      unsigned from = std::max(leaders[a], leaders[b]), to = std::min(leaders[a], leaders[b]);
      llvm::replace(leaders, from, to);
    }
    SmallVector<AffineExpr> dims;
    for (unsigned leader : leaders)
      dims.push_back(getAffineDimExpr(leader, map.getContext()));
    return kernel::simplify(map.compose(AffineMap::get(base.size(), 0, dims, map.getContext())),
                            extents, cast<RankedTensorType>(load.getSource().getType()));
  }

  KernelOp kernel;
  AxisSets sets;
  SmallVector<Value> base;
  SmallVector<std::optional<Extent>> extents;
  SmallVector<Access> all;
};

/// The axes that products sum over.
llvm::SmallBitVector getSummed(KernelOp kernel) {
  llvm::SmallBitVector summed(kernel.getNumAxes());
  for (auto contract : kernel.getBody().getOps<ContractOp>())
    for (Value axis : contract.getAxes())
      summed.set(cast<BlockArgument>(axis).getArgNumber());
  return summed;
}

/// The legal set of pairs that saves most for each of its pairs; of equal ones the shorter one,
/// then that of the first axes. None if no set is legal.
std::optional<Pairs> choose(KernelOp kernel, bool sumsApart) {
  std::map<Pairs, int64_t> votes = Votes(kernel).count();
  if (sumsApart) {
    // The others of a set may be united without these.
    llvm::SmallBitVector summed = getSummed(kernel);
    std::map<Pairs, int64_t> kept;
    for (auto &[pairs, bytes] : votes) {
      Pairs rest;
      for (const AxisPair &pair : pairs)
        if (!summed[pair.first] && !summed[pair.second])
          rest.push_back(pair);
      if (!rest.empty())
        kept[rest] += bytes;
    }
    votes = std::move(kept);
  }
  if (votes.empty())
    return std::nullopt;
  AxisGraph graph(kernel);
  std::optional<Pairs> best;
  double most = 0;
  for (const auto &[pairs, bytes] : votes) {
    double each = double(bytes) / pairs.size();
    if (best && (each < most || (each == most && pairs.size() >= best->size())))
      continue;
    if (!graph.canUnite(pairs) || !graph.isOrdered(pairs))
      continue;
    best = pairs;
    most = each;
  }
  return best;
}

struct KernelCoalesceAxesPass : tw::impl::KernelCoalesceAxesPassBase<KernelCoalesceAxesPass> {
  using KernelCoalesceAxesPassBase::KernelCoalesceAxesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = getCleaningPatterns(context);
    return success();
  }

  void runOnOperation() override {
    for (Block *block : getProgramBlocks(getOperation()))
      for (auto kernel : block->getOps<KernelOp>())
        if (!kernel.getSchedule())
          coalesceAxes(kernel, patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

bool kernel::coalesceAxes(KernelOp kernel, const FrozenRewritePatternSet &patterns,
                          bool sumsApart) {
  bool changed = false;
  while (std::optional<Pairs> pairs = choose(kernel, sumsApart)) {
    SmallVector<Value> axes(kernel.getAxes());
    // From the last one on: each is replaced by one that is still there.
    for (auto [a, b] : llvm::reverse(*pairs)) {
      axes[b].replaceAllUsesWith(axes[a]);
      llvm::replace(axes, axes[b], axes[a]);
    }
    for (unsigned i = kernel.getNumAxes(); i-- > 0;)
      if (kernel.getAxis(i).use_empty())
        eraseAxis(kernel, i);
    clean(kernel, patterns);
    changed = true;
  }
  return changed;
}
