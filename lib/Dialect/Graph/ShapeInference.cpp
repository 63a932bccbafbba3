// Checks that inference of result types shares.
#include "ShapeInference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

FailureOr<Shape> ShapeChecker::shape(Type type) const {
  if (std::optional<Shape> shape = getShape(type))
    return *shape;
  return error(Code::T0209, "has an operand of type ", type,
               "; expected a ranked tensor whose dynamic dimensions are named by #tgraph.dims");
}

LogicalResult ShapeChecker::length(StringRef name, ArrayRef<int64_t> list, size_t length) const {
  if (list.size() == length)
    return success();
  return error(Code::T0205, "expected ", length, " entries in ", name, ", found ", list.size());
}

LogicalResult ShapeChecker::range(StringRef name, ArrayRef<int64_t> list, int64_t least) const {
  for (auto [i, value] : llvm::enumerate(list))
    if (value < least || value > INT32_MAX)
      return error(Code::T0206, "expected entry ", i, " of ", name, " to be from ", least, " to ",
                   INT32_MAX, ", found ", value);
  return success();
}

LogicalResult ShapeChecker::dims(StringRef name, ArrayRef<int64_t> dims, size_t rank) const {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= int64_t(rank))
      return error(Code::T0204, "expected ", name, " to be from 0 to ", int64_t(rank) - 1,
                   " for a tensor of rank ", rank, ", found ", dim);
    if (llvm::is_contained(dims.take_front(i), dim))
      return error(Code::T0204, "expected each dimension once in ", name, ", found ", dim,
                   " twice");
  }
  return success();
}

FailureOr<Dim> ShapeChecker::windowed(const Dim &size, int64_t window, int64_t stride,
                                      int64_t dilation, int64_t padLow, int64_t padHigh) const {
  Dim span = size + Dim(padLow + padHigh - dilation * (window - 1) - 1);
  Dim result(llvm::divideFloorSigned(span.getConstant(), stride) + 1);
  for (auto [name, factor] : span.getTerms()) {
    if (factor % stride != 0)
      return error(Code::T0206, "expected a stride that divides the factor of each symbol in the ",
                   "dimension ", toString(size), ", found ", stride);
    result = result + Dim::symbol(name, factor / stride);
  }
  return result.isStatic() ? Dim(std::max<int64_t>(result.getConstant(), 0)) : result;
}
