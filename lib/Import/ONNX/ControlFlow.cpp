// Branches and loops. Tensor programs have neither: a branch whose condition is known is taken, of
// an unknown one both sides are computed and one is selected, and loops are unrolled.
#include "GraphImporter.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// Longer loops make programs that are too large to compile.
static constexpr int64_t maxIterations = 1024;

bool GraphImporter::importBody(NodeImport &n, const Graph &body, llvm::ArrayRef<Value> arguments,
                               llvm::SmallVectorImpl<Value> &results) {
  Location loc = emit.location();
  std::string subject = emit.name().str();
  if (body.inputs.size() != arguments.size()) {
    n.error(Code::T0104) << "its graph has " << body.inputs.size() << " inputs, expected "
                         << arguments.size();
    return false;
  }
  llvm::StringMap<Value> outerValues = values;
  llvm::StringMap<const Tensor *> outerInitializers = initializers;
  unsigned errorsBefore = errors;
  declareInitializers(body);
  emit.begin(loc, subject);
  for (auto [info, argument] : llvm::zip_equal(body.inputs, arguments))
    define(info.name, argument);
  if (!emit.failed())
    importNodes(body);
  else
    ++errors;
  bool ok = errors == errorsBefore, unknown = false;
  emit.begin(loc, subject);
  SmallVector<llvm::StringRef> names;
  for (const ValueInfo &info : body.outputs)
    names.push_back(info.name);
  ok = ok && lookUp(names, results, unknown) && !unknown;
  for (Value result : results)
    ok &= static_cast<bool>(result);
  values = std::move(outerValues);
  initializers = std::move(outerInitializers);
  return ok;
}

bool GraphImporter::importControl(NodeImport &n) {
  if (n.node.op == "If")
    importIf(n);
  else if (n.node.op == "Loop")
    importLoop(n);
  else
    importScan(n);
  return llvm::all_of(llvm::enumerate(n.allResults()),
                      [&](auto item) { return item.value() || !n.wants(item.index()); });
}

void GraphImporter::importIf(NodeImport &n) {
  const Graph *onTrue = n.graph("then_branch"), *onFalse = n.graph("else_branch");
  if (!onTrue || !onFalse)
    return n.missing(onTrue ? "else_branch" : "then_branch");
  n.requireBool(0);
  Value condition = emit.reshape(n.input(0), {});
  if (n.failed())
    return;
  SmallVector<Value> results, others;
  if (DenseElementsAttr known = n.known(condition)) {
    bool taken = *known.value_begin<bool>();
    if (!importBody(n, taken ? *onTrue : *onFalse, {}, results))
      return;
  } else {
    if (!importBody(n, *onTrue, {}, results) || !importBody(n, *onFalse, {}, others))
      return;
    for (size_t i = 0; i < std::min(results.size(), others.size()); ++i) {
      if (results[i].getType() != others[i].getType())
        return n.unsupported("branches whose results differ in type",
                             "shapes that depend on values", "branches of equal types");
      results[i] = emit.select(condition, results[i], others[i]);
    }
  }
  for (auto [i, result] : llvm::enumerate(results))
    n.result(i, result);
}

void GraphImporter::importLoop(NodeImport &n) {
  const Graph *body = n.graph("body");
  if (!body)
    return n.missing("body");
  int64_t trips = std::numeric_limits<int64_t>::max();
  if (n.has(0)) {
    std::optional<int64_t> given = n.constantInteger(0);
    if (!given)
      return;
    trips = *given;
  }
  SmallVector<Value> carried(n.allInputs().drop_front(std::min<size_t>(n.count(), 2)));
  SmallVector<SmallVector<Value>> collected;
  if (n.has(1))
    n.requireBool(1);
  Value condition = n.has(1) ? n.input(1) : emit.splat({}, emit.i1(), 1);
  if (n.failed())
    return;
  for (int64_t i = 0; i < trips; ++i) {
    DenseElementsAttr goesOn = n.known(condition);
    if (!goesOn)
      return n.unsupported("a condition that depends on inputs", "loops in tgraph",
                           "a trip count and the condition true");
    if (!goesOn.getNumElements() || !*goesOn.value_begin<bool>())
      break;
    if (i == maxIterations)
      return n.unsupported("more than " + llvm::Twine(maxIterations) + " iterations",
                           "loops in tgraph", "a shorter loop");
    SmallVector<Value> arguments{emit.reshape(emit.integers({i}), {}), condition}, results;
    llvm::append_range(arguments, carried);
    if (!importBody(n, *body, arguments, results))
      return;
    if (results.size() < 1 + carried.size()) {
      n.error(Code::T0104) << "its graph has " << results.size() << " outputs, expected at least "
                           << 1 + carried.size();
      return;
    }
    condition = results.front();
    if (!emit.isBool(condition)) {
      n.error(Code::T0107) << "its graph gives a condition of the element type "
                           << emit.element(condition) << ", expected bool";
      return;
    }
    llvm::copy(ArrayRef<Value>(results).slice(1, carried.size()), carried.begin());
    collected.resize(results.size() - 1 - carried.size());
    for (auto [list, result] :
         llvm::zip_equal(collected, ArrayRef<Value>(results).drop_front(1 + carried.size())))
      list.push_back(emit.unsqueeze(result, 0));
  }
  for (auto [i, value] : llvm::enumerate(carried))
    n.result(i, value);
  for (auto [i, list] : llvm::enumerate(collected))
    n.result(carried.size() + i, emit.concat(list, 0));
}

/// States go from step to step; inputs are cut along their axes, a slice per step, and so are
/// results put together.
void GraphImporter::importScan(NodeImport &n) {
  const Graph *body = n.graph("body");
  if (!body)
    return n.missing("body");
  int64_t scanned = n.integer("num_scan_inputs", 0);
  size_t count = n.count(), states = count - static_cast<size_t>(scanned);
  if (scanned < 1 || static_cast<size_t>(scanned) > count || body->outputs.size() < states) {
    n.error(Code::T0108) << "attribute 'num_scan_inputs' is " << scanned << ", the node has "
                         << count << " inputs and its graph " << body->outputs.size() << " outputs";
    return;
  }
  size_t collected = body->outputs.size() - states;
  // One number per scanned input or collected output, 0 if none is given.
  auto list = [&](llvm::StringRef name, size_t size) {
    Shape values = n.integers(name).value_or(Shape(size, 0));
    if (values.size() != size)
      n.error(Code::T0108) << "attribute '" << name << "' has " << values.size()
                           << " entries, expected " << size;
    values.resize(size);
    return values;
  };
  Shape axes = list("scan_input_axes", scanned), backward = list("scan_input_directions", scanned);
  Shape outAxes = list("scan_output_axes", collected),
        outBackward = list("scan_output_directions", collected);
  SmallVector<Value> carried(n.allInputs().take_front(states)),
      inputs(n.allInputs().drop_front(states));
  int64_t steps = 0;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    axes[i] = n.axis(axes[i], Emitter::rank(input));
    int64_t size = Emitter::size(input, axes[i]);
    if (i && size != steps)
      n.error(Code::T0111) << "scanned inputs have " << steps << " and " << size << " slices";
    steps = size;
  }
  if (n.failed())
    return;
  if (steps > maxIterations || (!steps && collected))
    return n.unsupported(llvm::Twine(steps) + " iterations", "loops in tgraph",
                         "1 to " + llvm::Twine(maxIterations));
  SmallVector<SmallVector<Value>> pieces(collected);
  for (int64_t i = 0; i < steps; ++i) {
    SmallVector<Value> arguments = carried, results;
    for (auto [input, axis, isBackward] : llvm::zip_equal(inputs, axes, backward))
      arguments.push_back(
          emit.squeeze(emit.sliceDim(input, axis, isBackward ? steps - 1 - i : i, 1), axis));
    if (!importBody(n, *body, arguments, results))
      return;
    llvm::copy(ArrayRef<Value>(results).take_front(states), carried.begin());
    for (auto [list, result] : llvm::zip_equal(pieces, ArrayRef<Value>(results).drop_front(states)))
      list.push_back(result);
  }
  for (auto [i, value] : llvm::enumerate(carried))
    n.result(i, value);
  for (auto [i, list] : llvm::enumerate(pieces)) {
    int64_t axis = n.axis(outAxes[i], Emitter::rank(list.front()) + 1);
    if (outBackward[i])
      std::reverse(list.begin(), list.end());
    for (Value &piece : list)
      piece = emit.unsqueeze(piece, axis);
    n.result(states + i, emit.concat(list, axis));
  }
}
