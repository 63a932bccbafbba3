// Evaluation of elementwise ops on inline constants, for the folders.
#pragma once

#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tw::graph {

/// The op's value on constant operands, by folding its expansion to arith: one definition serves
/// the compiled program and the folder. Empty if an operand is not inline, is no splat and has over
/// 1,024 elements, or the expansion has an op that is not exact (exp and the like are left to
/// graph-fold-constants, which asks the interpreter).
mlir::Attribute evaluateElementwise(ElementwiseOpInterface op,
                                    llvm::ArrayRef<mlir::Attribute> operands);

/// The one value of an inline constant of equal elements.
std::optional<llvm::APInt> getIntegerSplat(mlir::Attribute constant);
std::optional<llvm::APFloat> getFloatSplat(mlir::Attribute constant);

/// Whether a constant is `value` everywhere; for floats by bits, so 0 is not -0.
bool isSplat(mlir::Attribute constant, double value);
/// Whether an integer constant has all bits set everywhere.
bool isAllOnes(mlir::Attribute constant);

/// `value` everywhere in a static `type`, else null.
mlir::Attribute getSplat(mlir::Type type, double value);

/// Whether each entry of `list` is `value`.
inline bool areAll(llvm::ArrayRef<int64_t> list, int64_t value) {
  return llvm::all_of(list, [=](int64_t entry) { return entry == value; });
}

} // namespace tw::graph
