// gather: registration, inference of the result type.
#include "ShapeInference.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

// scatter add %x, ..
static ParseResult parseOptionalKind(OpAsmParser &parser, CombineKindAttr &kind) {
  SMLoc start = parser.getCurrentLocation();
  StringRef text;
  if (failed(parser.parseOptionalKeyword(&text)))
    return success();
  std::optional<CombineKind> known = symbolizeCombineKind(text);
  if (!known)
    return parser.emitError(start, "expected add, mul, max, min, all or any, found '")
           << text << "'";
  kind = CombineKindAttr::get(parser.getContext(), *known);
  return success();
}

static void printOptionalKind(OpAsmPrinter &printer, Operation *, CombineKindAttr kind) {
  if (kind)
    printer << ' ' << stringifyCombineKind(kind.getValue()) << ' ';
}

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/GatherOps.cpp.inc"

void GraphDialect::registerGatherOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/GatherOps.cpp.inc"
      >();
}

/// The shape of what the indices name elements of, a tensor of type `whole`.
static FailureOr<Shape> inferNamed(ShapeChecker &check, Type whole, ValueRange operands,
                                   int64_t axis, int64_t batch) {
  if (operands.empty())
    return check.error(Code::T0208, "expected at least one index operand, found none");
  Type indexType = operands.front().getType();
  for (auto [i, index] : llvm::enumerate(operands))
    if (index.getType() != indexType)
      return check.error(Code::T0202, "expected index operand ", i, " of the first one's type ",
                         indexType, ", found ", index.getType());
  FailureOr<Shape> source = check.shape(whole);
  FailureOr<Shape> indices = check.shape(indexType);
  if (failed(source) || failed(indices))
    return failure();
  int64_t count = operands.size();
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
  return result;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  Type source = adaptor.getSource().getType();
  FailureOr<Shape> shape = inferNamed(check, source, adaptor.getIndices(), adaptor.getAxis(),
                                      adaptor.getBatchDims());
  if (failed(shape))
    return failure();
  types.push_back(getTensorType(*shape, getElementTypeOrSelf(source)));
  return success();
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  Type operand = adaptor.getOperand().getType();
  FailureOr<Shape> shape = inferNamed(check, operand, adaptor.getIndices(), adaptor.getAxis(),
                                      adaptor.getBatchDims());
  if (failed(shape))
    return failure();
  Type expected = getTensorType(*shape, getElementTypeOrSelf(operand));
  if (adaptor.getUpdates().getType() != expected)
    return check.error(Code::T0208, "expected updates of type ", expected,
                       ", which the indices name, found ", adaptor.getUpdates().getType());
  std::optional<CombineKind> kind = adaptor.getKind();
  Type element = getElementTypeOrSelf(operand);
  if ((kind == CombineKind::All || kind == CombineKind::Any) && !element.isInteger(1))
    return check.error(Code::T0214, "expected element type i1 for ", stringifyCombineKind(*kind),
                       ", found ", element);
  types.push_back(operand);
  return success();
}
