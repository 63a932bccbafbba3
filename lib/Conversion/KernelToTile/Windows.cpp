// Windows: the part of a tensor that a stage reads, copied as it lies there, borders included.
#include "Emitter.h"
#include "Filling.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using schedule::StagedValue;

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
