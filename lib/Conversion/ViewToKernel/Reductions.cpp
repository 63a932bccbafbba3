// Kernels of ops that combine elements: windows, reductions, arg reductions, scans.
#include "Formation.h"

#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/WindowLoad.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

Value buildReduce(Formation &form, Value value, ValueRange axes, arith::AtomicRMWKind kind) {
  if (axes.empty())
    return value;
  auto attr = arith::AtomicRMWKindAttr::get(form.body.getContext(), kind);
  return kernel::ReduceOp::create(form.body, form.loc, TypeRange(value.getType()), value, axes,
                                  attr, ArrayAttr(), StringAttr())
      .getResult(0);
}

// Axes: one per dimension of the result, then one per dimension whose window has several elements.
// Padding is read as the kind's identity.
LogicalResult formWindow(graph::WindowOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getResult());
  unsigned rank = shape.size();
  SmallVector<kernel::Extent> extents(shape);
  SmallVector<std::string> names = getPointNames(rank);
  if (rank > 2) {
    names = {"n", "c"};
    llvm::append_range(names, getSpatialNames(rank - 2));
  }
  SmallVector<int64_t> moving;
  for (unsigned i = 0; i < rank; ++i)
    if (op.getWindow()[i] != 1)
      moving.push_back(i);
  for (auto [dim, name] : llvm::zip(moving, getWindowNames(moving.size()))) {
    extents.push_back(op.getWindow()[dim]);
    names.push_back(name);
  }
  Formation form(rewriter, op.getLoc(), "window", op.getType(), extents, names);
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0; i < rank; ++i)
    coordinates.push_back(form.dim(i) * op.getStrides()[i] - op.getPadLow()[i]);
  for (auto [i, dim] : llvm::enumerate(moving))
    coordinates[dim] = coordinates[dim] + form.dim(rank + i) * op.getDilations()[dim];
  Type type = elementTypeOf(op.getInput());
  arith::AtomicRMWKind kind = getReductionKind(op.getKind(), type);
  TypedAttr identity = arith::getIdentityValueAttr(kind, kernel::getScalarType(type), rewriter,
                                                   op.getLoc(), !hasInfinities(type));
  Value read = form.load(op.getInput(), coordinates, identity);
  auto load = read.getDefiningOp<kernel::LoadOp>();
  SmallVector<kernel::Extent> input = shapeOf(op.getInput());
  if (load && llvm::any_of(moving, [&](int64_t dim) {
        return !input[dim].isFixed() && input[dim].most == op.getWindow()[dim];
      }))
    load->setAttr(kernel::windowAttrName, rewriter.getUnitAttr());
  Value value = form.widen(read);
  value = form.round(buildReduce(form, value, form.axes().drop_front(rank), kind), type);
  rewriter.replaceOp(op, form.store(value, form.dims(0, rank)));
  return success();
}

/// Axes of an op that takes away dimensions: those that stay, then those that go; and where each
/// dimension of the operand is among them.
struct Removal {
  SmallVector<kernel::Extent> extents;
  SmallVector<std::string> names;
  SmallVector<unsigned> axisOf;
  unsigned kept;

  Removal(ArrayRef<kernel::Extent> shape, ArrayRef<int64_t> removed) : axisOf(shape.size()) {
    SmallVector<std::string> all = getPointNames(shape.size());
    for (bool isRemoved : {false, true}) {
      for (unsigned i = 0; i < shape.size(); ++i)
        if (llvm::is_contained(removed, int64_t(i)) == isRemoved) {
          axisOf[i] = extents.size();
          extents.push_back(shape[i]);
          names.push_back(all[i]);
        }
      if (!isRemoved)
        kept = extents.size();
    }
  }
};

/// The element in the type that it is computed in.
Value loadAtAxes(Formation &form, Value tensor, const Removal &axes) {
  SmallVector<AffineExpr> coordinates;
  for (unsigned axis : axes.axisOf)
    coordinates.push_back(form.dim(axis));
  return form.widen(form.load(tensor, coordinates));
}

/// The largest or the least of no element, where the result has no infinities: its own limit, not
/// that of the type that it is computed in.
Value limit(Formation &form, Value value, graph::CombineKind kind, Type elementType) {
  bool isMax = kind == graph::CombineKind::Max;
  if ((!isMax && kind != graph::CombineKind::Min) || hasInfinities(elementType))
    return value;
  auto narrow = cast<FloatType>(elementType), wide = cast<FloatType>(value.getType());
  APFloat largest = APFloat::getLargest(narrow.getFloatSemantics(), /*Negative=*/isMax);
  Location loc = value.getLoc();
  Value end =
      arith::ConstantOp::create(form.body, loc, FloatAttr::get(wide, largest.convertToDouble()));
  return isMax ? arith::MaximumFOp::create(form.body, loc, value, end).getResult()
               : arith::MinimumFOp::create(form.body, loc, value, end).getResult();
}

LogicalResult formReduce(graph::ReduceOp op, PatternRewriter &rewriter) {
  Removal axes(shapeOf(op.getInput()), op.getDims());
  Formation form(rewriter, op.getLoc(), "reduce", op.getType(), axes.extents, axes.names);
  Value value = loadAtAxes(form, op.getInput(), axes);
  Type type = elementTypeOf(op.getInput());
  arith::AtomicRMWKind kind = getReductionKind(op.getKind(), type);
  value = buildReduce(form, value, form.axes().drop_front(axes.kept), kind);
  bool mayBeEmpty =
      llvm::any_of(ArrayRef(axes.extents).drop_front(axes.kept), [](const kernel::Extent &extent) {
        return !extent.isFixed() || extent.most == 0;
      });
  if (mayBeEmpty)
    value = limit(form, value, op.getKind(), type);
  rewriter.replaceOp(op, form.store(form.round(value, type), form.dims(0, axes.kept)));
  return success();
}

/// Whether value `b` at `ib` wins over value `a` at `ia`: it is better, a NaN against a number, or
/// as good and earlier.
Value buildWins(OpBuilder &builder, Location loc, bool isMax, Type elementType, Value a, Value ia,
                Value b, Value ib) {
  Value better, tie;
  if (isa<FloatType>(elementType)) {
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpFOp::create(builder, loc, predicate, x, y);
    };
    Value aIsNaN = compare(arith::CmpFPredicate::UNO, a, a);
    Value bIsNaN = compare(arith::CmpFPredicate::UNO, b, b);
    Value greater = compare(isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, b, a);
    // With a NaN for a, an ordered comparison is false.
    Value aIsNumber = compare(arith::CmpFPredicate::ORD, a, a);
    Value isFirstNaN = arith::AndIOp::create(builder, loc, bIsNaN, aIsNumber);
    better = arith::OrIOp::create(builder, loc, greater, isFirstNaN);
    Value equal = compare(arith::CmpFPredicate::OEQ, a, b);
    Value bothNaN = arith::AndIOp::create(builder, loc, aIsNaN, bIsNaN);
    tie = arith::OrIOp::create(builder, loc, equal, bothNaN);
  } else {
    using Predicate = arith::CmpIPredicate;
    bool isUnsigned = graph::isUnsigned(elementType);
    Predicate predicate = isMax ? (isUnsigned ? Predicate::ugt : Predicate::sgt)
                                : (isUnsigned ? Predicate::ult : Predicate::slt);
    better = arith::CmpIOp::create(builder, loc, predicate, b, a);
    tie = arith::CmpIOp::create(builder, loc, Predicate::eq, a, b);
  }
  Value isEarlier = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, ib, ia);
  Value winsTie = arith::AndIOp::create(builder, loc, tie, isEarlier);
  return arith::OrIOp::create(builder, loc, better, winsTie);
}

LogicalResult formArgReduce(graph::ArgReduceOp op, PatternRewriter &rewriter) {
  Removal axes(shapeOf(op.getInput()), {int64_t(op.getDim())});
  Formation form(rewriter, op.getLoc(), "arg_reduce", op.getType(), axes.extents, axes.names);
  Location loc = op.getLoc();
  Type elementType = elementTypeOf(op.getInput()), index = rewriter.getI64Type();
  bool isMax = op.getKind() == graph::CombineKind::Max;
  Value value = loadAtAxes(form, op.getInput(), axes);
  Value axis = form.axis(axes.kept);
  Value position = arith::IndexCastOp::create(form.body, loc, index, axis);
  Type scalar = value.getType();
  Attribute identities[] = {arith::getIdentityValueAttr(getReductionKind(op.getKind(), elementType),
                                                        scalar, rewriter, loc),
                            rewriter.getI64IntegerAttr(INT64_MAX)};
  Type types[] = {scalar, index};
  auto reduce = kernel::ReduceOp::create(
      form.body, loc, TypeRange(types), ValueRange{value, position}, ValueRange(axis),
      arith::AtomicRMWKindAttr(), rewriter.getArrayAttr(identities), StringAttr());
  OpBuilder combine(rewriter.getContext());
  Block *block = combine.createBlock(&reduce.getCombine(), {}, {scalar, index, scalar, index},
                                     {loc, loc, loc, loc});
  Value a = block->getArgument(0), ia = block->getArgument(1), b = block->getArgument(2),
        ib = block->getArgument(3);
  Value wins = buildWins(combine, loc, isMax, elementType, a, ia, b, ib);
  Value best = arith::SelectOp::create(combine, loc, wins, b, a);
  Value where = arith::SelectOp::create(combine, loc, wins, ib, ia);
  kernel::YieldOp::create(combine, loc, ValueRange{best, where});
  rewriter.replaceOp(op, form.store(reduce.getResult(1), form.dims(0, axes.kept)));
  return success();
}

LogicalResult formScan(graph::ScanOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> shape = shapeOf(op.getInput());
  Formation form(rewriter, op.getLoc(), "scan", op.getType(), shape, getPointNames(shape.size()));
  SmallVector<AffineExpr> point = form.dims(0, shape.size());
  Value value = form.widen(form.load(op.getInput(), point));
  auto kind = arith::AtomicRMWKindAttr::get(
      rewriter.getContext(), getReductionKind(op.getKind(), elementTypeOf(op.getInput())));
  value = kernel::ScanOp::create(form.body, op.getLoc(), value, form.axis(op.getDim()), kind,
                                 op.getExclusiveAttr(), op.getReverseAttr())
              .getResult();
  if (op.getExclusive())
    value = limit(form, value, op.getKind(), elementTypeOf(op.getInput()));
  value = form.round(value, elementTypeOf(op.getInput()));
  rewriter.replaceOp(op, form.store(value, point));
  return success();
}

/// The region with scalars. Each accumulator begins as what has seen nothing, which a bool in front
/// of them says, and combines to the other one: so the operands need no identity.
void fillCombination(Formation &form, graph::AssociativeScanOp op, Block &block) {
  OpBuilder::InsertionGuard guard(form.body);
  form.body.setInsertionPointToEnd(&block);
  unsigned count = op.getInputs().size();
  auto before = block.getArguments().slice(1, count);
  auto next = block.getArguments().drop_front(count + 2);
  Value isBefore = block.getArgument(0), isNext = block.getArgument(count + 1);
  llvm::DenseMap<Value, Value> scalars;
  mlir::Block &from = op.getCombine().front();
  for (auto [i, argument] : llvm::enumerate(from.getArguments()))
    scalars[argument] = i < count ? before[i] : next[i - count];
  for (Operation &inner : from.without_terminator()) {
    if (auto constant = dyn_cast<graph::ConstantOp>(inner)) {
      scalars[constant.getResult()] =
          arith::ConstantOp::create(form.body, inner.getLoc(), kernel::getSplatScalar(constant));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(scalars.lookup(operand));
    scalars[inner.getResult(0)] =
        buildPoint(form, cast<graph::ElementwiseOpInterface>(inner), operands);
  }
  Location loc = op.getLoc();
  SmallVector<Value> yielded{arith::OrIOp::create(form.body, loc, isBefore, isNext)};
  for (auto [i, value] : llvm::enumerate(from.getTerminator()->getOperands())) {
    Value seen = arith::SelectOp::create(form.body, loc, isBefore, scalars.lookup(value), next[i]);
    yielded.push_back(arith::SelectOp::create(form.body, loc, isNext, seen, before[i]));
  }
  kernel::YieldOp::create(form.body, loc, yielded);
}

LogicalResult formAssociativeScan(graph::AssociativeScanOp op, PatternRewriter &rewriter) {
  for (Operation &inner : op.getCombine().front().without_terminator())
    if (!isa<graph::ConstantOp, graph::ElementwiseOpInterface>(inner))
      return rewriter.notifyMatchFailure(&inner, "is a composite");
  SmallVector<unsigned> stored;
  SmallVector<Type> types;
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (!result.use_empty()) {
      stored.push_back(i);
      types.push_back(result.getType());
    }
  if (stored.empty())
    return rewriter.eraseOp(op), success();
  Location loc = op.getLoc();
  SmallVector<kernel::Extent> shape = shapeOf(op.getInputs()[0]);
  if (shape[op.getDim()] == kernel::Extent(1))
    return rewriter.replaceOp(op, op.getInputs()), success();
  Formation form(rewriter, loc, "associative_scan", types, shape, getPointNames(shape.size()));
  SmallVector<AffineExpr> point = form.dims(0, shape.size());
  Type boolean = rewriter.getI1Type();
  SmallVector<Value> values{arith::ConstantOp::create(form.body, loc, rewriter.getBoolAttr(true))};
  SmallVector<Attribute> identities{rewriter.getBoolAttr(false)};
  SmallVector<Type> scalars{boolean};
  for (Value input : op.getInputs()) {
    values.push_back(form.widen(form.load(input, point)));
    scalars.push_back(values.back().getType());
    identities.push_back(rewriter.getZeroAttr(scalars.back()));
  }
  auto scan =
      kernel::ScanOp::create(form.body, loc, TypeRange(scalars), values, form.axis(op.getDim()),
                             arith::AtomicRMWKindAttr(), rewriter.getArrayAttr(identities),
                             /*exclusive=*/UnitAttr(), op.getReverseAttr(), /*name=*/StringAttr());
  Block &block = scan.getCombine().emplaceBlock();
  for (unsigned side = 0; side < 2; ++side)
    block.addArguments(scalars, SmallVector<Location>(scalars.size(), loc));
  fillCombination(form, op, block);
  SmallVector<Value> results(op.getInputs());
  for (auto [number, i] : llvm::enumerate(stored)) {
    Value value = form.round(scan.getResult(1 + i), elementTypeOf(op.getInputs()[i]));
    results[i] = form.store(value, point, number);
  }
  rewriter.replaceOp(op, results);
  return success();
}

} // namespace

void formation::populateReductions(RewritePatternSet &patterns) {
  patterns.add(formWindow);
  patterns.add(formReduce);
  patterns.add(formArgReduce);
  patterns.add(formScan);
  patterns.add(formAssociativeScan);
}
