// State of a model: inputs that are given up, and the outputs that take their memory.
//
// A decoder takes a cache of keys and values and gives one that is longer. Told which of its inputs
// and outputs go together, the program has room for the most that each comes to, and new rows are
// stored behind those that are there.
#include "State.h"

#include "tw/Dialect/Graph/AssumedValues.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

/// What stands in place of the pattern's star, nothing if the name does not fit.
static std::optional<StringRef> matchName(StringRef name, StringRef pattern) {
  auto [before, after] = pattern.split('*');
  if (!pattern.contains('*'))
    return name == pattern ? std::optional(StringRef()) : std::nullopt;
  if (name.size() < before.size() + after.size() || !name.consume_front(before) ||
      !name.consume_back(after))
    return std::nullopt;
  return name;
}

/// The argument's sizes in memory: where the result has another one, the most that this comes to.
static FailureOr<graph::DimsAttr> findRoom(func::FuncOp function, unsigned argument,
                                           unsigned result) {
  std::optional<graph::Shape> shape = graph::getShape(function.getArgumentTypes()[argument]);
  std::optional<graph::Shape> grown = graph::getShape(function.getResultTypes()[result]);
  // The verifier tells of types that do not go together.
  if (!shape || !grown || shape->size() != grown->size())
    return graph::DimsAttr();
  SmallVector<Dim> room;
  for (auto [size, after] : llvm::zip(*shape, *grown)) {
    if (size == after) {
      room.push_back(size);
      continue;
    }
    std::optional<int64_t> most = graph::getMost(after, function);
    if (!most)
      return failure();
    room.push_back(Dim(*most));
  }
  return graph::DimsAttr::get(function.getContext(), room);
}

LogicalResult onnx::shareState(ModuleOp module, const ImportOptions &options) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  MLIRContext *context = module.getContext();
  SmallVector<StringRef> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.push_back(function.getArgAttrOfType<StringAttr>(i, "tgraph.name").getValue());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.push_back(function.getResultAttrOfType<StringAttr>(i, "tgraph.name").getValue());
  for (const auto &[given, kept] : options.aliases) {
    bool isUsed = false;
    for (auto [i, name] : llvm::enumerate(arguments)) {
      std::optional<StringRef> part = matchName(name, given);
      if (!part)
        continue;
      isUsed = true;
      auto [before, after] = StringRef(kept).split('*');
      std::string wanted = (before + *part + after).str();
      auto *it = llvm::find(results, StringRef(wanted));
      if (it == results.end())
        return emitError(function.getLoc(), Code::T0116)
               << "the model has no output '" << wanted
               << "', which is to take the memory of input '" << name << "'"
               << listKnown(wanted, results);
      if (function.getArgAttr(i, graph::assumedName))
        return emitError(function.getLoc(), Code::T0116)
               << "input '" << name << "' has an assumed value, on which the program relies, and '"
               << wanted << "' is to take its memory, after which it has another one: leave out "
               << "--assume or --alias for it";
      unsigned result = it - results.begin();
      function.setArgAttr(i, graph::aliasName,
                          IntegerAttr::get(IntegerType::get(context, 64), result));
      FailureOr<graph::DimsAttr> room = findRoom(function, i, result);
      if (failed(room))
        return emitError(function.getLoc(), Code::T0116)
               << "output '" << wanted << "' of " << function.getResultTypes()[result]
               << " has no largest size: give its symbols ranges (--dim=NAME=MIN..MAX)";
      if (*room && graph::getShape(function.getResultTypes()[result]) !=
                       graph::getShape(function.getArgumentTypes()[i]))
        function.setArgAttr(i, graph::storageName, *room);
    }
    if (!isUsed)
      return emitError(function.getLoc(), Code::T0116)
             << "the model has no input '" << given << "'" << listKnown(given, arguments);
  }
  return function.verify();
}
