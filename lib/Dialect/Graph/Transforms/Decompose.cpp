// graph-decompose: replaces composites by their parts. Runs where no later stage matches the kept
// composites whole; relies on nothing.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHDECOMPOSE
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

/// Gives parts the flags of the composite that they replace.
struct KeepFastMath : OpBuilder::Listener {
  Attribute flags;
  explicit KeepFastMath(Operation *composite)
      : flags(composite->getDiscardableAttr(graphFastMathName)) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (flags && !op->hasTrait<OpTrait::ConstantLike>())
      op->setDiscardableAttr(graphFastMathName, flags);
  }
};

struct GraphDecompose : tw::impl::GraphDecomposeBase<GraphDecompose> {
  using GraphDecomposeBase::GraphDecomposeBase;

  // A misspelt name would silently keep nothing.
  LogicalResult checkNames() {
    for (StringRef name : keep) {
      auto registered = RegisteredOperationName::lookup(("tgraph." + name).str(), &getContext());
      if (!registered || !registered->hasInterface<CompositeOpInterface>())
        return tw::emitError(getOperation()->getLoc(), Code::T0215)
               << "graph-decompose: expected names of composites in keep, found '" << name << "'";
    }
    return success();
  }

  void runOnOperation() override {
    if (failed(checkNames()))
      return signalPassFailure();
    // Parts are emitted before the composite, so a composite among them is met in the next round.
    SmallVector<CompositeOpInterface> composites;
    do {
      composites.clear();
      getOperation()->walk([&](CompositeOpInterface op) {
        if (!llvm::is_contained(keep, op->getName().stripDialect()))
          composites.push_back(op);
      });
      for (CompositeOpInterface op : composites)
        if (failed(decompose(op)))
          return signalPassFailure();
    } while (!composites.empty());
  }

  /// Composites of bf16 and f16 are those of f32, rounded at their end.
  static void computeInF32(CompositeOpInterface op, OpBuilder &builder) {
    Operation *wide = builder.clone(*op);
    for (OpOperand &operand : wide->getOpOperands())
      if (Type type = getElementTypeOrSelf(operand.get()); isNarrowFloat(type))
        operand.set(CastOp::create(builder, op.getLoc(), operand.get(), getComputedType(type)));
    wide->moveBefore(op);
    SmallVector<Value> rounded;
    for (Value result : wide->getResults()) {
      Type type = getElementTypeOrSelf(result);
      if (isNarrowFloat(type)) {
        result.setType(withElementType(result.getType(), getComputedType(type)));
        result = CastOp::create(builder, op.getLoc(), result, type);
      }
      rounded.push_back(result);
    }
    op->replaceAllUsesWith(rounded);
    op->erase();
  }

  LogicalResult decompose(CompositeOpInterface op) {
    KeepFastMath keepFastMath(op);
    OpBuilder builder(op, &keepFastMath);
    if (isNarrowFloat(getElementTypeOrSelf(op->getResult(0)))) {
      computeInF32(op, builder);
      return success();
    }
    SmallVector<Value> parts = op.decompose(builder);
    if (parts.empty())
      return tw::emitOpError(op, Code::T0215)
             << "cannot be decomposed for its dynamic shape; give the dimensions a value";
    op->replaceAllUsesWith(parts);
    op->erase();
    return success();
  }
};
} // namespace
