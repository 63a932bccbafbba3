// The order of sums, as the plan of a schedule shows it.
#include "Exact.h"

#include "tw/Schedule/Primitive.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

bool fuzz::isExact(KernelOp kernel, ScheduleAttr schedule) {
  // What does not show in the plan: parts, which are summed by themselves even where they have one
  // point, and what is never exact.
  for (auto [primitive, exactness] :
       llvm::zip(schedule.getPrimitives(), schedule::classify(kernel, schedule))) {
    const schedule::Primitive &kind = schedule::getPrimitive(primitive);
    if (kind.getPhase() == schedule::Phase::Parts ||
        (exactness != schedule::Exactness::Exact && !kind.showsInPlan()))
      return false;
  }
  auto copy = cast<KernelOp>(kernel->clone());
  copy.setScheduleAttr(schedule);
  FailureOr<schedule::Plan> plan = schedule::makePlan(copy);
  bool exact = succeeded(plan);
  if (exact) {
    for (unsigned leaf : plan->tile)
      exact &= !plan->leaves[leaf].reduced || plan->leaves[leaf].extent == 1;
    // Reduced loops run as the kernel's axes do, outer parts first.
    std::pair<unsigned, int64_t> last(0, INT64_MIN);
    for (unsigned leaf : plan->loops)
      if (const schedule::LeafAxis &own = plan->leaves[leaf]; own.reduced && own.extent > 1) {
        exact &= last <= std::pair(own.axis, -own.stride);
        last = {own.axis, -own.stride};
      }
  }
  copy->erase();
  std::string why;
  exact |= schedule::isExact(kernel, schedule, why);
  // The functions of one lane and of several differ in last bits.
  return exact && llvm::none_of(kernel.getBody().front(), [](Operation &op) {
           return isa<math::ExpOp, math::ErfOp, math::TanhOp>(op);
         });
}
