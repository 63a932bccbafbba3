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
};

} // namespace

TW_DEFINE_PRIMITIVE(Order)
