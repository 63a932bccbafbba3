// Dispatch of tgraph ops to their categories.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "Graph.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

FailureOr<Tensor> tw::interp::evaluateGraphOp(Operation *op, ArrayRef<Tensor> operands,
                                              const Options &options) {
  FailureOr<Tensor> constant = evaluateConstantOp(op, options);
  if (failed(constant) || *constant)
    return constant;
  for (auto category : {evaluateUnary, evaluateBinary, evaluateCompare, evaluateMovement,
                        evaluateContraction, evaluateReduction, evaluateGather, evaluateComposite})
    if (Tensor result = category(op, operands))
      return result;
  return tw::emitOpError(op, Code::T0701) << "cannot be interpreted in a function";
}
