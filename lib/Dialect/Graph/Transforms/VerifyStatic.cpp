// graph-verify-static: the border between the graph stage and the view stage.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHVERIFYSTATIC
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

static constexpr StringLiteral advice =
    " with a dynamic dimension that has no range; declare its symbols in tgraph.symbols "
    "(--dim=NAME=MIN..MAX), or give them a value with --symbol=NAME=VALUE";

/// Whether each dimension of the tensor is known to lie between two numbers.
static bool hasRanges(TensorType tensor, func::FuncOp function) {
  if (!function || !getShape(tensor))
    return false;
  int64_t elements = 1;
  return llvm::all_of(getMostShape(tensor, function),
                      [&](int64_t most) {
                        return most >= 0 &&
                               !llvm::MulOverflow(elements, std::max<int64_t>(most, 1), elements);
                      }) &&
         llvm::all_of(*getShape(tensor),
                      [&](const Dim &dim) { return getLeast(dim, function).value_or(-1) >= 0; });
}

namespace {
struct GraphVerifyStatic : tw::impl::GraphVerifyStaticBase<GraphVerifyStatic> {
  void runOnOperation() override {
    bool legal = true;
    auto report = [&](Operation *op) {
      legal = false;
      return tw::emitOpError(op, Code::T0215);
    };
    auto findDynamic = [](TypeRange types, func::FuncOp function) -> Type {
      for (Type type : types)
        if (auto tensor = dyn_cast<TensorType>(type);
            tensor && !tensor.hasStaticShape() && !hasRanges(tensor, function))
          return type;
      return {};
    };
    func::FuncOp around;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp, func::ReturnOp>(op))
        return WalkResult::advance();
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        around = function;
        if (Type type = findDynamic(function.getArgumentTypes(), function))
          report(op) << "has the argument type " << type << advice;
        return WalkResult::advance();
      }
      StringRef name = op->getName().getStringRef();
      bool isKernel = name == "tkernel.kernel";
      if (!isKernel && !isa<GraphDialect>(op->getDialect()) && name != "tview.materialize")
        report(op) << "may not be in the graph stage; convert it to tgraph first";
      else if (isa<CompositeOpInterface>(op))
        report(op) << "is a composite at the end of the graph stage; run graph-decompose";
      else if (Type type = findDynamic(op->getResultTypes(), around))
        report(op) << "has the result type " << type << advice;
      // What a kernel computes is its own.
      return isKernel ? WalkResult::skip() : WalkResult::advance();
    });
    if (!legal)
      signalPassFailure();
  }
};
} // namespace
