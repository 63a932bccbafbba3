// Where the elements of tiles in the blocks of a matrix unit lie in memory.
#pragma once

#include "InstructionSet.h"

#include "tw/Dialect/View/View.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tw::host {

/// The address of each element, in elements, as a function of the tile's dimensions and of what the
/// map has beside them.
class BlockAccess {
public:
  BlockAccess(mlir::AffineMap map, mlir::MemRefType memory);

  /// Elements from each point of a dimension to the next; none if that varies.
  std::optional<int64_t> getStride(unsigned dim) const { return getDistance(dim, 1); }
  /// Elements from where the tile begins to the point `points` along the dimension; none if what is
  /// outside of the tile decides.
  std::optional<int64_t> getDistanceFromBegin(unsigned dim, int64_t points) const;
  /// At a point of the tile.
  mlir::AffineExpr getAddress(llvm::ArrayRef<int64_t> point) const;
  unsigned getNumDims() const { return numDims; }

private:
  mlir::AffineExpr address;
  unsigned numDims;

  std::optional<int64_t> getDistance(unsigned dim, int64_t points) const;
};

/// An access in a loop, as a function of the loop's index.
struct LoopAccess {
  /// Over the tile's dimensions, the loop's index and `operands`, which are known outside of it.
  mlir::AffineMap map;
  llvm::SmallVector<mlir::Value> operands;

  /// What iterations access one after another, of `points` points along `dim` each, as one tile of
  /// `shape`, which begins with that of the index. Without guards.
  view::MapAttr join(llvm::ArrayRef<int64_t> shape, unsigned dim, int64_t points,
                     mlir::TypedAttr outside) const;
};

/// Of a tile of that rank; none if indices are computed by other means, or are tiles.
std::optional<LoopAccess> getAccess(mlir::scf::ForOp loop, unsigned rank, view::MapAttr map,
                                    mlir::ValueRange indices);

/// Matrix units by name; fails with T0408 for a name that no instruction set has.
mlir::FailureOr<llvm::SmallVector<const MatrixUnit *>> findUnits(mlir::Location location,
                                                                 llvm::ArrayRef<std::string> names);

} // namespace tw::host
