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

/// Which dimension may have fewer elements than none, and what can be done; or nothing.
static std::string describeNegative(Type type, func::FuncOp function) {
  std::optional<Shape> shape = getShape(cast<TensorType>(type));
  for (auto [d, dim] : llvm::enumerate(shape.value_or(Shape())))
    if (std::optional<int64_t> least = function ? getLeast(dim, function) : std::nullopt;
        least.value_or(0) < 0)
      return (", of which dimension " + Twine(d) + " has " + toString(dim) + " elements, " +
              Twine(*least) + " at the least: give symbols ranges in which it has 0 and more " +
              "(--dim=NAME=MIN..MAX)")
          .str();
  return advice.str();
}

/// Whether all elements that a slice takes are there at all sizes of a call.
template <typename Report>
static void checkInside(SliceOp slice, func::FuncOp function, Report report) {
  for (auto [d, dim] : llvm::enumerate(*getShape(slice.getInput().getType()))) {
    int64_t size = slice.getSizes()[d];
    if (dim.isStatic() || size <= 0)
      continue;
    int64_t last = slice.getOffsets()[d] + (size - 1) * slice.getStrides()[d];
    int64_t least = getLeast(dim, function).value_or(0);
    if (last >= least)
      report(slice) << "takes element " << last << " of dimension " << d << ", of which there are "
                    << toString(dim) << ", " << least
                    << " at the least: give symbols ranges in which there are " << last + 1
                    << " (--dim=NAME=MIN..MAX)";
  }
}

/// Whether a loop runs as often as a size says, 0 times and more.
template <typename Report>
static void checkCount(ForOp loop, func::FuncOp function, Report report) {
  std::optional<Dim> count = loop.getIterations();
  int64_t least = count && function ? getLeast(*count, function).value_or(0) : 0;
  if (least < 0)
    report(loop) << "runs " << toString(*count) << " times, " << least
                 << " at the least: give symbols ranges in which that is 0 and more "
                    "(--dim=NAME=MIN..MAX)";
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
          report(op) << "has the argument type " << type << describeNegative(type, function);
        return WalkResult::advance();
      }
      StringRef name = op->getName().getStringRef();
      bool isKernel = name == "tkernel.kernel";
      if (!isKernel && !isa<GraphDialect>(op->getDialect()) && name != "tview.materialize")
        report(op) << "may not be in the graph stage; convert it to tgraph first";
      else if (isa<CompositeOpInterface>(op))
        report(op) << "is a composite at the end of the graph stage; run graph-decompose";
      else if (Type type = findDynamic(op->getResultTypes(), around))
        report(op) << "has the result type " << type << describeNegative(type, around);
      else if (auto slice = dyn_cast<SliceOp>(op))
        checkInside(slice, around, report);
      else if (auto loop = dyn_cast<ForOp>(op))
        checkCount(loop, around, report);
      // What a kernel computes is its own.
      return isKernel ? WalkResult::skip() : WalkResult::advance();
    });
    if (!legal)
      signalPassFailure();
  }
};
} // namespace
