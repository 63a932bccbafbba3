// Checks that inference of result types shares.
#include "ShapeInference.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// The steps in which the function of the operands declares a symbol.
static int64_t stepOf(StringAttr symbol, ValueRange operands) {
  Region *region = operands.empty() ? nullptr : operands.front().getParentRegion();
  auto function = region ? region->getParentOfType<FunctionOpInterface>() : FunctionOpInterface();
  auto declared = function ? function->getAttrOfType<DictionaryAttr>("tgraph.symbols") : nullptr;
  auto range = declared ? declared.getAs<SymbolAttr>(symbol) : SymbolAttr();
  return range ? range.getStep() : 1;
}

Dim ShapeChecker::windowed(const Dim &size, int64_t window, int64_t stride, int64_t dilation,
                           int64_t padLow, int64_t padHigh, ValueRange operands) {
  Dim span = size + Dim(padLow + padHigh - dilation * (window - 1) - 1);
  Dim result =
      tw::divideDown(span, stride, [&](StringAttr symbol) { return stepOf(symbol, operands); }) +
      Dim(1);
  return result.isStatic() ? Dim(std::max<int64_t>(result.getConstant(), 0)) : result;
}
