// The strategy for windows of what is computed: a convolution and what slides over its result, be
// it a depthwise convolution, a pool or a filter.
//
// A program computes a box of what windows see in local memory, rows of all columns for a few
// channels, in register tiles as a product does, and slides over it there. The box is as tall as
// the second-level cache admits: rows that two boxes share are computed in both.
#include "Accesses.h"
#include "Balance.h"
#include "Cheapest.h"
#include "ListBuilder.h"
#include "Product.h"
#include "Strategies.h"

#include "tw/Schedule/AxisSums.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Boxes {
public:
  Boxes(KernelOp kernel, const HostTraits &traits) : kernel(kernel), traits(traits), sets(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!findBox() || !findAxes())
      return;
    auto write = [&](const Choice &choice) { return emit(choice); };
    Cheapest<Choice> cheapest(kernel, traits, write);
    for (int64_t vectors : {1, 2, 4})
      for (int64_t rows : {1, 2, 4})
        if (std::optional<Choice> choice = choose(vectors, rows))
          cheapest.add(*choice);
    cheapest.keep(1);
    for (Choice unrolled : cheapest.get()) {
      unrolled.unrollsBelow = true;
      if (!findShortBelow().empty())
        cheapest.add(unrolled);
    }
    cheapest.keep(1);
    for (Choice lower : cheapest.get())
      for (int64_t parts : {2, 4})
        if (lower.blocks / parts > 0) {
          lower.blocks = findEven(lower.blocks, lower.blocks / parts);
          cheapest.add(lower);
        }
    constexpr size_t kKept = 2;
    cheapest.keep(kKept);
    cheapest.propose("boxes", candidates);
  }

private:
  /// Of results, a tile of `rows` by `lanes`, and so many of them in a box; channels in it.
  struct Choice {
    int64_t lanes, rows, blocks, channels;
    /// Short loops of what the box is summed over are unrolled.
    bool unrollsBelow = false;
  };

  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }

  /// A value worth keeping that a reduction reads through windows.
  bool findBox() {
    SmallVector<Operation *> roots;
    for (Operation &op : kernel.getBody().front())
      if (isa<ReduceOp, ContractOp>(op))
        roots.push_back(&op);
    for (Operation *candidate : llvm::reverse(roots)) {
      reduced = sets.reducedBy(candidate);
      for (Value value : candidate->getOperands()) {
        Operation *op = value.getDefiningOp();
        if (!op || !sets.of(value).anyCommon(reduced) || !isWorthKeeping(op))
          continue;
        sums = findAxisSums(kernel, sets, op);
        llvm::erase_if(sums, [&](const AxisSum &sum) {
          return llvm::none_of(sum.terms,
                               [&](const AxisSum::Term &term) { return reduced[term.axis]; });
        });
        root = candidate;
        box = op;
        if (!sums.empty())
          return true;
      }
    }
    return false;
  }

  /// Whether sums or functions are on the way to the op.
  bool isWorthKeeping(Operation *op) {
    SmallVector<Operation *> work{op};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!work.empty()) {
      Operation *next = work.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      if (isa<ContractOp, ReduceOp>(next) || isExpensive(next))
        return true;
      for (Value operand : next->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          work.push_back(producer);
    }
    return false;
  }

  const AxisSum *findSum(unsigned axis) const {
    auto *it = llvm::find_if(sums, [&](const AxisSum &sum) { return sum.contains(axis); });
    return it == sums.end() ? nullptr : it;
  }

  /// Columns are contiguous in the result; rows are another axis that windows slide along, or any
  /// where they do along columns alone; what windows see of a channel depends on that.
  bool findAxes() {
    auto stores = kernel.getBody().getOps<StoreOp>();
    if (!llvm::hasSingleElement(stores))
      return false;
    StoreOp store = *stores.begin();
    SmallVector<unsigned> kept;
    for (Value index : store.getIndices())
      if (auto axis = dyn_cast<BlockArgument>(index); axis && extent(axis.getArgNumber()) > 1)
        kept.push_back(axis.getArgNumber());
    auto *last = llvm::find_if(
        kept, [&](unsigned axis) { return getUsualStride(store, kernel.getAxis(axis)) == 1; });
    if (last == kept.end())
      return false;
    columns = *last;
    kept.erase(last);
    const llvm::SmallBitVector &own = sets.of(box->getResult(0));
    if (!own[columns])
      return false;
    for (unsigned axis : kept)
      if (findSum(axis) && findSum(axis) != findSum(columns))
        rows = axis;
    for (unsigned axis : kept)
      if (own[axis] && !findSum(axis) && axis != rows)
        channels = axis;
    for (unsigned axis : kept)
      if (axis != rows && axis != channels)
        others.push_back(axis);
    return rows || findSum(columns);
  }

  /// Values that windows see of a sum, for so many points of an axis.
  int64_t countSeen(unsigned axis, int64_t points) {
    const AxisSum *sum = findSum(axis);
    if (!sum)
      return points;
    int64_t seen = 1;
    for (const AxisSum::Term &term : sum->terms)
      seen += std::abs(term.factor) * ((term.axis == axis ? points : extent(term.axis)) - 1);
    return seen;
  }

  std::optional<Choice> choose(int64_t vectors, int64_t height) {
    Choice choice{std::min(vectors * traits.lanes, extent(columns)), 1, 1, 1};
    if (vectors > 1 && extent(columns) <= (vectors - 1) * traits.lanes)
      return std::nullopt;
    if (channels)
      choice.channels =
          std::min(extent(*channels), std::max<int64_t>(1, traits.registers * 3 / 4 / vectors));
    if (!rows)
      return height == 1 ? std::optional(choice) : std::nullopt;
    if (height > extent(*rows) || height * vectors > traits.registers / 2)
      return std::nullopt;
    choice.rows = height;
    // As tall as half of the cache has room for, and as leaves programs to all threads.
    int64_t rowBytes = choice.channels * countSeen(columns, extent(columns)) *
                       int64_t(box->getResult(0).getType().getIntOrFloatBitWidth()) / 8;
    int64_t tiles = llvm::divideCeil(extent(*rows), height), most = tiles;
    while (most > 1 && countSeen(*rows, most * height) * rowBytes > traits.l2Bytes / 2)
      most = llvm::divideCeil(most, 2);
    int64_t programs = channels ? llvm::divideCeil(extent(*channels), choice.channels) : 1;
    for (unsigned axis : others)
      programs *= extent(axis);
    int64_t wanted = llvm::divideCeil(2 * traits.threads, programs);
    if (traits.threads > 1)
      most = std::min(most, std::max<int64_t>(1, tiles / wanted));
    choice.blocks = findEven(tiles, most);
    return choice;
  }

  ScheduleAttr emit(const Choice &choice) {
    ListBuilder list(kernel);
    SmallVector<StringAttr> channelParts, rowParts;
    for (unsigned axis : others)
      list.grid.push_back(list.name(axis));
    if (channels) {
      channelParts = list.divide(*channels, {{"_r", choice.channels}});
      if (channelParts.size() > 1)
        list.grid.push_back(channelParts.front());
      list.order.push_back(channelParts.back());
    }
    if (rows) {
      SmallVector<std::pair<StringRef, int64_t>> inner;
      if (choice.blocks > 1)
        inner.push_back({"_b", choice.blocks});
      if (choice.rows > 1)
        inner.push_back({"_r", choice.rows});
      rowParts = list.divide(*rows, inner);
      if (rowParts.size() > inner.size()) {
        list.grid.push_back(rowParts.front());
        rowParts.erase(rowParts.begin());
      }
      bool isTiled = choice.rows > 1;
      llvm::append_range(list.order, ArrayRef(rowParts).drop_back(isTiled));
      if (isTiled)
        list.tile.push_back(rowParts.back());
    }
    SmallVector<StringAttr> columnParts = list.divide(columns, {{"_l", choice.lanes}});
    llvm::append_range(list.order, ArrayRef(columnParts).drop_back());
    list.tile.push_back(columnParts.back());
    addTaps(list);
    if (choice.unrollsBelow)
      for (unsigned axis : findShortBelow())
        list.unroll(list.name(axis));
    list.stage(box, "box", getDims(list, channelParts, rowParts, columnParts), /*global=*/false,
               /*window=*/true);
    return list.finish();
  }

  /// Axes that are summed over on the way to the box, so few points of them that their loops may be
  /// unrolled around a tile: the windows of a convolution, not its channels.
  SmallVector<unsigned> findShortBelow() {
    constexpr int64_t kMost = 16;
    SmallVector<unsigned> axes;
    int64_t points = 1;
    llvm::SmallBitVector below(kernel.getNumAxes());
    for (Operation &op : kernel.getBody().front())
      if (isa<ReduceOp, ContractOp>(op) &&
          (&op == box || isComputedFrom(box->getResult(0), op.getResult(0))))
        below |= sets.reducedBy(&op);
    for (unsigned axis : llvm::reverse(llvm::to_vector(below.set_bits())))
      if (extent(axis) > 1 && points * extent(axis) <= kMost) {
        points *= extent(axis);
        axes.push_back(axis);
      }
    return axes;
  }

  /// The loops of the windows, unrolled where that is not much code.
  void addTaps(ListBuilder &list) {
    constexpr int64_t kTaps = 64;
    bool isShort = sets.points(reduced) <= kTaps;
    for (unsigned axis : reduced.set_bits()) {
      list.order.push_back(list.name(axis));
      if (isShort && extent(axis) > 1)
        list.unroll(list.name(axis));
    }
  }

  /// Rows, channels, columns; the axes of each sum together.
  SmallVector<StringAttr> getDims(ListBuilder &list, ArrayRef<StringAttr> channelParts,
                                  ArrayRef<StringAttr> rowParts, ArrayRef<StringAttr> columnParts) {
    const llvm::SmallBitVector &own = sets.of(box->getResult(0));
    SmallVector<StringAttr> dims, inRows, inColumns;
    for (unsigned axis : reduced.set_bits()) {
      if (!own[axis])
        continue;
      const AxisSum *sum = findSum(axis);
      if (sum && sum->contains(columns))
        inColumns.push_back(list.name(axis));
      else if (sum && rows && sum->contains(*rows))
        inRows.push_back(list.name(axis));
      else
        dims.push_back(list.name(axis));
    }
    if (rows && own[*rows]) {
      llvm::append_range(dims, rowParts);
      llvm::append_range(dims, inRows);
    }
    if (channels)
      dims.push_back(channelParts.back());
    llvm::append_range(dims, inColumns);
    llvm::append_range(dims, columnParts);
    return dims;
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  /// The reduction, what it reduces over, what it reads through windows and their sums.
  Operation *root = nullptr, *box = nullptr;
  llvm::SmallBitVector reduced;
  SmallVector<AxisSum> sums;
  unsigned columns = 0;
  std::optional<unsigned> rows, channels;
  SmallVector<unsigned> others;
};

} // namespace

void tw::schedule::host::proposeBoxes(KernelOp kernel, const HostTraits &traits,
                                      SmallVectorImpl<HostCandidate> &candidates) {
  Boxes(kernel, traits).propose(candidates);
}
