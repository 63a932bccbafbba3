// The pass that gives kernels their schedules.
#include "tw/Schedule/HostStrategy.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"

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
    schedule::HostTraits traits{lanes, registers};
    auto result = getOperation()->walk([&](kernel::KernelOp kernel) {
      if (replace || !kernel.getSchedule())
        kernel.setScheduleAttr(schedule::makeHostSchedule(kernel, traits));
      return failed(schedule::makePlan(kernel)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
