// Products some of whose axes run through memory as one: the pixels of a convolution 1 by 1, the
// batch and the rows of a product with one matrix. They are merged, and the strategy for products
// sees one axis.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Product.h"
#include "Strategies.h"

#include "tw/Schedule/Plan.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

void tw::schedule::host::proposeMergedContraction(KernelOp kernel, const HostTraits &traits,
                                                  SmallVectorImpl<HostCandidate> &candidates) {
  Product product(kernel);
  if (!product.match())
    return;
  Accesses accesses(kernel, product.sets);
  ListBuilder list(kernel);
  bool merges = false;
  for (const AxisGroup &group : findAxisGroups(kernel, product.sets, /*apart=*/true))
    if (!group.reduced)
      for (const AxisGroup &run : accesses.findRuns(group))
        if (run.axes.size() > 1) {
          list.merge(run);
          merges = true;
        }
  if (!merges)
    return;

  // Values are named while a schedule is written, so the copy's names are brought back.
  constexpr StringLiteral kPlace = "place";
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front()) {
    op.setDiscardableAttr(kPlace,
                          IntegerAttr::get(IndexType::get(kernel.getContext()), ops.size()));
    ops.push_back(&op);
  }
  auto merged = cast<KernelOp>(kernel->clone());
  ScheduleAttr head = list.finish();
  merged.setScheduleAttr(head);
  std::string why;
  SmallVector<HostCandidate> found;
  if (succeeded(applyRewrites(merged, why)))
    proposeContraction(merged, traits, found);
  for (Operation &op : merged.getBody().front())
    if (auto place = op.getAttrOfType<IntegerAttr>(kPlace))
      if (auto name = op.getAttrOfType<StringAttr>("name"))
        ops[place.getInt()]->setAttr("name", name);
  for (Operation *op : ops)
    op->removeDiscardableAttr(kPlace);
  merged->erase();
  for (HostCandidate &candidate : found) {
    SmallVector<Attribute> whole(head.getPrimitives());
    llvm::append_range(whole, candidate.schedule.getPrimitives());
    candidate.schedule = ScheduleAttr::get(kernel.getContext(), whole);
    candidates.push_back(candidate);
  }
}
