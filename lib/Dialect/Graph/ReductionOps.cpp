// window, reduce, arg_reduce, scan: registration, inference of result types, verification.
#include "ShapeInference.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/ReductionOps.cpp.inc"

void GraphDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/ReductionOps.cpp.inc"
      >();
}

// add, mul, max or min.
static LogicalResult checkArithmeticKind(const ShapeChecker &check, CombineKind kind) {
  if (kind != CombineKind::All && kind != CombineKind::Any)
    return success();
  return check.error(Code::T0214, "expected add, mul, max or min, found ",
                     stringifyCombineKind(kind));
}

LogicalResult WindowOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  if (failed(shape) || failed(checkArithmeticKind(check, adaptor.getKind())))
    return failure();
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {{"window", adaptor.getWindow()},
                                                     {"strides", adaptor.getStrides()},
                                                     {"dilations", adaptor.getDilations()},
                                                     {"pad_low", adaptor.getPadLow()},
                                                     {"pad_high", adaptor.getPadHigh()}};
  for (auto [name, list] : lists)
    if (failed(check.length(name, list, shape->size())) ||
        failed(check.range(name, list, name.starts_with("pad") ? 0 : 1)))
      return failure();
  Shape result;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    result.push_back(ShapeChecker::windowed(size, adaptor.getWindow()[i], adaptor.getStrides()[i],
                                            adaptor.getDilations()[i], adaptor.getPadLow()[i],
                                            adaptor.getPadHigh()[i], adaptor.getOperands()));
  }
  types.push_back(getTensorType(result, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

// The shape without `dims`.
static Shape removeDims(ArrayRef<Dim> shape, ArrayRef<int64_t> dims) {
  Shape rest;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, int64_t(i)))
      rest.push_back(size);
  return rest;
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  if (failed(shape) || failed(check.dims("dims", adaptor.getDims(), shape->size())))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput());
  CombineKind kind = adaptor.getKind();
  if ((kind == CombineKind::All || kind == CombineKind::Any) && !element.isInteger(1))
    return check.error(Code::T0214, "expected element type i1 for ", stringifyCombineKind(kind),
                       ", found ", element);
  types.push_back(getTensorType(removeDims(*shape, adaptor.getDims()), element));
  return success();
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim();
  if (failed(shape) || failed(check.dims("dim", dim, shape->size())))
    return failure();
  CombineKind kind = adaptor.getKind();
  if (kind != CombineKind::Max && kind != CombineKind::Min)
    return check.error(Code::T0214, "expected max or min, found ", stringifyCombineKind(kind));
  if ((*shape)[dim] == Dim(0))
    return check.error(Code::T0208, "expected at least one element along dimension ", dim,
                       ", found none");
  types.push_back(getTensorType(removeDims(*shape, dim), IntegerType::get(context, 64)));
  return success();
}

LogicalResult ScanOp::verify() {
  ShapeChecker check(*this);
  if (failed(checkArithmeticKind(check, getKind())))
    return failure();
  return check.dims("dim", int64_t(getDim()), getType().getRank());
}
