// graph-to-view: movement ops become index maps, chains of them one map.
#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;

namespace tw {
#define GEN_PASS_DEF_GRAPHTOVIEWPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The map of a movement op of static shapes, or nothing for any other op.
static std::optional<layout::IndexMap> mapOf(Operation *op, view::Fills &fills) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape();
  ArrayRef<int64_t> to = typeOf(op->getResult(0)).getShape();
  return TypeSwitch<Operation *, std::optional<layout::IndexMap>>(op)
      .Case<graph::PermuteOp>([&](auto op) { return layout::permute(from, op.getPermutation()); })
      .Case<graph::ReshapeOp>([&](auto) { return layout::reshape(from, to); })
      .Case<graph::ExpandOp>([&](auto) { return layout::expand(from, to); })
      .Case<graph::PadOp>([&](auto op) {
        return layout::pad(from, op.getLow(), op.getHigh(), fills.getNumber(op.getValue()));
      })
      .Case<graph::SliceOp>([&](auto op) {
        return layout::slice(from, op.getOffsets(), op.getSizes(), op.getStrides());
      })
      .Case<graph::FlipOp>([&](auto op) { return layout::flip(from, op.getDims()); })
      .Default([](Operation *) { return std::nullopt; });
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
    for (view::ViewOp view : llvm::reverse(views))
      if (view->use_empty())
        view.erase();
  }

  /// Replaces the op by a view of what its source views, or by the source itself.
  LogicalResult replace(Operation *op, SmallVectorImpl<view::ViewOp> &views) {
    Value source = op->getOperand(0), result = op->getResult(0);
    if (!typeOf(source).hasStaticShape() || !typeOf(result).hasStaticShape())
      return emitOpError(op, Code::T0215)
             << "has the dynamic type "
             << (typeOf(source).hasStaticShape() ? result : source).getType()
             << "; only static shapes are compiled";
    view::Fills fills(typeOf(result).getElementType());
    layout::IndexMap map = *mapOf(op, fills);
    if (auto inner = source.getDefiningOp<view::ViewOp>()) {
      std::optional<layout::IndexMap> innerMap = view::toLayout(
          inner.getMap(), typeOf(source).getShape(), typeOf(inner.getSource()).getShape(), fills);
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
