// The pass kernel-stage-global: values staged for all programs get a kernel of their own.
#include "tw/Dialect/Kernel/Transforms/OutlineValue.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"

namespace tw {
#define GEN_PASS_DEF_KERNELSTAGEGLOBALPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

struct KernelStageGlobal : public tw::impl::KernelStageGlobalPassBase<KernelStageGlobal> {
  using KernelStageGlobalPassBase::KernelStageGlobalPassBase;

  void runOnOperation() override {
    SmallVector<kernel::KernelOp> kernels;
    getOperation()->walk([&](kernel::KernelOp kernel) {
      auto isGlobal = [](Attribute primitive) {
        auto stage = dyn_cast<kernel::StageAttr>(primitive);
        return stage && stage.getGlobal();
      };
      if (kernel.getSchedule() && llvm::any_of(kernel.getSchedule()->getPrimitives(), isGlobal))
        kernels.push_back(kernel);
    });
    for (kernel::KernelOp kernel : kernels)
      if (failed(outline(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult outline(kernel::KernelOp kernel) {
    FailureOr<schedule::Plan> plan = schedule::makePlan(kernel);
    if (failed(plan))
      return failure();
    SmallVector<Attribute> primitives;
    for (Attribute primitive : kernel.getSchedule()->getPrimitives())
      if (auto stage = dyn_cast<kernel::StageAttr>(primitive); !stage || !stage.getGlobal())
        primitives.push_back(primitive);
    kernel.setScheduleAttr(kernel::ScheduleAttr::get(&getContext(), primitives));
    for (const schedule::StagedValue &staged : plan->staged) {
      if (!staged.global)
        continue;
      SmallVector<kernel::PanelDim> dims;
      for (unsigned position : staged.leaves) {
        const schedule::LeafAxis &leaf = plan->leaves[position];
        dims.push_back({leaf.name.getValue(), leaf.axis, leaf.extent, leaf.stride});
      }
      kernel::outlineValue(kernel, staged.op, dims);
      ++panels;
    }
    return success();
  }
};

} // namespace
