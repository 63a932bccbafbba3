// Draws schedules primitive by primitive, each checked against those before it.
#include "tw/Schedule/Drawing.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

Drawing::Drawing(KernelOp kernel, Random &random, unsigned depth, AdmittedByHead *known)
    : kernel(kernel), context(kernel.getContext()), random(random), depth(depth), known(known) {
  readKernel(kernel);
}

Drawn Drawing::draw() {
  drawPhase(Phase::Rewrite);
  if (!list.empty())
    readKernel(*rewrite());
  findAdmitted();
  drawPhase(Phase::Parts);
  if (!done) {
    drawPhase(Phase::Plan);
    for (unsigned tries = below(10); tries > 0 && list.size() < depth; --tries)
      drawMore();
  }
  result.schedule = ScheduleAttr::get(context, list);
  return result;
}

void Drawing::findAdmitted() {
  auto head = ScheduleAttr::get(context, list);
  if (known)
    if (auto it = known->find(head); it != known->end()) {
      const Admitted &all = it->second;
      skippable = all.skippable;
      shareable = all.shareable;
      factored = all.factored;
      onlineAxes = all.onlineAxes;
      result.admits = all.kinds;
      return;
    }
  for (const Primitive *kind : getPrimitives())
    if (std::optional<bool> admitted = kind->isAdmitted(*this))
      result.admits.push_back({kind->getKeyword(), *admitted});
  if (known)
    known->try_emplace(head, Admitted{skippable, shareable, factored, onlineAxes, result.admits});
}

void Drawing::drawPhase(Phase phase) {
  for (const Primitive *kind : getPrimitives())
    if (kind->getPhase() == phase)
      kind->draw(*this);
}

void Drawing::drawMore() {
  auto kinds = llvm::reverse(getPrimitives());
  unsigned all = 0;
  for (const Primitive *kind : kinds)
    all += kind->getWeight();
  uint64_t at = below(all);
  for (const Primitive *kind : kinds) {
    if (at < kind->getWeight())
      return kind->drawMore(*this);
    at -= kind->getWeight();
  }
}

bool Drawing::drawParts() {
  Block block;
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(ScheduleAttr::get(context, list));
  std::string why;
  if (failed(applyRewrites(copy, why)))
    return false;
  FailureOr<KernelOp> parts = applyParts(copy, why);
  if (failed(parts))
    return false;
  Drawing behind(*parts, random, depth - list.size());
  behind.moreKept = moreKept;
  Drawn rest = behind.draw();
  llvm::append_range(list, rest.schedule.getPrimitives());
  result.refused += rest.refused;
  result.silent += rest.silent;
  return done = true;
}

bool Drawing::add(ArrayRef<Attribute> primitives) {
  size_t before = list.size();
  if (before + primitives.size() > depth)
    return false;
  list.append(primitives.begin(), primitives.end());
  std::string why;
  if (isLegal(kernel, ScheduleAttr::get(context, list), why))
    return true;
  list.resize(before);
  ++(why.empty() ? result.silent : result.refused);
  return false;
}

OwningOpRef<KernelOp> Drawing::rewrite() {
  OwningOpRef<KernelOp> copy(cast<KernelOp>(kernel->clone()));
  copy->setScheduleAttr(ScheduleAttr::get(context, list));
  std::string why;
  if (failed(applyRewrites(*copy, why)))
    llvm_unreachable("what is drawn is legal");
  return copy;
}

bool Drawing::isLegalWith(ArrayRef<Attribute> primitives) {
  SmallVector<Attribute> all(list);
  all.append(primitives.begin(), primitives.end());
  std::string why;
  return isLegal(kernel, ScheduleAttr::get(context, all), why);
}

void Drawing::readKernel(KernelOp from) {
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
    StringAttr name = getValueName(&op);
    if (auto contract = dyn_cast<ContractOp>(op);
        contract && contract.getLhs().getType() != contract.getResult().getType())
      group = 32 / contract.getLhs().getType().getIntOrFloatBitWidth();
    reduced |= sets.orderedBy(&op);
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && (reduce.getKind() == arith::AtomicRMWKind::maximumf ||
                   reduce.getKind() == arith::AtomicRMWKind::maxnumf ||
                   (reduce.getKind() == arith::AtomicRMWKind::addf && !maximum)))
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
