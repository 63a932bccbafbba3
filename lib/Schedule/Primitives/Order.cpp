// order: axes as loops, outermost first.
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class OrderPrimitive : public PrimitiveOf<OrderAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    return builder.place("order", cast<OrderAttr>(primitive).getAxes(), Role::Loop,
                         builder.getPlan().loops);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<OrderAttr>(primitive).getAxes());
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    axes.setOrder(cast<OrderAttr>(primitive).getAxes());
    return axes.keepsOrder() ? Exactness::Exact : Exactness::Reassociating;
  }

  StringRef getExactAdvice() const override {
    return "reduced axes run in another order than in the kernel; keep theirs";
  }

  bool showsInPlan() const override { return true; }
};

} // namespace

TW_DEFINE_PRIMITIVE(Order)
