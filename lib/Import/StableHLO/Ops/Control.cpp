// Loops and branches.
//
// A loop that counts, as scan and fori_loop of JAX do, becomes tgraph.for; what its body gives back
// as it was is not carried.
#include "../Importer.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// JAX gives no limits.
static constexpr int64_t maxIterations = std::numeric_limits<int32_t>::max();

namespace {

/// A carried integer that is compared with a bound before and moved by a step in each iteration.
struct Counter {
  unsigned index;
  int64_t start, step, trips;
};

/// The parts of a loop of StableHLO.
struct Loop {
  explicit Loop(OpImport &op)
      : op(op), test(op.op.getRegion(0).front()), body(op.op.getRegion(1).front()) {}

  /// What is imported for a value that the condition compares with, if it is no other in each
  /// iteration.
  Value boundOf(Value value) const;
  /// A known integer, of a value that a region computes from constants alone.
  std::optional<int64_t> known(Value value) const;
  std::optional<Counter> findCounter() const;
  bool isInvariant(unsigned i) const { return body.back().getOperand(i) == body.getArgument(i); }

  OpImport &op;
  Block &test, &body;
};

} // namespace

std::optional<int64_t> Loop::known(Value value) const {
  // Values around have been imported; a constant of a region has not.
  if (Operation *made = value.getDefiningOp())
    if (made->getName().getStringRef() == "stablehlo.constant") {
      auto all = dyn_cast_or_null<DictionaryAttr>(made->getPropertiesAsAttribute());
      Attribute attribute = made->getAttr("value");
      auto elements =
          dyn_cast_or_null<DenseIntElementsAttr>(!attribute && all ? all.get("value") : attribute);
      if (!elements || elements.getNumElements() != 1)
        return std::nullopt;
      APInt number = *elements.getValues<APInt>().begin();
      if (elements.getElementType().isSignlessInteger())
        return number.getSExtValue();
      return int64_t(std::min<uint64_t>(number.getZExtValue(), INT64_MAX));
    }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // A bound that is carried along.
    if (argument.getOwner() == &test && isInvariant(argument.getArgNumber()))
      return op.knownInteger(op.operand(argument.getArgNumber()));
    return std::nullopt;
  }
  if (value.getParentRegion()->isProperAncestor(test.getParent()))
    return op.knownInteger(op.importer.get(value));
  return std::nullopt;
}

Value Loop::boundOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &test)
    return op.operand(argument.getArgNumber());
  if (std::optional<int64_t> number = value.getParentBlock() == &test ? known(value) : std::nullopt)
    return op.emit.splat({}, getElementTypeOrSelf(value.getType()), double(*number));
  return op.importer.get(value);
}

std::optional<Counter> Loop::findCounter() const {
  auto is = [](Operation *made, StringRef name) {
    return made && made->getName().getStringRef() == name && made->getNumOperands() == 2;
  };
  Operation *compare = test.back().getOperand(0).getDefiningOp();
  if (!is(compare, "stablehlo.compare") || compare->getBlock() != &test)
    return std::nullopt;
  Attribute direction = compare->getAttr("comparison_direction");
  if (!direction)
    if (auto all = dyn_cast_or_null<DictionaryAttr>(compare->getPropertiesAsAttribute()))
      direction = all.get("comparison_direction");
  auto text = dyn_cast_or_null<StringAttr>(direction);
  auto argument = dyn_cast<BlockArgument>(compare->getOperand(0));
  if (!text || !argument || argument.getOwner() != &test)
    return std::nullopt;
  unsigned i = argument.getArgNumber();
  std::optional<int64_t> bound = known(compare->getOperand(1)),
                         start = op.knownInteger(op.operand(i));
  Operation *next = body.back().getOperand(i).getDefiningOp();
  if (!bound || !start || Emitter::rank(op.operand(i)) != 0 || !is(next, "stablehlo.add") ||
      next->getBlock() != &body)
    return std::nullopt;
  Value other;
  for (unsigned side : {0u, 1u})
    if (next->getOperand(side) == body.getArgument(i))
      other = next->getOperand(1 - side);
  if (!other || !other.getDefiningOp() ||
      other.getDefiningOp()->getName().getStringRef() != "stablehlo.constant")
    return std::nullopt;
  std::optional<int64_t> step = known(other);
  if (!step || *step < 1 || std::abs(*bound) > INT32_MAX || std::abs(*start) > INT32_MAX)
    return std::nullopt;
  Value end = boundOf(compare->getOperand(1));
  if (text.getValue() == "LE") {
    ++*bound;
    end = op.emit.add(end, 1);
  } else if (text.getValue() != "LT") {
    return std::nullopt;
  }
  // Fewer iterations than none are none, which no size says.
  if (!op.knownWay(op.emit.compare(graph::ComparePredicate::Lt, end, op.operand(i))))
    return std::nullopt;
  int64_t trips = *bound <= *start ? 0 : llvm::divideCeil(*bound - *start, *step);
  // The counter does not wrap.
  unsigned width = Emitter::element(op.operand(i)).getIntOrFloatBitWidth();
  int64_t last = *start + trips * *step;
  if (width < 64 && last >= int64_t(1) << (width - 1))
    return std::nullopt;
  return Counter{i, *start, *step, trips};
}

/// Values of a counter in each iteration: start, start + step ...
static Value countUp(Emitter &e, const Counter &counter, Type element) {
  Value numbers = e.iota({counter.trips}, 0, element);
  if (counter.step != 1)
    numbers = e.mul(numbers, double(counter.step));
  return counter.start ? e.add(numbers, double(counter.start)) : numbers;
}

/// Whether the value is a scalar of integers, or a bool; reports.
static bool isScalar(OpImport &op, Value value, bool isBool) {
  if (Emitter::rank(value) == 0 &&
      (isBool ? Emitter::isBool(value) : isa<IntegerType>(Emitter::element(value))))
    return true;
  op.error(Code::T0107) << "expected " << (isBool ? "a bool" : "an integer")
                        << " that decides, found " << value.getType();
  return false;
}

static void importWhile(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.op.getNumOperands();
  if (!op.hasRegions(2, count))
    return;
  Loop loop(op);
  if (loop.test.back().getNumOperands() != 1 || loop.body.back().getNumOperands() != count ||
      op.op.getNumResults() != count ||
      loop.body.back().getOperandTypes() != op.op.getOperandTypes()) {
    op.error(Code::T0104) << "expected a condition and " << count
                          << " values of the body, of the same types";
    return;
  }
  std::optional<Counter> counter = loop.findCounter();
  op.appendParts();
  Values around(op.allOperands()), carried;
  SmallVector<unsigned> places;
  for (unsigned i = 0; i < op.count(); ++i)
    if (!loop.isInvariant(unsigned(op.wholeOf(i))) && !(counter && counter->index == i)) {
      places.push_back(i);
      carried.push_back(around[i]);
    }
  bool failed = false;
  // The values of all arguments, of those that are carried.
  auto all = [&](ArrayRef<Value> current) {
    Values values(around);
    for (auto [place, value] : llvm::zip(places, current))
      values[place] = value;
    return values;
  };
  auto enter = [&](unsigned region, ArrayRef<Value> values) {
    std::optional<Values> results = op.enter(region, values);
    failed |= !results;
    return results.value_or(Values());
  };
  auto pick = [&](ArrayRef<Value> values) {
    Values next;
    for (unsigned place : places)
      if (place < values.size())
        next.push_back(values[place]);
    return next;
  };
  Values results;
  if (counter) {
    Type element = Emitter::element(around[counter->index]);
    Value numbers = countUp(e, *counter, element);
    auto iteration = [&](ArrayRef<Value> current, ArrayRef<Value> slices) {
      Values values = all(current);
      values[counter->index] = slices.front();
      return pick(enter(1, values));
    };
    results = e.repeat(counter->trips, /*reverse=*/false, carried, {numbers}, iteration);
    around[counter->index] =
        e.splat({}, element, double(counter->start + counter->trips * counter->step));
  } else {
    Values first = enter(0, around);
    if (failed || first.size() != 1 || !isScalar(op, first.front(), /*isBool=*/true))
      return;
    carried.insert(carried.begin(), first.front());
    auto iteration = [&](ArrayRef<Value> current, ArrayRef<Value>) {
      Values next = pick(enter(1, all(current.drop_front())));
      if (failed)
        return Values();
      Values more = enter(0, all(next));
      next.insert(next.begin(), more.begin(), more.end());
      return next;
    };
    results = e.repeatWhile(maxIterations, carried, iteration);
    if (!results.empty())
      results.erase(results.begin());
  }
  if (failed || results.size() != places.size())
    return;
  for (auto [i, value] : llvm::enumerate(all(results)))
    op.resultOrPart(i, value);
}

/// The side of a number, of those from `first` on; the last one stands for all other numbers.
static Values choose(OpImport &op, Value index, unsigned first, bool &failed) {
  Emitter &e = op.emit;
  auto enter = [&](unsigned side) {
    std::optional<Values> values = op.enter(side, {});
    failed |= !values;
    return values.value_or(Values());
  };
  if (first + 1 == op.op.getNumRegions())
    return enter(first);
  Value isFirst = e.compare(graph::ComparePredicate::Eq, index, double(first));
  return e.branch(
      isFirst, [&] { return enter(first); },
      [&] { return failed ? Values() : choose(op, index, first + 1, failed); });
}

static void setResults(OpImport &op, ArrayRef<Value> values) {
  if (values.size() >= op.op.getNumResults())
    for (auto [i, value] : llvm::enumerate(values))
      op.resultOrPart(i, value);
}

static void importCase(OpImport &op) {
  size_t sides = op.op.getNumRegions();
  if (!sides || sides > 256 || !op.hasRegions(sides, 0)) {
    op.error(Code::T0104) << "expected 1 to 256 regions without arguments, found " << sides;
    return;
  }
  if (!isScalar(op, op.operand(0), /*isBool=*/false))
    return;
  if (std::optional<int64_t> known = op.knownWay(op.operand(0))) {
    bool isSide = *known >= 0 && *known < int64_t(sides);
    if (auto values = op.enter(isSide ? unsigned(*known) : unsigned(sides - 1), {}))
      setResults(op, *values);
    return;
  }
  bool failed = false;
  Values values = choose(op, op.operand(0), 0, failed);
  if (!failed)
    setResults(op, values);
}

static void importIf(OpImport &op) {
  if (!op.hasRegions(2, 0) || !isScalar(op, op.operand(0), /*isBool=*/true))
    return;
  if (std::optional<int64_t> known = op.knownWay(op.operand(0))) {
    if (auto values = op.enter(*known ? 0 : 1, {}))
      setResults(op, *values);
    return;
  }
  bool failed = false;
  auto side = [&](unsigned region) {
    std::optional<Values> values = op.enter(region, {});
    failed |= !values;
    return values.value_or(Values());
  };
  Values values = op.emit.branch(
      op.operand(0), [&] { return side(0); }, [&] { return side(1); });
  if (!failed)
    setResults(op, values);
}

/// An op of a library, with a function that says what it computes.
static void importComposite(OpImport &op) {
  auto callee = dyn_cast_or_null<FlatSymbolRefAttr>(op.attribute("decomposition"));
  if (!callee) {
    op.error(Code::T0108) << "expected a function as 'decomposition'";
    return;
  }
  auto values = op.importer.importCall(op.op, callee.getValue(), op.allOperands());
  op.resume();
  if (values)
    setResults(op, *values);
}

/// Nothing in a program has effects that a token would order.
static void importToken(OpImport &op) {
  op.result(op.emit.splat({}, IntegerType::get(op.op.getContext(), 1), 0));
}

void tw::stablehlo::addControl(Registry &registry) {
  auto add = [&](StringRef name, Import import) {
    registry.add(("stablehlo." + name).str(), import);
    registry.addComplex(("stablehlo." + name).str(), import);
  };
  registry.list("stablehlo.tuple");
  registry.list("stablehlo.get_tuple_element");
  registry.add("stablehlo.after_all", importToken);
  registry.add("stablehlo.create_token", importToken);
  add("while", importWhile);
  add("case", importCase);
  add("if", importIf);
  add("composite", importComposite);
}
