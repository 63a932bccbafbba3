// gather: registration, inference of the result type.
#include "ShapeInference.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/GatherOps.cpp.inc"

void GraphDialect::registerGatherOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/GatherOps.cpp.inc"
      >();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  if (adaptor.getIndices().empty())
    return check.error(Code::T0208, "expected at least one index operand, found none");
  Type indexType = adaptor.getIndices().front().getType();
  for (auto [i, index] : llvm::enumerate(adaptor.getIndices()))
    if (index.getType() != indexType)
      return check.error(Code::T0202, "expected index operand ", i, " of the first one's type ",
                         indexType, ", found ", index.getType());
  FailureOr<Shape> source = check.shape(adaptor.getSource().getType());
  FailureOr<Shape> indices = check.shape(indexType);
  if (failed(source) || failed(indices))
    return failure();
  int64_t axis = adaptor.getAxis(), batch = adaptor.getBatchDims();
  int64_t count = adaptor.getIndices().size();
  if (axis < 0 || axis > int64_t(source->size()) - count)
    return check.error(Code::T0204, "expected dimensions axis to axis + ", count - 1,
                       " to be those of a source of rank ", source->size(), ", found axis ", axis);
  if (batch < 0 || batch > axis || batch > int64_t(indices->size()))
    return check.error(Code::T0204, "expected batch_dims to be from 0 to ",
                       std::min<int64_t>(axis, indices->size()),
                       " (the axis and the rank of the indices), found ", batch);
  ArrayRef<Dim> s = *source, i = *indices;
  for (int64_t dim = 0; dim != batch; ++dim)
    if (s[dim] != i[dim])
      return check.error(Code::T0208, "expected batch dimension ", dim, " of the indices to be ",
                         toString(s[dim]), " as in the source, found ", toString(i[dim]));
  Shape result(s.take_front(axis));
  result.append(i.begin() + batch, i.end());
  result.append(s.begin() + axis + count, s.end());
  types.push_back(getTensorType(result, getElementTypeOrSelf(adaptor.getSource())));
  return success();
}
