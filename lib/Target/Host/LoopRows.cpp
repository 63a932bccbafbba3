// The pass host-loop-rows: what is computed of a tall tile with functions becomes a loop over its
// rows.
//
// A function is some thirty instructions for each register of a tile. Straight behind a product
// that is as much code as all the rest, in which accumulators and what functions keep do not find
// room in registers. In a loop over rows the accumulators lie on the stack, which is where most of
// them went.
#include "tw/Target/Host/Passes.h"

#include "TileToVector/Parts.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace tw {
#define GEN_PASS_DEF_HOSTLOOPROWSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::host;

namespace {

/// Rows of a tile below which they stay straight code.
constexpr int64_t kFewestRows = 4;

/// Registers that functions are computed on, below which their code is short.
constexpr unsigned kFewestFunctions = 8;

/// The part of all registers, one over this, that a tile takes at least.
constexpr unsigned kLeastShare = 4;

/// Tiles that a loop may read from the stack or leave there.
constexpr size_t kMostOnStack = 2;

/// The alignment of the rows on the stack.
constexpr int64_t kLineBytes = 64;

RankedTensorType getTile(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

/// Whether the op is tens of instructions for each register.
bool isFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) && op->getNumResults() == 1 &&
         getTile(op->getResult(0)) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::FloorOp,
              math::FmaOp, math::RoundEvenOp, math::RoundOp, math::SqrtOp, math::TruncOp>(op);
}

/// Whether a quotient or a remainder depends on the dimension.
bool dividesBy(AffineExpr expr, unsigned dim) {
  bool divides = false;
  expr.walk([&](AffineExpr part) {
    bool isPlain = part.getKind() == AffineExprKind::Add || part.getKind() == AffineExprKind::Mul ||
                   !isa<AffineBinaryOpExpr>(part);
    divides |= !isPlain && part.isFunctionOfDim(dim);
  });
  return divides;
}

/// What is computed along the rows of a tile, in one block.
struct Group {
  Block *block;
  RankedTensorType tile;
  /// The dimension of the rows.
  unsigned dim;
  llvm::SetVector<Operation *> ops;
  /// Where they stand, and the last one that is no store: the loop is behind it.
  Operation *first = nullptr, *last = nullptr, *place = nullptr;
  /// Tiles that come from elsewhere, and those that are read elsewhere.
  llvm::SetVector<Value> inputs, outputs;

  int64_t getRows() const { return tile.getDimSize(dim); }

  /// Whether the value has a part for each row.
  bool varies(Value value) const {
    RankedTensorType type = getTile(value);
    return type && !type.getEncoding() && type.getRank() == tile.getRank() &&
           type.getDimSize(dim) == getRows();
  }

  /// Whether the value is the same in all rows, as its op says: loops have one of their own.
  bool isRepeated(Value value) const {
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements)))
      return elements.isSplat();
    auto broadcast = value.getDefiningOp<tile::BroadcastOp>();
    return broadcast && !varies(broadcast.getSource());
  }
};

/// Finds what is computed along the rows of a tile together with a function.
class GroupFinder {
public:
  GroupFinder(const Parts &parts, unsigned registers) : parts(parts), registers(registers) {}

  std::optional<Group> find(Operation *seed) {
    Group group;
    group.block = seed->getBlock();
    group.tile = getTile(seed->getResult(0));
    ArrayRef<int64_t> outer = group.tile.getShape().drop_back(group.tile.getRank() > 0);
    auto *rows = llvm::find_if(outer, [](int64_t extent) { return extent > 1; });
    if (rows == outer.end() || *rows < kFewestRows)
      return std::nullopt;
    group.dim = rows - outer.begin();
    if (!group.varies(seed->getResult(0)))
      return std::nullopt;
    kept.clear();
    do {
      group.ops.clear();
      grow(group, seed);
    } while (keepAccesses(group));
    findBorders(group);
    if (!isWorthIt(group) || !isInOrder(group))
      return std::nullopt;
    return group;
  }

private:
  const Parts &parts;
  unsigned registers;
  /// Accesses that stay where they are.
  llvm::SmallPtrSet<Operation *, 4> kept;

  void grow(Group &group, Operation *seed) {
    SmallVector<Operation *> work{seed};
    auto add = [&](Operation *op) {
      if (op && op->getBlock() == group.block && canJoin(group, op))
        work.push_back(op);
    };
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!group.ops.insert(op))
        continue;
      for (Value operand : op->getOperands())
        if (group.varies(operand))
          add(operand.getDefiningOp());
      for (Value result : op->getResults())
        for (Operation *user : result.getUsers())
          add(user);
    }
    llvm::SmallVector<Operation *> sorted = group.ops.takeVector();
    llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    group.ops.insert_range(sorted);
    group.first = sorted.front();
    group.last = group.place = sorted.back();
    while (isa<tile::StoreOp>(group.place) || !group.ops.contains(group.place))
      group.place = group.place->getPrevNode();
  }

  bool canJoin(const Group &group, Operation *op) const {
    if (kept.contains(op))
      return false;
    if (auto store = dyn_cast<tile::StoreOp>(op))
      return group.varies(store.getValue()) &&
             isInRows(group, getTile(store.getValue()), store.getDestination(), store.getMap(),
                      store.getIndices());
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !group.varies(op->getResult(0)))
      return false;
    RankedTensorType tile = getTile(op->getResult(0));
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](tile::LoadOp load) {
          return isInRows(group, tile, load.getSource(), load.getMap(), load.getIndices());
        })
        .Case([&](tile::IndexOp index) {
          return llvm::none_of(index.getMap().getResults(),
                               [&](AffineExpr expr) { return dividesBy(expr, group.dim); });
        })
        .Case([&](tile::InsideOp inside) {
          return llvm::none_of(inside.getSet().getConstraints(),
                               [&](AffineExpr expr) { return dividesBy(expr, group.dim); });
        })
        .Case([&](tile::BroadcastOp broadcast) { return !group.isRepeated(broadcast); })
        .Default([](Operation *other) { return OpTrait::hasElementwiseMappableTraits(other); });
  }

  /// Whether rows lie in memory one behind the other, or a value of each is read.
  static bool isInRows(const Group &group, RankedTensorType tile, Value memory, view::MapAttr map,
                       ValueRange indices) {
    unsigned lanes = tile.getRank() - 1;
    AffineExpr address = getAffineConstantExpr(0, tile.getContext());
    SmallVector<int64_t> strides = cast<MemRefType>(memory.getType()).getStridesAndOffset().first;
    bool divides = false;
    for (auto [coordinate, stride] : llvm::zip(map.getMap().getResults(), strides)) {
      divides |= dividesBy(coordinate, group.dim);
      address = address + coordinate * stride;
    }
    for (view::GuardAttr guard : map.getGuards())
      for (AffineExpr constraint : guard.getSet().getConstraints())
        divides |= dividesBy(constraint, group.dim);
    if (divides || llvm::any_of(indices, [](Value index) { return !index.getType().isIndex(); }))
      return false;
    if (tile.getDimSize(lanes) == 1)
      return true;
    SmallVector<int64_t> factors;
    return !dividesBy(address, lanes) &&
           succeeded(getFlattenedAffineExpr(address, map.getNumDims(), 0, &factors)) &&
           factors[lanes] == 1;
  }

  /// Whether an access has to stay where it is: rows are not to be written and read in turn, and
  /// what is moved is not to pass others of the same memory.
  bool keepAccesses(const Group &group) {
    size_t before = kept.size();
    for (Operation *op : group.ops) {
      auto store = dyn_cast<tile::StoreOp>(op);
      auto load = dyn_cast<tile::LoadOp>(op);
      if (!store && !load)
        continue;
      for (Operation *user : (store ? store.getDestination() : load.getSource()).getUsers()) {
        Operation *other = group.block->findAncestorOpInBlock(*user);
        if (user == op || (!store && isa<tile::LoadOp>(user)) || !other ||
            other->isBeforeInBlock(group.first) || group.last->isBeforeInBlock(other))
          continue;
        kept.insert(op);
      }
      // Columns are stored as vectors, and what comes later cannot be used in the loop.
      if (store && (getTile(store.getValue()).getShape().back() == 1 ||
                    llvm::any_of(op->getOperands(), [&](Value operand) {
                      Operation *producer = operand.getDefiningOp();
                      return producer && producer->getBlock() == group.block &&
                             group.place->isBeforeInBlock(producer);
                    })))
        kept.insert(op);
    }
    return kept.size() > before;
  }

  static void findBorders(Group &group) {
    for (Operation *op : group.ops) {
      for (Value operand : op->getOperands())
        if (group.varies(operand) && !group.ops.contains(operand.getDefiningOp()) &&
            !group.isRepeated(operand))
          group.inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !group.ops.contains(user); }))
          group.outputs.insert(result);
    }
  }

  bool isWorthIt(const Group &group) const {
    unsigned functions = 0;
    for (Operation *op : group.ops)
      if (isFunction(op))
        functions += parts.count(getTile(op->getResult(0)));
    auto isHeld = [](Value value) { return !getTile(value).getElementType().isInteger(1); };
    return functions >= kFewestFunctions && kLeastShare * parts.count(group.tile) >= registers &&
           group.inputs.size() + group.outputs.size() <= kMostOnStack &&
           llvm::all_of(group.inputs, isHeld) && llvm::all_of(group.outputs, isHeld);
  }

  /// Whether what is read elsewhere is read behind the loop.
  static bool isInOrder(const Group &group) {
    return llvm::all_of(group.outputs, [&](Value output) {
      return llvm::all_of(output.getUsers(), [&](Operation *user) {
        Operation *other = group.block->findAncestorOpInBlock(*user);
        return group.ops.contains(user) || (other && group.place->isBeforeInBlock(other));
      });
    });
  }
};

/// Makes loops of groups.
class LoopMaker {
public:
  LoopMaker(tile::FuncOp program, const Parts &parts) : program(program), parts(parts) {}

  void make(const Group &group) {
    OpBuilder builder(group.block, std::next(group.place->getIterator()));
    Location location = group.place->getLoc();
    SmallVector<Memory> memories;
    for (Value input : group.inputs) {
      memories.push_back(getMemory(input, memories));
      writeTile(builder, input, memories.back(), std::nullopt, {});
    }
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    Value one = arith::ConstantIndexOp::create(builder, location, 1);
    Value rows = arith::ConstantIndexOp::create(builder, location, group.getRows());
    auto loop = scf::ForOp::create(builder, location, zero, rows, one);
    loop->setAttr(loopAttribute, getRolled(builder.getContext()));
    Value row = loop.getInductionVar();
    SmallVector<Memory> results;
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(loop.getBody()->getTerminator());
      IRMapping mapping;
      for (auto [input, memory] : llvm::zip(group.inputs, memories))
        mapping.map(input,
                    readTile(builder, getRow(group, input), location, memory, group.dim, row));
      for (Operation *op : group.ops)
        computeRow(builder, group, op, row, mapping);
      // An input's place is free when its row is read.
      for (Value output : group.outputs) {
        results.push_back(getMemory(output, results));
        writeTile(builder, mapping.lookup(output), results.back(), group.dim, row);
      }
    }
    for (auto [output, memory] : llvm::zip(group.outputs, results)) {
      Value whole = readTile(builder, getTile(output), location, memory, std::nullopt, {});
      Value(output).replaceUsesWithIf(
          whole, [&](OpOperand &use) { return !group.ops.contains(use.getOwner()); });
    }
    for (Operation *op : llvm::reverse(group.ops))
      op->erase();
  }

private:
  /// Rows of a tile on the stack, each of so many elements.
  struct Memory {
    Value memory;
    SmallVector<int64_t> strides;
  };

  tile::FuncOp program;
  const Parts &parts;
  /// What is there, by type and number.
  std::map<std::pair<const void *, unsigned>, Value> known;

  /// One that is none of `others`.
  Memory getMemory(Value tile, ArrayRef<Memory> others) {
    RankedTensorType type = getTile(tile);
    Memory result;
    int64_t elements = 1;
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      result.strides.insert(result.strides.begin(), elements);
      elements *= dim + 1 == type.getRank() ? llvm::alignTo(type.getDimSize(dim), parts.lanes(type))
                                            : type.getDimSize(dim);
    }
    auto memory = MemRefType::get({elements}, type.getElementType());
    unsigned number = llvm::count_if(
        others, [&](const Memory &other) { return other.memory.getType() == memory; });
    Value &place = known[{memory.getAsOpaquePointer(), number}];
    if (!place) {
      auto builder = OpBuilder::atBlockBegin(&program.getBody().front());
      place = memref::AllocaOp::create(builder, program.getLoc(), memory,
                                       builder.getI64IntegerAttr(kLineBytes));
    }
    result.memory = place;
    return result;
  }

  static RankedTensorType getRow(const Group &group, Value tile) {
    SmallVector<int64_t> shape(getTile(tile).getShape());
    shape[group.dim] = 1;
    return RankedTensorType::get(shape, getTile(tile).getElementType());
  }

  /// Where a tile lies, or with `dim` a row of it.
  static view::MapAttr getMap(const Memory &memory, std::optional<unsigned> dim,
                              MLIRContext *context) {
    unsigned rank = memory.strides.size();
    AffineExpr address = getAffineConstantExpr(0, context);
    for (auto [d, stride] : llvm::enumerate(memory.strides))
      address = address + getAffineDimExpr(d == dim ? rank : d, context) * stride;
    return view::MapAttr::get(AffineMap::get(rank + dim.has_value(), 0, address));
  }

  static void writeTile(OpBuilder &builder, Value tile, const Memory &memory,
                        std::optional<unsigned> dim, Value row) {
    tile::StoreOp::create(builder, tile.getLoc(), tile, memory.memory,
                          dim ? ValueRange(row) : ValueRange(),
                          getMap(memory, dim, builder.getContext()),
                          builder.getDenseBoolArrayAttr({true}), UnitAttr());
  }

  static Value readTile(OpBuilder &builder, RankedTensorType type, Location location,
                        const Memory &memory, std::optional<unsigned> dim, Value row) {
    return tile::LoadOp::create(
        builder, location, type, memory.memory, dim ? ValueRange(row) : ValueRange(),
        getMap(memory, dim, builder.getContext()), builder.getDenseBoolArrayAttr({true}));
  }

  /// The coordinates of a tile with `numDims` dimensions and scalars, from those of a row and,
  /// behind all, its number.
  static AffineMap getCoordinates(const Group &group, unsigned numDims, MLIRContext *context) {
    SmallVector<AffineExpr> dims;
    for (unsigned d = 0; d < numDims; ++d)
      dims.push_back(getAffineDimExpr(d == group.dim ? numDims : d, context));
    return AffineMap::get(numDims + 1, 0, dims, context);
  }

  /// A row of a constant, or of what is broadcast.
  static void repeat(OpBuilder &builder, const Group &group, Value value, IRMapping &mapping) {
    RankedTensorType type = getRow(group, value);
    DenseElementsAttr elements;
    if (matchPattern(value, m_Constant(&elements))) {
      auto splat = DenseElementsAttr::get(type, elements.getSplatValue<Attribute>());
      mapping.map(value, arith::ConstantOp::create(builder, value.getLoc(), splat).getResult());
      return;
    }
    Value source = mapping.lookupOrDefault(value.getDefiningOp<tile::BroadcastOp>().getSource());
    if (source.getType() != type)
      source = tile::BroadcastOp::create(builder, value.getLoc(), type, source);
    mapping.map(value, source);
  }

  /// The op on one row.
  static void computeRow(OpBuilder &builder, const Group &group, Operation *op, Value row,
                         IRMapping &mapping) {
    MLIRContext *context = builder.getContext();
    for (Value operand : op->getOperands())
      if (group.varies(operand) && !mapping.contains(operand))
        repeat(builder, group, operand, mapping);
    if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
      return repeat(builder, group, broadcast, mapping);
    Operation *own = op->clone(mapping);
    builder.insert(own);
    for (auto [from, to] : llvm::zip(op->getResults(), own->getResults())) {
      to.setType(getRow(group, from));
      mapping.map(from, to);
    }
    auto sliceAccess = [&](auto access) {
      access.getIndicesMutable().append(row);
      view::MapAttr map = access.getMap();
      access.setMapAttr(map.compose(getCoordinates(group, map.getNumDims(), context)));
    };
    llvm::TypeSwitch<Operation *>(own)
        .Case<tile::LoadOp, tile::StoreOp>(sliceAccess)
        .Case([&](tile::IndexOp index) {
          index.getIndicesMutable().append(row);
          AffineMap map = index.getMap();
          index.setMap(map.compose(getCoordinates(group, map.getNumDims(), context)));
        })
        .Case([&](tile::InsideOp inside) {
          inside.getIndicesMutable().append(row);
          IntegerSet set = inside.getSet();
          AffineMap dims = getCoordinates(group, set.getNumDims(), context);
          inside.setSet(set.replaceDimsAndSymbols(dims.getResults(), {}, set.getNumDims() + 1, 0));
        });
  }
};

class HostLoopRowsPass : public tw::impl::HostLoopRowsPassBase<HostLoopRowsPass> {
public:
  using HostLoopRowsPassBase::HostLoopRowsPassBase;

  void runOnOperation() override {
    Parts parts(lanes);
    for (auto program : getOperation().getOps<tile::FuncOp>()) {
      SmallVector<Operation *> functions;
      program.walk([&](Operation *op) {
        if (isFunction(op))
          functions.push_back(op);
      });
      GroupFinder finder(parts, registers);
      LoopMaker maker(program, parts);
      llvm::SmallPtrSet<Operation *, 16> gone;
      for (Operation *seed : functions) {
        // What all threads of a team compute has no memory: outside of the loops that they share
        // nothing is stored.
        if (gone.contains(seed) || (program.hasTeam() && !tile::getTeamLoop(seed)))
          continue;
        std::optional<Group> group = finder.find(seed);
        if (!group)
          continue;
        gone.insert_range(group->ops);
        maker.make(*group);
      }
    }
  }
};

} // namespace
