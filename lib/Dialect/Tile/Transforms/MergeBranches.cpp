// The pass tile-merge-branches: what both sides of a branch on an index do is done once.
//
// if (%z == 19) { for 0 to 10 { A(19) }; B } else { for 0 to 11 { A(%z) } }
//   ->   for 0 to (%z == 19 ? 10 : 11) { A(%z) };  if (%z == 19) { B }
//
// The last program along an axis that its tiles do not divide has a shorter loop and a tile of its
// own; else it does what all others do. It runs behind tile-prove-bounds, which needs the loops as
// they were to see that nothing leaves memory.
#include "tw/Dialect/Tile/Transforms/Passes.h"

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tw {
#define GEN_PASS_DEF_TILEMERGEBRANCHESPASS
#include "tw/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// Which ops and values of the side that runs where an index is a constant are those of the other
/// side.
class Sides {
public:
  /// `other`: what the index is on the other side, if that is one number.
  Sides(Value index, int64_t constant, std::optional<int64_t> other)
      : index(index), constant(constant), other(other) {}

  /// Whether an op of the first side does what the other one does where the index is the constant.
  bool areEqual(Operation *a, Operation *b) {
    if (a->getName() != b->getName() || a->getResultTypes() != b->getResultTypes() ||
        a->getNumOperands() != b->getNumOperands() || a->getNumRegions() != b->getNumRegions() ||
        !areAllEqual(a->getOperands(), b->getOperands()) || !haveEqualAttributes(a, b))
      return false;
    for (auto [own, other] : llvm::zip(a->getRegions(), b->getRegions()))
      if (!areEqual(own, other))
        return false;
    map(a->getResults(), b->getResults());
    return true;
  }

  bool areAllEqual(ValueRange a, ValueRange b) const {
    return llvm::all_of(llvm::zip(a, b),
                        [&](auto pair) { return areEqual(std::get<0>(pair), std::get<1>(pair)); });
  }

  bool areEqual(Value a, Value b) const {
    if (a == b || known.lookup(a) == b)
      return true;
    std::optional<int64_t> number = getNumber(a);
    return number && number == getNumber(b);
  }

  void map(ValueRange a, ValueRange b) {
    for (auto [own, other] : llvm::zip(a, b))
      known[own] = other;
  }

  /// The op and all in it are of the first side alone.
  void forget(Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value result : inner->getResults())
        known.erase(result);
      for (Region &region : inner->getRegions())
        for (Value argument : region.getArguments())
          known.erase(argument);
    });
  }

  /// Gives accesses of the other side the maps that hold on both.
  void setMaps() const {
    for (auto [access, map] : maps)
      access->setAttr("map", map);
  }

  /// Lets an op of the first side, and all in it, use values of the other one.
  void replaceOperands(Operation *op) const {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Value other = known.lookup(operand.get()))
          operand.set(other);
    });
  }

private:
  Value index;
  int64_t constant;
  std::optional<int64_t> other;
  llvm::DenseMap<Value, Value> known;
  SmallVector<std::pair<Operation *, view::MapAttr>> maps;

  /// What an index is on the first side.
  std::optional<int64_t> getNumber(Value value) const {
    return value == index ? constant : getConstantIntValue(value);
  }

  bool areEqual(Region &a, Region &b) {
    if (a.empty() || b.empty())
      return a.empty() && b.empty();
    if (!a.hasOneBlock() || !b.hasOneBlock() ||
        a.front().getArgumentTypes() != b.front().getArgumentTypes() ||
        a.front().getOperations().size() != b.front().getOperations().size())
      return false;
    map(a.front().getArguments(), b.front().getArguments());
    return llvm::all_of(llvm::zip(a.front(), b.front()), [&](auto pair) {
      return areEqual(&std::get<0>(pair), &std::get<1>(pair));
    });
  }

  bool haveEqualAttributes(Operation *a, Operation *b) {
    if (auto load = dyn_cast<tile::LoadOp>(a))
      return areEqualAccesses(load, cast<tile::LoadOp>(b), load.getType());
    if (auto store = dyn_cast<tile::StoreOp>(a))
      return areEqualAccesses(store, cast<tile::StoreOp>(b), store.getValue().getType());
    return a->getAttrDictionary() == b->getAttrDictionary();
  }

  /// Maps may differ by what the index is, and what was proved of the second access has to hold for
  /// the first.
  template <typename Op> bool areEqualAccesses(Op a, Op b, Type tile) {
    for (unsigned d = 0; d < a.getMap().getNumResults(); ++d)
      if (b.getInBounds() && (*b.getInBounds())[d] && !(a.getInBounds() && (*a.getInBounds())[d]))
        return false;
    auto getOthers = [](Op op) {
      NamedAttrList all(op->getAttrDictionary());
      all.erase(op.getMapAttrName());
      all.erase(op.getInBoundsAttrName());
      return all.getDictionary(op.getContext());
    };
    if (getOthers(a) != getOthers(b))
      return false;
    unsigned rank = cast<RankedTensorType>(tile).getRank();
    if (getMap(a.getMap(), rank, b.getIndices(), constant) ==
        getMap(b.getMap(), rank, b.getIndices(), constant))
      return true;
    // Where the index is one number, its part of a coordinate may be gone.
    if (!other || getMap(a.getMap(), rank, b.getIndices(), *other) !=
                      getMap(b.getMap(), rank, b.getIndices(), *other))
      return false;
    maps.push_back({b, a.getMap()});
    return true;
  }

  /// The map where indices are the numbers that they are if the index is `number`.
  view::MapAttr getMap(view::MapAttr map, unsigned rank, ValueRange indices, int64_t number) const {
    MLIRContext *context = map.getContext();
    SmallVector<AffineExpr> dims;
    for (unsigned d = 0; d < map.getNumDims(); ++d) {
      std::optional<int64_t> known;
      if (d >= rank)
        known = indices[d - rank] == index ? number : getConstantIntValue(indices[d - rank]);
      dims.push_back(known ? getAffineConstantExpr(*known, context) : getAffineDimExpr(d, context));
    }
    map = map.compose(AffineMap::get(map.getNumDims(), 0, dims, context));
    return view::MapAttr::get(simplifyAffineMap(map.getMap()), map.getGuards(), map.getOutside());
  }
};

/// Merges the sides of one branch into the second one.
class Merger {
public:
  explicit Merger(scf::IfOp branch) : branch(branch) {}

  /// Merges them where most of them is done once then.
  void run() {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        branch.getNumResults() != 0 || branch.getElseRegion().empty())
      return;
    std::optional<int64_t> constant = getConstantIntValue(compare.getRhs());
    if (!constant || !compare.getLhs().getType().isIndex())
      return;
    sides.emplace(compare.getLhs(), *constant, getOther(compare.getLhs(), *constant));
    if (!match(*branch.thenBlock(), *branch.elseBlock()) || !isWorthIt)
      return;
    sides->setMaps();
    for (auto [own, other] : loops)
      mergeBounds(own, other);
    for (auto [ops, other] : tails)
      addTail(ops, other);
    while (!branch.elseBlock()->without_terminator().empty())
      branch.elseBlock()->front().moveBefore(branch);
    branch.erase();
  }

private:
  /// The other number that an index is, if there are two programs along it.
  static std::optional<int64_t> getOther(Value index, int64_t constant) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto program = argument ? dyn_cast<tile::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    std::optional<unsigned> dim = program ? program.findGridDim(argument) : std::nullopt;
    bool isOneOfTwo = dim && program.getGrid()[*dim] == 2 && (constant == 0 || constant == 1);
    return isOneOfTwo ? std::optional(1 - constant) : std::nullopt;
  }

  scf::IfOp branch;
  std::optional<Sides> sides;
  /// Loops whose ends differ.
  SmallVector<std::pair<scf::ForOp, scf::ForOp>> loops;
  /// What only the first side does, at the end of a block of the other.
  SmallVector<std::pair<SmallVector<Operation *>, Block *>> tails;
  /// Whether sums of products are among what is done once.
  bool isWorthIt = false;

  /// Whether the first block is the other one, but for the ends of loops and what it does at last.
  bool match(Block &a, Block &b) {
    auto own = a.without_terminator().begin(), ownEnd = a.without_terminator().end();
    for (Operation &other : b.without_terminator()) {
      if (own == ownEnd || !match(&*own, &other))
        return false;
      ++own;
    }
    SmallVector<Operation *> tail;
    for (; own != ownEnd; ++own) {
      sides->forget(&*own);
      tail.push_back(&*own);
    }
    if (!tail.empty())
      tails.push_back({tail, &b});
    return true;
  }

  bool match(Operation *a, Operation *b) {
    if (sides->areEqual(a, b)) {
      isWorthIt |= b->walk([](tile::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
      return true;
    }
    auto own = dyn_cast<scf::ForOp>(a), other = dyn_cast<scf::ForOp>(b);
    if (!own || !other || own.getNumResults() != 0 || other.getNumResults() != 0 ||
        own->getDiscardableAttrDictionary() != other->getDiscardableAttrDictionary() ||
        !sides->areEqual(own.getLowerBound(), other.getLowerBound()) ||
        !sides->areEqual(own.getStep(), other.getStep()))
      return false;
    if (!sides->areEqual(own.getUpperBound(), other.getUpperBound())) {
      if (!getConstantIntValue(own.getUpperBound()) || !getConstantIntValue(other.getUpperBound()))
        return false;
      loops.push_back({own, other});
    }
    sides->map(own.getInductionVar(), other.getInductionVar());
    return match(*own.getBody(), *other.getBody());
  }

  void mergeBounds(scf::ForOp own, scf::ForOp other) {
    OpBuilder builder(branch);
    auto getConstant = [&](Value bound) -> Value {
      return arith::ConstantIndexOp::create(builder, other.getLoc(), *getConstantIntValue(bound));
    };
    other.setUpperBound(arith::SelectOp::create(builder, other.getLoc(), branch.getCondition(),
                                                getConstant(own.getUpperBound()),
                                                getConstant(other.getUpperBound())));
  }

  void addTail(ArrayRef<Operation *> ops, Block *other) {
    auto builder = OpBuilder::atBlockTerminator(other);
    auto inside = scf::IfOp::create(builder, branch.getLoc(), branch.getCondition());
    for (Operation *op : ops) {
      op->moveBefore(inside.thenYield());
      sides->replaceOperands(op);
    }
  }
};

class TileMergeBranchesPass : public tw::impl::TileMergeBranchesPassBase<TileMergeBranchesPass> {
public:
  using TileMergeBranchesPassBase::TileMergeBranchesPassBase;

  void runOnOperation() override {
    SmallVector<scf::IfOp> branches;
    getOperation()->walk([&](scf::IfOp branch) { branches.push_back(branch); });
    for (scf::IfOp branch : branches)
      Merger(branch).run();
  }
};

} // namespace
