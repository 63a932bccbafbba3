// The primitives at the head of a schedule, which rewrite the kernel before there is a plan.
#include "Pad.h"
#include "Rfactor.h"
#include "tw/Dialect/Kernel/Transforms/MergeAxes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Schedule/Widen.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// p = [n, h, w]
static LogicalResult applyMerge(KernelOp kernel, MergeAttr merge, std::string &why) {
  StringRef name = merge.getAxis().getValue();
  if (merge.getParts().size() < 2) {
    why = ("merge '" + name + "': expected at least two axes to merge").str();
    return failure();
  }
  SmallVector<unsigned> axes;
  for (StringAttr part : merge.getParts()) {
    auto *it = llvm::find(kernel.getAxisNames().getValue(), Attribute(part));
    if (it == kernel.getAxisNames().end()) {
      why = ("merge '" + name + "': expected axes of the kernel, " +
             join(kernel.getAxisNames().getAsValueRange<StringAttr>(), ", ") + ", found '" +
             part.getValue() + "'")
                .str();
      return failure();
    }
    unsigned axis = it - kernel.getAxisNames().begin();
    if (llvm::is_contained(axes, axis)) {
      why = ("merge '" + name + "' names '" + part.getValue() + "' twice: leave one of them out")
                .str();
      return failure();
    }
    axes.push_back(axis);
  }
  if (llvm::is_contained(kernel.getAxisNames(), Attribute(merge.getAxis())) &&
      !llvm::is_contained(merge.getParts(), merge.getAxis())) {
    why = ("merge gives the name '" + name + "', which another axis has: choose another one").str();
    return failure();
  }
  std::string reason;
  if (!canMergeAxes(kernel, axes, reason)) {
    why = ("merge '" + name + "': " + reason).str();
    return failure();
  }
  mergeAxes(kernel, axes, name);
  return success();
}

LogicalResult tw::schedule::applyRewrites(KernelOp kernel, std::string &why) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return success();
  ArrayRef<Attribute> rest = schedule.getPrimitives();
  while (!rest.empty() && isa<MergeAttr, WidenAttr>(rest.front())) {
    auto merge = dyn_cast<MergeAttr>(rest.front());
    if (failed(merge ? applyMerge(kernel, merge, why)
                     : applyWiden(kernel, cast<WidenAttr>(rest.front()), why)))
      return failure();
    rest = rest.drop_front();
  }
  kernel.setScheduleAttr(ScheduleAttr::get(kernel.getContext(), rest));
  // The parts of a factored reduction are kernels of their own, with the rest of the schedule.
  return getRfactor(kernel.getScheduleAttr()) ? success() : padReducedAxes(kernel, why);
}
