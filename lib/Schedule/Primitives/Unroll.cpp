// unroll: unrolled loops.
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// Copies of the innermost loop's body that unrolling makes: more take minutes to compile, and no
/// cache holds them.
constexpr int64_t kMaxCopies = 1 << 14;

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
    int64_t copies = 1;
    for (unsigned position : plan.loops) {
      LeafAxis &leaf = plan.leaves[position];
      // More iterations than there are: all of them.
      if (leaf.unroll > leaf.extent)
        leaf.unroll = 0;
      int64_t factor = leaf.unroll == 0 ? leaf.extent : leaf.unroll;
      if (llvm::MulOverflow(copies, std::max<int64_t>(factor, 1), copies) || copies > kMaxCopies)
        return fail("unroll '" + leaf.name.getValue() + "' makes more than " + Twine(kMaxCopies) +
                    " copies of what is inside of the loops: unroll it by less, or split it and "
                    "unroll a part");
    }
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

  void move(Moves &moves) const override {
    constexpr int64_t kWhole = 8; // iterations of a loop that is unrolled as a whole
    for (UnrollAttr unroll : moves.getMarks<UnrollAttr>())
      moves.addWithout(unroll);
    for (const Moves::Leaf &leaf : moves.leaves)
      if (leaf.role == Role::Loop && leaf.extent > 1)
        for (int64_t factor : {0, 2, 4})
          if (factor == 0 ? leaf.extent <= kWhole : factor < leaf.extent)
            moves.addMark(UnrollAttr::get(moves.context, leaf.name, factor));
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Unroll)
