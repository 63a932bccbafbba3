// Tile form to the llvm dialect: our passes where the meaning is, upstream's for the rest.
#include "tw/Target/Host/Pipeline.h"

#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Target/Common/Passes.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tw::host::buildTilePasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createTileProveBoundsPass());
}

void tw::host::buildTileToLLVM(OpPassManager &passes, unsigned lanes, bool deterministic) {
  buildTilePasses(passes);
  buildCodePasses(passes, lanes, deterministic);
}

void tw::host::buildCodePasses(OpPassManager &passes, unsigned lanes, bool deterministic) {
  TileToVectorPassOptions tiles;
  tiles.lanes = lanes;
  passes.addPass(createTileToVectorPass(tiles));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  if (deterministic)
    passes.addPass(createExpandExtremaPass());
  constexpr unsigned wideLanes = 16; // of AVX-512
  if (lanes == wideLanes && !deterministic)
    passes.addPass(createHostWideMathPass());
  passes.addPass(createExpandMathPass());
  passes.addPass(createLowerAffinePass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(arith::createArithExpandOpsPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(createArithToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  passes.addPass(createConvertFuncToLLVMPass(functions));
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createHostWrapKernelsPass());
}
