// tile: axes as the dimensions of register tiles.
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Rings.h"
#include "tw/Schedule/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// The largest tile of a group of threads, in elements per thread, of subgroups of the nominal
/// size.
static constexpr int64_t kMaxThreadElements = 64, kThreadsPerWarp = 32;
/// The same where matrix units multiply: sums that stay in registers.
static constexpr int64_t kMaxUnitElements = 128;

LogicalResult tw::schedule::checkElements(const Plan &plan, ArrayRef<unsigned> leaves,
                                          std::string &why) {
  int64_t each = usesUnits(plan) ? kMaxUnitElements : kMaxThreadElements;
  int64_t most = plan.warps ? plan.warps * kThreadsPerWarp * each : kMaxTileElements;
  int64_t elements = 1;
  for (unsigned leaf : leaves)
    if (llvm::MulOverflow(elements, plan.leaves[leaf].extent, elements))
      elements = std::numeric_limits<int64_t>::max();
  if (elements <= most)
    return success();
  why = ("tile of " + Twine(elements) + " elements exceeds the register budget of " + Twine(most) +
         ": split its axes smaller" + (plan.warps ? ", or give it more warps" : ""))
            .str();
  return failure();
}

namespace {

class TilePrimitive : public PrimitiveOf<TileAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    return builder.place("tile", cast<TileAttr>(primitive).getAxes(), Role::Tile,
                         builder.getPlan().tile);
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (plan.warps)
      for (unsigned leaf : plan.tile) {
        int64_t extent = plan.leaves[leaf].extent;
        StringRef name = plan.leaves[leaf].name.getValue();
        if (extent > 0 && !llvm::isPowerOf2_64(extent)) {
          why = ("tile '" + name + "' of " + Twine(extent) +
                 " elements is no power of two, as tiles of several threads are: split " + name +
                 " = [" + name + "_o, " + name + "_i " + Twine(llvm::PowerOf2Ceil(extent)) +
                 "] and tile the inner part")
                    .str();
          return failure();
        }
      }
    // What a dot instruction or a matrix unit sums over has no place in the tile of the sums.
    SmallVector<unsigned> sums(plan.tile);
    llvm::erase_if(sums, [&](unsigned leaf) { return plan.leaves[leaf].dot; });
    return checkElements(plan, sums, why);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<TileAttr>(primitive).getAxes());
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    return axes.findReduced(cast<TileAttr>(primitive).getAxes()) ? Exactness::Reassociating
                                                                 : Exactness::Exact;
  }

  StringRef getExactAdvice() const override {
    return "it holds parts of a reduced axis, which are summed before the others; tile axes that "
           "are not reduced, and put the reduced ones in order";
  }

  bool showsInPlan() const override { return true; }

  /// A dimension made the innermost loop, or the one along lanes; an axis made a dimension.
  void move(Moves &moves) const override {
    for (const Moves::Leaf &leaf : moves.leaves) {
      Moves::List next = moves.list;
      llvm::erase(next.of(leaf.role), leaf.name);
      if (leaf.role == Role::Tile) {
        Moves::List lanes = next;
        lanes.tile.push_back(leaf.name);
        moves.add(lanes);
        next.order.push_back(leaf.name);
        moves.add(next);
      } else if (moves.getElements() * leaf.extent <= moves.sizes.mostElements) {
        Moves::List lanes = next;
        lanes.tile.push_back(leaf.name);
        moves.add(lanes);
        next.tile.insert(next.tile.begin(), leaf.name);
        moves.add(next);
      }
    }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Tile)
