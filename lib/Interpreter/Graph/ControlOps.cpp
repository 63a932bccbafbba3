// Branches, loops, and scans by a region.
//===---------------------------------------------------------------------------------------===//
#include "../Program/Lanes.h"
#include "Graph.h"

#include "tw/Support/Diagnostics.h"

#include <cstring>

using namespace mlir;
using namespace tw;
using namespace tw::graph;
using namespace tw::interp;

using Run = llvm::function_ref<FailureOr<SmallVector<Tensor>>(Region &, ArrayRef<Tensor>)>;

static bool isTrue(const Tensor &predicate) { return predicate.bytes()[0] != 0; }

static Tensor getSlice(const Tensor &whole, int64_t number) {
  RankedTensorType type = whole.getType();
  Tensor slice =
      Tensor::allocate(RankedTensorType::get(type.getShape().drop_front(), type.getElementType()));
  std::memcpy(slice.bytes(), whole.bytes() + number * slice.getBytes(), size_t(slice.getBytes()));
  return slice;
}

/// The number of iterations; a report where it is not known, or above the limit.
static FailureOr<int64_t> getCount(ForOp op, ArrayRef<Tensor> operands) {
  if (std::optional<int64_t> known = op.getKnownIterations())
    return *known;
  if (!op.getAmount())
    return tw::emitOpError(op, Code::T0701)
           << "runs " << toString(*op.getIterations()) << " times; give the symbol a value";
  int64_t count = std::max<int64_t>(operands[0].elements<int64_t>()[0], 0);
  if (count > int64_t(*op.getLimit()))
    return tw::emitOpError(op, Code::T0709)
           << "expected at most " << *op.getLimit() << " iterations, found " << count;
  return count;
}

static FailureOr<SmallVector<Tensor>> evaluateFor(ForOp op, ArrayRef<Tensor> operands, Run run) {
  FailureOr<int64_t> count = getCount(op, operands);
  if (failed(count))
    return failure();
  operands = operands.drop_front(op.getAmount() ? 1 : 0);
  SmallVector<Tensor> carried(operands.take_front(op.getNumCarried())), stacks;
  ArrayRef<Tensor> slices = operands.drop_front(op.getNumCarried());
  for (Value stacked : op.getStacked())
    stacks.push_back(Tensor::allocate(cast<RankedTensorType>(stacked.getType())));
  for (int64_t i = 0; i < *count; ++i) {
    int64_t number = op.getReverse() ? *count - 1 - i : i;
    SmallVector<Tensor> arguments = carried;
    for (const Tensor &whole : slices)
      arguments.push_back(getSlice(whole, number));
    FailureOr<SmallVector<Tensor>> yielded = run(op.getBody(), arguments);
    if (failed(yielded))
      return failure();
    carried.assign(yielded->begin(), yielded->begin() + carried.size());
    for (auto [stack, slice] : llvm::zip(stacks, ArrayRef(*yielded).drop_front(carried.size())))
      std::memcpy(stack.bytes() + number * slice.getBytes(), slice.bytes(),
                  size_t(slice.getBytes()));
  }
  llvm::append_range(carried, stacks);
  return carried;
}

static FailureOr<SmallVector<Tensor>> evaluateWhile(WhileOp op, ArrayRef<Tensor> operands,
                                                    Run run) {
  SmallVector<Tensor> carried(operands);
  for (int64_t i = 0; isTrue(carried[0]); ++i) {
    if (i == int64_t(op.getLimit()))
      return tw::emitOpError(op, Code::T0709)
             << "expected at most " << op.getLimit() << " iterations, found a predicate that holds";
    FailureOr<SmallVector<Tensor>> yielded = run(op.getBody(), carried);
    if (failed(yielded))
      return failure();
    carried = std::move(*yielded);
  }
  return carried;
}

/// Calls `copy` with the places in a tensor and in its slice at element i along `dim`, and with how
/// many elements lie together there.
static void forEachRun(ArrayRef<int64_t> shape, int64_t dim, int64_t i,
                       llvm::function_ref<void(int64_t, int64_t, int64_t)> copy) {
  int64_t outer = llvm::product_of(shape.take_front(dim), int64_t(1));
  int64_t inner = llvm::product_of(shape.drop_front(dim + 1), int64_t(1));
  for (int64_t o = 0; o < outer; ++o)
    copy((o * shape[dim] + i) * inner, o * inner, inner);
}

/// Copies elements from one place to another, which may be of another type.
static void copyRun(const Tensor &from, int64_t first, Tensor &to, int64_t place, int64_t count) {
  Type type = from.getElementType(), own = to.getElementType();
  convertLanes(type, from.bytes() + first * getElementBytes(type), own,
               to.bytes() + place * getElementBytes(own), count);
}

/// The region of whole slices, one after the other along the dimension.
static FailureOr<SmallVector<Tensor>> evaluateScan(AssociativeScanOp op, ArrayRef<Tensor> operands,
                                                   Run run) {
  int64_t dim = op.getDim(), count = operands[0].getShape()[dim];
  SmallVector<int64_t> shape(operands[0].getShape());
  shape.erase(shape.begin() + dim);
  SmallVector<Tensor> results;
  SmallVector<Type> types;
  for (const Tensor &operand : operands) {
    results.push_back(Tensor::allocate(operand.getType()));
    types.push_back(RankedTensorType::get(
        shape, AssociativeScanOp::getScalarType(operand.getType()).getElementType()));
  }
  Region region;
  Block &block = region.emplaceBlock();
  for (unsigned side = 0; side < 2; ++side)
    block.addArguments(types, SmallVector<Location>(types.size(), op.getLoc()));
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(&block);
  ValueRange arguments = block.getArguments();
  SmallVector<Value> combined = op.emitCombined(builder, arguments.take_front(types.size()),
                                                arguments.drop_front(types.size()));
  YieldOp::create(builder, op.getLoc(), combined);
  SmallVector<Tensor> before;
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = op.getReverse() ? count - 1 - i : i;
    SmallVector<Tensor> next;
    for (auto [operand, type] : llvm::zip(operands, types)) {
      next.push_back(Tensor::allocate(cast<RankedTensorType>(type)));
      forEachRun(operand.getShape(), dim, at, [&](int64_t whole, int64_t slice, int64_t length) {
        copyRun(operand, whole, next.back(), slice, length);
      });
    }
    if (i != 0) {
      before.append(next);
      FailureOr<SmallVector<Tensor>> yielded = run(region, before);
      if (failed(yielded))
        return failure();
      next = std::move(*yielded);
    }
    for (auto [result, slice] : llvm::zip(results, next))
      forEachRun(result.getShape(), dim, at, [&](int64_t whole, int64_t place, int64_t length) {
        copyRun(slice, place, result, whole, length);
      });
    before = std::move(next);
  }
  return results;
}

bool tw::interp::isControl(Operation *op) {
  return isa<IfOp, ForOp, WhileOp, AssociativeScanOp>(op);
}

FailureOr<SmallVector<Tensor>> tw::interp::evaluateControl(Operation *op, ArrayRef<Tensor> operands,
                                                           Run run) {
  for (Type type : op->getResultTypes())
    if (!Tensor::isSupported(type))
      return tw::emitOpError(op, Code::T0702) << "yields " << type << ", which is not held";
  if (failed(Tensor::checkMemory(op, op->getResultTypes())))
    return failure();
  if (auto loop = dyn_cast<ForOp>(op))
    return evaluateFor(loop, operands, run);
  if (auto loop = dyn_cast<WhileOp>(op))
    return evaluateWhile(loop, operands, run);
  if (auto scan = dyn_cast<AssociativeScanOp>(op))
    return evaluateScan(scan, operands, run);
  auto branch = cast<IfOp>(op);
  return run(isTrue(operands[0]) ? branch.getThenRegion() : branch.getElseRegion(), {});
}
