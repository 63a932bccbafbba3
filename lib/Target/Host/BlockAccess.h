// Where the elements of tiles in the blocks of a matrix unit lie in memory.
#pragma once

#include "InstructionSet.h"

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

/// Matrix units by name; fails with T0408 for a name that no instruction set has.
mlir::FailureOr<llvm::SmallVector<const MatrixUnit *>> findUnits(mlir::Location location,
                                                                 llvm::ArrayRef<std::string> names);

} // namespace tw::host
