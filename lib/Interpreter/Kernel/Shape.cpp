// The choice of lanes among the axes of a nest.
//===---------------------------------------------------------------------------------------===//
#include "Body.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace tw::interp;
using namespace tw::kernel;

// Lanes beyond this many are worth no further axis.
static constexpr int64_t enoughLanes = 32;

// Moves axes from the back of `axes` to the lanes of the shape.
static void takeLanes(NestShape &shape, SmallVectorImpl<unsigned> &axes,
                      ArrayRef<int64_t> extents) {
  int64_t product = 1;
  while (!axes.empty() && product < enoughLanes) {
    unsigned axis = axes.pop_back_val();
    shape.lanes.insert(shape.lanes.begin(), axis);
    shape.block =
        std::clamp<int64_t>(Nest::maxLanes / product, 1, std::max<int64_t>(extents[axis], 1));
    product *= shape.block;
    if (shape.block < extents[axis])
      break;
  }
}

NestShape tw::interp::chooseShape(KernelState &state, const llvm::SmallBitVector &axes,
                                  const llvm::SmallBitVector &ordered) {
  NestShape shape;
  llvm::SmallBitVector free = axes;
  shape.loops = state.loopAxes(free.reset(ordered));
  takeLanes(shape, shape.loops, state.kernel.getExtents());
  shape.chunkLoop = shape.loops.size();
  llvm::append_range(shape.loops, state.loopAxes(ordered));
  return shape;
}

// How far apart, in elements, two points next to each other along an axis are in memory.
static int64_t strideAlong(LoadOp load, BlockArgument axis) {
  AffineMap map = load.getMap().getMap();
  SmallVector<int64_t> origin(map.getNumDims(), 0), next(map.getNumDims(), 0);
  for (auto [i, index] : llvm::enumerate(load.getIndices()))
    next[i] = index == axis;
  auto shape = cast<RankedTensorType>(load.getSource().getType()).getShape();
  int64_t distance = 0;
  for (auto [a, b, stride] :
       llvm::zip(map.compose(origin), map.compose(next), getRowMajorStrides(shape)))
    distance += (b - a) * stride;
  return std::abs(distance);
}

// Dot products are summed along the lanes where there are few results, or where only the reduced
// axis runs along memory.
static bool isHorizontal(KernelState &state, Operation *reduction, ArrayRef<unsigned> resultAxes,
                         ArrayRef<unsigned> reducedAxes) {
  ArrayRef<int64_t> extents = state.kernel.getExtents();
  auto points = [&](ArrayRef<unsigned> axes) {
    int64_t product = 1;
    for (unsigned axis : axes)
      product *= extents[axis];
    return product;
  };
  int64_t results = points(resultAxes), reduced = points(reducedAxes);
  if (reducedAxes.empty() || resultAxes.empty() || results < enoughLanes)
    return reduced > results;
  if (extents[reducedAxes.back()] < 2 * enoughLanes)
    return false;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) { return op->getBlock() == reduction->getBlock(); };
  (void)getBackwardSlice(reduction, &slice, options);
  bool alongReduced = true, alongResult = true;
  for (Operation *op : slice) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      alongReduced &= strideAlong(load, state.kernel.getAxis(reducedAxes.back())) <= 1;
      alongResult &= strideAlong(load, state.kernel.getAxis(resultAxes.back())) <= 16;
    }
  }
  return alongReduced && !alongResult;
}

NestShape tw::interp::chooseReductionShape(KernelState &state, Operation *reduction,
                                           bool &horizontal, unsigned &resultDepth) {
  ArrayRef<int64_t> extents = state.kernel.getExtents();
  SmallVector<unsigned> resultAxes = state.loopAxes(state.sets.of(reduction->getResult(0)));
  SmallVector<unsigned> reducedAxes = state.loopAxes(state.sets.reducedBy(reduction));
  horizontal = isa<ReduceOp, ContractOp>(reduction) &&
               isHorizontal(state, reduction, resultAxes, reducedAxes);
  if (auto reduce = dyn_cast<ReduceOp>(reduction))
    horizontal &= reduce.getKind().has_value();
  NestShape shape;
  if (auto scan = dyn_cast<ScanOp>(reduction)) {
    unsigned axis = cast<BlockArgument>(scan.getAxis()).getArgNumber();
    llvm::erase(resultAxes, axis);
    if (extents[axis] != 1)
      reducedAxes.push_back(axis);
    if (scan.getReverse())
      shape.reversed = axis;
  }
  takeLanes(shape, horizontal ? reducedAxes : resultAxes, extents);
  shape.loops = resultAxes;
  shape.chunkLoop = resultAxes.size();
  llvm::append_range(shape.loops, reducedAxes);
  bool hasChunks = shape.getChunks(extents) != 1;
  resultDepth = resultAxes.size();
  if (horizontal)
    shape.chunkLoop = shape.loops.size();
  else if (hasChunks)
    ++resultDepth;
  return shape;
}
