// What a convolution reads, which axes are its channels and pixels, and where its borders are.
#include "Convolution.h"

#include "Accesses.h"
#include "Balance.h"

#include "tw/Schedule/AxisSums.h"
#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Strides.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Whether a coordinate is computed, or what is outside has a value.
static bool isComputed(LoadOp load) {
  return load.getMap().getOutside() ||
         llvm::any_of(load.getMap().getMap().getResults(), [](AffineExpr result) {
           return !isa<AffineDimExpr, AffineConstantExpr>(result);
         });
}

/// Whether different points of its axes may read one element, as they never do where an axis was
/// cut in two: 128 * %g + %o.
static bool overlaps(LoadOp load, const AxisSets &sets) {
  if (load.getMap().getOutside())
    return true;
  auto kernel = load->getParentOfType<KernelOp>();
  SmallVector<std::pair<int64_t, int64_t>> steps; // in elements, and the points that take them
  for (unsigned axis : sets.of(load.getResult()).set_bits()) {
    std::optional<int64_t> stride =
        getStride(cast<RankedTensorType>(load.getSource().getType()), load.getMap().getMap(),
                  load.getIndices(), kernel.getAxis(axis));
    if (!stride)
      return true;
    steps.emplace_back(std::abs(*stride), kernel.getExtents()[axis]);
  }
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [step, points] : steps) {
    if (step <= reach && points > 1)
      return true;
    reach += step * (points - 1);
  }
  return false;
}

/// The load that the value is computed from point by point, beside others without axes of their
/// own, such as factors of channels; null if there is none.
static LoadOp findLoad(Operation *value, const AxisSets &sets) {
  if (LoadOp load = getWindowLoad(value))
    return load;
  SmallVector<Operation *> work{value};
  SmallPtrSet<Operation *, 16> seen{value};
  LoadOp widest;
  bool isAlone = true;
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (isa<ReduceOp, ContractOp, ScanOp>(next))
      return nullptr;
    if (auto load = dyn_cast<LoadOp>(next)) {
      // Two that vary alike are two windows.
      const llvm::SmallBitVector &axes = sets.of(load.getResult());
      if (!widest || axes.count() > sets.of(widest.getResult()).count()) {
        widest = load;
        isAlone = true;
      } else {
        isAlone &= axes.count() < sets.of(widest.getResult()).count();
      }
    }
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && seen.insert(producer).second)
        work.push_back(producer);
  }
  return isAlone && widest && sets.of(value->getResult(0)) == sets.of(widest.getResult())
             ? widest
             : LoadOp();
}

bool ConvolutionOperands::matchOperands(bool dots) {
  if (!match(/*nested=*/true) || !matchLoads() || (dots && (isInputComputed() || !matchGroup())))
    return false;
  // A box has what is computed at each value of the sums that windows see.
  if (isInputComputed() && findAxisSums(kernel, sets, inputValue).empty())
    return false;
  findBorders();
  return true;
}

bool ConvolutionOperands::matchLoads() {
  if (contract.getType().getIntOrFloatBitWidth() != 32)
    return false;
  Operation *values[] = {contract.getLhs().getDefiningOp(), contract.getRhs().getDefiningOp()};
  if (!values[0] || !values[1])
    return false;
  LoadOp loads[] = {findLoad(values[0], sets), findLoad(values[1], sets)};
  if (!loads[0] || !loads[1] || loads[0] == loads[1])
    return false;
  bool areComputed = isComputed(loads[0]) && isComputed(loads[1]);
  auto isWindow = [&](LoadOp load) {
    return areComputed ? overlaps(load, sets) : isComputed(load);
  };
  bool swapped = !isWindow(loads[0]);
  input = loads[swapped];
  weights = loads[!swapped];
  inputValue = values[swapped];
  weightsValue = values[!swapped];
  if (!isWindow(input) || isWindow(weights) || !getWindowLoad(weightsValue) ||
      !weights.getMap().getGuards().empty() || !input.getMap().getGuards().empty())
    return false;
  llvm::SmallBitVector own = ownAxes(weights.getResult(), input.getResult());
  llvm::SmallBitVector seen = ownAxes(input.getResult(), weights.getResult());
  // What a reduction takes together afterwards, as pooling does, is in loops around the products.
  seen.reset(outer);
  if (own.none() || seen.none() || own.anyCommon(outer) ||
      sets.of(weights.getResult()).anyCommon(outer))
    return false;
  channels = own.find_first();
  for (unsigned axis : own.set_bits())
    if (extent(axis) > extent(channels))
      channels = axis;
  if (extent(channels) < 2)
    return false;
  SmallVector<unsigned> axes(seen.set_bits());
  auto strideOf = [&](unsigned axis) {
    return std::abs(getUsualStride(input, kernel.getAxis(axis)).value_or(INT64_MAX / 2));
  };
  llvm::sort(axes, [&](unsigned a, unsigned b) {
    return std::pair(strideOf(a), b) < std::pair(strideOf(b), a);
  });
  llvm::erase_if(axes, [&](unsigned axis) { return extent(axis) == 1; });
  if (axes.empty())
    return false;
  pixels = axes[0];
  if (axes.size() > 1)
    lines = axes[1];
  return true;
}

bool ConvolutionOperands::matchGroup() {
  groupSize = getGroupSize(contract, traits);
  TypedAttr outside = input.getMap().getOutside();
  bool isZero =
      !outside || matchPattern(outside, m_AnyZeroFloat()) || matchPattern(outside, m_Zero());
  for (unsigned axis : reduced.set_bits()) {
    auto isAxis = [&](AffineExpr coordinate) {
      auto dim = dyn_cast<AffineDimExpr>(coordinate);
      return dim && input.getIndices()[dim.getPosition()] == kernel.getAxis(axis);
    };
    auto shape = cast<RankedTensorType>(input.getSource().getType()).getShape();
    auto coordinates = input.getMap().getMap().getResults();
    auto *found = llvm::find_if(coordinates, isAxis);
    if (found == coordinates.end() || !sets.of(weights.getResult())[axis] ||
        llvm::count_if(coordinates,
                       [&](AffineExpr coordinate) { return dependsOn(coordinate, axis); }) != 1 ||
        getSteps(axis) >= extent(axis) || (group && extent(axis) <= extent(*group)))
      continue;
    bool divides = extent(axis) % groupSize == 0;
    if (divides || (isZero && shape[found - coordinates.begin()] == extent(axis)))
      group = axis;
  }
  return group.has_value();
}

bool ConvolutionOperands::dependsOn(AffineExpr coordinate, unsigned axis) {
  for (auto [position, index] : llvm::enumerate(input.getIndices()))
    if (coordinate.isFunctionOfDim(position) && sets.of(index)[axis])
      return true;
  return false;
}

void ConvolutionOperands::findBorders() {
  for (unsigned tap : reduced.set_bits()) {
    constexpr int64_t kTaps = 1 << 12; // more are no window
    if (extent(tap) > kTaps)
      continue;
    std::string why;
    std::optional<SkippedAxis> skipped = findMask(kernel, tap, why);
    if (!skipped || skipped->mask != input)
      continue;
    llvm::SmallBitVector others(kernel.getNumAxes());
    for (const SkippedAxis::Bound &bound : skipped->bounds)
      for (auto [axis, coefficient] : llvm::enumerate(bound.coefficients))
        if (coefficient != 0 && axis != tap)
          others.set(axis);
    if (others.count() != 1 || !stored[others.find_first()])
      continue;
    unsigned across = others.find_first();
    SmallVector<std::pair<int64_t, int64_t>> seen;
    for (int64_t at = 0; at < extent(tap); ++at) {
      int64_t first = 0, last = extent(across) - 1;
      for (const SkippedAxis::Bound &bound : skipped->bounds) {
        int64_t step = bound.coefficients[across];
        int64_t rest = bound.coefficients[tap] * at + bound.constant;
        if (step > 0)
          first = std::max(first, llvm::divideCeilSigned(-rest, step));
        else if (step < 0)
          last = std::min(last, llvm::divideFloorSigned(rest, -step));
        else if (rest < 0)
          last = -1;
      }
      seen.push_back({first, last});
    }
    borders.push_back({tap, across, std::move(seen)});
  }
}
