// Registers and loops of a nest.
//===---------------------------------------------------------------------------------------===//
#include "Nest.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

Nest::Nest(ArrayRef<int64_t> allExtents, const NestShape &shape, MLIRContext *context)
    : context(context), laneAxes(shape.lanes), extents(allExtents), block(shape.block) {
  Type index = IndexType::get(context);
  for (unsigned axis : ArrayRef(laneAxes).drop_front(laneAxes.empty() ? 0 : 1))
    inner *= extents[axis];
  int64_t chunks = 1;
  if (!laneAxes.empty()) {
    chunks = (extents[laneAxes[0]] + block - 1) / block;
    capacity = std::max<int64_t>(block * inner, 1);
  }
  count = capacity;

  // One chunk needs no loop, unless it is empty.
  bool hasChunkLoop = chunks != 1;
  axes.assign(extents.size(), nullptr);
  for (unsigned i = 0; i <= shape.loops.size(); ++i) {
    if (hasChunkLoop && i == shape.chunkLoop)
      loops.push_back(
          {chunks, true, false, newRegister(index, /*isUniform=*/false, loops.size() + 1)});
    if (i == shape.loops.size())
      break;
    unsigned axis = shape.loops[i];
    Register *value = newRegister(index, /*isUniform=*/true, loops.size() + 1);
    loops.push_back({extents[axis], false, shape.reversed == axis, value});
    axes[axis] = value;
  }
  starts.resize(loops.size() + 1);
  ends.resize(loops.size() + 1);

  int64_t repeat = 1;
  for (unsigned i = laneAxes.size(); i-- > 0;) {
    unsigned axis = laneAxes[i];
    Register *value = nullptr;
    for (Loop &loop : loops)
      if (i == 0 && loop.isChunk)
        value = loop.index;
    if (!value)
      value = newRegister(index, /*isUniform=*/false, 0);
    int64_t extent = std::max<int64_t>(extents[axis], 1);
    for (int64_t lane = 0; lane < capacity; ++lane)
      value->as<int64_t>()[lane] = i == 0 ? lane / repeat : lane / repeat % extent;
    repeat *= extent;
    axes[axis] = value;
  }
  for (Register *&axis : axes)
    if (!axis)
      axis = newRegister(index, /*isUniform=*/true, 0);
}

Register *Nest::newRegister(Type type, bool isUniform, unsigned depth) {
  storage.push_back(std::make_unique<uint64_t[]>(size_t(isUniform ? 1 : capacity)));
  registers.push_back({type, isUniform, depth, reinterpret_cast<char *>(storage.back().get())});
  return &registers.back();
}

Register *Nest::constant(TypedAttr value) {
  Register *result = newRegister(value.getType(), /*isUniform=*/true, 0);
  fillLanes(value, result->lanes, 1);
  return result;
}

Register *Nest::toLanes(Register *uniform) {
  if (!uniform->isUniform || !hasLanes())
    return uniform;
  Register *&result = splats[uniform];
  if (result)
    return result;
  result = newRegister(uniform->type, /*isUniform=*/false, uniform->depth);
  before(uniform->depth, [=, this, bytes = getElementBytes(uniform->type), result = result] {
    splatLanes(uniform->lanes, bytes, result->lanes, count);
    return success();
  });
  return result;
}

// What the op was given in the lane whose result is poison.
static LogicalResult reportPoison(Operation *op, ArrayRef<Register *> operands, int64_t lane) {
  auto diagnostic = emitOpError(op, Code::T0704) << "poison: the result is undefined for";
  for (Register *operand : operands) {
    if (isa<FloatType>(operand->type)) {
      double value =
          operand->type.isF32() ? operand->as<float>()[lane] : operand->as<double>()[lane];
      diagnostic << " " << std::to_string(value);
      continue;
    }
    int64_t wide = 0;
    std::memcpy(&wide, operand->lanes + lane * getElementBytes(operand->type),
                size_t(getElementBytes(operand->type)));
    unsigned width = operand->type.isIndex() ? 64 : operand->type.getIntOrFloatBitWidth();
    diagnostic << " " << (width == 1 ? wide : llvm::SignExtend64(uint64_t(wide), width));
  }
  return diagnostic;
}

Register *Nest::apply(LaneFunction function, Type type, ArrayRef<Register *> operands,
                      Operation *op) {
  bool isUniform = llvm::all_of(operands, [](Register *r) { return r->isUniform; });
  unsigned depth = 0;
  SmallVector<Register *> inputs;
  SmallVector<const void *> pointers;
  for (Register *operand : operands) {
    Register *input = isUniform ? operand : toLanes(operand);
    depth = std::max(depth, input->depth);
    inputs.push_back(input);
    pointers.push_back(input->lanes);
  }
  Register *result = newRegister(type, isUniform, depth);
  before(depth, [=, this] {
    int64_t poison = function(pointers.data(), result->lanes, isUniform ? 1 : count);
    return poison < 0 ? success() : reportPoison(op, inputs, poison);
  });
  return result;
}

void Nest::startChunk(int64_t chunk) {
  unsigned axis = laneAxes[0];
  int64_t first = chunk * block;
  count = std::min(block, extents[axis] - first) * inner;
  int64_t *lanes = axes[axis]->as<int64_t>();
  for (int64_t lane = 0; lane < count; ++lane)
    lanes[lane] = first + lane / inner;
}

LogicalResult Nest::runLoop(unsigned number) {
  Loop &loop = loops[number];
  for (int64_t i = 0; i < loop.trips; ++i) {
    if (loop.isChunk)
      startChunk(i);
    else
      *loop.index->as<int64_t>() = loop.isReversed ? loop.trips - 1 - i : i;
    for (Step &step : starts[number + 1])
      if (failed(step()))
        return failure();
    if (number + 1 < loops.size() && failed(runLoop(number + 1)))
      return failure();
    for (Step &step : ends[number + 1])
      if (failed(step()))
        return failure();
  }
  if (loop.isChunk)
    count = capacity;
  return success();
}

LogicalResult Nest::run() {
  for (Step &step : starts[0])
    if (failed(step()))
      return failure();
  if (!loops.empty() && failed(runLoop(0)))
    return failure();
  for (Step &step : ends[0])
    if (failed(step()))
      return failure();
  return success();
}
