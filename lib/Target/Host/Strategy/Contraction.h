// A product as the strategy for it sees it: what its candidates differ in, and what they cost.
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

  void propose(llvm::SmallVectorImpl<HostCandidate> &candidates);

private:
  /// What programs are cut by: row tiles first; or row tiles so that two threads end together; or
  /// lanes first, all rows together; or row tiles, and lanes so that partial sums stay in the
  /// second-level cache between blocks of a reduced axis.
  enum class Cut { Rows, Ends, Lanes, Sums };

  /// What the candidates differ in.
  struct Choice {
    const Operand *scalar, *vector;
    unsigned rowAxis, laneAxis;
    int64_t rows, vectors;
    /// Of a vector: all that a register has, or half of them.
    int64_t lanes;
    bool packScalar, packVector;
    /// Points of the deepest reduced axis that run inside, all or a block of them.
    int64_t depth;
    /// Row tiles of a program, and parts of the lanes' axis in the grid.
    int64_t block, groups;
    HostEstimate estimate;
  };

  double epilogueOps = 0;

  /// The reduced axis of most points, of which blocks may run inside.
  unsigned getDeepest() const;
  void enumerate(bool swapped, std::vector<Choice> &choices);
  /// Tiles of all columns in vectors of half a register, where an odd number of these holds them:
  /// the last whole vector would be half empty, and take as long.
  void enumerateHalves(Choice choice, std::vector<Choice> &choices);
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
    /// Points of a tile along the lanes' axis, tiles, and points of all other axes.
    int64_t lanes, rowTiles, laneTiles, others;
    /// Vectors lie in memory as they are loaded.
    bool contiguous;
  };
  Tiling getTiling(const Choice &choice);
  /// Bytes that are read of each operand.
  double getVectorBytes(const Choice &choice, const Tiling &tiling);
  double getScalarBytes(const Choice &choice, const Tiling &tiling);
  /// Fills in blocks and the estimate; false if the choice makes no sense.
  bool complete(Choice &choice, Cut cut);
  /// Fills in blocks; the parts of the lanes' axis that are wanted, or nothing if they make no
  /// sense.
  std::optional<int64_t> cutPrograms(Choice &choice, Cut cut, const Tiling &tiling);
  void estimateTiles(Choice &choice, const Tiling &tiling, int64_t parts);
  /// Adds what packing, lines that are not whole and results cost.
  void addOverheads(Choice &choice, const Tiling &tiling);

  // In ContractionCosts.cpp.

  /// Lines that so many rows at this distance can use of a cache, of the lines that it has. Where
  /// the distance is no multiple of a line, sets are met again a little further on each time round.
  int64_t usableLines(int64_t bytes, int64_t rows, int64_t cacheBytes, int64_t ways);
  /// Cycles of one core for memory beyond the second level, once for the scalars, and for the
  /// vectors as often as programs pass through them unless they stay near.
  double streamCycles(const Choice &choice, double vectorBytes, double scalarBytes,
                      int64_t programs, int64_t others, int64_t laneTiles);
  /// Cycles for panels that one thread fills and others read: lines go from core to core both
  /// times. Threads run neighbouring programs, so each has panels of its own where the grid begins
  /// with them; those of a group or two are shared.
  double sharingCycles(double vectorBytes, int64_t groups);
  /// Cycles for partial sums of tiles in the result, when a reduced axis runs in blocks.
  double blockingCycles(const Choice &choice, int64_t programs, double tiles);
  /// Cycles that reading the operands where they lie costs beyond the multiply-adds. A line that
  /// another one has pushed out comes again from the next level. Measured beside a micro-kernel
  /// that never waits: most of a row's misses hide behind its multiply-adds, those of the vectors
  /// do not.
  double collisionCycles(const Choice &choice, double tiles, bool fits);
  /// Cycles for rows of a cold constant where they lie: each of the tile's begins a line at the
  /// same step, and nothing fetches them ahead, as it would a panel, where a row ends before its
  /// page.
  double coldCycles(const Choice &choice, double scalarBytes);
  /// Lines of memory that points beside each other take.
  int64_t lines(int64_t points);

  // In ContractionSchedule.cpp.

  /// Whether the sums of a tile go through local memory, which the work on them reads row by row in
  /// a loop: unrolled over a tile of registers it would be more code than such a loop saves.
  bool stagesSums(const Choice &choice);
  /// Whether a result has room for each sum, and vectors of them lie there.
  bool canKeepInResult(unsigned laneAxis);
  /// Stages an operand, whose axes in the tile have these parts, as the deepest reduced one has.
  void stage(ListBuilder &list, const Choice &choice, const Operand &operand, llvm::StringRef name,
             llvm::ArrayRef<mlir::StringAttr> parts, llvm::ArrayRef<mlir::StringAttr> depthParts,
             int64_t passes, bool global);
  kernel::ScheduleAttr emit(const Choice &choice);
};

} // namespace tw::schedule::host
