// The common lowering of GPU-shaped targets: tile form to thread form.
#include "tw/Target/Common/Gpu.h"

#include "tw/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tw::buildTileToThreads(OpPassManager &passes, const GpuTraits &) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createTileProveBoundsPass());
}
