// The strategy for products: a register tile of vectors times scalars, operands packed into panels
// where their rows would collide in a cache.
//
// One operand gives vectors along an axis that the other does not have (the lanes), the other one
// scalars along an axis of its own (the rows); each step of the innermost loop loads `vectors`
// vectors and `rows` scalars and does rows * vectors multiply-adds. All of the reduced axes run
// inside, so that the tile is stored once and every partition of rows and lanes gives the same
// bits. A program takes a block of row tiles, whose scalars stay in the second-level cache, and
// passes all columns through it.
#include "Strategies.h"

#include "Accesses.h"
#include "ListBuilder.h"
#include "Product.h"

#include "../Strides.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Programs to spread over threads, where there is work for so many.
constexpr int64_t kPrograms = 16, kFewPrograms = 8;
/// Cycles until a launch has begun on all threads.
constexpr double kLaunchCycles = 3000;
/// Bytes of a page, and entries of the smallest first-level TLB in use (Skylake's and Zen's have
/// 64).
constexpr int64_t kPage = 4096, kPagesAtHand = 64;
/// Candidates that are checked for legality.
constexpr size_t kBest = 8;

/// An operand of the contraction and its largest load, which decides how memory is read.
struct Operand {
  Operation *op = nullptr;
  LoadOp load;
  bool isConstant = false;
};

void collectLoads(Operation *op, SmallVectorImpl<LoadOp> &loads) {
  if (auto load = dyn_cast<LoadOp>(op))
    loads.push_back(load);
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp())
      collectLoads(operand.getDefiningOp(), loads);
}

class Contraction : Product {
public:
  Contraction(KernelOp kernel, const HostTraits &traits) : Product(kernel), traits(traits) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match() || !matchOperands())
      return;
    std::vector<Choice> choices;
    for (bool swapped : {false, true}) {
      enumerate(swapped, choices);
      proposeSweep(swapped, candidates);
    }
    llvm::sort(choices, [](const Choice &a, const Choice &b) {
      return std::pair(a.estimate.cycles(), a.vectors) < std::pair(b.estimate.cycles(), b.vectors);
    });
    if (choices.size() > kBest)
      choices.resize(kBest);
    for (const Choice &choice : choices)
      candidates.push_back({"contraction", emit(choice), choice.estimate});
  }

private:
  /// What the candidates differ in.
  struct Choice {
    Operand scalar, vector;
    unsigned rowAxis, laneAxis;
    int64_t rows, vectors;
    bool packScalar, packVector;
    /// Row tiles of a program, and parts of the lanes' axis in the grid.
    int64_t block, groups;
    HostEstimate estimate;
  };

  const HostTraits &traits;
  Operand operands[2];

  int64_t elementBytes() {
    return std::max<int64_t>(1, contract.getType().getIntOrFloatBitWidth() / 8);
  }
  /// Registers of a vector of `lanes` elements.
  int64_t registersPerVector() { return std::max<int64_t>(1, elementBytes() / 4); }

  /// A contraction of values that are computed from loads, elementwise work around it.
  bool matchOperands() {
    if (sets.points(reduced) < 2)
      return false;
    for (auto [i, operand] : llvm::enumerate(operands)) {
      operand.op = contract.getOperand(i).getDefiningOp();
      SmallVector<LoadOp> loads;
      if (!operand.op)
        return false;
      collectLoads(operand.op, loads);
      if (loads.empty())
        return false;
      operand.load = *std::max_element(loads.begin(), loads.end(), [&](LoadOp a, LoadOp b) {
        return sets.points(sets.of(a.getResult())) < sets.points(sets.of(b.getResult()));
      });
      if (operand.load.getMap().getGuards().size() || operand.load.getMap().getOutside())
        return false;
      unsigned number = cast<BlockArgument>(operand.load.getSource()).getArgNumber();
      Operation *source = kernel.getOperand(number - kernel.getNumAxes()).getDefiningOp();
      operand.isConstant = source && source->hasTrait<OpTrait::ConstantLike>();
      for (unsigned axis : sets.of(operand.op->getResult(0)).set_bits())
        if (!strideOf(operand, axis))
          return false;
    }
    return true;
  }

  std::optional<int64_t> strideOf(const Operand &operand, unsigned axis) {
    LoadOp load = operand.load;
    auto type = cast<RankedTensorType>(load.getSource().getType());
    return getStride(type, load.getMap().getMap(), load.getIndices(), kernel.getAxis(axis));
  }

  /// Whether all results are contiguous along the axis.
  bool isStoredAlong(unsigned axis) {
    return llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      return getUsualStride(store, kernel.getAxis(axis)) == 1;
    });
  }

  /// The axis of `of` alone that serves best: one along which it, or the result, is contiguous,
  /// else the longest.
  std::optional<unsigned> findAxis(const Operand &of, const Operand &other) {
    llvm::SmallBitVector own = ownAxes(of.op->getResult(0), other.op->getResult(0));
    std::optional<unsigned> best;
    auto rank = [&](unsigned axis) {
      return std::tuple(extent(axis) > 1, strideOf(of, axis) == 1, isStoredAlong(axis),
                        extent(axis));
    };
    for (unsigned axis : own.set_bits())
      if (!best || rank(axis) > rank(*best))
        best = axis;
    return best;
  }

  void enumerate(bool swapped, std::vector<Choice> &choices) {
    Choice choice;
    choice.scalar = operands[swapped];
    choice.vector = operands[!swapped];
    std::optional<unsigned> rows = findAxis(choice.scalar, choice.vector);
    std::optional<unsigned> lanes = findAxis(choice.vector, choice.scalar);
    if (!lanes || extent(*lanes) < 2)
      return;
    choice.laneAxis = *lanes;
    choice.rowAxis = rows.value_or(*lanes); // The same: there are no rows.
    int64_t rowExtent = rows ? extent(*rows) : 1;
    int64_t width = registersPerVector();
    int64_t most = llvm::divideCeil(extent(*lanes), traits.lanes);
    for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, traits.registers); ++vectors)
      for (int64_t held = (traits.registers - 1) / width - vectors,
                   rowsMost = std::min(rowExtent, held / vectors), tileRows = rowsMost;
           tileRows >= 1 && tileRows * 2 > rowsMost; --tileRows)
        for (bool packScalar : {false, true})
          for (bool packVector : {false, true}) {
            choice.rows = tileRows;
            choice.vectors = vectors;
            choice.packScalar = packScalar;
            choice.packVector = packVector;
            if (complete(choice))
              choices.push_back(choice);
          }
  }

  /// One row of scalars: the matrix is read once, a few of its rows at a time along all of the
  /// result, whose partial sums lie in it and stay in a near cache. Rows that are read together are
  /// apart, so that each stream runs on through the next row; memory likes few long streams.
  void proposeSweep(bool swapped, SmallVectorImpl<HostCandidate> &candidates) {
    const Operand &scalar = operands[swapped], &vector = operands[!swapped];
    std::optional<unsigned> rows = findAxis(scalar, vector), lanes = findAxis(vector, scalar);
    auto stores = kernel.getBody().getOps<StoreOp>();
    if (!lanes || (rows && extent(*rows) > 1) || reduced.count() != 1 ||
        strideOf(vector, *lanes) != 1 || !llvm::hasSingleElement(stores) ||
        (*stores.begin()).getValue() != contract.getResult() || !isStoredAlong(*lanes))
      return;
    constexpr int64_t kStreams = 4, kStreamRows = 16, kSteps = 8;
    unsigned inner = reduced.find_first();
    int64_t n = extent(*lanes), k = extent(inner);
    int64_t tile = std::max<int64_t>(1, traits.registers / 4 / registersPerVector()) * traits.lanes;
    int64_t most = traits.l2Bytes / 4 / elementBytes() / tile, blocks = llvm::divideCeil(n, tile);
    if (blocks < 2 || k < 2 * kSteps)
      return;
    ListBuilder list(kernel);
    bool strips = blocks > most, streams = k % (kStreams * kStreamRows) == 0;
    SmallVector<std::pair<StringRef, int64_t>> laneFactors{{"_l", tile}}, stepFactors;
    if (strips)
      laneFactors.insert(laneFactors.begin(), {"_b", most});
    if (streams)
      stepFactors = {{"_i", kStreams}, {"_r", kStreamRows}};
    else
      stepFactors = {{"_i", kSteps}};
    SmallVector<StringAttr> laneParts = list.divide(*lanes, laneFactors);
    SmallVector<StringAttr> steps = list.divide(inner, stepFactors);
    for (unsigned axis : stored.set_bits())
      if (axis != *lanes)
        (axis == rows ? list.tile : list.grid).push_back(list.name(axis));
    if (strips)
      list.grid.push_back(laneParts[0]);
    list.order = {steps[0], laneParts[strips], steps[1]};
    if (streams)
      list.order.insert(list.order.begin() + 1, steps[2]);
    list.tile.push_back(laneParts.back());
    list.unroll(steps[1]);
    list.keep(contract, KeepPlace::Result, "sum");
    HostEstimate estimate;
    double products = double(sets.points(stored)) * k, bytes = products * elementBytes();
    bool fits = bytes <= traits.l3Bytes;
    estimate.compute = products / traits.lanes * registersPerVector() / traits.fmaPerCycle;
    estimate.l1 = estimate.compute * (1 + 2.0 / (streams ? kStreams : kSteps));
    estimate.memory = bytes / (fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle);
    candidates.push_back({"contraction", list.finish(), estimate});
  }

  /// Bytes from one step of the innermost reduced axis to the next, or between neighbours along an
  /// axis, of unpacked memory.
  int64_t bytesAlong(const Operand &operand, unsigned axis) {
    return std::abs(*strideOf(operand, axis)) * elementBytes();
  }

  /// Lines that rows at this distance can use of a cache, of the lines that it has.
  int64_t usableLines(int64_t bytes, int64_t cacheBytes, int64_t ways) {
    int64_t cacheSets = cacheBytes / traits.lineBytes / ways;
    int64_t step = std::max<int64_t>(1, bytes / traits.lineBytes);
    return ways * (cacheSets / std::gcd(step, cacheSets));
  }

  /// Fills in blocks and the estimate; false if the choice makes no sense.
  bool complete(Choice &choice) {
    bool hasRows = choice.rowAxis != choice.laneAxis;
    int64_t m = hasRows ? extent(choice.rowAxis) : 1, n = extent(choice.laneAxis);
    int64_t k = sets.points(reduced), bytes = elementBytes(), width = registersPerVector();
    int64_t lanes = choice.vectors * traits.lanes;
    int64_t rowTiles = llvm::divideCeil(m, choice.rows), laneTiles = llvm::divideCeil(n, lanes);
    int64_t others = sets.points(stored) / (m * n);
    bool contiguous = strideOf(choice.vector, choice.laneAxis) == 1;
    if (choice.packVector ? !choice.vector.isConstant && rowTiles < 2 : !contiguous)
      return false;
    if (choice.packScalar && (!hasRows || (laneTiles < 2 && !choice.scalar.isConstant)))
      return false;

    // A block of rows whose scalars fill half of the second-level cache, and programs enough.
    int64_t rowBytes = choice.rows * k * bytes;
    choice.block = std::clamp<int64_t>(traits.l2Bytes / 2 / rowBytes, 1,
                                       std::max<int64_t>(1, rowTiles * others / kPrograms));
    choice.block = std::min(choice.block, rowTiles);
    int64_t programs = llvm::divideCeil(rowTiles, choice.block) * others;
    choice.groups = programs >= kFewPrograms
                        ? 1
                        : std::min(laneTiles, int64_t(llvm::divideCeil(kFewPrograms, programs)));

    // Multiply-adds, and what feeds them, of every tile; the last ones are smaller.
    HostEstimate &estimate = choice.estimate;
    estimate = {};
    auto tileCycles = [&](int64_t rows, int64_t vectors) {
      double fma = double(rows * vectors * width) / traits.fmaPerCycle;
      double loads = double(rows + vectors * width) / traits.loadsPerCycle;
      return std::max({fma, loads, double(traits.fmaLatency)});
    };
    int64_t lastRows = m - (rowTiles - 1) * choice.rows;
    int64_t lastVectors = llvm::divideCeil(n - (laneTiles - 1) * lanes, traits.lanes);
    double step = 0;
    for (auto [rows, countRows] :
         {std::pair(choice.rows, rowTiles - 1), std::pair(lastRows, int64_t(1))})
      for (auto [vectors, countLanes] :
           {std::pair(choice.vectors, laneTiles - 1), std::pair(lastVectors, int64_t(1))})
        step += tileCycles(rows, vectors) * countRows * countLanes;
    estimate.compute = step * k * others;
    estimate.registers = choice.rows * choice.vectors * width + choice.vectors * width + 1;

    // What streams past the block comes from the second level, and once a program from beyond.
    double tiles = double(rowTiles) * laneTiles * others;
    estimate.l2 = tiles * k * (lanes + choice.rows) * bytes / traits.l2BytesPerCycle;
    double vectorBytes = double(n) * k * bytes, scalarBytes = double(m) * k * bytes;
    double beyond = vectorBytes * programs + scalarBytes * choice.groups * others;
    bool fits = (vectorBytes + scalarBytes) * others <= traits.l3Bytes;
    estimate.memory = beyond / (fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle);
    // A page for every step: the hardware fetches nothing ahead.
    if (!fits && !choice.packVector && bytesAlong(choice.vector, reduced.find_last()) >= kPage)
      estimate.memory *= 2;
    if (vectorBytes + rowBytes * choice.block <= traits.l2Bytes)
      estimate.memory = (vectorBytes + scalarBytes) * others / traits.l3BytesPerCycle;

    // Packing moves every element once; a transposition shuffles it as often as its block is
    // halved.
    auto packCycles = [&](bool transposes) {
      double block = traits.lanes;
      return width *
             ((transposes ? std::log2(block) : 0) + 1 / traits.loadsPerCycle +
              1 / traits.storesPerCycle) /
             block;
    };
    // A line that another one has pushed out comes again from the next level. Measured beside a
    // micro-kernel that never waits: most of a row's misses hide behind its multiply-adds, those of
    // the vectors do not.
    double missed = traits.lineBytes / traits.l2BytesPerCycle;
    constexpr double kRowShare = 0.1, kVectorShare = 0.5, kStreamShare = 0.05;
    unsigned inner = reduced.find_last();
    if (choice.packScalar) {
      bool transposes = strideOf(choice.scalar, choice.rowAxis) != 1;
      if (!choice.scalar.isConstant)
        estimate.overhead += double(m) * k * others * choice.groups * packCycles(transposes);
    } else if (hasRows) {
      int64_t usable =
          usableLines(bytesAlong(choice.scalar, choice.rowAxis), traits.l1Bytes, traits.l1Ways);
      if (choice.rows > usable)
        estimate.overhead += tiles * k * choice.rows * missed * kRowShare;
    }
    if (choice.packVector) {
      if (!choice.vector.isConstant)
        estimate.overhead += double(n) * k * others * packCycles(!contiguous) +
                             2 * vectorBytes * others / traits.l3BytesPerCycle + kLaunchCycles;
    } else {
      int64_t usable = usableLines(bytesAlong(choice.vector, inner), traits.l2Bytes, traits.l2Ways);
      // Or every step is on a page of its own, and there are more than a core keeps at hand.
      bool manyPages = k * bytesAlong(choice.vector, inner) > kPagesAtHand * kPage;
      if (k * choice.vectors > usable / 2 || manyPages)
        estimate.overhead += tiles * k * choice.vectors * missed * kVectorShare;
    }
    // Results that are not contiguous along the lanes are transposed on their way, a few elements
    // of a line at a time, or scattered.
    double results = double(m) * n * others;
    if (!isStoredAlong(choice.laneAxis)) {
      bool transposes = hasRows && isStoredAlong(choice.rowAxis);
      double lines = results / choice.rows * (1 + double(choice.rows * bytes) / traits.lineBytes);
      estimate.overhead += transposes ? results * packCycles(true) +
                                            2 * lines * traits.lineBytes / traits.l3BytesPerCycle
                                      : 2 * results;
    }
    // Among equals the tile that streams the fewest bytes.
    estimate.l1 = tiles * k * (choice.rows + choice.vectors * width) / traits.loadsPerCycle;
    estimate.overhead += estimate.l2 * kStreamShare;
    return true;
  }

  ScheduleAttr emit(const Choice &choice) {
    bool hasRows = choice.rowAxis != choice.laneAxis;
    ListBuilder list(kernel);
    SmallVector<StringAttr> rowParts, laneParts;
    SmallVector<std::pair<StringRef, int64_t>> inner;
    if (hasRows) {
      if (choice.block > 1)
        inner.push_back({"_b", choice.block});
      inner.push_back({"_r", choice.rows});
      rowParts = list.divide(choice.rowAxis, inner);
    }
    int64_t lanes = choice.vectors * traits.lanes;
    int64_t laneTiles = llvm::divideCeil(extent(choice.laneAxis), lanes);
    inner.clear();
    if (choice.groups > 1 && choice.groups < laneTiles)
      inner.push_back({"_b", int64_t(llvm::divideCeil(laneTiles, choice.groups))});
    inner.push_back({"_l", std::min(lanes, extent(choice.laneAxis))});
    laneParts = list.divide(choice.laneAxis, inner);

    for (unsigned axis : stored.set_bits())
      if (axis != choice.laneAxis && (!hasRows || axis != choice.rowAxis))
        list.grid.push_back(list.name(axis));
    bool lanesInGrid = choice.groups > 1 && laneParts.size() > 1;
    if (lanesInGrid)
      list.grid.push_back(laneParts.front());
    if (rowParts.size() > 1)
      list.grid.push_back(rowParts.front());
    llvm::append_range(list.order, ArrayRef(laneParts).drop_back().drop_front(lanesInGrid));
    llvm::append_range(
        list.order,
        ArrayRef(rowParts).drop_front(rowParts.size() > 1).drop_back(!rowParts.empty()));
    for (unsigned axis : reduced.set_bits())
      list.order.push_back(list.name(axis));
    if (hasRows)
      list.tile.push_back(rowParts.back());
    list.tile.push_back(laneParts.back());

    auto stage = [&](const Operand &operand, StringRef name, ArrayRef<StringAttr> parts,
                     bool global) {
      const llvm::SmallBitVector &axes = sets.of(operand.op->getResult(0));
      SmallVector<StringAttr> dims;
      if (global)
        for (unsigned axis : axes.set_bits())
          if (stored[axis] && axis != choice.laneAxis && axis != choice.rowAxis)
            dims.push_back(list.name(axis));
      llvm::append_range(dims, parts.drop_back());
      for (unsigned axis : reduced.set_bits())
        if (axes[axis])
          dims.push_back(list.name(axis));
      dims.push_back(parts.back());
      list.stage(operand.op, name, dims, global);
    };
    if (choice.packVector)
      stage(choice.vector, "vectors", laneParts, /*global=*/true);
    if (choice.packScalar && choice.scalar.isConstant)
      stage(choice.scalar, "scalars", rowParts, /*global=*/true);
    else if (choice.packScalar)
      stage(choice.scalar, "scalars", ArrayRef(rowParts).drop_front(rowParts.size() > 1),
            /*global=*/false);
    if (isStoredAlong(choice.laneAxis))
      for (int64_t result : findStreamedResults(kernel, traits))
        list.stream(result);
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeContraction(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  Contraction(kernel, traits).propose(candidates);
}
