// Which values lie in memory that the caller gives.
#pragma once

#include "tw/Dialect/Launch/Launch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tw {

/// The result that shares the memory of each argument, -1 for none.
llvm::SmallVector<int64_t> getAliases(mlir::func::FuncOp function);

/// The value that lies in the same memory under the shape that it was made in.
mlir::Value getOwnShape(mlir::Value value);

/// The uses of the value, those under other shapes among them.
llvm::SmallVector<mlir::OpOperand *> getMemoryUses(mlir::Value value);

/// Whether a kernel of the block makes the value, under this shape or another, and one operand
/// alone is read from its memory.
bool isReadOnce(mlir::Value value, mlir::Block *block);

/// The results of the program that values of the function's kernels are written to at once. Others
/// are reserved, and copied at the end if they are returned.
///
/// A value that is returned lies in its result. So does what a kernel updates to it, if nobody else
/// reads that afterwards. Where a result shares the memory of an argument, all that reads the
/// argument comes before the first kernel that writes there.
class Placement {
public:
  Placement(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> aliases);

  /// The values that lie in results, and which.
  const llvm::MapVector<mlir::Value, unsigned> &getPlaces() const { return places; }

private:
  std::optional<unsigned> findResult(mlir::Value value) const;
  bool isLastUse(mlir::Value value, mlir::Operation *op) const;
  bool mayWrite(mlir::Value value, unsigned result) const;

  mutable mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> returned;
  /// The argument whose memory each result has, if any.
  llvm::SmallVector<mlir::Value> givenUp;
  llvm::MapVector<mlir::Value, unsigned> places;
};

} // namespace tw
