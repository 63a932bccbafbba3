// Convolutions the other way round: from their results to their inputs.
#pragma once

#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"

namespace tw::graph {

/// The transpose of the linear map from the input of a `tgraph.conv` of these attributes to its
/// result, applied to `y` [N, F, q...] with the weights [F, C / groups, k...]: a value [N, C,
/// sizes...]. ONNX's ConvTranspose, and the derivative of a convolution by its input.
///
/// Elements whose positions have one remainder by the strides, a phase, meet the same weights: each
/// phase is a convolution without strides, and no zero between elements of `y` is multiplied.
/// Phases that read the same window are one convolution of more filters. All but N is known; there
/// is an element of `y` and a size above zero. Null where no weight meets any element.
mlir::Value buildTransposedConvolution(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value y,
                                       mlir::Value weights, llvm::ArrayRef<int64_t> sizes,
                                       llvm::ArrayRef<int64_t> strides,
                                       llvm::ArrayRef<int64_t> dilations,
                                       llvm::ArrayRef<int64_t> padLow, int64_t groups);

} // namespace tw::graph
