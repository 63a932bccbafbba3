// Movement ops: registration, inference of result types, verification.
#include "ShapeInference.h"
#include "tw/Support/SizeProducts.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/MovementOps.cpp.inc"

void GraphDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/MovementOps.cpp.inc"
      >();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(shape) || failed(check.length("the permutation", permutation, shape->size())) ||
      failed(check.dims("the permutation", permutation, shape->size())))
    return failure();
  Shape result;
  for (int64_t dim : permutation)
    result.push_back((*shape)[dim]);
  types.push_back(getTensorType(result, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value input,
                      ArrayRef<int64_t> shape) {
  build(builder, state, RankedTensorType::get(shape, getElementTypeOrSelf(input)), input);
}

LogicalResult ReshapeOp::verify() {
  if (getType().getElementType() != getInput().getType().getElementType())
    return tw::emitOpError(*this, Code::T0213)
           << "expected result element type " << getInput().getType().getElementType() << ", found "
           << getType().getElementType();
  int64_t elements = 1;
  for (int64_t dim : getType().getShape())
    if (dim > 0 && llvm::MulOverflow(elements, dim, elements))
      return tw::emitOpError(*this, Code::T0206)
             << "expected less than 2^63 elements, found " << getType();
  Shape from = *getShape(getInput().getType()), to = *getShape(getType());
  if (haveEqualProducts(from, to))
    return success();
  return tw::emitOpError(*this, Code::T0212)
         << "expected as many elements in the result as in the operand (" << toString(from)
         << "), found " << toString(to);
}

void ExpandOp::build(OpBuilder &builder, OperationState &state, Value input,
                     ArrayRef<int64_t> shape) {
  build(builder, state, RankedTensorType::get(shape, getElementTypeOrSelf(input)), input);
}

LogicalResult ExpandOp::verify() {
  if (getType().getElementType() != getInput().getType().getElementType())
    return tw::emitOpError(*this, Code::T0213)
           << "expected result element type " << getInput().getType().getElementType() << ", found "
           << getType().getElementType();
  Shape from = *getShape(getInput().getType()), to = *getShape(getType());
  if (from.size() != to.size())
    return tw::emitOpError(*this, Code::T0208)
           << "expected a result of the operand's rank " << from.size() << ", found rank "
           << to.size() << "; add dimensions of size 1 with tgraph.reshape first";
  for (auto [i, a, b] : llvm::enumerate(from, to))
    if (a != b && a != Dim(1))
      return tw::emitOpError(*this, Code::T0208)
             << "expected dimension " << i << " of the result to stay " << toString(a)
             << " (only a dimension of size 1 is repeated), found " << toString(b);
  return success();
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value input, ArrayRef<int64_t> low,
                  ArrayRef<int64_t> high) {
  build(builder, state, input, low, high,
        cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(input))));
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  if (failed(shape) || failed(check.length("low", adaptor.getLow(), shape->size())) ||
      failed(check.length("high", adaptor.getHigh(), shape->size())) ||
      failed(check.range("low", adaptor.getLow(), 0)) ||
      failed(check.range("high", adaptor.getHigh(), 0)))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput());
  if (adaptor.getValue().getType() != element || !isa<FloatAttr, IntegerAttr>(adaptor.getValue()))
    return check.error(Code::T0211, "expected a number of the element type ", element,
                       " as value, found ", Attribute(adaptor.getValue()));
  Shape result;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    Dim padded = size + Dim(adaptor.getLow()[i] + adaptor.getHigh()[i]);
    if (padded.isStatic() && padded.getConstant() < 0)
      return check.error(Code::T0206, "expected a padded size below 2^63 for dimension ", i);
    result.push_back(padded);
  }
  types.push_back(getTensorType(result, element));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  ArrayRef<int64_t> offsets = adaptor.getOffsets(), sizes = adaptor.getSizes(),
                    strides = adaptor.getStrides();
  if (failed(shape) || failed(check.length("offsets", offsets, shape->size())) ||
      failed(check.length("sizes", sizes, shape->size())) ||
      failed(check.length("strides", strides, shape->size())) ||
      failed(check.range("offsets", offsets, 0)) ||
      failed(check.range("sizes", sizes, SliceOp::whole)) ||
      failed(check.range("strides", strides, 1)))
    return failure();
  Shape taken(sizes.begin(), sizes.end());
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (sizes[i] == SliceOp::whole) {
      if (offsets[i] != 0 || strides[i] != 1)
        return check.error(Code::T0206, "expected offset 0 and stride 1 along dimension ", i,
                           ", of which size -1 takes all");
      taken[i] = size;
      continue;
    }
    // Products of two 31-bit numbers do not overflow.
    int64_t last = offsets[i] + (sizes[i] - 1) * strides[i];
    if (sizes[i] != 0 && size.isStatic() && last >= size.getConstant())
      return check.error(Code::T0206, "expected the last element along dimension ", i,
                         " to lie below its size ", size.getConstant(), ", found index ", last);
  }
  types.push_back(getTensorType(taken, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult FlipOp::verify() {
  return ShapeChecker(*this).dims("dims", getDims(), getType().getRank());
}

LogicalResult UpdateSliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  Type type = adaptor.getOperand().getType(), update = adaptor.getUpdate().getType();
  FailureOr<Shape> shape = check.shape(type), part = check.shape(update);
  if (failed(shape) || failed(part))
    return failure();
  if (getElementTypeOrSelf(update) != getElementTypeOrSelf(type) || part->size() != shape->size())
    return check.error(Code::T0208, "expected an update of the rank and element type of ", type,
                       ", found ", update);
  if (adaptor.getOffsets().getRank() != int64_t(shape->size()))
    return check.error(Code::T0208, "expected one offset per dimension of ", type, ", found ",
                       adaptor.getOffsets());
  ArrayRef<int64_t> along = adaptor.getAlong();
  if (failed(check.dims("along", along, shape->size())) ||
      failed(check.length("along", along, adaptor.getPositions().size())))
    return failure();
  for (Value position : adaptor.getPositions())
    if (auto tensor = cast<RankedTensorType>(position.getType()); tensor.getRank() != 0)
      return check.error(Code::T0208, "expected positions to be scalars, found ", tensor);
  types.push_back(type);
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  if (adaptor.getInputs().empty())
    return check.error(Code::T0208, "expected at least one operand, found none");
  Type first = adaptor.getInputs().front().getType();
  FailureOr<Shape> result = check.shape(first);
  int64_t dim = adaptor.getDim();
  if (failed(result) || failed(check.dims("dim", dim, result->size())))
    return failure();
  for (auto [i, input] : llvm::enumerate(adaptor.getInputs().drop_front())) {
    FailureOr<Shape> shape = check.shape(input.getType());
    if (failed(shape))
      return failure();
    if (getElementTypeOrSelf(input) != getElementTypeOrSelf(first))
      return check.error(Code::T0213, "expected element type ", getElementTypeOrSelf(first),
                         " of operand ", i + 1, ", found ", getElementTypeOrSelf(input));
    bool fits = shape->size() == result->size();
    for (size_t d = 0; fits && d != shape->size(); ++d)
      fits = int64_t(d) == dim || (*shape)[d] == (*result)[d];
    if (!fits)
      return check.error(Code::T0208, "expected operand ", i + 1, " to differ from ", first,
                         " in dimension ", dim, " only, found ", input.getType());
    (*result)[dim] = (*result)[dim] + (*shape)[dim];
  }
  const Dim &joined = (*result)[dim];
  if (joined.isStatic() && joined.getConstant() < 0)
    return check.error(Code::T0206, "expected a joined size below 2^63");
  types.push_back(getTensorType(*result, getElementTypeOrSelf(first)));
  return success();
}

StringAttr PrefixOp::getSymbol() {
  Dim size = getShape(getType())->data()[getDim()];
  return size.isStatic() ? StringAttr() : size.getTerms().front().first;
}

LogicalResult PrefixOp::verify() {
  if (getType().getElementType() != getInput().getType().getElementType())
    return tw::emitOpError(*this, Code::T0213)
           << "expected result element type " << getInput().getType().getElementType() << ", found "
           << getType().getElementType();
  Shape from = *getShape(getInput().getType()), to = *getShape(getType());
  ShapeChecker check(*this);
  if (failed(check.dims("dim", int64_t(getDim()), from.size())))
    return failure();
  Dim size = to.size() == from.size() ? to[getDim()] : Dim(0);
  if (to.size() == from.size())
    from[getDim()] = size;
  if (from != to)
    return tw::emitOpError(*this, Code::T0208)
           << "expected a result of " << toString(from) << ", found " << toString(to);
  if (size.isStatic() ||
      (size == Dim::symbol(size.getTerms().front().first) &&
       tw::getBases(size.getTerms().front().first).front() == size.getTerms().front().first))
    return success();
  return tw::emitOpError(*this, Code::T0208)
         << "expected a symbol, or a number, as the size along dimension " << getDim() << ", found "
         << toString(size);
}
