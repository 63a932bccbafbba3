// A loop nest over axes of a kernel, compiled to steps on lanes.
//
// A nest visits all points of some axes. Most axes are loops; a few become the lanes: chunks of
// points on which each step works at once.
//
//     conv, lanes (p, q), loops o, c, kh, kw:
//       depth 0: coordinates of the lanes in the input, without c, kh and kw
//       depth 4: base = offset of (c, kh, kw); x = input[base + lanes]; w = weights[o, c, kh, kw]
//       (uniform);
//                sum += x * w
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "../Program/Program.h"

namespace tw::interp {

/// Which axes are loops, outermost first, and which are lanes, the last varying fastest. Of the
/// first lane axis only `block` points belong to one chunk; the loop over the chunks stands at
/// `chunkLoop` among the loops.
struct NestShape {
  llvm::SmallVector<unsigned> loops;
  llvm::SmallVector<unsigned> lanes;
  int64_t block = 1;
  unsigned chunkLoop = 0;
  /// This loop, if any, runs from its end.
  std::optional<unsigned> reversed;

  /// Lanes of a whole chunk; 0 without lane axes.
  int64_t getCapacity(llvm::ArrayRef<int64_t> extents) const;
  /// 0 if an axis of the lanes has no point; one chunk needs no loop.
  int64_t getChunks(llvm::ArrayRef<int64_t> extents) const;
};

class Nest : public Program {
public:
  static constexpr int64_t maxLanes = 1024;

  /// `extents` are those of all axes of the kernel; axes of extent 1 need not be in the shape.
  Nest(llvm::ArrayRef<int64_t> extents, const NestShape &shape, mlir::MLIRContext *context);

  /// Runs all steps. A step that fails has reported why.
  llvm::LogicalResult run();

  /// The number of loops; steps of that depth are innermost.
  unsigned getDepth() const { return loops.size(); }
  Register *axis(unsigned axis) { return axes[axis]; }

private:
  struct Loop {
    int64_t trips;
    bool isChunk, isReversed;
    Register *index;
  };
  llvm::LogicalResult runLoop(unsigned loop);
  void startChunk(int64_t chunk);

  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<unsigned> laneAxes;
  llvm::SmallVector<int64_t> extents;
  int64_t block, inner = 1;
  llvm::SmallVector<Register *> axes;
};

} // namespace tw::interp
