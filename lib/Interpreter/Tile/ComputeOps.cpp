// arith and math on tiles; reductions by halves.
//===---------------------------------------------------------------------------------------===//
#include "TileProgram.h"

#include "tw/Support/Diagnostics.h"

#include <cstring>
#include <map>
#include <set>

using namespace mlir;
using namespace tw;
using namespace tw::interp;

LogicalResult TileProgram::compileLanes(Operation *op, Steps &steps) {
  LaneFunction function = getLaneFunction(op);
  if (!function)
    return tw::emitOpError(op, Code::T0701) << "cannot be interpreted in a tile program";
  int64_t count = getTileElements(op->getResult(0).getType());
  SmallVector<Type> types;
  SmallVector<const void *> operands;
  for (Value operand : op->getOperands()) {
    types.push_back(getElementTypeOrSelf(operand.getType()));
    const char *lanes = slot(operand);
    // The condition of a select may be one scalar for a whole tile.
    if (getTileElements(operand.getType()) != count) {
      int64_t bytes = getElementBytes(types.back());
      storage.push_back(std::make_unique<uint64_t[]>(size_t(count * bytes / 8 + 1)));
      steps.push_back([=, spread = storage.back().get()] {
        splatLanes(lanes, bytes, spread, count);
        return success();
      });
      lanes = reinterpret_cast<char *>(storage.back().get());
    }
    operands.push_back(lanes);
  }
  char *result = slot(op->getResult(0));
  steps.push_back([=] {
    int64_t poison = function(operands.data(), result, count);
    return poison < 0 ? success() : reportPoison(op, types, operands, poison);
  });
  return success();
}

namespace {

/// One value of a reduction: its elements are copied here and halved in place.
struct Halved {
  Type elementType;
  const char *source;
  char *result;
  uint64_t identity;
  std::vector<char> elements;
  // What the region sees: accumulator, value, and what it yields.
  char *accumulator = nullptr, *value = nullptr;
  const char *yielded = nullptr;

  size_t bytes() const { return size_t(getElementBytes(elementType)); }
};

/// The values of a reduction, and the function that combines the first `lanes` accumulators and
/// values.
struct Reduction {
  std::vector<Halved> values;
  SmallVector<int64_t> shape, dims;
  /// Which source element each element is; empty: itself.
  std::vector<int64_t> order;
  std::function<LogicalResult(int64_t lanes)> combine;

  /// Halves dimension `dim` of `extents` until it is 1: element i with element i + n / 2.
  LogicalResult halve(SmallVectorImpl<int64_t> &extents, int64_t dim) {
    int64_t outer = 1, inner = 1;
    for (int64_t extent : ArrayRef(extents).take_front(dim))
      outer *= extent;
    for (int64_t extent : ArrayRef(extents).drop_front(dim + 1))
      inner *= extent;
    while (extents[dim] > 1) {
      int64_t n = extents[dim], half = (n + 1) / 2;
      for (int64_t o = 0; o < outer; ++o) {
        for (Halved &v : values) {
          const char *line = v.elements.data() + size_t(o * n * inner) * v.bytes();
          std::memcpy(v.accumulator, line, size_t(half * inner) * v.bytes());
          splatLanes(&v.identity, int64_t(v.bytes()), v.value, half * inner);
          std::memcpy(v.value, line + size_t(half * inner) * v.bytes(),
                      size_t((n - half) * inner) * v.bytes());
        }
        if (failed(combine(half * inner)))
          return failure();
        for (Halved &v : values)
          std::memcpy(v.elements.data() + size_t(o * half * inner) * v.bytes(), v.yielded,
                      size_t(half * inner) * v.bytes());
      }
      extents[dim] = half;
    }
    return success();
  }

  LogicalResult run() {
    for (Halved &v : values) {
      if (order.empty())
        std::memcpy(v.elements.data(), v.source, v.elements.size());
      for (size_t i = 0; i < order.size(); ++i)
        std::memcpy(v.elements.data() + i * v.bytes(), v.source + size_t(order[i]) * v.bytes(),
                    v.bytes());
    }
    SmallVector<int64_t> extents(shape);
    for (int64_t dim : dims)
      if (failed(halve(extents, dim)))
        return failure();
    int64_t count = ShapedType::getNumElements(extents);
    for (Halved &v : values)
      std::memcpy(v.result, v.elements.data(), size_t(count) * v.bytes());
    return success();
  }
};

int64_t linearize(ArrayRef<int64_t> coordinates, ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [at, extent] : llvm::zip(coordinates, shape))
    number = number * extent + at;
  return number;
}

/// The source elements that each element of the result of a reduction within threads (or subgroups)
/// combines, one row after the other.
std::vector<int64_t> orderByThreads(tile::ReduceOp op) {
  auto layoutOf = [](Type type) {
    return cast<tile::LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).getLayout();
  };
  layout::TileLayout from = layoutOf(op.getValues()[0].getType());
  layout::TileLayout to = layoutOf(op.getResults()[0].getType());
  std::map<int64_t, std::set<int64_t>> rows;
  for (int64_t reg = 0; reg < from.count(layout::Resource::Reg); ++reg) {
    std::vector<int64_t> kept = from.registerCoordinates(reg);
    for (int64_t dim : op.getDims())
      kept[size_t(dim)] = 0;
    int64_t target = *to.findRegister(kept, 0, 0);
    for (int64_t lane = 0; lane < from.count(layout::Resource::Lane); ++lane)
      for (int64_t warp = 0; warp < from.count(layout::Resource::Warp); ++warp)
        rows[linearize(to.coordinates({target, lane, warp}), to.shape)].insert(
            linearize(from.coordinates({reg, lane, warp}), from.shape));
  }
  std::vector<int64_t> order;
  for (const auto &[element, row] : rows)
    order.insert(order.end(), row.begin(), row.end());
  return order;
}

} // namespace

LogicalResult TileProgram::compileScan(tile::ScanOp op, Steps &steps) {
  Type type = getElementTypeOrSelf(op.getValue().getType());
  LaneFunction function = getKindFunction(op.getKind(), type);
  if (!function)
    return tw::emitOpError(op, Code::T0701) << "has a kind that its elements do not have";
  ArrayRef<int64_t> shape = getTileShape(op.getValue().getType());
  int64_t extent = shape[op.getDim()], outer = 1, inner = 1;
  for (int64_t other : shape.take_front(op.getDim()))
    outer *= other;
  for (int64_t other : shape.drop_front(op.getDim() + 1))
    inner *= other;
  // Parts are as rows are.
  int64_t parts = getTileShape(op.getTotal().getType())[op.getDim()];
  outer *= parts;
  extent /= parts;
  size_t bytes = size_t(inner) * size_t(getElementBytes(type));
  steps.push_back([=, kind = op.getKind(), exclusive = op.getExclusive(), reverse = op.getReverse(),
                   value = slot(op.getValue()), result = slot(op.getResult()),
                   total = slot(op.getTotal()),
                   before = op.getBefore() ? slot(op.getBefore()) : nullptr] {
    for (int64_t o = 0; o < outer; ++o) {
      char *running = total + size_t(o) * bytes;
      if (before)
        std::memcpy(running, before + size_t(o) * bytes, bytes);
      else
        fillIdentity(kind, type, running, inner);
      for (int64_t i = 0; i < extent; ++i) {
        size_t line = size_t(o * extent + (reverse ? extent - 1 - i : i)) * bytes;
        if (exclusive)
          std::memcpy(result + line, running, bytes);
        const void *operands[] = {running, value + line};
        function(operands, running, inner);
        if (!exclusive)
          std::memcpy(result + line, running, bytes);
      }
    }
    return success();
  });
  return success();
}

LogicalResult TileProgram::compileReduce(tile::ReduceOp op, Steps &steps) {
  // The values may differ in shape only by a mistake of the verifier's; the first one's counts.
  auto reduction = std::make_shared<Reduction>();
  reduction->shape = SmallVector<int64_t>(getTileShape(op.getValues()[0].getType()));
  reduction->dims = SmallVector<int64_t>(op.getDims());
  size_t elements = size_t(getTileElements(op.getValues()[0].getType()));
  if (op.getWithin()) {
    reduction->order = orderByThreads(op);
    int64_t rows = getTileElements(op.getResults()[0].getType());
    reduction->shape = {rows, int64_t(elements) / rows};
    reduction->dims = {1};
  }
  auto newLanes = [&]() -> char * {
    storage.push_back(std::make_unique<uint64_t[]>(elements));
    return reinterpret_cast<char *>(storage.back().get());
  };
  unsigned count = op.getValues().size();
  for (unsigned i = 0; i < count; ++i) {
    Type type = getElementTypeOrSelf(op.getValues()[i].getType());
    Halved value{type, slot(op.getValues()[i]), slot(op.getResults()[i]), 0, {}};
    value.elements.resize(elements * value.bytes());
    value.accumulator = newLanes();
    value.value = newLanes();
    if (op.getKind())
      fillIdentity(*op.getKind(), type, &value.identity, 1);
    else
      fillLanes((*op.getIdentities())[i], &value.identity, 1);
    reduction->values.push_back(std::move(value));
  }
  steps.push_back([reduction] { return reduction->run(); });

  if (op.getKind()) {
    Halved &value = reduction->values[0];
    LaneFunction function = getKindFunction(*op.getKind(), value.elementType);
    if (!function)
      return tw::emitOpError(op, Code::T0701) << "has a kind that its elements do not have";
    value.yielded = value.accumulator;
    reduction->combine = [function, accumulator = value.accumulator,
                          lanes = value.value](int64_t n) {
      const void *operands[] = {accumulator, lanes};
      function(operands, accumulator, n);
      return success();
    };
    return success();
  }

  // The region on lanes: each scalar of it becomes an array.
  Block &block = op.getCombine().front();
  llvm::DenseMap<Value, char *> lanesOf;
  struct RegionOp {
    LaneFunction function;
    Operation *op;
    SmallVector<Type> types;
    SmallVector<const void *> operands;
    char *result;
  };
  std::vector<RegionOp> ops;
  for (unsigned i = 0; i < count; ++i) {
    lanesOf[block.getArgument(i)] = reduction->values[i].accumulator;
    lanesOf[block.getArgument(count + i)] = reduction->values[i].value;
  }
  auto find = [&](Value value) -> char * {
    char *&lanes = lanesOf[value];
    if (lanes)
      return lanes;
    // A scalar from outside of the region; only constants are the same at every execution.
    auto constant = value.getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return nullptr;
    lanes = newLanes();
    fillLanes(constant.getValue(), lanes, int64_t(elements));
    return lanes;
  };
  for (Operation &inner : block.without_terminator()) {
    if (isa<arith::ConstantOp>(inner))
      continue;
    RegionOp step{getLaneFunction(&inner), &inner, {}, {}, nullptr};
    for (Value operand : inner.getOperands()) {
      step.types.push_back(operand.getType());
      step.operands.push_back(find(operand));
    }
    if (!step.function || llvm::is_contained(step.operands, nullptr))
      return tw::emitOpError(&inner, Code::T0701) << "cannot be interpreted in a combining region";
    step.result = lanesOf[inner.getResult(0)] = newLanes();
    ops.push_back(std::move(step));
  }
  for (auto [value, yielded] : llvm::zip(reduction->values, block.getTerminator()->getOperands()))
    if (!(value.yielded = find(yielded)))
      return tw::emitOpError(op, Code::T0701) << "yields a value from outside of its region";
  reduction->combine = [ops](int64_t lanes) {
    for (const RegionOp &step : ops)
      if (int64_t poison = step.function(step.operands.data(), step.result, lanes); poison >= 0)
        return reportPoison(step.op, step.types, step.operands, poison);
    return success();
  };
  return success();
}
