// Attention and its like, by matrix units: a contraction whose results are reduced, and contracted
// again, over an axis of their own.
//
//   s = sum over d of q[i, d] * k[j, d]    m = max over j of s    p = exp(s - m)
//   l = sum over j of p                    o = sum over j of p * v[j, e]
//
// A program has a tile of i, all of d and e, and a loop over tiles of j that is online: tiles of k
// and v come through rings, scores are never in memory.
#include "GpuAttention.h"

#include "ScheduleBuilder.h"
#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class GpuAttention {
public:
  GpuAttention(KernelOp kernel, const GpuSizes &sizes)
      : kernel(kernel), sizes(sizes), sets(kernel), builder(kernel, sets) {}

  ScheduleAttr make() {
    if (!findProducts() || !findGroups())
      return {};
    addGrid();
    auto [depthLoop, depthInner] = builder.addUnit(*depth, std::min(whole(*depth), sizes.block));
    builder.addUnrolled(depthLoop);
    StringAttr row = builder.addTile(getRows(), sizes.height, ScheduleBuilder::Rest::Grid);
    auto [keyLoop, key] =
        builder.addUnit(*keys, std::min(whole(*keys), sizes.keys), EdgeMode::Mask);
    StringAttr column = builder.addTile(*columns, whole(*columns), ScheduleBuilder::Rest::Loop);
    bool isSplit = whole(*depth) > sizes.block;
    auto stage = [&](Value operand, StringRef name, StringAttr loop, const AxisGroup &sums,
                     StringAttr inner, StringAttr side, StringAttr outer, int64_t slots) {
      Operation *op = operand.getDefiningOp();
      SmallVector<StringAttr> order = {inner, side};
      if (auto load = dyn_cast<LoadOp>(op);
          load && getUsualStride(load, kernel.getAxis(sums.fastest())) == 1)
        std::swap(order[0], order[1]);
      if (outer)
        order.insert(order.begin(), outer);
      builder.addStage(op, name, loop, order, isa<LoadOp>(op) ? slots : 1);
    };
    StringAttr outer = isSplit ? depthLoop : StringAttr();
    int64_t slots = std::min<int64_t>(sizes.slots, llvm::divideCeil(keys->extent, sizes.keys));
    stage(query, "query", {}, *depth, depthInner, row, outer, 1);
    stage(scored, "key", keyLoop, *depth, depthInner, key, outer, slots);
    stage(value, "value", keyLoop, *keys, key, column, {}, slots);
    if (keys->settled || keys->extent > sizes.keys)
      builder.addOnline(keyLoop);
    if (std::string why; keys->axes.size() == 1 && findMask(kernel, keys->axes[0], why))
      builder.addSkip(keys->axes[0]);
    return builder.finish(std::max<int64_t>(1, sizes.height / sizes.subgroupRows),
                          slots > 1 ? sizes.loading : 0);
  }

private:
  KernelOp kernel;
  const GpuSizes &sizes;
  AxisSets sets;
  ScheduleBuilder builder;
  SmallVector<AxisGroup> groups;
  ContractOp score, result;
  /// What the products are of, beside the weights.
  Value query, scored, value;
  AxisGroup *depth = nullptr, *keys = nullptr, *columns = nullptr, *rows = nullptr;

  static int64_t whole(const AxisGroup &group) {
    // No unit sums less.
    constexpr int64_t least = 16;
    return std::max<int64_t>(least, llvm::PowerOf2Ceil(group.extent));
  }

  static bool isTaken(ContractOp op) {
    Type type = op.getLhs().getType();
    return (type.isBF16() || type.isF16()) && type == op.getRhs().getType() &&
           op.getResult().getType().isF32();
  }

  bool needs(Value value, Operation *producer) {
    SmallVector<Value> work{value};
    llvm::DenseSet<Operation *> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (op == producer)
        return true;
      if (op && seen.insert(op).second)
        llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  /// Two contractions, the second one of what is computed of the first one's results.
  bool findProducts() {
    SmallVector<ContractOp> products(kernel.getBody().getOps<ContractOp>());
    if (products.size() != 2 || !llvm::all_of(products, isTaken) ||
        !kernel.getBody().getOps<ScanOp>().empty())
      return false;
    score = products[0];
    result = products[1];
    bool isLeft = needs(result.getLhs(), score), isRight = needs(result.getRhs(), score);
    if (isLeft == isRight)
      return false;
    value = isLeft ? result.getRhs() : result.getLhs();
    return true;
  }

  /// The axes of keys, and of those along which only one operand of a product varies.
  bool findGroups() {
    groups = findAxisGroups(kernel, sets, /*apart=*/true);
    for (AxisGroup &group : groups) {
      unsigned axis = group.axes[0];
      bool inLeft = sets.of(score.getLhs())[axis], inRight = sets.of(score.getRhs())[axis];
      AxisGroup **role = nullptr;
      if (sets.reducedBy(score)[axis])
        role = &depth;
      else if (sets.reducedBy(result)[axis])
        role = &keys;
      else if (!group.everywhere)
        role = &columns;
      else if (inLeft != inRight && !sets.of(value)[axis])
        role = &rows;
      if (!role)
        continue;
      // Of rows those that a call settles are a group of their own, and the last one counts. What a
      // tile has whole is no such.
      bool isWhole = role == &depth || role == &columns;
      if ((*role && role != &rows) || (isWhole && group.settled))
        return false;
      *role = &group;
    }
    if (!depth || !keys || !columns || !rows || depth->stored || keys->stored ||
        sets.of(score.getResult())[columns->axes[0]])
      return false;
    bool isLeft = sets.of(score.getLhs())[rows->axes[0]];
    query = isLeft ? score.getLhs() : score.getRhs();
    scored = isLeft ? score.getRhs() : score.getLhs();
    return sets.of(scored)[keys->axes[0]] && query.getDefiningOp() && scored.getDefiningOp() &&
           value.getDefiningOp();
  }

  /// Of several axes the one that is fastest in memory: masks are functions of it, not of merged
  /// ones.
  AxisGroup getRows() const {
    AxisGroup own = *rows;
    own.axes.erase(own.axes.begin(), std::prev(own.axes.end()));
    own.settled &= rows->axes.size() == 1;
    own.extent = kernel::KernelOp(kernel).getExtents()[own.axes[0]];
    return own;
  }

  void addGrid() {
    for (AxisGroup &group : groups) {
      if (&group != depth && &group != keys && &group != columns && &group != rows)
        builder.addGrid(group);
      if (&group == rows)
        for (unsigned axis : ArrayRef(group.axes).drop_back()) {
          AxisGroup own = group;
          own.axes = {axis};
          own.settled &= axis == group.axes.front();
          own.extent = kernel.getExtents()[axis];
          builder.addGrid(own);
        }
    }
  }
};

} // namespace

ScheduleAttr tw::schedule::writeGpuAttention(KernelOp kernel, const GpuSizes &sizes) {
  return GpuAttention(kernel, sizes).make();
}
