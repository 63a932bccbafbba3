// Strides and merging of axes over all accesses of a kernel; cycles of a sweep.
#include "Accesses.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

static int64_t getElementBytes(Type type) {
  return type.isInteger(1) || type.isIndex() ? 1 : type.getIntOrFloatBitWidth() / 8;
}

static int64_t getTensorBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * getElementBytes(tensor.getElementType());
}

int64_t Access::getBytes() const { return getTensorBytes(type); }

Accesses::Accesses(KernelOp kernel, const AxisSets &sets) : kernel(kernel), sets(sets) {
  auto add = [&](Value tensor, AffineMap map, ValueRange indices, bool isStore) {
    Access access{cast<RankedTensorType>(tensor.getType()), map, indices, isStore,
                  llvm::SmallBitVector(kernel.getNumAxes())};
    access.axes |= sets.unionOf(indices);
    accesses.push_back(access);
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op))
      add(load.getSource(), load.getMap().getMap(), load.getIndices(), false);
    else if (auto store = dyn_cast<StoreOp>(op))
      add(kernel.getResult(store.getResultNumber()), store.getMap(), store.getIndices(), true);
  }
}

std::optional<int64_t> Accesses::getStride(const Access &access, unsigned axis) const {
  for (Value index : access.indices)
    if (!isa<BlockArgument>(index) && sets.of(index)[axis])
      return std::nullopt;
  return tw::schedule::getStride(access.type, access.map, access.indices,
                                 const_cast<KernelOp &>(kernel).getAxis(axis));
}

bool Accesses::areContiguous(unsigned axis) const {
  return llvm::all_of(accesses, [&](const Access &access) {
    std::optional<int64_t> stride = getStride(access, axis);
    return stride && (*stride == 1 || (*stride == 0 && (!access.isStore || !access.axes[axis])));
  });
}

/// Whether the axis appears in the coordinates of the access only by itself, over a dimension that
/// is as long, or together with the other axis in one coordinate that cannot leave its dimension.
static bool staysInside(KernelOp kernel, const Access &access, unsigned slower, unsigned faster) {
  for (auto [dim, expr] : llvm::enumerate(access.map.getResults())) {
    int64_t most = 0;
    bool uses = false;
    for (auto [position, index] : llvm::enumerate(access.indices)) {
      auto axis = dyn_cast<BlockArgument>(index);
      if (!axis || !expr.isFunctionOfDim(position))
        continue;
      uses |= axis.getArgNumber() == slower || axis.getArgNumber() == faster;
      std::optional<int64_t> slope = getStride(
          RankedTensorType::get({access.type.getDimSize(dim)}, access.type.getElementType()),
          AffineMap::get(access.map.getNumDims(), 0, expr), access.indices, axis);
      if (!slope || *slope < 0)
        return false;
      most += *slope * (kernel.getExtents()[axis.getArgNumber()] - 1);
    }
    if (!uses)
      continue;
    SmallVector<AffineExpr> zeros(access.map.getNumDims(),
                                  getAffineConstantExpr(0, expr.getContext()));
    auto least = dyn_cast<AffineConstantExpr>(expr.replaceDims(zeros));
    if (!least || least.getValue() < 0 || least.getValue() + most >= access.type.getDimSize(dim))
      return false;
  }
  return true;
}

bool Accesses::mergeLinearly(unsigned slower, unsigned faster) const {
  int64_t extent = const_cast<KernelOp &>(kernel).getExtents()[faster];
  return llvm::all_of(accesses, [&](const Access &access) {
    std::optional<int64_t> outer = getStride(access, slower), inner = getStride(access, faster);
    return outer && inner && *outer == *inner * extent &&
           staysInside(kernel, access, slower, faster);
  });
}

SmallVector<AxisGroup> Accesses::findRuns(const AxisGroup &group) const {
  ArrayRef<int64_t> extents = const_cast<KernelOp &>(kernel).getExtents();
  SmallVector<AxisGroup> runs;
  for (unsigned axis : llvm::reverse(group.axes)) {
    if (extents[axis] == 1)
      continue;
    if (runs.empty() || !mergeLinearly(axis, runs.back().axes.front())) {
      runs.push_back(group);
      runs.back().axes.clear();
      runs.back().extent = 1;
    }
    runs.back().axes.insert(runs.back().axes.begin(), axis);
    runs.back().extent *= extents[axis];
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

bool tw::schedule::host::isExpensive(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp, math::FmaOp>(op);
}

double tw::schedule::host::countOperations(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CeilOp, math::FloorOp, math::TruncOp,
            math::RoundEvenOp>([](auto) { return 1; })
      .Case<math::Log2Op, math::LogOp, math::Log10Op>([](auto) { return 35; })
      .Case<math::TanhOp>([](auto) { return 25; })
      .Case<math::ErfOp>([](auto) { return 33; })
      .Case<math::ExpM1Op>([](auto) { return 57; })
      .Case<math::AtanOp>([](auto) { return 88; })
      .Case<math::Log1pOp>([](auto) { return 109; })
      .Case<math::SinOp, math::CosOp, math::TanOp>([](auto) { return 133; })
      .Case<math::PowFOp>([](auto) { return 345; })
      .Default([](Operation *) { return kFunction; });
}

double tw::schedule::host::getFoundAgain(double full) {
  constexpr double kSurely = 0.75, kNever = 1.5;
  return std::clamp((kNever - full) / (kNever - kSurely), 0.0, 1.0);
}

double tw::schedule::host::getTouchedBytes(KernelOp kernel, const AxisSets &sets, bool loadsOnly) {
  llvm::SmallDenseMap<Value, double> touched;
  auto add = [&](Value tensor, ValueRange indices) {
    llvm::SmallBitVector axes = sets.unionOf(indices);
    auto type = cast<RankedTensorType>(tensor.getType());
    double points = double(sets.points(axes)) * double(getElementBytes(type.getElementType()));
    double &bytes = touched[tensor];
    bytes = std::min(bytes + points, double(getTensorBytes(type)));
  };
  for (Operation &op : kernel.getBody().front()) {
    if (auto load = dyn_cast<LoadOp>(op))
      add(load.getSource(), load.getIndices());
    else if (auto store = dyn_cast<StoreOp>(op); store && !loadsOnly)
      add(kernel.getResult(store.getResultNumber()), store.getIndices());
  }
  double bytes = 0;
  for (auto [tensor, own] : touched)
    bytes += own;
  return bytes;
}

bool tw::schedule::host::exceedsCache(KernelOp kernel, const HostTraits &traits, double share) {
  return getTouchedBytes(kernel, AxisSets(kernel)) > share * double(traits.l3Bytes);
}

SmallVector<StreamAttr> tw::schedule::host::findStreamedResults(KernelOp kernel,
                                                                const HostTraits &traits,
                                                                double share,
                                                                double shareOfResult) {
  SmallVector<StreamAttr> streamed;
  double touched = getTouchedBytes(kernel, AxisSets(kernel)), cache = double(traits.l3Bytes);
  if (touched <= share * cache)
    return streamed;
  for (OpResult result : kernel->getResults()) {
    auto bytes = double(getTensorBytes(result.getType()));
    if (bytes < shareOfResult * cache)
      continue;
    // What is touched grows as the result does.
    double from = std::max(shareOfResult, share * bytes / touched) * cache;
    streamed.push_back(StreamAttr::get(kernel.getContext(), result.getResultNumber(),
                                       isSettled(kernel) ? int64_t(from) : 0));
  }
  return streamed;
}

int64_t tw::schedule::host::countUsableLines(int64_t bytes, const HostTraits &traits) {
  int64_t sets = traits.l1Bytes / traits.lineBytes / traits.l1Ways;
  return traits.l1Ways * (sets / std::gcd(std::max<int64_t>(1, bytes / traits.lineBytes), sets));
}
