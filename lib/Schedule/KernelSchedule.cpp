// The pass that gives kernels their schedules.
#include "tw/Schedule/GpuStrategy.h"
#include "tw/Schedule/HostStrategy.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_KERNELSCHEDULEPASS
#include "tw/Schedule/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

struct KernelSchedule : public tw::impl::KernelSchedulePassBase<KernelSchedule> {
  using KernelSchedulePassBase::KernelSchedulePassBase;

  void runOnOperation() override {
    schedule::HostTraits cpu;
    std::string wrong;
    if (!schedule::parseTraits(traits, cpu, wrong)) {
      emitError(getOperation()->getLoc(), Code::T0501) << "option traits: " << wrong;
      return signalPassFailure();
    }
    auto result = getOperation()->walk([&](kernel::KernelOp kernel) {
      if (replace || !kernel.getSchedule())
        kernel.setScheduleAttr(machine == ScheduleMachine::Gpu
                                   ? schedule::makeGpuSchedule(kernel, {serialLanes})
                                   : schedule::makeHostSchedule(kernel, cpu));
      std::string why;
      if (schedule::isLegal(kernel, kernel.getScheduleAttr(), why))
        return WalkResult::skip();
      emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
