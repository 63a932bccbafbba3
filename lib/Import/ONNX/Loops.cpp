// Loops by a count, by a condition, or both.
//
// A loop becomes one of tgraph. Only what has no such form is imported iteration by iteration:
// bodies that need an iteration's number to know a shape, values that grow, and results of a loop
// that ends by a condition, collected over iterations.
#include "GraphImporter.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// What no loop runs more often than: programs have no larger loops.
static constexpr int64_t maxIterations = std::numeric_limits<int32_t>::max();

struct GraphImporter::LoopForm {
  /// The number of iterations where it is known, else the tensor that holds it; neither if a
  /// condition alone ends the loop.
  std::optional<int64_t> known;
  Value amount;
  /// The condition before the first iteration.
  Value condition;
  SmallVector<Value> carried;
  size_t collected = 0;
};

std::optional<GraphImporter::LoopForm> GraphImporter::readLoop(NodeImport &n, const Graph &body) {
  LoopForm form;
  llvm::append_range(form.carried, n.allInputs().drop_front(std::min<size_t>(n.count(), 2)));
  if (body.inputs.size() != 2 + form.carried.size()) {
    n.error(Code::T0104) << "its graph has " << body.inputs.size() << " inputs, expected "
                         << 2 + form.carried.size();
    return std::nullopt;
  }
  if (body.outputs.size() < 1 + form.carried.size()) {
    n.error(Code::T0104) << "its graph has " << body.outputs.size()
                         << " outputs, expected at least " << 1 + form.carried.size();
    return std::nullopt;
  }
  form.collected = body.outputs.size() - 1 - form.carried.size();
  if (n.has(0)) {
    form.amount = emit.cast(emit.reshape(n.input(0), {}), emit.i64());
    if (DenseElementsAttr trips = n.known(form.amount)) {
      form.known = std::max<int64_t>(*trips.value_begin<int64_t>(), 0);
      // Fewer than none are none.
      if (counted && !n.isOpen())
        n.known(emit.maximum(form.amount, 0.0));
    }
  }
  if (n.has(1))
    n.requireBool(1);
  form.condition = n.has(1) ? emit.reshape(n.input(1), {}) : emit.splat({}, emit.i1(), 1);
  return n.failed() ? std::nullopt : std::optional(form);
}

void GraphImporter::importLoop(NodeImport &n) {
  const Graph *body = n.graph("body");
  if (!body)
    return n.missing("body");
  std::optional<LoopForm> form = readLoop(n, *body);
  if (!form)
    return;
  if (n.isOpen())
    return loopOfData(n, *body, *form);
  DenseElementsAttr first = n.known(form->condition);
  bool isTrue = first && *first.value_begin<bool>(), depends = true;
  if (first)
    n.decides(isTrue);
  if (form->known)
    n.decides(*form->known);
  if (first && !isTrue)
    form->known = 0;
  bool counts = false;
  auto count = [&](NodeImport &trial) {
    size_t before = counted ? counted->found.size() : 0;
    loopOfCount(trial, *body, *form, depends);
    counts |= counted && counted->found.size() > before;
  };
  auto unroll = [&](NodeImport &trial) { unrollLoop(trial, *body, *form); };
  // Of no iteration nothing need be known but what it would collect.
  if (form->known && *form->known == 0 && (attempt(n, unroll) || attempt(n, count)))
    return;
  if (isTrue && form->amount && attempt(n, count))
    return;
  // What an iteration counts may be what ends the loop, and is a number here.
  if (counts && depends && attempt(n, [&](NodeImport &trial) { loopOfData(trial, *body, *form); }))
    return;
  if (first && attempt(n, unroll))
    return;
  if (depends || !form->known)
    loopOfData(n, *body, *form);
  else if (*form->known > maxUnrolled || *form->known == 0)
    count(n);
  else
    unroll(n);
}

/// Results that a loop collects need to know how many there are: the number of iterations, which
/// inputs may be assumed to have, and a condition that does not end it before.
static void refuseCollecting(NodeImport &n) {
  for (size_t i : {0, 1})
    if (n.has(i) && !n.known(n.input(i))) {
      (void)n.constantIntegers(i);
      return;
    }
  n.unsupported("results that are collected over a number of iterations that depends on inputs",
                "sizes that depend on values",
                "a trip count that is known, and the condition true");
}

/// A loop whose condition stays true; else `depends`.
void GraphImporter::loopOfCount(NodeImport &n, const Graph &body, const LoopForm &form,
                                bool &depends) {
  if (!form.known && form.collected)
    return refuseCollecting(n);
  if (form.known && *form.known > maxIterations)
    return n.unsupported(llvm::Twine(*form.known) + " iterations", "longer loops in tgraph",
                         "at most " + llvm::Twine(maxIterations));
  bool isKnown = true;
  auto iteration = [&](Value number, ArrayRef<Value> carried) {
    SmallVector<Value> arguments{number, emit.splat({}, emit.i1(), 1)};
    llvm::append_range(arguments, carried);
    auto inside = enterPlace(n);
    Emitter::Values values = bodyValues(n, body, arguments, isKnown);
    DenseElementsAttr goesOn = values.empty() ? DenseElementsAttr() : n.known(values.front());
    depends = !values.empty() && (!form.known || *form.known > 0) &&
              (!goesOn || !*goesOn.value_begin<bool>());
    if (goesOn && (!form.known || *form.known > 0))
      n.decides(!depends);
    if (values.empty() || depends)
      return Emitter::Values();
    values.erase(values.begin());
    return values;
  };
  Emitter::Values results;
  if (form.known) {
    results = emit.repeat(*form.known, /*reverse=*/false, form.carried,
                          {emit.iota({*form.known}, 0, emit.i64())},
                          [&](ArrayRef<Value> carried, ArrayRef<Value> slices) {
                            return iteration(slices.front(), carried);
                          });
  } else {
    SmallVector<Value> carried{emit.splat({}, emit.i64(), 0)};
    llvm::append_range(carried, form.carried);
    results = emit.repeat(form.amount, maxIterations, carried,
                          [&](ArrayRef<Value> values, ArrayRef<Value>) {
                            Emitter::Values next = iteration(values.front(), values.drop_front());
                            if (!depends)
                              next.insert(next.begin(), emit.add(values.front(), 1));
                            return next;
                          });
    if (!results.empty())
      results.erase(results.begin());
  }
  for (auto [i, result] : llvm::enumerate(results))
    n.result(i, result);
}

/// The types of what an iteration gives to be collected, by importing one and taking it back; fewer
/// if it cannot be imported.
SmallVector<RankedTensorType> GraphImporter::collectedTypes(NodeImport &n, const Graph &body,
                                                            const LoopForm &form) {
  SmallVector<RankedTensorType> types;
  attempt(n, [&](NodeImport &trial) {
    SmallVector<Value> arguments{emit.splat({}, emit.i64(), 0), emit.splat({}, emit.i1(), 1)},
        results;
    llvm::append_range(arguments, form.carried);
    auto inside = enterPlace(trial);
    if (importBody(trial, body, arguments, results))
      for (Value each : ArrayRef<Value>(results).take_back(form.collected))
        types.push_back(Emitter::type(each));
    trial.unsupported("this iteration", "none", "none");
  });
  return types;
}

/// How many rows a loop collects at the most, and the result whose range says it.
std::pair<std::optional<int64_t>, std::string>
GraphImporter::findMostRows(const NodeImport &n, const LoopForm &form) const {
  if (form.known && *form.known <= maxIterations)
    return {form.known, ""};
  for (llvm::StringRef name :
       ArrayRef(n.node.outputs).drop_front(std::min(form.carried.size(), n.node.outputs.size())))
    if (auto range = ranges.find(name.str()); range != ranges.end())
      return {range->second.max, name.str()};
  return {};
}

/// A condition that an iteration gives, and the number of iterations where there is one. What is
/// collected has room for the most iterations, and is as many rows as there were.
void GraphImporter::loopOfData(NodeImport &n, const Graph &body, const LoopForm &form) {
  auto [most, counter] = findMostRows(n, form);
  if (form.collected && !most && !form.known)
    return refuseCollecting(n);
  // Exports of loops that a condition ends have the largest integer there.
  if (form.collected && !most)
    return n.unsupported("results that are collected over at most " + llvm::Twine(*form.known) +
                             " iterations",
                         "room for results of which nobody knows the most",
                         "a trip count that says how many there are at the most, or a range of the "
                         "rows of one of these results (--dim=NAME=0..MOST)");
  SmallVector<Value> rooms;
  if (form.collected)
    for (RankedTensorType type : collectedTypes(n, body, form)) {
      Shape shape(type.getShape());
      shape.insert(shape.begin(), *most);
      if (!emit.checkShape(shape))
        return;
      rooms.push_back(emit.splat(shape, type.getElementType(), 0));
    }
  if (rooms.size() != form.collected)
    return refuseCollecting(n);
  auto goesOn = [&](Value condition, Value number) {
    if (!form.amount)
      return condition;
    return emit.binary<graph::AndOp>(
        condition, emit.compare(graph::ComparePredicate::Lt, number, form.amount));
  };
  Value zero = emit.splat({}, emit.i64(), 0);
  SmallVector<Value> carried{goesOn(form.condition, zero), zero};
  llvm::append_range(carried, form.carried);
  llvm::append_range(carried, rooms);
  bool isKnown = true;
  Emitter::Values results = emit.repeatWhile(
      counter.empty() ? maxIterations : *most, carried,
      [&](ArrayRef<Value> values, ArrayRef<Value>) {
        SmallVector<Value> arguments{values[1], emit.splat({}, emit.i1(), 1)};
        llvm::append_range(arguments, values.drop_front(2).drop_back(rooms.size()));
        auto inside = enterPlace(n);
        Emitter::Values next = bodyValues(n, body, arguments, isKnown);
        if (next.empty())
          return next;
        if (!emit.isBool(next.front())) {
          n.error(Code::T0107) << "its graph gives a condition of the element type "
                               << emit.element(next.front()) << ", expected bool";
          return Emitter::Values();
        }
        DenseElementsAttr known = n.known(next.front());
        if (!form.amount && known && *known.value_begin<bool>()) {
          n.unsupported("neither a trip count nor a condition that ends it", "an end",
                        "a trip count");
          return Emitter::Values();
        }
        for (auto [row, room] : llvm::zip(MutableArrayRef(next).take_back(rooms.size()),
                                          values.take_back(rooms.size())))
          row = emit.scatter(room, emit.unsqueeze(row, 0), {emit.reshape(values[1], {1})}, 0,
                             std::nullopt);
        Value number = emit.add(values[1], 1);
        next.front() = goesOn(emit.reshape(next.front(), {}), number);
        next.insert(next.begin() + 1, number);
        return next;
      });
  std::optional<int64_t> rows;
  if (!rooms.empty() && !results.empty() &&
      !(rows = counter.empty() ? n.countedSize(*most) : n.countedSize(counter, *most)))
    return;
  for (size_t i = 2; i < results.size(); ++i)
    n.result(i - 2, i < 2 + form.carried.size()
                        ? results[i]
                        : emit.prefix(results[i], results[1], 0, *rows, !counter.empty()));
}

/// Iteration by iteration, as long as it is known that there is a next one.
void GraphImporter::unrollLoop(NodeImport &n, const Graph &body, const LoopForm &form) {
  SmallVector<Value> carried = form.carried;
  SmallVector<SmallVector<Value>> collected(form.collected);
  Value condition = form.condition;
  int64_t trips = std::numeric_limits<int64_t>::max();
  if (form.known)
    trips = *form.known;
  else if (form.amount)
    return n.unsupported("a trip count that depends on inputs", "shapes that depend on values",
                         "a trip count that is known");
  for (int64_t i = 0; i < trips; ++i) {
    DenseElementsAttr goesOn = n.knownWay(condition);
    if (!goesOn)
      return n.unsupported("a condition that depends on inputs", "loops in tgraph",
                           "a trip count and the condition true");
    bool ends = !goesOn.getNumElements() || !*goesOn.value_begin<bool>();
    n.decidesWay(ends ? i : trips);
    if (ends)
      break;
    if (i == maxUnrolled)
      return n.unsupported("more than " + llvm::Twine(maxUnrolled) +
                               " iterations that differ in more than values",
                           "shapes that depend on values", "a shorter loop");
    SmallVector<Value> arguments{emit.reshape(emit.integers({i}), {}), condition}, results;
    llvm::append_range(arguments, carried);
    auto inside = enterPlace(n, "." + Twine(i));
    if (!importBody(n, body, arguments, results))
      return;
    condition = results.front();
    if (!emit.isBool(condition)) {
      n.error(Code::T0107) << "its graph gives a condition of the element type "
                           << emit.element(condition) << ", expected bool";
      return;
    }
    llvm::copy(ArrayRef<Value>(results).slice(1, carried.size()), carried.begin());
    for (auto [list, result] :
         llvm::zip_equal(collected, ArrayRef<Value>(results).drop_front(1 + carried.size())))
      list.push_back(emit.unsqueeze(result, 0));
  }
  for (auto [i, value] : llvm::enumerate(carried))
    n.result(i, value);
  for (auto [i, list] : llvm::enumerate(collected))
    n.result(carried.size() + i, emit.concat(list, 0));
}
