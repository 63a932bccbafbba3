// Dispatch of tgraph ops to their categories.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "../Program/Lanes.h"
#include "Graph.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

static Tensor convert(const Tensor &tensor, Type elementType) {
  auto type = RankedTensorType::get(tensor.getShape(), elementType);
  Tensor result = Tensor::allocate(type);
  convertLanes(tensor.getElementType(), tensor.bytes(), elementType, result.bytes(),
               tensor.getNumElements());
  return result;
}

static bool isExtremum(Operation *op) {
  auto kind = op->getAttrOfType<graph::CombineKindAttr>("kind");
  return isa<graph::ReduceOp, graph::ScanOp, graph::WindowOp>(op) && kind &&
         (kind.getValue() == graph::CombineKind::Max || kind.getValue() == graph::CombineKind::Min);
}

/// The largest and the least of no element, in f64, as the limits of a type without infinities.
static void limitIdentities(Tensor &tensor, FloatType type) {
  double most = llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  for (double &value : tensor.elements<double>())
    if (std::isinf(value))
      value = std::copysign(most, value);
}

/// An op with operands or a result of bf16 or f16: the same op in f32, or, where it does more than
/// one operation or converts, in f64, and the result rounded once.
static FailureOr<Tensor> evaluateWidened(Operation *op, ArrayRef<Tensor> operands,
                                         const Options &options) {
  bool isElementwise =
      isa<graph::ElementwiseOpInterface, graph::RandomOp>(op) && !isa<graph::CastOp>(op);
  Type wide = isElementwise ? Type(Float32Type::get(op->getContext()))
                            : Type(Float64Type::get(op->getContext()));
  auto widen = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return isNarrowFloat(tensor.getElementType()) ? RankedTensorType::get(tensor.getShape(), wide)
                                                  : tensor;
  };
  Block block;
  IRMapping mapping;
  SmallVector<Tensor> wideOperands;
  for (auto [value, tensor] : llvm::zip(op->getOperands(), operands)) {
    if (!mapping.contains(value))
      mapping.map(value, block.addArgument(widen(value.getType()), op->getLoc()));
    wideOperands.push_back(isNarrowFloat(tensor.getElementType()) ? convert(tensor, wide) : tensor);
  }
  Operation *copy = op->clone(mapping);
  block.push_back(copy);
  RankedTensorType type = resultType(op);
  copy->getResult(0).setType(widen(type));
  FailureOr<Tensor> result = evaluateGraphOp(copy, wideOperands, options);
  if (failed(result) || !isNarrowFloat(type.getElementType()))
    return result;
  if (!hasInfinities(type.getElementType()) && isExtremum(op))
    limitIdentities(*result, cast<FloatType>(type.getElementType()));
  return convert(*result, type.getElementType());
}

FailureOr<Tensor> tw::interp::evaluateGraphOp(Operation *op, ArrayRef<Tensor> operands,
                                              const Options &options) {
  FailureOr<Tensor> constant = evaluateConstantOp(op, options);
  if (failed(constant) || *constant)
    return constant;
  for (auto category : {evaluateMovement, evaluateGather})
    if (Tensor result = category(op, operands))
      return result;
  if (isa<graph::BitcastOp>(op))
    return evaluateCompare(op, operands);
  auto isNarrow = [](Type type) { return isNarrowFloat(getElementTypeOrSelf(type)); };
  if (llvm::any_of(op->getOperandTypes(), isNarrow) || llvm::any_of(op->getResultTypes(), isNarrow))
    return evaluateWidened(op, operands, options);
  for (auto category : {evaluateUnary, evaluateBinary, evaluateCompare, evaluateContraction,
                        evaluateReduction, evaluateOrder, evaluateComposite})
    if (Tensor result = category(op, operands))
      return result;
  return tw::emitOpError(op, Code::T0701) << "cannot be interpreted in a function";
}
