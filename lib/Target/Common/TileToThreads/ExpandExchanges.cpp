// The pass tile-expand-exchanges: reductions and conversions between threads in terms of local
// memory.
//
// It runs when layouts are assigned, and before barriers are inserted: it makes stores and loads
// that need them.
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Layout/Axes.h"
#include "tw/Layout/LaneTrade.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_TILEEXPANDEXCHANGESPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using layout::TileLayout;

namespace {

RankedTensorType withLayout(RankedTensorType type, const TileLayout &layout) {
  return RankedTensorType::get(layout.shape, type.getElementType(),
                               tile::LayoutAttr::get(type.getContext(), layout));
}

int64_t bytesOf(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

std::optional<TileLayout> layoutOf(Value tile) {
  auto attribute =
      dyn_cast_or_null<tile::LayoutAttr>(cast<RankedTensorType>(tile.getType()).getEncoding());
  if (!attribute)
    return std::nullopt;
  return attribute.getLayout();
}

/// Local memory for the exchanges of one program: two buffers per element type, used by turns, so
/// that what the next exchange stores cannot meet what this one still loads.
class ExchangeMemory {
public:
  explicit ExchangeMemory(tile::FuncOp func) : func(func) {}

  /// The tile in another layout, through memory with these strides.
  Value exchange(OpBuilder &builder, Location location, Value tile, const TileLayout &to,
                 ArrayRef<int64_t> strides) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType().isIndex()) {
      Type i64 = builder.getI64Type();
      auto carried = RankedTensorType::get(type.getShape(), i64, type.getEncoding());
      tile = arith::IndexCastOp::create(builder, location, carried, tile);
      tile = exchange(builder, location, tile, to, strides);
      return arith::IndexCastOp::create(builder, location, withLayout(type, to), tile);
    }
    AffineExpr address = builder.getAffineConstantExpr(0);
    int64_t elements = 1;
    for (auto [d, stride] : llvm::enumerate(strides)) {
      address = address + builder.getAffineDimExpr(d) * stride;
      elements += (type.getDimSize(d) - 1) * stride;
    }
    Value memory = next(type.getElementType(), elements);
    auto map = view::MapAttr::get(AffineMap::get(type.getRank(), 0, address));
    auto inBounds = builder.getDenseBoolArrayAttr(true);
    tile::StoreOp::create(builder, location, tile, memory, ValueRange(), map, inBounds);
    return tile::LoadOp::create(builder, location, withLayout(type, to), memory, ValueRange(), map,
                                inBounds);
  }

private:
  struct Pair {
    std::array<tile::AllocOp, 2> buffers;
    unsigned turn = 0;
  };

  tile::FuncOp func;
  llvm::MapVector<Type, Pair> pairs;

  Value next(Type element, int64_t elements) {
    Pair &pair = pairs[element];
    tile::AllocOp &buffer = pair.buffers[pair.turn++ % 2];
    auto space = gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
    auto type = MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), space);
    if (!buffer) {
      OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
      buffer = tile::AllocOp::create(builder, func.getLoc(), type);
    } else if (cast<MemRefType>(buffer.getType()).getNumElements() < elements) {
      buffer.getMemory().setType(type);
    }
    return buffer.getMemory();
  }
};

class Expander {
public:
  Expander(tile::FuncOp func, bool shuffles) : func(func), shuffles(shuffles), memory(func) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (isa<tile::ReduceOp, tile::ScanOp, tile::ConvertOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
        std::optional<TileLayout> layout = layoutOf(value);
        if (!layout || !layout->isPlain())
          return tw::emitOpError(op, Code::T0422)
                 << "expected tiles with layouts of bits that do not overlap, found "
                 << value.getType();
      }
      if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
        if (failed(expand(reduce)))
          return failure();
      } else if (auto scan = dyn_cast<tile::ScanOp>(op)) {
        expand(scan);
      } else {
        expand(cast<tile::ConvertOp>(op));
      }
    }
    return success();
  }

private:
  tile::FuncOp func;
  bool shuffles;
  ExchangeMemory memory;

  void expand(tile::ConvertOp op) {
    TileLayout from = *layoutOf(op.getSource()), to = *layoutOf(op.getResult());
    if (shuffles && layout::findLaneTrade(from, to))
      return;
    layout::Exchange needed = layout::findExchange(from, to);
    if (needed == layout::Exchange::None) {
      op.getResult().replaceAllUsesWith(op.getSource());
      op.erase();
      return;
    }
    if (needed == layout::Exchange::Registers)
      return;
    SmallVector<SmallVector<int64_t>> all;
    for (int64_t padding : {0, 1, 2, 4, 8})
      for (int64_t d = from.shape.size(); d-- > 0;)
        all.push_back(makeStrides(from.shape, d, /*isInnermost=*/true, padding));
    SmallVector<int64_t> strides =
        chooseStrides(getElementTypeOrSelf(op.getSource().getType()), from, to, all);
    OpBuilder builder(op);
    Value result = memory.exchange(builder, op.getLoc(), op.getSource(), to, strides);
    op.getResult().replaceAllUsesWith(result);
    op.erase();
  }

  SmallVector<Value> reduceWithin(OpBuilder &builder, tile::ReduceOp op, ArrayRef<Value> values,
                                  StringRef within) {
    SmallVector<unsigned> dims(op.getDims().begin(), op.getDims().end());
    SmallVector<Type> types;
    for (Value value : values)
      types.push_back(withLayout(cast<RankedTensorType>(value.getType()),
                                 layoutOf(value)->fold(dims, within == "subgroup")));
    auto part = tile::ReduceOp::create(builder, op.getLoc(), types, values, op.getDimsAttr(),
                                       op.getKindAttr(), op.getIdentitiesAttr(),
                                       builder.getStringAttr(within));
    if (!op.getCombine().empty()) {
      IRMapping mapping;
      op.getCombine().cloneInto(&part.getCombine(), mapping);
    }
    return SmallVector<Value>(part.getResults());
  }

  /// Row-major with the reduced dimensions innermost, or outermost, whose rows are padded.
  static SmallVector<int64_t> makeStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                                          bool isInnermost, int64_t padding) {
    SmallVector<int64_t> strides(shape.size(), 1);
    int64_t stride = 1;
    for (bool reduced : {isInnermost, !isInnermost}) {
      for (size_t d = shape.size(); d-- > 0;)
        if (llvm::is_contained(dims, int64_t(d)) == reduced) {
          strides[d] = stride;
          stride *= shape[d];
        }
      stride += reduced == isInnermost ? padding : 0;
    }
    return strides;
  }

  /// The widest access of a thread in bytes, by which rows are padded: less would leave gaps in
  /// what LLVM makes one access of.
  static constexpr int64_t widest = 16;

  /// Accesses, as wide as they get, of what a subgroup has of a tile, and the cycles of the banks.
  static int64_t countCycles(const TileLayout &layout, ArrayRef<int64_t> strides, int64_t bytes) {
    constexpr int64_t phaseBytes = 128;
    int64_t width = 1;
    for (auto [d, stride] : llvm::enumerate(strides))
      if (stride == 1 && layout.contiguousRegisters(d) > 1)
        width = std::min(std::max<int64_t>(1, widest / bytes), layout.contiguousRegisters(d));
    for (auto [stride, extent] : llvm::zip(strides, layout.shape))
      if (stride != 1 && extent > 1)
        width = std::min(width, int64_t(1) << llvm::countr_zero(uint64_t(stride)));
    int64_t lanes = layout.count(layout::Resource::Lane);
    int64_t phases = std::max<int64_t>(1, lanes * width * bytes / phaseBytes);
    int64_t cycles = phases * layout::countBankConflicts(layout, strides, bytes, width);
    return layout.count(layout::Resource::Reg) / width * (1 + cycles);
  }

  /// The strides that take the banks least, of equal ones the first.
  static SmallVector<int64_t> chooseStrides(Type element, const TileLayout &from,
                                            const TileLayout &to,
                                            ArrayRef<SmallVector<int64_t>> all) {
    int64_t bytes = bytesOf(element);
    return *std::min_element(all.begin(), all.end(), [&](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
      return countCycles(from, a, bytes) + countCycles(to, a, bytes) <
             countCycles(from, b, bytes) + countCycles(to, b, bytes);
    });
  }

  /// Of what threads exchange to reduce it: where threads read neighbours, if that takes the banks
  /// no longer than other orders do.
  static SmallVector<int64_t> chooseStridesOf(Type element, const TileLayout &from,
                                              const TileLayout &to, ArrayRef<int64_t> dims) {
    int64_t vector = std::max<int64_t>(1, widest / bytesOf(element));
    SmallVector<SmallVector<int64_t>> all;
    for (bool isInnermost : {true, false})
      for (int64_t padding : {0, 1, 2})
        all.push_back(makeStrides(from.shape, dims, isInnermost, padding * vector));
    return chooseStrides(element, from, to, all);
  }

  /// How threads get the parts of a round: in the lowest registers, as neighbours where memory has
  /// them so, or above those there are, whose neighbours stay so, where that takes the banks less.
  static std::pair<TileLayout, SmallVector<int64_t>>
  chooseRound(Value value, ArrayRef<unsigned> dims, ArrayRef<int64_t> reduced, unsigned bits) {
    Type element = getElementTypeOrSelf(value.getType());
    TileLayout from = *layoutOf(value), low = from.gather(dims, bits), high = low;
    auto &registers = high.bases[size_t(layout::Resource::Reg)];
    std::rotate(registers.begin(), registers.begin() + bits, registers.end());
    auto count = [&](const TileLayout &to, ArrayRef<int64_t> strides) {
      return countCycles(from, strides, bytesOf(element)) +
             countCycles(to, strides, bytesOf(element));
    };
    SmallVector<int64_t> ofLow = chooseStridesOf(element, from, low, reduced),
                         ofHigh = chooseStridesOf(element, from, high, reduced);
    if (count(high, ofHigh) < count(low, ofLow))
      return {high, ofHigh};
    return {low, ofLow};
  }

  /// How many threads (or subgroups) share a row along the dimensions.
  static int64_t countParts(const TileLayout &layout, ArrayRef<unsigned> dims, bool acrossLanes) {
    TileLayout folded = layout.fold(dims, acrossLanes);
    int64_t parts = 1;
    for (unsigned dim : dims)
      parts *= folded.shape[dim];
    return parts;
  }

  /// Bits of the parts that are still to be combined which a thread takes in one round: rounds of
  /// at most 16 values, of equal size.
  static unsigned getRoundBits(unsigned left) {
    constexpr unsigned mostBits = 4;
    return llvm::divideCeil(left, llvm::divideCeil(left, mostBits));
  }

  LogicalResult expand(tile::ReduceOp op) {
    if (op.getWithin())
      return success();
    SmallVector<unsigned> dims(op.getDims().begin(), op.getDims().end());
    TileLayout layout = *layoutOf(op.getValues()[0]);
    for (Value value : op.getValues())
      if (!(*layoutOf(value) == layout))
        return tw::emitOpError(op, Code::T0422)
               << "expected values of one shape and layout, found " << value.getType();
    if (countParts(layout, dims, /*acrossLanes=*/false) == 1)
      return success();
    for (const layout::Repetition &repetition : layout.repetitions)
      if (repetition.resource != layout::Resource::Reg && repetition.dim &&
          llvm::is_contained(dims, *repetition.dim))
        return tw::emitOpError(op, Code::T0422)
               << "expected layouts that repeat no threads along reduced dimensions";
    OpBuilder builder(op);
    SmallVector<Value> values = reduceWithin(builder, op, SmallVector<Value>(op.getValues()),
                                             shuffles ? "subgroup" : "thread");
    // What is left in each part is one element.
    for (unsigned left = llvm::Log2_64(countParts(*layoutOf(values[0]), dims, false)); left > 0;) {
      unsigned bits = getRoundBits(left);
      for (Value &value : values) {
        auto [to, strides] = chooseRound(value, dims, op.getDims(), bits);
        value = memory.exchange(builder, op.getLoc(), value, to, strides);
      }
      values = reduceWithin(builder, op, values, "thread");
      left -= bits;
    }
    for (auto [result, value] : llvm::zip(op.getResults(), values)) {
      if (value.getType() != result.getType())
        value = tile::ConvertOp::create(builder, op.getLoc(), result.getType(), value);
      result.replaceAllUsesWith(value);
    }
    op.erase();
    return success();
  }

  /// What is in front of each part, by the scan of their totals; then each by itself.
  ///
  ///   %s, %t = scan %x   ->   %p = reduce %x within "thread", %b, %t = scan exclusive %p,
  ///                           %s = scan %x from %b
  void expand(tile::ScanOp op) {
    unsigned dim[] = {unsigned(op.getDim())};
    TileLayout layout = *layoutOf(op.getValue());
    if (op.getBefore() || countParts(layout, dim, shuffles) == 1)
      return;
    OpBuilder builder(op);
    Value total, begins = scanParts(builder, op, op.getValue(), /*shuffles=*/false, total);
    Value result = scan(builder, op, op.getValue(), begins, op.getExclusive()).getResult();
    if (total.getType() != op.getTotal().getType())
      total = tile::ConvertOp::create(builder, op.getLoc(), op.getTotal().getType(), total);
    op.getResult().replaceAllUsesWith(result);
    op.getTotal().replaceAllUsesWith(total);
    op.erase();
  }

  tile::ScanOp scan(OpBuilder &builder, tile::ScanOp op, Value value, Value before,
                    bool exclusive) {
    unsigned dim[] = {unsigned(op.getDim())};
    auto type = cast<RankedTensorType>(value.getType());
    Type total = before ? before.getType() : withLayout(type, layoutOf(value)->fold(dim, true));
    return tile::ScanOp::create(builder, op.getLoc(), type, total, value, before, op.getKind(),
                                op.getDim(), exclusive, op.getReverse());
  }

  /// The exclusive scan of the totals of what each thread (or with `shuffles`, subgroup) holds.
  Value scanParts(OpBuilder &builder, tile::ScanOp op, Value value, bool acrossLanes,
                  Value &total) {
    auto kind = arith::AtomicRMWKindAttr::get(op.getContext(), op.getKind());
    auto type = cast<RankedTensorType>(value.getType());
    unsigned dim[] = {unsigned(op.getDim())};
    Value parts = tile::ReduceOp::create(builder, op.getLoc(),
                                         withLayout(type, layoutOf(value)->fold(dim, acrossLanes)),
                                         value, builder.getDenseI64ArrayAttr(int64_t(op.getDim())),
                                         kind, ArrayAttr(),
                                         builder.getStringAttr(acrossLanes ? "subgroup" : "thread"))
                      .getResults()[0];
    return scanThreads(builder, op, parts, total);
  }

  /// The exclusive scan of a tile of which each thread has one element along the dimension.
  Value scanThreads(OpBuilder &builder, tile::ScanOp op, Value value, Value &total) {
    unsigned dim[] = {unsigned(op.getDim())};
    TileLayout from = *layoutOf(value);
    auto scanWhole = [&](Value whole) {
      auto made = scan(builder, op, whole, /*before=*/{}, /*exclusive=*/true);
      total = made.getTotal();
      return made.getResult();
    };
    if (countParts(from, dim, shuffles) == 1)
      return scanWhole(value);
    bool hasLanes = countParts(from, dim, true) < countParts(from, dim, false);
    if (shuffles && hasLanes) {
      Value begins = scanParts(builder, op, value, /*acrossLanes=*/true, total);
      return scan(builder, op, value, begins, /*exclusive=*/true).getResult();
    }
    unsigned left = llvm::Log2_64(countParts(from, dim, false)), bits = getRoundBits(left);
    TileLayout to = from.gather(dim, bits);
    SmallVector<int64_t> strides =
        chooseStridesOf(getElementTypeOrSelf(value.getType()), from, to, int64_t(op.getDim()));
    Value gathered = memory.exchange(builder, op.getLoc(), value, to, strides);
    Value scanned;
    if (left == bits) {
      scanned = scanWhole(gathered);
    } else {
      Value begins = scanParts(builder, op, gathered, /*acrossLanes=*/false, total);
      scanned = scan(builder, op, gathered, begins, /*exclusive=*/true).getResult();
    }
    return memory.exchange(builder, op.getLoc(), scanned, from, strides);
  }
};

class TileExpandExchangesPass
    : public tw::impl::TileExpandExchangesPassBase<TileExpandExchangesPass> {
public:
  using TileExpandExchangesPassBase::TileExpandExchangesPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](tile::FuncOp func) {
      return failed(Expander(func, shuffles).run()) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
