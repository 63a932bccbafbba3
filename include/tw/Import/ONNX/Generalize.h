// A model for ranges of sizes, from what it is at some of them.
#pragma once

#include "tw/Import/ONNX/ONNX.h"

#include "llvm/ADT/ArrayRef.h"

namespace tw::onnx {

/// Sizes of the symbols, in their order, to import a model at: all that a sum of multiples of
/// symbols and of products of two is found from, and others that it is checked with.
std::vector<std::vector<int64_t>> chooseSizes(llvm::ArrayRef<SizeRange> ranges);

/// Makes the first of the modules, which were made at these sizes, those that `chooseSizes` says,
/// the one for all sizes of the ranges. What differs in more than the sizes of dimensions is an
/// error at the op.
mlir::LogicalResult generalize(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> samples,
                               llvm::ArrayRef<std::vector<int64_t>> sizes,
                               llvm::ArrayRef<std::string> names, llvm::ArrayRef<SizeRange> ranges);

} // namespace tw::onnx
