// What the math expansion promises, the largest error of each function, and what extrema share.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tw::math {

/// The largest error of an expanded operation, in units in the last place of the correct result
/// rounded to the type (denormal results: of the smallest denormal). Tested by
/// test/Target/Common/MathTest.cpp.
struct ErrorBound {
  llvm::StringLiteral operation;
  double f32, f64;
  /// Of f32 with the flag `afn`, where that is computed otherwise; else 0.
  double afn = 0;
};

/// Every operation that expand-math replaces.
llvm::ArrayRef<ErrorBound> errorBounds();

/// The number, no NaN, that a constant has in every lane: an extremum with one needs one
/// comparison.
std::optional<llvm::APFloat> findNumber(mlir::Value value);

} // namespace tw::math
