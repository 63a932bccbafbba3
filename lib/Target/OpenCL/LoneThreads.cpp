// The pass opencl-lone-threads: programs without warps as kernels of one work-item.
//
// One work-item has all vectors of a core, as a thread of the host has, and so the host's lowering
// of tiles: a row is vectors, loaded whole wherever memory is contiguous, and a loop is split where
// a border crosses it. What OpenCL C lacks of it is taken apart later (threads-split-vectors).
#include "tw/Target/OpenCL/Passes.h"

#include "tw/Dialect/Tile/Prefetch.h"
#include "tw/Target/Common/KernelFrame.h"
#include "tw/Target/Host/Passes.h"
#include "tw/Target/Host/Pipeline.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_OPENCLLONETHREADSPASS
#include "tw/Target/OpenCL/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// Without what only the host does, and with all local buffers at the start: copies of a loop share
/// them.
void prepare(tw::tile::FuncOp program) {
  SmallVector<Operation *> buffers;
  program.walk([&](Operation *op) {
    if (isa<tw::tile::AllocOp>(op))
      buffers.push_back(op);
    if (auto store = dyn_cast<tw::tile::StoreOp>(op))
      store.setStreaming(false);
    if (isa<tw::tile::LoadOp>(op))
      op->removeAttr(tw::tile::LoadOp::getAheadAttrName());
  });
  Block &body = program.getBody().front();
  for (Operation *buffer : llvm::reverse(buffers))
    buffer->moveBefore(&body, body.begin());
}

/// The kernel of one program.
class LoneThread : tw::threads::KernelFrame {
public:
  using KernelFrame::KernelFrame;

  /// Runs the body of a function of the host, whose arguments are those of the program and, behind
  /// them, memory of which its local buffers are views.
  LogicalResult emit(gpu::GPUModuleOp parent, func::FuncOp function) {
    SmallVector<memref::ViewOp> views(function.getOps<memref::ViewOp>());
    SmallVector<tw::threads::LocalBuffer> locals;
    for (memref::ViewOp view : views)
      locals.push_back({tw::threads::getFlatMemory(view.getType(), view.getType().getNumElements(),
                                                   gpu::AddressSpace::Workgroup)});
    FailureOr<gpu::GPUFuncOp> kernel = emitFrame(parent, locals, /*maps=*/0);
    if (failed(kernel))
      return failure();
    IRMapping mapping;
    for (auto [original, argument] :
         llvm::zip(func.getBody().getArguments(), function.getArguments()))
      mapping.map(argument, scalars.lookup(original));
    for (auto [view, local] : llvm::zip(views, kernel->getWorkgroupAttributions()))
      mapping.map(view.getResult(), local);
    for (Operation &op : function.getBody().front().without_terminator())
      if (!isa<memref::ViewOp>(op))
        builder.clone(op, mapping);
    return success();
  }
};

class OpenCLLoneThreadsPass : public tw::impl::OpenCLLoneThreadsPassBase<OpenCLLoneThreadsPass> {
public:
  using OpenCLLoneThreadsPassBase::OpenCLLoneThreadsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<tw::tile::FuncOp> programs;
    for (auto program : module.getOps<tw::tile::FuncOp>())
      if (!program.getWarps())
        programs.push_back(program);
    if (programs.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto host = ModuleOp::create(builder, module.getLoc());
    builder.setInsertionPointToEnd(host.getBody());
    for (tw::tile::FuncOp program : programs) {
      if (failed(tw::threads::refuseTeam(program)))
        return signalPassFailure();
      prepare(cast<tw::tile::FuncOp>(builder.clone(*program)));
    }
    OpPassManager passes(ModuleOp::getOperationName());
    tw::host::buildTilePasses(passes);
    tw::TileToVectorPassOptions vectors;
    vectors.lanes = vectors.longest = lanes;
    passes.addPass(tw::createTileToVectorPass(vectors));
    passes.addPass(createCSEPass());
    if (failed(runPipeline(passes, host)))
      return signalPassFailure();
    tw::GpuTraits traits{.subgroup = 1, .localBytes = localBytes, .maxThreads = 1};
    gpu::GPUModuleOp kernels = tw::threads::getKernels(module);
    for (tw::tile::FuncOp program : programs) {
      auto function = host.lookupSymbol<func::FuncOp>(program.getSymName());
      if (failed(LoneThread(program, traits).emit(kernels, function)))
        return signalPassFailure();
      program.erase();
    }
    host.erase();
  }
};

} // namespace
