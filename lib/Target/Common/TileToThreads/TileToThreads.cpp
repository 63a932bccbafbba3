// The pass tile-to-threads: tile programs with layouts to kernels of single threads.
//
// It runs when layouts are assigned, exchanges expanded and barriers inserted; canonicalization and
// CSE after it merge what registers have in common.
#include "Emitter.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_TILETOTHREADSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

class TileToThreadsPass : public tw::impl::TileToThreadsPassBase<TileToThreadsPass> {
public:
  using TileToThreadsPassBase::TileToThreadsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (subgroup < 1 || !llvm::isPowerOf2_64(subgroup)) {
      tw::emitError(module.getLoc(), tw::Code::T0423)
          << "expected subgroup to be a power of two, found " << subgroup.getValue();
      return signalPassFailure();
    }
    auto [target, cpu] = StringRef(chip.getValue()).split(':');
    tw::GpuTraits traits{.subgroup = subgroup,
                         .vectorBytes = vectorBytes,
                         .localBytes = localBytes,
                         .maxThreads = maxThreads,
                         .target = target,
                         .chip = cpu};
    SmallVector<tw::tile::FuncOp> programs(module.getOps<tw::tile::FuncOp>());
    if (programs.empty())
      return;
    gpu::GPUModuleOp kernels = tw::threads::getKernels(module);
    for (tw::tile::FuncOp program : programs) {
      if (failed(tw::threads::ThreadEmitter(program, traits).emit(kernels)))
        return signalPassFailure();
      program.erase();
    }
  }
};

} // namespace
