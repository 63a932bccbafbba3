// The indices that an access computes its coordinates from: scalars, and tiles of indices.
#pragma once

#include "Parts.h"

#include <deque>

namespace tw::host {

/// Whether no tile among the indices differs along a dimension.
bool areConstantAlong(mlir::ValueRange indices, int64_t dim);

/// The indices of an access, before and after they became scalars and vectors.
class IndexTiles {
public:
  IndexTiles(mlir::ValueRange indices, llvm::ArrayRef<mlir::ValueRange> converted)
      : indices(indices), types(indices.getTypes()), values(converted) {}
  IndexTiles(const IndexTiles &) = delete; // `values` refer to it
  IndexTiles &operator=(const IndexTiles &) = delete;

  /// Makes them those of the tile with dimension `dim`, along which none of them differs, and the
  /// last one exchanged. What differs along the lanes, a coordinate times a stride that a call
  /// settles, is a scalar for each row then.
  void exchange(mlir::ConversionPatternRewriter &rewriter, mlir::Location location,
                const Parts &parts, int64_t dim);

  mlir::TypeRange getTypes() const { return types; }
  llvm::ArrayRef<mlir::ValueRange> getValues() const { return values; }

private:
  mlir::ValueRange indices;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::ValueRange> values;
  std::deque<llvm::SmallVector<mlir::Value>> made;
};

} // namespace tw::host
