// The strategy for contractions of bf16 and of bytes on CPUs that have dot instructions.
//
// One operand of the contraction runs along vector lanes (the columns), the other is repeated in
// all lanes (the rows). Columns are cut into blocks, one a program; a program packs its block of
// the operand along the lanes, groups interleaved, and runs its rows over it. Rows whose groups do
// not lie together in memory are packed a tile at a time.
#include "Dots.h"

#include "Accesses.h"
#include "Balance.h"
#include "Blocks.h"
#include "Cheapest.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/Instance.h"

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
/// Shapes of tiles that are priced before all whose dots could be cheaper, and choices that a
/// decision leaves to the next one.
constexpr size_t kFirst = 8, kDotsKept = 4;

class Dots : DotOperands {
public:
  using DotOperands::DotOperands;

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match())
      return;
    std::vector<Choice> shapes;
    for (bool swapped : {false, true})
      proposeAlong(swapped, candidates);
    for (bool swapped : {false, true})
      for (bool packColumns : {false, true})
        if (std::optional<Choice> sides = chooseSides(swapped, packColumns, candidates))
          enumerate(*sides, shapes);
    keepBest(
        shapes, [](const Choice &choice) { return choice.dots; }, shapes.size());
    decide(shapes, candidates);
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
    /// Whether a matrix unit takes its tiles (Blocks.h).
    bool inBlocks = false;
    bool packRows = false, packColumns = false;
    /// Whether panels of columns reach to the end of the last tile, which is then as the others.
    bool padColumns = false;
    /// Tiles of columns in a block, and parts of the rows in the grid.
    int64_t block = 1, rowBlocks = 1;
    /// Groups in a block of the sum, whose parts wait in local memory, and whether a program runs
    /// all its rows over a block before the next one; 0: sums are taken whole.
    int64_t sumBlock = 0;
    bool sumOutside = false;
    /// Cycles of the dots of all tiles, which no list of them is faster than on one thread.
    double dots = 0;
  };

  int64_t steps = 1;

  /// Whether so few columns repay idle lanes: a dot of a group stands for more than a multiply-add,
  /// unless it is one of pairs.
  bool fillsLanes(int64_t columns) const {
    return columns * 2 * (isPaired() ? 1 : groupSize) > traits.lanes;
  }

  /// Few rows by rows of another matrix, both contiguous along what is summed: that has the lanes,
  /// and those of as many sums as a vector has lanes are combined together.
  void proposeAlong(bool swapped, SmallVectorImpl<HostCandidate> &candidates) {
    LoadOp rowLoad = loads[swapped], columnLoad = loads[!swapped];
    std::optional<unsigned> row = ownAxes[swapped], column = ownAxes[!swapped];
    std::optional<unsigned> group = findGroup(rowLoad, columnLoad);
    if (!column || !group || isPaired() || product.reduced.count() != 1 ||
        strideOf(rowLoad, *group) != 1 || strideOf(columnLoad, *group) != 1 ||
        extent(*group) % (traits.lanes * groupSize) != 0)
      return;
    int64_t rows = std::min<int64_t>(row ? extent(*row) : 1, 4), columns = traits.lanes / rows;
    if ((row && extent(*row) > rows) || extent(*column) < columns ||
        rows * columns + columns + 2 > traits.registers)
      return;
    ListBuilder list(kernel);
    SmallVector<StringAttr> sums = list.divide(*group, {{"_l", traits.lanes}, {"_i", groupSize}});
    int64_t tiles = llvm::divideCeil(extent(*column), columns);
    int64_t block = std::max<int64_t>(1, tiles * others / programsFor(traits));
    SmallVector<std::pair<StringRef, int64_t>> inner{{"_r", columns}};
    if (block > 1 && block < tiles)
      inner.insert(inner.begin(), {"_b", block});
    SmallVector<StringAttr> parts = list.divide(*column, inner);
    for (unsigned axis : product.stored.set_bits())
      if (axis != *column && axis != row)
        list.grid.push_back(list.name(axis));
    bool isCut = parts.size() > 1 && block < tiles;
    if (isCut)
      list.grid.push_back(parts.front());
    llvm::append_range(list.order, ArrayRef(parts).drop_back().drop_front(isCut));
    llvm::append_range(list.order, ArrayRef(sums).drop_back(2));
    list.tile.push_back(sums.back());
    if (row)
      list.tile.push_back(list.name(*row));
    list.tile.append({parts.back(), sums[sums.size() - 2]});
    list.contract(sums.back());
    candidates.push_back({"dots", list.finish()});
  }

  /// Which operand runs along the lanes; none if it cannot.
  std::optional<Choice> chooseSides(bool swapped, bool packColumns,
                                    SmallVectorImpl<HostCandidate> &candidates) {
    Choice choice;
    choice.rowLoad = loads[swapped];
    choice.columnLoad = loads[!swapped];
    choice.constantRows = areConstant[swapped];
    choice.constantColumns = areConstant[!swapped];
    choice.row = ownAxes[swapped];
    choice.packColumns = packColumns;
    std::optional<unsigned> column = ownAxes[!swapped];
    std::optional<unsigned> found = findGroup(choice.rowLoad, choice.columnLoad);
    // Results go to memory along one of the axes.
    if (!column || !found || !fillsLanes(extent(*column)) ||
        !(isStoredAlong(*column) || (choice.row && isStoredAlong(*choice.row))))
      return std::nullopt;
    choice.column = *column;
    choice.group = *found;
    choice.packRows = strideOf(choice.rowLoad, choice.group) != 1;
    steps = llvm::divideCeil(product.sets.points(product.reduced), groupSize);
    if (!packColumns && (!choice.row || extent(*choice.row) == 1) &&
        strideOf(choice.columnLoad, choice.column) == 1 && isStoredAlong(choice.column))
      proposeDotSweep({product, choice.columnLoad, choice.column, choice.group, groupSize}, traits,
                      candidates);
    return choice;
  }

  /// Whether what is left of a sum behind its whole groups, which is not made of dots, is a good
  /// part of it.
  bool endsInPart(const Choice &choice) const {
    constexpr int64_t kFewGroups = 16;
    return extent(choice.group) % groupSize != 0 && extent(choice.group) < kFewGroups * groupSize;
  }

  /// Tiles of blocks of a matrix unit: as many as its registers hold beside what is multiplied.
  /// Constants from memory are columns: as rows they are as many streams as a tile has, of a line
  /// each in turn, and one as a panel.
  void enumerateBlocks(Choice choice, std::vector<Choice> &choices) {
    if (choice.constantRows && comesFromMemory(kernel, choice.rowLoad, traits))
      return;
    choice.inBlocks = true;
    int64_t rowExtent = choice.row ? extent(*choice.row) : 1, side = traits.blockRows;
    for (choice.vectors = 1; choice.vectors < traits.blockRegisters; ++choice.vectors) {
      if (choice.vectors > 1 && extent(choice.column) <= (choice.vectors - 1) * side)
        break;
      for (int64_t blocks = 1;
           blocks * choice.vectors + blocks + choice.vectors <= traits.blockRegisters; ++blocks) {
        choice.rows = std::min(rowExtent, blocks * side);
        if (choice.rows < kFewestBlockRows || choice.rows <= (blocks - 1) * side)
          break;
        choice.dots = countDots(choice);
        choices.push_back(choice);
      }
    }
  }

  /// Shapes of tiles.
  void enumerate(Choice choice, std::vector<Choice> &choices) {
    if (choice.packColumns && hasBlocks(product.contract, traits))
      enumerateBlocks(choice, choices);
    int64_t rowExtent = choice.row ? extent(*choice.row) : 1;
    for (choice.vectors = 1; choice.vectors <= traits.registers; ++choice.vectors) {
      if (choice.vectors > 1 && extent(choice.column) < (choice.vectors - 1) * traits.lanes + 1)
        break;
      // Interleaving takes registers of its own.
      int64_t held = traits.registers - 1 - (choice.packColumns ? 0 : groupSize);
      if (isPaired())
        held -= 2 + choice.vectors;
      // A single row's dots read each vector of a panel from memory themselves.
      bool isRow = choice.vectors > traits.registers / 4;
      int64_t most = isRow ? int64_t(choice.packColumns && choice.vectors < held)
                           : std::min({rowExtent, held / choice.vectors - 1, kMostRows});
      for (choice.rows = most; choice.rows >= 1 && choice.rows * 2 > most; --choice.rows) {
        choice.dots = countDots(choice);
        choices.push_back(choice);
      }
    }
  }

  /// Proposes what is cheapest: with which panels, then whether these are padded, then how rows are
  /// cut.
  void decide(ArrayRef<Choice> shapes, SmallVectorImpl<HostCandidate> &candidates) {
    auto write = [&](const Choice &choice) { return emit(choice); };
    Cheapest<Choice> cheapest(kernel, traits, write);
    auto add = [&](Choice choice) {
      // Panels that end with zeros are the only ones where columns are fewer than a tile's, and
      // fill the last group where both operands have them. A matrix unit reads rows of a number
      // that a call settles from panels alone.
      bool isInPart = choice.inBlocks && choice.row && isSettled(kernel, *choice.row);
      for (bool packRows : {choice.packRows, choice.packRows || isInPart || endsInPart(choice)})
        for (bool padColumns : {false, true}) {
          choice.packRows = packRows;
          choice.padColumns = padColumns;
          if (complete(choice))
            cheapest.add(choice);
        }
    };
    llvm::for_each(shapes.take_front(kFirst), add);
    cheapest.keep(kDotsKept);
    double least = cheapest.getLeast() * double(traits.threads);
    for (const Choice &choice : shapes.drop_front(std::min(kFirst, shapes.size())))
      if (choice.dots < least)
        add(choice);
    cheapest.keep(kDotsKept);
    for (Choice choice : cheapest.get()) {
      choice.packRows = true;
      if (complete(choice))
        cheapest.add(choice);
    }
    cheapest.keep(kDotsKept);
    // Where blocks of columns are too few for the threads: rows in parts, each of which packs.
    for (Choice choice : cheapest.get()) {
      Tiling tiling = getTiling(choice);
      int64_t blocks = llvm::divideCeil(tiling.tiles, choice.block) * others;
      choice.rowBlocks =
          std::min<int64_t>(llvm::divideCeil(programsFor(traits), blocks), tiling.rowTiles);
      cheapest.add(choice);
    }
    cheapest.keep(2 * kDotsKept);
    for (const Choice &choice : cheapest.get())
      addSumBlocks(choice, cheapest);
    cheapest.keep(2 * kDotsKept);
    cheapest.propose("dots", candidates);
  }

  /// Long sums in parts: rows of a tile of a matrix unit then stay in the first cache while all
  /// columns pass them, and a panel that stays in the second one has more columns.
  void addSumBlocks(Choice choice, Cheapest<Choice> &cheapest) {
    if (!choice.inBlocks || product.reduced.count() != 1 || extent(choice.group) % groupSize != 0)
      return;
    constexpr int64_t kGroupBytes = 4;
    // A step of the unit takes as many groups as a block has rows.
    int64_t side = traits.blockRows, unitSteps = steps / side;
    if (steps % side != 0)
      return;
    int64_t fits = std::max<int64_t>(1, traits.l1Bytes / (choice.rows * kGroupBytes * side));
    for (int64_t most = fits; most < unitSteps; most *= 2) {
      int64_t each = findEven(unitSteps, most);
      if (unitSteps % each != 0)
        continue;
      choice.sumBlock = each * side;
      for (bool isOutside : {false, true}) {
        choice.sumOutside = isOutside;
        if (complete(choice))
          cheapest.add(choice);
      }
    }
  }

  /// What follows from a choice.
  struct Tiling {
    int64_t m, n;
    /// Points of a tile's columns, and tiles.
    int64_t width, rowTiles, tiles;
  };

  Tiling getTiling(const Choice &choice) {
    Tiling tiling;
    tiling.m = choice.row ? extent(*choice.row) : 1;
    tiling.n = extent(choice.column);
    tiling.width = choice.vectors * traits.lanes;
    tiling.rowTiles = llvm::divideCeil(tiling.m, choice.rows);
    tiling.tiles = llvm::divideCeil(tiling.n, tiling.width);
    return tiling;
  }

  /// Fills in blocks; false if the choice makes no sense.
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
        (choice.packRows && !choice.row) ||
        (!choice.packRows && strideOf(choice.rowLoad, choice.group) != 1))
      return false;
    // A program's panel takes half of the second cache, and there are programs for all threads.
    int64_t depth = choice.sumBlock ? choice.sumBlock : steps;
    int64_t fits = std::max<int64_t>(1, traits.l2Bytes / 2 / (4 * tiling.width * depth));
    int64_t spread = std::max<int64_t>(1, tiling.tiles * others / programsFor(traits));
    choice.block = shareEvenly(tiling.tiles, std::min({fits, spread, tiling.tiles}));
    while (choice.padColumns && tiling.tiles % choice.block != 0)
      --choice.block;
    // Partial sums of all rows wait in the second cache, too.
    return !choice.sumBlock || 4 * tiling.m * choice.block * tiling.width <= traits.l2Bytes;
  }

  /// Cycles of the dots of whole and last tiles.
  double countDots(const Choice &choice) {
    Tiling tiling = getTiling(choice);
    double dots = 0;
    for (auto [rows, rowCount] : wholeAndLast(tiling.m, choice.rows))
      for (auto [wide, columnCount] : wholeAndLast(tiling.n, tiling.width))
        dots += double(rowCount * columnCount) *
                (choice.inBlocks ? blockCycles(rows, wide, traits) / double(traits.blockRows)
                                 : productCycles(rows, llvm::divideCeil(wide, traits.lanes),
                                                 groupSize, traits));
    return dots * double(steps * others);
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
      panel.push_back(groups[groups.size() - 2]);
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
      ArrayRef<StringAttr> outer = columns.drop_back();
      if (global && !outer.empty())
        panel.push_back(outer.front());
      // A program reads its blocks of the sum one after another.
      if (choice.sumBlock && (global || !choice.sumOutside))
        panel.push_back(groups.front());
      llvm::append_range(panel, outer.drop_front(!outer.empty()));
      addReduced(list, choice, choice.columnLoad, groups, panel);
      panel.append({columns.back(), groups.back()});
      list.stage(choice.columnLoad, "columns", panel, global, /*window=*/false,
                 !global && choice.sumOutside ? groups.front() : StringAttr());
      // Of many rows all but the first find the panel in a cache.
      int64_t ahead =
          global && getTiling(choice).rowTiles == 1
              ? product.getFetchedAhead(choice.columnLoad, choice.columnLoad, /*passes=*/1, traits)
              : 0;
      if (ahead)
        list.prefetch(choice.columnLoad, ahead);
    }
    if (choice.packRows) {
      bool global = choice.constantRows;
      SmallVector<StringAttr> panel;
      if (global) {
        addBatch(list, choice, choice.rowLoad, panel);
        llvm::append_range(panel, rows.drop_back());
        if (choice.sumBlock)
          panel.push_back(groups.front());
      }
      // A matrix unit's rows are those of a group, others follow it.
      addReduced(list, choice, choice.rowLoad, choice.inBlocks ? groups.take_back() : groups,
                 panel);
      panel.push_back(rows.back());
      if (choice.inBlocks)
        llvm::append_range(panel, groups.drop_front(choice.sumBlock ? 1 : 0));
      else
        panel.push_back(groups.back());
      StringAttr loop;
      if (!global && choice.sumBlock && !choice.sumOutside)
        loop = groups.front();
      else if (!global && rows.size() > 1)
        loop = rows[rows.size() - 2];
      list.stage(choice.rowLoad, "rows", panel, global, /*window=*/false, loop);
    }
  }

  ScheduleAttr emit(const Choice &choice) {
    ListBuilder list(kernel);
    SmallVector<StringAttr> reducedLoops;
    bool filled = choice.packRows && choice.packColumns;
    SmallVector<std::pair<StringRef, int64_t>> inner{{"_i", groupSize}};
    if (choice.sumBlock)
      inner.insert(inner.begin(), {"_m", choice.sumBlock});
    SmallVector<StringAttr> groups =
        list.divide(choice.group, inner, filled ? EdgeMode::Pad : EdgeMode::Peel);
    for (unsigned axis : product.reduced.set_bits())
      if (axis != choice.group)
        reducedLoops.push_back(list.name(axis));
    if (groups.size() > 1)
      reducedLoops.push_back(groups[groups.size() - 2]);

    int64_t width = choice.vectors * traits.lanes;
    if (!choice.padColumns)
      width = std::min(width, extent(choice.column));
    inner.clear();
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
    if (choice.sumOutside)
      list.order.push_back(groups.front());
    if (rows.size() > 1)
      list.order.push_back(rows[rows.size() - 2]);
    if (choice.sumBlock && !choice.sumOutside)
      list.order.push_back(groups.front());
    if (columns.size() > 2)
      list.order.push_back(columns[1]);
    list.order.append(reducedLoops);
    list.tile.push_back(groups.back());
    if (!rows.empty())
      list.tile.push_back(rows.back());
    list.tile.push_back(columns.back());

    stageOperands(list, choice, groups, columns, rows);
    list.contract(groups.back());
    if (choice.sumBlock)
      list.keep(product.contract, KeepPlace::Local, "sum");
    // A loop of two steps is made a choice of two by the code generator, with registers for both.
    if (!choice.inBlocks && groups.size() > 1 &&
        llvm::divideCeil(extent(choice.group), groupSize) == 2)
      list.unroll(groups.front());
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeDots(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  Dots(kernel, traits).propose(candidates);
}
