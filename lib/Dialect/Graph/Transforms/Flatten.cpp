// graph-flatten: small loops are unrolled, cheap branches computed on both sides. Runs when
// composites are their parts, whose number is what code and compile time grow with; relies on ops
// being pure.
#include "tw/Dialect/Graph/Create.h"
#include "tw/Dialect/Graph/Derivatives.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHFLATTEN
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// Operations per element of the results up to which both sides of a branch are computed.
static constexpr int64_t mostSelected = 32;
/// What an elementwise function costs, in additions.
static constexpr int64_t functionCost = 8;

static bool isFree(Operation *op) {
  return isa<ConstantOp, IotaOp, YieldOp, PermuteOp, ReshapeOp, ExpandOp, PadOp, SliceOp, FlipOp>(
      op);
}

/// Copies what a region computes to the insertion point; gives what it yields.
static SmallVector<Value> inlineCopy(Region &region, ValueRange arguments, OpBuilder &builder) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(region.front().getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// What computing the region costs; nothing where it does more than move elements and combine those
/// of one place.
static std::optional<int64_t> getElementwiseCost(Region &region) {
  int64_t cost = 0;
  for (Operation &op : region.front()) {
    if (isFree(&op))
      continue;
    auto type = isa<ElementwiseOpInterface>(op) ? cast<RankedTensorType>(op.getResult(0).getType())
                                                : RankedTensorType();
    if (!type || !type.hasStaticShape())
      return std::nullopt;
    bool isFunction =
        isa<FloatType>(type.getElementType()) &&
        !isa<AddOp, SubOp, MulOp, NegOp, AbsOp, MaximumOp, MinimumOp, SelectOp, CastOp>(op);
    cost += type.getNumElements() * (isFunction ? functionCost : 1);
  }
  return cost;
}

// if %c { exp(x) } else { x }  ->  select(%c, exp(x), x)
static void selectCheap(IfOp op) {
  int64_t elements = 0;
  for (Type type : op.getResultTypes()) {
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return;
    elements += cast<RankedTensorType>(type).getNumElements();
  }
  for (Region *side : {&op.getThenRegion(), &op.getElseRegion()})
    if (std::optional<int64_t> cost = getElementwiseCost(*side);
        !cost || *cost > mostSelected * elements)
      return;
  OpBuilder builder(op);
  SmallVector<Value> first = inlineCopy(op.getThenRegion(), {}, builder);
  SmallVector<Value> second = inlineCopy(op.getElseRegion(), {}, builder);
  SmallVector<Value> results;
  for (auto [a, b] : llvm::zip(first, second)) {
    auto type = cast<RankedTensorType>(a.getType());
    Value condition = broadcast(builder, op.getLoc(), op.getCondition(), {},
                                RankedTensorType::get(type.getShape(), builder.getI1Type()));
    results.push_back(SelectOp::create(builder, op.getLoc(), type, condition, a, b));
  }
  op->replaceAllUsesWith(results);
  op->erase();
}

/// The type of one slice as a tensor of one of them.
static RankedTensorType getOneSlice(Type slice) {
  Shape shape = *getShape(slice);
  shape.insert(shape.begin(), Dim(1));
  return getTensorType(shape, getElementTypeOrSelf(slice));
}

static Value takeSlice(OpBuilder &builder, Location loc, Value whole, Type slice, int64_t number) {
  RankedTensorType type = getOneSlice(slice);
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1),
      sizes(type.getShape());
  offsets[0] = number;
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = SliceOp::whole;
  Value taken = SliceOp::create(builder, loc, type, whole, offsets, sizes, strides);
  return ReshapeOp::create(builder, loc, slice, taken);
}

static int64_t countOps(Region &region) {
  int64_t count = 0;
  region.walk([&](Operation *op) { count += !isFree(op); });
  return count;
}

// for 2 carried(%x = %x0) slices(%s = %t) { yield f(%x, %s) }  ->  f(f(%x0, slice 0), slice 1)
static void unroll(ForOp op, int64_t count) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> carried(op.getInits());
  SmallVector<SmallVector<Value>> stacks(op.getStacked().size(), SmallVector<Value>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = op.getReverse() ? count - 1 - i : i;
    SmallVector<Value> arguments = carried;
    for (auto [whole, slice] : llvm::zip(op.getSlices(), op.getSliceArguments()))
      arguments.push_back(takeSlice(builder, loc, whole, slice.getType(), number));
    SmallVector<Value> yielded = inlineCopy(op.getBody(), arguments, builder);
    for (auto [stack, value] :
         llvm::zip(stacks, ArrayRef<Value>(yielded).drop_front(carried.size())))
      stack[number] = ReshapeOp::create(builder, loc, getOneSlice(value.getType()), value);
    carried.assign(yielded.begin(), yielded.begin() + carried.size());
  }
  for (auto [stack, result] : llvm::zip(stacks, op.getStacked())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (count == 0)
      carried.push_back(
          ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<Attribute>())));
    else
      carried.push_back(ConcatOp::create(builder, loc, type, stack, 0));
  }
  op->replaceAllUsesWith(carried);
  op->erase();
}

namespace {

struct GraphFlattenPass : tw::impl::GraphFlattenBase<GraphFlattenPass> {
  using GraphFlattenBase::GraphFlattenBase;

  void runOnOperation() override {
    // What is inside of a region comes before the region's op.
    getOperation()->walk([&](Operation *op) {
      if (auto branch = dyn_cast<IfOp>(op))
        selectCheap(branch);
      else if (auto loop = dyn_cast<ForOp>(op); loop && isSmall(loop))
        unroll(loop, *loop.getKnownIterations());
    });
  }

private:
  bool isSmall(ForOp op) {
    std::optional<int64_t> count = op.getKnownIterations();
    if (!count || op->hasAttr(againName) ||
        (*count > 1 && *count > mostOps / std::max<int64_t>(countOps(op.getBody()), 1)))
      return false;
    // Those of an empty result are part of its constant.
    return *count > 0 || llvm::all_of(op.getStacked().getTypes(), [](Type type) {
      return cast<RankedTensorType>(type).hasStaticShape();
    });
  }
};

} // namespace
