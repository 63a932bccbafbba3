// Conflicts between accesses, by enumeration.
#include "Conflicts.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <unordered_map>

using namespace mlir;
using namespace tw;
using namespace tw::tile;

/// Element visits for one pair of accesses; beyond, the pair counts as a conflict.
static constexpr int64_t kBudget = int64_t(1) << 20;

/// Elements of tiles without a layout may be held by any thread, as may those that several hold.
static constexpr int64_t kManyThreads = -1;

std::optional<LoopBounds> tw::tile::getLoopBounds(scf::ForOp loop) {
  std::optional<int64_t> low = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> high = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!low || !high || !step || *step <= 0 || *low >= *high)
    return std::nullopt;
  return LoopBounds{*low, *low + (*high - 1 - *low) / *step * *step, *step};
}

/// An access as an address over the tile's coordinates (the first dims) and variables.
struct Conflicts::Access {
  struct Element {
    int64_t thread;
    SmallVector<int64_t, 4> coordinates;
  };

  Value memory;
  bool isWrite = false;
  bool isKnown = true;
  unsigned rank = 0;
  AffineExpr address;
  /// Loop indices and program ids; dimension rank + i is variable i.
  SmallVector<Value> variables;
  std::vector<Element> elements;

  Access(Operation *op);

  /// The coefficient of a variable that only adds a multiple of itself to the address.
  std::optional<int64_t> getSlope(unsigned variable) const {
    unsigned dim = rank + variable;
    if (!address.isFunctionOfDim(dim))
      return 0;
    MLIRContext *context = address.getContext();
    AffineExpr d = getAffineDimExpr(dim, context);
    AffineExpr change =
        simplifyAffineExpr(address.replace(d, d + 1) - address, rank + variables.size(), 0);
    if (auto constant = dyn_cast<AffineConstantExpr>(change))
      return constant.getValue();
    return std::nullopt;
  }

private:
  AffineExpr getExpr(Value index);
  void enumerateElements(RankedTensorType tile, bool isOfAll);
};

static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expr).getValue();
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    llvm_unreachable("maps of accesses have no symbols");
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), dims), rhs = evaluate(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  default:
    return llvm::divideCeilSigned(lhs, rhs);
  }
}

Conflicts::Access::Access(Operation *op) {
  view::MapAttr map;
  ValueRange indices;
  RankedTensorType tile;
  if (auto load = dyn_cast<LoadOp>(op)) {
    memory = load.getSource();
    map = load.getMap();
    indices = load.getIndices();
    tile = cast<RankedTensorType>(load.getResult().getType());
  } else {
    auto store = cast<StoreOp>(op);
    memory = store.getDestination();
    map = store.getMap();
    indices = store.getIndices();
    tile = cast<RankedTensorType>(store.getValue().getType());
    isWrite = true;
  }
  rank = tile.getRank();
  SmallVector<AffineExpr> dims;
  for (unsigned d = 0; d < rank; ++d)
    dims.push_back(getAffineDimExpr(d, op->getContext()));
  for (Value index : indices)
    dims.push_back(getExpr(index));
  if (!isKnown)
    return;
  auto type = cast<MemRefType>(memory.getType());
  address = getAffineConstantExpr(0, op->getContext());
  int64_t stride = 1;
  for (unsigned d = type.getRank(); d-- > 0; stride *= type.getDimSize(d))
    address = address + map.getMap().getResult(d).replaceDims(dims) * stride;
  address = simplifyAffineExpr(address, rank + variables.size(), 0);
  enumerateElements(tile, op->hasAttr(inPlaceAttrName) || op->hasAttr(boxAttrName));
}

AffineExpr Conflicts::Access::getExpr(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return getAffineConstantExpr(*constant, index.getContext());
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>()) {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(getExpr(operand));
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(operands);
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                  all.drop_front(map.getNumDims()));
  }
  auto argument = dyn_cast<BlockArgument>(index);
  Operation *owner = argument ? argument.getOwner()->getParentOp() : nullptr;
  auto loop = dyn_cast_or_null<scf::ForOp>(owner);
  // Sizes that a call settles are arguments of the function, too.
  auto func = dyn_cast_or_null<FuncOp>(owner);
  bool isIndex = (func && func.findGridDim(argument)) ||
                 (loop && loop.getInductionVar() == index && getLoopBounds(loop));
  if (!isIndex || !index.getType().isIndex()) {
    isKnown = false;
    return getAffineConstantExpr(0, index.getContext());
  }
  auto *it = llvm::find(variables, index);
  unsigned position = it - variables.begin();
  if (it == variables.end())
    variables.push_back(index);
  return getAffineDimExpr(rank + position, index.getContext());
}

void Conflicts::Access::enumerateElements(RankedTensorType tile, bool isOfAll) {
  auto encoding = dyn_cast_or_null<LayoutAttr>(tile.getEncoding());
  // A matrix unit reads all of it for every thread, and a copy of a box writes it for none.
  if (encoding && !isOfAll) {
    using layout::Resource;
    layout::TileLayout layout = encoding.getLayout();
    int64_t lanes = layout.count(Resource::Lane);
    for (int64_t warp = 0; warp < layout.count(Resource::Warp); ++warp)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        if (isWrite && !layout.isFirstReplica(lane, warp))
          continue;
        for (int64_t reg = 0; reg < layout.count(Resource::Reg); ++reg) {
          std::vector<int64_t> element = layout.coordinates({reg, lane, warp});
          elements.push_back({warp * lanes + lane, {element.begin(), element.end()}});
        }
      }
    return;
  }
  for (int64_t i = 0, count = tile.getNumElements(); i < count; ++i) {
    SmallVector<int64_t, 4> coordinates(rank);
    int64_t rest = i;
    for (unsigned d = rank; d-- > 0; rest /= tile.getDimSize(d))
      coordinates[d] = rest % tile.getDimSize(d);
    elements.push_back({kManyThreads, coordinates});
  }
}

Conflicts::Conflicts(FuncOp func) {
  func.walk([&](StoreOp store) { written.insert(store.getDestination()); });
}

Conflicts::~Conflicts() = default;

bool Conflicts::isAccess(Operation *op) const {
  if (auto load = dyn_cast<LoadOp>(op))
    return written.contains(load.getSource());
  return isa<StoreOp>(op);
}

bool Conflicts::isOfOneThread(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  Value tile = load ? Value(load.getResult()) : cast<StoreOp>(op).getValue();
  auto encoding =
      dyn_cast_or_null<LayoutAttr>(cast<RankedTensorType>(tile.getType()).getEncoding());
  using layout::Resource;
  return encoding && encoding.getLayout().count(Resource::Lane) == 1 &&
         encoding.getLayout().count(Resource::Warp) == 1;
}

const Conflicts::Access &Conflicts::get(Operation *op) {
  std::unique_ptr<Access> &access = accesses[op];
  if (!access)
    access = std::make_unique<Access>(op);
  return *access;
}

namespace {

/// One variable of the enumeration: its values, and what both accesses make of them.
struct Variable {
  int64_t first, last, step;
  /// Positions among the variables of the accesses, or -1; the earlier one sees value - offset.
  int earlier = -1, later = -1;
  int64_t offset = 0;

  /// At most one more than the budget.
  int64_t count() const {
    uint64_t steps = (uint64_t(last) - uint64_t(first)) / uint64_t(step);
    return first > last ? 0 : int64_t(std::min<uint64_t>(steps, kBudget)) + 1;
  }
};

/// The values of all variables together, at most one more than the budget.
int64_t product(ArrayRef<Variable> variables) {
  int64_t result = 1;
  for (const Variable &variable : variables)
    if (llvm::MulOverflow(result, variable.count(), result) || result > kBudget)
      return kBudget + 1;
  return result;
}

/// Calls `visit` for all values of the variables, written to the dims of both accesses.
template <typename Visit>
bool anyOf(ArrayRef<Variable> variables, MutableArrayRef<int64_t> earlier,
           MutableArrayRef<int64_t> later, Visit visit) {
  if (variables.empty())
    return visit();
  const Variable &variable = variables.front();
  for (int64_t value = variable.first; value <= variable.last; value += variable.step) {
    if (variable.earlier >= 0)
      earlier[variable.earlier] = value - variable.offset;
    if (variable.later >= 0)
      later[variable.later] = value;
    if (anyOf(variables.drop_front(), earlier, later, visit))
      return true;
  }
  return false;
}

} // namespace

bool Conflicts::between(const PendingAccess &earlier, Operation *later) {
  for (const auto &[asked, answer] : answers[later])
    if (asked == earlier)
      return answer;
  bool answer = enumerate(earlier, later);
  answers[later].push_back({earlier, answer});
  return answer;
}

bool Conflicts::enumerate(const PendingAccess &earlierAccess, Operation *laterOp) {
  const Access &earlier = get(earlierAccess.op), &later = get(laterOp);
  if (earlier.memory != later.memory || !(earlier.isWrite || later.isWrite))
    return false;
  if (!earlier.isKnown || !later.isKnown)
    return true;

  // Variables that both see, and those of one.
  SmallVector<Variable> shared, ofEarlier, ofLater;
  SmallVector<int64_t> earlierDims(earlier.rank + earlier.variables.size(), 0);
  SmallVector<int64_t> laterDims(later.rank + later.variables.size(), 0);
  auto rangeOf = [&](Value value) {
    auto argument = cast<BlockArgument>(value);
    Operation *owner = argument.getOwner()->getParentOp();
    if (auto func = dyn_cast<FuncOp>(owner))
      return LoopBounds{0, func.getGrid()[*func.findGridDim(argument)] - 1, 1};
    return *getLoopBounds(cast<scf::ForOp>(owner));
  };
  auto positionInLater = [&](Value value) {
    auto *it = llvm::find(later.variables, value);
    return it == later.variables.end() ? -1 : int(later.rank + (it - later.variables.begin()));
  };
  llvm::SmallPtrSet<Value, 4> seen;
  for (auto [i, value] : llvm::enumerate(earlier.variables)) {
    LoopBounds range = rangeOf(value);
    int position = int(earlier.rank + i);
    LoopState state;
    for (auto [loop, known] : earlierAccess.loops)
      if (Value(scf::ForOp(loop).getInductionVar()) == value)
        state = known;
    if (state.kind == LoopState::Fixed) {
      earlierDims[position] = state.value;
      continue;
    }
    if (state.kind == LoopState::Free) {
      ofEarlier.push_back({range.first, range.last, range.step, position, -1, 0});
      continue;
    }
    int64_t offset = state.value * range.step;
    Variable variable{range.first + offset,   range.last, range.step, position,
                      positionInLater(value), offset};
    if (variable.first > variable.last)
      return false;
    seen.insert(value);
    if (variable.later < 0) {
      ofEarlier.push_back(variable);
      continue;
    }
    // What moves both addresses alike does not matter.
    std::optional<int64_t> slope = earlier.getSlope(i);
    if (slope && slope == later.getSlope(variable.later - later.rank))
      variable.last = variable.first;
    shared.push_back(variable);
  }
  for (auto [i, value] : llvm::enumerate(later.variables)) {
    LoopBounds range = rangeOf(value);
    if (range.first > range.last)
      return false;
    if (!seen.contains(value))
      ofLater.push_back({range.first, range.last, range.step, -1, int(later.rank + i), 0});
  }

  int64_t visits = product(ofEarlier) * int64_t(earlier.elements.size()) +
                   product(ofLater) * int64_t(later.elements.size());
  if (product(shared) > kBudget || visits > kBudget || product(shared) * visits > kBudget)
    return true;

  // By address, which may be any number, also those that DenseMap reserves.
  std::unordered_map<int64_t, int64_t> holders;
  return anyOf(shared, earlierDims, laterDims, [&] {
    holders.clear();
    anyOf(ofEarlier, earlierDims, laterDims, [&] {
      for (const Access::Element &element : earlier.elements) {
        llvm::copy(element.coordinates, earlierDims.begin());
        auto [it, isNew] =
            holders.try_emplace(evaluate(earlier.address, earlierDims), element.thread);
        if (!isNew && it->second != element.thread)
          it->second = kManyThreads;
      }
      return false;
    });
    return anyOf(ofLater, earlierDims, laterDims, [&] {
      for (const Access::Element &element : later.elements) {
        llvm::copy(element.coordinates, laterDims.begin());
        auto it = holders.find(evaluate(later.address, laterDims));
        if (it == holders.end())
          continue;
        if (it->second == kManyThreads || it->second != element.thread)
          return true;
      }
      return false;
    });
  });
}
