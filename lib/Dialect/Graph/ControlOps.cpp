// Branches and loops: registration, verification, interfaces.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

#define GET_OP_CLASSES
#include "tw/Dialect/Graph/ControlOps.cpp.inc"

void GraphDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Graph/ControlOps.cpp.inc"
      >();
}

/// What the region yields, one value for each of `expected`; a report else. `what` says what values
/// are, `from` where their types come from.
static LogicalResult verifyYield(Operation *op, Region &region, TypeRange expected, StringRef what,
                                 StringRef from) {
  Block &block = region.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return tw::emitOpError(op, Code::T0219) << "expected a region that ends in tgraph.yield";
  if (yield.getValues().size() != expected.size())
    return tw::emitOpError(op, Code::T0219)
           << "expected a region that yields " << expected.size() << " values, " << what
           << ", found " << yield.getValues().size();
  for (auto [i, value, type] : llvm::enumerate(yield.getValues(), expected))
    if (value.getType() != type)
      return tw::emitOpError(op, Code::T0219)
             << "expected value " << i << " of a region to be of " << from << " " << type
             << ", found " << value.getType();
  return success();
}

/// Each argument of the body has the type of what it stands for.
static LogicalResult verifyArguments(Operation *op, Region &body, TypeRange expected) {
  if (body.getNumArguments() != expected.size())
    return tw::emitOpError(op, Code::T0219)
           << "expected a region of " << expected.size()
           << " arguments, one for each carried value and slice, found " << body.getNumArguments();
  for (auto [argument, type] : llvm::zip(body.getArguments(), expected))
    if (argument.getType() != type)
      return tw::emitOpError(op, Code::T0219)
             << "expected argument " << argument.getArgNumber() << " of the region to be of type "
             << type << ", found " << argument.getType();
  return success();
}

static LogicalResult verifyResults(Operation *op, TypeRange expected) {
  TypeRange types = TypeRange(op->getResultTypes()).take_front(expected.size());
  for (auto [i, type, found] : llvm::enumerate(expected, types))
    if (type != found)
      return tw::emitOpError(op, Code::T0219)
             << "expected result " << i << " to be of the carried type " << type << ", found "
             << found;
  return success();
}

//===---------------------------------------------------------------------------------------===//
// if

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    if (failed(verifyArguments(*this, *region, {})) ||
        failed(
            verifyYield(*this, *region, getResultTypes(), "one per result", "the result's type")))
      return failure();
  }
  return success();
}

void IfOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent())
    return regions.push_back(RegionSuccessor(getOperation(), getOperation()->getResults()));
  regions.push_back(RegionSuccessor(&getThenRegion()));
  regions.push_back(RegionSuccessor(&getElseRegion()));
}

//===---------------------------------------------------------------------------------------===//
// for

std::optional<Dim> ForOp::getIterations() {
  if (DimsAttr count = getCountAttr())
    return count.getShape().front();
  return std::nullopt;
}

std::optional<int64_t> ForOp::getKnownIterations() {
  std::optional<Dim> count = getIterations();
  return count && count->isStatic() ? std::optional(count->getConstant()) : std::nullopt;
}

YieldOp ForOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

/// Sizes under either encoding.
static std::optional<Shape> getSizes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (isa_and_nonnull<view::SizesAttr>(tensor.getEncoding()))
    return view::getSizes(tensor);
  return graph::getShape(tensor);
}

/// Whether `whole` is `count` slices of the type `slice`.
static bool isOfSlices(Type whole, Type slice, const Dim &count) {
  std::optional<Shape> sizes = getSizes(whole), rest = getSizes(slice);
  return sizes && rest && !sizes->empty() && sizes->front() == count &&
         getElementTypeOrSelf(whole) == getElementTypeOrSelf(slice) &&
         ArrayRef<Dim>(*sizes).drop_front() == ArrayRef<Dim>(*rest);
}

static LogicalResult verifyCount(ForOp op) {
  if (bool(op.getCountAttr()) == bool(op.getAmount()))
    return tw::emitOpError(op, Code::T0219) << "expected either a count or a tensor that holds it";
  if (bool(op.getLimit()) != bool(op.getAmount()) || (op.getLimit() && int64_t(*op.getLimit()) < 0))
    return tw::emitOpError(op, Code::T0219)
           << "expected a limit of 0 or more where a tensor holds the count, and only there";
  if (DimsAttr count = op.getCountAttr();
      count && (count.getRank() != 1 || (op.getKnownIterations() && *op.getKnownIterations() < 0)))
    return tw::emitOpError(op, Code::T0219)
           << "expected one count of 0 or more, found " << op.getCountAttr();
  if (op.getAmount() && (!op.getSlices().empty() || op->getNumResults() != op.getNumCarried()))
    return tw::emitOpError(op, Code::T0219)
           << "expected no slices and no stacked results where a tensor holds the count; give the "
              "count as a number or a size";
  return success();
}

LogicalResult ForOp::verify() {
  if (failed(verifyCount(*this)))
    return failure();
  if (getOperation()->getNumResults() < getNumCarried())
    return tw::emitOpError(*this, Code::T0219)
           << "expected at least " << getNumCarried() << " results, one per carried value, found "
           << getOperation()->getNumResults();
  if (getBody().getNumArguments() != getNumCarried() + getSlices().size())
    return verifyArguments(*this, getBody(),
                           getOperands().drop_front(getAmount() ? 1 : 0).getTypes());
  SmallVector<Type> yielded(getInits().getTypes());
  for (auto [slice, argument] : llvm::zip(getSlices(), getSliceArguments()))
    if (!isOfSlices(slice.getType(), argument.getType(), *getIterations()))
      return tw::emitOpError(*this, Code::T0219)
             << "expected a tensor of " << toString(*getIterations()) << " slices of "
             << argument.getType() << ", found " << slice.getType();
  for (Value stacked : getStacked()) {
    unsigned number = cast<OpResult>(stacked).getResultNumber();
    Block &block = getBody().front();
    auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
    if (!yield || yield.getValues().size() != getOperation()->getNumResults())
      break;
    Type slice = yield.getValues()[number].getType();
    if (!isOfSlices(stacked.getType(), slice, *getIterations()))
      return tw::emitOpError(*this, Code::T0219)
             << "expected result " << number << " to be " << toString(*getIterations())
             << " slices of " << slice << ", found " << stacked.getType();
    yielded.push_back(slice);
  }
  yielded.resize(getOperation()->getNumResults());
  SmallVector<Type> arguments(getInits().getTypes());
  for (BlockArgument slice : getSliceArguments())
    arguments.push_back(slice.getType());
  if (failed(verifyArguments(*this, getBody(), arguments)) ||
      failed(verifyYield(*this, getBody(), yielded, "one per carried value and stacked result",
                         "the carried type")))
    return failure();
  return verifyResults(*this, getInits().getTypes());
}

OperandRange ForOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void ForOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody(), getRegionIterArgs()));
  regions.push_back(
      RegionSuccessor(getOperation(), getOperation()->getResults().take_front(getNumCarried())));
}

SmallVector<Region *> ForOp::getLoopRegions() { return {&getBody()}; }
Block::BlockArgListType ForOp::getRegionIterArgs() {
  return getBody().getArguments().take_front(getNumCarried());
}
std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return getYield()->getOpOperands().take_front(getNumCarried());
}
std::optional<ResultRange> ForOp::getLoopResults() {
  return getOperation()->getResults().take_front(getNumCarried());
}

//===---------------------------------------------------------------------------------------===//
// while

YieldOp WhileOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

LogicalResult WhileOp::verify() {
  auto predicate = RankedTensorType::get({}, Builder(getContext()).getI1Type());
  if (getInits().empty() || getInits().front().getType() != predicate)
    return tw::emitOpError(*this, Code::T0219)
           << "expected the first carried value to be a predicate of type " << predicate;
  if (int64_t(getLimit()) < 0)
    return tw::emitOpError(*this, Code::T0219)
           << "expected a limit of 0 or more, found " << int64_t(getLimit());
  if (getResults().size() != getInits().size())
    return tw::emitOpError(*this, Code::T0219)
           << "expected " << getInits().size() << " results, one per carried value, found "
           << getResults().size();
  if (failed(verifyArguments(*this, getBody(), getInits().getTypes())) ||
      failed(verifyYield(*this, getBody(), getInits().getTypes(), "one per carried value",
                         "the carried type")))
    return failure();
  return verifyResults(*this, getInits().getTypes());
}

OperandRange WhileOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void WhileOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.push_back(RegionSuccessor(&getBody(), getRegionIterArgs()));
  regions.push_back(RegionSuccessor(getOperation(), getOperation()->getResults()));
}

SmallVector<Region *> WhileOp::getLoopRegions() { return {&getBody()}; }
Block::BlockArgListType WhileOp::getRegionIterArgs() { return getBody().getArguments(); }
std::optional<MutableArrayRef<OpOperand>> WhileOp::getYieldedValuesMutable() {
  return getYield()->getOpOperands();
}
std::optional<ResultRange> WhileOp::getLoopResults() { return getOperation()->getResults(); }

//===---------------------------------------------------------------------------------------===//
// yield

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  if (auto loop = dyn_cast<ForOp>((*this)->getParentOp()))
    return MutableOperandRange(*this, 0, loop.getNumCarried());
  return getValuesMutable();
}
