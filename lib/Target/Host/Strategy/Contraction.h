// A product as the strategy for it sees it: what its candidates differ in.
#pragma once

#include "ListBuilder.h"
#include "Operands.h"
#include "Strategies.h"

#include <optional>
#include <vector>

namespace tw::schedule::host {

class Contraction : Operands {
public:
  using Operands::Operands;

  /// With `gathers` for products of which just one operand has to be packed.
  void propose(bool gathers, llvm::SmallVectorImpl<HostCandidate> &candidates);

private:
  /// What programs are cut by: row tiles first; or row tiles so that two threads end together; or
  /// lanes first, all rows together; or row tiles, and lanes so that partial sums stay in the
  /// second-level cache between blocks of a reduced axis.
  enum class Cut { Rows, Ends, Lanes, Sums };

  /// What the candidates differ in.
  struct Choice {
    const Operand *scalar, *vector;
    unsigned rowAxis, laneAxis;
    /// An axis that is in the tile whole, between rows and lanes, which its results lie between.
    std::optional<unsigned> besideAxis = std::nullopt;
    int64_t rows, vectors;
    /// Of a vector: all that a register has, or half of them.
    int64_t lanes;
    bool packScalar = false, packVector = false;
    /// The panel of the vectors holds what is loaded, which is converted at each use.
    bool packNarrow = false;
    /// Points of the deepest reduced axis that run inside, all or a block of them.
    int64_t depth;
    /// Row tiles of a program, and parts of the lanes' axis in the grid.
    int64_t block = 1, groups = 1;
    /// Panels of the vectors that are in a tile side by side.
    int64_t panels = 1;
    /// Cycles of the ports for a step of all tiles, and loads.
    double work = 0, loads = 0;

    bool canStayNarrow() const { return vector->isNarrow && vector->isConstant; }
  };

  double epilogueOps = 0;

  /// The reduced axis of most points, of which blocks may run inside.
  unsigned getDeepest() const;
  /// Shapes of tiles, the one or the other operand along the lanes.
  void enumerate(bool swapped, std::vector<Choice> &choices);
  void enumerateBeside(Choice choice, std::vector<Choice> &choices);
  void enumerateRows(Choice choice, int64_t vectors, int64_t rowExtent,
                     std::vector<Choice> &choices);
  /// What tiles of sums take to be stored, and what is read beside them, where rows and not lanes
  /// lie together in memory.
  double transposeCycles(const Choice &choice, int64_t rows, int64_t vectors);
  /// What ports and loads take for the tiles, the smaller ones at the ends among them.
  void countWork(Choice &choice);
  /// Proposes what is cheapest: with which panels, then how programs are cut, then whether the
  /// longest reduced axis runs in blocks.
  void decide(llvm::ArrayRef<Choice> shapes, llvm::StringRef name,
              llvm::SmallVectorImpl<HostCandidate> &candidates);
  /// The cheapest with panels of a narrow constant that stays narrow: conversions at each use, and
  /// fewer bytes, which decide where a call may have few rows. Looked for apart, since panels of
  /// what is converted may lose against none at all where memory is slow.
  llvm::SmallVector<Choice, 0> findNarrow(llvm::ArrayRef<Choice> shapes);
  /// Lane tiles of each of so many parts, or of a few more that come out even.
  static int64_t tilesOfPart(int64_t laneTiles, int64_t groups);
  /// What two threads wait for each other with such blocks and parts of the lanes' axis, as a share
  /// of half of one thread's time; a little is lost in what else differs between threads.
  double waiting(const Choice &choice, int64_t block, int64_t parts);
  /// Smaller blocks, and more parts of the lanes' axis, with which two threads end together as
  /// nearly as possible. False if there are none that are better.
  bool balance(Choice &choice, int64_t &groups, int64_t laneTiles);
  /// What follows from a choice.
  struct Tiling {
    bool hasRows;
    /// Points of the rows', the lanes' and the reduced axes.
    int64_t m, n, k;
    /// Points of a tile along the lanes' axis, tiles, and points of all other axes but the one
    /// beside, of that.
    int64_t lanes, rowTiles, laneTiles, others, beside;
    /// Vectors lie in memory as they are loaded.
    bool contiguous;
  };
  Tiling getTiling(const Choice &choice);
  bool canPack(const Choice &choice, const Tiling &tiling);
  /// The choice with its blocks; none if it makes no sense.
  std::optional<Choice> complete(Choice choice, Cut cut);
  /// The choice with so many packed panels side by side, which are as many places of memory that
  /// are read on from; none if there are no more registers, or panels are left over.
  std::optional<Choice> withPanels(Choice choice, int64_t panels);
  /// Fills in blocks and parts of the lanes' axis; false if they make no sense.
  bool cutPrograms(Choice &choice, Cut cut, const Tiling &tiling);

  // In ContractionSchedule.cpp.

  /// Whether the sums of a tile go through local memory, which the work on them reads row by row in
  /// a loop: unrolled over a tile of registers it would be more code than such a loop saves.
  bool stagesSums(const Choice &choice);
  /// Whether a result has room for each sum, and vectors of them lie there.
  bool canKeepInResult(unsigned laneAxis);
  /// Stages an operand, whose axes in the tile have these parts, as the deepest reduced one has.
  void stage(ListBuilder &list, const Choice &choice, const Operand &operand, llvm::StringRef name,
             llvm::ArrayRef<mlir::StringAttr> parts, llvm::ArrayRef<mlir::StringAttr> depthParts,
             int64_t passes, bool global, bool isNarrow = false);
  /// Fetches what is read beside the sums for the next tile of rows, while this one is summed: it
  /// is as large as a result, far away, and read once. False if there is nothing.
  bool fetchNextTile(ListBuilder &list, const Choice &choice);
  /// Writes results past the caches that nothing in the call reads, of a kernel that updates what
  /// came from afar.
  void streamLeaving(ListBuilder &list, const Choice &choice);
  kernel::ScheduleAttr emit(const Choice &choice);
};

} // namespace tw::schedule::host
