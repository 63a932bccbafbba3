// Products with few rows: bound by reading the matrix, which is read once and in its order.
//
//   for ko: for lanes of a strip: for row tiles: for ki: sums += ...
//
// A register tile that ran through all of k would touch a page per step; here a few rows of the
// matrix stream side by side, and the partial sums of a strip wait in a near cache.
#include "Operands.h"

#include "ListBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

constexpr int64_t kSweepSteps = 8;

/// What all sweeps need: lanes along contiguous memory of the matrix and of the results, and one
/// axis to sum over.
struct Sweep {
  Operands &of;
  const Operand &scalar, &vector;
  unsigned lanes, inner;
  std::optional<unsigned> rows;
  int64_t n, k;

  /// Strips for several threads, of a page or more in each row of the matrix.
  int64_t countStrips() const {
    constexpr int64_t kStrips = 8;
    return std::clamp<int64_t>(n * of.elementBytes() / of.traits.pageBytes, 1, kStrips);
  }

  /// One row, along all of the result, which holds the partial sums. Rows of the matrix that are
  /// read together are apart, so that each stream runs on through the next row; memory likes few
  /// long streams.
  void proposeRow(SmallVectorImpl<HostCandidate> &candidates) {
    const HostTraits &traits = of.traits;
    KernelOp kernel = of.kernel;
    constexpr int64_t kStreams = 4, kStreamRows = 16;
    int64_t width = of.registersPerVector();
    int64_t tile = std::max<int64_t>(1, traits.registers / 4 / width) * traits.lanes;
    int64_t most = traits.l2Bytes / 4 / of.elementBytes() / tile;
    int64_t blocks = llvm::divideCeil(n, tile);
    // Strips of a page or more are programs where there are no others.
    if (of.sets.points(of.stored) == n)
      most = std::min<int64_t>(most, llvm::divideCeil(blocks, countStrips()));
    auto stores = kernel.getBody().getOps<StoreOp>();
    if (blocks < 2 || !llvm::hasSingleElement(stores) ||
        (*stores.begin()).getValue() != of.contract.getResult())
      return;
    ListBuilder list(kernel);
    bool strips = blocks > most, streams = k % (kStreams * kStreamRows) == 0;
    SmallVector<std::pair<StringRef, int64_t>> laneFactors{{"_l", tile}}, stepFactors;
    if (strips)
      laneFactors.insert(laneFactors.begin(), {"_b", most});
    if (streams)
      stepFactors = {{"_i", kStreams}, {"_r", kStreamRows}};
    else
      stepFactors = {{"_i", kSweepSteps}};
    SmallVector<StringAttr> laneParts = list.divide(lanes, laneFactors);
    SmallVector<StringAttr> steps = list.divide(inner, stepFactors);
    for (unsigned axis : of.stored.set_bits())
      if (axis != lanes)
        (axis == rows ? list.tile : list.grid).push_back(list.name(axis));
    if (strips)
      list.grid.push_back(laneParts[0]);
    list.order = {steps[0], laneParts[strips], steps[1]};
    if (streams)
      list.order.insert(list.order.begin() + 1, steps[2]);
    list.tile.push_back(laneParts.back());
    list.unroll(steps[1]);
    list.keep(of.contract, KeepPlace::Result, "sum");
    candidates.push_back({"contraction", list.finish()});
  }

  /// A few rows: partial sums lie in local memory, beside each other wherever the result's rows
  /// are, and so do the scalars of the steps.
  void proposeRows(SmallVectorImpl<HostCandidate> &candidates) {
    const HostTraits &traits = of.traits;
    int64_t m = of.extent(*rows);
    int64_t bestRows = 0, bestVectors = 0;
    double best = 0;
    for (int64_t vectors = 1; vectors <= traits.registers / 4; ++vectors) {
      int64_t most = of.mostRows(vectors);
      if (most < 1 || vectors * traits.lanes > n)
        break;
      int64_t tiles = llvm::divideCeil(m, most), tileRows = llvm::divideCeil(m, tiles);
      double cycles = (tiles - 1) * of.tileCycles(tileRows, vectors) +
                      of.tileCycles(m - (tiles - 1) * tileRows, vectors);
      if (!bestRows || cycles / vectors < best) {
        bestRows = tileRows;
        bestVectors = vectors;
        best = cycles / vectors;
      }
    }
    if (!bestRows)
      return;
    addRows(bestRows, bestVectors, candidates);
    // As few sums as hide their latency: the core looks ahead beyond what is added of them.
    constexpr int64_t kVectors = 2;
    auto sums = int64_t(double(traits.fmaLatency) * traits.fmaPerCycle);
    int64_t few = llvm::divideCeil(sums, kVectors);
    if (few < std::min(m, of.mostRows(kVectors)) && kVectors * traits.lanes <= n &&
        (few != bestRows || kVectors != bestVectors))
      addRows(few, kVectors, candidates);
  }

  void addRows(int64_t bestRows, int64_t bestVectors, SmallVectorImpl<HostCandidate> &candidates) {
    const HostTraits &traits = of.traits;
    int64_t m = of.extent(*rows), bytes = of.elementBytes();
    int64_t tile = bestVectors * traits.lanes, laneTiles = llvm::divideCeil(n, tile);
    // The partial sums of a strip stay in the second level.
    int64_t strips =
        std::max<int64_t>(countStrips(), llvm::divideCeil(m * n * bytes, traits.l2Bytes / 2));
    int64_t block = llvm::divideCeil(laneTiles, strips);
    if (block < 2)
      return;

    ListBuilder list(of.kernel);
    SmallVector<StringAttr> rowParts = list.divide(*rows, {{"_r", bestRows}});
    SmallVector<StringAttr> laneParts = block >= laneTiles
                                            ? list.divide(lanes, {{"_l", tile}})
                                            : list.divide(lanes, {{"_b", block}, {"_l", tile}});
    SmallVector<StringAttr> steps = list.divide(inner, {{"_i", kSweepSteps}});
    for (unsigned axis : of.stored.set_bits())
      if (axis != lanes && axis != rows)
        list.grid.push_back(list.name(axis));
    if (laneParts.size() > 2)
      list.grid.push_back(laneParts[0]);
    list.order.push_back(steps[0]);
    list.order.push_back(laneParts[laneParts.size() - 2]);
    if (rowParts.size() > 1)
      list.order.push_back(rowParts[0]);
    list.order.push_back(steps[1]);
    list.tile = {rowParts.back(), laneParts.back()};
    SmallVector<StringAttr> dims(ArrayRef(rowParts).drop_back());
    dims.push_back(steps[1]);
    dims.push_back(rowParts.back());
    list.stage(scalar.op, "scalars", dims, /*global=*/false, /*window=*/false, steps[0]);
    list.keep(of.contract, KeepPlace::Local, "sum");
    candidates.push_back({"contraction", list.finish()});
  }
};

} // namespace

void tw::schedule::host::proposeSweep(Operands &of, bool swapped,
                                      SmallVectorImpl<HostCandidate> &candidates) {
  const Operand &scalar = of.operands[swapped], &vector = of.operands[!swapped];
  std::optional<unsigned> rows = of.findAxis(scalar, vector), lanes = of.findAxis(vector, scalar);
  if (!lanes || of.reduced.count() != 1 || of.strideOf(vector, *lanes) != 1 ||
      !of.isStoredAlong(*lanes))
    return;
  unsigned inner = of.reduced.find_first();
  Sweep sweep{of, scalar, vector, *lanes, inner, rows, of.extent(*lanes), of.extent(inner)};
  if (sweep.k < 2 * kSweepSteps)
    return;
  if (rows && of.extent(*rows) > 1)
    sweep.proposeRows(candidates);
  else
    sweep.proposeRow(candidates);
}
