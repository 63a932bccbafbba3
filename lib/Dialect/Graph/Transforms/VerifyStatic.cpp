// graph-verify-static: the border between the graph stage and the view stage.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHVERIFYSTATIC
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {
struct GraphVerifyStatic : tw::impl::GraphVerifyStaticBase<GraphVerifyStatic> {
  void runOnOperation() override {
    bool legal = true;
    auto report = [&](Operation *op) {
      legal = false;
      return tw::emitOpError(op, Code::T0215);
    };
    auto findDynamic = [](TypeRange types) -> Type {
      for (Type type : types)
        if (auto tensor = dyn_cast<TensorType>(type); tensor && !tensor.hasStaticShape())
          return type;
      return {};
    };
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp, func::ReturnOp>(op))
        return WalkResult::advance();
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        if (Type type = findDynamic(function.getArgumentTypes()))
          report(op) << "has the argument type " << type
                     << " with a dynamic dimension, which is not compiled yet; give its symbols "
                        "a value with --symbol=NAME=VALUE";
        return WalkResult::advance();
      }
      StringRef name = op->getName().getStringRef();
      bool isKernel = name == "tkernel.kernel";
      if (!isKernel && !isa<GraphDialect>(op->getDialect()) && name != "tview.materialize")
        report(op) << "may not be in the graph stage; convert it to tgraph first";
      else if (isa<CompositeOpInterface>(op))
        report(op) << "is a composite at the end of the graph stage; run graph-decompose";
      else if (Type type = findDynamic(op->getResultTypes()))
        report(op) << "has the result type " << type
                   << " with a dynamic dimension, which is not compiled yet; give its symbols a "
                      "value with --symbol=NAME=VALUE";
      // What a kernel computes is its own.
      return isKernel ? WalkResult::skip() : WalkResult::advance();
    });
    if (!legal)
      signalPassFailure();
  }
};
} // namespace
