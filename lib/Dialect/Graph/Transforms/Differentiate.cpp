// graph-differentiate: a function returns derivatives of a result beside its results.
#include "tw/Dialect/Graph/Create.h"
#include "tw/Dialect/Graph/Derivatives.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Suggest.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHDIFFERENTIATE
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

/// Names of the arguments or results of a function, or their numbers where they have none.
SmallVector<std::string> getNames(unsigned count,
                                  llvm::function_ref<StringAttr(unsigned)> getName) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < count; ++i) {
    StringAttr name = getName(i);
    names.push_back(name ? name.str() : std::to_string(i));
  }
  return names;
}

struct GraphDifferentiate : tw::impl::GraphDifferentiateBase<GraphDifferentiate> {
  using GraphDifferentiateBase::GraphDifferentiateBase;

  void runOnOperation() override {
    auto found = getOperation().lookupSymbol<func::FuncOp>(function);
    if (!found || found.isExternal()) {
      auto diagnostic = tw::emitError(getOperation()->getLoc(), Code::T0223);
      diagnostic << "graph-differentiate: the module has no function '" << function
                 << "' with a body";
      return signalPassFailure();
    }
    if (failed(differentiate(found)))
      signalPassFailure();
  }

  /// The number of the argument or result that is called so.
  FailureOr<unsigned> find(func::FuncOp in, StringRef what, StringRef wanted,
                           ArrayRef<std::string> names) {
    for (auto [i, name] : llvm::enumerate(names))
      if (wanted == name)
        return i;
    unsigned number;
    if (!wanted.getAsInteger(10, number) && number < names.size())
      return number;
    return tw::emitError(in.getLoc(), Code::T0223)
           << "graph-differentiate: '" << in.getName() << "' has no " << what << " '" << wanted
           << "'; it has " << llvm::join(names, ", ");
  }

  LogicalResult checkFloats(func::FuncOp in, StringRef what, StringRef name, Type type) {
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      return success();
    return tw::emitError(in.getLoc(), Code::T0223)
           << "graph-differentiate: expected " << what << " '" << name << "' to be floats, found "
           << type;
  }

  LogicalResult differentiate(func::FuncOp in) {
    auto nameOf = StringAttr::get(&getContext(), "tgraph.name");
    SmallVector<std::string> arguments = getNames(in.getNumArguments(), [&](unsigned i) {
      return in.getArgAttrOfType<StringAttr>(i, nameOf);
    });
    SmallVector<std::string> results = getNames(in.getNumResults(), [&](unsigned i) {
      return in.getResultAttrOfType<StringAttr>(i, nameOf);
    });
    if (!llvm::hasSingleElement(in.getBody()))
      return tw::emitError(in.getLoc(), Code::T0223)
             << "graph-differentiate: expected a function of one block, found "
             << in.getBody().getBlocks().size();
    FailureOr<unsigned> result = find(in, "result", of, results);
    if (failed(result))
      return failure();
    Operation *end = in.getBody().front().getTerminator();
    Value value = end->getOperand(*result);
    if (failed(checkFloats(in, "result", results[*result], value.getType())))
      return failure();
    SmallVector<unsigned> chosen;
    for (const std::string &name : wrt) {
      FailureOr<unsigned> argument = find(in, "argument", name, arguments);
      if (failed(argument) ||
          failed(checkFloats(in, "argument", name, in.getArgumentTypes()[*argument])))
        return failure();
      chosen.push_back(*argument);
    }
    for (unsigned i = 0; wrt.empty() && i < in.getNumArguments(); ++i)
      if (isa<FloatType>(getElementTypeOrSelf(in.getArgumentTypes()[i])))
        chosen.push_back(i);

    SmallVector<Value> values;
    for (unsigned i : chosen)
      values.push_back(in.getArgument(i));
    Value seed;
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1) {
      auto name = StringAttr::get(&getContext(), "seed." + results[*result]);
      (void)in.insertArgument(in.getNumArguments(), type,
                              DictionaryAttr::get(&getContext(), NamedAttribute(nameOf, name)),
                              in.getLoc());
      seed = in.getArguments().back();
    }
    OpBuilder builder(end);
    FailureOr<SmallVector<Value>> gradients = buildGradients(builder, value, seed, values);
    if (failed(gradients))
      return failure();
    for (auto [i, number] : llvm::enumerate(chosen)) {
      Value gradient = (*gradients)[i];
      if (!gradient) {
        mlir::emitWarning(value.getLoc())
            << "'" << results[*result] << "' does not depend on '" << arguments[number]
            << "': its derivative is zero everywhere [T0222]";
        gradient = splat(builder, in.getLoc(), cast<RankedTensorType>(values[i].getType()), 0);
      }
      auto name = StringAttr::get(&getContext(), "grad." + arguments[number]);
      (void)in.insertResult(in.getNumResults(), gradient.getType(),
                            DictionaryAttr::get(&getContext(), NamedAttribute(nameOf, name)));
      end->insertOperands(end->getNumOperands(), gradient);
    }
    return success();
  }
};

} // namespace
