// The strategy for contractions of bf16 and of bytes on CPUs that have dot instructions.
//
// One operand of the contraction runs along vector lanes (the columns), the other is repeated in
// all lanes (the rows). Columns are cut into blocks, one a program; a program packs its block of
// the operand along the lanes, groups interleaved, and runs its rows over it. Rows whose groups do
// not lie together in memory are packed a tile at a time.
#include "Dots.h"

#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Rows that run through memory at once: more are more streams than are fetched ahead, and groups
/// that are repeated in all lanes for each of few vectors.
constexpr int64_t kMostRows = 14;
/// Cycles to move 32 bits that lie by themselves.
constexpr double kMoveCycles = 1.5;

/// What is expected of a choice while it is decided which to propose, in cycles of one core.
struct Estimate {
  double compute = 0, l1 = 0;
  /// What overlaps with nothing: packing, results.
  double overhead = 0;

  double cycles() const { return std::max(compute, l1) + overhead; }
};

class Dots : DotOperands {
public:
  using DotOperands::DotOperands;

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match())
      return;
    for (bool swapped : {false, true})
      enumerate(swapped, candidates);
    auto rank = [](const Choice &c) {
      return std::tuple(c.estimate.cycles(), c.vectors, -c.rows, c.packRows, c.packColumns);
    };
    keepBest(choices, rank);
    for (const Choice &choice : choices)
      candidates.push_back({"dots", emit(choice)});
  }

private:
  /// What the candidates differ in.
  struct Choice {
    LoadOp rowLoad, columnLoad;
    /// Whether panels of them are packed once for all calls.
    bool constantRows, constantColumns;
    std::optional<unsigned> row;
    unsigned column = 0, group = 0;
    int64_t rows, vectors;
    bool packRows, packColumns;
    /// Whether panels of columns reach to the end of the last tile, which is then as the others.
    bool padColumns;
    /// Tiles of columns in a block, and parts of the rows in the grid.
    int64_t block, rowBlocks;
    Estimate estimate;
  };

  int64_t steps = 1;
  std::vector<Choice> choices;

  /// Whether so few columns repay idle lanes: a dot of a group stands for more than a multiply-add,
  /// unless it is one of pairs.
  bool fillsLanes(int64_t columns) const {
    return columns * 2 * (isPaired() ? 1 : groupSize) > traits.lanes;
  }

  void enumerate(bool swapped, SmallVectorImpl<HostCandidate> &candidates) {
    Choice choice;
    choice.rowLoad = loads[swapped];
    choice.columnLoad = loads[!swapped];
    choice.constantRows = areConstant[swapped];
    choice.constantColumns = areConstant[!swapped];
    choice.row = ownAxes[swapped];
    std::optional<unsigned> column = ownAxes[!swapped];
    std::optional<unsigned> found = findGroup(choice.rowLoad, choice.columnLoad);
    // Results go to memory along one of the axes.
    if (!column || !found || !fillsLanes(extent(*column)) ||
        !(isStoredAlong(*column) || (choice.row && isStoredAlong(*choice.row))))
      return;
    choice.column = *column;
    choice.group = *found;
    steps = llvm::divideCeil(product.sets.points(product.reduced), groupSize);
    int64_t rowExtent = choice.row ? extent(*choice.row) : 1;
    if (rowExtent == 1 && strideOf(choice.columnLoad, choice.column) == 1 &&
        isStoredAlong(choice.column))
      proposeDotSweep({product, choice.columnLoad, choice.column, choice.group, groupSize}, traits,
                      candidates);
    for (int64_t vectors = 1; vectors <= traits.registers; ++vectors) {
      if (vectors > 1 && extent(choice.column) < (vectors - 1) * traits.lanes + 1)
        break;
      for (bool packColumns : {false, true})
        for (bool packRows : {false, true}) {
          // Interleaving takes registers of its own.
          int64_t held = traits.registers - 1 - (packColumns ? 0 : groupSize);
          if (isPaired())
            held -= 2 + vectors;
          // A single row's dots read each vector of a panel from memory themselves.
          bool isRow = vectors > traits.registers / 4;
          int64_t most = isRow ? int64_t(packColumns && vectors < held)
                               : std::min({rowExtent, held / vectors - 1, kMostRows});
          for (int64_t rows = most; rows >= 1 && rows * 2 > most; --rows) {
            choice.rows = rows;
            choice.vectors = vectors;
            choice.packColumns = packColumns;
            choice.packRows = packRows;
            for (bool padColumns : {false, true}) {
              choice.padColumns = padColumns;
              if (complete(choice))
                choices.push_back(choice);
            }
          }
        }
    }
  }

  /// Lines of the first cache that points at this distance can use.
  int64_t getUsableLines(LoadOp load, unsigned axis) {
    return countUsableLines(std::abs(strideOf(load, axis).value_or(1)) * (4 / groupSize), traits);
  }

  /// Cycles until a vector of groups is interleaved in registers, or fetched piece by piece.
  double getInterleaveCycles(const Choice &choice) {
    if (strideOf(choice.columnLoad, choice.column) == 1)
      return double(groupSize) / traits.loadsPerCycle + double(groupSize);
    bool together = strideOf(choice.columnLoad, choice.group) == 1;
    return double(traits.lanes) * kMoveCycles * (together ? 1 : double(groupSize));
  }

  /// What follows from a choice.
  struct Tiling {
    int64_t m, n, k;
    /// Points of a tile's columns, tiles, and those that are not the first ones.
    int64_t width, rowTiles, tiles;
    int64_t lastRows, lastLanes, lastVectors;
    /// The rows' groups lie together.
    bool together;
    /// Cycles for a vector of groups: interleaved, and packed; such vectors of all columns.
    double interleave, pack, columnVectors;
  };

  Tiling getTiling(const Choice &choice) {
    Tiling tiling;
    tiling.m = choice.row ? extent(*choice.row) : 1;
    tiling.n = extent(choice.column);
    tiling.k = product.sets.points(product.reduced);
    tiling.width = choice.vectors * traits.lanes;
    tiling.rowTiles = llvm::divideCeil(tiling.m, choice.rows);
    tiling.tiles = llvm::divideCeil(tiling.n, tiling.width);
    tiling.lastRows = tiling.m - (tiling.rowTiles - 1) * choice.rows;
    tiling.lastLanes =
        choice.padColumns ? tiling.width : tiling.n - (tiling.tiles - 1) * tiling.width;
    tiling.lastVectors = llvm::divideCeil(tiling.lastLanes, traits.lanes);
    tiling.together = strideOf(choice.rowLoad, choice.group) == 1;
    tiling.interleave = getInterleaveCycles(choice);
    tiling.pack = choice.constantColumns ? 0 : tiling.interleave + 1 / traits.storesPerCycle;
    tiling.columnVectors = double(llvm::divideCeil(tiling.n, traits.lanes)) * double(others);
    return tiling;
  }

  /// Fills in blocks and the estimate; false if the choice makes no sense.
  bool complete(Choice &choice) {
    Tiling tiling = getTiling(choice);
    // A panel of all columns ends with zeros rather than inside of a vector.
    if (!choice.padColumns && choice.packColumns && isStoredAlong(choice.column) &&
        tiling.n < tiling.width)
      return false;
    if (choice.padColumns &&
        (tiling.n % tiling.width == 0 || !choice.packColumns || !isStoredAlong(choice.column)))
      return false;
    if ((choice.packColumns && !choice.constantColumns && tiling.rowTiles < 2 &&
         strideOf(choice.columnLoad, choice.column) == 1) ||
        (choice.packRows && !choice.row) || (!choice.packRows && !tiling.together))
      return false;
    cutPrograms(choice, tiling);
    estimateTiles(choice, tiling);
    addPacking(choice, tiling);
    addRests(choice, tiling);
    return true;
  }

  /// A program's panel takes half of the second cache, and there are programs for several threads;
  /// rows are cut too where that repeats little packing.
  void cutPrograms(Choice &choice, const Tiling &tiling) {
    int64_t fits = std::max<int64_t>(1, traits.l2Bytes / 2 / (4 * tiling.width * steps));
    int64_t spread = std::max<int64_t>(1, tiling.tiles * others / programsFor(traits));
    int64_t most = std::min({fits, spread, tiling.tiles});
    choice.block = shareEvenly(tiling.tiles, most);
    while (choice.padColumns && tiling.tiles % choice.block != 0)
      --choice.block;
    int64_t blocks = llvm::divideCeil(tiling.tiles, choice.block);
    constexpr int64_t kPackShare = 16;
    int64_t leastRows = std::max(4 * choice.rows, int64_t(kPackShare * tiling.pack));
    choice.rowBlocks = std::clamp<int64_t>(
        std::min<int64_t>(llvm::divideCeil(programsFor(traits), blocks * others),
                          tiling.m / leastRows),
        1, tiling.rowTiles);
  }

  /// Dots of whole and last tiles, what feeds them, and their results.
  void estimateTiles(Choice &choice, const Tiling &tiling) {
    Estimate &estimate = choice.estimate;
    estimate = {};
    double perCycle = groupSize == 2 ? traits.bf16DotPerCycle : traits.int8DotPerCycle;
    // A dot takes longer than a multiply-add: fewer sums than it has cycles leave units idle.
    double latency = double(traits.fmaLatency + 2);
    // A panel that leaves room for rows in the first cache stays there.
    bool streams = !choice.packColumns || 4 * tiling.width * steps > traits.l1Bytes / 2;
    double streamShare = streams ? 0.5 : 0;
    double vectorCycles = double(traits.lanes * 4) / traits.l2BytesPerCycle;
    double lineCycles = double(traits.lineBytes) / traits.l2BytesPerCycle;
    bool collides =
        choice.row && !choice.packRows && choice.rows > getUsableLines(choice.rowLoad, *choice.row);
    // Results of a tile hide behind the products of the next as far as a core looks ahead.
    for (auto [r, countRows] :
         {std::pair(choice.rows, tiling.rowTiles - 1), std::pair(tiling.lastRows, int64_t(1))})
      for (auto [v, countColumns] : {std::pair(choice.vectors, tiling.tiles - 1),
                                     std::pair(tiling.lastVectors, int64_t(1))}) {
        double count = double(countRows) * double(countColumns) * double(others) * double(steps);
        // Two products of pairs and their sums, and three instructions that make two halves.
        double dots = isPaired() ? double(4 * r * v + 3 * (r + v)) / traits.fmaPerCycle
                                 : double(r * v) / perCycle;
        estimate.compute += count * std::max(dots, latency);
        estimate.l1 += count * double(r + v) / traits.loadsPerCycle;
        estimate.overhead += count * streamShare *
                             (double(v) * vectorCycles + (collides ? double(r) * lineCycles : 0));
        if (!choice.packColumns)
          estimate.overhead += count * double(v) * tiling.interleave;
        double instructions = double(steps * (r * v + (r == 1 || v == 1 ? 1 : r + v)));
        estimate.overhead += count / double(steps) * double(r * v) / traits.storesPerCycle *
                             std::min(1.0, instructions / traits.instructionsAhead);
      }
    // Of equal tiles the one that loads least.
    constexpr double kLoadShare = 0.03;
    estimate.overhead += kLoadShare * estimate.l1;
    // A column or two by themselves are computed without dots.
    constexpr double kFewCycles = 1;
    if (tiling.lastLanes <= 2)
      estimate.compute += double(tiling.m * steps * others * groupSize) * kFewCycles;
  }

  void addPacking(Choice &choice, const Tiling &tiling) {
    Estimate &estimate = choice.estimate;
    if (choice.packColumns)
      estimate.overhead += tiling.columnVectors * double(steps * choice.rowBlocks) * tiling.pack;
    // Rows of columns that push each other out of the first cache are fetched again for every tile
    // that takes a part of their lines; nothing fetches them ahead.
    if (choice.packColumns && !choice.constantColumns &&
        strideOf(choice.columnLoad, choice.column) == 1 &&
        tiling.k > getUsableLines(choice.columnLoad, choice.group)) {
      int64_t lines = llvm::divideCeil(tiling.width * 4 / groupSize, traits.lineBytes);
      estimate.overhead +=
          double(tiling.k * tiling.tiles * lines * choice.rowBlocks * others) * traits.l2Latency;
    }
    if (choice.packRows && !choice.constantRows) {
      bool along = strideOf(choice.rowLoad, *choice.row) == 1;
      double vectors = double(llvm::divideCeil(choice.rows, traits.lanes)) / double(choice.rows);
      double each =
          along
              ? vectors * (2 * double(groupSize) / traits.loadsPerCycle + 2 / traits.storesPerCycle)
              : kMoveCycles * (tiling.together ? 1 : double(groupSize));
      int64_t blocks = llvm::divideCeil(tiling.tiles, choice.block);
      estimate.overhead += double(tiling.m * steps * blocks * others) * each;
    }
  }

  void addRests(Choice &choice, const Tiling &tiling) {
    // What is left of a group is put together for each row of a tile, and in registers for columns.
    int64_t left = extent(choice.group) % groupSize;
    if (left != 0 && !(choice.packRows && choice.packColumns)) {
      double times = double(tiling.k / extent(choice.group)) * double(tiling.rowTiles);
      double fetch = choice.packColumns ? 0 : 2 * double(left);
      choice.estimate.overhead +=
          times * (fetch * tiling.columnVectors +
                   double(choice.rows * tiling.tiles * others) * double(left + 1) * kMoveCycles);
    }
    // Results along the rows are transposed on their way.
    if (!isStoredAlong(choice.column))
      choice.estimate.overhead += double(tiling.m * tiling.n * others) *
                                  (std::log2(double(traits.lanes)) + 4) / double(traits.lanes);
  }

  /// Adds the dimensions of a panel that are in the grid, for one that is for all programs.
  void addBatch(const ListBuilder &list, const Choice &choice, LoadOp load,
                SmallVectorImpl<StringAttr> &panel) {
    for (unsigned axis : product.stored.set_bits())
      if (axis != choice.column && axis != choice.row && product.sets.of(load.getResult())[axis])
        panel.push_back(list.name(axis));
  }

  /// Adds those that are loops over what is reduced.
  void addReduced(const ListBuilder &list, const Choice &choice, LoadOp load,
                  ArrayRef<StringAttr> groups, SmallVectorImpl<StringAttr> &panel) {
    const llvm::SmallBitVector &axes = product.sets.of(load.getResult());
    for (unsigned axis : product.reduced.set_bits())
      if (axis != choice.group && axes[axis])
        panel.push_back(list.name(axis));
    if (groups.size() > 1)
      panel.push_back(groups.front());
  }

  /// Packs the operands: the dimensions of a panel are those of the grid if it is for all programs,
  /// loops over what is reduced, then the tile's.
  void stageOperands(ListBuilder &list, const Choice &choice, ArrayRef<StringAttr> groups,
                     ArrayRef<StringAttr> columns, ArrayRef<StringAttr> rows) {
    if (choice.packColumns) {
      bool global = choice.constantColumns;
      SmallVector<StringAttr> panel;
      if (global)
        addBatch(list, choice, choice.columnLoad, panel);
      llvm::append_range(panel, columns.drop_back().drop_front(!global && columns.size() > 1));
      addReduced(list, choice, choice.columnLoad, groups, panel);
      panel.append({columns.back(), groups.back()});
      list.stage(choice.columnLoad, "columns", panel, global);
    }
    if (choice.packRows) {
      bool global = choice.constantRows;
      SmallVector<StringAttr> panel;
      if (global) {
        addBatch(list, choice, choice.rowLoad, panel);
        llvm::append_range(panel, rows.drop_back());
      }
      addReduced(list, choice, choice.rowLoad, groups, panel);
      panel.append({rows.back(), groups.back()});
      list.stage(choice.rowLoad, "rows", panel, global, /*window=*/false,
                 !global && rows.size() > 1 ? rows[rows.size() - 2] : StringAttr());
    }
  }

  ScheduleAttr emit(const Choice &choice) {
    ListBuilder list(kernel);
    SmallVector<StringAttr> reducedLoops;
    bool filled = choice.packRows && choice.packColumns;
    SmallVector<StringAttr> groups =
        list.divide(choice.group, {{"_i", groupSize}}, filled ? EdgeMode::Pad : EdgeMode::Peel);
    for (unsigned axis : product.reduced.set_bits())
      if (axis != choice.group)
        reducedLoops.push_back(list.name(axis));
    if (groups.size() > 1)
      reducedLoops.push_back(groups.front());

    int64_t width = choice.vectors * traits.lanes;
    if (!choice.padColumns)
      width = std::min(width, extent(choice.column));
    SmallVector<std::pair<StringRef, int64_t>> inner;
    if (choice.block > 1)
      inner.push_back({"_m", choice.block});
    inner.push_back({"_i", width});
    SmallVector<StringAttr> columns =
        list.divide(choice.column, inner, choice.padColumns ? EdgeMode::Pad : EdgeMode::Peel);
    SmallVector<StringAttr> rows;
    if (choice.row) {
      int64_t rowTiles = llvm::divideCeil(extent(*choice.row), choice.rows);
      inner.clear();
      if (choice.rowBlocks > 1)
        inner.push_back({"_m", int64_t(llvm::divideCeil(rowTiles, choice.rowBlocks))});
      inner.push_back({"_i", choice.rows});
      rows = list.divide(*choice.row, inner);
    }

    for (unsigned axis : product.stored.set_bits())
      if (axis != choice.column && axis != choice.row)
        list.grid.push_back(list.name(axis));
    if (columns.size() > 1)
      list.grid.push_back(columns.front());
    if (rows.size() > 2)
      list.grid.push_back(rows.front());
    if (rows.size() > 1)
      list.order.push_back(rows[rows.size() - 2]);
    if (columns.size() > 2)
      list.order.push_back(columns[1]);
    list.order.append(reducedLoops);
    list.tile.push_back(groups.back());
    if (!rows.empty())
      list.tile.push_back(rows.back());
    list.tile.push_back(columns.back());

    stageOperands(list, choice, groups, columns, rows);
    list.contract(groups.back());
    // A loop of two steps is made a choice of two by the code generator, with registers for both.
    if (groups.size() > 1 && llvm::divideCeil(extent(choice.group), groupSize) == 2)
      list.unroll(groups.front());
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeDots(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  Dots(kernel, traits).propose(candidates);
}
