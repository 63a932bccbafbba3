// keep: where a value lives between stages, in memory that it fits or in loops that stay open
// between its uses.
#include "../Keep.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Schedule/Moves.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Room.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The innermost loop along which the value varies and that does not stay open from the first one
/// that uses it to the last one, or one outside of it that does not.
std::optional<unsigned> findClosingLoop(KernelOp kernel, const AxisSets &sets, const Plan &plan,
                                        Operation *op) {
  llvm::SetVector<Operation *> users = findRoots(op);
  SmallVector<Operation *> between;
  for (Operation &other : kernel.getBody().front())
    if (isRoot(&other) && (users.contains(&other) || !between.empty()))
      between.push_back(&other);
  while (!between.empty() && !users.contains(between.back()))
    between.pop_back();
  if (between.size() < 2)
    return std::nullopt;
  std::optional<unsigned> closing;
  for (unsigned leaf : plan.loops) {
    unsigned axis = plan.leaves[leaf].axis;
    if (plan.leaves[leaf].extent == 1)
      continue;
    auto uses = [&](Operation *root) {
      return llvm::any_of(root->getOperands(), [&](Value v) { return sets.of(v)[axis]; });
    };
    auto ends = [&](Operation *root) { return sets.reducedBy(root)[axis] || isa<ScanOp>(root); };
    bool open = llvm::all_of(between, uses) && llvm::none_of(ArrayRef(between).drop_back(), ends);
    if (!open && !llvm::none_of(between, uses) && !closing)
      closing = leaf;
    if (closing && sets.of(op->getResult(0))[axis])
      return closing;
  }
  return std::nullopt;
}

/// Whether a loop over an axis of the reduction's result lies within a loop of the reduction: then
/// its partial results are in memory.
bool hasPartialResults(const AxisSets &sets, const Plan &plan, Operation *op) {
  if (!isa<ReduceOp, ContractOp>(op))
    return false;
  llvm::SmallBitVector reduced = sets.reducedBy(op);
  bool within = false;
  for (unsigned leaf : plan.loops) {
    unsigned axis = plan.leaves[leaf].axis;
    if (within && !reduced[axis] && sets.of(op->getResult(0))[axis])
      return true;
    within |= reduced[axis];
  }
  return false;
}

/// Whether the value is in memory, or will be, so that it is read there.
bool isInMemory(const Plan &plan, Operation *value) {
  StringAttr name = getValueName(value);
  auto it = name ? plan.keep.find(name.getValue()) : plan.keep.end();
  bool isKept =
      it != plan.keep.end() && (it->second == KeepPlace::Local || it->second == KeepPlace::Result);
  return isKept ||
         llvm::any_of(plan.staged, [&](const StagedValue &staged) { return staged.op == value; });
}

/// The loop behind which a sum or scan, whose result is in registers, runs once more, for a later
/// use of it or because what uses it does.
std::optional<unsigned> findAgain(KernelOp kernel, const AxisSets &sets, const Plan &plan,
                                  Operation *root) {
  bool isRead =
      !isa<StoreOp>(root) && !isInMemory(plan, root) &&
      llvm::any_of(root->getUsers(), [&](Operation *user) { return !isInMemory(plan, user); });
  if (!isRead)
    return std::nullopt;
  if (std::optional<unsigned> leaf = findClosingLoop(kernel, sets, plan, root))
    return leaf;
  for (Operation *user : findRoots(root))
    if (std::optional<unsigned> leaf = findAgain(kernel, sets, plan, user))
      return leaf;
  return std::nullopt;
}

} // namespace

bool tw::schedule::isRoot(Operation *op) { return isa<StoreOp, ReduceOp, ContractOp, ScanOp>(op); }

llvm::SetVector<Operation *> tw::schedule::findRoots(Operation *op) {
  llvm::SetVector<Operation *> roots, work;
  work.insert(op);
  for (size_t i = 0; i < work.size(); ++i)
    for (Operation *user : work[i]->getUsers())
      (isRoot(user) ? roots : work).insert(user);
  return roots;
}

bool tw::schedule::hasRoom(StoreOp store, const AxisSets &sets, Operation *op) {
  Value value = op->getResult(0);
  llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
  return axes == sets.of(value) && store.getValue().getType() == value.getType() && !isPiece(store);
}

StoreOp tw::schedule::findKeepingStore(KernelOp kernel, const Plan &plan, Operation *op) {
  AxisSets sets(kernel);
  bool whole = llvm::none_of(sets.of(op->getResult(0)).set_bits(),
                             [&](unsigned axis) { return plan.padded[axis]; });
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (hasRoom(store, sets, op) && (whole || store.getMap().isIdentity()))
      return store;
  return {};
}

bool tw::schedule::runsAgain(KernelOp kernel, const AxisSets &sets, const Plan &plan,
                             Operation *root) {
  return findAgain(kernel, sets, plan, root).has_value();
}

llvm::SetVector<Operation *> tw::schedule::findReaders(KernelOp kernel, const AxisSets &sets,
                                                       const Plan &plan, Operation *op) {
  llvm::SetVector<Operation *> readers = findRoots(op);
  for (size_t i = 0; i < readers.size(); ++i)
    if (runsAgain(kernel, sets, plan, readers[i]))
      readers.insert_range(findRoots(readers[i]));
  return readers;
}

/// Whether the result in which the value is kept may be stored before the value is read for the
/// last time. Once a sum is read for the store, other stores in the same loops have it in
/// registers.
static bool isOverwritten(KernelOp kernel, const AxisSets &sets, const Plan &plan, Operation *op,
                          StoreOp store) {
  llvm::SetVector<Operation *> users = findReaders(kernel, sets, plan, op);
  auto isLater = [&](Operation *root) { return store->isBeforeInBlock(root); };
  auto axesOf = [&](Operation *root) {
    llvm::SmallBitVector axes = sets.reducedBy(root);
    for (Value operand : root->getOperands())
      axes |= sets.of(operand);
    return axes;
  };
  if (llvm::none_of(users, isLater))
    return false;
  if (!isRoot(op) || !users.contains(store))
    return true;
  Operation *last = store;
  for (Operation *user : users)
    if (last->isBeforeInBlock(user))
      last = user;
  llvm::SmallBitVector own = axesOf(store);
  for (Operation *next = store->getNextNode(); next != last->getNextNode();
       next = next->getNextNode())
    if (isRoot(next) && (!isa<StoreOp>(next) || axesOf(next) != own))
      return true;
  return false;
}

static std::string describe(Operation *root) {
  StringAttr name = getValueName(root);
  return name ? ("'" + name.getValue() + "'").str() : ("a " + root->getName().stripDialect()).str();
}

static LogicalResult checkKept(KernelOp kernel, const Plan &plan, std::string &why) {
  if (plan.keep.empty())
    return success();
  AxisSets sets(kernel);
  llvm::DenseMap<Operation *, StringAttr> holders;
  for (Operation &op : kernel.getBody().front()) {
    StringAttr name = getValueName(&op);
    auto it = name ? plan.keep.find(name.getValue()) : plan.keep.end();
    if (it == plan.keep.end() || it->second == KeepPlace::Recompute)
      continue;
    auto fail = [&](const Twine &reason) {
      why = ("keep '" + name.getValue() + "' " + stringifyKeepPlace(it->second) + ": " + reason)
                .str();
      return failure();
    };
    if (op.getNumResults() != 1)
      return fail("has " + Twine(op.getNumResults()) +
                  " results: keep what is computed from one of them");
    if (it->second == KeepPlace::Register) {
      if (std::optional<unsigned> loop = findClosingLoop(kernel, sets, plan, &op))
        return fail("the loop over '" + plan.leaves[*loop].name.getValue() +
                    "' lies between its stages, so that it cannot stay in registers; keep it local "
                    "or in the result, or tile the whole axis");
      for (Operation *root : findRoots(&op))
        if (std::optional<unsigned> loop = findAgain(kernel, sets, plan, root))
          return fail("expected it to be computed once, but " + describe(root) +
                      ", which needs it, is computed again behind the loop over '" +
                      plan.leaves[*loop].name.getValue() +
                      "', and the value with it; keep it local, put that loop in the grid, or "
                      "leave keep out");
      continue;
    }
    if (isa<LoadOp>(op))
      return fail("is read from memory already: stage it to have it nearer, as in 'stage " +
                  name.getValue() + " at grid local'");
    if (isRoot(&op) && !hasPartialResults(sets, plan, &op))
      return fail("no loop over an axis of it lies within a loop that it reduces, so that it is "
                  "complete in registers: 'stage " +
                  name.getValue() +
                  "' computes it once for several uses, 'order' with such a loop keeps partial "
                  "results");
    if (op.getResult(0).getType().isIndex())
      return fail("is an index, which has no place in memory: keep what is read with it");
    if (it->second != KeepPlace::Result)
      continue;
    StoreOp store = findKeepingStore(kernel, plan, &op);
    if (!store)
      return fail("no result of the kernel has the type and the axes of the value: keep it local");
    if (store.getValue() != op.getResult(0) && isOverwritten(kernel, sets, plan, &op, store))
      return fail("the result is stored before the value's last use: keep it local");
    if (auto [other, isFirst] = holders.try_emplace(store, name); !isFirst)
      return fail("'" + other->second.getValue() +
                  "' is kept in the same result, which holds one of them: keep one local");
  }
  return success();
}

namespace {

class KeepPrimitive : public PrimitiveOf<KeepAttr> {
public:
  LogicalResult apply(PlanBuilder &builder, Attribute primitive) const override {
    auto keep = cast<KeepAttr>(primitive);
    if (!builder.findValue("keep", keep.getValue()))
      return failure();
    StringRef name = keep.getValue().getValue();
    if (!builder.getPlan().keep.try_emplace(name, keep.getPlace()).second)
      return builder.fail("keep '" + name + "' is given twice: leave one of them out");
    return success();
  }

  LogicalResult finish(KernelOp kernel, Plan &plan, std::string &why) const override {
    for (const auto &kept : plan.keep)
      if (plan.warps && kept.second == KeepPlace::Local) {
        why = ("keep '" + kept.first() +
               "' local is for programs of one thread, not with warps: leave one of them out")
                  .str();
        return failure();
      }
    return checkKept(kernel, plan, why);
  }

  void getNames(Attribute primitive, NameSink &names) const override {
    names.nameValue(cast<KeepAttr>(primitive).getValue());
  }

  Exactness classifyAtEnd(Attribute primitive, const AxisHistory &axes,
                          KernelOp kernel) const override {
    auto keep = cast<KeepAttr>(primitive);
    if (llvm::is_contained({KeepPlace::Local, KeepPlace::Result}, keep.getPlace()))
      for (Operation &op : kernel.getBody().front())
        if (isa<ReduceOp, ContractOp>(op) && getValueName(&op) == keep.getValue() &&
            axes.sumsParts(&op))
          return Exactness::Reassociating;
    return Exactness::Exact;
  }

  StringRef getExactAdvice() const override {
    return "the loops come back to a sum in memory with parts that were summed apart; put the "
           "reduced axes last in order";
  }

  bool showsInPlan() const override { return true; }

  /// Reduced loops may then lie outside of those of the sum.
  void draw(Drawing &drawing) const override {
    if (!drawing.sums.empty() && drawing.chance(20))
      drawing.add(KeepAttr::get(drawing.context, drawing.pick(drawing.sums),
                                drawing.chance(50) ? KeepPlace::Result : KeepPlace::Local));
    for (unsigned most = drawing.moreKept; most > 0 && drawing.chance(20); --most)
      drawMore(drawing);
  }

  unsigned getWeight() const override { return 1; }

  void drawMore(Drawing &drawing) const override {
    if (drawing.values.empty())
      return;
    constexpr KeepPlace places[] = {KeepPlace::Register, KeepPlace::Result, KeepPlace::Recompute,
                                    KeepPlace::Local};
    drawing.add(KeepAttr::get(drawing.context, drawing.pick(drawing.values), drawing.pick(places)));
  }

  std::string getCounted(Attribute primitive) const override {
    return "keep-" + stringifyKeepPlace(cast<KeepAttr>(primitive).getPlace()).str();
  }

  /// A sum in memory while loops come back to it; what several roots need kept, or not.
  void move(Moves &moves) const override {
    constexpr KeepPlace places[] = {KeepPlace::Local, KeepPlace::Result, KeepPlace::Register,
                                    KeepPlace::Recompute};
    for (bool isSum : {true, false})
      for (StringAttr value : isSum ? moves.sums : moves.shared) {
        auto marks = moves.getMarks<KeepAttr>();
        auto *kept = llvm::find_if(marks, [&](KeepAttr keep) { return keep.getValue() == value; });
        if (kept != marks.end())
          moves.addWithout(*kept);
        for (KeepPlace place : ArrayRef(places).take_front(isSum ? 2 : 4)) {
          auto keep = KeepAttr::get(moves.context, value, place);
          if (kept == marks.end())
            moves.addMark(keep);
          else
            moves.addInstead(*kept, keep);
        }
      }
  }
};

} // namespace

TW_DEFINE_PRIMITIVE(Keep)
