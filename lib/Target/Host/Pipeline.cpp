// Tile form to the llvm dialect: the passes and their order.
#include "tw/Target/Host/Pipeline.h"

#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Target/Common/Passes.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tw::host::buildTilePasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createTileSplitLoopsPass());
  passes.addPass(createTileProveBoundsPass());
}

void tw::host::buildTileToLLVM(OpPassManager &passes, const Description &description,
                               bool deterministic) {
  buildTilePasses(passes);
  buildCodePasses(passes, description, deterministic);
}

void tw::host::buildCodePasses(OpPassManager &passes, const Description &description,
                               bool deterministic) {
  TileToVectorPassOptions tiles;
  tiles.lanes = description.lanes();
  // The instructions of other architectures have other intrinsics.
  bool isX86 = description.triple().starts_with("x86_64");
  tiles.bf16Dot = isX86 && description.traits.bf16Dot;
  tiles.int8Dot = isX86 && description.traits.int8Dot;
  tiles.int16Dot = isX86 && description.traits.int16Dot;
  tiles.exactDivision = deterministic;
  passes.addPass(createTileToVectorPass(tiles));
  // First what halves the code.
  passes.addPass(createCSEPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  if (deterministic)
    passes.addPass(createExpandExtremaPass());
  passes.addPass(createHostNarrowFloatsPass());
  constexpr unsigned wideLanes = 16; // of AVX-512
  if (description.lanes() == wideLanes && !deterministic)
    passes.addPass(createHostWideMathPass());
  passes.addPass(createExpandMathPass());
  passes.addPass(createHostToLLVMPass());
  passes.addPass(createHostWrapKernelsPass());
}
