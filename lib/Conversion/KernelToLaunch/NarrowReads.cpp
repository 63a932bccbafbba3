// Which rows of its operands a kernel reads.
#include "NarrowReads.h"

#include "mlir/IR/AffineExpr.h"

#include <algorithm>

using namespace mlir;
using namespace tw;

/// The first and the last place at which the loads are along a dimension, if all are constants
/// inside of it.
static std::optional<std::pair<int64_t, int64_t>> findPlaces(ArrayRef<kernel::LoadOp> loads,
                                                             unsigned dim, int64_t extent) {
  int64_t first = extent, last = -1;
  for (kernel::LoadOp load : loads) {
    auto place = dyn_cast<AffineConstantExpr>(load.getMap().getMap().getResult(dim));
    if (!place || place.getValue() < 0 || place.getValue() >= extent)
      return std::nullopt;
    first = std::min(first, place.getValue());
    last = std::max(last, place.getValue());
  }
  return std::pair(first, last);
}

static void moveBy(kernel::LoadOp load, unsigned dim, int64_t distance) {
  view::MapAttr map = load.getMap();
  SmallVector<AffineExpr> results(map.getMap().getResults());
  results[dim] = results[dim] - distance;
  load.setMapAttr(
      view::MapAttr::get(AffineMap::get(map.getMap().getNumDims(), 0, results, load.getContext()),
                         map.getGuards(), map.getOutside()));
}

/// The rows of one operand that the kernel reads: their type, with the loads made to read it, and
/// the byte at which they begin.
static std::pair<RankedTensorType, int64_t>
narrow(RankedTensorType type, ArrayRef<kernel::LoadOp> loads, int64_t alignment) {
  SmallVector<int64_t> shape(type.getShape());
  int64_t offset = 0;
  int64_t bytes = std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1) * type.getNumElements();
  // Rows of a dimension lie together where there is one place in each before it.
  for (unsigned dim = 0; dim < shape.size() && (dim == 0 || shape[dim - 1] == 1); ++dim) {
    bytes /= shape[dim];
    auto places = findPlaces(loads, dim, shape[dim]);
    if (!places || (offset + places->first * bytes) % alignment != 0)
      break;
    auto [first, last] = *places;
    offset += first * bytes;
    shape[dim] = last - first + 1;
    for (kernel::LoadOp load : loads)
      moveBy(load, dim, first);
  }
  return {type.clone(shape), offset};
}

void tw::narrowReads(kernel::KernelOp kernel, int64_t alignment,
                     llvm::DenseMap<Value, Rows> &rows) {
  OpBuilder builder(kernel);
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i) {
    BlockArgument argument = kernel.getOperandArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<kernel::LoadOp> loads;
    for (Operation *user : argument.getUsers())
      if (auto load = dyn_cast<kernel::LoadOp>(user))
        loads.push_back(load);
    bool isLoaded = !loads.empty() && loads.size() == size_t(range_size(argument.getUses()));
    if (!isLoaded || type.getNumElements() == 0 || view::hasSymbols(type))
      continue;
    auto [some, offset] = narrow(type, loads, alignment);
    if (some == type)
      continue;
    Value whole = kernel->getOperand(i);
    Value part =
        UnrealizedConversionCastOp::create(builder, kernel.getLoc(), some, whole).getResult(0);
    rows[part] = {whole, offset};
    argument.setType(some);
    kernel->setOperand(i, part);
  }
}
