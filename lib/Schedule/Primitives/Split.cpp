// split: an axis replaced by nested ones.
#include "tw/Schedule/Primitive.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// Points of all parts of an axis but the first one, so that products of a few stay in 64 bits.
static constexpr int64_t kMaxPart = 1 << 30;

/// The divisor of `extent` that is nearest to `length`, the smaller one of two.
static int64_t getNearestDivisor(int64_t extent, int64_t length) {
  int64_t below = std::min(length, extent), above = below;
  while (extent % below != 0)
    --below;
  while (extent % above != 0)
    ++above;
  return length - below <= above - length ? below : above;
}

namespace {

class SplitPrimitive : public PrimitiveOf<SplitAttr> {
public:
  // m = [mo, mi 8]: leaf m is replaced by mo of ceil(m / 8) and mi of 8; m becomes mo * 8 + mi.
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto split = cast<SplitAttr>(primitive);
    StringRef name = split.getAxis().getValue();
    Plan &plan = builder.getPlan();
    unsigned whole;
    if (failed(builder.findAxis("split", split.getAxis(), whole)))
      return failure();
    auto failLate = [&](StringRef use) {
      return builder.fail("split '" + name + "' comes after its use in " + use +
                          ": put it before, and use its parts there");
    };
    if (builder.isPlaced(whole))
      return failLate(getRoleKeyword(plan.leaves[whole].role));
    if (plan.online && plan.online->leaf == whole)
      return failLate("online");
    if (llvm::is_contained(plan.team, whole))
      return failLate("team");
    for (const StagedValue &staged : plan.staged)
      if (staged.loop == whole || llvm::is_contained(staged.leaves, whole))
        return failLate("stage");
    const int64_t extent = plan.leaves[whole].extent;
    int64_t inner = 1;
    for (int64_t factor : split.getFactors())
      if (llvm::MulOverflow(inner, factor, inner) || inner > kMaxPart)
        return builder.fail("split '" + name + "' has parts of more than " + Twine(kMaxPart) +
                            " points together: no factor beyond the " + Twine(extent) +
                            " points of the axis is of use");
    const int64_t outer = (extent + inner - 1) / inner;
    // Points beyond the axis are left out, but beyond an inner part begins the next outer point.
    if (outer * inner != extent && !builder.isLeading(whole))
      return builder.fail("split '" + name + "' by " + Twine(inner) + " goes beyond the " +
                          Twine(extent) +
                          " points of an inner part: its factors must divide them, as " +
                          Twine(getNearestDivisor(extent, inner)) + " does");
    if (outer * inner != extent)
      plan.padded[plan.leaves[whole].axis] = true;
    SmallVector<int64_t> extents{outer};
    llvm::append_range(extents, split.getFactors());
    return builder.split(whole, split.getParts(), extents);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    auto split = cast<SplitAttr>(primitive);
    names.nameAxes(split.getAxis());
    names.makeAxes(split.getParts());
  }

  Exactness classify(Attribute primitive, AxisHistory &axes) const override {
    auto split = cast<SplitAttr>(primitive);
    axes.replace(split.getAxis(), split.getParts());
    return Exactness::Exact;
  }

  void draw(Drawing &drawing) const override {
    unsigned splits = drawing.below(5);
    if (drawing.group && drawing.chance(60))
      drawOne(drawing, /*grouped=*/true);
    for (unsigned i = 0; i < splits && drawing.list.size() < drawing.depth; ++i)
      drawOne(drawing, /*grouped=*/false);
  }

private:
  /// With `grouped`, of a reduced axis into groups of a dot instruction.
  static void drawOne(Drawing &drawing, bool grouped) {
    unsigned at = drawing.below(drawing.leaves.size());
    while (grouped && !drawing.leaves[at].reduced)
      at = drawing.below(drawing.leaves.size());
    Drawing::Leaf whole = drawing.leaves[at];
    unsigned count = 1 + (drawing.chance(30) ? 1 : 0);
    grouped |= drawing.group && whole.reduced && drawing.chance(60);
    SmallVector<StringAttr> parts{drawing.text(whole.name.getValue() + "o")};
    SmallVector<int64_t> sizes;
    SmallVector<Drawing::Leaf> made;
    int64_t inner = 1;
    for (unsigned i = 0; i < count; ++i) {
      sizes.push_back(grouped && i + 1 == count ? drawing.group : drawing.pick(Drawing::factors));
      inner *= sizes.back();
      parts.push_back(drawing.text(whole.name.getValue() + (i ? "j" : "i")));
    }
    made.push_back({parts[0], (whole.extent + inner - 1) / inner, whole.reduced, whole.axis});
    for (unsigned i = 0; i < count; ++i)
      made.push_back({parts[i + 1], sizes[i], whole.reduced, whole.axis});
    int64_t points = inner * llvm::divideCeil(whole.extent, inner);
    for (const Drawing::Leaf &leaf : drawing.leaves)
      points *= leaf.name == whole.name ? 1 : leaf.extent;
    if (points > Drawing::mostPoints)
      return;
    SmallVector<Attribute> primitives{SplitAttr::get(drawing.context, whole.name, parts, sizes)};
    // What an edge says is about a split, wherever it stands after it.
    if (drawing.chance(60))
      primitives.push_back(EdgeAttr::get(drawing.context, whole.name,
                                         drawing.chance(60) ? EdgeMode::Peel : EdgeMode::Mask));
    if (!drawing.add(primitives))
      return;
    if (whole.extent % inner)
      drawing.padded.push_back(whole.name);
    drawing.leaves.erase(drawing.leaves.begin() + at);
    drawing.leaves.insert(drawing.leaves.begin() + at, made.begin(), made.end());
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Split)
