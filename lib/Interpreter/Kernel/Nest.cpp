// Loops and lanes of a nest.
//===---------------------------------------------------------------------------------------===//
#include "Nest.h"

using namespace mlir;
using namespace tw::interp;

int64_t NestShape::getCapacity(ArrayRef<int64_t> extents) const {
  if (lanes.empty())
    return 0;
  int64_t lanesOfChunk = block;
  for (unsigned axis : ArrayRef(lanes).drop_front())
    lanesOfChunk *= extents[axis];
  return std::max<int64_t>(lanesOfChunk, 1);
}

int64_t NestShape::getChunks(ArrayRef<int64_t> extents) const {
  if (lanes.empty())
    return 1;
  bool isEmpty = llvm::any_of(lanes, [&](unsigned axis) { return extents[axis] == 0; });
  return isEmpty ? 0 : llvm::divideCeil(extents[lanes[0]], block);
}

Nest::Nest(ArrayRef<int64_t> allExtents, const NestShape &shape, MLIRContext *context)
    : Program(context, shape.getCapacity(allExtents)), laneAxes(shape.lanes), extents(allExtents),
      block(shape.block) {
  Type index = IndexType::get(context);
  int64_t chunks = shape.getChunks(extents);
  for (unsigned axis : ArrayRef(laneAxes).drop_front(laneAxes.empty() ? 0 : 1))
    inner *= extents[axis];

  // One chunk needs no loop; none at all does.
  axes.assign(extents.size(), nullptr);
  for (unsigned i = 0; i <= shape.loops.size(); ++i) {
    if (chunks != 1 && i == shape.chunkLoop) {
      axes[laneAxes[0]] = newRegister(index, /*isUniform=*/false, loops.size() + 1);
      loops.push_back({chunks, true, false, axes[laneAxes[0]]});
    }
    if (i == shape.loops.size())
      break;
    unsigned axis = shape.loops[i];
    axes[axis] = newRegister(index, /*isUniform=*/true, loops.size() + 1);
    loops.push_back({extents[axis], false, shape.reversed == axis, axes[axis]});
  }

  int64_t repeat = 1;
  for (unsigned axis : llvm::reverse(laneAxes)) {
    if (!axes[axis])
      axes[axis] = newRegister(index, /*isUniform=*/false, 0);
    int64_t extent = std::max<int64_t>(extents[axis], 1);
    for (int64_t lane = 0; lane < capacity; ++lane)
      axes[axis]->as<int64_t>()[lane] = lane / repeat % extent;
    repeat *= extent;
  }
  for (Register *&axis : axes)
    if (!axis)
      axis = newRegister(index, /*isUniform=*/true, 0);
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
    if (failed(runStarts(number + 1)) ||
        (number + 1 < loops.size() && failed(runLoop(number + 1))) || failed(runEnds(number + 1)))
      return failure();
  }
  if (loop.isChunk)
    count = capacity;
  return success();
}

LogicalResult Nest::run() {
  if (failed(runStarts(0)) || (!loops.empty() && failed(runLoop(0))))
    return failure();
  return runEnds(0);
}
