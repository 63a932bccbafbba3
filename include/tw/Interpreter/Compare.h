// How far two tensors are apart.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Interpreter/Tensor.h"

#include "llvm/Support/raw_ostream.h"

namespace tw::interp {

/// What compare() found. Errors are over elements where both tensors are finite; elsewhere the two
/// must agree exactly: NaN with NaN, an infinity with the same infinity.
struct Comparison {
  int64_t elements = 0;
  /// The largest |got - reference|.
  double maxAbsoluteError = 0;
  /// The largest finite |reference|.
  double maxAbsoluteReference = 0;
  /// Elements where exactly one is NaN, and where infinities do not agree.
  int64_t nanMismatches = 0;
  int64_t infMismatches = 0;
  /// Elements that differ at all (-0 equals +0), and the first of them in row-major order.
  int64_t differing = 0;
  llvm::SmallVector<int64_t> firstDiffering;
  double firstGot = 0, firstReference = 0;
  /// Where the largest error is.
  llvm::SmallVector<int64_t> worst;

  /// The largest error in units of the largest reference value (of 1 where that is 0).
  double relativeError() const {
    return maxAbsoluteError / (maxAbsoluteReference > 0 ? maxAbsoluteReference : 1);
  }
  /// No mismatch of NaN or infinities, and a relative error of at most `tolerance`; 0 asks for
  /// equality.
  bool within(double tolerance) const {
    return nanMismatches == 0 && infMismatches == 0 && relativeError() <= tolerance;
  }
  /// One line for a report.
  void print(llvm::raw_ostream &os) const;
};

/// Compares tensors of equal shape and element type.
Comparison compare(const Tensor &got, const Tensor &reference);

} // namespace tw::interp
