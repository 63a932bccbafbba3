// Where operands of kernels lie.
#include "tw/Schedule/Places.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/MadeOnce.h"

using namespace mlir;
using namespace tw;
using namespace tw::schedule;

SmallVector<Place> tw::schedule::findPlaces(kernel::KernelOp kernel) {
  return llvm::map_to_vector(kernel.getOperands(), [](Value operand) {
    if (matchPattern(operand, m_Constant()))
      return isInFile(operand) ? Place::InFile : Place::Constant;
    return kernel::isMadeOnce(operand) ? Place::MadeOnce : Place::Call;
  });
}

bool tw::schedule::isInFile(Value tensor) {
  auto constant = tensor.getDefiningOp<graph::ConstantOp>();
  return constant && isa<graph::FileAttr>(constant.getValue());
}
