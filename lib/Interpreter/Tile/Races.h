// The race checker: by brute force, which threads touch which element between two barriers.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tw::interp {

/// One ttile.load or ttile.store, prepared for its executions.
class TileAccess {
public:
  TileAccess(mlir::Operation *op, mlir::Value memory, mlir::RankedTensorType tile,
             view::MapAttr map, bool isWrite);

  /// Adds the next index operand: where its values lie, and which of them each element of the tile
  /// uses.
  void addIndex(const int64_t *values, llvm::SmallVector<int64_t> offsets);

  /// The threads that hold elements of the tile inside of the memory, and these elements' numbers
  /// there, in the execution that runs.
  llvm::SmallVector<std::pair<int64_t, int64_t>> getTouched() const;
  mlir::Operation *getOp() const { return op; }

private:
  friend class RaceChecker;

  /// A thread that holds an element of the tile.
  struct Holder {
    int64_t thread;
    int64_t element;
    llvm::SmallVector<int64_t, 4> coordinates;
  };
  struct Index {
    const int64_t *values;
    llvm::SmallVector<int64_t> offsets;
  };

  mlir::Operation *op;
  mlir::Value memory;
  view::MapAttr map;
  bool isWrite;
  std::vector<Holder> holders;
  llvm::SmallVector<Index, 2> indices;
};

class RaceChecker {
public:
  /// A barrier, or the beginning of a program.
  void clear() { elements.clear(); }
  /// The iteration of a team's loop that runs, which counts as a thread; none outside. Memory
  /// allocated inside of the loop is the thread's own.
  void setMember(std::optional<int64_t> iteration) { member = iteration; }
  /// An execution of the access. Fails, with a report, if it races with one since the barrier.
  llvm::LogicalResult visit(const TileAccess &access);

private:
  struct Touch {
    int64_t thread;
    mlir::Operation *op;
  };
  /// The last write and, of the readers since, up to two different threads: enough to see any race.
  struct Element {
    std::optional<Touch> writer;
    llvm::SmallVector<Touch, 2> readers;
  };
  llvm::LogicalResult touch(Element &element, Touch now, bool isWrite, int64_t address);

  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Element> elements;
  std::optional<int64_t> member;
};

} // namespace tw::interp
