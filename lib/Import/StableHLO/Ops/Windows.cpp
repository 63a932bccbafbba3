// Windows by any region, and the gradient of pooling.
//
// A window that tgraph combines becomes that op, one that grows along a dimension a scan, also by a
// region of its own. Any other region combines the window's places one after the other, each for
// all windows at once.
#include "../Regions.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;
using Kind = graph::CombineKind;

/// Places of a window that are written out one by one.
static constexpr int64_t maxPlaces = 1024;

namespace {

struct Window {
  Shape size, strides, dilations, inner, low, high;

  int64_t rank() const { return int64_t(size.size()); }
  int64_t places() const {
    int64_t count = 1;
    for (int64_t n : size)
      count = std::min(count * n, maxPlaces + 1);
    return count;
  }
  bool hasInner() const {
    return llvm::any_of(inner, [](int64_t n) { return n != 1; });
  }
  bool hasPadding() const {
    auto isSet = [](int64_t n) { return n != 0; };
    return hasInner() || llvm::any_of(low, isSet) || llvm::any_of(high, isSet);
  }
  /// Windows along each dimension of a tensor that is padded already.
  std::optional<Shape> count(ShapeRef padded) const {
    Shape counts;
    for (int64_t i = 0; i < rank(); ++i) {
      int64_t extent = (size[i] - 1) * dilations[i] + 1;
      counts.push_back(extent > padded[i] ? 0 : (padded[i] - extent) / strides[i] + 1);
    }
    return counts;
  }
};

} // namespace

static std::optional<Window> readWindow(OpImport &op, size_t rank) {
  Window window;
  window.size = op.integers("window_dimensions", rank, 1);
  window.strides = op.integers("window_strides", rank, 1);
  window.dilations = op.integers("window_dilations", rank, 1);
  window.inner = op.integers("base_dilations", rank, 1);
  Shape padding = op.integers("padding", 2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    window.low.push_back(padding[2 * i]);
    window.high.push_back(padding[2 * i + 1]);
  }
  if (op.failed())
    return std::nullopt;
  for (ShapeRef list : {ShapeRef(window.size), ShapeRef(window.strides), ShapeRef(window.dilations),
                        ShapeRef(window.inner)})
    if (llvm::any_of(list, [](int64_t n) { return n < 1 || n > INT32_MAX; })) {
      op.error(Code::T0108) << "expected sizes, strides and dilations of at least 1, found "
                            << importer::shapeText(list);
      return std::nullopt;
    }
  return window;
}

/// Of a padded tensor the elements at one place of all windows.
static Value elementsAt(Emitter &e, Value x, const Window &window, ShapeRef place,
                        ShapeRef counts) {
  Shape offsets;
  for (int64_t i = 0; i < window.rank(); ++i)
    offsets.push_back(place[i] * window.dilations[i]);
  return e.slice(x, offsets, counts, window.strides);
}

/// The next place, the last dimension fastest; false behind the last one.
static bool advance(Shape &place, ShapeRef size) {
  for (size_t i = place.size(); i-- > 0;) {
    if (++place[i] < size[i])
      return true;
    place[i] = 0;
  }
  return false;
}

static Value padWindow(OpImport &op, Value x, Value fill, const Window &window) {
  Shape interior;
  for (int64_t n : window.inner)
    interior.push_back(n - 1);
  return padded(op, x, fill, window.low, window.high, interior);
}

namespace {

struct Running {
  int64_t dim;
  bool isReverse;
};

} // namespace

/// The dimension along which each window holds all elements up to its own, or from it on.
static std::optional<Running> asScan(Value x, const Window &window) {
  std::optional<int64_t> along;
  for (int64_t i = 0; i < window.rank(); ++i) {
    if (window.strides[i] != 1 || window.dilations[i] != 1 || window.inner[i] != 1)
      return std::nullopt;
    if (window.size[i] == 1 && !window.low[i] && !window.high[i])
      continue;
    if (along)
      return std::nullopt;
    along = i;
  }
  if (!along || window.size[*along] != Emitter::size(x, *along) || window.size[*along] < 2)
    return std::nullopt;
  int64_t rest = window.size[*along] - 1;
  bool isForward = window.low[*along] == rest && window.high[*along] == 0;
  if (!isForward && !(window.low[*along] == 0 && window.high[*along] == rest))
    return std::nullopt;
  return Running{*along, !isForward};
}

/// Each element combined with those before it, by a region of scalars; null where the region is
/// made of something else, or rounds at each step.
static std::optional<Values> scanByRegion(OpImport &op, ArrayRef<Value> inputs, Running along) {
  for (Value input : inputs)
    if (isNarrowFloat(Emitter::element(input)))
      return std::nullopt;
  // A window combines in the order of its elements, from either end.
  auto combine = [&](ArrayRef<Value> before, ArrayRef<Value> next) {
    return (along.isReverse ? op.combine(next, before) : op.combine(before, next))
        .value_or(Values());
  };
  Values scanned = op.emit.scanBy(inputs, along.dim, along.isReverse, combine);
  return scanned.empty() ? std::nullopt : std::optional(scanned);
}

/// Each element combined with those before it, by steps of doubled length.
static std::optional<Values> scanByDoubling(OpImport &op, Values running, Running along) {
  Emitter &e = op.emit;
  if (along.isReverse)
    for (Value &value : running)
      value = e.flip(value, {along.dim});
  int64_t size = Emitter::size(running.front(), along.dim);
  for (int64_t step = 1; step < size; step *= 2) {
    auto part = [&](int64_t offset) {
      return llvm::map_to_vector(
          running, [&](Value x) { return e.sliceDim(x, along.dim, offset, size - step); });
    };
    std::optional<Values> combined =
        along.isReverse ? op.combine(part(step), part(0)) : op.combine(part(0), part(step));
    if (!combined)
      return std::nullopt;
    for (auto [value, later] : llvm::zip(running, *combined))
      value = e.concat({e.sliceDim(value, along.dim, 0, step), later}, along.dim);
  }
  if (along.isReverse)
    for (Value &value : running)
      value = e.flip(value, {along.dim});
  return running;
}

/// Of one operand, by a combination that tgraph has: null where it has no such windows.
static Value windowAsOp(OpImport &op, Value x, Value init, const Window &window) {
  Emitter &e = op.emit;
  auto kind = findCombination(op.op.getRegion(0));
  if (kind && Emitter::isBool(x))
    kind = *kind == Kind::All ? Kind::Min : Kind::Max;
  bool isComplex = isComplexType(op.op.getOperand(0).getType());
  if (!kind || (isComplex && *kind != Kind::Add) || !isIdentity(op.known(init), *kind) ||
      window.hasInner())
    return {};
  if (std::optional<Running> along = asScan(x, window))
    return e.scan(*kind, x, along->dim, /*exclusive=*/false, along->isReverse);
  auto isNegative = [](int64_t n) { return n < 0; };
  if (llvm::any_of(window.low, isNegative) || llvm::any_of(window.high, isNegative))
    return {};
  return e.window(*kind, x, window.size, window.strides, window.dilations, window.low, window.high);
}

/// By any region, one place of the windows after the other.
static std::optional<Values> windowByPlaces(OpImport &op, Values inputs, Values inits,
                                            const Window &window) {
  Emitter &e = op.emit;
  if (window.places() > maxPlaces) {
    op.unsupported("a window of more than 1024 places and a region of its own",
                   "a loop over the places", "add, mul, max or min");
    return std::nullopt;
  }
  for (auto [input, init] : llvm::zip(inputs, inits))
    input = padWindow(op, input, init, window);
  if (llvm::is_contained(inputs, Value()))
    return std::nullopt;
  std::optional<Shape> counts = window.count(Emitter::shape(inputs.front()));
  Values results;
  if (importer::elementCount(*counts) == 0) {
    for (Value input : inputs)
      results.push_back(e.splat(*counts, Emitter::element(input), 0));
    return results;
  }
  for (Value init : inits)
    results.push_back(e.expand(init, *counts));
  Shape place(size_t(window.rank()), 0);
  // The region begins with the first place where the initial value changes nothing.
  do {
    auto next = llvm::map_to_vector(
        inputs, [&](Value input) { return elementsAt(e, input, window, place, *counts); });
    std::optional<Values> combined = op.combine(results, next);
    if (!combined)
      return std::nullopt;
    results = std::move(*combined);
  } while (advance(place, window.size));
  return results;
}

static void importReduceWindow(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.op.getNumResults(), whole = op.op.getNumOperands();
  if (!count || whole != 2 * count || !op.hasRegions(1, 2 * count)) {
    op.error(Code::T0104) << "expected " << count << " operands and as many initial values, found "
                          << whole << " in all";
    return;
  }
  auto [inputs, inits] = op.inputsAndInits();
  Value first = inputs.front();
  std::optional<Window> window = readWindow(op, size_t(Emitter::rank(first)));
  if (!window)
    return;
  for (auto [input, init] : llvm::zip(inputs, inits))
    if (Emitter::shape(input) != Emitter::shape(first) || Emitter::rank(init) != 0) {
      op.error(Code::T0111) << "expected operands of one shape and scalars to begin with";
      return;
    }
  std::optional<Values> results;
  if (count == 1) {
    results.emplace();
    for (auto [input, init] : llvm::zip(inputs, inits))
      if (Value value = windowAsOp(op, input, init, *window))
        results->push_back(value);
    if (op.failed())
      return;
    if (results->size() != inputs.size())
      results.reset();
  }
  if (!results) {
    if (std::optional<Running> along = asScan(first, *window)) {
      std::optional<Values> running = scanByRegion(op, inputs, *along);
      if (!running && !op.failed())
        running = scanByDoubling(op, inputs, *along);
      if (running) {
        for (Value &init : inits)
          init = e.expand(init, Emitter::shape(first));
        results = op.combine(inits, *running);
      }
    } else {
      results = windowByPlaces(op, inputs, inits, *window);
    }
  }
  for (auto [i, value] : llvm::enumerate(results.value_or(Values())))
    op.resultOrPart(i, value);
}

static void importComplexReduceWindow(OpImport &op) {
  op.appendParts();
  importReduceWindow(op);
}

/// Each window selects a place, going through them in their order, and what is scattered comes to
/// its element: for each place of windows all that selected it, spread out again.
static void importSelectAndScatter(OpImport &op) {
  Emitter &e = op.emit;
  if (op.count() != 3 || !op.hasRegions(2, 2)) {
    op.error(Code::T0104) << "expected an operand, a source and an initial value";
    return;
  }
  Value x = op.operand(0), source = op.operand(1), init = op.operand(2);
  std::optional<Window> window = readWindow(op, size_t(Emitter::rank(x)));
  if (!window)
    return;
  if (window->places() > maxPlaces)
    return op.unsupported("a window of more than 1024 places", "a loop over the places",
                          "smaller windows");
  auto isNegative = [](int64_t n) { return n < 0; };
  if (llvm::any_of(window->low, isNegative) || llvm::any_of(window->high, isNegative))
    return op.unsupported("negative padding", "a slice in front", "a slice in front");
  // Padding is never selected.
  Value wide = padWindow(op, x, e.splat({}, Emitter::element(x), 0), *window);
  Value inside;
  if (window->hasPadding())
    inside = padWindow(op, e.splat(Emitter::shape(x), e.i1(), 1), e.splat({}, e.i1(), 0), *window);
  if (!wide)
    return;
  std::optional<Shape> counts = window->count(Emitter::shape(wide));
  if (ShapeRef(*counts) != Emitter::shape(source)) {
    op.error(Code::T0111) << "expected a source of the shape " << importer::shapeText(*counts)
                          << ", found " << source.getType();
    return;
  }
  if (importer::elementCount(*counts) == 0)
    return op.result(e.expand(init, Emitter::shape(x)));
  Shape place(size_t(window->rank()), 0);
  Value selected, chosen, found;
  int64_t number = 0;
  do {
    Value at = elementsAt(e, wide, *window, place, *counts);
    Value here = e.splat(*counts, e.i64(), double(number));
    Value isInside = inside ? elementsAt(e, inside, *window, place, *counts) : Value();
    if (!number++) {
      selected = at, chosen = here;
      found = isInside;
      continue;
    }
    std::optional<Values> keeps = op.apply(0, {selected, at});
    if (!keeps)
      return;
    // Taken where it wins, or where there was none before.
    Value takes = e.unary<graph::NotOp>(keeps->front());
    if (isInside) {
      takes = e.binary<graph::AndOp>(isInside,
                                     e.binary<graph::OrOp>(takes, e.unary<graph::NotOp>(found)));
      found = e.binary<graph::OrOp>(found, isInside);
    }
    selected = e.select(takes, at, selected);
    chosen = e.select(takes, here, chosen);
  } while (advance(place, window->size));
  // What each place got, in the padded tensor.
  ShapeRef whole = Emitter::shape(wide);
  auto spread = [&](Value value) {
    Shape low, high, interior;
    for (int64_t i = 0; i < window->rank(); ++i) {
      int64_t first = place[i] * window->dilations[i];
      low.push_back(first);
      interior.push_back(window->strides[i] - 1);
      high.push_back(whole[i] - first - ((*counts)[i] - 1) * window->strides[i] - 1);
    }
    return padded(op, value, e.splat({}, Emitter::element(value), 0), low, high, interior);
  };
  auto kind = findCombination(op.op.getRegion(1));
  bool isSum = kind == Kind::Add && isIdentity(op.known(init), Kind::Add);
  Value sum;
  place.assign(place.size(), 0);
  number = 0;
  do {
    Value mine =
        e.compare(graph::ComparePredicate::Eq, chosen, e.splat({}, e.i64(), double(number++)));
    if (found)
      mine = e.binary<graph::AndOp>(mine, found);
    Value part = spread(e.select(mine, source, e.splat({}, Emitter::element(source), 0)));
    if (isSum) {
      sum = sum ? e.add(sum, part) : part;
      continue;
    }
    Value before = sum ? sum : e.expand(init, whole);
    std::optional<Values> combined = op.apply(1, {before, part});
    if (!combined)
      return;
    sum = e.select(spread(mine), combined->front(), before);
  } while (advance(place, window->size));
  // Without the padding.
  Shape offsets, strides(window->inner);
  for (int64_t n : window->low)
    offsets.push_back(std::max<int64_t>(n, 0));
  op.result(e.slice(sum, offsets, Emitter::shape(x), strides));
}

void tw::stablehlo::addWindows(Registry &registry) {
  registry.add("stablehlo.reduce_window", importReduceWindow);
  registry.addComplex("stablehlo.reduce_window", importComplexReduceWindow);
  registry.add("stablehlo.select_and_scatter", importSelectAndScatter);
}
