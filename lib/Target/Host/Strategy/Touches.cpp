// Touches of memory, collected from the loops outwards in.
#include "Touches.h"
#include "Accesses.h"
#include "Blocks.h"
#include "Guards.h"
#include "Product.h"

#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

Touches::Touches(const LoopTree &tree, const HostTraits &traits)
    : tree(tree), plan(tree.plan), kernel(tree.kernel), traits(traits),
      numAxes(kernel.getNumAxes()) {
  for (unsigned leaf : plan.grid)
    enter(leaf, double(plan.leaves[leaf].extent));
  visit(tree.body, 1);
  for (Touch &touch : all) {
    if (touch.isLinear)
      countPoints(touch);
    for (unsigned depth = 0; depth <= touch.path.size(); ++depth)
      touch.footprints.push_back(footprint(touch, depth));
    touch.runBytes = std::max(double(traits.lineBytes), runOf(touch, traits.streams));
  }
}

double Touches::elementBytesOf(Type type) {
  return type.isIndex() ? 8 : std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

double Touches::bytesOf(RankedTensorType type) {
  return double(type.getNumElements()) * elementBytesOf(type.getElementType());
}

void Touches::enter(unsigned leaf, double trips) { path.push_back({++loops, leaf, trips}); }

void Touches::visit(const schedule::Block &block, double times) {
  for (const Node *node : block) {
    if (auto *loop = dyn_cast<LoopNode>(node)) {
      double trips = std::max(1.0, getTrips(tree, *loop));
      if (loop->leaf)
        enter(*loop->leaf, trips);
      if (findBlockLoop(tree, *loop, around, traits))
        iterations = std::min(trips, double(traits.blockRows));
      around.loops.push_back(loop);
      visit(loop->body, times);
      around.loops.pop_back();
      iterations = 1;
      if (loop->leaf)
        path.pop_back();
    } else if (auto *branch = dyn_cast<BranchNode>(node)) {
      double share = 0.5;
      if (branch->index.from == LeafIndex::From::Program)
        share = 1 / double(plan.leaves[plan.grid[branch->index.value]].extent);
      unsigned outer = side, number = branches++;
      sides.push_back({outer, number});
      side = unsigned(sides.size());
      visit(branch->there, times * share);
      sides.push_back({outer, number});
      side = unsigned(sides.size());
      around.branches.push_back(branch);
      visit(branch->elsewhere, times * (1 - share));
      around.branches.pop_back();
      side = outer;
    } else if (auto *team = dyn_cast<TeamNode>(node)) {
      for (auto [leaf, extent] : llvm::zip(plan.team, team->extents))
        enter(leaf, double(extent));
      visit(team->body, times);
      path.pop_back_n(plan.team.size());
    } else if (auto *fill = dyn_cast<FillNode>(node)) {
      visit(fill->body, times);
    } else {
      add(*node, times);
    }
  }
}

void Touches::add(const Node &node, double times) {
  switch (node.kind) {
  case NodeKind::Load: {
    auto load = cast<LoadOp>(node.op);
    addTensor(node, times, load.getSource().getType(), load.getMap().getMap(), load.getIndices(),
              false);
    return;
  }
  case NodeKind::FillWindow: {
    LoadOp load = getWindowLoad(node.op);
    addTensor(node, times, load.getSource().getType(), load.getMap().getMap(), load.getIndices(),
              false);
    addBuffer(node, times, true);
    return;
  }
  case NodeKind::Store: {
    auto store = cast<StoreOp>(node.op);
    addTensor(node, times, kernel.getResult(store.getResultNumber()).getType(), store.getMap(),
              store.getIndices(), true);
    return;
  }
  case NodeKind::ReadStaged:
    return addBuffer(node, times, false);
  case NodeKind::FillTile:
    return addBuffer(node, times, true);
  case NodeKind::ReadKept:
  case NodeKind::WriteKept: {
    if (node.memory)
      return addBuffer(node, times, node.kind == NodeKind::WriteKept);
    StoreOp store = findKeepingStore(kernel, plan, node.op);
    addTensor(node, times, kernel.getResult(store.getResultNumber()).getType(), store.getMap(),
              store.getIndices(), node.kind == NodeKind::WriteKept);
    // The place that is stored to in the end.
    all.back().memory = store;
    return;
  }
  default:
    return;
  }
}

Touch &Touches::start(const Node &node, double times) {
  Touch &touch = all.emplace_back();
  touch.times = times;
  touch.path = path;
  touch.side = side;
  touch.isFetched = node.prefetched != nullptr;
  touch.iterations = iterations;
  touch.leaves.resize(plan.leaves.size());
  touch.tile.assign(plan.leaves.size(), 1);
  for (unsigned leaf : node.scope.frame)
    touch.tile[leaf] = tree.getExtent(node.scope, leaf);
  // A window is copied as a whole.
  if (node.kind == NodeKind::FillWindow)
    for (unsigned leaf : node.staged->leaves)
      touch.tile[leaf] = plan.leaves[leaf].extent;
  return touch;
}

void Touches::addTensor(const Node &node, double times, Type of, AffineMap map, ValueRange indices,
                        bool isStore) {
  auto type = cast<RankedTensorType>(of);
  Touch &touch = start(node, times);
  touch.memory = node.kind == NodeKind::FillWindow ? static_cast<const void *>(&node) : node.op;
  touch.isStore = isStore;
  touch.elementBytes = elementBytesOf(type.getElementType());
  touch.wholeBytes = bytesOf(type);
  if (auto load = dyn_cast<LoadOp>(node.op))
    touch.isFar = comesFromMemory(kernel, load, traits);
  for (auto [i, leaf] : llvm::enumerate(plan.leaves))
    for (Value index : indices)
      if (tree.sets.of(index)[leaf.axis])
        touch.leaves.set(i);
  int64_t ahead = node.prefetched ? node.prefetched->ahead : 0;
  if (auto load = dyn_cast<LoadOp>(node.op);
      load && (ahead > 0 || traits.streamBytesPerCycle < traits.memoryBytesPerCycle))
    followLines(touch, load, ahead);
  if (auto store = dyn_cast<StoreOp>(node.op); store && node.kind == NodeKind::Store)
    touch.isStreamed = isStreamed(node, store, touch);
  // Coordinates of a merged axis are quotients and remainders, of dimensions that are one.
  for (unsigned dim = 0; dim < map.getNumResults();) {
    unsigned count = 1;
    std::optional<Touch::Dim> own = findDim(type, map, indices, dim, count);
    while (!own && dim + count < map.getNumResults())
      own = findDim(type, map, indices, dim, ++count);
    touch.isLinear &= own.has_value();
    touch.dims.push_back(own.value_or(Touch::Dim{type.getDimSize(dim), {}}));
    dim += own ? count : 1;
  }
}

std::optional<Touch::Dim> Touches::findDim(RankedTensorType type, AffineMap map, ValueRange indices,
                                           unsigned first, unsigned count) {
  ArrayRef<int64_t> shape = type.getShape().slice(first, count);
  ArrayRef<AffineExpr> coordinates = map.getResults().slice(first, count);
  Touch::Dim dim{llvm::product_of(shape), {}};
  CoordinateStrides strides(shape, coordinates, indices);
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    if (llvm::none_of(indices, [&](Value index) { return tree.sets.of(index)[axis]; }))
      continue;
    std::optional<int64_t> slope = strides.get(kernel.getAxis(axis));
    if (!slope)
      return std::nullopt;
    if (*slope)
      dim.slopes.push_back({axis, std::abs(*slope)});
  }
  return dim;
}

bool Touches::isStreamed(const Node &node, StoreOp store, const Touch &touch) {
  if (plan.streamed.empty() || node.scope.frame.empty())
    return false;
  int64_t lanes = std::min(traits.lanes, node.shape.back());
  for (auto [i, leaf] : llvm::enumerate(plan.leaves)) {
    std::optional<int64_t> stride = getUsualStride(store, kernel.getAxis(leaf.axis));
    bool isLanes = i == node.scope.frame.back();
    if (!stride || (isLanes ? *stride * leaf.stride != 1
                            : leaf.extent > 1 && *stride * leaf.stride % lanes != 0))
      return false;
  }
  return true;
}

void Touches::addBuffer(const Node &node, double times, bool isStore) {
  Touch &touch = start(node, times);
  touch.memory = node.memory;
  touch.isStore = isStore;
  touch.elementBytes = elementBytesOf(node.op->getResult(0).getType());
  touch.wholeBytes = touch.elementBytes;
  for (int64_t extent : node.memory->shape)
    touch.wholeBytes *= double(extent);
  const llvm::SmallBitVector &axes = tree.sets.of(node.op->getResult(0));
  bool isKept = !node.memory->staged;
  SmallVector<unsigned> dims = isKept    ? getKeptLeaves(tree, node.memory->op)
                               : isStore ? llvm::to_vector(node.memory->staged->filled)
                                         : llvm::to_vector(node.memory->staged->leaves);
  for (unsigned leaf : dims)
    if (axes[plan.leaves[leaf].axis])
      touch.leaves.set(leaf);
  const StagedValue *staged = node.memory->staged;
  if (staged && !staged->isBox && !staged->isWindow && !staged->leaves.empty())
    touch.innermost = staged->leaves.back();
  // Groups of a dot instruction are a dimension more.
  touch.isLinear = staged && staged->isWindow && !staged->groupDim && !isStore;
  if (touch.isLinear)
    for (const WindowDim &dim : staged->window)
      touch.dims.push_back(getBoxDim(dim));
}

/// Points of several axes come to the same places of a box.
Touch::Dim Touches::getBoxDim(const WindowDim &dim) const {
  Touch::Dim own{dim.extent, {}};
  for (auto [leaf, step] : llvm::enumerate(dim.coefficients)) {
    const LeafAxis &axis = plan.leaves[leaf];
    if (step != 0 &&
        llvm::none_of(own.slopes, [&](const auto &slope) { return slope.first == axis.axis; }))
      own.slopes.push_back({axis.axis, std::max<int64_t>(1, step / axis.stride)});
  }
  return own;
}

double Touches::pointsOf(const Touch &touch, unsigned leaf, unsigned depth) const {
  double points = double(touch.tile[leaf]);
  for (const Level &around : ArrayRef(touch.path).drop_front(depth))
    if (around.leaf == leaf)
      points *= around.trips;
  return std::min(points, double(plan.leaves[leaf].extent));
}

void Touches::countPoints(Touch &touch) const {
  ArrayRef<int64_t> extents = kernel.getExtents();
  touch.points.assign((touch.path.size() + 1) * numAxes, 1);
  for (unsigned depth = 0; depth <= touch.path.size(); ++depth) {
    // Loops over parts of an axis that end beyond it have no whole number of trips on average.
    SmallVector<double> ofLeaves(numAxes, 1);
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      ofLeaves[leaf.axis] *= pointsOf(touch, i, depth);
    SmallVector<int64_t> most(extents);
    // A box has more points of a sum than its axis has.
    for (auto [i, leaf] : llvm::enumerate(plan.leaves))
      if (leaf.role == Role::Fill && pointsOf(touch, i, 0) > 1)
        most[leaf.axis] += leaf.extent;
    for (unsigned axis = 0; axis < numAxes; ++axis)
      touch.points[depth * numAxes + axis] =
          std::min(int64_t(std::llround(ofLeaves[axis])), most[axis]);
  }
}

double Touches::spreadOf(const Touch &touch, unsigned depth) const {
  if (!touch.innermost)
    return 1;
  double used = std::max(1.0, pointsOf(touch, *touch.innermost, depth)) * touch.elementBytes;
  double row = double(plan.leaves[*touch.innermost].extent) * touch.elementBytes;
  double line = double(traits.lineBytes);
  return std::max(1.0, std::min(row, std::ceil(used / line) * line) / used);
}

double Touches::footprint(const Touch &touch, unsigned depth) const {
  if (!touch.isLinear) {
    double points = 1;
    for (unsigned leaf : touch.leaves.set_bits())
      points *= pointsOf(touch, leaf, depth);
    return std::min(points * touch.elementBytes * spreadOf(touch, depth), touch.wholeBytes);
  }
  bool isAligned = startsAtLines(touch);
  double line = double(traits.lineBytes), element = touch.elementBytes;
  // Bytes from the first to the last that is touched, and lines.
  double extent = element, apart = element, lines = 1;
  for (const Touch::Dim &dim : llvm::reverse(touch.dims)) {
    double most = extent + apart * double(dim.size - 1);
    SmallVector<std::pair<int64_t, unsigned>> steps;
    for (auto [axis, slope] : dim.slopes)
      steps.emplace_back(slope, axis);
    llvm::sort(steps);
    // Several axes may come to the same coordinates.
    double coordinates = 1, ofOne = lines;
    for (auto [slope, axis] : steps) {
      double points = double(pointsOfAxis(touch, axis, depth));
      coordinates = std::min(coordinates + double(slope) * (points - 1), double(dim.size));
      extent = std::min(most, extent + apart * double(slope) * (points - 1));
      double together = isAligned ? std::ceil(extent / line) : 1 + (extent - element) / line;
      lines = std::min({lines * points, ofOne * coordinates, together});
    }
    apart *= double(dim.size);
  }
  return std::min(lines * line, touch.wholeBytes);
}

bool Touches::startsAtLines(const Touch &touch) const {
  double apart = touch.elementBytes, line = double(traits.lineBytes);
  for (const Touch::Dim &dim : llvm::reverse(touch.dims)) {
    bool isLast = &dim == &touch.dims.back();
    for (auto [axis, slope] : dim.slopes) {
      double step = apart * double(slope);
      if ((!isLast || step >= line) && std::fmod(step, line) != 0)
        return false;
    }
    apart *= double(dim.size);
  }
  return true;
}

double Touches::pagesOf(const Touch &touch, unsigned depth) const {
  double page = double(traits.pageBytes);
  if (!touch.isLinear)
    return std::max(1.0, touch.footprints[depth] / page);
  double span = touch.elementBytes, apart = touch.elementBytes, pages = 1;
  for (const Touch::Dim &dim : llvm::reverse(touch.dims)) {
    double points = 1, values = 1;
    for (auto [axis, slope] : dim.slopes) {
      double more = double(pointsOfAxis(touch, axis, depth));
      points += double(slope) * (more - 1);
      values *= more;
    }
    points = std::min(points, double(dim.size));
    if (apart >= page)
      pages *= std::min(points, values);
    else
      span += apart * (points - 1);
    apart *= double(dim.size);
  }
  return pages * std::max(1.0, span / page);
}

void Touches::followLines(Touch &touch, LoadOp load, int64_t ahead) const {
  auto strideOf = [&](unsigned leaf) -> std::optional<int64_t> {
    if (!touch.leaves[leaf])
      return 0;
    std::optional<int64_t> stride = getStride(load, plan, leaf);
    return stride ? std::optional(std::abs(*stride)) : std::nullopt;
  };
  // Pieces of a tile that lie one after another are one.
  SmallVector<std::pair<int64_t, int64_t>> steps;
  for (auto [leaf, points] : llvm::enumerate(touch.tile))
    if (points > 1)
      if (std::optional<int64_t> stride = strideOf(unsigned(leaf)); stride && *stride)
        steps.emplace_back(*stride, points);
  llvm::sort(steps);
  double line = double(traits.lineBytes) / touch.elementBytes, run = 1;
  auto *next = steps.begin();
  auto join = [&](double most) {
    for (; next != steps.end() && double(next->first) <= std::max(run, most); ++next)
      run = double(next->first * next->second);
  };
  join(line);
  for (auto [stride, points] : ArrayRef(next, steps.end()))
    touch.places *= double(points);
  if (ahead == 0)
    return;
  // A loop that goes on elsewhere leaves what was fetched behind the end of those inside of it.
  bool isRun = false;
  for (const Level &level : llvm::reverse(touch.path)) {
    std::optional<int64_t> stride = strideOf(level.leaf);
    if (!stride)
      return;
    if (*stride == 0 || level.trips <= 1)
      continue;
    // Gaps are passed by, as far as the fetches reach.
    if (double(*stride) > std::max(run, line) + (isRun ? double(ahead) : 0)) {
      touch.inVain = isRun ? std::min(1.0, double(ahead) / run) : 0;
      return;
    }
    run = std::max(run, double(*stride) * level.trips);
    join(run);
    isRun = true;
  }
}

double Touches::runOf(const Touch &touch, double mostStreams) const {
  double line = double(traits.lineBytes);
  if (!touch.isLinear) // A buffer of its own, in the order of its loops.
    return std::max(line, touch.footprints.front());
  auto rowOf = [&](unsigned depth) {
    const Touch::Dim &last = touch.dims.back();
    int64_t span = 1;
    for (auto [axis, slope] : last.slopes)
      span += slope * (pointsOfAxis(touch, axis, depth) - 1);
    return double(std::min(span, last.size)) * touch.elementBytes;
  };
  if (touch.dims.empty())
    return line;
  double run = rowOf(touch.path.size()), row = double(touch.dims.back().size) * touch.elementBytes;
  // Whole rows of a tile are one run; parts of rows are read in turn.
  double streams = run >= row ? 1 : std::max(1.0, touch.footprints.back() / std::max(run, line));
  for (unsigned depth = touch.path.size(); depth-- > 0;) {
    if (!touch.leaves[touch.path[depth].leaf])
      continue;
    // A row that is whole goes on in the next one, if no other one comes in between.
    if (run >= row)
      return streams > 1 ? run : std::max(line, touch.footprints[depth]);
    double longer = rowOf(depth);
    if (longer <= run)
      streams *= touch.path[depth].trips;
    if (streams > mostStreams)
      break;
    run = std::max(run, longer);
  }
  return run;
}

/// Lines of a way at which so many rows begin that lie `step` bytes apart. Each `turn` rows are
/// near where the first of them was, and move on by what is left of a way.
static double placesOf(double rows, int64_t step, int64_t way, int64_t line) {
  constexpr int64_t kTurns = 32;
  double least = double(way / line);
  for (int64_t turn = 1; turn <= kTurns && double(turn) < least; ++turn) {
    int64_t past = step * turn % way;
    double moved = (std::max(1.0, rows / double(turn)) - 1) * double(std::min(past, way - past)) /
                   double(line);
    least = std::min(least, double(turn) * (1 + moved));
  }
  return least;
}

double Touches::occupied(const Touch &touch, unsigned depth, const Cache &cache) const {
  double bytes = touch.footprints[depth];
  if (!touch.isLinear || touch.dims.size() < 2 || cache.ways == 0)
    return bytes;
  int64_t way = cache.bytes / cache.ways, rowBytes = int64_t(touch.elementBytes);
  // Rows of all dimensions but the last, the places of a way at which they begin, and those at
  // which any multiple of their distances does.
  double rowLines = 1, rows = 1, places = 1;
  int64_t distance = way;
  for (unsigned d = touch.dims.size(); d-- > 0;) {
    const Touch::Dim &dim = touch.dims[d];
    int64_t points = 1, step = dim.size;
    for (auto [axis, slope] : dim.slopes) {
      int64_t more = pointsOfAxis(touch, axis, depth);
      points += slope * (more - 1);
      if (more > 1)
        step = std::min(step, slope);
    }
    points = std::min(points, dim.size);
    if (d + 1 == touch.dims.size()) {
      rowLines = std::ceil(double(points) * touch.elementBytes / double(traits.lineBytes));
    } else if (points > 1) {
      // Rows shorter than a line share lines.
      double own = double(points) / double(step);
      int64_t apartBytes = rowBytes * step;
      if (apartBytes < traits.lineBytes) {
        own = std::max(1.0, own * double(apartBytes) / double(traits.lineBytes));
        apartBytes = traits.lineBytes;
      }
      int64_t apart = std::gcd(apartBytes, way);
      rows *= own;
      places *= std::min(own, placesOf(own, apartBytes, way, traits.lineBytes));
      distance = std::gcd(distance, apart);
    }
    rowBytes *= dim.size;
  }
  if (rows <= 1)
    return bytes;
  // Rows that all begin elsewhere may lie between others.
  double most = double(way / distance);
  places = places < rows ? std::min(places, most) : most;
  double sets = std::min(double(way / traits.lineBytes), places * rowLines);
  return std::max(bytes, double(way) * rows * rowLines / sets);
}
