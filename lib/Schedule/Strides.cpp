// Strides of accesses along axes.
#include "tw/Schedule/Strides.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/View/Algebra.h"
#include "tw/Schedule/Plan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

bool tw::schedule::isFunctionOfDim(AffineExpr expr, unsigned dim) {
  if (auto own = dyn_cast<AffineDimExpr>(expr))
    return own.getPosition() == dim;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary && (isFunctionOfDim(binary.getLHS(), dim) || isFunctionOfDim(binary.getRHS(), dim));
}

/// The change of `expr` per unit of dimension `dim`, if it is the same everywhere.
static std::optional<int64_t> getSlope(AffineExpr expr, unsigned dim) {
  if (auto own = dyn_cast<AffineDimExpr>(expr))
    return own.getPosition() == dim;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 0;
  if (expr.getKind() == AffineExprKind::Add) {
    auto lhs = getSlope(binary.getLHS(), dim), rhs = getSlope(binary.getRHS(), dim);
    return lhs && rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    auto lhs = getSlope(binary.getLHS(), dim);
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()); constant && lhs)
      return *lhs * constant.getValue();
  }
  return isFunctionOfDim(expr, dim) ? std::nullopt : std::optional<int64_t>(0);
}

/// Where no coordinate divides the axis: each moves as far as it says.
static std::optional<int64_t> getPlainStride(ArrayRef<int64_t> shape,
                                             ArrayRef<AffineExpr> coordinates, ValueRange indices,
                                             Value axis) {
  int64_t stride = 0, along = 1;
  for (unsigned d = coordinates.size(); d-- > 0; along *= shape[d])
    for (auto [position, index] : llvm::enumerate(indices)) {
      std::optional<int64_t> slope = index == axis ? getSlope(coordinates[d], position) : 0;
      if (!slope)
        return std::nullopt;
      stride += *slope * along;
    }
  return stride;
}

std::optional<int64_t> tw::schedule::getStride(RankedTensorType type, AffineMap map,
                                               ValueRange indices, Value axis) {
  return CoordinateStrides(type.getShape(), map.getResults(), indices).get(axis);
}

std::optional<int64_t> CoordinateStrides::get(Value axis) {
  if (std::optional<int64_t> stride = getPlainStride(shape, coordinates, indices, axis))
    return stride;
  if (!address)
    address = tw::view::getAddress(
        AffineMap::get(indices.size(), 0, coordinates, axis.getContext()), shape);
  for (AffineExpr form : address.getResults()) {
    std::optional<int64_t> stride = 0;
    for (auto [position, index] : llvm::enumerate(indices)) {
      std::optional<int64_t> slope = index == axis ? getSlope(form, position) : 0;
      stride = stride && slope ? std::optional(*stride + *slope) : std::nullopt;
    }
    if (stride)
      return stride;
  }
  return std::nullopt;
}

bool tw::schedule::isComputedFrom(Value value, Value source) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Value> left{value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (next == source)
      return true;
    if (Operation *op = next.getDefiningOp(); op && seen.insert(op).second)
      left.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// The value of an expression without symbols; none beyond 64 bits.
static std::optional<int64_t> evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = evaluate(binary.getLHS(), dims);
  std::optional<int64_t> rhs = evaluate(binary.getRHS(), dims);
  if (!lhs || !rhs)
    return std::nullopt;
  int64_t value;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return llvm::AddOverflow(*lhs, *rhs, value) ? std::nullopt : std::optional(value);
  case AffineExprKind::Mul:
    return llvm::MulOverflow(*lhs, *rhs, value) ? std::nullopt : std::optional(value);
  default:
    break;
  }
  if (*rhs <= 0)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(*lhs, *rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(*lhs, *rhs);
  default:
    return llvm::mod(*lhs, *rhs);
  }
}

/// The address where `axis` is `point` and every other index 0; none beyond 64 bits.
static std::optional<int64_t> getAddress(RankedTensorType type, AffineMap map, ValueRange indices,
                                         Value axis, int64_t point) {
  SmallVector<int64_t> at;
  for (Value index : indices)
    at.push_back(index == axis ? point : 0);
  int64_t address = 0;
  for (auto [expr, extent] : llvm::zip(map.getResults(), type.getShape())) {
    std::optional<int64_t> coordinate = evaluate(expr, at);
    if (!coordinate || llvm::MulOverflow(address, extent, address) ||
        llvm::AddOverflow(address, *coordinate, address))
      return std::nullopt;
  }
  return address;
}

/// Whether an index is computed from the axis by other means than those of the map.
static bool isHidden(ValueRange indices, BlockArgument axis) {
  return llvm::any_of(indices,
                      [&](Value index) { return index != axis && isComputedFrom(index, axis); });
}

static std::optional<int64_t> getUsualStride(RankedTensorType type, AffineMap map,
                                             ValueRange indices, BlockArgument axis) {
  if (isHidden(indices, axis))
    return std::nullopt;
  if (!llvm::is_contained(indices, axis))
    return 0;
  auto kernel = cast<KernelOp>(axis.getOwner()->getParentOp());
  if (kernel.getExtents()[axis.getArgNumber()] == 1)
    return 0;
  if (std::optional<int64_t> stride =
          getPlainStride(type.getShape(), map.getResults(), indices, axis))
    return stride;
  constexpr int64_t kSamples = 17;
  SmallVector<std::pair<int64_t, unsigned>, kSamples> counts;
  auto countOf = [&](int64_t step) -> unsigned & {
    for (auto &[known, count] : counts)
      if (known == step)
        return count;
    return counts.emplace_back(step, 0).second;
  };
  int64_t usual = 0, last = std::min(kernel.getExtents()[axis.getArgNumber()], kSamples) - 1;
  auto next = getAddress(type, map, indices, axis, 0);
  for (int64_t point = 0; point < last; ++point) {
    auto here = std::exchange(next, getAddress(type, map, indices, axis, point + 1));
    int64_t step;
    if (!here || !next || llvm::SubOverflow(*next, *here, step))
      return std::nullopt;
    unsigned count = ++countOf(step);
    if (count > countOf(usual))
      usual = step;
  }
  return usual;
}

std::optional<int64_t> tw::schedule::getUsualStride(LoadOp load, BlockArgument axis) {
  return ::getUsualStride(cast<RankedTensorType>(load.getSource().getType()),
                          load.getMap().getMap(), load.getIndices(), axis);
}

std::optional<int64_t> tw::schedule::getUsualStride(StoreOp store, BlockArgument axis) {
  auto kernel = cast<KernelOp>(store->getParentOp());
  return ::getUsualStride(
      cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType()), store.getMap(),
      store.getIndices(), axis);
}

/// The change of `expr` from each point of a tile to the next, of `points` points `step` apart
/// along dimension `dim`, in tiles that begin at a multiple of their length; none where quotients
/// and remainders change within a tile.
static std::optional<int64_t> getSlopeInTile(AffineExpr expr, unsigned dim, int64_t step,
                                             int64_t points) {
  if (std::optional<int64_t> slope = getSlope(expr, dim))
    return *slope * step;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> lhs = getSlopeInTile(binary.getLHS(), dim, step, points);
  if (!lhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> rhs = getSlopeInTile(binary.getRHS(), dim, step, points);
    return rhs ? std::optional(*lhs + *rhs) : std::nullopt;
  }
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant || constant.getValue() <= 0)
    return std::nullopt;
  int64_t by = constant.getValue();
  if (expr.getKind() == AffineExprKind::Mul)
    return *lhs * by;
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  if (*lhs % by == 0)
    return isMod ? 0 : *lhs / by;
  AffineExpr start = binary.getLHS().replace(getAffineDimExpr(dim, expr.getContext()),
                                             getAffineConstantExpr(0, expr.getContext()));
  if (by % (*lhs * points) == 0 && start.isMultipleOf(std::abs(*lhs * points)))
    return isMod ? *lhs : 0;
  return std::nullopt;
}

static std::optional<int64_t> getStrideInTiles(RankedTensorType type, AffineMap map,
                                               ValueRange indices, BlockArgument axis, int64_t step,
                                               int64_t points) {
  if (std::optional<int64_t> stride = tw::schedule::getStride(type, map, indices, axis))
    return *stride * step;
  int64_t stride = 0, along = 1;
  for (unsigned d = map.getNumResults(); d-- > 0; along *= type.getDimSize(d))
    for (auto [position, index] : llvm::enumerate(indices)) {
      if (index != axis)
        continue;
      std::optional<int64_t> slope = getSlopeInTile(map.getResult(d), position, step, points);
      if (!slope)
        return std::nullopt;
      stride += *slope * along;
    }
  return stride;
}

std::optional<int64_t> tw::schedule::getStrideInTiles(LoadOp load, BlockArgument axis, int64_t step,
                                                      int64_t points) {
  if (isHidden(load.getIndices(), axis))
    return std::nullopt;
  return ::getStrideInTiles(cast<RankedTensorType>(load.getSource().getType()),
                            load.getMap().getMap(), load.getIndices(), axis, step, points);
}

std::optional<int64_t> tw::schedule::getStrideInTiles(StoreOp store, BlockArgument axis,
                                                      int64_t step, int64_t points) {
  auto kernel = cast<KernelOp>(store->getParentOp());
  auto type = cast<RankedTensorType>(kernel.getResult(store.getResultNumber()).getType());
  if (isHidden(store.getIndices(), axis))
    return std::nullopt;
  return ::getStrideInTiles(type, store.getMap(), store.getIndices(), axis, step, points);
}

std::optional<int64_t> tw::schedule::getStride(LoadOp load, const Plan &plan, unsigned leaf) {
  SmallVector<AffineExpr> indices;
  for (Value index : load.getIndices()) {
    indices.push_back(
        getIndexExpr(index, [&](BlockArgument axis) { return plan.index[axis.getArgNumber()]; }));
    if (!indices.back())
      return std::nullopt;
  }
  AffineMap map = load.getMap().getMap();
  AffineExpr address = getAffineConstantExpr(0, map.getContext());
  auto shape = cast<RankedTensorType>(load.getSource().getType()).getShape();
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape))
    address = address * extent + expr.replaceDims(indices);
  SmallVector<int64_t> extents =
      llvm::map_to_vector(plan.leaves, [](const LeafAxis &each) { return each.extent; });
  AffineMap simple = view::simplify(AffineMap::get(extents.size(), 0, address), extents);
  return getSlope(simple.getResult(0), leaf);
}

AffineExpr tw::schedule::getIndexExpr(Value index,
                                      llvm::function_ref<AffineExpr(BlockArgument)> axisExpr) {
  if (auto axis = dyn_cast<BlockArgument>(index))
    return axisExpr(axis);
  if (auto constant = index.getDefiningOp<arith::ConstantIndexOp>())
    return getAffineConstantExpr(constant.value(), index.getContext());
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return {};
  SmallVector<AffineExpr> operands;
  for (Value operand : apply.getMapOperands()) {
    operands.push_back(getIndexExpr(operand, axisExpr));
    if (!operands.back())
      return {};
  }
  AffineMap map = apply.getAffineMap();
  ArrayRef<AffineExpr> all(operands);
  return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                all.drop_front(map.getNumDims()));
}
