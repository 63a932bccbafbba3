// grid: axes as the grid of programs.
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class GridPrimitive : public PrimitiveOf<GridAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    return builder.place("grid", cast<GridAttr>(primitive).getAxes(), Role::Grid,
                         builder.getPlan().grid);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<GridAttr>(primitive).getAxes());
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Grid)
