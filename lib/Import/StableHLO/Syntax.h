// The syntax of StableHLO: its ops in the pretty form, its attributes, its types.
//
// MLIR's parser knows values, regions, builtin types and locations; what is added here is small
// dialects whose ops are unregistered. Both forms end in the same operations, which carry the
// attributes of the generic form:
//
//   %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
//   %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> : ...
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OpImplementation.h"

namespace tw::stablehlo {

/// Loads the dialects `stablehlo`, `chlo`, `mhlo` and `sdy`. An error if the context has others of
/// these names.
llvm::LogicalResult loadDialects(mlir::MLIRContext &context);

/// An op in the pretty form, behind its name.
mlir::ParseResult parsePretty(mlir::OpAsmParser &parser, mlir::OperationState &state);

/// The dimension numbers of a convolution, `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`: a dictionary
/// with a list for each of "lhs", "kernel" and "result" of what their dimensions are: a spatial
/// dimension by its number, or one of these.
enum ConvolutionDim : int64_t { BatchDim = -1, FeatureDim = -2 };
mlir::FailureOr<mlir::DictionaryAttr> parseConvolutionDims(mlir::AsmParser &parser);

} // namespace tw::stablehlo
