// Tile form to the llvm dialect: the passes and their order.
#include "tw/Target/Host/Pipeline.h"

#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Target/Common/Passes.h"
#include "tw/Target/Host/Passes.h"

#include "InstructionSet.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tw::host::buildTilePasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createTileSplitLoopsPass());
  passes.addPass(createTileProveBoundsPass());
  passes.addPass(createTileMergeBranchesPass());
}

void tw::host::buildTileToLLVM(OpPassManager &passes, const Description &description,
                               bool deterministic) {
  buildTilePasses(passes);
  buildCodePasses(passes, description, deterministic);
}

void tw::host::buildCodePasses(OpPassManager &passes, const Description &description,
                               bool deterministic) {
  llvm::SmallVector<std::string> units = description.units();
  if (!units.empty())
    passes.addPass(createHostFormBlocksPass({units, description.dots()}));
  passes.addPass(createHostWidenCopiesPass());
  HostLoopRowsPassOptions rows;
  rows.lanes = description.lanes();
  rows.registers = unsigned(description.traits.registers);
  passes.addPass(createHostLoopRowsPass(rows));
  TileToVectorPassOptions tiles;
  tiles.lanes = description.lanes();
  tiles.masks = description.traits.masks;
  // A vector of eight lanes is three stores of fewer.
  constexpr double kStores = 3;
  tiles.dearMasks = !tiles.masks && description.traits.maskedStoreCycles > kStores;
  tiles.dots = description.dots();
  tiles.units = units;
  tiles.exactDivision = deterministic;
  passes.addPass(createTileToVectorPass(tiles));
  // First what halves the code.
  passes.addPass(createHostMergeEqualPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  if (deterministic)
    passes.addPass(createExpandExtremaPass());
  passes.addPass(createHostNarrowFloatsPass());
  if (description.set->emitFunction && !deterministic)
    passes.addPass(createHostFunctionsPass({description.set->name.str()}));
  passes.addPass(createExpandMathPass());
  passes.addPass(createHostToLLVMPass());
  passes.addPass(createHostWrapKernelsPass());
}
