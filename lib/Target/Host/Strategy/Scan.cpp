// Running sums and their like: vectors along the scanned axis where memory is contiguous along it,
// else along another axis, with a carry in each lane.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

void tw::schedule::host::proposeScan(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  mlir::Block &body = kernel.getBody().front();
  if (llvm::any_of(body, [](Operation &op) { return isa<ContractOp, ReduceOp>(op); }) ||
      body.getOps<ScanOp>().empty())
    return;
  AxisSets sets(kernel);
  Accesses accesses(kernel, sets);
  SmallVector<AxisGroup> kept;
  std::optional<AxisGroup> scanned;
  for (const AxisGroup &group : findAxisGroups(kernel, sets, /*apart=*/false)) {
    SmallVector<AxisGroup> runs = accesses.findRuns(group);
    if (!group.scanned)
      kept.append(runs);
    else if (!runs.empty() && scanned)
      return;
    else if (!runs.empty())
      scanned = runs.front();
  }
  if (!scanned)
    return;

  ListBuilder list(kernel);
  bool staysInOrder =
      llvm::any_of(body.getOps<ScanOp>(), [](ScanOp scan) { return !scan.getKind(); });
  bool along = !staysInOrder && accesses.areContiguous(scanned->fastest()) &&
               scanned->extent >= traits.lanes;
  auto *lanes = llvm::find_if(kept, [&](const AxisGroup &run) {
    return run.extent >= traits.lanes && accesses.areContiguous(run.fastest());
  });
  if (!along && lanes == kept.end())
    return;
  for (const AxisGroup &run : kept)
    if (along || &run != lanes)
      list.grid.push_back(list.merge(run));
  const AxisGroup &run = along ? *scanned : *lanes;
  // Along the scan a vector waits for the one before it only at its end: a few suffice. Across,
  // each has a carry.
  int64_t width = traits.lanes * (along ? 4 : traits.registers / 4);
  while (width > traits.lanes && width > run.extent)
    width /= 2;
  StringAttr axis = list.merge(run);
  if (!along)
    list.order.push_back(list.merge(*scanned));
  if (width == run.extent) {
    list.tile.push_back(axis);
  } else {
    SmallVector<StringAttr> parts = list.split(axis, run.extent, {width});
    (along ? list.order : list.grid).push_back(parts[0]);
    list.tile.push_back(parts[1]);
  }
  for (StreamAttr stream : findStreamedResults(kernel, traits))
    list.stream(stream);
  candidates.push_back({"scan", list.finish()});
}
