// A model for ranges of sizes, from what it is at some of them.
#pragma once

#include "tw/Import/ONNX/ONNX.h"
#include "tw/Support/Dim.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace tw::onnx {

/// An input of a model and its dimensions: numbers, or sums of products of symbols.
struct InputSizes {
  std::string name;
  std::vector<SizeExpression> dims;
};

/// Gives every symbol of the inputs a size: that of the options, else what follows from `equations`
/// and then from shapes that the options tell, else 1. Sizes of symbols that are not there, or that
/// contradict each other, are errors.
mlir::LogicalResult settleSizes(mlir::Location loc, llvm::ArrayRef<InputSizes> inputs,
                                std::vector<SizeEquation> equations, const ImportOptions &options,
                                SymbolSizes &sizes);

/// Imports a model, once if all its symbols get a size, and at several sizes else.
mlir::OwningOpRef<mlir::ModuleOp>
importForAll(mlir::Location loc, const ImportOptions &options,
             llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(const ImportOptions &)> import);

/// What values at the samples are known to be, and what others may be made of.
struct KnownSizes {
  /// Of what is negative nowhere, as sizes are, and of other numbers.
  std::map<std::vector<int64_t>, Dim> sizes, numbers;
  llvm::SmallVector<Dim> parts;
};

/// Sizes of the symbols, in their order, to import a model at: all that a sum of multiples of
/// symbols and of products of two of the first `paired` ones is found from, and others that it is
/// checked with.
std::vector<std::vector<int64_t>> chooseSizes(llvm::ArrayRef<SizeRange> ranges,
                                              size_t paired = SIZE_MAX);

/// What sizes are known by at samples; nothing if one has no values there, or those of another one.
std::optional<KnownSizes> learnSizes(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims,
                                     llvm::ArrayRef<std::vector<int64_t>> sizes,
                                     llvm::ArrayRef<std::string> names,
                                     llvm::ArrayRef<SizeRange> ranges);

/// Makes the first of the modules, which were made at these sizes, those that `chooseSizes` says,
/// the one for all sizes of the ranges. What differs in more than the sizes of dimensions is an
/// error at the op. The first `given` symbols are those of calls, data decide on the others. What
/// is `known` of values at the samples goes before what may be found.
mlir::LogicalResult generalize(llvm::MutableArrayRef<mlir::OwningOpRef<mlir::ModuleOp>> samples,
                               llvm::ArrayRef<std::vector<int64_t>> sizes,
                               llvm::ArrayRef<std::string> names, llvm::ArrayRef<SizeRange> ranges,
                               size_t given, size_t paired = SIZE_MAX,
                               const KnownSizes &known = {});

} // namespace tw::onnx
