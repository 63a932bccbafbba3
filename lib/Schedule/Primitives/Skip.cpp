// skip: points of a reduced axis that are left out.
#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class SkipPrimitive : public PrimitiveOf<SkipAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    StringAttr name = cast<SkipAttr>(primitive).getAxis();
    KernelOp kernel = builder.getKernel();
    Plan &plan = builder.getPlan();
    auto *it = llvm::find(kernel.getAxisNames(), Attribute(name));
    if (it == kernel.getAxisNames().end())
      return builder.fail("skip '" + name.getValue() +
                          "' names no axis of the kernel: name the whole axis, not its parts");
    unsigned axis = it - kernel.getAxisNames().begin();
    if (llvm::any_of(plan.skipped, [&](const SkippedAxis &s) { return s.axis == axis; }))
      return builder.fail("skip '" + name.getValue() + "' is given twice: leave one of them out");
    std::optional<SkippedAxis> skipped = findMask(kernel, axis, builder.getReason());
    if (!skipped)
      return failure();
    plan.skipped.push_back(*skipped);
    return success();
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (!plan.warps || llvm::all_of(plan.skipped, [](const SkippedAxis &skipped) {
          return isa<arith::SelectOp>(skipped.mask);
        }))
      return success();
    why = "skip of points outside of a tensor is for programs of one thread, not with warps: leave "
          "one of them out";
    return failure();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<SkipAttr>(primitive).getAxis());
  }

  Exactness classify(Attribute, AxisHistory &) const override { return Exactness::Reassociating; }

  StringRef getExactAdvice() const override {
    return "zeros of masked points times infinity are left out; leave it out";
  }

  std::optional<bool> isAdmitted(Drawing &drawing) const override {
    for (const Drawing::Leaf &leaf : drawing.leaves)
      if (!drawing.sums.empty() && drawing.isLegalWith(SkipAttr::get(drawing.context, leaf.name)))
        drawing.skippable.push_back(leaf.name);
    return !drawing.skippable.empty();
  }

  void draw(Drawing &drawing) const override {
    if (!drawing.skippable.empty() && drawing.chance(40))
      drawing.add(SkipAttr::get(drawing.context, drawing.pick(drawing.skippable)));
    else if (!drawing.sums.empty() && drawing.chance(4))
      drawing.add(SkipAttr::get(drawing.context, drawing.pick(drawing.leaves).name));
  }

  void move(Moves &moves) const override {
    for (SkipAttr skip : moves.getMarks<SkipAttr>())
      moves.addWithout(skip);
    for (StringAttr axis : moves.skippable)
      moves.addMark(SkipAttr::get(moves.context, axis));
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Skip)
