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

    if (mode == "forward")
      return addTangent(in, *result, results[*result], chosen, arguments);
    if (mode != "reverse")
      return tw::emitError(in.getLoc(), Code::T0223)
             << "graph-differentiate: expected the mode reverse or forward, found '" << mode << "'";
    return addGradients(in, *result, results[*result], chosen, arguments);
  }

  DictionaryAttr nameIt(const std::string &name) {
    auto nameOf = StringAttr::get(&getContext(), "tgraph.name");
    return DictionaryAttr::get(&getContext(),
                               NamedAttribute(nameOf, StringAttr::get(&getContext(), name)));
  }
  /// At the end.
  Value addArgument(func::FuncOp in, const std::string &name, Type type) {
    (void)in.insertArgument(in.getNumArguments(), type, nameIt(name), in.getLoc());
    return in.getArguments().back();
  }
  void addResult(func::FuncOp in, const std::string &name, Value value) {
    (void)in.insertResult(in.getNumResults(), value.getType(), nameIt(name));
    Operation *end = in.getBody().front().getTerminator();
    end->insertOperands(end->getNumOperands(), value);
  }
  Value orZeros(func::FuncOp in, Value derivative, Value of, Value by, StringRef result,
                StringRef argument) {
    if (derivative)
      return derivative;
    mlir::emitWarning(of.getLoc()) << "'" << result << "' does not depend on '" << argument
                                   << "': its derivative is zero everywhere [T0222]";
    OpBuilder builder(in.getBody().front().getTerminator());
    return splat(builder, in.getLoc(), cast<RankedTensorType>(by.getType()), 0);
  }

  LogicalResult addTangent(func::FuncOp in, unsigned result, const std::string &name,
                           ArrayRef<unsigned> chosen, ArrayRef<std::string> arguments) {
    Operation *end = in.getBody().front().getTerminator();
    SmallVector<Value> values, tangents;
    for (unsigned i : chosen) {
      values.push_back(in.getArgument(i));
      tangents.push_back(addArgument(in, "tangent." + arguments[i], values.back().getType()));
    }
    OpBuilder builder(end);
    Value of = end->getOperand(result);
    FailureOr<SmallVector<Value>> moved = buildTangents(builder, of, values, tangents);
    if (failed(moved))
      return failure();
    of = end->getOperand(result);
    addResult(in, "tangent." + name,
              orZeros(in, moved->front(), of, of, name, llvm::join(wrt, ", ")));
    return success();
  }

  LogicalResult addGradients(func::FuncOp in, unsigned result, const std::string &name,
                             ArrayRef<unsigned> chosen, ArrayRef<std::string> arguments) {
    Operation *end = in.getBody().front().getTerminator();
    Value of = end->getOperand(result), seed;
    SmallVector<Value> values;
    for (unsigned i : chosen)
      values.push_back(in.getArgument(i));
    auto type = cast<RankedTensorType>(of.getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1)
      seed = addArgument(in, "seed." + name, type);
    OpBuilder builder(end);
    FailureOr<SmallVector<Value>> gradients = buildGradients(builder, of, seed, values);
    if (failed(gradients))
      return failure();
    of = end->getOperand(result);
    for (auto [i, number] : llvm::enumerate(chosen))
      addResult(in, "grad." + arguments[number],
                orZeros(in, (*gradients)[i], of, values[i], name, arguments[number]));
    return success();
  }
};

} // namespace
