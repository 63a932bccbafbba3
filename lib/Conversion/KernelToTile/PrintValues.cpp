// What is computed of tiles: elementwise ops, masks, steps of reductions and scans.
#include "TilePrinter.h"

#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Schedule/Online.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

Value TilePrinter::splat(TypedAttr element, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element.getType());
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, element));
}

Value TilePrinter::broadcast(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::BroadcastOp::create(builder, location,
                                   RankedTensorType::get(shape, type.getElementType()), tile);
}

Value TilePrinter::getAs(const Node &node, Value value, ArrayRef<int64_t> shape) {
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return splat(constant.getValue(), shape);
  auto *use = llvm::find_if(node.uses, [&](const Node::Use &use) { return use.value == value; });
  return broadcast(get(use->ref), shape);
}

/// The op on tiles of one shape; arith and math are elementwise on tensors.
Value TilePrinter::cloneOnTiles(Operation *op, ValueRange operands, ArrayRef<int64_t> shape) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(RankedTensorType::get(shape, type));
  for (NamedAttribute attribute : op->getAttrs())
    if (attribute.getName() != kernel::valueNameAttrName)
      state.addAttribute(attribute.getName(), attribute.getValue());
  return builder.create(state)->getResult(0);
}

/// The neutral element of what a reduction, a scan or a contraction combines.
TypedAttr TilePrinter::getIdentity(Operation *root, unsigned result) {
  Type type = root->getResult(result).getType();
  if (auto scan = dyn_cast<ScanOp>(root); scan && scan.getKind())
    return arith::getIdentityValueAttr(*scan.getKind(), type, builder, location);
  else if (scan)
    return cast<TypedAttr>((*scan.getIdentities())[result]);
  auto reduce = dyn_cast<ReduceOp>(root);
  if (!reduce)
    return builder.getZeroAttr(type);
  if (reduce.getKind())
    return arith::getIdentityValueAttr(*reduce.getKind(), type, builder, location);
  return cast<TypedAttr>((*reduce.getIdentities())[result]);
}

LogicalResult TilePrinter::printIndex(const Node &node) {
  Coordinates coordinates(node);
  FailureOr<AffineExpr> expr = getExpr(node.value, coordinates);
  if (failed(expr))
    return failure();
  Value tile = tile::IndexOp::create(builder, node.op ? node.op->getLoc() : location,
                                     getType(node, builder.getIndexType()), coordinates.operands,
                                     getMap(coordinates, *expr));
  define(node, tile);
  return success();
}

void TilePrinter::printCompute(const Node &node) {
  if (auto constant = dyn_cast<arith::ConstantOp>(node.op))
    return define(node, splat(constant.getValue(), node.shape));
  SmallVector<Value> sources;
  for (Value operand : node.op->getOperands())
    sources.push_back(getAs(node, operand, node.shape));
  if (node.mask) { // A divisor that stops the machine must not be seen.
    Value one = splat(builder.getIntegerAttr(node.op->getOperand(1).getType(), 1), node.shape);
    sources[1] = arith::SelectOp::create(builder, node.op->getLoc(),
                                         broadcast(get(node.mask), node.shape), sources[1], one);
  }
  define(node, cloneOnTiles(node.op, sources, node.shape));
}

void TilePrinter::printMask(const Node &node) {
  Coordinates coordinates(node);
  SmallVector<AffineExpr> constraints;
  for (unsigned axis : node.axes.set_bits())
    constraints.push_back(getSizeExpr(kernel.getSize(axis), coordinates) - 1 -
                          getAxisExpr(axis, coordinates));
  SmallVector<bool> isEquality(constraints.size(), false);
  auto set = IntegerSet::get(node.scope.getTileRank() + coordinates.operands.size(), 0, constraints,
                             isEquality);
  Value inside = tile::InsideOp::create(builder, location, getType(node, builder.getI1Type()),
                                        coordinates.operands, set);
  define(node, inside);
}

void TilePrinter::printStart(const Node &node) {
  for (unsigned i = 0; i < node.op->getNumResults(); ++i)
    define(node, splat(getIdentity(node.op, i), node.shape));
}

/// A step of a reduction, changed as little as that. Infinities stay: what is reduced may begin
/// with one.
static Value combineStep(OpBuilder &builder, Operation *root, arith::AtomicRMWKind kind, Value left,
                         Value right) {
  Value result = arith::getReductionOp(kind, builder, root->getLoc(), left, right);
  auto flags = getFastMath(root) & ~arith::FastMathFlags::ninf;
  if (flags != arith::FastMathFlags::none)
    addFastMath(result.getDefiningOp(), flags);
  return result;
}

LogicalResult TilePrinter::printAccumulate(const Node &node) {
  auto reduce = dyn_cast<ReduceOp>(node.op);
  ValueRange inputs =
      reduce ? ValueRange(reduce.getValues()) : ValueRange(node.op->getOperands().take_front(2));
  SmallVector<Value> tiles;
  for (auto [i, input] : llvm::enumerate(inputs)) {
    Value tile = get(node.uses[i].ref);
    if (node.mask) {
      Shape own(cast<RankedTensorType>(tile.getType()).getShape());
      Value inside = get(node.mask);
      for (auto [d, extent] : llvm::enumerate(cast<RankedTensorType>(inside.getType()).getShape()))
        own[d] = std::max(own[d], extent);
      TypedAttr identity =
          reduce ? getIdentity(reduce, i) : cast<TypedAttr>(builder.getZeroAttr(input.getType()));
      Value neutral = splat(identity, own);
      tile = arith::SelectOp::create(builder, node.op->getLoc(), broadcast(inside, own),
                                     broadcast(tile, own), neutral);
    }
    tiles.push_back(reduce ? broadcast(tile, node.shape) : tile);
  }
  if (!reduce)
    return printContract(node, tiles), success();
  if (node.before.empty())
    return define(node, tiles), success();
  if (!reduce.getKind())
    return printCombining(node, tiles);
  define(node, combineStep(builder, reduce, *reduce.getKind(), get(node.before[0]), tiles[0]));
  return success();
}

/// An operand of a contraction in the type of its sums.
Value TilePrinter::extend(ContractOp contract, Value tile, bool isUnsigned) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type sum = contract.getResult().getType();
  if (type.getElementType() == sum)
    return tile;
  Type wide = type.clone(sum);
  if (isa<FloatType>(sum))
    return arith::ExtFOp::create(builder, contract.getLoc(), wide, tile);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, contract.getLoc(), wide, tile);
  return arith::ExtSIOp::create(builder, contract.getLoc(), wide, tile);
}

void TilePrinter::printContract(const Node &node, ValueRange inputs) {
  auto contract = cast<ContractOp>(node.op);
  Value before =
      node.before.empty() ? splat(getIdentity(contract, 0), node.shape) : get(node.before[0]);
  Value lhs = inputs[0], rhs = inputs[1];
  bool lhsUnsigned = contract.getLhsUnsigned(), rhsUnsigned = contract.getRhsUnsigned();
  if (llvm::none_of(node.scope.frame,
                    [&](unsigned leaf) { return tree.isGroup(contract, leaf); })) {
    lhs = extend(contract, lhs, lhsUnsigned);
    rhs = extend(contract, rhs, rhsUnsigned);
    lhsUnsigned = rhsUnsigned = false;
  }
  bool skipsZeros = llvm::any_of(plan.skipped, [&](const SkippedAxis &skipped) {
    return isa<LoadOp>(skipped.mask) && sets.reducedBy(contract).test(skipped.axis);
  });
  auto product = tile::MmaOp::create(builder, contract.getLoc(), before.getType(), lhs, rhs, before,
                                     lhsUnsigned, rhsUnsigned, skipsZeros);
  if (plan.warps && product.getGroupDim())
    product->setAttr(tile::unitAttrName, builder.getStringAttr("any"));
  define(node, product.getResult());
}

/// A step of a reduction or a scan by a region.
LogicalResult TilePrinter::printCombining(const Node &node, ValueRange inputs) {
  mlir::Block &region = node.op->getRegion(0).front();
  llvm::DenseMap<Value, Value> tiles;
  for (auto [i, argument] : llvm::enumerate(region.getArguments()))
    tiles[argument] = i < node.before.size() ? get(node.before[i]) : inputs[i - node.before.size()];
  for (Operation &op : region.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      tiles[constant.getResult()] = splat(constant.getValue(), node.shape);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands()) {
      auto it = tiles.find(operand);
      operands.push_back(it != tiles.end() ? it->second : getAs(node, operand, node.shape));
    }
    tiles[op.getResult(0)] = cloneOnTiles(&op, operands, node.shape);
  }
  for (Value value : region.getTerminator()->getOperands()) {
    auto it = tiles.find(value);
    if (it == tiles.end())
      return emitError(node.op->getLoc(), Code::T0311)
             << "expected the region to yield its own values";
    define(node, it->second);
  }
  return success();
}

/// A step of a scan by a region, along a loop: results, and what the next step begins with.
LogicalResult TilePrinter::printCombiningScan(const Node &node) {
  auto scan = cast<ScanOp>(node.op);
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(scan.getValues())) {
    values.push_back(getAs(node, value, node.shape));
    if (node.mask)
      values.back() =
          arith::SelectOp::create(builder, scan.getLoc(), broadcast(get(node.mask), node.shape),
                                  values.back(), splat(getIdentity(scan, i), node.shape));
  }
  unsigned count = scan->getNumResults();
  if (scan.getExclusive())
    for (Ref before : node.before)
      define(node, get(before));
  if (failed(printCombining(node, values)))
    return failure();
  if (!scan.getExclusive())
    for (unsigned i = 0; i < count; ++i)
      define(node, get({&node, i}));
  return success();
}

LogicalResult TilePrinter::printScan(const Node &node) {
  auto scan = cast<ScanOp>(node.op);
  if (!scan.getKind())
    return printCombiningScan(node);
  auto combine = [&](Value left, Value right) {
    return combineStep(builder, scan, *scan.getKind(), left, right);
  };
  Value value = getAs(node, scan.getValue(), node.shape);
  if (node.mask)
    value = arith::SelectOp::create(builder, scan.getLoc(), broadcast(get(node.mask), node.shape),
                                    value, splat(getIdentity(scan, 0), node.shape));
  Value before = node.before.empty() ? Value() : get(node.before[0]);
  if (node.dims.empty()) {
    Value after = combine(before, value);
    define(node, {scan.getExclusive() ? before : after, after});
    return success();
  }
  auto type = cast<RankedTensorType>(value.getType());
  auto total =
      RankedTensorType::get(tree.getAccumulatorShape(node.scope, scan), type.getElementType());
  auto scanned = tile::ScanOp::create(builder, scan.getLoc(), type, total, value,
                                      /*before=*/Value(), *scan.getKind(), node.dims[0],
                                      scan.getExclusive(), scan.getReverse());
  if (!before)
    return define(node, scanned.getResult()), success();
  Value result = combine(broadcast(before, node.shape), scanned.getResult());
  define(node, {result, combine(before, scanned.getTotal())});
  return success();
}

/// The product of something with a positive constant. The maximum of such products is the product
/// of the maximum, to the last bit, as rounding keeps the order.
static arith::MulFOp findScaled(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  DenseFPElementsAttr factors;
  if (!product || !matchPattern(product.getRhs(), m_Constant(&factors)) || !factors.isSplat())
    return {};
  APFloat factor = factors.getSplatValue<APFloat>();
  return factor.isFiniteNonZero() && !factor.isNegative() ? product : arith::MulFOp();
}

/// Combines the dimensions of the tile that are reduced.
LogicalResult TilePrinter::printCombine(const Node &node) {
  Operation *root = node.op;
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (Ref ref : node.before) {
    values.push_back(get(ref));
    types.push_back(getType(node, getElementTypeOrSelf(values.back().getType())));
  }
  auto reduce = dyn_cast<ReduceOp>(root);
  auto kind = reduce ? reduce.getKindAttr()
                     : arith::AtomicRMWKindAttr::get(builder.getContext(),
                                                     isa<FloatType>(root->getResultTypes()[0])
                                                         ? arith::AtomicRMWKind::addf
                                                         : arith::AtomicRMWKind::addi);
  // So that the products have one use each, and may become one with what follows.
  arith::MulFOp scaled;
  if (kind && kind.getValue() == arith::AtomicRMWKind::maximumf)
    if ((scaled = findScaled(values[0])))
      values[0] = scaled.getLhs();
  auto combined = tile::ReduceOp::create(builder, root->getLoc(), types, ValueRange(values),
                                         builder.getDenseI64ArrayAttr(node.dims), kind,
                                         reduce ? reduce.getIdentitiesAttr() : ArrayAttr(),
                                         /*within=*/StringAttr());
  if (scaled) {
    auto factors =
        cast<DenseElementsAttr>(scaled.getRhs().getDefiningOp<arith::ConstantOp>().getValue());
    Value factor = splat(cast<TypedAttr>(factors.getSplatValue<Attribute>()), node.shape);
    auto product = arith::MulFOp::create(builder, root->getLoc(), combined.getResult(0), factor);
    define(node, product.getResult());
    return success();
  }
  define(node, combined.getResults());
  if (kind)
    return success();
  OpBuilder::InsertionGuard guard(builder);
  IRMapping mapping;
  mlir::Block *from = &reduce.getCombine().front();
  mlir::Block *to = builder.createBlock(&combined.getCombine());
  for (BlockArgument argument : from->getArguments())
    mapping.map(argument, to->addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : from->without_terminator()) {
    for (Value operand : op.getOperands())
      if (!mapping.contains(operand)) {
        auto *producer = operand.getDefiningOp();
        if (!producer || !isa<arith::ConstantOp>(producer))
          return emitError(op.getLoc(), Code::T0311)
                 << "expected the combining region to use its arguments and constants only";
        builder.clone(*producer, mapping);
      }
    builder.clone(op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value value : from->getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  tile::YieldOp::create(builder, root->getLoc(), yielded);
  return success();
}

void TilePrinter::printAddPartial(const Node &node) {
  Value before = get(node.before[0]), part = get(node.before[1]);
  if (node.before.size() > 2) {
    Value scale = broadcast(get(node.before[2]), node.shape);
    return define(node,
                  math::FmaOp::create(builder, node.op->getLoc(), before, scale, part).getResult());
  }
  auto reduce = dyn_cast<ReduceOp>(node.op);
  arith::AtomicRMWKind kind = reduce ? *reduce.getKind()
                              : isa<FloatType>(node.op->getResult(0).getType())
                                  ? arith::AtomicRMWKind::addf
                                  : arith::AtomicRMWKind::addi;
  define(node, combineStep(builder, node.op, kind, before, part));
}

Value TilePrinter::splatFloat(Type tile, const APFloat &value) {
  return arith::ConstantOp::create(builder, location,
                                   DenseElementsAttr::get(cast<RankedTensorType>(tile), value));
}

Value TilePrinter::isNegativeInfinity(Value tile) {
  const auto &semantics = cast<FloatType>(getElementTypeOrSelf(tile.getType())).getFloatSemantics();
  Value infinity = splatFloat(tile.getType(), APFloat::getInf(semantics, /*Negative=*/true));
  return arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OEQ, tile, infinity);
}

/// How many points each lane has seen before an iteration of the online loop, or after it, as a
/// float; of a node that combines lanes, those of one lane and of all.
Value TilePrinter::countPoints(const Node &node, bool isAfter) {
  ReduceOp lead = plan.online->lead;
  Type element = getElementTypeOrSelf(lead.getResult(0).getType());
  llvm::SmallBitVector reduced = tree.sets.reducedBy(lead);
  int64_t inside = 1, lanes = 1, iterations = plan.leaves[plan.online->leaf].extent;
  for (auto [i, leaf] : llvm::enumerate(plan.leaves))
    if (reduced[leaf.axis] && i != plan.online->leaf)
      (leaf.role == Role::Tile ? lanes : inside) *= leaf.extent;
  if (!node.dims.empty())
    return splat(builder.getFloatAttr(element, double(iterations * inside * (isAfter ? lanes : 1))),
                 node.shape);
  Coordinates coordinates(node);
  AffineExpr expr = builder.getAffineConstantExpr(0);
  if (node.scope.indices[plan.online->leaf])
    expr = getLeafExpr(plan.online->leaf, coordinates, node.scope.getTileRank());
  if (isAfter)
    expr = expr + 1;
  SmallVector<int64_t> one(node.shape.size(), 1);
  Value index =
      tile::IndexOp::create(builder, location, RankedTensorType::get(one, builder.getIndexType()),
                            coordinates.operands, getMap(coordinates, expr * inside));
  Value integer = arith::IndexCastOp::create(
      builder, location, RankedTensorType::get(one, builder.getI64Type()), index);
  Value number =
      arith::SIToFPOp::create(builder, location, RankedTensorType::get(one, element), integer);
  return broadcast(number, node.shape);
}

/// The mean after, and what sums of squares of differences to the mean before grow by.
void TilePrinter::printOnlineMean(const Node &node) {
  Value before = get(node.before[0]), after = broadcast(get(node.uses[0].ref), node.shape);
  Value seen = countPoints(node, /*isAfter=*/false), all = countPoints(node, /*isAfter=*/true);
  // Before the first point the sum is 0, and so is its mean.
  Value one = splat(builder.getFloatAttr(getElementTypeOrSelf(after.getType()), 1), node.shape);
  Value divisor = arith::MaxNumFOp::create(builder, location, seen, one);
  Value meanBefore = arith::DivFOp::create(builder, location, before, divisor);
  Value mean = arith::DivFOp::create(builder, location, after, all);
  Value moved = arith::SubFOp::create(builder, location, mean, meanBefore);
  Value square = arith::MulFOp::create(builder, location, moved, moved);
  define(node, {mean, arith::MulFOp::create(builder, location, square, seen)});
}

void TilePrinter::printOnline(const Node &node) {
  if (getMean(*plan.online))
    return printOnlineMean(node);
  Value before = get(node.before[0]), after = broadcast(get(node.uses[0].ref), node.shape);
  Value unseen = isNegativeInfinity(after);
  Value zero = splat(cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(after.getType()))),
                     node.shape);
  Value safe = arith::SelectOp::create(builder, location, unseen, zero, after);
  Value grown = arith::SubFOp::create(builder, location, before, safe);
  define(node, {safe, math::ExpOp::create(builder, location, grown)});
}

void TilePrinter::printPoison(const Node &node) {
  Value value = get(node.before[0]);
  Value unseen = broadcast(isNegativeInfinity(get(node.uses[0].ref)), node.shape);
  const auto &semantics =
      cast<FloatType>(getElementTypeOrSelf(value.getType())).getFloatSemantics();
  Value nan = splatFloat(value.getType(), APFloat::getQNaN(semantics));
  define(node, arith::SelectOp::create(builder, location, unseen, nan, value).getResult());
}
