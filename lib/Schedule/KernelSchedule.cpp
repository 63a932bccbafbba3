// The pass that gives kernels their schedules.
#include "ScheduleFile.h"

#include "tw/Schedule/Exactness.h"
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
    std::optional<schedule::ScheduleFile> byHand;
    if (!file.empty()) {
      FailureOr<schedule::ScheduleFile> read = schedule::ScheduleFile::read(file, getOperation());
      if (failed(read))
        return signalPassFailure();
      byHand = std::move(*read);
    }
    auto result = getOperation()->walk([&](kernel::KernelOp kernel) {
      FailureOr<kernel::ScheduleAttr> found =
          byHand ? byHand->find(kernel) : FailureOr<kernel::ScheduleAttr>(kernel::ScheduleAttr());
      if (failed(found))
        return WalkResult::interrupt();
      if (*found)
        kernel.setScheduleAttr(*found);
      else if (replace || !kernel.getSchedule())
        kernel.setScheduleAttr(machine == ScheduleMachine::Gpu
                                   ? schedule::makeGpuSchedule(kernel, {serialLanes, deterministic})
                                   : schedule::makeHostSchedule(kernel, cpu, deterministic));
      return succeeded(check(kernel)) ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult check(kernel::KernelOp kernel) {
    std::string why;
    if (!schedule::isLegal(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
    if (deterministic && !schedule::isExact(kernel, kernel.getScheduleAttr(), why))
      return emitError(kernel.getLoc(), Code::T0310) << "schedule is not deterministic: " << why;
    return success();
  }
};

} // namespace
