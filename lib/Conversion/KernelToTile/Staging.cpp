// Values in local memory: their buffers are filled where the loop of the stage begins, and read
// inside.
//
// A group of threads fills a buffer as one tile. One thread with vector registers has loops over
// the buffer, around tiles of kRows x kLanes elements, transposed in registers, where memory is
// read along another dimension than the buffer's last one, else of a row of kRow. Where the last
// dimension is the group of a dot instruction, tiles run along memory for each of its elements. The
// tile of a value that is contracted is that of the buffer's last two dimensions, or of the last
// one, and of an axis that is summed over along memory.
#include "Emitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::StagedValue;

/// Elements of a tile that a filling moves at once: a block that transposes in registers, and a few
/// vectors of a row. Narrower vectors take several of each.
static constexpr int64_t kRows = 16, kLanes = 16, kRow = 64;

/// The dimensions of a window's buffer: the tensor's, one of them in groups where a dot instruction
/// takes them, whose elements are the last dimension then.
static SmallVector<schedule::WindowDim> getWindowDims(const schedule::Plan &plan,
                                                      const StagedValue &staged) {
  SmallVector<schedule::WindowDim> dims = staged.window;
  if (!staged.groupDim)
    return dims;
  schedule::WindowDim &groups = dims[*staged.groupDim], elements;
  elements.coefficients.resize(plan.leaves.size());
  elements.extent = plan.leaves[staged.groupLeaf].extent;
  std::swap(elements.coefficients[staged.groupLeaf], groups.coefficients[staged.groupLeaf]);
  for (int64_t *value : {&groups.constant, &groups.least, &groups.extent})
    *value /= elements.extent;
  for (int64_t &coefficient : groups.coefficients)
    coefficient /= elements.extent;
  dims.push_back(elements);
  return dims;
}

/// Those of the program, or those that each thread of its team has for itself.
void TileEmitter::allocateBuffers(bool ownInTeam) {
  insertIn(innermost());
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  for (const StagedValue &staged : plan.staged) {
    if (schedule::isOwnInTeam(plan, staged) != ownInTeam)
      continue;
    SmallVector<int64_t> shape;
    for (unsigned leaf : staged.isWindow ? ArrayRef<unsigned>() : ArrayRef(staged.leaves))
      shape.push_back(plan.leaves[leaf].extent);
    for (const schedule::WindowDim &dim : getWindowDims(plan, staged))
      shape.push_back(dim.extent);
    SmallVector<int64_t> strides(shape.size(), 1);
    for (size_t d = shape.size() - 1; d-- > 0;)
      strides[d] = d + 2 == shape.size() ? staged.rowStride : strides[d + 1] * shape[d + 1];
    bool isPadded = shape.size() > 1 && staged.rowStride != shape.back();
    auto layout =
        isPadded
            ? MemRefLayoutAttrInterface(StridedLayoutAttr::get(builder.getContext(), 0, strides))
            : MemRefLayoutAttrInterface();
    auto type = MemRefType::get(shape, staged.op->getResult(0).getType(), layout, space);
    buffers[staged.op] = tile::AllocOp::create(builder, staged.op->getLoc(), type);
  }
}

/// Where the stage's loop begins; but where a sum is computed again inside of it, loops that come
/// before it in the order, along which the value varies, may be open inside of it.
unsigned TileEmitter::getStageScope(const StagedValue &staged) const {
  if (!staged.loop)
    return gridScope;
  unsigned scope = leafScopes[*staged.loop];
  const llvm::SmallBitVector &axes = sets.of(staged.op->getResult(0));
  for (unsigned leaf : ArrayRef(plan.loops.begin(), llvm::find(plan.loops, *staged.loop)))
    if (leafValues[leaf] && axes[plan.leaves[leaf].axis])
      scope = std::max(scope, leafScopes[leaf]);
  return scope;
}

LogicalResult TileEmitter::ensureFilled(const StagedValue &staged) {
  unsigned scope = getStageScope(staged);
  return success(!scopes[scope].filled.insert(staged.op).second || succeeded(fill(staged, scope)));
}

/// The value read from its buffer, which is filled first where that has not happened yet; nothing
/// when it is not in local memory here.
FailureOr<std::optional<TileEmitter::Emitted>> TileEmitter::getStaged(Operation *op) {
  auto *staged = llvm::find_if(plan.staged, [&](const StagedValue &s) { return s.op == op; });
  // The tiles of a filling are not those of other buffers; but contractions read what is filled.
  bool isHidden =
      filling && (op == filling || !isFillingContraction || !scopes.front().filled.contains(op));
  if (staged == plan.staged.end() || isHidden || (staged->loop && !leafOpen[*staged->loop]))
    return std::optional<Emitted>();
  if (failed(ensureFilled(*staged)))
    return failure();
  unsigned scope = getStageScope(*staged);
  Coordinates coordinates;
  coordinates.scope = scope;
  SmallVector<AffineExpr> exprs;
  for (const schedule::WindowDim &dim : getWindowDims(plan, *staged))
    exprs.push_back(getWindowExpr(dim, *staged, /*inside=*/true, coordinates));
  for (unsigned leaf : staged->isWindow ? ArrayRef<unsigned>() : ArrayRef(staged->leaves)) {
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end()) {
      exprs.push_back(builder.getAffineDimExpr(dim - frame.begin()));
      continue;
    }
    if (!leafValues[leaf]) { // A loop of one iteration.
      exprs.push_back(builder.getAffineConstantExpr(0));
      continue;
    }
    exprs.push_back(builder.getAffineDimExpr(getTileRank() + coordinates.operands.size()));
    coordinates.operands.push_back(leafValues[leaf]);
    coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
  }
  SmallVector<view::GuardAttr> guards;
  if (staged->isWindow)
    guards = getWindowGuards(op, coordinates);
  insertIn(coordinates.scope);
  Value result = op->getResult(0);
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto map = view::MapAttr::get(AffineMap::get(dims, 0, exprs, builder.getContext()), guards);
  auto type = RankedTensorType::get(getShape(sets.of(result)), result.getType());
  Value tile = tile::LoadOp::create(builder, op->getLoc(), type, buffers[op], coordinates.operands,
                                    map, DenseBoolArrayAttr());
  define(result, tile, coordinates.scope);
  return std::optional<Emitted>(Emitted{tile, coordinates.scope});
}

/// The leaves so that the parts of each axis are nested as they were split: how many points of an
/// inner one are left of the axis is known inside of the outer ones.
static SmallVector<unsigned> sortParts(const schedule::Plan &plan, ArrayRef<unsigned> leaves) {
  SmallVector<unsigned> sorted(leaves);
  for (unsigned &first : sorted)
    for (unsigned &second : MutableArrayRef(&first, sorted.end()))
      if (plan.leaves[first].axis == plan.leaves[second].axis &&
          plan.leaves[first].stride < plan.leaves[second].stride)
        std::swap(first, second);
  return sorted;
}

/// Computes the value in the frame of its buffer, at the end of the scope, and stores it there.
/// Nothing that the scopes know is of that frame, so that the filling has a scope of its own.
LogicalResult TileEmitter::fill(const StagedValue &staged, unsigned scope) {
  if (staged.isWindow) {
    fillWindow(staged, scope);
    return success();
  }
  auto *inside = plan.loops.begin();
  if (staged.loop)
    inside = std::next(llvm::find(plan.loops, *staged.loop));
  if (staged.isContracted)
    for (const StagedValue &other : plan.staged) {
      // A loop before this one in the order need not be around what is computed here.
      bool around = !other.loop || (leafOpen[*other.loop] &&
                                    std::find(plan.loops.begin(), inside, *other.loop) != inside);
      if (around && needs(staged.op, other.op) && failed(ensureFilled(other)))
        return failure();
    }
  insertIn(scope);
  Scope own(scopes[scope].block);
  if (builder.getInsertionPoint() != own.block->end())
    own.anchor = &*builder.getInsertionPoint();
  for (const Scope &outer : ArrayRef(scopes).take_front(scope + 1))
    own.filled.insert_range(outer.filled);
  auto outerRest = std::exchange(rest, scopes[scope].rest);
  own.rest = rest;
  auto outerLeafValues = leafValues;
  auto outerLeafOpen = leafOpen;
  auto outerChunks = chunks;
  for (unsigned leaf :
       llvm::concat<const unsigned>(ArrayRef(inside, plan.loops.end()), ArrayRef(plan.tile))) {
    leafValues[leaf] = nullptr;
    leafOpen[leaf] = false;
    chunks[leaf] = 0;
  }
  auto outerScopes = std::exchange(scopes, {});
  scopes.push_back(std::move(own));
  auto outerLeafScopes = std::exchange(leafScopes, SmallVector<unsigned>(plan.leaves.size(), 0));
  auto outerFrame = std::exchange(frame, staged.leaves);
  auto outerPadded = std::exchange(padded, plan.padded);
  for (unsigned leaf = 0; leaf < plan.leaves.size(); ++leaf)
    if (!plan.warps && leafOpen[leaf] && isOutermostPart(leaf))
      padded[plan.leaves[leaf].axis] = outerPadded[plan.leaves[leaf].axis];
  Operation *outerFilling = std::exchange(filling, staged.op);
  bool outerContraction = std::exchange(isFillingContraction, staged.isContracted);
  auto outerLoops = std::exchange(loops, plan.loops);
  unsigned outerGridScope = std::exchange(gridScope, 0);
  bool shares = !plan.team.empty() && !schedule::isOwnInTeam(plan, staged);
  bool outerShareLeft = std::exchange(isShareLeft, shares);

  LogicalResult result = success();
  if (plan.warps) {
    result = fillTile(staged);
  } else if (staged.isContracted) {
    frame = llvm::to_vector(schedule::getContractedTile(plan, staged));
    if (staged.summedLanes)
      frame.push_back(*staged.summedLanes);
    loops.append(staged.summedLoops);
    result = fillLoops(staged, sortParts(plan, staged.leaves));
  } else {
    frame = {staged.leaves.back()};
    // Groups of dot instructions are interleaved: lanes run along memory, groups across.
    if (staged.readLeaf != frame[0])
      frame.insert(plan.leaves[frame[0]].dot ? frame.end() : frame.begin(), staged.readLeaf);
    result = fillLoops(staged, sortParts(plan, staged.leaves));
  }
  scopes = std::move(outerScopes);
  rest = std::move(outerRest);
  leafValues = std::move(outerLeafValues);
  leafOpen = std::move(outerLeafOpen);
  chunks = std::move(outerChunks);
  gridScope = outerGridScope;
  leafScopes = std::move(outerLeafScopes);
  frame = std::move(outerFrame);
  padded = std::move(outerPadded);
  filling = outerFilling;
  isFillingContraction = outerContraction;
  isShareLeft = outerShareLeft;
  loops = std::move(outerLoops);
  return result;
}

/// A coordinate of a window: the sum over the leaves inside of the stage, from its least value on,
/// or over those outside, up to it.
AffineExpr TileEmitter::getWindowExpr(const schedule::WindowDim &dim, const StagedValue &staged,
                                      bool inside, Coordinates &coordinates) {
  int64_t constant = inside ? -dim.least : dim.constant + dim.least;
  AffineExpr sum = builder.getAffineConstantExpr(constant);
  for (auto [leaf, coefficient] : llvm::enumerate(dim.coefficients)) {
    // What has one point is open in any scope, and adds nothing.
    if (coefficient == 0 || plan.leaves[leaf].extent == 1 ||
        llvm::is_contained(staged.leaves, leaf) != inside)
      continue;
    if (auto *tile = llvm::find(frame, leaf); tile != frame.end() && inside)
      sum = sum + builder.getAffineDimExpr(tile - frame.begin()) * coefficient;
    if (!leafValues[leaf]) // A loop of one iteration, or the tile's dimension.
      continue;
    auto *it = llvm::find(coordinates.operands, leafValues[leaf]);
    unsigned rank = inside ? getTileRank() : 1;
    sum = sum + builder.getAffineDimExpr(rank + (it - coordinates.operands.begin())) * coefficient;
    if (it == coordinates.operands.end())
      coordinates.operands.push_back(leafValues[leaf]);
    coordinates.scope = std::max(coordinates.scope, leafScopes[leaf]);
  }
  return sum;
}

namespace {

/// Copies the part of a tensor that a window sees, borders included: loops over all dimensions of
/// the buffer but the last one, vectors along that. What lies outside of the tensor is in loops of
/// its own, so that nothing is compared inside; but where the last dimension begins is known to the
/// program only, rows have guards. Where a dimension is in groups, the rows of a group are
/// interleaved.
class WindowCopy {
public:
  /// One dimension: its extent in the buffer and in the tensor, and the coordinate in the tensor of
  /// its first element, between `least` and `most`, on operands that follow the tile's dimension.
  /// `group` elements of it lie together at the end of the buffer, which are all inside or may be
  /// outside one by one.
  struct Dim {
    int64_t extent, whole, least, most;
    AffineExpr corner;
    int64_t group = 1;
  };

  /// Copies `value`, which is the load or what it is extended to.
  WindowCopy(OpBuilder &builder, LoadOp load, Value value, Value source, Value buffer,
             ArrayRef<Dim> dims, ValueRange operands, bool isShared)
      : builder(builder), load(load), value(value), location(load.getLoc()), source(source),
        buffer(buffer), dims(dims), operands(operands), isShareLeft(isShared) {}

  void emit() { emit(0, /*inside=*/true); }

private:
  OpBuilder &builder;
  LoadOp load;
  Value value;
  Location location;
  Value source, buffer;
  ArrayRef<Dim> dims;
  ValueRange operands;
  SmallVector<Value> indices;
  bool hasWholeGroups = true;
  /// A team copies, and none of the loops so far is shared.
  bool isShareLeft;

  Value constant(int64_t number) {
    return arith::ConstantIndexOp::create(builder, location, number);
  }

  static bool isInside(const Dim &dim) {
    return dim.least >= 0 && dim.most + dim.extent <= dim.whole;
  }

  /// The first element inside of the tensor, or the first one behind it.
  Value getBound(const Dim &dim, int64_t coordinate) {
    int64_t first = coordinate - dim.most, last = coordinate - dim.least;
    if (first == last || last <= 0 || first >= dim.extent)
      return constant(std::clamp<int64_t>(first, 0, dim.extent));
    AffineExpr expr = coordinate - dim.corner;
    Value bound = affine::AffineApplyOp::create(
        builder, location, AffineMap::get(1 + operands.size(), 0, expr), withLane(operands));
    if (first < 0)
      bound = arith::MaxSIOp::create(builder, location, bound, constant(0));
    if (last > dim.extent)
      bound = arith::MinSIOp::create(builder, location, bound, constant(dim.extent));
    return bound;
  }

  /// Maps are over the tile's dimension as well.
  SmallVector<Value> withLane(ValueRange values) {
    SmallVector<Value> all{constant(0)};
    llvm::append_range(all, values);
    return all;
  }

  /// The loop of a row is the last that a team can share.
  void emitLoop(Value lower, Value upper, int64_t step, function_ref<void(Value)> emitBody,
                bool isOfRow = false) {
    std::optional<int64_t> first = getConstantIntValue(lower), last = getConstantIntValue(upper);
    if (first && last && *first >= *last)
      return;
    bool isOnce = first && last && *first + step >= *last;
    if (isShareLeft && (isOfRow || !isOnce)) {
      auto loop =
          tile::createTeamLoop(builder, location, getAsOpFoldResult(lower),
                               getAsOpFoldResult(upper), OpFoldResult(builder.getIndexAttr(step)));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      isShareLeft = false;
      emitBody(loop.getInductionVar(0));
      isShareLeft = true;
      return;
    }
    if (isOnce)
      return emitBody(lower);
    auto loop = scf::ForOp::create(builder, location, lower, upper, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitBody(loop.getInductionVar());
  }

  void emit(unsigned d, bool inside) {
    const Dim &dim = dims[d];
    if (d + 1 == dims.size())
      return emitRow(dim, inside);
    if (dim.group > 1)
      return emitGroups(d, inside);
    auto part = [&](Value lower, Value upper, bool isInsidePart) {
      emitLoop(lower, upper, 1, [&](Value index) {
        indices.push_back(index);
        emit(d + 1, isInsidePart);
        indices.pop_back();
      });
    };
    Value begin = constant(0), end = constant(dim.extent);
    if (!inside || isInside(dim))
      return part(begin, end, inside);
    Value lower = getBound(dim, 0), upper = getBound(dim, dim.whole);
    part(begin, lower, false);
    part(lower, upper, true);
    part(upper, end, false);
  }

  /// First the groups that are inside as a whole, then the others under guards.
  void emitGroups(unsigned d, bool inside) {
    const Dim &dim = dims[d];
    int64_t count = dim.extent / dim.group, whole = count;
    if (inside && !isInside(dim))
      whole = dim.least < 0 ? 0 : std::clamp<int64_t>((dim.whole - dim.most) / dim.group, 0, count);
    for (bool isWhole : {true, false})
      emitLoop(constant(isWhole ? 0 : whole), constant(isWhole ? whole : count), 1,
               [&](Value index) {
                 indices.push_back(index);
                 hasWholeGroups = isWhole;
                 emit(d + 1, inside);
                 hasWholeGroups = true;
                 indices.pop_back();
               });
  }

  /// Rows of a group are interleaved in whole vectors: what is left of kRow is in powers of two.
  static int64_t getChunk(int64_t elements, bool isGrouped) {
    if (elements >= kRow || !isGrouped)
      return std::min(elements, kRow);
    return elements >= kLanes ? elements / kLanes * kLanes
                              : int64_t(llvm::bit_floor(uint64_t(elements)));
  }

  void emitRow(const Dim &dim, bool inside) {
    bool isGrouped = llvm::any_of(dims, [](const Dim &other) { return other.group > 1; });
    auto chunks = [&](int64_t begin, int64_t end, bool isInsidePart) {
      while (begin < end) {
        int64_t chunk = getChunk(end - begin, isGrouped), whole = (end - begin) / chunk * chunk;
        emitLoop(
            constant(begin), constant(begin + whole), chunk,
            [&](Value first) { move(first, chunk, isInsidePart); }, /*isOfRow=*/true);
        begin += whole;
      }
    };
    if (!inside || isInside(dim) || dim.least != dim.most)
      return chunks(0, dim.extent, inside);
    int64_t lower = std::clamp<int64_t>(-dim.least, 0, dim.extent);
    int64_t upper = std::clamp<int64_t>(dim.whole - dim.least, 0, dim.extent);
    chunks(0, lower, false);
    chunks(lower, upper, true);
    chunks(upper, dim.extent, false);
  }

  void move(Value first, int64_t elements, bool inside) {
    SmallVector<Value> all(operands);
    llvm::append_range(all, indices);
    all.push_back(first);
    auto *grouped = llvm::find_if(dims, [](const Dim &dim) { return dim.group > 1; });
    SmallVector<int64_t> shape{elements};
    if (grouped != dims.end())
      shape.insert(shape.begin(), grouped->group);
    unsigned rank = shape.size();
    SmallVector<AffineExpr> from, to;
    for (auto [d, dim] : llvm::enumerate(dims)) {
      AffineExpr corner = dim.corner.shiftDims(1 + operands.size(), rank - 1);
      AffineExpr index = builder.getAffineDimExpr(rank + operands.size() + d);
      if (d + 1 == dims.size())
        index = index + builder.getAffineDimExpr(rank - 1);
      to.push_back(index);
      from.push_back(corner +
                     (dim.group > 1 ? index * dim.group + builder.getAffineDimExpr(0) : index));
    }
    if (rank > 1)
      to.push_back(builder.getAffineDimExpr(0));
    auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(rank + all.size(), 0, exprs, builder.getContext());
    };
    Type element = load.getResult().getType(), wide = value.getType();
    auto type = RankedTensorType::get(shape, element);
    Value tile;
    if (inside) {
      SmallVector<bool> inBounds(dims.size(), true);
      inBounds.back() = isInside(dims.back()) || dims.back().least == dims.back().most;
      if (!hasWholeGroups)
        inBounds[grouped - dims.begin()] = false;
      bool isProved = llvm::all_of(inBounds, [](bool proved) { return proved; });
      tile = tile::LoadOp::create(
          builder, location, type, source, all,
          view::MapAttr::get(mapOf(from), {}, isProved ? TypedAttr() : load.getMap().getOutside()),
          builder.getDenseBoolArrayAttr(inBounds));
    } else {
      tile = arith::ConstantOp::create(
          builder, location,
          DenseElementsAttr::get(type, Attribute(load.getMap().getOutsideFill(element))));
    }
    if (element != wide)
      tile = arith::ExtFOp::create(builder, location, type.clone(wide), tile);
    tile::StoreOp::create(builder, location, tile, buffer, all, view::MapAttr::get(mapOf(to)),
                          DenseBoolArrayAttr());
  }
};

} // namespace

void TileEmitter::fillWindow(const StagedValue &staged, unsigned scope) {
  LoadOp load = schedule::getWindowLoad(staged.op);
  insertIn(scope);
  OpBuilder::InsertionGuard guard(builder);
  auto tensor = cast<RankedTensorType>(load.getSource().getType());
  Coordinates outside;
  SmallVector<WindowCopy::Dim> dims;
  for (auto [dim, whole] : llvm::zip(staged.window, tensor.getShape())) {
    AffineExpr corner = getWindowExpr(dim, staged, /*inside=*/false, outside);
    WindowCopy::Dim copied{dim.extent, whole, dim.constant + dim.least, dim.constant + dim.least,
                           corner};
    for (auto [leaf, coefficient] : llvm::enumerate(dim.coefficients))
      if (leafValues[leaf] && !llvm::is_contained(staged.leaves, leaf))
        (coefficient < 0 ? copied.least : copied.most) +=
            coefficient * (plan.leaves[leaf].extent - 1);
    dims.push_back(copied);
  }
  if (staged.groupDim)
    dims[*staged.groupDim].group = plan.leaves[staged.groupLeaf].extent;
  unsigned buffer = cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
  WindowCopy(builder, load, staged.op->getResult(0), func.getBuffer(buffer), buffers[staged.op],
             dims, outside.operands, !plan.team.empty() && !schedule::isOwnInTeam(plan, staged))
      .emit();
}

LogicalResult TileEmitter::fillTile(const StagedValue &staged) {
  FailureOr<Emitted> value = get(staged.op->getResult(0));
  if (failed(value))
    return failure();
  Coordinates coordinates;
  SmallVector<AffineExpr> exprs;
  for (unsigned leaf : staged.leaves) {
    AffineExpr expr = builder.getAffineConstantExpr(0);
    if (auto *dim = llvm::find(frame, leaf); dim != frame.end())
      expr = builder.getAffineDimExpr(dim - frame.begin());
    if (leafValues[leaf]) {
      expr = expr + builder.getAffineDimExpr(getTileRank() + coordinates.operands.size());
      coordinates.operands.push_back(leafValues[leaf]);
    }
    exprs.push_back(expr);
  }
  insertIn(innermost());
  Value tile = broadcast(value->value, getShape(sets.of(staged.op->getResult(0))));
  unsigned dims = getTileRank() + coordinates.operands.size();
  auto map = view::MapAttr::get(AffineMap::get(dims, 0, exprs, builder.getContext()));
  tile::StoreOp::create(builder, staged.op->getLoc(), tile, buffers[staged.op],
                        coordinates.operands, map, DenseBoolArrayAttr());
  return success();
}

/// The loops over the dimensions of the buffer that are left, outermost first.
LogicalResult TileEmitter::fillLoops(const StagedValue &staged, ArrayRef<unsigned> loops) {
  if (!loops.empty())
    return fillLoop(staged, loops);
  if (isShareLeft)
    return shareLoop(1, 1, [&](Value) { return fillTile(staged); });
  return fillTile(staged);
}

LogicalResult TileEmitter::fillLoop(const StagedValue &staged, ArrayRef<unsigned> loops) {
  unsigned position = loops.front();
  const schedule::LeafAxis &leaf = plan.leaves[position];
  bool inTile = llvm::is_contained(frame, position);
  int64_t extent = getExtent(position), whole = rest[leaf.axis];
  // A tile takes `step` points of the leaf at once; a loop one, with what is inside of it.
  int64_t step = 1, full = extent, left = 0;
  // What is read is filled: all points of a tile, and the last iteration that is emitted apart,
  // which alone goes beyond the axis. Outside of a tensor all is filled.
  const schedule::SkippedAxis *skipped =
      inTile || leaf.role == schedule::Role::Tile ? nullptr : findSkipped(position);
  if (skipped && !isa<arith::SelectOp>(skipped->mask))
    skipped = nullptr;
  bool masks = !inTile && extent > 1 && isMaskedApart(position);
  if (inTile) {
    int64_t most = frame.size() == 1 ? kRow : position == frame[0] ? kRows : kLanes;
    step = staged.isContracted ? extent : std::min(extent, most);
    full = extent / step;
    left = extent % step;
  } else if (plan.peeled[leaf.axis] && whole > leaf.stride && whole % leaf.stride != 0) {
    full = extent - 1;
    left = whole % leaf.stride;
  } else if (masks) {
    full = extent - 1;
    left = leaf.stride;
  }
  unsigned parent = innermost();
  Operation *anchor = scopes[parent].anchor;
  auto emitPart = [&](Block *block, Value index, int64_t part, bool isLast = false) {
    bool before = std::exchange(padded[leaf.axis], padded[leaf.axis] && !(masks && !isLast));
    scopes.emplace_back(block);
    if (block == scopes[parent].block)
      scopes.back().anchor = anchor;
    leafValues[position] = index;
    leafScopes[position] = innermost();
    leafOpen[position] = true;
    // Inside of a tile are as many points as its first element has.
    if (inTile)
      chunks[position] = part;
    rest[leaf.axis] = std::min(whole, inTile ? leaf.stride : part);
    scopes.back().rest = rest;
    LogicalResult result = fillLoops(staged, loops.drop_front());
    chunks[position] = 0;
    rest[leaf.axis] = whole;
    leafValues[position] = nullptr;
    leafOpen[position] = false;
    scopes.pop_back();
    padded[leaf.axis] = before;
    return result;
  };
  auto constant = [&](int64_t value) {
    insertIn(parent);
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  int64_t part = inTile ? step : leaf.stride;
  if (isShareLeft && full + (left > 0) > 1 && !skipped)
    return shareLoop(full * step + (left > 0), step, [&](Value index) {
      auto emitHere = [&](Value at, int64_t points, bool isLast) {
        return emitPart(scopes[innermost()].block, at, points, isLast);
      };
      if (left == 0)
        return emitHere(index, part, false);
      return branchAt(
          index, full * step, [&](Value last) { return emitHere(last, left, true); },
          [&] { return emitHere(index, part, false); });
    });
  if (full == 1) {
    if (failed(emitPart(scopes[parent].block, constant(0), part)))
      return failure();
  } else if (full > 1) {
    auto emitLoop = [&](Value lower, Value upper) {
      Value increment = constant(step);
      auto loop = scf::ForOp::create(builder, location, lower, upper, increment);
      loop.getBody()->getTerminator()->erase();
      scopes[parent].anchor = loop;
      LogicalResult result = emitPart(loop.getBody(), loop.getInductionVar(), part);
      scopes[parent].anchor = anchor;
      builder.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(builder, location);
      return result;
    };
    Value begin = constant(0), end = constant(full * step);
    if (skipped && !decided.contains(skipped->mask)) {
      end = getSeen(position, *skipped, full).second;
      // First what is seen from everywhere, without the mask.
      if (staged.op == skipped->mask || needs(staged.op, skipped->mask)) {
        Value all = getSeenBound(position, skipped->bounds.front(), /*all=*/true, full);
        decided.insert(skipped->mask);
        LogicalResult result = emitLoop(begin, all);
        decided.erase(skipped->mask);
        if (failed(result))
          return failure();
        begin = all;
      }
    }
    if (failed(emitLoop(begin, end)))
      return failure();
  }
  if (left == 0)
    return success();
  return emitPart(scopes[parent].block, constant(full * step), left, /*isLast=*/true);
}
