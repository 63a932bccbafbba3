// The tview dialect, its attributes and its ops.
#pragma once

#include "tw/Support/Dim.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/View/ViewDialect.h.inc"

namespace tw::view {

class SizesAttr;

/// The sizes of a tensor's dimensions: those of its encoding, or of its shape where that is all.
llvm::SmallVector<Dim, 4> getSizes(mlir::RankedTensorType type);

/// Whether a dimension of the tensor has a size that a call settles.
bool hasSymbols(mlir::Type type);

/// What the sizes are in memory, from which strides follow: those of `getSizes` but for state that
/// has room to grow.
llvm::SmallVector<Dim, 4> getStorageSizes(mlir::RankedTensorType type);
/// Whether they are others.
bool hasRoom(mlir::RankedTensorType type);
/// Each of them at most.
llvm::SmallVector<int64_t> getStorageShape(mlir::RankedTensorType type);

/// A tensor of at most `shape`, with sizes as an encoding where they are not the shape. `storage`
/// says what they are in memory, if not the same.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Dim> sizes,
                                     mlir::Type elementType, llvm::ArrayRef<Dim> storage = {});

/// The shape where it is the size, -1 where a call settles that.
llvm::SmallVector<int64_t> getKnownShape(mlir::RankedTensorType type);

/// Whether all constants that the map's expressions divide by are above 0, as quotients need.
bool hasPositiveDivisors(mlir::AffineMap map);

} // namespace tw::view

#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/View/ViewAttrs.h.inc"

#include "tw/Dialect/View/ViewOpClasses.h.inc"
