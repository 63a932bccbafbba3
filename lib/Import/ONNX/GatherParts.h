// Sizes as numbers of a program, and parts that begin at them and are as long as they say.
#pragma once

#include "tw/Dialect/Graph/SymbolicShape.h"

#include "mlir/IR/Builders.h"

namespace tw::onnx {

/// What is taken along a dimension; the result's type says how long it is.
struct SizedPart {
  int64_t dim, stride;
  graph::Dim offset;
};

/// The size, or one over it, as a scalar of the type.
mlir::Value makeSizeNumber(mlir::OpBuilder &builder, mlir::Location loc, const graph::Dim &size,
                           bool isReciprocal, mlir::Type element);

/// What the op gives is of the whole of its first operand's dimensions from here on; the parts of
/// it: slice %x offsets [P, 0] sizes [S, -1] -> gather %x, iota + P.
mlir::Value gatherParts(mlir::Operation *op, llvm::ArrayRef<SizedPart> parts);

} // namespace tw::onnx
