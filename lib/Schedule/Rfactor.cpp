// Gives the kernels that a factored reduction makes what is left of the schedule.
#include "Rfactor.h"

#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

RfactorAttr tw::schedule::getRfactor(ScheduleAttr schedule) {
  if (!schedule || schedule.getPrimitives().empty())
    return {};
  return dyn_cast<RfactorAttr>(schedule.getPrimitives().front());
}

FailureOr<KernelOp> tw::schedule::applyRfactor(KernelOp kernel, std::string &why) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  RfactorAttr primitive = getRfactor(schedule);
  if (!canFactorReduction(kernel, primitive, why))
    return failure();
  kernel.removeScheduleAttr();
  KernelOp parts = factorReduction(kernel, primitive);
  if (ArrayRef<Attribute> rest = schedule.getPrimitives().drop_front(); !rest.empty())
    parts.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
  return parts;
}
