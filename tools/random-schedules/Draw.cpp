// Draws schedules primitive by primitive, each checked against those before it.
#include "Draw.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/FactorReduction.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Plan.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

namespace {

/// A tile of one thread; larger ones take long to compile.
constexpr int64_t mostElements = 128;
/// Points that loops run through, those beyond the axes too.
constexpr int64_t mostPoints = 1 << 21;
constexpr int64_t factors[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 24, 31, 32};

class Drawer {
public:
  Drawer(KernelOp kernel, Random &random, unsigned depth)
      : kernel(kernel), context(kernel.getContext()), random(random), depth(depth) {
    readKernel(kernel);
  }

  Drawn draw() {
    drawMerges();
    drawWiden();
    if (!list.empty())
      readKernel(*rewrite());
    findAdmitted();
    if (!factored.empty() && chance(15) && drawRfactor())
      return std::move(result);
    unsigned splits = below(5);
    if (group && chance(60))
      drawSplit(/*grouped=*/true);
    for (unsigned i = 0; i < splits && list.size() < depth; ++i)
      drawSplit();
    drawRoles();
    for (unsigned tries = below(10); tries > 0 && list.size() < depth; --tries)
      drawExtra();
    result.schedule = ScheduleAttr::get(context, list);
    return result;
  }

private:
  struct Leaf {
    StringAttr name;
    int64_t extent;
    bool reduced;
    unsigned axis; ///< of the kernel as merges leave it
  };

  /// A reduction and one of its axes, which may be reduced in parts.
  struct Factored {
    StringAttr sum, axis;
    int64_t extent;
  };
  /// The axes that a maximum is reduced over, and those of its result.
  struct Maximum {
    llvm::SmallBitVector over, along;
  };

  uint64_t below(uint64_t limit) { return random() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  StringAttr text(const Twine &name) { return StringAttr::get(context, name.str()); }
  template <typename List> auto &pick(List &from) { return from[below(std::size(from))]; }

  /// Adds the primitives if the list stays legal.
  bool add(ArrayRef<Attribute> primitives) {
    size_t before = list.size();
    if (before + primitives.size() > depth)
      return false;
    list.append(primitives.begin(), primitives.end());
    std::string why;
    if (schedule::isLegal(kernel, ScheduleAttr::get(context, list), why))
      return true;
    list.resize(before);
    ++(why.empty() ? result.silent : result.refused);
    return false;
  }

  /// What the kernel has to draw from.
  void readKernel(KernelOp from) {
    AxisSets sets(from);
    llvm::SmallBitVector reduced(from.getNumAxes());
    loads.clear();
    values.clear();
    sums.clear();
    factored.clear();
    leaves.clear();
    maximum.reset();
    group = 0;
    for (Operation &op : from.getBody().front()) {
      llvm::SmallBitVector own = sets.reducedBy(&op);
      reduced |= own;
      auto name = op.getAttrOfType<StringAttr>("name");
      if (auto contract = dyn_cast<ContractOp>(op);
          contract && contract.getLhs().getType() != contract.getResult().getType())
        group = 32 / contract.getLhs().getType().getIntOrFloatBitWidth();
      if (auto scan = dyn_cast<ScanOp>(op))
        reduced.set(cast<BlockArgument>(scan.getAxis()).getArgNumber());
      if (auto reduce = dyn_cast<ReduceOp>(op);
          reduce && (reduce.getKind() == arith::AtomicRMWKind::maximumf ||
                     reduce.getKind() == arith::AtomicRMWKind::maxnumf))
        maximum = {own, sets.of(reduce.getResult(0))};
      if (!name)
        continue;
      (isa<LoadOp>(op) ? loads : values).push_back(name);
      if (!isa<ReduceOp, ContractOp>(op))
        continue;
      sums.push_back(name);
      for (unsigned axis : own.set_bits())
        factored.push_back({name, text(from.getAxisName(axis)), from.getExtents()[axis]});
    }
    for (unsigned i = 0; i < from.getNumAxes(); ++i)
      leaves.push_back({text(from.getAxisName(i)), from.getExtents()[i], bool(reduced[i]), i});
  }

  /// The kernel that the primitives at the head of the list make.
  OwningOpRef<KernelOp> rewrite() {
    OwningOpRef<KernelOp> copy(cast<KernelOp>(kernel->clone()));
    copy->setScheduleAttr(ScheduleAttr::get(context, list));
    std::string why;
    if (failed(schedule::applyRewrites(*copy, why)))
      llvm_unreachable("what is drawn is legal");
    return copy;
  }

  bool isLegalWith(ArrayRef<Attribute> primitives) {
    SmallVector<Attribute> all(list);
    all.append(primitives.begin(), primitives.end());
    std::string why;
    return schedule::isLegal(kernel, ScheduleAttr::get(context, all), why);
  }

  RfactorAttr getRfactor(const Factored &from, int64_t length) {
    return RfactorAttr::get(context, from.sum, from.axis, text(from.axis.getValue() + "p"),
                            text(from.axis.getValue() + "q"), length);
  }

  /// Which primitives that few kernels admit this one does, in some schedule.
  void findAdmitted() {
    llvm::erase_if(factored,
                   [&](const Factored &from) { return !isLegalWith(getRfactor(from, 1)); });
    SmallVector<StringAttr> free, reduced;
    for (const Leaf &leaf : leaves) {
      (leaf.reduced ? reduced : free).push_back(leaf.name);
      if (!sums.empty() && isLegalWith(SkipAttr::get(context, leaf.name)))
        skippable.push_back(leaf.name);
    }
    if (maximum)
      for (unsigned axis : maximum->over.set_bits()) {
        StringAttr name = leaves[axis].name;
        SmallVector<StringAttr> order{name};
        llvm::copy_if(reduced, std::back_inserter(order),
                      [&](StringAttr other) { return other != name; });
        if (isLegalWith({GridAttr::get(context, free), OrderAttr::get(context, order),
                         OnlineAttr::get(context, name)}))
          onlineAxes.push_back(axis);
      }
    result.admits = {{"contract", group != 0},
                     {"online", !onlineAxes.empty()},
                     {"rfactor", !factored.empty()},
                     {"skip", !skippable.empty()}};
  }

  void drawMerges() {
    if (leaves.size() < 2 || !chance(25))
      return;
    unsigned count = 2 + below(2), first = below(leaves.size());
    SmallVector<StringAttr> parts;
    for (unsigned i = first; i < leaves.size() && parts.size() < count; ++i)
      parts.push_back(leaves[i].name);
    if (chance(10))
      std::swap(parts.front(), parts.back());
    add(MergeAttr::get(context, text("merged"), parts));
  }

  /// Reduces an axis in parts; what follows is the schedule of the kernel of the parts.
  bool drawRfactor() {
    const Factored &from = pick(factored);
    int64_t length = chance(10) ? pick(factors) : 1 + below(from.extent / 2);
    auto primitive = getRfactor(from, length);
    if (!add(primitive))
      return false;
    Block block;
    auto copy = cast<KernelOp>(kernel->clone());
    block.push_back(copy);
    copy.setScheduleAttr(ScheduleAttr::get(context, ArrayRef(list).drop_back()));
    std::string why;
    if (failed(schedule::applyRewrites(copy, why)))
      return false;
    KernelOp parts = factorReduction(copy, primitive);
    Drawn rest = Drawer(parts, random, depth - list.size()).draw();
    list.append(rest.schedule.getPrimitives().begin(), rest.schedule.getPrimitives().end());
    result.schedule = ScheduleAttr::get(context, list);
    result.refused += rest.refused;
    result.silent += rest.silent;
    return true;
  }

  void drawWiden() {
    for (auto contract : kernel.getBody().getOps<ContractOp>()) {
      auto name = contract->getAttrOfType<StringAttr>("name");
      bool isNarrow = contract.getLhs().getType() != contract.getResult().getType();
      if (name && isNarrow && chance(40))
        add(WidenAttr::get(context, name, text(name.getValue() + "_lhs"),
                           text(name.getValue() + "_rhs")));
    }
  }

  void drawSplit(bool grouped = false) {
    unsigned at = below(leaves.size());
    while (grouped && !leaves[at].reduced)
      at = below(leaves.size());
    Leaf whole = leaves[at];
    unsigned count = 1 + (chance(30) ? 1 : 0);
    grouped |= group && whole.reduced && chance(60);
    SmallVector<StringAttr> parts{text(whole.name.getValue() + "o")};
    SmallVector<int64_t> sizes;
    SmallVector<Leaf> made;
    int64_t inner = 1;
    for (unsigned i = 0; i < count; ++i) {
      sizes.push_back(grouped && i + 1 == count ? group : pick(factors));
      inner *= sizes.back();
      parts.push_back(text(whole.name.getValue() + (i ? "j" : "i")));
    }
    made.push_back({parts[0], (whole.extent + inner - 1) / inner, whole.reduced, whole.axis});
    for (unsigned i = 0; i < count; ++i)
      made.push_back({parts[i + 1], sizes[i], whole.reduced, whole.axis});
    int64_t points = inner * llvm::divideCeil(whole.extent, inner);
    for (const Leaf &leaf : leaves)
      points *= leaf.name == whole.name ? 1 : leaf.extent;
    if (points > mostPoints)
      return;
    SmallVector<Attribute> primitives{SplitAttr::get(context, whole.name, parts, sizes)};
    // What an edge says is about a split, wherever it stands after it.
    if (chance(60))
      primitives.push_back(
          EdgeAttr::get(context, whole.name, chance(60) ? EdgeMode::Peel : EdgeMode::Mask));
    if (!add(primitives))
      return;
    if (whole.extent % inner)
      padded.push_back(whole.name);
    leaves.erase(leaves.begin() + at);
    leaves.insert(leaves.begin() + at, made.begin(), made.end());
  }

  void drawRoles() {
    // Reduced loops may then lie outside of those of the sum.
    if (!sums.empty() && chance(20))
      add(KeepAttr::get(context, pick(sums), chance(50) ? KeepPlace::Result : KeepPlace::Local));
    bool online = !onlineAxes.empty() && chance(40) && drawOnline();
    if (!online)
      drawPlaces();
    if (!skippable.empty() && chance(40))
      add(SkipAttr::get(context, pick(skippable)));
    else if (!sums.empty() && chance(4))
      add(SkipAttr::get(context, pick(leaves).name));
    if (!sums.empty())
      for (const Leaf &leaf : leaves)
        if (leaf.reduced && chance(leaf.extent == group ? 80 : 2))
          add(ContractAttr::get(context, leaf.name));
  }

  void drawPlaces() {
    SmallVector<StringAttr> grid, tile, order;
    SmallVector<Leaf> shuffled(leaves);
    if (chance(70))
      std::shuffle(shuffled.begin(), shuffled.end(), random);
    int64_t elements = 1;
    std::optional<size_t> groupAt;
    for (const Leaf &leaf : shuffled) {
      bool isGroup = group && leaf.reduced && leaf.extent == group;
      unsigned role = isGroup ? 70 : below(100);
      bool fits = elements * leaf.extent <= mostElements;
      if (role < (leaf.reduced ? 2u : 40u)) {
        grid.push_back(leaf.name);
      } else if (role < 75 && fits && tile.size() < 4) {
        if (isGroup)
          groupAt = tile.size();
        tile.push_back(leaf.name);
        elements *= leaf.extent;
      } else if (role < 95) {
        order.push_back(leaf.name);
        loops.push_back(leaf);
      }
    }
    // The lanes are no group.
    if (groupAt && *groupAt + 1 == tile.size() && chance(85))
      std::swap(tile.front(), tile.back());
    if (!grid.empty())
      add(GridAttr::get(context, grid));
    if (!order.empty() && !add(OrderAttr::get(context, order))) {
      // In the order of the kernel it is mostly legal.
      SmallVector<StringAttr> sorted;
      for (const Leaf &leaf : leaves)
        if (llvm::is_contained(order, leaf.name))
          sorted.push_back(leaf.name);
      add(OrderAttr::get(context, sorted));
    }
    if (!loops.empty() && chance(10))
      if (const Leaf &leaf = pick(loops); leaf.reduced)
        add(OnlineAttr::get(context, leaf.name));
    while (!tile.empty() && !add(TileAttr::get(context, tile)))
      tile.erase(tile.begin() + below(tile.size()));
  }

  /// Places the axes so that one of the maximum is mostly online: what the maximum does not run
  /// along in the grid or the tile, its own axes in loops around, what it is computed from inside.
  bool drawOnline() {
    unsigned axis = pick(onlineAxes);
    SmallVector<StringAttr> grid, tile, around, own, inside;
    SmallVector<Leaf> shuffled(leaves);
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    int64_t elements = 1;
    for (const Leaf &leaf : shuffled) {
      bool fits = elements * leaf.extent <= mostElements && tile.size() < 4;
      if (leaf.axis == axis)
        continue;
      if (fits && chance(leaf.reduced ? 20 : 45)) {
        tile.push_back(leaf.name);
        elements *= leaf.extent;
      } else if (leaf.reduced) {
        inside.push_back(leaf.name);
      } else if (chance(maximum->along[leaf.axis] ? 40 : 95)) {
        grid.push_back(leaf.name);
      } else {
        around.push_back(leaf.name);
      }
    }
    for (const Leaf &leaf : leaves)
      if (leaf.axis == axis)
        own.push_back(leaf.name);
    SmallVector<StringAttr> order(around);
    order.append(own);
    order.append(inside);
    SmallVector<Attribute> primitives;
    if (!grid.empty())
      primitives.push_back(GridAttr::get(context, grid));
    if (!tile.empty())
      primitives.push_back(TileAttr::get(context, tile));
    primitives.push_back(OrderAttr::get(context, order));
    primitives.push_back(OnlineAttr::get(context, own.front()));
    if (!add(primitives))
      return false;
    for (const Leaf &leaf : leaves)
      if (llvm::is_contained(order, leaf.name))
        loops.push_back(leaf);
    return true;
  }

  void drawExtra() {
    switch (below(6)) {
    case 0:
      if (!loops.empty()) {
        const Leaf &leaf = pick(loops);
        add(UnrollAttr::get(context, leaf.name, leaf.extent <= 6 && chance(50) ? 0 : 2 + below(3)));
      }
      return;
    case 1:
      if (!values.empty()) {
        constexpr KeepPlace places[] = {KeepPlace::Register, KeepPlace::Result,
                                        KeepPlace::Recompute, KeepPlace::Local};
        add(KeepAttr::get(context, pick(values), pick(places)));
      }
      return;
    case 2:
      if (chance(30))
        add(StreamAttr::get(context, below(kernel->getNumResults())));
      else if (!loads.empty() && chance(70))
        add(PrefetchAttr::get(context, pick(loads), chance(50) ? below(40) : 0));
      else if (chance(10)) // A name that no axis has: refused, with a reason.
        add(UnrollAttr::get(context, text("nowhere"), 2));
      return;
    case 3:
      drawPad();
      return;
    default:
      drawStage();
    }
  }

  /// Pads an axis that a split does not divide, mostly with all that is loaded in panels.
  void drawPad() {
    if (padded.empty())
      return;
    auto isStaged = [&](StringAttr name) {
      return llvm::any_of(list, [&](Attribute primitive) {
        auto stage = dyn_cast<StageAttr>(primitive);
        return stage && stage.getValue() == name;
      });
    };
    SmallVector<Attribute> primitives;
    if (chance(80))
      for (StringAttr load : loads)
        if (!isStaged(load))
          primitives.push_back(StageAttr::get(context, load, {}, {}, chance(30), false));
    primitives.push_back(EdgeAttr::get(context, pick(padded), EdgeMode::Pad));
    add(primitives);
  }

  void drawStage() {
    StringAttr loop = loops.empty() || chance(20) ? StringAttr() : pick(loops).name;
    StringAttr value = !values.empty() && (loads.empty() || chance(25)) ? pick(values)
                       : loads.empty()                                  ? StringAttr()
                                                                        : pick(loads);
    if (!value)
      return;
    bool global = chance(15), window = !global && chance(25);
    if (global)
      loop = {};
    SmallVector<StringAttr> order;
    if (!window && chance(50))
      order = drawBufferOrder(value, loop, global);
    add(StageAttr::get(context, value, order, loop, global, window));
  }

  /// Dimensions of a buffer that are legal mostly: the leaves inside of the stage along which the
  /// value varies.
  SmallVector<StringAttr> drawBufferOrder(StringAttr value, StringAttr loop, bool global) {
    auto copy = cast<KernelOp>(kernel->clone());
    copy.setScheduleAttr(ScheduleAttr::get(context, list));
    SmallVector<StringAttr> order;
    if (FailureOr<schedule::Plan> plan = schedule::makePlan(copy); succeeded(plan)) {
      AxisSets sets(copy);
      const llvm::SmallBitVector *axes = nullptr;
      for (Operation &op : copy.getBody().front())
        if (op.getAttr("name") == value)
          axes = &sets.of(op.getResult(0));
      bool inside = !loop;
      for (unsigned leaf : llvm::concat<unsigned>(plan->grid, plan->loops, plan->tile)) {
        const schedule::LeafAxis &own = plan->leaves[leaf];
        bool counts = own.role == schedule::Role::Grid ? global : inside;
        if (axes && counts && (*axes)[own.axis] && own.extent > 1 && !chance(3))
          order.push_back(own.name);
        inside |= own.name == loop;
      }
    }
    copy->erase();
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  KernelOp kernel;
  MLIRContext *context;
  Random &random;
  unsigned depth;
  SmallVector<Leaf> leaves, loops;
  SmallVector<StringAttr> loads, values, sums, padded, skippable;
  SmallVector<Factored> factored;
  std::optional<Maximum> maximum;
  SmallVector<unsigned> onlineAxes;
  /// Elements that a dot instruction sums, of contractions of narrow elements; 0 without any.
  int64_t group = 0;
  SmallVector<Attribute> list;
  Drawn result;
};

} // namespace

fuzz::Drawn fuzz::drawSchedule(KernelOp kernel, Random &random, unsigned depth) {
  return Drawer(kernel, random, depth).draw();
}

bool fuzz::isExact(KernelOp kernel, ScheduleAttr schedule) {
  // Parts are summed by themselves, even where they have one point.
  if (llvm::any_of(schedule.getPrimitives(), llvm::IsaPred<RfactorAttr>))
    return false;
  auto copy = cast<KernelOp>(kernel->clone());
  copy.setScheduleAttr(schedule);
  FailureOr<schedule::Plan> plan = schedule::makePlan(copy);
  bool exact = succeeded(plan);
  if (exact) {
    for (unsigned leaf : plan->tile)
      exact &= !plan->leaves[leaf].reduced || plan->leaves[leaf].extent == 1;
    // Reduced loops run as the kernel's axes do, outer parts first.
    std::pair<unsigned, int64_t> last(0, INT64_MIN);
    for (unsigned leaf : plan->loops)
      if (const schedule::LeafAxis &own = plan->leaves[leaf]; own.reduced && own.extent > 1) {
        exact &= last <= std::pair(own.axis, -own.stride);
        last = {own.axis, -own.stride};
      }
  }
  copy->erase();
  std::string why;
  exact |= schedule::isExact(kernel, schedule, why);
  // The functions of one lane and of several differ in last bits.
  exact &= llvm::none_of(schedule.getPrimitives(),
                         [](Attribute primitive) { return isa<OnlineAttr, SkipAttr>(primitive); });
  return exact && llvm::none_of(kernel.getBody().front(), [](Operation &op) {
           return isa<math::ExpOp, math::ErfOp, math::TanhOp>(op);
         });
}
