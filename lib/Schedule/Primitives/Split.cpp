// split: an axis replaced by nested ones.
#include "tw/Schedule/Moves.h"
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
    if (outer * inner != extent || (plan.leaves[whole].symbolic && inner > 1))
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
    if (drawing.leaves.empty())
      return;
    unsigned splits = drawing.below(5);
    auto isReduced = [](const Drawing::Leaf &leaf) { return leaf.reduced; };
    if (drawing.group && llvm::any_of(drawing.leaves, isReduced) && drawing.chance(60))
      drawOne(drawing, /*grouped=*/true);
    for (unsigned i = 0; i < splits && drawing.list.size() < drawing.depth; ++i)
      drawOne(drawing, /*grouped=*/false);
  }

  /// Parts of other sizes, and axes in two: the inner part along lanes, beside them, or a loop.
  void move(Moves &moves) const override {
    for (const Moves::Leaf &leaf : moves.leaves) {
      bool isLanes = !moves.list.tile.empty() && moves.list.tile.back() == leaf.name;
      for (int64_t size : moves.sizes.lanes)
        if (leaf.role != Role::Tile || isLanes)
          cut(moves, leaf, size, Inner::Lanes);
      for (int64_t size : moves.sizes.rows)
        if (leaf.role != Role::Tile || !isLanes)
          cut(moves, leaf, size, Inner::Rows);
      for (int64_t size : moves.sizes.blocks)
        if (leaf.role != Role::Tile)
          cut(moves, leaf, size, Inner::Loop);
    }
    for (Attribute split : moves.list.splits)
      resize(moves, cast<SplitAttr>(split));
  }

private:
  enum class Inner { Lanes, Rows, Loop };

  /// Cuts a part of that size off a leaf, whose place the rest takes.
  static void cut(Moves &moves, const Moves::Leaf &leaf, int64_t size, Inner place) {
    bool isWhole = llvm::is_contained(moves.axes, leaf.name), divides = leaf.extent % size == 0;
    if (size >= leaf.extent || (!isWhole && !divides))
      return;
    // A part of the axis in the tile already is made longer instead.
    bool isInTile = llvm::any_of(moves.leaves, [&](const Moves::Leaf &other) {
      return other.axis == leaf.axis && other.role == Role::Tile && other.name != leaf.name;
    });
    if (place != Inner::Loop && isInTile)
      return;
    int64_t elements = moves.getElements() / (leaf.role == Role::Tile ? leaf.extent : 1);
    if (place != Inner::Loop && elements * size > moves.sizes.mostElements)
      return;
    StringAttr outer = moves.makeName(leaf.name, "_o"), inner = moves.makeName(leaf.name, "_i");
    Moves::List next = moves.list;
    next.splits.push_back(SplitAttr::get(moves.context, leaf.name, {outer, inner}, {size}));
    // What was said of the leaf as a loop is now about the outer part.
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](StringAttr name) -> std::optional<Attribute> {
      return name == leaf.name ? std::optional<Attribute>(outer) : std::nullopt;
    });
    for (Attribute &mark : next.marks)
      if (!isa<EdgeAttr>(mark))
        mark = replacer.replace(mark);
    if (leaf.role == Role::Tile) {
      llvm::replace(next.tile, leaf.name, inner);
      next.order.push_back(outer);
    } else {
      llvm::replace(next.of(leaf.role), leaf.name, outer);
      if (place == Inner::Lanes)
        next.tile.push_back(inner);
      else if (place == Inner::Rows)
        next.tile.insert(next.tile.begin(), inner);
      else
        next.order.push_back(inner);
    }
    if (!divides)
      next.marks.push_back(EdgeAttr::get(moves.context, leaf.name, EdgeMode::Peel));
    moves.add(next);
  }

  /// A part twice or half as long, or of the next size in use.
  static void resize(Moves &moves, SplitAttr split) {
    SmallVector<int64_t> sizes(moves.sizes.rows);
    llvm::append_range(sizes, moves.sizes.lanes);
    llvm::append_range(sizes, moves.sizes.blocks);
    llvm::sort(sizes);
    for (auto [i, factor] : llvm::enumerate(split.getFactors())) {
      auto *above = llvm::upper_bound(sizes, factor), *below = llvm::lower_bound(sizes, factor);
      SmallVector<int64_t, 4> others = {factor * 2, factor / 2};
      if (above != sizes.end())
        others.push_back(*above);
      if (below != sizes.begin())
        others.push_back(below[-1]);
      for (int64_t other : others) {
        if (other < 1)
          continue;
        SmallVector<int64_t> factors(split.getFactors());
        factors[i] = other;
        Moves::List next = moves.list;
        llvm::replace(
            next.splits, Attribute(split),
            Attribute(SplitAttr::get(moves.context, split.getAxis(), split.getParts(), factors)));
        moves.add(next);
      }
    }
  }

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
