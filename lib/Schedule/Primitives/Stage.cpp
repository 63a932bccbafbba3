// stage: a value copied into memory of its own.
#include "../Stage.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Tile.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class StagePrimitive : public PrimitiveOf<StageAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto stage = cast<StageAttr>(primitive);
    std::string name = stage.getValue().str();
    StagedValue staged;
    staged.op = builder.findValue("stage", stage.getValue());
    if (!staged.op)
      return failure();
    if (stage.getLoop()) {
      unsigned loop;
      if (failed(builder.findAxis("stage '" + name + "' at", stage.getLoop(), loop)))
        return failure();
      staged.loop = loop;
    }
    staged.global = stage.getGlobal();
    staged.isWindow = stage.getWindow();
    for (StringAttr axis : stage.getOrder()) {
      unsigned leaf;
      if (failed(builder.findAxis("stage '" + name + "' as", axis, leaf)))
        return failure();
      staged.leaves.push_back(leaf);
    }
    for (const StagedValue &other : builder.getPlan().staged)
      if (other.op == staged.op)
        return builder.fail("stage '" + name +
                            "' is given twice: a value has one buffer, leave one of them out");
    builder.getPlan().staged.push_back(staged);
    return success();
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (failed(placeStagedValues(kernel, plan, why)))
      return failure();
    if (plan.warps)
      for (const StagedValue &staged : plan.staged)
        // What is staged for all programs is a kernel of its own.
        if (!staged.global && failed(checkElements(plan, staged.leaves, why)))
          return failure();
    return success();
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    auto stage = cast<StageAttr>(primitive);
    names.nameValue(stage.getValue());
    names.nameAxes(stage.getOrder());
    if (stage.getLoop())
      names.nameAxes(stage.getLoop());
  }

  bool makesKernel(Attribute primitive) const override {
    return cast<StageAttr>(primitive).getGlobal();
  }

  Attribute getRest(Attribute primitive) const override {
    return makesKernel(primitive) ? Attribute() : primitive;
  }

  unsigned getWeight() const override { return 2; }

  void drawMore(Drawing &drawing) const override {
    StringAttr loop = drawing.loops.empty() || drawing.chance(20)
                          ? StringAttr()
                          : drawing.pick(drawing.loops).name;
    StringAttr value = !drawing.values.empty() && (drawing.loads.empty() || drawing.chance(25))
                           ? drawing.pick(drawing.values)
                       : drawing.loads.empty() ? StringAttr()
                                               : drawing.pick(drawing.loads);
    if (!value)
      return;
    // Of what is computed a box.
    bool isComputed = !llvm::is_contained(drawing.loads, value);
    bool global = drawing.chance(15), window = !global && drawing.chance(isComputed ? 50 : 25);
    if (global)
      loop = {};
    SmallVector<StringAttr> order;
    // A window of a tensor has its dimensions.
    if ((!window || isComputed) && drawing.chance(50))
      order = drawOrder(drawing, value, loop, global);
    drawing.add(StageAttr::get(drawing.context, value, order, loop, global, window));
  }

  std::string getCounted(Attribute primitive) const override {
    auto stage = cast<StageAttr>(primitive);
    return (Twine("stage") + (stage.getGlobal() ? "-global" : "") +
            (stage.getWindow() ? "-window" : "") + (stage.getOrder().empty() ? "" : "-as"))
        .str();
  }

  /// A value copied in each iteration of another loop, before all of them, or not at all.
  void move(Moves &moves) const override {
    auto marks = moves.getMarks<StageAttr>();
    for (Moves::Names *values : {&moves.loads, &moves.shared, &moves.sums})
      for (StringAttr value : *values) {
        auto *staged =
            llvm::find_if(marks, [&](StageAttr stage) { return stage.getValue() == value; });
        if (staged != marks.end())
          moves.addWithout(*staged);
        Moves::Names loops = moves.list.order;
        loops.push_back({});
        for (StringAttr loop : loops) {
          auto stage = StageAttr::get(moves.context, value, {}, loop, /*global=*/false,
                                      /*window=*/false);
          if (staged == marks.end())
            moves.addMark(stage);
          else
            moves.addInstead(*staged, stage);
        }
      }
  }

private:
  /// Dimensions of a buffer that are legal mostly: the leaves inside of the stage along which the
  /// value varies.
  static SmallVector<StringAttr> drawOrder(Drawing &drawing, StringAttr value, StringAttr loop,
                                           bool global) {
    auto copy = cast<KernelOp>(drawing.kernel->clone());
    copy.setScheduleAttr(ScheduleAttr::get(drawing.context, drawing.list));
    SmallVector<StringAttr> order;
    std::string why;
    if (FailureOr<Plan> plan = makePlan(copy, why); succeeded(plan)) {
      AxisSets sets(copy);
      const llvm::SmallBitVector *axes = nullptr;
      if (Operation *op = findValue(copy, value))
        axes = &sets.of(op->getResult(0));
      bool inside = !loop;
      for (unsigned leaf : llvm::concat<unsigned>(plan->grid, plan->loops, plan->tile)) {
        const LeafAxis &own = plan->leaves[leaf];
        bool counts = own.role == Role::Grid ? global : inside;
        if (axes && counts && (*axes)[own.axis] && own.extent > 1 && !drawing.chance(3))
          order.push_back(own.name);
        inside |= own.name == loop;
      }
    }
    copy->erase();
    std::shuffle(order.begin(), order.end(), drawing.random);
    return order;
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Stage)
