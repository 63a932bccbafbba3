// ttile.load, store, index and inside, register by register.
//
// ttile.load %x -> tensor<16x64xf32, #layout>   ->   memref.load or vector.load, and
// where it
//                                                   may be outside: select of the address and the
//                                                   value
#include "Emitter.h"
#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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
    if (std::optional<Registers> matrices = loadMatrices())
      return *matrices;
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

  /// Copies from what `from` reads to what this writes, by instructions where they are as wide as
  /// those of the chip.
  LogicalResult copy(Access<tile::LoadOp> &from) {
    struct Group {
      unsigned reg, width;
      Value condition;
    };
    SmallVector<Group> groups;
    for (Point &point : points)
      point.inside.require({tile.replica, /*equality=*/true}, bindings.dims.ranges);
    for (unsigned reg = 0; reg < points.size();) {
      if (failed(bindGathers(reg)) || failed(from.bindGathers(reg)))
        return failure();
      unsigned width = std::min(getWidth(reg), from.getWidth(reg));
      if (const Point &point = points[reg]; !point.inside.never)
        groups.push_back({reg, width, here().emit(point.inside)});
      reg += width;
    }
    while (!groups.empty()) {
      Value condition = groups.front().condition;
      OpBuilder::InsertionGuard guard(builder);
      if (condition) {
        auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
        builder.setInsertionPointToStart(branch.thenBlock());
      }
      for (const Group &group : groups) {
        if (group.condition != condition)
          continue;
        // Both are bound to the last register since.
        if (failed(bindGathers(group.reg)) || failed(from.bindGathers(group.reg)))
          return failure();
        copyGroup(from, group.reg, group.width);
      }
      llvm::erase_if(groups, [&](const Group &group) { return group.condition == condition; });
    }
    return success();
  }

private:
  template <typename Other> friend class Access;

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

  void copyGroup(Access<tile::LoadOp> &from, unsigned reg, unsigned width) {
    int64_t bytes = width * (storedType().isIndex() ? 8 : storedType().getIntOrFloatBitWidth() / 8);
    const ChipInstructions &own = emitter.instructions;
    StringRef name;
    if (bytes == 16)
      name = own.copy16;
    else if (bytes == 8)
      name = own.copy8;
    else if (bytes == 4)
      name = own.copy4;
    // Nothing emitted in a branch may be used again outside.
    ExprEmitter exprs(builder, location, bindings.dims),
        fromExprs(builder, location, from.bindings.dims);
    if (name.empty() || !from.fillsZero()) {
      Registers values;
      from.own.emplace(builder, location, from.bindings.dims);
      from.loadGroup(reg, width, values);
      from.own.reset();
      return storeGroup(values, exprs.emit(points[reg].address));
    }
    const Point &point = from.points[reg];
    layout::Expr source = point.inside.never ? layout::Expr() : point.address;
    Value there = fromExprs.emit(source - source.getConstant());
    auto i32 = [&](int64_t value) {
      return emitter.constant(builder.getI32IntegerAttr(int32_t(value)));
    };
    Value size = i32(point.inside.never ? 0 : bytes);
    if (!point.inside.never)
      if (Value inside = fromExprs.emit(point.inside)) {
        size = select(inside, size, i32(0));
        there = select(inside, there, fromExprs.constant(0));
      }
    layout::Expr address = points[reg].address;
    Value here = exprs.emit(address - address.getConstant());
    Value operands[] = {emitter.getPointer(location, memory, here, address.getConstant()),
                        emitter.getPointer(location, from.memory, there, source.getConstant()),
                        size};
    emitter.callIntrinsic(location, name, Type(), operands);
  }

  /// Whether zero is read wherever nothing is.
  bool fillsZero() {
    auto isZero = [](TypedAttr fill) {
      if (auto number = dyn_cast<FloatAttr>(fill))
        return number.getValue().isPosZero();
      auto integer = dyn_cast<IntegerAttr>(fill);
      return integer && integer.getValue().isZero();
    };
    return isZero(op.getMap().getOutsideFill(tile.element)) &&
           llvm::all_of(op.getMap().getGuards(),
                        [&](view::GuardAttr guard) { return isZero(guard.getFill()); });
  }

  /// The registers as matrices that a subgroup loads together, if they lie so: registers of 32
  /// bits of a thread are neighbours in a row of memory, four threads have a row of 16 bytes and
  /// eight times four a matrix; or the same with rows and columns exchanged, of 16 bits each. Those
  /// may be two bytes, of which a thread has four rows: two matrices, of which every four rows
  /// trade places, so that the eight of a matrix do not come twice to a bank.
  std::optional<Registers> loadMatrices() {
    constexpr int64_t lanes = 32, rows = 8, together = 4;
    const ChipInstructions &instructions = emitter.instructions;
    int64_t bits = storedType().isIndex() ? 64 : storedType().getIntOrFloatBitWidth();
    int64_t rowElements = 128 / bits, each = 32 / bits;
    if (instructions.loadMatrices.empty() || !tile::isLocal(memoryType) || !gathers.empty() ||
        (bits != 8 && bits != 16) || tile.element.getIntOrFloatBitWidth() != bits ||
        emitter.traits.subgroup != lanes || points.size() % (each * together) != 0)
      return std::nullopt;
    layout::DimRanges ranges = bindings.dims.ranges;
    // What the thread adds, and what does not depend on it.
    layout::Expr ofThread, others = points[0].address.getConstant();
    for (const layout::Term &term : points[0].address.getTerms()) {
      layout::Expr atom = layout::Expr::of(term.atom);
      bool mixes = false;
      for (unsigned dim = 1; dim < bindings.dims.ranges.size(); ++dim)
        mixes |= atom.uses(0) && atom.uses(dim);
      if (mixes)
        return std::nullopt;
      layout::Expr &part = atom.uses(0) ? ofThread : others;
      part = part + atom * term.coefficient;
    }
    std::vector<int64_t> place(bindings.dims.ranges.size(), 0);
    auto at = [&](int64_t thread) {
      place[0] = thread;
      return ofThread.evaluate(place);
    };
    SmallVector<int64_t> steps;
    for (const Point &point : points) {
      layout::Expr step = point.address - points[0].address;
      if (!step.isConstant() || !point.inside.always())
        return std::nullopt;
      steps.push_back(step.getConstant());
    }
    // Registers of 16 bits, and the step from a row to the next where they are transposed.
    int64_t pair = 16 / bits, rowStep = steps[size_t(pair)];
    bool isPlain = true, isTransposed = true;
    for (int64_t thread = 0; thread < emitter.countThreads(); ++thread) {
      int64_t lane = thread % lanes, first = thread - lane;
      isPlain &= at(thread) == at(thread - lane % 4) + each * (lane % 4) &&
                 at(thread - lane % 4) % rowElements == 0;
      isTransposed &= at(thread) == at(first + lane % 4) + pair * (lane / 4) &&
                      at(first + lane % 4) % rowElements == 0;
    }
    for (size_t reg = 0; reg < points.size(); reg += each) {
      for (int64_t i = 1; i < each; ++i)
        isPlain &= steps[reg + i] == steps[reg] + i;
      isPlain &= steps[reg] % rowElements == 0;
      for (int64_t i = 0; i < each; ++i)
        isTransposed &= steps[reg + i] - steps[reg] == i / pair * rowStep + i % pair;
      isTransposed &= steps[reg] % rowElements == 0 && rowStep % rowElements == 0;
    }
    for (size_t reg = 0; reg < points.size(); reg += each * together)
      if (steps[reg + 3 * each] - steps[reg + 2 * each] != steps[reg + each] - steps[reg] ||
          steps[reg + each] - steps[reg] != steps[each] ||
          steps[reg + 2 * each] - steps[reg] != steps[2 * each])
        return std::nullopt;
    if ((!isPlain && !isTransposed) || getAlignment(others, ranges, rowElements) != rowElements)
      return std::nullopt;

    // The row whose address the thread gives, and the matrix that it is of.
    layout::Expr thread = layout::Expr::dim(0);
    layout::Expr row = layout::mod(thread, rows, ranges);
    layout::Expr first = layout::floorDiv(thread, lanes, ranges) * lanes;
    std::vector<layout::Expr> dims;
    for (unsigned dim = 0; dim < bindings.dims.ranges.size(); ++dim)
      dims.push_back(layout::Expr::dim(dim));
    dims[0] = first + (isPlain ? row * 4 : layout::floorDiv(row, 2, ranges));
    auto bit = [&](int64_t weight) {
      return layout::mod(layout::floorDiv(thread, weight, ranges), 2, ranges);
    };
    bool trades = !isPlain && pair > 1;
    layout::Expr second = trades ? layout::mod(bit(rows) + bit(rows / 2), 2, ranges) : bit(rows);
    layout::Expr address = layout::substitute(ofThread, dims, ranges) + others +
                           second * steps[each] + bit(2 * rows) * steps[2 * each];
    if (!isPlain)
      address = address + bit(1) * rowStep;
    address = layout::simplify(address, ranges);
    // The constant is part of the instruction, as LLVM would have it in a register around a loop.
    int64_t offset = address.getConstant();
    Value base = emitter.emitLocalAddress(location, memory, exprs.emit(address - offset));
    Type i32 = builder.getI32Type(), word = VectorType::get({each}, tile.element);
    Type words = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i32, i32, i32, i32});
    StringRef name = isPlain ? instructions.loadMatrices : instructions.loadTransposed;
    Registers values;
    Value traded;
    if (trades)
      traded = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                                     exprs.emit(bit(2)), exprs.constant(0));
    for (size_t reg = 0; reg < points.size(); reg += each * together) {
      int64_t bytes = (offset + steps[reg]) * bits / 8;
      std::string text = (name + " {$0, $1, $2, $3}, [$4+" + Twine(bytes) + "];").str();
      Value loaded = emitter.emitText(location, words, base, text, "=r,=r,=r,=r,r,~{memory}");
      for (int64_t i = 0; i < together; ++i) {
        Value own = LLVM::ExtractValueOp::create(builder, location, loaded, i);
        if (trades) {
          Value other = LLVM::ExtractValueOp::create(builder, location, loaded, i ^ 1);
          own = arith::SelectOp::create(builder, location, traded, other, own);
        }
        own = LLVM::BitcastOp::create(builder, location, word, own);
        for (int64_t j = 0; j < each; ++j)
          values.push_back(vector::ExtractOp::create(builder, location, own, j));
      }
    }
    return values;
  }

  /// How many registers from this one on are one access.
  unsigned getWidth(unsigned reg) {
    int64_t bytes = storedType().isIndex() ? 8 : storedType().getIntOrFloatBitWidth() / 8;
    int64_t widest = getMaxVectorElements(emitter.traits.vectorBytes, bytes);
    for (unsigned width : {16, 8, 4, 2}) {
      if (bytes * width > emitter.traits.vectorBytes || width > widest || reg % width != 0 ||
          !gathers.empty() || reg + width > points.size() ||
          memoryType.getNumElements() < int64_t(width) || storedType().isIndex())
        continue;
      // What is nowhere inside has no address that matters.
      bool isNever = points[reg].inside.never;
      bool together =
          isNever || getAlignment(points[reg].address, bindings.dims.ranges, width) == width;
      for (unsigned i = 1; i < width && together; ++i)
        together = isNever ? points[reg + i].inside.never
                           : points[reg + i].address == points[reg].address + i &&
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

/// The store by which the load's value goes to local memory without registers, if the chip can.
static tile::StoreOp findCopy(tile::LoadOp op, const ChipInstructions &instructions) {
  auto store = op->hasOneUse() ? dyn_cast<tile::StoreOp>(*op->user_begin()) : tile::StoreOp();
  return store && store->hasAttr(tile::asynchronousAttrName) && instructions.copies()
             ? store
             : tile::StoreOp();
}

FailureOr<Value> ThreadEmitter::emitPlace(tile::LoadOp op, ArrayRef<layout::Expr> point,
                                          int64_t &offset) {
  ThreadTile place;
  place.coordinates.assign(point.begin(), point.end());
  place.registers.emplace_back(point.size(), 0);
  Bindings bindings(thread, countThreads(), scalars, place, op.getIndices());
  std::vector<layout::Expr> bound = bindings.bind(0);
  layout::Expr address;
  SmallVector<int64_t> strides =
      cast<MemRefType>(op.getSource().getType()).getStridesAndOffset().first;
  for (auto [expr, stride] : llvm::zip(op.getMap().getMap().getResults(), strides)) {
    std::optional<layout::Expr> converted = view::toLayout(expr);
    if (!converted)
      return failTooComplex(op);
    address = address + layout::substitute(*converted, bound, bindings.dims.ranges) * stride;
  }
  address = layout::simplify(address, bindings.dims.ranges);
  offset = address.getConstant();
  return ExprEmitter(builder, op.getLoc(), bindings.dims).emit(address - offset);
}

LogicalResult ThreadEmitter::emitLoad(tile::LoadOp op) {
  bool isBox = llvm::any_of(op->getUsers(),
                            [](Operation *user) { return user->hasAttr(tile::boxAttrName); });
  if (isBox || findCopy(op, instructions) || op->hasAttr(tile::inPlaceAttrName))
    return success();
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
  if (op->hasAttr(tile::boxAttrName))
    return role == Role::Others ? success() : emitBox(op);
  Access<tile::StoreOp> access(*this, op, op.getDestination(), op.getValue());
  if (failed(access.analyse()))
    return failure();
  auto load = op.getValue().getDefiningOp<tile::LoadOp>();
  if (load && findCopy(load, instructions)) {
    Access<tile::LoadOp> from(*this, load, load.getSource(), load.getResult());
    if (failed(from.analyse()) || failed(access.copy(from)))
      return failure();
    if (op->hasAttr(tile::commitAttrName))
      callIntrinsic(op.getLoc(), instructions.commit, Type(), {});
    return success();
  }
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
