// The pass that forms kernels. It runs after movement ops became views, so that what is left is
// either computed or read through a map, and before fusion, which knows nothing of tensors.
#include "Formation.h"
#include "tw/Conversion/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace tw {
#define GEN_PASS_DEF_VIEWTOKERNELPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// What a kernel computes may be changed as much as what the op before it did.
struct KeepFastMath : RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    for (Value value : values)
      if (auto kernel = value.getDefiningOp<kernel::KernelOp>())
        addFastMath(kernel, getFastMath(op));
  }
};

struct ViewToKernelPass : tw::impl::ViewToKernelPassBase<ViewToKernelPass> {
  using ViewToKernelPassBase::ViewToKernelPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    formation::populateElementwise(set);
    formation::populateMovement(set);
    formation::populateContractions(set);
    formation::populateReductions(set);
    formation::populateGathers(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    settleShapes();
    if (!hasStaticShapes())
      return signalPassFailure();
    KeepFastMath keepFastMath;
    walkAndApplyPatterns(getOperation(), patterns, &keepFastMath);
    addFastMath(getOperation(), getFastMath(getOperation()));
    // What became a scalar is not read any more.
    getOperation().walk([](graph::ConstantOp constant) {
      if (constant->use_empty())
        constant.erase();
    });
  }

private:
  /// From here on a shape says what sizes come to at most, and the encoding what they are.
  void settleShapes() {
    func::FuncOp function = getOperation();
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](RankedTensorType type) -> Type {
      std::optional<graph::Shape> sizes = graph::getShape(type);
      SmallVector<int64_t> most = graph::getMostShape(type, function);
      if (type.hasStaticShape() || !sizes || llvm::is_contained(most, -1))
        return type;
      return view::getTensorType(most, *sizes, type.getElementType());
    });
    // Attributes of arguments say where there is room in types of the graph.
    SmallVector<State> states = findStates();
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (const State &state : states)
      place(state);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, graph::storageName);
    SmallVector<Type> results(function.front().getTerminator()->getOperandTypes());
    function.setType(
        FunctionType::get(&getContext(), function.front().getArgumentTypes(), results));
  }

  /// An argument with room in memory, and the values that lie there: itself, what updates it, what
  /// is returned.
  struct State {
    graph::Shape storage;
    SmallVector<Value> values;
  };

  SmallVector<State> findStates() {
    func::FuncOp function = getOperation();
    Operation *end = function.front().getTerminator();
    SmallVector<State> states;
    for (BlockArgument argument : function.getArguments()) {
      unsigned i = argument.getArgNumber();
      auto storage = function.getArgAttrOfType<graph::DimsAttr>(i, graph::storageName);
      auto alias = function.getArgAttrOfType<IntegerAttr>(i, graph::aliasName);
      if (!storage || !alias)
        continue;
      State state{storage.getShape(), {argument}};
      Value value = end->getOperand(alias.getInt());
      for (; value && value != argument; value = formation::getUpdated(value))
        state.values.push_back(value);
      states.push_back(std::move(state));
    }
    return states;
  }

  void place(const State &state) {
    for (Value value : state.values) {
      auto type = cast<RankedTensorType>(value.getType());
      value.setType(view::getTensorType(type.getShape(), view::getSizes(type),
                                        type.getElementType(), state.storage));
    }
  }

  bool hasStaticShapes() {
    bool isStatic = true;
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults())
        if (auto type = dyn_cast<ShapedType>(result.getType()); type && !type.hasStaticShape()) {
          emitOpError(op, Code::T0332) << "expected static shapes, found " << type;
          isStatic = false;
        }
    });
    return isStatic;
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
