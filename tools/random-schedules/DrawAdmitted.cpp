// Reads what a kernel has to draw from, and which primitives it admits at all.
#include "Drawer.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Plan.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

void Drawer::readKernel(KernelOp from) {
  AxisSets sets(from);
  llvm::SmallBitVector reduced(from.getNumAxes());
  loads.clear();
  values.clear();
  sums.clear();
  factored.clear();
  leaves.clear();
  maximum.reset();
  group = 0;
  for (Operation &op : from.getBody().front()) {
    llvm::SmallBitVector own = sets.reducedBy(&op);
    reduced |= own;
    auto name = op.getAttrOfType<StringAttr>("name");
    if (auto contract = dyn_cast<ContractOp>(op);
        contract && contract.getLhs().getType() != contract.getResult().getType())
      group = 32 / contract.getLhs().getType().getIntOrFloatBitWidth();
    if (auto scan = dyn_cast<ScanOp>(op))
      reduced.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && (reduce.getKind() == arith::AtomicRMWKind::maximumf ||
                   reduce.getKind() == arith::AtomicRMWKind::maxnumf))
      maximum = {own, sets.of(reduce.getResult(0))};
    if (!name)
      continue;
    (isa<LoadOp>(op) ? loads : values).push_back(name);
    if (!isa<ReduceOp, ContractOp>(op))
      continue;
    sums.push_back(name);
    for (unsigned axis : own.set_bits())
      factored.push_back({name, text(from.getAxisName(axis)), from.getExtents()[axis]});
  }
  for (unsigned i = 0; i < from.getNumAxes(); ++i)
    leaves.push_back({text(from.getAxisName(i)), from.getExtents()[i], bool(reduced[i]), i});
}

OwningOpRef<KernelOp> Drawer::rewrite() {
  OwningOpRef<KernelOp> copy(cast<KernelOp>(kernel->clone()));
  copy->setScheduleAttr(ScheduleAttr::get(context, list));
  std::string why;
  if (failed(schedule::applyRewrites(*copy, why)))
    llvm_unreachable("what is drawn is legal");
  return copy;
}

bool Drawer::isLegalWith(ArrayRef<Attribute> primitives) {
  SmallVector<Attribute> all(list);
  all.append(primitives.begin(), primitives.end());
  std::string why;
  return schedule::isLegal(kernel, ScheduleAttr::get(context, all), why);
}

RfactorAttr Drawer::getRfactor(const Factored &from, int64_t length) {
  return RfactorAttr::get(context, from.sum, from.axis, text(from.axis.getValue() + "p"),
                          text(from.axis.getValue() + "q"), length);
}

void Drawer::findAdmitted() {
  llvm::erase_if(factored, [&](const Factored &from) { return !isLegalWith(getRfactor(from, 1)); });
  SmallVector<StringAttr> free, reduced;
  for (const Leaf &leaf : leaves) {
    (leaf.reduced ? reduced : free).push_back(leaf.name);
    if (!sums.empty() && isLegalWith(SkipAttr::get(context, leaf.name)))
      skippable.push_back(leaf.name);
    if (isLegalWith({OrderAttr::get(context, leaf.name), TeamAttr::get(context, leaf.name)}))
      shareable.push_back(leaf.name);
  }
  if (maximum)
    for (unsigned axis : maximum->over.set_bits()) {
      StringAttr name = leaves[axis].name;
      SmallVector<StringAttr> order{name};
      llvm::copy_if(reduced, std::back_inserter(order),
                    [&](StringAttr other) { return other != name; });
      if (isLegalWith({GridAttr::get(context, free), OrderAttr::get(context, order),
                       OnlineAttr::get(context, name)}))
        onlineAxes.push_back(axis);
    }
  result.admits = {{"contract", group != 0},
                   {"online", !onlineAxes.empty()},
                   {"rfactor", !factored.empty()},
                   {"skip", !skippable.empty()},
                   {"team", !shareable.empty()}};
}
