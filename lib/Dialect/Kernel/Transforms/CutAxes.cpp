// Cutting axes where comparisons change what is stored: each part becomes a store of its own.
#include "CutAxes.h"

#include "Cleaning.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/View/Algebra.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// Stores of one kernel, at most; more parts are longer code than one loop that chooses.
constexpr unsigned maxPieces = 16;

/// The point of an axis from which on something else is stored.
struct Cut {
  BlockArgument axis;
  int64_t position;
};

/// Finds where a store may be cut.
class CutFinder {
public:
  CutFinder(KernelOp kernel, StoreOp store) : kernel(kernel), store(store) {}

  std::optional<Cut> find() {
    SmallVector<Operation *> slice = getSlice(store);
    if (llvm::any_of(slice, llvm::IsaPred<ReduceOp, ContractOp, ScanOp>))
      return std::nullopt;
    for (Operation *op : slice) {
      if (auto compare = dyn_cast<arith::CmpIOp>(op))
        visit(compare);
      else if (auto load = dyn_cast<LoadOp>(op))
        visit(load);
      if (found)
        return found;
    }
    return std::nullopt;
  }

private:
  void visit(arith::CmpIOp compare) {
    IntegerAttr limit;
    if (!compare.getLhs().getType().isIndex() ||
        !matchPattern(compare.getRhs(), m_Constant(&limit)))
      return;
    SmallVector<Value> indices{compare.getLhs()};
    AffineExpr expr = getAffineDimExpr(0, kernel.getContext());
    if (auto apply = compare.getLhs().getDefiningOp<affine::AffineApplyOp>();
        apply && apply.getAffineMap().getNumSymbols() == 0) {
      indices.assign(apply.operand_begin(), apply.operand_end());
      expr = apply.getAffineMap().getResult(0);
    }
    using Predicate = arith::CmpIPredicate;
    AffineExpr difference = expr - limit.getInt();
    switch (compare.getPredicate()) {
    case Predicate::slt:
    case Predicate::sge:
      return visit(difference, indices);
    case Predicate::sgt:
    case Predicate::sle:
      return visit(difference - 1, indices);
    case Predicate::eq:
    case Predicate::ne:
      visit(difference, indices);
      return visit(difference - 1, indices);
    default:
      return;
    }
  }

  void visit(LoadOp load) {
    auto guards = getAllGuards(load.getMap(), kernel::getExtents(kernel, load.getIndices()),
                               cast<RankedTensorType>(load.getSource().getType()));
    for (view::GuardAttr guard : guards.value_or(SmallVector<view::GuardAttr>()))
      for (auto [expr, isEquality] :
           llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags())) {
        visit(expr, load.getIndices());
        if (isEquality)
          visit(expr - 1, load.getIndices());
      }
  }

  /// Cuts where `expr >= 0` begins or ends to hold, if that is at a point of an axis of the store.
  void visit(AffineExpr expr, ValueRange indices) {
    std::optional<layout::Expr> sum = view::toLayout(expr);
    if (found || !sum || sum->getTerms().size() != 1 || !sum->getTerms()[0].atom.isDim())
      return;
    auto [atom, coefficient] = sum->getTerms()[0];
    auto axis = dyn_cast<BlockArgument>(indices[atom.dim]);
    if (!axis || !llvm::is_contained(store.getIndices(), axis) ||
        kernel.isSymbolic(axis.getArgNumber()))
      return;
    int64_t constant = sum->getConstant();
    int64_t position = coefficient > 0 ? llvm::divideCeilSigned(-constant, coefficient)
                                       : llvm::divideFloorSigned(constant, -coefficient) + 1;
    if (position > 0 && position < kernel.getExtents()[axis.getArgNumber()])
      found = Cut{axis, position};
  }

  KernelOp kernel;
  StoreOp store;
  std::optional<Cut> found;
};

} // namespace

/// Stores `part` of the points of the axis, which are its own from `begin` on.
static void storePart(KernelOp kernel, StoreOp store, BlockArgument axis, BlockArgument part,
                      int64_t begin) {
  OpBuilder builder(store);
  AffineExpr point = builder.getAffineDimExpr(0) + begin;
  IRMapping mapping;
  mapping.map(axis, createIndex(builder, store.getLoc(), kernel, point, part));
  for (Operation *op : getSlice(store))
    if (op != store)
      builder.clone(*op, mapping);
  SmallVector<Value> indices{part};
  SmallVector<AffineExpr> replacements;
  for (Value index : store.getIndices()) {
    replacements.push_back(index == axis ? point : builder.getAffineDimExpr(indices.size()));
    if (index != axis)
      indices.push_back(index);
  }
  auto piece = cast<StoreOp>(builder.clone(*store));
  piece.getValueMutable().assign(mapping.lookupOrDefault(store.getValue()));
  rewriteStore(piece, indices, replacements);
}

bool kernel::cutAxes(KernelOp kernel, const FrozenRewritePatternSet &patterns) {
  SmallVector<StoreOp> open(kernel.getBody().getOps<StoreOp>());
  size_t stores = open.size();
  bool changed = false;
  while (!open.empty() && stores < maxPieces) {
    StoreOp store = open.back();
    std::optional<Cut> cut = CutFinder(kernel, store).find();
    if (!cut) {
      open.pop_back();
      continue;
    }
    unsigned i = cut->axis.getArgNumber();
    std::string name = kernel.getAxisName(i).str();
    int64_t extent = kernel.getExtents()[i];
    BlockArgument first = insertAxis(kernel, i, cut->position, name);
    BlockArgument rest = insertAxis(kernel, i + 1, extent - cut->position, name);
    storePart(kernel, store, cut->axis, first, 0);
    storePart(kernel, store, cut->axis, rest, cut->position);
    store.erase();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    if (cut->axis.use_empty())
      eraseAxis(kernel, cut->axis.getArgNumber());
    dropUnitAxes(kernel);
    clean(kernel, patterns);
    open.assign(kernel.getBody().getOps<StoreOp>().begin(),
                kernel.getBody().getOps<StoreOp>().end());
    ++stores;
    changed = true;
  }
  return changed;
}
