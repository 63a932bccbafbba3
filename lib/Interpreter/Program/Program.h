// Programs of steps on lanes: what the nests of kernels and the accesses of tile programs are made
// of.
//
// A value lives in a register, which has one lane if the value is the same for all lanes
// ("uniform"). Registers and steps have a depth: the innermost loop on which they depend. Who owns
// the program runs the steps of a depth once per iteration of that loop, so that nothing is
// computed twice.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "Lanes.h"

#include "tw/Dialect/View/View.h"
#include "tw/Interpreter/Tensor.h"

#include <deque>
#include <functional>

namespace tw::interp {

/// Lanes of one value. `lanes` stays where it is for the life of the program.
struct Register {
  mlir::Type type;
  bool isUniform;
  unsigned depth;
  char *lanes;

  template <typename T> T *as() const { return reinterpret_cast<T *>(lanes); }
  /// The value of a uniform register of type index.
  int64_t integer() const { return *as<int64_t>(); }
};

/// A sum of a constant, a uniform and a varying part: an index expression split so that each part
/// is computed as rarely as possible.
struct SplitIndex {
  int64_t constant = 0;
  Register *uniform = nullptr;
  Register *varying = nullptr;
};

/// A place that reads or writes memory.
struct Access {
  Tensor tensor;
  view::MapAttr map;
  llvm::SmallVector<SplitIndex> indices;
  /// Dimensions whose coordinate must be inside wherever the guards hold; an error at `op` if it is
  /// not.
  llvm::SmallVector<bool> inBounds;
  mlir::Operation *op = nullptr;
  /// A load runs at this depth at least, because memory may have changed since the depth above.
  unsigned depth = 0;
};

/// A map whose symbols have become dims, after its own dims: operands in the order of affine.apply.
mlir::AffineMap withoutSymbols(mlir::AffineMap map);

class Program {
public:
  using Step = std::function<llvm::LogicalResult()>;

  /// At most `capacity` lanes; 0 for a program of uniform values only.
  Program(mlir::MLIRContext *context, int64_t capacity)
      : context(context), capacity(capacity), count(capacity),
        fills(size_t(capacity ? capacity : 1)) {}
  // Steps hold its address.
  Program(const Program &) = delete;

  mlir::MLIRContext *getContext() const { return context; }
  /// The number of lanes that steps work on now.
  int64_t getCount() const { return count; }
  bool hasLanes() const { return capacity != 0; }

  Register *newRegister(mlir::Type type, bool isUniform, unsigned depth);
  /// A register whose lanes are kept elsewhere.
  Register *newRegister(mlir::Type type, bool isUniform, unsigned depth, void *lanes);
  Register *constant(mlir::TypedAttr value);
  /// A register of the same value with all lanes.
  Register *toLanes(Register *uniform);
  /// The register of a function of others. `op` is where poison is reported.
  Register *apply(LaneFunction function, mlir::Type type, llvm::ArrayRef<Register *> operands,
                  mlir::Operation *op);

  /// Adds a step that runs at the start, or at the end, of each iteration at `depth`.
  void before(unsigned depth, Step step) { stepsOf(starts, depth).push_back(std::move(step)); }
  void after(unsigned depth, Step step) { stepsOf(ends, depth).push_back(std::move(step)); }
  /// A step that fails has reported why.
  llvm::LogicalResult runStarts(unsigned depth) { return run(stepsOf(starts, depth)); }
  llvm::LogicalResult runEnds(unsigned depth) { return run(stepsOf(ends, depth)); }

  // Index expressions (Index.cpp).

  SplitIndex split(mlir::AffineExpr expr, llvm::ArrayRef<SplitIndex> dims);
  SplitIndex split(Register *index);
  /// The sum of the parts as one register.
  Register *join(SplitIndex index);
  /// Whether a set holds, as a register of i1.
  Register *inside(mlir::IntegerSet set, llvm::ArrayRef<SplitIndex> dims);

  // Accesses (Access.cpp).

  /// The element read, or a fill of the map.
  Register *load(const Access &access);
  /// Adds a step at `depth` that writes `value` where the guards hold and the coordinates are
  /// inside.
  void store(Register *value, const Access &access, unsigned depth, bool atEnd);

protected:
  static llvm::LogicalResult run(std::vector<Step> &steps) {
    for (Step &step : steps)
      if (failed(step()))
        return llvm::failure();
    return llvm::success();
  }

  mlir::MLIRContext *context;
  int64_t capacity, count;

private:
  static std::vector<Step> &stepsOf(std::vector<std::vector<Step>> &lists, unsigned depth) {
    if (lists.size() <= depth)
      lists.resize(depth + 1);
    return lists[depth];
  }
  SplitIndex add(SplitIndex a, SplitIndex b);
  SplitIndex scale(SplitIndex a, int64_t factor);
  SplitIndex divide(SplitIndex a, int64_t divisor, mlir::AffineExprKind kind);

  std::deque<Register> registers;
  std::vector<std::unique_ptr<uint64_t[]>> storage;
  llvm::DenseMap<Register *, Register *> splats;
  std::vector<std::vector<Step>> starts, ends;
  // Which fill each lane of the access at hand reads.
  std::vector<uint8_t> fills;
};

/// "op poison: ..." with what the op was given in the lane whose result is poison.
llvm::LogicalResult reportPoison(mlir::Operation *op, llvm::ArrayRef<mlir::Type> types,
                                 llvm::ArrayRef<const void *> operands, int64_t lane);

} // namespace tw::interp
