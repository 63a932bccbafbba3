// order: axes as loops, outermost first.
#include "tw/Schedule/Moves.h"
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

  void draw(Drawing &drawing) const override {
    if (drawing.placed)
      return;
    SmallVector<StringAttr> grid, tile, order;
    SmallVector<Drawing::Leaf> shuffled(drawing.leaves);
    if (drawing.chance(70))
      std::shuffle(shuffled.begin(), shuffled.end(), drawing.random);
    int64_t elements = 1;
    std::optional<size_t> groupAt;
    for (const Drawing::Leaf &leaf : shuffled) {
      bool isGroup = drawing.group && leaf.reduced && leaf.extent == drawing.group;
      unsigned role = isGroup ? 70 : drawing.below(100);
      bool fits = elements * leaf.extent <= Drawing::mostElements;
      if (role < (leaf.reduced ? 2u : 40u)) {
        grid.push_back(leaf.name);
      } else if (role < 75 && fits && tile.size() < 4) {
        if (isGroup)
          groupAt = tile.size();
        tile.push_back(leaf.name);
        elements *= leaf.extent;
      } else if (role < 95) {
        order.push_back(leaf.name);
        drawing.loops.push_back(leaf);
      }
    }
    // The lanes are no group.
    if (groupAt && *groupAt + 1 == tile.size() && drawing.chance(85))
      std::swap(tile.front(), tile.back());
    if (!grid.empty())
      drawing.add(GridAttr::get(drawing.context, grid));
    if (!order.empty() && !drawing.add(OrderAttr::get(drawing.context, order))) {
      // In the order of the kernel it is mostly legal.
      SmallVector<StringAttr> sorted;
      for (const Drawing::Leaf &leaf : drawing.leaves)
        if (llvm::is_contained(order, leaf.name))
          sorted.push_back(leaf.name);
      drawing.add(OrderAttr::get(drawing.context, sorted));
    }
    if (!drawing.loops.empty() && drawing.chance(10))
      if (const Drawing::Leaf &leaf = drawing.pick(drawing.loops); leaf.reduced)
        drawing.add(OnlineAttr::get(drawing.context, leaf.name));
    while (!tile.empty() && !drawing.add(TileAttr::get(drawing.context, tile)))
      tile.erase(tile.begin() + drawing.below(tile.size()));
  }

  /// A loop beside its neighbour, outermost or innermost.
  void move(Moves &moves) const override {
    size_t loops = moves.list.order.size();
    for (size_t from = 0; from < loops; ++from)
      for (size_t to : {from + 1, size_t(0), loops - 1}) {
        if (to == from || to >= loops)
          continue;
        Moves::List next = moves.list;
        StringAttr loop = next.order[from];
        next.order.erase(next.order.begin() + from);
        next.order.insert(next.order.begin() + to, loop);
        moves.add(next);
      }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Order)
