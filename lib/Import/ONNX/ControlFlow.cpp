// Branches, scans, and the graphs inside of nodes.
#include "GraphImporter.h"

#include "SizeTrace.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

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

Emitter::Values GraphImporter::bodyValues(NodeImport &n, const Graph &body,
                                          llvm::ArrayRef<Value> arguments, bool &isKnown) {
  Emitter::Values values;
  if (!importBody(n, body, arguments, values)) {
    isKnown = false;
    values.clear();
  }
  return values;
}

void GraphImporter::forget() {
  constants.forget();
  if (counted && counted->trace)
    counted->trace->forget();
}

bool GraphImporter::importControl(NodeImport &n) {
  if (n.node.op == "If")
    importIf(n);
  else if (n.node.op == "Loop")
    importLoop(n);
  else
    importScan(n);
  bool isComplete = llvm::all_of(llvm::enumerate(n.allResults()),
                                 [&](auto item) { return item.value() || !n.wants(item.index()); });
  // What could not be imported is gone, and values that come next may take its place in memory.
  if (!isComplete || n.failed())
    forget();
  return isComplete;
}

void GraphImporter::importIf(NodeImport &n) {
  const Graph *onTrue = n.graph("then_branch"), *onFalse = n.graph("else_branch");
  if (!onTrue || !onFalse)
    return n.missing(onTrue ? "else_branch" : "then_branch");
  n.requireBool(0);
  Value condition = emit.reshape(n.input(0), {});
  if (n.failed())
    return;
  SmallVector<Value> results;
  DenseElementsAttr known = n.isOpen() ? DenseElementsAttr() : n.knownWay(condition);
  bool taken = known && *known.value_begin<bool>();
  if (known) {
    n.decidesWay(taken);
    auto inside = enterPlace(n, taken ? ".then" : ".else");
    if (!importBody(n, taken ? *onTrue : *onFalse, {}, results))
      return;
  } else {
    bool isKnown = true;
    results = branchValues(n, condition, *onTrue, *onFalse, isKnown);
    if (results.empty() && isKnown && !n.failed())
      return n.unsupported("branches whose results differ in rank or element type",
                           "types that depend on values",
                           "branches of equal types, or that differ in sizes");
  }
  for (auto [i, result] : llvm::enumerate(results))
    n.result(i, result);
}

llvm::SaveAndRestore<std::string> GraphImporter::enterPlace(const NodeImport &n,
                                                            const llvm::Twine &part) {
  std::string &now = counted ? counted->place : noPlace;
  return {now, now + ("." + n.getKey() + part).str()};
}

Emitter::Values GraphImporter::branchValues(NodeImport &n, Value condition, const Graph &onTrue,
                                            const Graph &onFalse, bool &isKnown) {
  // Of each result, what is counted of it.
  using Dims = SmallVector<std::pair<int64_t, CountedSizes::Side>>;
  SmallVector<Dims> all;
  // By name, the numbers of the results that hold them.
  SmallVector<std::pair<std::string, size_t>> numbers;
  auto finish = [&](ArrayRef<Value> first, ArrayRef<Value> second, bool isFirst) {
    if (isFirst)
      for (auto [i, pair] : llvm::enumerate(llvm::zip(first, second)))
        all.push_back(
            n.findSides(i, Emitter::shape(std::get<0>(pair)), Emitter::shape(std::get<1>(pair))));
    Emitter::Values values(isFirst ? first : second);
    SmallVector<std::string> named;
    for (size_t i = 0; i < all.size() && i < values.size(); ++i)
      for (const auto &[dim, side] : all[i]) {
        Value x = values[i];
        int64_t size = Emitter::size(x, dim);
        if (elementCount(Emitter::shape(x)) == 0) {
          Shape shape(Emitter::shape(x));
          shape[size_t(dim)] = side.room;
          values[i] = emit.splat(shape, Emitter::element(x), 0);
        } else {
          values[i] = emit.gather(x, {emit.iota({side.room}, 0, emit.i64())}, dim);
        }
        if (llvm::is_contained(named, side.name))
          continue;
        named.push_back(side.name);
        if (isFirst)
          numbers.emplace_back(side.name, values.size());
        values.push_back(emit.splat({}, emit.i64(), double(size)));
      }
    return values;
  };
  Emitter::Values results = emit.branch(
      condition,
      [&] {
        auto inside = enterPlace(n, ".then");
        return bodyValues(n, onTrue, {}, isKnown);
      },
      [&] {
        auto inside = enterPlace(n, ".else");
        return bodyValues(n, onFalse, {}, isKnown);
      },
      finish);
  for (size_t i = 0; i < all.size() && i < results.size(); ++i)
    for (const auto &[dim, side] : all[i]) {
      auto *number = llvm::find_if(
          numbers, [&, &own = side](const auto &each) { return each.first == own.name; });
      std::optional<int64_t> size = n.countedSize(side.name, side.room);
      if (!size)
        return {};
      results[i] = emit.prefix(results[i], results[number->second], dim, *size);
    }
  results.truncate(std::min(results.size(), all.size()));
  return results;
}

bool GraphImporter::attempt(NodeImport &n, llvm::function_ref<void(NodeImport &)> import) {
  Location loc = emit.location();
  std::string subject = emit.name().str();
  OpBuilder &builder = emit.ops();
  Block *block = builder.getInsertionBlock();
  Block::iterator place = builder.getInsertionPoint();
  Operation *before = place == block->begin() ? nullptr : &*std::prev(place);
  Report reported = report;
  llvm::DenseMap<Value, Value> foundBefore = found;
  std::optional<CountedSizes> sizes = counted ? std::optional(*counted) : std::nullopt;
  unsigned errorsBefore = errors;
  NodeImport trial = n;
  {
    // Another way comes next, which says what is wrong.
    ScopedDiagnosticHandler handler(builder.getContext(), [](Diagnostic &) {});
    import(trial);
  }
  bool isComplete = llvm::all_of(llvm::enumerate(trial.allResults()), [&](auto result) {
    return result.value() || !n.wants(result.index());
  });
  if (!trial.failed() && errors == errorsBefore && isComplete) {
    for (auto [i, result] : llvm::enumerate(trial.allResults()))
      n.result(i, result);
    return true;
  }
  report = reported;
  found = std::move(foundBefore);
  if (sizes)
    *counted = std::move(*sizes);
  errors = errorsBefore;
  builder.setInsertionPoint(block, place);
  while (place != block->begin() && &*std::prev(place) != before)
    std::prev(place)->erase();
  forget();
  emit.begin(loc, subject);
  return false;
}

/// States go from step to step; inputs are cut along their axes, a slice per step, and so are
/// results put together.
/// What the attributes of a Scan say: one number per scanned input or collected output.
struct GraphImporter::ScanForm {
  /// States, then what is scanned.
  SmallVector<Value> inputs;
  size_t states, collected;
  Shape axes, backward, outAxes, outBackward;
  int64_t steps = 0;
};

void GraphImporter::importScan(NodeImport &n) {
  const Graph *body = n.graph("body");
  if (!body)
    return n.missing("body");
  if (n.opset < 9)
    return importBatchedScan(n, *body);
  if (std::optional<ScanForm> form = readScan(n, *body, n.allInputs()))
    runScan(n, *body, *form);
}

void GraphImporter::runScan(NodeImport &n, const Graph &body, const ScanForm &form) {
  // Bodies that need the numbers of an iteration have one each.
  if (form.steps > maxUnrolled || (!form.steps && form.collected))
    return scanAsLoop(n, body, form);
  if (!attempt(n, [&](NodeImport &trial) { scanAsLoop(trial, body, form); }))
    unrollScan(n, body, form);
}

/// Version 8: dimension 0 of all is the batch, of which each element is scanned by itself.
void GraphImporter::importBatchedScan(NodeImport &n, const Graph &body) {
  ArrayRef<Value> inputs = n.allInputs().drop_front(std::min<size_t>(n.count(), 1));
  int64_t batch = inputs.empty() ? 0 : Emitter::size(inputs.front(), 0);
  for (Value input : inputs)
    if (!input || Emitter::rank(input) == 0 || Emitter::size(input, 0) != batch)
      n.error(Code::T0111) << "expected inputs with a first dimension of " << batch
                           << " elements, the batch, found " << shapeText(Emitter::shape(input));
  if (batch == 0 && !n.failed())
    n.error(Code::T0111) << "expected a batch with elements, found none";
  if (n.failed())
    return;
  SmallVector<SmallVector<Value>> results(n.node.outputs.size());
  for (int64_t element = 0; element < batch; ++element) {
    auto take = [&](Value input) { return emit.squeeze(emit.sliceDim(input, 0, element, 1), 0); };
    std::optional<ScanForm> form = readScan(n, body, llvm::map_to_vector(inputs, take));
    if (!form)
      return;
    if (n.has(0)) {
      std::optional<Shape> lengths = n.constantIntegers(0);
      if (!lengths)
        return;
      if (Emitter::rank(n.input(0)) != 1 || int64_t(lengths->size()) != batch) {
        n.error(Code::T0111) << "input 0, the lengths of the sequences, has the shape "
                             << shapeText(Emitter::shape(n.input(0))) << ", expected [" << batch
                             << "]";
        return;
      }
      if (llvm::any_of(*lengths, [&](int64_t length) { return length != form->steps; }))
        return n.unsupported("sequences of other lengths", "lengths of sequences",
                             "sequences that are as long as there is room");
    }
    NodeImport part = n;
    runScan(part, body, *form);
    if (part.isUnsupported())
      return n.unsupported("", "this body in a batch", "operator set 9");
    for (auto [list, result] : llvm::zip_first(results, part.allResults()))
      list.push_back(result ? emit.unsqueeze(result, 0) : Value());
  }
  for (auto [i, list] : llvm::enumerate(results))
    if (!llvm::is_contained(list, Value()))
      n.result(i, emit.concat(list, 0));
}

std::optional<GraphImporter::ScanForm> GraphImporter::readScan(NodeImport &n, const Graph &body,
                                                               ArrayRef<Value> inputs) {
  int64_t scanned = n.integer("num_scan_inputs", 0);
  size_t count = inputs.size(), states = count - static_cast<size_t>(scanned);
  if (scanned < 1 || static_cast<size_t>(scanned) > count || body.outputs.size() < states) {
    n.error(Code::T0108) << "attribute 'num_scan_inputs' is " << scanned << ", the node has "
                         << count << " inputs and its graph " << body.outputs.size() << " outputs";
    return std::nullopt;
  }
  auto list = [&](llvm::StringRef name, size_t size) {
    Shape values = n.integers(name).value_or(Shape(size, 0));
    if (values.size() != size)
      n.error(Code::T0108) << "attribute '" << name << "' has " << values.size()
                           << " entries, expected " << size;
    values.resize(size);
    return values;
  };
  ScanForm form{SmallVector<Value>(inputs), states, body.outputs.size() - states, {}, {}, {}, {}};
  form.axes = list("scan_input_axes", scanned);
  form.backward = list(n.opset < 9 ? "directions" : "scan_input_directions", scanned);
  form.outAxes = list("scan_output_axes", form.collected);
  form.outBackward = list("scan_output_directions", form.collected);
  for (auto [i, input] : llvm::enumerate(inputs.drop_front(states))) {
    form.axes[i] = n.axis(form.axes[i], Emitter::rank(input));
    int64_t size = Emitter::size(input, form.axes[i]);
    if (i && size != form.steps)
      n.error(Code::T0111) << "scanned inputs have " << form.steps << " and " << size << " slices";
    form.steps = size;
  }
  return n.failed() ? std::nullopt : std::optional(form);
}

/// `x` with dimension `from` at the place of `to`, the others in order.
static Value moveDim(Emitter &emit, Value x, int64_t from, int64_t to) {
  Shape order = indices(Emitter::rank(x));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return from == to ? x : emit.permute(x, order);
}

void GraphImporter::scanAsLoop(NodeImport &n, const Graph &body, const ScanForm &form) {
  bool reverse = llvm::all_of(form.backward, [](int64_t backward) { return backward != 0; });
  SmallVector<Value> slices;
  for (auto [input, axis, backward] :
       llvm::zip_equal(ArrayRef(form.inputs).drop_front(form.states), form.axes, form.backward)) {
    Value moved = moveDim(emit, input, axis, 0);
    slices.push_back((backward != 0) == reverse ? moved : emit.flip(moved, {0}));
  }
  bool isKnown = true;
  Emitter::Values results =
      emit.repeat(form.steps, reverse, ArrayRef(form.inputs).take_front(form.states), slices,
                  [&](ArrayRef<Value> carried, ArrayRef<Value> parts) {
                    SmallVector<Value> arguments(carried);
                    llvm::append_range(arguments, parts);
                    auto inside = enterPlace(n);
                    return bodyValues(n, body, arguments, isKnown);
                  });
  if (results.empty())
    return;
  for (size_t i = 0; i < form.states; ++i)
    n.result(i, results[i]);
  for (size_t i = 0; i < form.collected; ++i) {
    Value stacked = results[form.states + i];
    int64_t axis = n.axis(form.outAxes[i], Emitter::rank(stacked));
    if ((form.outBackward[i] != 0) != reverse)
      stacked = emit.flip(stacked, {0});
    n.result(form.states + i, n.failed() ? Value() : moveDim(emit, stacked, 0, axis));
  }
}

void GraphImporter::unrollScan(NodeImport &n, const Graph &body, const ScanForm &form) {
  SmallVector<Value> carried(ArrayRef(form.inputs).take_front(form.states));
  SmallVector<SmallVector<Value>> pieces(form.collected);
  for (int64_t i = 0; i < form.steps; ++i) {
    SmallVector<Value> arguments = carried, results;
    auto inside = enterPlace(n, "." + Twine(i));
    for (auto [input, axis, isBackward] :
         llvm::zip_equal(ArrayRef(form.inputs).drop_front(form.states), form.axes, form.backward))
      arguments.push_back(
          emit.squeeze(emit.sliceDim(input, axis, isBackward ? form.steps - 1 - i : i, 1), axis));
    if (!importBody(n, body, arguments, results))
      return;
    llvm::copy(ArrayRef<Value>(results).take_front(form.states), carried.begin());
    for (auto [list, result] :
         llvm::zip_equal(pieces, ArrayRef<Value>(results).drop_front(form.states)))
      list.push_back(result);
  }
  for (auto [i, value] : llvm::enumerate(carried))
    n.result(i, value);
  for (auto [i, list] : llvm::enumerate(pieces)) {
    int64_t axis = n.axis(form.outAxes[i], Emitter::rank(list.front()) + 1);
    if (form.outBackward[i])
      std::reverse(list.begin(), list.end());
    for (Value &piece : list)
      piece = emit.unsqueeze(piece, axis);
    n.result(form.states + i, emit.concat(list, axis));
  }
}
