// The pass kernel-stage-global: values staged for all programs, and the parts of factored
// reductions, get kernels of their own.
#include "tw/Dialect/Kernel/Transforms/OutlineValue.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELSTAGEGLOBALPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

/// Values that are staged for all programs get kernels, which have no schedule yet.
static LogicalResult outline(kernel::KernelOp kernel, std::string &why, bool isTrial) {
  FailureOr<schedule::Plan> plan = schedule::makePlan(kernel, why);
  if (failed(plan))
    return failure();
  SmallVector<Attribute> primitives;
  for (Attribute primitive : kernel.getSchedule()->getPrimitives())
    if (Attribute rest = schedule::getPrimitive(primitive).getRest(primitive))
      primitives.push_back(rest);
  kernel.setScheduleAttr(kernel::ScheduleAttr::get(kernel.getContext(), primitives));
  SmallVector<kernel::Panel> outlined;
  for (const schedule::StagedValue &staged : plan->staged) {
    if (!staged.global)
      continue;
    kernel::Panel &panel = outlined.emplace_back(staged.op);
    StringAttr name = kernel::getValueName(staged.op);
    if (plan->prefetched.contains(name.getValue()))
      panel.name = name;
    for (unsigned position : staged.leaves) {
      const schedule::LeafAxis &leaf = plan->leaves[position];
      panel.dims.push_back({leaf.name.getValue(), leaf.axis, leaf.extent, leaf.stride});
    }
  }
  kernel::outlineValues(kernel, outlined, isTrial);
  return success();
}

LogicalResult schedule::makeKernels(kernel::KernelOp kernel, std::string &why, bool isTrial) {
  if (failed(applyRewrites(kernel, why)))
    return failure();
  if (!makesParts(kernel))
    return outline(kernel, why, isTrial);
  FailureOr<kernel::KernelOp> parts = applyParts(kernel, why);
  if (failed(parts))
    return failure();
  return parts->getSchedule() ? makeKernels(*parts, why, isTrial) : success();
}

LogicalResult schedule::makeKernels(kernel::KernelOp kernel) {
  std::string why;
  if (failed(makeKernels(kernel, why)))
    return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
  return success();
}

namespace {

struct KernelStageGlobal : public tw::impl::KernelStageGlobalPassBase<KernelStageGlobal> {
  using KernelStageGlobalPassBase::KernelStageGlobalPassBase;

  void runOnOperation() override {
    SmallVector<kernel::KernelOp> kernels;
    getOperation()->walk([&](kernel::KernelOp kernel) {
      if (kernel.getSchedule() && schedule::makesKernels(*kernel.getSchedule()))
        kernels.push_back(kernel);
    });
    for (kernel::KernelOp kernel : kernels)
      if (failed(schedule::makeKernels(kernel)))
        return signalPassFailure();
  }
};

} // namespace
