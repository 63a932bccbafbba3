// graph-to-view: movement ops become index maps, chains of them one map.
#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;

namespace tw {
#define GEN_PASS_DEF_GRAPHTOVIEWPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// A tensor as maps see it: what each dimension is at most, and what it is.
struct Space {
  SmallVector<int64_t> most;
  graph::Shape sizes;

  Space(Value value, Operation *function)
      : most(graph::getMostShape(value.getType(), function)),
        sizes(graph::getShape(value.getType()).value_or(graph::Shape())) {}

  bool isKnown() const { return sizes.size() == most.size() && !llvm::is_contained(most, -1); }
};

/// Dimensions that are reshaped together: the first one may have a size that a call settles, of
/// which the others are no part.
struct Group {
  std::vector<int64_t> most;
  graph::Dim size = 1;
  graph::Shape sizes = {};
};

std::vector<Group> getGroups(const Space &space) {
  std::vector<Group> groups(1);
  for (auto [most, size] : llvm::zip(space.most, space.sizes)) {
    if (!size.isStatic()) {
      groups.push_back({{most}, size, {size}});
      continue;
    }
    groups.back().most.push_back(most);
    groups.back().size = groups.back().size * most;
    groups.back().sizes.push_back(size);
  }
  return groups;
}

} // namespace

/// Nothing where elements of one size come to lie along another one.
static std::optional<layout::IndexMap> getReshape(const Space &from, const Space &to) {
  std::vector<Group> groups = getGroups(from), resultGroups = getGroups(to);
  if (groups.size() != resultGroups.size())
    return std::nullopt;
  std::vector<std::vector<int64_t>> first, second;
  for (const auto &[group, resultGroup] : llvm::zip(groups, resultGroups)) {
    if (group.size != resultGroup.size)
      return std::nullopt;
    first.push_back(group.most);
    second.push_back(resultGroup.most);
  }
  return layout::reshape(first, second);
}

/// The shape `to` with dimensions of several sizes taken apart as `from` has them, so that a map
/// leads there; nothing where sizes are put together in another way.
static std::optional<graph::Shape> getApart(const Space &from, const Space &to) {
  std::vector<Group> groups = getGroups(from), resultGroups = getGroups(to);
  for (std::vector<Group> *each : {&groups, &resultGroups})
    if (each->front().sizes.empty())
      each->erase(each->begin());
  graph::Shape apart;
  auto next = groups.begin();
  for (const Group &whole : resultGroups) {
    auto first = next;
    graph::Dim product = 1, before = 1, rest = 1;
    while (next != groups.end() && (next == first || product != whole.size)) {
      before = product;
      product = multiply(product, next++->size);
    }
    if (next == first || product != whole.size)
      return std::nullopt;
    if (next == std::next(first)) {
      apart.append(whole.sizes);
      continue;
    }
    for (const Group &part : llvm::make_range(first, std::prev(next)))
      apart.append(part.sizes);
    for (const graph::Dim &size : llvm::drop_begin(whole.sizes))
      rest = rest * size.getConstant();
    std::optional<graph::Dim> last =
        rest == 0 ? std::nullopt : divideExactly(std::prev(next)->size, rest.getConstant());
    if (!last || multiply(before, *last) != whole.sizes.front())
      return std::nullopt;
    apart.push_back(*last);
    apart.append(whole.sizes.begin() + 1, whole.sizes.end());
  }
  return next == groups.end() ? std::optional(apart) : std::nullopt;
}

/// Whether the sizes are whole numbers in every call: half of one that may be odd is none.
static bool areWhole(Operation *op, ArrayRef<graph::Dim> shape) {
  auto declared =
      op->getParentOfType<FunctionOpInterface>()->getAttrOfType<DictionaryAttr>("tgraph.symbols");
  auto stepOf = [&](StringAttr symbol) {
    auto range = declared ? declared.getAs<graph::SymbolAttr>(symbol) : graph::SymbolAttr();
    return range ? range.getStep() : 1;
  };
  return llvm::none_of(shape, [&](const graph::Dim &size) {
    return llvm::any_of(size.getTerms(), [&](const graph::Dim::Term &term) {
      return findInexact(term.first, stepOf).has_value();
    });
  });
}

/// Whether elements beyond the ends of a dimension are read whose size a call settles: what lies
/// there is known where the tensor is read, not of maps that are composed.
static bool padsSettled(Operation *op, const Space &from) {
  auto pad = dyn_cast<graph::PadOp>(op);
  if (!pad)
    return false;
  for (auto [i, size] : llvm::enumerate(from.sizes))
    if (!size.isStatic() && (pad.getLow()[i] != 0 || pad.getHigh()[i] != 0))
      return true;
  return false;
}

/// Whether elements of dimensions whose sizes a call settles are counted from their beginning.
static bool keepsSizes(Operation *op, const Space &from) {
  for (auto [i, size] : llvm::enumerate(from.sizes)) {
    if (size.isStatic())
      continue;
    auto flip = dyn_cast<graph::FlipOp>(op);
    if (flip && llvm::is_contained(flip.getDims(), int64_t(i)))
      return false;
  }
  return true;
}

/// The map of a movement op, or nothing where the sizes of its dimensions do not allow one.
static std::optional<layout::IndexMap> mapOf(Operation *op, const Space &from, const Space &to,
                                             view::Fills &fills) {
  if (!keepsSizes(op, from))
    return std::nullopt;
  using Map = std::optional<layout::IndexMap>;
  return TypeSwitch<Operation *, Map>(op)
      .Case<graph::PermuteOp>(
          [&](auto op) -> Map { return layout::permute(from.most, op.getPermutation()); })
      .Case<graph::ReshapeOp>([&](auto) -> Map { return getReshape(from, to); })
      .Case<graph::ExpandOp>([&](auto) -> Map { return layout::expand(from.most, to.most); })
      .Case<graph::PadOp>([&](auto op) -> Map {
        return layout::pad(from.most, op.getLow(), op.getHigh(), fills.getNumber(op.getValue()));
      })
      .Case<graph::SliceOp>([&](auto op) -> Map {
        return layout::slice(from.most, op.getOffsets(), to.most, op.getStrides());
      })
      .Case<graph::FlipOp>([&](auto op) -> Map { return layout::flip(from.most, op.getDims()); })
      .Default([](Operation *) -> Map { return std::nullopt; });
}

static bool isMovement(Operation *op) {
  return isa<graph::PermuteOp, graph::ReshapeOp, graph::ExpandOp, graph::PadOp, graph::SliceOp,
             graph::FlipOp>(op);
}

namespace {

struct GraphToViewPass : tw::impl::GraphToViewPassBase<GraphToViewPass> {
  void runOnOperation() override {
    // Operands come before their users, so the source of a movement op is already a view if it will
    // be.
    SmallVector<graph::FlipOp> flips;
    getOperation().walk([&](graph::FlipOp flip) { flips.push_back(flip); });
    llvm::for_each(flips, flipSettled);
    SmallVector<Operation *> movements;
    getOperation().walk([&](Operation *op) {
      if (isMovement(op))
        movements.push_back(op);
    });
    SmallVector<view::ViewOp> views;
    for (Operation *op : movements)
      if (failed(replace(op, views)))
        return signalPassFailure();
    for (view::ViewOp view : llvm::reverse(views)) {
      repeatInRegions(view);
      if (view->use_empty())
        view.erase();
    }
  }

  /// A flip of dimensions whose sizes a call settles reads at positions that are computed.
  static void flipSettled(graph::FlipOp flip) {
    graph::Shape shape = *graph::getShape(flip.getType());
    OpBuilder builder(flip);
    Location loc = flip.getLoc();
    Type element = builder.getI64Type();
    Value result = flip.getInput();
    SmallVector<int64_t> others;
    for (int64_t dim : flip.getDims()) {
      if (shape[dim].isStatic()) {
        others.push_back(dim);
        continue;
      }
      RankedTensorType type = graph::getTensorType({shape[dim]}, element);
      auto one = RankedTensorType::get({1}, element);
      auto spread = [&](Value single) -> Value {
        return graph::ExpandOp::create(builder, loc, type, single);
      };
      Value size = graph::SizeOp::create(
          builder, loc, RankedTensorType::get({}, element),
          graph::DimsAttr::get(builder.getContext(), ArrayRef<graph::Dim>(shape[dim])));
      size = spread(graph::ReshapeOp::create(builder, loc, one, size));
      // Of size 0 there is no last position.
      Value left = graph::SubOp::create(builder, loc, size,
                                        graph::IotaOp::create(builder, loc, type, /*dim=*/0));
      Value position =
          graph::SubOp::create(builder, loc, left,
                               spread(graph::ConstantOp::create(
                                   builder, loc, one, DenseIntElementsAttr::get(one, int64_t(1)))));
      result = graph::GatherOp::create(builder, loc, flip.getType(), result, ValueRange(position),
                                       uint64_t(dim), 0);
    }
    if (others.size() == flip.getDims().size())
      return;
    if (!others.empty())
      result = graph::FlipOp::create(builder, loc, flip.getType(), result, others);
    flip.getResult().replaceAllUsesWith(result);
    flip.erase();
  }

  /// Reading through a map costs nothing, but nothing is read through another region's border: a
  /// branch or a loop has a view of its own of what lies around it.
  static void repeatInRegions(view::ViewOp view) {
    llvm::DenseMap<Block *, Value> repeated;
    for (OpOperand &use : llvm::make_early_inc_range(view->getUses())) {
      Block *block = use.getOwner()->getBlock();
      if (block == view->getBlock())
        continue;
      Value &own = repeated[block];
      if (!own) {
        OpBuilder builder = OpBuilder::atBlockBegin(block);
        own = builder.clone(*view)->getResult(0);
      }
      use.set(own);
    }
  }

  /// No map without divisions by sizes: kernels end there, and both sides are one buffer. What else
  /// is reshaped is so by a map, before sizes are put together or behind where they are taken
  /// apart.
  LogicalResult replaceFlattening(Operation *op, const Space &from, const Space &to,
                                  SmallVectorImpl<view::ViewOp> &views) {
    Value source = op->getOperand(0), result = op->getResult(0);
    OpBuilder builder(op);
    for (bool isFlat : {false, true}) {
      std::optional<graph::Shape> shape = isFlat ? getApart(to, from) : getApart(from, to);
      if (!shape || !areWhole(op, *shape))
        continue;
      RankedTensorType apart = graph::getTensorType(*shape, typeOf(source).getElementType());
      if (apart == source.getType() || apart == result.getType())
        return success();
      auto first = graph::ReshapeOp::create(builder, op->getLoc(), apart, source);
      auto second = graph::ReshapeOp::create(builder, op->getLoc(), result.getType(), first);
      result.replaceAllUsesWith(second);
      op->erase();
      return replace(isFlat ? second : first, views);
    }
    return success();
  }

  /// Replaces the op by a view of what its source views, or by the source itself.
  LogicalResult replace(Operation *op, SmallVectorImpl<view::ViewOp> &views) {
    Value source = op->getOperand(0), result = op->getResult(0);
    Operation *function = op->getParentOfType<FunctionOpInterface>();
    Space from(source, function), to(result, function);
    if (!from.isKnown() || !to.isKnown())
      return emitOpError(op, Code::T0215)
             << "has the dynamic type " << (from.isKnown() ? result : source).getType()
             << ", expected sizes whose ranges are declared";
    view::Fills fills(typeOf(result).getElementType());
    std::optional<layout::IndexMap> found = mapOf(op, from, to, fills);
    if (!found && isa<graph::ReshapeOp>(op))
      return replaceFlattening(op, from, to, views);
    if (!found)
      return emitOpError(op, Code::T0215)
             << "takes " << source.getType() << " to " << result.getType()
             << ", which moves elements along a dimension whose size a call settles: expected "
                "such dimensions to stay as they are; give the sizes when compiling "
                "(--symbol=NAME=VALUE)";
    layout::IndexMap map = std::move(*found);
    if (auto inner = source.getDefiningOp<view::ViewOp>(); inner && !padsSettled(op, from)) {
      Space innermost(inner.getSource(), function);
      std::optional<layout::IndexMap> innerMap =
          view::toLayout(inner.getMap(), from.most, innermost.most, fills);
      std::optional<layout::IndexMap> both =
          innerMap ? layout::collapse(map, *innerMap) : std::nullopt;
      if (both) {
        map = std::move(*both);
        source = inner.getSource();
      }
    }
    OpBuilder builder(op);
    if (map.isIdentity() && source.getType() == result.getType()) {
      result.replaceAllUsesWith(source);
    } else {
      auto view = view::ViewOp::create(builder, op->getLoc(), result.getType(), source,
                                       view::toAttr(map, &getContext(), fills));
      result.replaceAllUsesWith(view);
      views.push_back(view);
    }
    op->erase();
    return success();
  }
};

} // namespace
