// Products whose one operand is read through windows, as products of matrices: the axes of windows
// are merged with those beside which they are stored, and those that are summed with each other, so
// the operand becomes a panel of everything that windows see. What a convolution by channels keeps
// in short rows, the gradient of weights by small pictures, has long ones then.
#include "Accesses.h"
#include "Contraction.h"
#include "ListBuilder.h"
#include "Rewritten.h"
#include "Strategies.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Whether results lie along the axes of the group, slowest first, as along one axis.
static bool storesTogether(const Product &product, const Accesses &accesses,
                           const AxisGroup &group) {
  return llvm::all_of(accesses.all(), [&](const Access &access) {
    std::optional<int64_t> next;
    for (unsigned axis : llvm::reverse(group.axes)) {
      if (!access.isStore || product.extent(axis) == 1)
        continue;
      std::optional<int64_t> stride = accesses.getStride(access, axis);
      if (!stride || (next && *stride != *next))
        return false;
      next = *stride * product.extent(axis);
    }
    return true;
  });
}

void tw::schedule::host::proposeUnfolded(KernelOp kernel, const HostTraits &traits,
                                         SmallVectorImpl<HostCandidate> &candidates) {
  Product product(kernel);
  if (!product.match())
    return;
  Accesses accesses(kernel, product.sets);
  ListBuilder list(kernel);
  bool unfolds = false;
  for (AxisGroup &group : findAxisGroups(kernel, product.sets, /*apart=*/true)) {
    if (group.scanned || group.settled)
      return;
    llvm::erase_if(group.axes, [&](unsigned axis) { return product.extent(axis) == 1; });
    SmallVector<AxisGroup> runs = accesses.findRuns(group);
    bool joins = runs.size() > 1 && (group.reduced || storesTogether(product, accesses, group));
    unfolds |= joins && group.stored;
    for (const AxisGroup &run : joins ? ArrayRef(group) : ArrayRef(runs))
      if (run.axes.size() > 1)
        list.merge(run);
  }
  if (unfolds)
    proposeRewritten(kernel, list.finish(), traits, proposeGatheredContraction, candidates);
}
