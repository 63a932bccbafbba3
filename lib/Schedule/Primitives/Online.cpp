// online: reductions over one axis that advance together with an earlier one over it, the lead.
// Sums depend on a maximum through exp(x - maximum) as a factor, on a mean as (x - mean)^2, or not
// at all. In both, what has been summed is corrected without x: with m the lead of the points so
// far,
//
//   sum of exp(x - m') y = exp(m - m') * sum of exp(x - m) y
//   sum of (x - m')^2    = sum of (x - m)^2 + count * (m - m')^2      as the sum of x - m is 0
#include "tw/Schedule/Online.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/LeadChanges.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

class Finder {
public:
  Finder(KernelOp kernel, const Plan &plan, unsigned leaf, std::string &why)
      : kernel(kernel), plan(plan), leaf(leaf), axis(plan.leaves[leaf].axis), sets(kernel),
        why(why) {}

  std::optional<OnlineLoop> find() {
    OnlineLoop online;
    online.leaf = leaf;
    SmallVector<Operation *> roots;
    for (Operation &op : kernel.getBody().front()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      // What comes after all reductions has a loop of its own.
      if (isa<StoreOp, ScanOp>(op) &&
          llvm::any_of(op.getOperands(), [&](Value operand) { return sets.of(operand)[axis]; }))
        behind.push_back(&op);
      if (!sets.reducedBy(&op)[axis])
        continue;
      if (!behind.empty())
        return fail("a " + Twine(isa<StoreOp>(behind.front()) ? "store" : "scan") +
                    " works along it before the last reduction: leave online out");
      roots.push_back(&op);
      if (reduce && isMaximum(reduce)) {
        if (lead)
          return fail("there are two maxima over '" + kernel.getAxisName(axis) +
                      "': leave online out, or make a kernel of one");
        lead = reduce;
      }
    }
    for (Operation *op : roots)
      if (auto sum = dyn_cast<ReduceOp>(op); sum && !lead && (mean = findMean(sum)))
        lead = sum;
    if (!lead)
      return fail("no maximum or mean is reduced over '" + kernel.getAxisName(axis) +
                  "': without one its stages need no online, leave it out");
    online.lead = lead;
    kind = mean ? "mean" : "maximum";
    LeadChanges changes(sets, lead, mean, axis);
    if (changes.get(lead.getValues()[0]) != Change::None)
      return fail("the " + kind + " is of what another reduction over '" +
                  kernel.getAxisName(axis) +
                  "' gives, which is complete only after the loop: leave online out");
    bool isAny = !mean;
    for (Operation *op : roots) {
      if (sets.reducedBy(op) != sets.reducedBy(lead))
        return fail("'" + op->getName().getStringRef() + "' is reduced over other axes than the " +
                    kind + ": leave online out");
      if (op == lead)
        continue;
      if (op->getResult(0).getType() != lead.getResult(0).getType())
        return fail("'" + op->getName().getStringRef() + "' is of another type than the " + kind +
                    ": leave online out");
      Change change = changes.getOfSummands(op);
      if (change == Change::Unknown)
        return fail("'" + op->getName().getStringRef() + "' depends on the " + kind +
                    " by other means than " +
                    (mean ? "(x - mean)^2, x being what it is the mean"
                          : "a factor exp(x - maximum), x being what it is the maximum") +
                    " of: leave online out, and keep x local");
      online.sums.push_back({op, change != Change::None});
      isAny |= change != Change::None;
    }
    if (!isAny)
      return fail("no sum depends on the mean: leave online out");
    if (!checkParts(roots) || !checkBehind())
      return std::nullopt;
    if (!checkLoops(roots.front(), roots.back()))
      return std::nullopt;
    return online;
  }

private:
  KernelOp kernel;
  const Plan &plan;
  unsigned leaf, axis;
  AxisSets sets;
  std::string &why;
  ReduceOp lead;
  Operation *mean = nullptr;
  SmallVector<Operation *> behind;
  StringRef kind;

  std::nullopt_t fail(const Twine &reason) {
    why = ("online '" + plan.leaves[leaf].name.getValue() + "': " + reason).str();
    return std::nullopt;
  }

  /// What divides the sum by the number of its points, or multiplies it with the reciprocal.
  Operation *findMean(ReduceOp sum) {
    if (sum.getKind() != arith::AtomicRMWKind::addf || !sum.getResult(0).hasOneUse() ||
        !isa<Float32Type, Float64Type>(sum.getResult(0).getType()))
      return nullptr;
    llvm::SmallBitVector axes = sets.reducedBy(sum);
    if (llvm::any_of(axes.set_bits(),
                     [&](unsigned own) { return !kernel.getExtent(own).isFixed(); }))
      return nullptr;
    Operation *user = *sum.getResult(0).user_begin();
    FloatAttr factor;
    if (!isa<arith::MulFOp, arith::DivFOp>(user) || user->getOperand(0) != sum.getResult(0) ||
        !matchPattern(user->getOperand(1), m_Constant(&factor)))
      return nullptr;
    double points = double(sets.points(axes));
    APFloat expected(isa<arith::DivFOp>(user) ? points : 1 / points);
    bool loses;
    expected.convert(factor.getValue().getSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return expected == factor.getValue() ? user : nullptr;
  }

  /// What is kept in the sweep has the place of one iteration, and was computed from the lead so
  /// far: nothing behind the sweep reads it.
  bool checkBehind() {
    SmallVector<Operation *> work(behind);
    llvm::DenseSet<Operation *> seen;
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (!op || !seen.insert(op).second)
          continue;
        StringAttr name = getValueName(op);
        auto kept = name ? plan.keep.find(name.getValue()) : plan.keep.end();
        if (kept != plan.keep.end() && sets.of(operand)[axis] &&
            llvm::is_contained({KeepPlace::Local, KeepPlace::Result}, kept->second))
          return refuse("'" + name.getValue() +
                        "' is kept in its iterations and needed behind them: leave keep or online "
                        "out");
        work.push_back(op);
      }
    return true;
  }

  /// Lanes have leads of their own, which are combined after the loop. Each has seen as many points
  /// under a mean.
  bool checkParts(ArrayRef<Operation *> roots) {
    llvm::SmallBitVector reduced = sets.reducedBy(lead);
    bool hasLanes =
        llvm::any_of(plan.tile, [&](unsigned tile) { return reduced[plan.leaves[tile].axis]; });
    for (Operation *op : roots) {
      StringAttr name = getValueName(op);
      bool isKept = name && plan.keep.count(name.getValue());
      if (hasLanes && (isKept || (isa<ContractOp>(op) && !sumsInUnits(reduced))))
        return refuse("a tile holds parts of the axes of '" + op->getName().getStringRef() + "', " +
                      (isKept ? "which is kept" : "which is a sum of products") +
                      ": order these parts as loops");
      if (mean && isKept)
        return refuse("'" + name.getValue() + "' is kept: leave keep or online out");
    }
    if (!mean)
      return true;
    if (plan.warps)
      return refuse("a mean leads it in programs of one thread alone: leave one of them out");
    for (unsigned own : reduced.set_bits()) {
      int64_t points = 1;
      for (const LeafAxis &part : plan.leaves)
        if (part.axis == own)
          points *= part.symbolic ? 0 : part.extent;
      if (points != kernel.getExtents()[own])
        return refuse("the parts of '" + kernel.getAxisName(own) +
                      "' do not divide it, so that lanes have different numbers of points: split "
                      "it by divisors");
    }
    for (unsigned around : plan.loops) {
      if (around == leaf)
        return true;
      if (reduced[plan.leaves[around].axis] && plan.leaves[around].extent > 1)
        return refuse("loop '" + plan.leaves[around].name.getValue() +
                      "' lies around it, over which the mean is taken too: order it inside");
    }
    return true;
  }

  /// Whether matrix units sum products over what a tile has of the axes, so that no lane has sums
  /// of its own.
  bool sumsInUnits(const llvm::SmallBitVector &reduced) const {
    return plan.warps && llvm::all_of(plan.tile, [&](unsigned tile) {
             const LeafAxis &part = plan.leaves[tile];
             return !reduced[part.axis] || part.extent == 1 || part.dot;
           });
  }

  /// The maximum and its sums advance in one loop: what runs from the first to the last of them
  /// shares the loops around, and the maximum is in registers meanwhile.
  bool checkLoops(Operation *first, Operation *last) {
    auto *inside = std::next(llvm::find(plan.loops, leaf));
    for (unsigned loop : ArrayRef<unsigned>(inside, plan.loops.end()))
      if (plan.leaves[loop].extent > 1 && sets.of(lead.getResult(0))[plan.leaves[loop].axis])
        return refuse("loop '" + plan.leaves[loop].name.getValue() +
                      "' lies inside of it, along which the " + kind +
                      " varies: order it before, or "
                      "put it in grid or tile");
    for (Operation *op = first; op && !last->isBeforeInBlock(op); op = op->getNextNode()) {
      if (!isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op))
        continue;
      // What is kept is corrected where it is added to: once in an iteration.
      const LeafAxis *part = nullptr;
      for (unsigned loop : ArrayRef<unsigned>(inside, plan.loops.end())) {
        const LeafAxis &own = plan.leaves[loop];
        if (own.extent == 1 || isa<StoreOp, ScanOp>(op))
          continue;
        if (sets.reducedBy(op)[own.axis])
          part = &own;
        else if (part && sets.of(op->getResult(0))[own.axis])
          return refuse("loop '" + own.name.getValue() + "' of '" + op->getName().getStringRef() +
                        "' lies inside of loop '" + part->name.getValue() +
                        "', over which it sums: order it before");
      }
      for (unsigned around : ArrayRef<unsigned>(plan.loops.begin(), inside)) {
        const LeafAxis &loop = plan.leaves[around];
        bool along = runsAlong(op, loop.axis);
        if (loop.extent == 1 || along == runsAlong(lead, loop.axis))
          continue;
        if (along)
          return refuse("loop '" + loop.name.getValue() + "' lies around it, along which '" +
                        op->getName().getStringRef() + "' runs but the " + kind +
                        " does not: put it in grid or tile, or leave online "
                        "out");
        return refuse("'" + op->getName().getStringRef() + "' comes between the " + kind +
                      " and its sums but does not run along '" + loop.name.getValue() +
                      "': leave online out");
      }
    }
    return true;
  }

  bool runsAlong(Operation *op, unsigned own) {
    return llvm::any_of(op->getOperands(), [&](Value operand) { return sets.of(operand)[own]; });
  }

  bool refuse(const Twine &reason) {
    fail(reason);
    return false;
  }
};

} // namespace

Operation *tw::schedule::getMean(const OnlineLoop &online) {
  ReduceOp lead = online.lead;
  return lead.getKind() == arith::AtomicRMWKind::addf ? *lead.getResult(0).user_begin() : nullptr;
}

namespace {

class OnlinePrimitive : public PrimitiveOf<OnlineAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    StringAttr name = cast<OnlineAttr>(primitive).getAxis();
    Plan &plan = builder.getPlan();
    unsigned leaf;
    if (failed(builder.findAxis("online", name, leaf)))
      return failure();
    if (plan.online)
      return builder.fail("online '" + name.getValue() + "': '" +
                          plan.leaves[plan.online->leaf].name.getValue() +
                          "' is online already, leave one of them out");
    plan.online = OnlineLoop{leaf, {}, {}};
    return success();
  }

  /// Finds what the loop carries.
  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    if (!plan.online)
      return success();
    unsigned leaf = plan.online->leaf;
    auto fail = [&](const Twine &reason) {
      why = ("online '" + plan.leaves[leaf].name.getValue() + "' " + reason).str();
      return failure();
    };
    if (plan.leaves[leaf].role != Role::Loop || !plan.leaves[leaf].reduced)
      return fail("is no loop over a reduced axis: put such an axis in order, or leave online out");
    for (unsigned before : plan.loops) {
      if (before == leaf)
        break;
      if (plan.leaves[before].axis == plan.leaves[leaf].axis)
        return fail("runs inside of '" + plan.leaves[before].name.getValue() +
                    "', which is another part of the axis: make the outermost one online");
    }
    plan.online = Finder(kernel, plan, leaf, why).find();
    return success(plan.online.has_value());
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameAxes(cast<OnlineAttr>(primitive).getAxis());
  }

  Exactness classify(Attribute, AxisHistory &) const override { return Exactness::Reassociating; }

  StringRef getExactAdvice() const override {
    return "sums are corrected where the maximum or mean changes; leave it out, and keep what that "
           "is taken of local";
  }

  std::optional<bool> isAdmitted(Drawing &drawing) const override {
    if (!drawing.maximum)
      return false;
    SmallVector<StringAttr> free, reduced;
    for (const Drawing::Leaf &leaf : drawing.leaves)
      (leaf.reduced ? reduced : free).push_back(leaf.name);
    for (unsigned axis : drawing.maximum->over.set_bits()) {
      StringAttr name = drawing.leaves[axis].name;
      SmallVector<StringAttr> order{name};
      llvm::copy_if(reduced, std::back_inserter(order),
                    [&](StringAttr other) { return other != name; });
      if (drawing.isLegalWith({GridAttr::get(drawing.context, free),
                               OrderAttr::get(drawing.context, order),
                               OnlineAttr::get(drawing.context, name)}))
        drawing.onlineAxes.push_back(axis);
    }
    return !drawing.onlineAxes.empty();
  }

  void draw(Drawing &drawing) const override {
    if (!drawing.onlineAxes.empty() && drawing.chance(40))
      drawing.placed = drawPlaces(drawing);
  }

  void move(Moves &moves) const override {
    for (OnlineAttr online : moves.getMarks<OnlineAttr>())
      moves.addWithout(online);
    for (const Moves::Leaf &leaf : moves.leaves)
      if (moves.hasMaximum && leaf.role == Role::Loop && leaf.reduced)
        moves.addMark(OnlineAttr::get(moves.context, leaf.name));
  }

private:
  /// Places the axes so that one of the maximum is mostly online: what the maximum does not run
  /// along in the grid or the tile, its own axes in loops around, what it is computed from inside.
  static bool drawPlaces(Drawing &drawing) {
    unsigned axis = drawing.pick(drawing.onlineAxes);
    SmallVector<StringAttr> grid, tile, around, own, inside;
    SmallVector<Drawing::Leaf> shuffled(drawing.leaves);
    std::shuffle(shuffled.begin(), shuffled.end(), drawing.random);
    int64_t elements = 1;
    for (const Drawing::Leaf &leaf : shuffled) {
      bool fits = elements * leaf.extent <= Drawing::mostElements && tile.size() < 4;
      if (leaf.axis == axis)
        continue;
      if (fits && drawing.chance(leaf.reduced ? 20 : 45)) {
        tile.push_back(leaf.name);
        elements *= leaf.extent;
      } else if (leaf.reduced) {
        inside.push_back(leaf.name);
      } else if (drawing.chance(drawing.maximum->along[leaf.axis] ? 40 : 95)) {
        grid.push_back(leaf.name);
      } else {
        around.push_back(leaf.name);
      }
    }
    for (const Drawing::Leaf &leaf : drawing.leaves)
      if (leaf.axis == axis)
        own.push_back(leaf.name);
    // Lanes with leads of their own.
    if (own.size() > 1 && elements * drawing.leaves.back().extent <= Drawing::mostElements &&
        tile.size() < 4 && drawing.leaves.back().axis == axis && drawing.chance(50))
      tile.push_back(own.pop_back_val());
    SmallVector<StringAttr> order(around);
    order.append(own);
    order.append(inside);
    SmallVector<Attribute> primitives;
    if (!grid.empty())
      primitives.push_back(GridAttr::get(drawing.context, grid));
    if (!tile.empty())
      primitives.push_back(TileAttr::get(drawing.context, tile));
    primitives.push_back(OrderAttr::get(drawing.context, order));
    primitives.push_back(OnlineAttr::get(drawing.context, own.front()));
    if (!drawing.add(primitives))
      return false;
    for (const Drawing::Leaf &leaf : drawing.leaves)
      if (llvm::is_contained(order, leaf.name))
        drawing.loops.push_back(leaf);
    return true;
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Online)
