// Verifiers of the tview ops.
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::view;

#define GET_OP_CLASSES
#include "tw/Dialect/View/ViewOps.cpp.inc"

LogicalResult ViewOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  MapAttr map = getMap();
  if (map.getNumDims() != result.getRank())
    return tw::emitOpError(*this, Code::T0302)
           << "expected a map of " << result.getRank() << " dims, the rank of the result, found "
           << map.getNumDims();
  if (map.getNumResults() != source.getRank())
    return tw::emitOpError(*this, Code::T0302)
           << "expected a map to " << source.getRank()
           << " coordinates, the rank of the source, found " << map.getNumResults();
  if (source.getElementType() != result.getElementType())
    return tw::emitOpError(*this, Code::T0302)
           << "expected a result of " << source.getElementType()
           << " elements as in the source, found " << result.getElementType();
  if (!map.hasFillType(source.getElementType()))
    return tw::emitOpError(*this, Code::T0302)
           << "expected fills of type " << source.getElementType()
           << ", the element type, found another in " << map;
  return success();
}
