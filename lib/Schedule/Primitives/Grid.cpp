// grid: axes as the grid of programs.
#include "tw/Schedule/Moves.h"
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

  /// An axis of the grid made the outermost loop, a loop made the grid's last axis, neighbours
  /// exchanged.
  void move(Moves &moves) const override {
    for (const Moves::Leaf &leaf : moves.leaves) {
      Moves::List next = moves.list;
      if (leaf.role == Role::Grid) {
        llvm::erase(next.grid, leaf.name);
        next.order.insert(next.order.begin(), leaf.name);
      } else if (leaf.role == Role::Loop && !leaf.reduced) {
        llvm::erase(next.order, leaf.name);
        next.grid.push_back(leaf.name);
      } else {
        continue;
      }
      moves.add(next);
    }
    for (size_t i = 1; i < moves.list.grid.size(); ++i) {
      Moves::List next = moves.list;
      std::swap(next.grid[i - 1], next.grid[i]);
      moves.add(next);
    }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Grid)
