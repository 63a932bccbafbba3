// Proposing schedules for a rewritten copy of a kernel.
#include "Rewritten.h"

#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Plan.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

void tw::schedule::host::proposeRewritten(KernelOp kernel, ScheduleAttr head,
                                          const HostTraits &traits, Propose propose,
                                          SmallVectorImpl<HostCandidate> &candidates) {
  // Values are named while a schedule is written, so the copy's names are brought back.
  constexpr StringLiteral kPlace = "place";
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front()) {
    op.setDiscardableAttr(kPlace,
                          IntegerAttr::get(IndexType::get(kernel.getContext()), ops.size()));
    ops.push_back(&op);
  }
  auto rewritten = cast<KernelOp>(kernel->clone());
  rewritten.setScheduleAttr(head);
  std::string why;
  SmallVector<HostCandidate> found;
  if (succeeded(applyRewrites(rewritten, why)))
    propose(rewritten, traits, found);
  for (Operation &op : rewritten.getBody().front())
    if (auto place = op.getAttrOfType<IntegerAttr>(kPlace))
      if (StringAttr name = getValueName(&op))
        setValueName(ops[place.getInt()], name);
  for (Operation *op : ops)
    op->removeDiscardableAttr(kPlace);
  rewritten->erase();
  for (HostCandidate &candidate : found) {
    SmallVector<Attribute> whole(head.getPrimitives());
    llvm::append_range(whole, candidate.schedule.getPrimitives());
    candidate.schedule = ScheduleAttr::get(kernel.getContext(), whole);
    candidates.push_back(candidate);
  }
}
