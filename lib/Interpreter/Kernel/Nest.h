// A loop nest over axes of a kernel, compiled to steps on lanes.
//
// A nest visits all points of some axes. Most axes are loops; a few become the lanes: chunks of up
// to maxLanes points on which each step works at once. A value lives in a register, which has one
// lane if the value is the same for all lanes ("uniform"). The depth of a register is the innermost
// loop on which its value depends; its step runs once per iteration of that loop, so nothing is
// computed twice:
//
//     conv, lanes (p, q), loops o, c, kh, kw:
//       depth 0: coordinates of the lanes in the input, without c, kh and kw
//       depth 4: base = offset of (c, kh, kw); x = input[base + lanes]; w = weights[o, c, kh, kw]
//       (uniform);
//                sum += x * w
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "../Lanes.h"

#include "tw/Dialect/View/View.h"
#include "tw/Interpreter/Tensor.h"

#include <deque>
#include <functional>

namespace tw::interp {

/// Lanes of one value. `lanes` stays where it is for the life of the nest.
struct Register {
  mlir::Type type;
  bool isUniform;
  unsigned depth;
  char *lanes;

  template <typename T> T *as() const { return reinterpret_cast<T *>(lanes); }
  /// The value of a uniform register of an integer coordinate.
  int64_t integer() const { return *as<int64_t>(); }
};

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
};

/// A sum of a constant, a uniform and a varying part: an index expression split so that each part
/// is computed as rarely as possible.
struct SplitIndex {
  int64_t constant = 0;
  Register *uniform = nullptr;
  Register *varying = nullptr;
};

class Nest {
public:
  static constexpr int64_t maxLanes = 1024;
  using Step = std::function<llvm::LogicalResult()>;

  /// `extents` are those of all axes of the kernel; axes of extent 1 need not be in the shape.
  Nest(llvm::ArrayRef<int64_t> extents, const NestShape &shape, mlir::MLIRContext *context);

  /// Runs all steps. A step that fails has reported why.
  llvm::LogicalResult run();

  // Building.

  /// The number of loops; steps of that depth are innermost.
  unsigned getDepth() const { return loops.size(); }
  /// Lanes of the current chunk.
  int64_t getCount() const { return count; }
  bool hasLanes() const { return !laneAxes.empty(); }

  Register *axis(unsigned axis) { return axes[axis]; }
  Register *newRegister(mlir::Type type, bool isUniform, unsigned depth);
  Register *constant(mlir::TypedAttr value);
  /// A register of the same value with all lanes.
  Register *toLanes(Register *uniform);
  /// The register of a function of others. `op` is where poison is reported.
  Register *apply(LaneFunction function, mlir::Type type, llvm::ArrayRef<Register *> operands,
                  mlir::Operation *op);
  /// Adds a step that runs at the start, or at the end, of each iteration at `depth`.
  void before(unsigned depth, Step step) { starts[depth].push_back(std::move(step)); }
  void after(unsigned depth, Step step) { ends[depth].push_back(std::move(step)); }

  // Index expressions (Index.cpp).

  SplitIndex split(mlir::AffineExpr expr, llvm::ArrayRef<SplitIndex> dims);
  SplitIndex split(Register *index);
  /// The sum of the parts as one register.
  Register *join(SplitIndex index);

  // Accesses (Access.cpp).

  /// Reads through a map, as `tkernel.load` says.
  Register *load(Tensor tensor, view::MapAttr map, llvm::ArrayRef<SplitIndex> indices);
  /// Adds a step at the end of the list of `depth` that writes `value`, all coordinates being
  /// inside; the step fails, with a report at `op`, if they are not.
  void store(Register *value, Tensor tensor, mlir::AffineMap map,
             llvm::ArrayRef<SplitIndex> indices, unsigned depth, bool atEnd, mlir::Operation *op);

private:
  struct Loop {
    int64_t trips;
    bool isChunk, isReversed;
    Register *index;
  };
  llvm::LogicalResult runLoop(unsigned loop);
  void startChunk(int64_t chunk);
  SplitIndex add(SplitIndex a, SplitIndex b);
  SplitIndex scale(SplitIndex a, int64_t factor);
  SplitIndex divide(SplitIndex a, int64_t divisor, mlir::AffineExprKind kind);

  mlir::MLIRContext *context;
  llvm::SmallVector<Loop> loops;
  llvm::SmallVector<unsigned> laneAxes;
  llvm::SmallVector<int64_t> extents;
  int64_t block, inner = 1, capacity = 1, count = 1;
  llvm::SmallVector<Register *> axes;
  std::deque<Register> registers;
  std::vector<std::unique_ptr<uint64_t[]>> storage;
  llvm::DenseMap<Register *, Register *> splats;
  std::vector<std::vector<Step>> starts, ends;
};

} // namespace tw::interp
