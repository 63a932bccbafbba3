// The tkernel dialect: ops, attributes, and the analyses that every user of it needs.
#pragma once

#include "tw/Dialect/View/View.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/Kernel/KernelDialect.h.inc"
#include "tw/Dialect/Kernel/KernelEnums.h.inc"

namespace tw::kernel {

/// The size of an axis or of a dimension, and the most that it comes to: one number where it is
/// fixed.
struct Extent {
  int64_t most;
  Dim size;

  Extent(int64_t fixed) : most(fixed), size(fixed) {}
  Extent(int64_t most, Dim size) : most(most), size(std::move(size)) {}

  bool isFixed() const { return size.isStatic(); }
  bool operator==(const Extent &other) const { return most == other.most && size == other.size; }
  bool operator!=(const Extent &other) const { return !(*this == other); }
};

/// Of a tensor's dimensions.
llvm::SmallVector<Extent> getExtents(mlir::RankedTensorType type);

/// A tensor of those dimensions.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<Extent> extents, mlir::Type elementType);

} // namespace tw::kernel

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Kernel/KernelAttrs.h.inc"

#include "tw/Dialect/Kernel/KernelOpClasses.h.inc"

namespace tw::kernel {

/// The type of the scalar that a load of `elementType` yields: integers lose their signedness.
mlir::Type getScalarType(mlir::Type elementType);

} // namespace tw::kernel
