// Depthwise convolutions whose channels are contiguous in memory: nothing slides along the lanes.
//
// Lanes are channels, with weights of their own; rows are pixels of a line, whose sums are in
// registers. Taps along the line are unrolled, so that a pixel of the input is read once for all of
// these; other taps are loops, which end at the border where it is zero. What is reduced of the
// results (the mean of a channel) is summed beside them: a program has some channels and goes
// through all pixels.
#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Product.h"
#include "Strategies.h"

#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class ChannelsLast : Product {
public:
  ChannelsLast(KernelOp kernel, const HostTraits &traits) : Product(kernel), traits(traits) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    bool hasTotals = !kernel.getBody().getOps<ReduceOp>().empty();
    if (!(hasTotals ? matchTotals() : match()))
      return;
    kept = stored | outer;
    if (!matchOperands())
      return;
    // Of several vectors side by side a program reads whole lines of a cache.
    for (int64_t vectors = 1; vectors <= (hasTotals ? countVectorsOfLine() : 1); vectors *= 2)
      propose(vectors, candidates);
  }

private:
  /// For so many vectors of channels in the tile.
  void propose(int64_t vectors, SmallVectorImpl<HostCandidate> &candidates) {
    int64_t held = (traits.registers - 1) / vectors - sets.points(along);
    // Of a longer line a few pixels: with more of them hardly fewer are read again, and there is
    // more code for those that see its borders.
    constexpr int64_t kMostPixels = 8;
    if (extent(pixels) > held)
      held = std::min(held, kMostPixels);
    if (held < 2)
      return;
    candidates.push_back({"channels last", write(findEven(extent(pixels), held), vectors)});
  }

  const HostTraits &traits;
  LoadOp input, weights;
  Operation *weightsValue = nullptr;
  unsigned channels = 0, pixels = 0;
  /// The axes of the windows' results, and the reduced axes that slide along a line of pixels.
  llvm::SmallBitVector kept, along;

  /// Vectors of channels that fill a line of the cache.
  int64_t countVectorsOfLine() {
    int64_t width = input.getResult().getType().getIntOrFloatBitWidth();
    return std::max<int64_t>(1, traits.lineBytes * 8 / (traits.lanes * width));
  }

  /// A window, and reductions of its results of which nothing is computed for single results.
  bool matchTotals() {
    if (!matchWithRows())
      return false;
    SmallVector<Value> totals;
    for (auto reduce : kernel.getBody().getOps<ReduceOp>())
      llvm::append_range(totals, reduce.getResults());
    return llvm::none_of(totals, [&](Value total) {
      return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
        auto store = dyn_cast<StoreOp>(op);
        Value value = store ? store.getValue() : isa<ReduceOp>(op) ? op.getOperand(0) : Value();
        return value && sets.of(value).anyCommon(outer) && isComputedFrom(value, total);
      });
    });
  }

  int64_t strideOf(LoadOp load, unsigned axis) {
    return std::abs(getUsualStride(load, kernel.getAxis(axis)).value_or(INT64_MAX / 2));
  }

  /// Whether some coordinate of the input depends on both axes.
  bool slides(unsigned tap, unsigned axis) {
    return llvm::any_of(input.getMap().getMap().getResults(), [&](AffineExpr coordinate) {
      llvm::SmallBitVector axes(kernel.getNumAxes());
      for (auto [position, index] : llvm::enumerate(input.getIndices()))
        if (coordinate.isFunctionOfDim(position))
          axes |= sets.of(index);
      return axes[tap] && axes[axis];
    });
  }

  /// A load through a window of all axes of the result, and one of weights by channels.
  bool matchOperands() {
    Operation *values[] = {contract.getLhs().getDefiningOp(), contract.getRhs().getDefiningOp()};
    if (!values[0] || !values[1])
      return false;
    LoadOp loads[] = {getWindowLoad(values[0]), getWindowLoad(values[1])};
    if (!loads[0] || !loads[1])
      return false;
    bool swapped = sets.points(sets.of(loads[1].getResult()) & kept) >
                   sets.points(sets.of(loads[0].getResult()) & kept);
    input = loads[swapped];
    weights = loads[!swapped];
    weightsValue = values[!swapped];
    if (!input.getMap().getGuards().empty() || !weights.getMap().getGuards().empty() ||
        weights.getMap().getOutside())
      return false;
    llvm::SmallBitVector seen = sets.of(input.getResult()), own = sets.of(weights.getResult());
    std::optional<unsigned> lanes, line;
    for (unsigned axis : kept.set_bits()) {
      if (extent(axis) == 1)
        continue;
      if (!seen[axis])
        return false;
      bool isContiguous = strideOf(input, axis) == 1 &&
                          llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
                            return getUsualStride(store, kernel.getAxis(axis)) == 1;
                          });
      if (isContiguous)
        lanes = axis;
      else if (!own[axis] && (!line || strideOf(input, axis) < strideOf(input, *line)))
        line = axis;
    }
    if (!lanes || !line || !own[*lanes] || extent(*lanes) * 4 < traits.lanes || outer[*lanes] ||
        (outer.any() && !outer[*line]))
      return false;
    channels = *lanes;
    pixels = *line;
    along.resize(kernel.getNumAxes());
    for (unsigned tap : reduced.set_bits()) {
      if (slides(tap, channels))
        return false;
      if (slides(tap, pixels))
        along.set(tap);
    }
    return along.any();
  }

  ScheduleAttr write(int64_t rows, int64_t vectors) {
    ListBuilder list(kernel);
    SmallVector<StringAttr> pixelParts = list.divide(pixels, {{"_r", rows}});
    SmallVector<StringAttr> laneParts =
        list.divide(channels, {{"_l", std::min(vectors * traits.lanes, extent(channels))}});
    int64_t programs = 1;
    for (unsigned axis : kept.set_bits())
      if (axis != pixels && axis != channels) {
        (outer[axis] ? list.order : list.grid).push_back(list.name(axis));
        programs *= extent(axis);
      }
    // Only the first and the last block of a line see its borders: a loop has them apart. Totals
    // are summed by loops of a program.
    (outer.none() && programs < 2 * programsFor(traits) ? list.grid : list.order)
        .append(pixelParts.begin(), pixelParts.end() - 1);
    (outer.any() ? list.grid : list.order).append(laneParts.begin(), laneParts.end() - 1);
    list.tile = {pixelParts.back(), laneParts.back()};
    SmallVector<StringAttr> panel(laneParts.begin(), laneParts.end() - 1);
    for (bool isAlong : {false, true})
      for (unsigned axis : reduced.set_bits())
        if (along[axis] == isAlong) {
          list.order.push_back(list.name(axis));
          if (sets.of(weights.getResult())[axis])
            panel.push_back(list.name(axis));
        }
    panel.push_back(laneParts.back());
    if (strideOf(weights, channels) != 1)
      list.stage(weightsValue, "weights", panel, /*global=*/true);
    for (unsigned axis : reduced.set_bits()) {
      std::string why;
      std::optional<SkippedAxis> skipped = findMask(kernel, axis, why);
      if (along[axis])
        list.unroll(list.name(axis));
      else if (skipped && skipped->mask == input)
        list.skip(list.name(axis));
    }
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeChannelsLast(KernelOp kernel, const HostTraits &traits,
                                             SmallVectorImpl<HostCandidate> &candidates) {
  ChannelsLast(kernel, traits).propose(candidates);
}
