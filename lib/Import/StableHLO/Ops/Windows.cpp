// Windows by any region, and the gradient of pooling.
//
// A window that tgraph combines becomes that op, one that grows along a dimension a scan. Any other
// region combines the window's places one after the other, each for all windows at once.
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

/// Each element combined with those before it, by steps of doubled length.
static std::optional<Values> scanByDoubling(OpImport &op, Values running, Running along) {
  Emitter &e = op.emit;
  if (along.isReverse)
    for (Value &value : running)
      value = e.flip(value, {along.dim});
  int64_t size = Emitter::size(running.front(), along.dim);
  for (int64_t step = 1; step < size; step *= 2) {
    Values arguments;
    for (auto [offset, length] : {std::pair(int64_t(0), size - step), {step, size - step}})
      for (Value value : running)
        arguments.push_back(e.sliceDim(value, along.dim, offset, length));
    std::optional<Values> combined = op.apply(0, arguments);
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

static void importReduceWindow(OpImport &op) {
  Emitter &e = op.emit;
  size_t count = op.count() / 2;
  if (!count || op.count() % 2 || !op.hasRegions(1, 2 * count)) {
    op.error(Code::T0104) << "expected as many initial values as operands, found " << op.count()
                          << " in all";
    return;
  }
  Value first = op.operand(0);
  std::optional<Window> window = readWindow(op, size_t(Emitter::rank(first)));
  if (!window)
    return;
  for (size_t i = 0; i < count; ++i)
    if (Emitter::shape(op.operand(i)) != Emitter::shape(first) ||
        Emitter::rank(op.operand(count + i)) != 0) {
      op.error(Code::T0111) << "expected operands of one shape and scalars to begin with";
      return;
    }
  auto kind = count == 1 ? findCombination(op.op.getRegion(0)) : std::nullopt;
  if (kind && Emitter::isBool(first))
    kind = *kind == Kind::All ? Kind::Min : Kind::Max;
  if (kind && isIdentity(op.known(op.operand(1)), *kind) && !window->hasInner()) {
    if (std::optional<Running> along = asScan(first, *window))
      return op.result(e.scan(*kind, first, along->dim, /*exclusive=*/false, along->isReverse));
    auto isNegative = [](int64_t n) { return n < 0; };
    if (!llvm::any_of(window->low, isNegative) && !llvm::any_of(window->high, isNegative))
      return op.result(e.window(*kind, first, window->size, window->strides, window->dilations,
                                window->low, window->high));
  }
  if (std::optional<Running> along = asScan(first, *window)) {
    auto operands = op.allOperands();
    std::optional<Values> running = scanByDoubling(op, Values(operands.take_front(count)), *along);
    Values arguments;
    for (size_t i = 0; i < count; ++i)
      arguments.push_back(e.expand(op.operand(count + i), Emitter::shape(first)));
    if (running)
      arguments.append(*running);
    if (std::optional<Values> all = running ? op.apply(0, arguments) : std::nullopt)
      for (size_t i = 0; i < count; ++i)
        op.result(i, (*all)[i]);
    return;
  }
  if (window->places() > maxPlaces)
    return op.unsupported("a window of more than 1024 places and a region of its own",
                          "a loop over the places", "add, mul, max or min");
  Values paddedInputs, results;
  for (size_t i = 0; i < count; ++i)
    paddedInputs.push_back(padWindow(op, op.operand(i), op.operand(count + i), *window));
  if (llvm::is_contained(paddedInputs, Value()))
    return;
  std::optional<Shape> counts = window->count(Emitter::shape(paddedInputs.front()));
  if (importer::elementCount(*counts) == 0) {
    for (size_t i = 0; i < count; ++i)
      op.result(i, e.splat(*counts, Emitter::element(op.operand(i)), 0));
    return;
  }
  for (size_t i = 0; i < count; ++i)
    results.push_back(e.expand(op.operand(count + i), *counts));
  Shape place(size_t(window->rank()), 0);
  // The region begins with the first place where the initial value changes nothing.
  do {
    Values arguments(results);
    for (Value input : paddedInputs)
      arguments.push_back(elementsAt(e, input, *window, place, *counts));
    std::optional<Values> combined = op.apply(0, arguments);
    if (!combined)
      return;
    results = std::move(*combined);
  } while (advance(place, window->size));
  for (size_t i = 0; i < count; ++i)
    op.result(i, results[i]);
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
  registry.add("stablehlo.select_and_scatter", importSelectAndScatter);
}
