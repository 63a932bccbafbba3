// Counting what a kernel computes and moves.
#include "tw/Dialect/Kernel/Describe.h"

#include "tw/Dialect/Kernel/AxisSets.h"

using namespace mlir;
using namespace tw::kernel;

/// Float operations of the body: each op once per point of its operands' axes.
static int64_t countFlops(KernelOp kernel) {
  AxisSets sets(kernel);
  int64_t flops = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (op.getNumResults() == 0 || isa<LoadOp, arith::ConstantOp>(op))
      continue;
    llvm::SmallBitVector axes = sets.reducedBy(&op);
    for (Value operand : op.getOperands())
      axes |= sets.of(operand);
    if (isa<FloatType>(op.getNumOperands() ? op.getOperand(0).getType()
                                           : op.getResult(0).getType()))
      flops += sets.points(axes) * (isa<ContractOp>(op) ? 2 : 1);
  }
  return flops;
}

Description tw::kernel::describe(KernelOp kernel) {
  Description description;
  description.name = kernel.getSymHint().value_or("kernel").str();
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    description.axes.emplace_back(kernel.getAxisName(i).str(), kernel.getExtents()[i]);
  description.flops = countFlops(kernel);
  for (Type type : llvm::concat<const Type>(kernel->getOperandTypes(), kernel->getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    // A bool takes a byte.
    description.bytes += tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
  }
  description.recompute = largestRecomputeFactor(kernel);
  return description;
}

std::string Description::getAxesText() const {
  return llvm::join(llvm::map_range(axes,
                                    [](const std::pair<std::string, int64_t> &axis) {
                                      return axis.first + " " + std::to_string(axis.second);
                                    }),
                    ", ");
}

llvm::json::Object Description::toJSON() const {
  llvm::json::Array list;
  for (const auto &[axis, extent] : axes)
    list.push_back(llvm::json::Object{{"name", axis}, {"extent", extent}});
  return llvm::json::Object{{"name", name},
                            {"axes", std::move(list)},
                            {"flops", flops},
                            {"bytes", bytes},
                            {"recompute", recompute}};
}

void Description::print(llvm::raw_ostream &os) const {
  os << name << " [" << getAxesText() << "]: " << flops << " flops, " << bytes
     << " bytes, recompute factor " << recompute;
}
