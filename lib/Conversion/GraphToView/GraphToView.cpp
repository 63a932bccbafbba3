// graph-to-view: movement ops become index maps, chains of them one map.
#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;

namespace tw {
#define GEN_PASS_DEF_GRAPHTOVIEWPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// A tensor as maps see it: what each dimension is at most, and what it is.
struct Space {
  SmallVector<int64_t> most;
  graph::Shape sizes;

  Space(Value value, Operation *function)
      : most(graph::getMostShape(value.getType(), function)),
        sizes(graph::getShape(value.getType()).value_or(graph::Shape())) {}

  bool isKnown() const { return sizes.size() == most.size() && !llvm::is_contained(most, -1); }
};

/// Dimensions that are reshaped together: the first one may have a size that a call settles, of
/// which the others are no part.
struct Group {
  std::vector<int64_t> most;
  graph::Dim size = 1;
};

std::vector<Group> getGroups(const Space &space) {
  std::vector<Group> groups(1);
  for (auto [most, size] : llvm::zip(space.most, space.sizes)) {
    if (!size.isStatic()) {
      groups.push_back({{most}, size});
      continue;
    }
    groups.back().most.push_back(most);
    groups.back().size = groups.back().size * most;
  }
  return groups;
}

} // namespace

/// Nothing where elements of one size come to lie along another one.
static std::optional<layout::IndexMap> getReshape(const Space &from, const Space &to) {
  std::vector<Group> groups = getGroups(from), resultGroups = getGroups(to);
  if (groups.size() != resultGroups.size())
    return std::nullopt;
  std::vector<std::vector<int64_t>> first, second;
  for (const auto &[group, resultGroup] : llvm::zip(groups, resultGroups)) {
    if (group.size != resultGroup.size)
      return std::nullopt;
    first.push_back(group.most);
    second.push_back(resultGroup.most);
  }
  return layout::reshape(first, second);
}

/// Whether the op leaves dimensions as they are whose sizes a call settles; those that reshape and
/// expand take are others.
static bool keepsSizes(Operation *op, const Space &from) {
  for (auto [i, size] : llvm::enumerate(from.sizes)) {
    if (size.isStatic())
      continue;
    bool keeps = TypeSwitch<Operation *, bool>(op)
                     .Case<graph::PadOp>(
                         [&](auto op) { return op.getLow()[i] == 0 && op.getHigh()[i] == 0; })
                     .Case<graph::SliceOp>(
                         [&](auto op) { return op.getSizes()[i] == graph::SliceOp::whole; })
                     .Case<graph::FlipOp>(
                         [&](auto op) { return !llvm::is_contained(op.getDims(), int64_t(i)); })
                     .Default([](Operation *) { return true; });
    if (!keeps)
      return false;
  }
  return true;
}

/// The map of a movement op, or nothing where the sizes of its dimensions do not allow one.
static std::optional<layout::IndexMap> mapOf(Operation *op, const Space &from, const Space &to,
                                             view::Fills &fills) {
  if (!keepsSizes(op, from))
    return std::nullopt;
  using Map = std::optional<layout::IndexMap>;
  return TypeSwitch<Operation *, Map>(op)
      .Case<graph::PermuteOp>(
          [&](auto op) -> Map { return layout::permute(from.most, op.getPermutation()); })
      .Case<graph::ReshapeOp>([&](auto) -> Map { return getReshape(from, to); })
      .Case<graph::ExpandOp>([&](auto) -> Map { return layout::expand(from.most, to.most); })
      .Case<graph::PadOp>([&](auto op) -> Map {
        return layout::pad(from.most, op.getLow(), op.getHigh(), fills.getNumber(op.getValue()));
      })
      .Case<graph::SliceOp>([&](auto op) -> Map {
        return layout::slice(from.most, op.getOffsets(), to.most, op.getStrides());
      })
      .Case<graph::FlipOp>([&](auto op) -> Map { return layout::flip(from.most, op.getDims()); })
      .Default([](Operation *) -> Map { return std::nullopt; });
}

static bool isMovement(Operation *op) {
  return isa<graph::PermuteOp, graph::ReshapeOp, graph::ExpandOp, graph::PadOp, graph::SliceOp,
             graph::FlipOp>(op);
}

namespace {

struct GraphToViewPass : tw::impl::GraphToViewPassBase<GraphToViewPass> {
  void runOnOperation() override {
    // Operands come before their users, so the source of a movement op is already a view if it will
    // be.
    SmallVector<Operation *> movements;
    getOperation().walk([&](Operation *op) {
      if (isMovement(op))
        movements.push_back(op);
    });
    SmallVector<view::ViewOp> views;
    for (Operation *op : movements)
      if (failed(replace(op, views)))
        return signalPassFailure();
    for (view::ViewOp view : llvm::reverse(views)) {
      repeatInRegions(view);
      if (view->use_empty())
        view.erase();
    }
  }

  /// Reading through a map costs nothing, but nothing is read through another region's border: a
  /// branch or a loop has a view of its own of what lies around it.
  static void repeatInRegions(view::ViewOp view) {
    llvm::DenseMap<Block *, Value> repeated;
    for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
      Block *block = use.getOwner()->getBlock();
      if (block == view->getBlock())
        continue;
      Value &own = repeated[block];
      if (!own) {
        OpBuilder builder = OpBuilder::atBlockBegin(block);
        own = builder.clone(*view)->getResult(0);
      }
      use.set(own);
    }
  }

  /// Replaces the op by a view of what its source views, or by the source itself.
  LogicalResult replace(Operation *op, SmallVectorImpl<view::ViewOp> &views) {
    Value source = op->getOperand(0), result = op->getResult(0);
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    Space from(source, function), to(result, function);
    if (!from.isKnown() || !to.isKnown())
      return emitOpError(op, Code::T0215)
             << "has the dynamic type " << (from.isKnown() ? result : source).getType()
             << ", expected sizes whose ranges are declared";
    view::Fills fills(typeOf(result).getElementType());
    std::optional<layout::IndexMap> found = mapOf(op, from, to, fills);
    if (!found)
      return emitOpError(op, Code::T0215)
             << "takes " << source.getType() << " to " << result.getType()
             << ", which moves elements along a dimension whose size a call settles: expected "
                "such dimensions to stay as they are; give the sizes when compiling "
                "(--symbol=NAME=VALUE)";
    layout::IndexMap map = std::move(*found);
    if (auto inner = source.getDefiningOp<view::ViewOp>()) {
      Space innermost(inner.getSource(), function);
      std::optional<layout::IndexMap> innerMap =
          view::toLayout(inner.getMap(), from.most, innermost.most, fills);
      std::optional<layout::IndexMap> both =
          innerMap ? layout::collapse(map, *innerMap) : std::nullopt;
      if (both) {
        map = std::move(*both);
        source = inner.getSource();
      }
    }
    OpBuilder builder(op);
    if (map.isIdentity() && source.getType() == result.getType()) {
      result.replaceAllUsesWith(source);
    } else {
      auto view = view::ViewOp::create(builder, op->getLoc(), result.getType(), source,
                                       view::toAttr(map, &getContext(), fills));
      result.replaceAllUsesWith(view);
      views.push_back(view);
    }
    op->erase();
    return success();
  }
};

} // namespace
