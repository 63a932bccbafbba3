// contract: groups of products summed by dot instructions or matrix units.
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Primitive.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class ContractPrimitive : public PrimitiveOf<ContractAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    unsigned leaf;
    if (failed(builder.findAxis("contract", cast<ContractAttr>(primitive).getAxis(), leaf)))
      return failure();
    builder.getPlan().leaves[leaf].dot = true;
    return success();
  }

  /// `contract kg dot`: kg is the group of an instruction; in a group of threads, of several of a
  /// matrix unit.
  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (llvm::none_of(plan.leaves, [](const LeafAxis &leaf) { return leaf.dot; }))
      return success();
    auto fail = [&](const Twine &reason) {
      why = reason.str();
      return failure();
    };
    AxisSets sets(kernel);
    llvm::DenseMap<Operation *, StringRef> grouped;
    for (auto [position, leaf] : llvm::enumerate(plan.leaves)) {
      if (!leaf.dot)
        continue;
      StringRef name = leaf.name.getValue();
      if (leaf.role != Role::Tile || plan.tile.back() == position)
        return fail("contract '" + name + "' dot sums within a step: put '" + name +
                    "' in tile, before the axis along the lanes");
      for (Operation &op : kernel.getBody().front()) {
        // Threads of a group combine what they have of other reductions.
        if (!sets.reducedBy(&op)[leaf.axis] || (plan.warps && isa<ReduceOp>(op)))
          continue;
        auto contract = dyn_cast<ContractOp>(op);
        Type type = contract ? contract.getLhs().getType() : op.getOperand(0).getType();
        if (!contract || type == contract.getResult().getType())
          return fail("contract '" + name +
                      "' dot needs products of bf16, f16 or i8 in wider "
                      "sums, found " +
                      op.getName().stripDialect() + " of " + mlir::debugString(type) +
                      ": leave it out");
        int64_t group = 32 / type.getIntOrFloatBitWidth();
        if (plan.warps) {
          if (leaf.extent < kLeastDepth)
            return fail("contract '" + name +
                        "' dot of a group of threads is for matrix units, "
                        "which sum at least " +
                        Twine(kLeastDepth) + ", found " + Twine(leaf.extent) +
                        ": split it larger, or leave it out");
        } else if (leaf.extent != group)
          return fail("contract '" + name + "' dot takes groups of " + Twine(group) + " of " +
                      mlir::debugString(type) + ", found " + Twine(leaf.extent) + ": split " +
                      name + " = [" + name + "_o, " + name + "_i " + Twine(group) + "]");
        if (auto [other, isFirst] = grouped.try_emplace(&op, name); !isFirst)
          return fail("contract '" + name + "' dot: '" + other->second +
                      "' is the group of the same contraction: leave one of them out");
      }
    }
    return success();
  }

  /// What the smallest matrix units sum at once.
  static constexpr int64_t kLeastDepth = 8;

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<ContractAttr>(primitive).getAxis());
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    return axes.findReduced(cast<ContractAttr>(primitive).getAxis()) ? Exactness::Approximate
                                                                     : Exactness::Exact;
  }

  std::optional<bool> isAdmitted(Drawing &drawing) const override { return drawing.group != 0; }

  void draw(Drawing &drawing) const override {
    if (!drawing.sums.empty())
      for (const Drawing::Leaf &leaf : drawing.leaves)
        if (leaf.reduced && drawing.chance(leaf.extent == drawing.group ? 80 : 2))
          drawing.add(ContractAttr::get(drawing.context, leaf.name));
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Contract)
