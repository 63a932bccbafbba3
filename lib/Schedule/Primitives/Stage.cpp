// stage: a value copied into memory of its own.
#include "../Stage.h"
#include "../Tile.h"
#include "tw/Schedule/Primitive.h"

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
};

} // namespace

TW_DEFINE_PRIMITIVE(Stage)
