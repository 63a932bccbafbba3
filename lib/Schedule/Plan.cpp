// Plans of schedules, and whether there is one.
#include "tw/Schedule/PlanBuilder.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

int64_t Plan::getNumPrograms() const {
  int64_t product = 1;
  for (unsigned leaf : grid)
    product *= leaves[leaf].extent;
  return product;
}

SmallVector<int64_t> Plan::getTileShape() const {
  SmallVector<int64_t> shape;
  for (unsigned leaf : tile)
    shape.push_back(leaves[leaf].extent);
  return shape;
}

FailureOr<Plan> tw::schedule::makePlan(KernelOp kernel, std::string &why) {
  if (failed(applyRewrites(kernel, why)))
    return failure();
  return PlanBuilder(kernel, why).build(kernel.getScheduleAttr());
}

FailureOr<Plan> tw::schedule::makePlan(KernelOp kernel) {
  std::string why;
  FailureOr<Plan> plan = makePlan(kernel, why);
  if (failed(plan))
    return emitError(kernel.getLoc(), Code::T0310) << "illegal schedule: " << why;
  return plan;
}

bool tw::schedule::isLegal(KernelOp kernel, ScheduleAttr schedule, std::string &why) {
  // What comes before the kernel is made in a block of its own.
  mlir::Block block;
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(schedule);
  if (failed(applyRewrites(copy, why)))
    return false;
  if (makesParts(copy)) {
    FailureOr<KernelOp> parts = applyParts(copy, why);
    return succeeded(parts) &&
           (!parts->getSchedule() || isLegal(*parts, *parts->getSchedule(), why));
  }
  return succeeded(PlanBuilder(copy, why).build(copy.getScheduleAttr()));
}
