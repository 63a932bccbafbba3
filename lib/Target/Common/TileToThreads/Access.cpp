// ttile.load, store, index and inside, register by register.
//
// ttile.load %x -> tensor<16x64xf32, #layout>   ->   memref.load or vector.load, and
// where it
//                                                   may be outside: select of the address and the
//                                                   value
#include "Emitter.h"
#include "Scalars.h"

#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

namespace {

/// The expressions of a map or set over tile coordinates and scalars, in terms of the thread and
/// what the scalars are computed from. Tiles of indices are dims without bounds.
class Bindings {
public:
  Bindings(Value thread, int64_t threads, IRMapping &scalars, const ThreadTile &tile,
           ValueRange indices)
      : tile(tile) {
    dims.add(thread, layout::Range::ofExtent(threads), 0);
    for (Value index : indices) {
      if (isa<RankedTensorType>(index.getType())) {
        gathered.push_back(dims.add(nullptr, {}, getDepth(index)));
        operands.push_back(layout::Expr::dim(gathered.back()));
        continue;
      }
      operands.push_back(getExpr(index, [&](Value root) {
        for (auto [dim, other] : llvm::enumerate(roots))
          if (other.first == root)
            return other.second;
        unsigned dim = dims.add(scalars.lookup(root), getRange(root), getDepth(root));
        roots.push_back({root, dim});
        return dim;
      }));
    }
  }

  /// What to replace the dims of a map by, for one register.
  std::vector<layout::Expr> bind(unsigned reg) const {
    std::vector<layout::Expr> exprs;
    for (auto [coordinate, own] : llvm::zip(tile.coordinates, tile.registers[reg]))
      exprs.push_back(coordinate + own);
    exprs.insert(exprs.end(), operands.begin(), operands.end());
    return exprs;
  }

  const ThreadTile &tile;
  Dims dims;
  /// The dims of index tiles, in the order of the operands.
  SmallVector<unsigned> gathered;

private:
  std::vector<layout::Expr> operands;
  SmallVector<std::pair<Value, unsigned>> roots;
};

/// Constraints of a set, over its dims.
std::optional<std::vector<layout::Constraint>> toConstraints(IntegerSet set) {
  std::vector<layout::Constraint> constraints;
  for (auto [expr, equality] : llvm::zip(set.getConstraints(), set.getEqFlags())) {
    std::optional<layout::Expr> converted = view::toLayout(expr);
    if (!converted)
      return std::nullopt;
    constraints.push_back({*converted, equality});
  }
  return constraints;
}

Mask bindMask(ArrayRef<layout::Constraint> constraints, const std::vector<layout::Expr> &bound,
              layout::DimRanges ranges) {
  Mask mask;
  for (const layout::Constraint &constraint : constraints)
    mask.require({layout::substitute(constraint.expr, bound, ranges), constraint.equality}, ranges);
  return mask;
}

LogicalResult failTooComplex(Operation *op) {
  return tw::emitOpError(op, tw::Code::T0422)
         << "has an index map with more divisions than the lowering takes: materialise the view";
}

/// Where one register is in memory, and whether.
struct Point {
  layout::Expr address;
  /// All guards and bounds.
  Mask inside;
  SmallVector<Mask> guards;
};

} // namespace

template <typename Op> class ThreadEmitter::Access {
public:
  Access(ThreadEmitter &emitter, Op op, Value memory, Value tileValue)
      : emitter(emitter), builder(emitter.builder), op(op), location(op.getLoc()),
        memoryType(cast<MemRefType>(memory.getType())), memory(emitter.scalars.lookup(memory)),
        tile(emitter.get(tileValue)),
        bindings(emitter.thread, emitter.countThreads(), emitter.scalars, tile, op.getIndices()),
        exprs(builder, location, bindings.dims) {}

  LogicalResult analyse() {
    layout::DimRanges ranges = bindings.dims.ranges;
    std::vector<layout::Expr> map;
    for (AffineExpr expr : op.getMap().getMap().getResults()) {
      std::optional<layout::Expr> converted = view::toLayout(expr);
      if (!converted)
        return failTooComplex(op);
      map.push_back(*converted);
    }
    std::vector<std::vector<layout::Constraint>> guards;
    for (view::GuardAttr guard : op.getMap().getGuards()) {
      auto constraints = toConstraints(guard.getSet());
      if (!constraints)
        return failTooComplex(op);
      guards.push_back(*constraints);
    }
    SmallVector<int64_t> strides;
    int64_t offset = 0;
    if (failed(memoryType.getStridesAndOffset(strides, offset)) || offset != 0)
      return tw::emitOpError(op, tw::Code::T0422) << "expected memory with strides from offset 0";
    for (Value index : op.getIndices())
      if (isa<RankedTensorType>(index.getType()))
        gathers.push_back(index);
    for (unsigned reg = 0; reg < tile.registers.size(); ++reg) {
      std::vector<layout::Expr> bound = bindings.bind(reg);
      Point &point = points.emplace_back();
      for (const std::vector<layout::Constraint> &guard : guards) {
        point.guards.push_back(bindMask(guard, bound, ranges));
        point.inside.require(point.guards.back());
      }
      for (auto [dim, expr] : llvm::enumerate(map)) {
        layout::Expr coordinate = layout::substitute(expr, bound, ranges);
        if (!op.getInBounds() || !(*op.getInBounds())[dim])
          point.inside.requireInside(coordinate, memoryType.getDimSize(dim), ranges);
        point.address = point.address + coordinate * strides[dim];
      }
      point.address = layout::simplify(point.address, ranges);
      point.inside.never |= memoryType.getNumElements() == 0;
    }
    return success();
  }

  FailureOr<Registers> load() {
    Registers values;
    for (unsigned reg = 0; reg < points.size();) {
      if (failed(bindGathers(reg)))
        return failure();
      unsigned width = getWidth(reg);
      loadGroup(reg, width, values);
      reg += width;
    }
    return values;
  }

  LogicalResult store(ValueRange values) {
    struct Group {
      unsigned reg, width;
      Value condition, index;
    };
    SmallVector<Group> groups;
    for (Point &point : points)
      point.inside.require({tile.replica, /*equality=*/true}, bindings.dims.ranges);
    for (unsigned reg = 0; reg < points.size();) {
      if (failed(bindGathers(reg)))
        return failure();
      unsigned width = getWidth(reg);
      if (const Point &point = points[reg]; !point.inside.never)
        groups.push_back({reg, width, here().emit(point.inside), here().emit(point.address)});
      reg += width;
    }
    while (!groups.empty()) {
      Value condition = groups.front().condition;
      OpBuilder::InsertionGuard guard(builder);
      if (condition) {
        auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
        builder.setInsertionPointToStart(branch.thenBlock());
      }
      for (const Group &group : groups)
        if (group.condition == condition)
          storeGroup(values.slice(group.reg, group.width), group.index);
      llvm::erase_if(groups, [&](const Group &group) { return group.condition == condition; });
    }
    return success();
  }

private:
  ThreadEmitter &emitter;
  OpBuilder &builder;
  Op op;
  Location location;
  MemRefType memoryType;
  Value memory;
  const ThreadTile tile;
  Bindings bindings;
  ExprEmitter exprs;
  /// Where index tiles take part, each register has its own.
  std::optional<ExprEmitter> own;
  SmallVector<Value> gathers;
  std::vector<Point> points;

  ExprEmitter &here() { return own ? *own : exprs; }

  Type storedType() { return cast<MemRefType>(memory.getType()).getElementType(); }

  LogicalResult bindGathers(unsigned reg) {
    if (gathers.empty())
      return success();
    for (auto [dim, index] : llvm::zip(bindings.gathered, gathers)) {
      std::optional<unsigned> from = emitter.get(index).findRegister(tile.registers[reg]);
      if (!from)
        return tw::emitOpError(op, tw::Code::T0422)
               << "expected index tiles whose layouts are slices of the tile's, found "
               << index.getType();
      bindings.dims.values[dim] = emitter.lookup(index)[*from];
    }
    own.emplace(builder, location, bindings.dims);
    return success();
  }

  /// How many registers from this one on are one access.
  unsigned getWidth(unsigned reg) {
    int64_t bytes = storedType().isIndex() ? 8 : storedType().getIntOrFloatBitWidth() / 8;
    int64_t widest = getMaxVectorElements(emitter.traits.vectorBytes);
    for (unsigned width : {16, 8, 4, 2}) {
      if (bytes * width > emitter.traits.vectorBytes || width > widest || reg % width != 0 ||
          !gathers.empty() || reg + width > points.size() ||
          memoryType.getNumElements() < int64_t(width) || storedType().isIndex() ||
          points[reg].inside.never)
        continue;
      bool together = getAlignment(points[reg].address, bindings.dims.ranges, width) == width;
      for (unsigned i = 1; i < width && together; ++i)
        together = points[reg + i].address == points[reg].address + i &&
                   points[reg + i].inside == points[reg].inside;
      if (together)
        return width;
    }
    return 1;
  }

  /// Buffers are aligned to the widest access.
  llvm::MaybeAlign getAlign(unsigned width) {
    return llvm::MaybeAlign(width * storedType().getIntOrFloatBitWidth() / 8);
  }

  Value select(Value condition, Value ifTrue, Value ifFalse) {
    return arith::SelectOp::create(builder, location, condition, ifTrue, ifFalse);
  }

  void loadGroup(unsigned reg, unsigned width, Registers &values) {
    const Point &point = points[reg];
    Value fill = emitter.constant(op.getMap().getOutsideFill(tile.element));
    Registers loaded(width, fill);
    if (!point.inside.never) {
      Value condition = here().emit(point.inside);
      Value index = here().emit(point.address);
      if (condition)
        index = select(condition, index, here().constant(0));
      loadInside(index, loaded);
      for (Value &value : loaded) {
        value = fromMemory(value);
        if (condition)
          value = select(condition, value, fill);
      }
    }
    for (unsigned i = 0; i < width; ++i)
      values.push_back(applyGuards(points[reg + i], loaded[i]));
  }

  void loadInside(Value index, Registers &loaded) {
    if (loaded.size() == 1) {
      loaded[0] = memref::LoadOp::create(builder, location, memory, index);
      return;
    }
    auto type = VectorType::get({int64_t(loaded.size())}, storedType());
    Value vector = vector::LoadOp::create(builder, location, type, memory, index,
                                          /*nontemporal=*/false, getAlign(loaded.size()));
    for (auto [i, value] : llvm::enumerate(loaded))
      value = vector::ExtractOp::create(builder, location, vector, i);
  }

  /// Memory holds booleans as bytes.
  Value fromMemory(Value value) {
    if (value.getType() == tile.element)
      return value;
    Value zero = emitter.constant(builder.getZeroAttr(value.getType()));
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, zero);
  }

  /// The first guard that fails gives its fill; what all of them let through stays.
  Value applyGuards(const Point &point, Value value) {
    TypedAttr outside = op.getMap().getOutsideFill(tile.element);
    ArrayRef<view::GuardAttr> guards = op.getMap().getGuards();
    if (llvm::all_of(guards, [&](auto guard) { return guard.getFill() == outside; }))
      return value;
    for (auto [guard, mask] : llvm::reverse(llvm::zip(guards, point.guards)))
      if (Value condition = here().emit(mask))
        value = select(condition, value, emitter.constant(guard.getFill()));
    return value;
  }

  void storeGroup(ValueRange values, Value index) {
    Registers stored;
    for (Value value : values)
      stored.push_back(value.getType() == storedType()
                           ? value
                           : arith::ExtUIOp::create(builder, location, storedType(), value));
    if (stored.size() == 1) {
      memref::StoreOp::create(builder, location, stored[0], memory, index);
      return;
    }
    auto type = VectorType::get({int64_t(stored.size())}, storedType());
    Value vector = vector::FromElementsOp::create(builder, location, type, stored);
    vector::StoreOp::create(builder, location, vector, memory, index, /*nontemporal=*/false,
                            getAlign(stored.size()));
  }
};

LogicalResult ThreadEmitter::emitLoad(tile::LoadOp op) {
  Access<tile::LoadOp> access(*this, op, op.getSource(), op.getResult());
  if (failed(access.analyse()))
    return failure();
  FailureOr<Registers> values = access.load();
  if (failed(values))
    return failure();
  tiles[op.getResult()] = *values;
  return success();
}

LogicalResult ThreadEmitter::emitStore(tile::StoreOp op) {
  Access<tile::StoreOp> access(*this, op, op.getDestination(), op.getValue());
  if (failed(access.analyse()))
    return failure();
  Registers values(lookup(op.getValue()));
  return access.store(values);
}

LogicalResult ThreadEmitter::emitIndex(tile::IndexOp op) {
  const ThreadTile &tile = get(op.getResult());
  Bindings bindings(thread, countThreads(), scalars, tile, op.getIndices());
  ExprEmitter exprs(builder, op.getLoc(), bindings.dims);
  std::optional<layout::Expr> expr = view::toLayout(op.getMap().getResult(0));
  if (!expr)
    return failTooComplex(op);
  Registers values;
  for (unsigned reg = 0; reg < tile.registers.size(); ++reg)
    values.push_back(
        exprs.emit(layout::substitute(*expr, bindings.bind(reg), bindings.dims.ranges)));
  tiles[op.getResult()] = values;
  return success();
}

LogicalResult ThreadEmitter::emitInside(tile::InsideOp op) {
  const ThreadTile &tile = get(op.getResult());
  Bindings bindings(thread, countThreads(), scalars, tile, op.getIndices());
  ExprEmitter exprs(builder, op.getLoc(), bindings.dims);
  auto constraints = toConstraints(op.getSet());
  if (!constraints)
    return failTooComplex(op);
  Registers values;
  for (unsigned reg = 0; reg < tile.registers.size(); ++reg) {
    Value value = exprs.emit(bindMask(*constraints, bindings.bind(reg), bindings.dims.ranges));
    values.push_back(value ? value : constant(builder.getBoolAttr(true)));
  }
  tiles[op.getResult()] = values;
  return success();
}
