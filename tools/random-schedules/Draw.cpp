// Draws schedules primitive by primitive, each checked against those before it.
#include "Drawer.h"

#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"
#include "tw/Schedule/Plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

Drawn Drawer::draw() {
  drawMerges();
  drawWiden();
  if (!list.empty())
    readKernel(*rewrite());
  findAdmitted();
  if (!factored.empty() && chance(15) && drawRfactor())
    return std::move(result);
  unsigned splits = below(5);
  if (group && chance(60))
    drawSplit(/*grouped=*/true);
  for (unsigned i = 0; i < splits && list.size() < depth; ++i)
    drawSplit();
  drawRoles();
  for (unsigned tries = below(10); tries > 0 && list.size() < depth; --tries)
    drawExtra();
  result.schedule = ScheduleAttr::get(context, list);
  return result;
}

bool Drawer::add(ArrayRef<Attribute> primitives) {
  size_t before = list.size();
  if (before + primitives.size() > depth)
    return false;
  list.append(primitives.begin(), primitives.end());
  std::string why;
  if (schedule::isLegal(kernel, ScheduleAttr::get(context, list), why))
    return true;
  list.resize(before);
  ++(why.empty() ? result.silent : result.refused);
  return false;
}

void Drawer::drawMerges() {
  if (leaves.size() < 2 || !chance(25))
    return;
  unsigned count = 2 + below(2), first = below(leaves.size());
  SmallVector<StringAttr> parts;
  for (unsigned i = first; i < leaves.size() && parts.size() < count; ++i)
    parts.push_back(leaves[i].name);
  if (chance(10))
    std::swap(parts.front(), parts.back());
  add(MergeAttr::get(context, text("merged"), parts));
}

bool Drawer::drawRfactor() {
  const Factored &from = pick(factored);
  int64_t length = chance(10) ? pick(factors) : 1 + below(from.extent / 2);
  auto primitive = getRfactor(from, length);
  if (!add(primitive))
    return false;
  Block block;
  auto copy = cast<KernelOp>(kernel->clone());
  block.push_back(copy);
  copy.setScheduleAttr(ScheduleAttr::get(context, ArrayRef(list).drop_back()));
  std::string why;
  if (failed(schedule::applyRewrites(copy, why)))
    return false;
  KernelOp parts = factorReduction(copy, primitive);
  Drawn rest = Drawer(parts, random, depth - list.size()).draw();
  list.append(rest.schedule.getPrimitives().begin(), rest.schedule.getPrimitives().end());
  result.schedule = ScheduleAttr::get(context, list);
  result.refused += rest.refused;
  result.silent += rest.silent;
  return true;
}

void Drawer::drawWiden() {
  for (auto contract : kernel.getBody().getOps<ContractOp>()) {
    auto name = contract->getAttrOfType<StringAttr>("name");
    bool isNarrow = contract.getLhs().getType() != contract.getResult().getType();
    if (name && isNarrow && chance(40))
      add(WidenAttr::get(context, name, text(name.getValue() + "_lhs"),
                         text(name.getValue() + "_rhs")));
  }
}

void Drawer::drawSplit(bool grouped) {
  unsigned at = below(leaves.size());
  while (grouped && !leaves[at].reduced)
    at = below(leaves.size());
  Leaf whole = leaves[at];
  unsigned count = 1 + (chance(30) ? 1 : 0);
  grouped |= group && whole.reduced && chance(60);
  SmallVector<StringAttr> parts{text(whole.name.getValue() + "o")};
  SmallVector<int64_t> sizes;
  SmallVector<Leaf> made;
  int64_t inner = 1;
  for (unsigned i = 0; i < count; ++i) {
    sizes.push_back(grouped && i + 1 == count ? group : pick(factors));
    inner *= sizes.back();
    parts.push_back(text(whole.name.getValue() + (i ? "j" : "i")));
  }
  made.push_back({parts[0], (whole.extent + inner - 1) / inner, whole.reduced, whole.axis});
  for (unsigned i = 0; i < count; ++i)
    made.push_back({parts[i + 1], sizes[i], whole.reduced, whole.axis});
  int64_t points = inner * llvm::divideCeil(whole.extent, inner);
  for (const Leaf &leaf : leaves)
    points *= leaf.name == whole.name ? 1 : leaf.extent;
  if (points > mostPoints)
    return;
  SmallVector<Attribute> primitives{SplitAttr::get(context, whole.name, parts, sizes)};
  // What an edge says is about a split, wherever it stands after it.
  if (chance(60))
    primitives.push_back(
        EdgeAttr::get(context, whole.name, chance(60) ? EdgeMode::Peel : EdgeMode::Mask));
  if (!add(primitives))
    return;
  if (whole.extent % inner)
    padded.push_back(whole.name);
  leaves.erase(leaves.begin() + at);
  leaves.insert(leaves.begin() + at, made.begin(), made.end());
}

fuzz::Drawn fuzz::drawSchedule(KernelOp kernel, Random &random, unsigned depth) {
  return Drawer(kernel, random, depth).draw();
}
