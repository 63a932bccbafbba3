// What the math expansion promises: the largest error of each function.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tw::math {

/// The largest error of an expanded operation, in units in the last place of the correct result
/// rounded to the type (denormal results: of the smallest denormal). Tested by
/// test/Target/Common/MathTest.cpp.
struct ErrorBound {
  llvm::StringLiteral operation;
  double f32, f64;
};

/// Every operation that expand-math replaces.
llvm::ArrayRef<ErrorBound> errorBounds();

} // namespace tw::math
