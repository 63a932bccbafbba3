// The pass host-form-blocks: loops over groups of products become steps of a matrix unit.
//
//   scf.for %k = 0 to 512 iter_args(%c) { mma groups of 2 }
//     ->  scf.for %k = 0 to 512 step 16 iter_args(%c in blocks) { mma of 32, in blocks }
//
// Sums stay in blocks in all loops around that only carry them. What computes with them afterwards
// reads them from the stack.
#include "BlockAccess.h"
#include "InstructionSet.h"

#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace tw {
#define GEN_PASS_DEF_HOSTFORMBLOCKSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::host;

namespace {

RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Memory on the stack through which sums go from blocks to vectors, and back.
class SumBuffers {
public:
  explicit SumBuffers(tile::FuncOp program) : program(program) {}

  /// The sums in a buffer that is none of those of other numbers.
  void store(OpBuilder &builder, Value sums, unsigned number = 0) {
    tile::StoreOp::create(builder, sums.getLoc(), sums, get(tileOf(sums), number), ValueRange(),
                          getRows(tileOf(sums)), builder.getDenseBoolArrayAttr(true),
                          /*streaming=*/false);
  }
  Value load(OpBuilder &builder, Location location, RankedTensorType tile, unsigned number = 0) {
    return tile::LoadOp::create(builder, location, tile, get(tile, number), ValueRange(),
                                getRows(tile), builder.getDenseBoolArrayAttr(true))
        .getResult();
  }

private:
  tile::FuncOp program;
  std::map<std::pair<const void *, unsigned>, Value> buffers;

  /// Rows begin at lines.
  static int64_t getRow(RankedTensorType tile) {
    constexpr int64_t kLine = 16;
    return int64_t(llvm::alignTo(tile.getDimSize(2), kLine));
  }

  static view::MapAttr getRows(RankedTensorType tile) {
    MLIRContext *context = tile.getContext();
    AffineExpr at = getAffineDimExpr(1, context) * getRow(tile) + getAffineDimExpr(2, context);
    return view::MapAttr::get(AffineMap::get(3, 0, at), {}, {});
  }

  Value get(RankedTensorType tile, unsigned number) {
    auto memory = MemRefType::get({tile.getDimSize(1) * getRow(tile)}, tile.getElementType());
    Value &buffer = buffers[{memory.getAsOpaquePointer(), number}];
    if (!buffer) {
      constexpr int64_t kLineBytes = 64;
      auto builder = OpBuilder::atBlockBegin(&program.getBody().front());
      buffer = memref::AllocaOp::create(builder, program.getLoc(), memory,
                                        builder.getI64IntegerAttr(kLineBytes));
    }
    return buffer;
  }
};

/// An operand of a product.
struct Side {
  Value value;
  bool isUnsigned;
};

/// The operand that has rows, then the one that has columns.
std::pair<Side, Side> getSides(tile::MmaOp product) {
  Side lhs{product.getLhs(), product.getLhsUnsigned()},
      rhs{product.getRhs(), product.getRhsUnsigned()};
  RankedTensorType tile = tileOf(lhs.value);
  if (tile.getRank() != 0 && tile.getShape().back() != 1)
    std::swap(lhs, rhs);
  return {lhs, rhs};
}

struct GroupLoad {
  tile::LoadOp op;
  LoopAccess access;
};

/// A loop that does nothing but multiply groups of two operands in memory.
class GroupLoop {
public:
  GroupLoop(scf::ForOp loop, ArrayRef<const MatrixUnit *> units, SumBuffers &buffers)
      : loop(loop), units(units), buffers(buffers) {}

  bool match();
  /// Puts the steps of the unit in place of the loop; `number` is that of the next product.
  void replace(int64_t &number);

private:
  scf::ForOp loop;
  ArrayRef<const MatrixUnit *> units;
  SumBuffers &buffers;
  const MatrixUnit *unit = nullptr;
  int64_t first = 0, trips = 0, groupSize = 0;
  llvm::MapVector<Operation *, GroupLoad> loads;
  SmallVector<tile::MmaOp> products;

  bool matchProduct(tile::MmaOp product);
  bool matchLoad(Value operand, bool isLeft);
  Value loadBlocks(OpBuilder &builder, const GroupLoad &load, Value index, int64_t groups,
                   int64_t number);
  SmallVector<Value> multiply(OpBuilder &builder, Value index, int64_t groups, ValueRange sums);
  SmallVector<Value> goOn(OpBuilder &builder, ValueRange sums, int64_t number);
  bool assignRegisters();

  tile::BlocksAttr getEncoding(Operation *op, int64_t number) {
    return tile::BlocksAttr::get(loop.getContext(), unit->rows, unit->columns, registers[op],
                                 number);
  }
  RankedTensorType inBlocks(tile::MmaOp product, int64_t number) {
    RankedTensorType tile = tileOf(product.getResult());
    return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                                 getEncoding(product, number));
  }

  /// The first register of the blocks of each product's sums and of each load.
  llvm::DenseMap<Operation *, int64_t> registers;
};

/// Whether the load's groups follow each other in memory as blocks have them: along the groups of a
/// row, or along the columns of a group.
bool GroupLoop::matchLoad(Value operand, bool isLeft) {
  auto op = operand.getDefiningOp<tile::LoadOp>();
  if (!op || op->getBlock() != loop.getBody() || op->hasAttr(tile::straysAttrName) ||
      !op.getMap().getGuards().empty())
    return false;
  if (loads.contains(op))
    return true;
  std::optional<ArrayRef<bool>> inBounds = op.getInBounds();
  if (!inBounds || llvm::is_contained(*inBounds, false))
    return false;
  constexpr unsigned kRank = 3;
  std::optional<LoopAccess> found = getAccess(loop, kRank, op.getMap(), op.getIndices());
  if (!found)
    return false;
  BlockAccess access(found->map, cast<MemRefType>(op.getSource().getType()));
  std::optional<int64_t> group = access.getStride(0), row = access.getStride(1),
                         column = access.getStride(2), step = access.getStride(kRank);
  if (group != 1 || !step || (isLeft ? !row || step != groupSize : column != groupSize))
    return false;
  loads.insert({op, GroupLoad{op, std::move(*found)}});
  return true;
}

bool GroupLoop::matchProduct(tile::MmaOp product) {
  auto [left, right] = getSides(product);
  RankedTensorType sum = tileOf(product.getResult()), lhs = tileOf(left.value),
                   rhs = tileOf(right.value);
  if (sum.getRank() != 3 || product.getGroupDim() != 0u || lhs.getDimSize(2) != 1 ||
      rhs.getDimSize(1) != 1 || sum.getDimSize(1) < schedule::kFewestBlockRows ||
      sum.getDimSize(2) < 2 || lhs.getDimSize(1) != sum.getDimSize(1) ||
      rhs.getDimSize(2) != sum.getDimSize(2))
    return false;
  if (sum.getElementTypeBitWidth() != 32)
    return false;
  groupSize = lhs.getDimSize(0);
  Type element = lhs.getElementType();
  bool isBF16 = element.isBF16() && groupSize == 2;
  if (!isBF16 && !(element.isInteger(8) && groupSize == 4))
    return false;
  DotKind kind = isBF16 ? DotKind::BF16 : DotKind::Int8;
  auto found = llvm::find_if(units, [&](auto *candidate) { return candidate->kind == kind; });
  if (found == units.end() || (unit && unit != *found))
    return false;
  unit = *found;
  return matchLoad(left.value, /*isLeft=*/true) && matchLoad(right.value, /*isLeft=*/false);
}

bool GroupLoop::match() {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound()),
                         to = getConstantIntValue(loop.getUpperBound());
  if (!from || !to || getConstantIntValue(loop.getStep()) != 1 || *to - *from < 1)
    return false;
  first = *from;
  trips = *to - *from;
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), yield.getOperands())) {
    auto product = next.getDefiningOp<tile::MmaOp>();
    if (!product || product->getBlock() != loop.getBody() || !product->hasOneUse() ||
        product.getAccumulator() != argument || !argument.hasOneUse() || !matchProduct(product))
      return false;
    products.push_back(product);
  }
  // Nothing else is done, and nothing else reads what is loaded.
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<affine::AffineApplyOp, arith::ConstantOp>(op) || loads.contains(&op))
      continue;
    if (auto product = dyn_cast<tile::MmaOp>(op);
        !product || !llvm::is_contained(products, product))
      return false;
  }
  return !products.empty() && assignRegisters();
}

/// Whether the unit has as many.
bool GroupLoop::assignRegisters() {
  int64_t next = 0;
  auto assign = [&](Operation *op) {
    RankedTensorType tile = tileOf(op->getResult(0));
    registers[op] = next;
    next += int64_t(llvm::divideCeil(tile.getDimSize(1), unit->rows) *
                    llvm::divideCeil(tile.getDimSize(2), unit->columns));
  };
  llvm::for_each(products, assign);
  for (auto &[op, load] : loads)
    assign(op);
  return next <= unit->registers;
}

/// What steps of `groups` groups from `index` on read, in blocks.
Value GroupLoop::loadBlocks(OpBuilder &builder, const GroupLoad &load, Value index, int64_t groups,
                            int64_t number) {
  tile::LoadOp op = load.op;
  RankedTensorType tile = tileOf(op.getResult());
  SmallVector<int64_t> shape(tile.getShape());
  shape[0] = groups * groupSize;
  auto type = RankedTensorType::get(shape, tile.getElementType(), getEncoding(op, number));
  view::MapAttr map = load.access.join(shape, /*dim=*/0, groupSize, op.getMap().getOutside());
  SmallVector<Value> indices{index};
  llvm::append_range(indices, load.access.operands);
  auto loaded = tile::LoadOp::create(builder, op.getLoc(), type, op.getSource(), indices, map,
                                     op.getInBoundsAttr());
  return loaded.getResult();
}

SmallVector<Value> GroupLoop::multiply(OpBuilder &builder, Value index, int64_t groups,
                                       ValueRange sums) {
  auto encoding = cast<tile::BlocksAttr>(tileOf(sums.front()).getEncoding());
  llvm::SmallDenseMap<Operation *, Value> loaded;
  auto get = [&](Value operand) {
    Value &value = loaded[operand.getDefiningOp()];
    if (!value)
      value = loadBlocks(builder, loads.find(operand.getDefiningOp())->second, index, groups,
                         encoding.getProduct());
    return value;
  };
  SmallVector<Value> results;
  for (auto [product, sum] : llvm::zip(products, sums)) {
    auto [left, right] = getSides(product);
    Value lhs = get(left.value), rhs = get(right.value);
    results.push_back(tile::MmaOp::create(builder, product.getLoc(), sum.getType(), lhs, rhs, sum,
                                          left.isUnsigned, right.isUnsigned,
                                          product.getSkipsZeros()));
  }
  return results;
}

/// The sums in the registers of another product, whose operands have other shapes.
SmallVector<Value> GroupLoop::goOn(OpBuilder &builder, ValueRange sums, int64_t number) {
  SmallVector<Value> next;
  for (auto [i, sum] : llvm::enumerate(sums))
    buffers.store(builder, sum, i);
  for (auto [i, product] : llvm::enumerate(products))
    next.push_back(buffers.load(builder, product.getLoc(), inBlocks(product, number), i));
  return next;
}

void GroupLoop::replace(int64_t &number) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, location, value);
  };
  SmallVector<Value> sums;
  for (auto [product, initial] : llvm::zip(products, loop.getInitArgs()))
    sums.push_back(tile::ConvertOp::create(builder, location, inBlocks(product, number), initial));
  int64_t steps = trips / unit->groups, rest = trips % unit->groups;
  int64_t end = first + steps * unit->groups;
  if (steps > 1) {
    auto whole = scf::ForOp::create(builder, location, constant(first), constant(end),
                                    constant(unit->groups), sums);
    whole->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    OpBuilder inside = OpBuilder::atBlockEnd(whole.getBody());
    SmallVector<Value> next =
        multiply(inside, whole.getInductionVar(), unit->groups, whole.getRegionIterArgs());
    scf::YieldOp::create(inside, location, next);
    sums.assign(whole.getResults().begin(), whole.getResults().end());
  } else if (steps == 1) {
    sums = multiply(builder, constant(first), unit->groups, sums);
  }
  if (rest) {
    if (steps)
      sums = goOn(builder, sums, ++number);
    sums = multiply(builder, constant(end), rest, sums);
  }
  ++number;
  for (auto [sum, result] : llvm::zip(sums, loop.getResults()))
    result.replaceAllUsesWith(
        tile::ConvertOp::create(builder, location, result.getType(), sum).getResult());
  loop.erase();
}

/// Whether a tile is zeros alone.
bool isZero(Value tile) {
  DenseElementsAttr constant;
  return matchPattern(tile, m_Constant(&constant)) && constant.isSplat() &&
         constant.getSplatValue<Attribute>() ==
             Builder(tile.getContext()).getZeroAttr(constant.getElementType());
}

/// The value in blocks before `user`, if it is there or costs nothing: a conversion's source, or
/// zeros.
Value findBlocks(Operation *user, Value value, RankedTensorType type) {
  if (auto convert = value.getDefiningOp<tile::ConvertOp>();
      convert && convert.getSource().getType() == type)
    return convert.getSource();
  if (!isZero(value))
    return {};
  OpBuilder builder(user);
  auto zero = DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
  return arith::ConstantOp::create(builder, value.getLoc(), zero).getResult();
}

tile::BlocksAttr getBlocks(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? dyn_cast_if_present<tile::BlocksAttr>(tile.getEncoding()) : tile::BlocksAttr();
}

/// Whether registers are those of no other product.
bool isOfProduct(Operation *op, int64_t product) {
  auto isOther = [&](Type type) {
    tile::BlocksAttr blocks = getBlocks(type);
    return blocks && blocks.getProduct() != product;
  };
  return !op->walk([&](Operation *inner) {
              bool other = llvm::any_of(inner->getResultTypes(), isOther) ||
                           llvm::any_of(inner->getOperandTypes(), isOther);
              return other ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

/// Lets the loop carry in blocks what its body only has in blocks; false if there is no such.
bool carryBlocks(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  bool changed = false;
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    auto next = yield.getOperand(i).getDefiningOp<tile::ConvertOp>();
    auto type = next ? tileOf(next.getSource()) : RankedTensorType();
    tile::BlocksAttr encoding = type ? getBlocks(type) : tile::BlocksAttr();
    if (!encoding || !isOfProduct(loop, encoding.getProduct()) ||
        !llvm::all_of(argument.getUsers(), [&](Operation *user) {
          auto convert = dyn_cast<tile::ConvertOp>(user);
          return convert && convert.getResult().getType() == type;
        }))
      continue;
    OpBuilder builder(loop);
    Value initial = loop.getInitArgs()[i];
    Value blocks = findBlocks(loop, initial, type);
    if (!blocks)
      blocks = tile::ConvertOp::create(builder, loop.getLoc(), type, initial);
    loop.getInitArgsMutable()[i].set(blocks);
    yield->setOperand(i, next.getSource());
    argument.setType(type);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
    Value result = loop.getResult(i);
    builder.setInsertionPointAfter(loop);
    auto convert =
        tile::ConvertOp::create(builder, loop.getLoc(), result.getType(), blocks).getResult();
    result.replaceAllUsesWith(convert);
    result.setType(type);
    convert.getDefiningOp()->setOperand(0, result);
    changed = true;
  }
  return changed;
}

/// Whether nothing between the two may take the registers.
bool followsAtOnce(tile::ConvertOp convert, Operation *user) {
  if (convert->getBlock() != user->getBlock())
    return false;
  for (Operation *op = convert->getNextNode(); op != user; op = op->getNextNode())
    if (op->getNumRegions() != 0 ||
        llvm::any_of(op->getResultTypes(), [](Type type) { return bool(getBlocks(type)); }))
      return false;
  return true;
}

/// Whether blocks can be loaded or stored as the op says: rows of whole lanes that are all inside.
template <typename Op> bool movesRows(Op op, Value memory, Value tile) {
  std::optional<ArrayRef<bool>> inBounds = op.getInBounds();
  if (!op.getMap().getGuards().empty() || !inBounds || llvm::is_contained(*inBounds, false) ||
      op->hasAttr(tile::straysAttrName) ||
      !llvm::all_of(op.getIndices(), [](Value index) { return index.getType().isIndex(); }))
    return false;
  auto type = cast<MemRefType>(memory.getType());
  BlockAccess access(op.getMap().getMap(), type);
  return type.getElementType() == tileOf(tile).getElementType() && access.getStride(1) &&
         access.getStride(2) == 1;
}

bool storesRows(tile::StoreOp store) {
  return !store.getStreaming() && movesRows(store, store.getDestination(), store.getValue());
}

/// The operand with which sums begin that end as this value of blocks, which nothing else reads on
/// its way; none if they begin with anything but zeros.
OpOperand *findBeginning(Value sums) {
  OpOperand *beginning = nullptr;
  for (Operation *op = sums.getDefiningOp(); op && sums.hasOneUse(); op = sums.getDefiningOp()) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto result = cast<OpResult>(sums);
      BlockArgument carried = loop.getRegionIterArg(result.getResultNumber());
      if (!carried.hasOneUse() || !loop.getTiedLoopYieldedValue(carried)->get().hasOneUse())
        return nullptr;
      beginning = loop.getTiedLoopInit(result);
    } else if (auto product = dyn_cast<tile::MmaOp>(op)) {
      beginning = &product.getAccumulatorMutable();
    } else {
      break;
    }
    sums = beginning->get();
  }
  if (auto convert = sums.getDefiningOp<tile::ConvertOp>())
    sums = convert.getSource();
  return beginning && isZero(sums) ? beginning : nullptr;
}

/// Whether a value is parts of a sum in memory and the next one, in blocks until now.
bool isNextPart(Value value, Value memory) {
  Operation *add = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
    return false;
  auto isOf = [&](Value before, Value part) {
    auto load = before.getDefiningOp<tile::LoadOp>();
    auto convert = part.getDefiningOp<tile::ConvertOp>();
    return load && load.getSource() == memory && convert &&
           getBlocks(convert.getSource().getType());
  };
  return isOf(add->getOperand(0), add->getOperand(1)) ||
         isOf(add->getOperand(1), add->getOperand(0));
}

/// Whether nothing but zeros and parts of sums are stored to memory, some of them: the unit adds to
/// these as to what it has summed itself. Other floats are no part of a sum, and may be denormal.
bool holdsParts(Value memory) {
  bool has = false;
  for (Operation *user : memory.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store && !isa<tile::LoadOp>(user))
      return false;
    if (!store || isZero(store.getValue()))
      continue;
    auto convert = store.getValue().getDefiningOp<tile::ConvertOp>();
    if (!getBlocks(store.getValue().getType()) &&
        !(convert && getBlocks(convert.getSource().getType())) &&
        !isNextPart(store.getValue(), memory))
      return false;
    has = true;
  }
  return has;
}

/// Whether nothing from `first` to the load that stands behind it writes memory.
bool canLoadBefore(Operation *first, tile::LoadOp load) {
  if (first->getBlock() != load->getBlock() || !first->isBeforeInBlock(load))
    return false;
  for (Operation *op = first; op != load; op = op->getNextNode())
    if (op->walk([](Operation *inner) {
            bool isHarmless = isa<tile::LoadOp>(inner) || isMemoryEffectFree(inner) ||
                              inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
            return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
          }).wasInterrupted())
      return false;
  return true;
}

/// Sums that are added to their other parts in memory, or to any integers there, begin with these
/// instead.
void beginInMemory(tile::ConvertOp convert) {
  if (!getBlocks(convert.getSource().getType()) || !convert.getResult().hasOneUse())
    return;
  Operation *add = *convert.getResult().getUsers().begin();
  if (!isa<arith::AddFOp, arith::AddIOp>(add))
    return;
  Value other = add->getOperand(add->getOperand(0) == convert.getResult());
  auto load = other.getDefiningOp<tile::LoadOp>();
  OpOperand *beginning = findBeginning(convert.getSource());
  if (!load || !load.getResult().hasOneUse() || !beginning ||
      !(isa<arith::AddIOp>(add) || holdsParts(load.getSource())) ||
      !movesRows(load, load.getSource(), load.getResult()) ||
      !canLoadBefore(beginning->getOwner(), load))
    return;
  OpBuilder builder(beginning->getOwner());
  for (Value index : load.getIndices())
    if (Operation *op = index.getDefiningOp();
        op && op->getBlock() == load->getBlock() && !op->isBeforeInBlock(beginning->getOwner()))
      return;
  beginning->set(tile::LoadOp::create(builder, load.getLoc(), convert.getSource().getType(),
                                      load.getSource(), load.getIndices(), load.getMap(),
                                      load.getInBoundsAttr())
                     .getResult());
  add->getResult(0).replaceAllUsesWith(convert.getResult());
  add->erase();
  load->erase();
}

/// Through the stack, but where a store takes what is in blocks.
void expandConversion(tile::ConvertOp convert, SumBuffers &buffers) {
  OpBuilder builder(convert);
  RankedTensorType from = tileOf(convert.getSource()), to = tileOf(convert.getResult());
  if (Value blocks = getBlocks(to) ? findBlocks(convert, convert.getSource(), to) : Value()) {
    convert.getResult().replaceAllUsesWith(blocks);
    convert.erase();
    return;
  }
  for (OpOperand &use : llvm::make_early_inc_range(convert.getResult().getUses()))
    if (auto store = dyn_cast<tile::StoreOp>(use.getOwner());
        store && getBlocks(from) && followsAtOnce(convert, store) && storesRows(store))
      use.set(convert.getSource());
  if (!convert->use_empty()) {
    buffers.store(builder, convert.getSource());
    convert.getResult().replaceAllUsesWith(buffers.load(builder, convert.getLoc(), to));
  }
  convert.erase();
}

/// Whether nothing but sums in blocks, some of them, and zeros are stored to memory.
bool holdsSums(Value memory) {
  bool has = false;
  for (Operation *user : memory.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    bool isBlocks = store && getBlocks(store.getValue().getType());
    if (store ? !isBlocks && !isZero(store.getValue()) : !isa<tile::LoadOp>(user))
      return false;
    has |= isBlocks;
  }
  return has;
}

class HostFormBlocksPass : public tw::impl::HostFormBlocksPassBase<HostFormBlocksPass> {
public:
  using HostFormBlocksPassBase::HostFormBlocksPassBase;

  void runOnOperation() override {
    FailureOr<SmallVector<const MatrixUnit *>> found = findUnits(getOperation().getLoc(), units);
    if (failed(found))
      return signalPassFailure();
    if (found->empty())
      return;
    const DotProducts *narrowing = nullptr;
    for (const std::string &name : dots)
      if (const DotProducts *own = findDots(name); own && own->kind == DotKind::BF16)
        narrowing = own;
    for (auto program : getOperation().getOps<tile::FuncOp>()) {
      formBlocks(program, *found);
      if (narrowing)
        markSums(program, narrowing->name);
    }
  }

private:
  static void markSums(tile::FuncOp program, StringRef dots) {
    program.walk([&](Operation *op) {
      if (isa<memref::AllocaOp, tile::AllocOp>(op) &&
          cast<MemRefType>(op->getResult(0).getType()).getElementType().isF32() &&
          holdsSums(op->getResult(0)))
        op->setAttr(sumsAttrName, StringAttr::get(op->getContext(), dots));
    });
  }

  static void formBlocks(tile::FuncOp program, ArrayRef<const MatrixUnit *> units) {
    SmallVector<scf::ForOp> loops;
    program.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    int64_t number = 0;
    SumBuffers buffers(program);
    for (scf::ForOp loop : loops)
      if (GroupLoop groups(loop, units, buffers); groups.match())
        groups.replace(number);
    if (number == 0)
      return;
    for (bool changed = true; changed;) {
      changed = false;
      program.walk([&](scf::ForOp loop) { changed |= carryBlocks(loop); });
    }
    SmallVector<tile::ConvertOp> conversions;
    program.walk([&](tile::ConvertOp convert) { conversions.push_back(convert); });
    llvm::for_each(conversions, beginInMemory);
    for (tile::ConvertOp convert : conversions)
      expandConversion(convert, buffers);
  }
};

} // namespace

FailureOr<SmallVector<const MatrixUnit *>> tw::host::findUnits(Location location,
                                                               ArrayRef<std::string> names) {
  SmallVector<const MatrixUnit *> found;
  for (const std::string &name : names) {
    found.push_back(findUnit(name));
    if (!found.back()) {
      tw::emitError(location, tw::Code::T0408)
          << "no instruction set has the matrix unit '" << name << "', expected "
          << llvm::join(getUnitNames(), ", ");
      return failure();
    }
  }
  return found;
}
