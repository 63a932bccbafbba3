// Branches and loops.
//===---------------------------------------------------------------------------------------===//
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

bool tw::interp::isControl(Operation *op) { return isa<IfOp, ForOp, WhileOp>(op); }

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
  auto branch = cast<IfOp>(op);
  return run(isTrue(operands[0]) ? branch.getThenRegion() : branch.getElseRegion(), {});
}
