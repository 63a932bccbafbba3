// What the nodes of a loop tree touch of memory, inside of each loop around them.
#pragma once

#include "Guards.h"

#include "tw/Schedule/LoopTree.h"
#include "tw/Target/Host/HostTraits.h"

namespace tw::schedule::host {

/// A loop around an access: a leaf of the grid, or a loop of the tree.
struct Level {
  unsigned number; ///< among all of the tree
  unsigned leaf;
  double trips;
};

/// A node that reads or writes memory.
struct Touch {
  /// Of a tensor, its dimensions; of a buffer, none.
  struct Dim {
    int64_t size;
    /// Elements from one point of an axis to the next; by axes.
    llvm::SmallVector<std::pair<unsigned, int64_t>> slopes;
  };
  const void *memory; ///< what it is a part of: an op of the kernel, or an Alloc
  llvm::SmallVector<Dim> dims;
  bool isLinear = true, isStore = false;
  /// The leaf along the last dimension of a buffer that is filled point by point.
  std::optional<unsigned> innermost;
  bool isStreamed = false; ///< past the caches
  bool isFar = false;      ///< comes from memory, see comesFromMemory
  bool isFetched = false;  ///< ahead, by an instruction
  double elementBytes = 4, wholeBytes = 0;
  /// Leaves that the coordinates depend on.
  llvm::SmallBitVector leaves;
  llvm::SmallVector<Level> path; ///< outermost first
  /// Bytes of whole lines that are touched inside of so many loops of the path, from none on.
  llvm::SmallVector<double> footprints;
  /// Points of each leaf in the tile.
  llvm::SmallVector<int64_t> tile;
  /// Of a linear one, points of each axis that the loops from a depth on cover, one depth after
  /// another.
  llvm::SmallVector<int64_t, 0> points;
  double times = 1;  ///< share of the iterations that run it
  unsigned side = 0; ///< of a branch, of which it is the only one that runs; 0: outside of all
  /// Contiguous bytes that are accessed before it moves elsewhere.
  double runBytes = 1;
  /// Places that the tile reads on from in turn.
  double places = 1;
  /// Lines that an instruction fetches ahead and nobody reads, for one that is read.
  double inVain = 0;
  /// Iterations of the innermost loop that one access stands for: of a matrix unit's steps.
  double iterations = 1;
};

/// One of the two of a branch, in a side of another one or in none, 0. Numbers begin with 1, each
/// behind that of the side around it.
struct Side {
  unsigned around, branch;
};

struct Cache {
  int64_t bytes, ways; ///< 0 ways: a line lies anywhere
};

class Touches {
public:
  /// Finds what the tree touches; footprints are filled.
  Touches(const LoopTree &tree, const HostTraits &traits);

  static double elementBytesOf(mlir::Type type);

  static double bytesOf(mlir::RankedTensorType type);

  /// Pages that the loops from `depth` on touch.
  double pagesOf(const Touch &touch, unsigned depth) const;

  /// Contiguous bytes that are accessed while no more than so many other places are, in turn: from
  /// the tile outwards, loops that go on where the last iteration ended make a run longer.
  double runOf(const Touch &touch, double mostStreams) const;

  /// Finds the places that a tile reads on from, and what a load that fetches so many elements
  /// ahead fetches in vain.
  void followLines(Touch &touch, kernel::LoadOp load, int64_t ahead) const;

  /// The part of a cache that rows take which lie a power of two apart, in bytes of the whole: they
  /// fall into the same sets, and no more of them stay than these have ways.
  double occupied(const Touch &touch, unsigned depth, const Cache &cache) const;

  /// Loops of the tree; numbers of levels begin behind 0, which stands for the whole.
  unsigned getNumLoops() const { return loops; }

  /// The sides of branches, that of number 1 first.
  llvm::ArrayRef<Side> getSides() const { return sides; }

  std::vector<Touch> all;

private:
  void enter(unsigned leaf, double trips);

  void visit(const Block &block, double times);

  void add(const Node &node, double times);

  Touch &start(const Node &node, double times);

  void addTensor(const Node &node, double times, mlir::Type of, mlir::AffineMap map,
                 mlir::ValueRange indices, bool isStore);

  /// So many dimensions of a tensor as one; nothing if that is not linear in an axis.
  std::optional<Touch::Dim> findDim(mlir::RankedTensorType type, mlir::AffineMap map,
                                    mlir::ValueRange indices, unsigned first, unsigned count);

  /// Whether a store goes past the caches: the list says so, and every part of a row begins at a
  /// multiple of its size.
  bool isStreamed(const Node &node, kernel::StoreOp store, const Touch &touch);

  void addBuffer(const Node &node, double times, bool isStore);

  Touch::Dim getBoxDim(const WindowDim &dim) const;

  /// Points of a leaf that the loops from `depth` of its path on cover.
  double pointsOf(const Touch &touch, unsigned leaf, unsigned depth) const;

  int64_t pointsOfAxis(const Touch &touch, unsigned axis, unsigned depth) const {
    return touch.points[depth * numAxes + axis];
  }
  void countPoints(Touch &touch) const;

  /// How many bytes of a buffer's lines are touched for one that is used: the end of an axis may
  /// leave most of each row empty.
  double spreadOf(const Touch &touch, unsigned depth) const;

  /// Whether all rows of a tensor begin at the same place of a line.
  bool startsAtLines(const Touch &touch) const;

  /// Bytes of whole lines that the loops from `depth` on touch: rows that begin anywhere in a line
  /// reach into one more by as much of it as they are long, and those that follow each other share
  /// lines.
  double footprint(const Touch &touch, unsigned depth) const;

  const LoopTree &tree;
  const Plan &plan;
  mutable kernel::KernelOp kernel;
  const HostTraits &traits;
  llvm::SmallVector<Level> path;
  llvm::SmallVector<Side, 0> sides;
  unsigned loops = 0, numAxes, side = 0, branches = 0;
  /// Loops and branches around what is visited, and iterations of the innermost one that an access
  /// stands for.
  Around around;
  double iterations = 1;
};

} // namespace tw::schedule::host
