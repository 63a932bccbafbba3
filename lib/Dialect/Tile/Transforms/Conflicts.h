// Whether two accesses of a tile program can touch the same element from different threads.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace tw::tile {

/// What is known of a loop's index when an access ran, seen from a later access.
struct LoopState {
  enum Kind : uint8_t {
    Relative, ///< `value` iterations before the one that runs now
    Fixed,    ///< the loop has ended; the index was `value`
    Free      ///< any iteration
  } kind = Relative;
  int64_t value = 0;

  bool operator==(const LoopState &) const = default;
};

/// An access that ran since the last barrier, with the loops around it.
struct PendingAccess {
  mlir::Operation *op;
  llvm::SmallVector<std::pair<mlir::scf::ForOp, LoopState>, 2> loops;

  bool operator==(const PendingAccess &) const = default;
};

/// Answers for the accesses of one program, by enumeration of elements, threads and iterations.
/// Guards and bounds are left out of account: an access that may be dropped counts as one that
/// happens. What is too large to enumerate, or depends on data, is a conflict.
class Conflicts {
public:
  explicit Conflicts(FuncOp func);
  ~Conflicts();

  /// Whether the op loads or stores memory that the program writes.
  bool isAccess(mlir::Operation *op) const;
  /// Whether one thread alone makes the access.
  static bool isOfOneThread(mlir::Operation *op);
  /// Whether `later` conflicts with `earlier`: one writes, and an element is touched by two
  /// threads.
  bool between(const PendingAccess &earlier, mlir::Operation *later);

private:
  struct Access;
  const Access &get(mlir::Operation *op);
  bool enumerate(const PendingAccess &earlier, mlir::Operation *later);

  llvm::SmallPtrSet<mlir::Value, 4> written;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<Access>> accesses;
  /// Answers by the later access: whoever follows loops in loops asks the same many times.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::pair<PendingAccess, bool>>> answers;
};

/// The values that a loop's index takes: first, last and step, if they are constant and there is
/// one.
struct LoopBounds {
  int64_t first, last, step;
};
std::optional<LoopBounds> getLoopBounds(mlir::scf::ForOp loop);

} // namespace tw::tile
