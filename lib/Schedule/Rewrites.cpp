// The primitives at the head of a schedule, which rewrite the kernel before there is a plan.
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Record.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

LogicalResult tw::schedule::applyRewrites(KernelOp kernel, std::string &why) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return success();
  ArrayRef<Attribute> rest = schedule.getPrimitives();
  while (!rest.empty() && getPrimitive(rest.front()).getPhase() == Phase::Rewrite) {
    if (failed(getPrimitive(rest.front()).rewrite(kernel, rest.front(), why)))
      return failure();
    rest = rest.drop_front();
  }
  kernel.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
  // Parts are kernels of their own, with the rest of the schedule.
  if (makesParts(kernel))
    return success();
  return failure(llvm::any_of(
      getPrimitives(), [&](const Primitive *kind) { return failed(kind->prepare(kernel, why)); }));
}

bool tw::schedule::makesParts(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  return schedule && !schedule.getPrimitives().empty() &&
         getPrimitive(schedule.getPrimitives().front()).getPhase() == Phase::Parts;
}

FailureOr<KernelOp> tw::schedule::applyParts(KernelOp kernel, std::string &why) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  Attribute first = schedule.getPrimitives().front();
  kernel.removeScheduleAttr();
  FailureOr<KernelOp> parts = getPrimitive(first).makeParts(kernel, first, why);
  if (failed(parts))
    kernel.setScheduleAttr(schedule);
  else if (ArrayRef<Attribute> rest = schedule.getPrimitives().drop_front(); !rest.empty()) {
    parts->setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
    // The record follows the list.
    if (Attribute record = kernel->removeDiscardableAttr(recordAttrName))
      (*parts)->setDiscardableAttr(recordAttrName, record);
  }
  return parts;
}
