// Verification shared by tgraph ops: declared symbols, equal types, inferred result types.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

LogicalResult graph::detail::verifyDeclaredSymbols(Operation *op) {
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || (tensor.hasStaticShape() && !tensor.getEncoding()))
      return success();
    auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
    // Beside kernels a shape says what sizes are at most, and another dialect's encoding the sizes.
    if (isa<ReshapeOp>(op) && tensor.hasStaticShape() && tensor.getEncoding() && !dims)
      return success();
    if (!dims && tensor.getEncoding())
      return emitOpError(op, Code::T0209)
             << "expected a tensor type without an encoding or with #tgraph.dims, found " << type;
    if (!dims)
      return emitOpError(op, Code::T0209) << "has the dynamic tensor type " << type
                                          << "; name its dimensions with a #tgraph.dims encoding";
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto declared = function ? function->getAttrOfType<DictionaryAttr>("tgraph.symbols") : nullptr;
    return checkDeclared(op, declared, type, dims);
  };
  for (Type type : op->getOperandTypes())
    if (failed(check(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(check(type)))
      return failure();
  return success();
}

LogicalResult graph::detail::verifyEqualTypes(Operation *op) {
  Type expected = op->getResult(0).getType();
  for (OpOperand &operand : op->getOpOperands())
    if (operand.get().getType() != expected)
      return emitOpError(op, Code::T0202)
             << "expected operand " << operand.getOperandNumber() << " of the result's type "
             << expected << ", found " << operand.get().getType()
             << "; broadcast with tgraph.expand, convert with tgraph.cast";
  return success();
}

LogicalResult graph::detail::verifyInferredResult(Operation *op) {
  SmallVector<Type> inferred;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(), op->getDiscardableAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), inferred)))
    return failure();
  if (inferred.front() == op->getResult(0).getType())
    return success();
  return emitOpError(op, Code::T0203)
         << "expected result type " << inferred.front() << ", found " << op->getResult(0).getType();
}
