// unroll: unrolled loops.
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class UnrollPrimitive : public PrimitiveOf<UnrollAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto unroll = cast<UnrollAttr>(primitive);
    unsigned leaf;
    if (failed(builder.findAxis("unroll", unroll.getAxis(), leaf)))
      return failure();
    builder.getPlan().leaves[leaf].unroll = unroll.getFactor();
    return success();
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    auto fail = [&](const Twine &reason) {
      why = reason.str();
      return failure();
    };
    for (const LeafAxis &leaf : plan.leaves)
      if (leaf.unroll != 1 && leaf.role != Role::Loop)
        return fail(
            "unroll '" + leaf.name.getValue() + "' is for loops: it is in " +
            (leaf.role == Role::Grid ? "grid" : "tile, whose elements are unrolled anyway") +
            "; leave unroll out, or split it and order a part");
    return success();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<UnrollAttr>(primitive).getAxis());
  }

  unsigned getWeight() const override { return 1; }

  void drawMore(Drawing &drawing) const override {
    if (drawing.loops.empty())
      return;
    const Drawing::Leaf &leaf = drawing.pick(drawing.loops);
    drawing.add(UnrollAttr::get(drawing.context, leaf.name,
                                leaf.extent <= 6 && drawing.chance(50) ? 0 : 2 + drawing.below(3)));
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Unroll)
