// Thread form to the spirv dialect: our passes around upstream's conversion.
#include "tw/Target/SPIRV/Pipeline.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Passes.h"
#include "tw/Target/SPIRV/Passes.h"

#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRVPass.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

namespace tw {
#define GEN_PASS_DEF_THREADSTOSPIRVPASS
#include "tw/Target/SPIRV/Passes.h.inc"
} // namespace tw

using namespace mlir;
using tw::spv::Environment;

namespace {

class ThreadsToSpirvPass : public tw::impl::ThreadsToSpirvPassBase<ThreadsToSpirvPass> {
public:
  using ThreadsToSpirvPassBase::ThreadsToSpirvPassBase;

  void runOnOperation() override {
    std::optional<Environment> which = tw::spv::findEnvironment(environment);
    if (!which) {
      tw::emitError(getOperation().getLoc(), tw::Code::T0442)
          << "unknown environment '" << environment << "', expected vulkan or opencl";
      return signalPassFailure();
    }
    OpPassManager passes(ModuleOp::getOperationName());
    tw::spv::buildThreadsToSpirv(passes, *which, texels);
    if (failed(runPipeline(passes, getOperation())))
      signalPassFailure();
  }
};

} // namespace

void tw::spv::buildThreadsToSpirv(OpPassManager &passes, Environment environment, bool texels) {
  bool vulkan = environment == Environment::Vulkan;
  SpirvPrepareKernelsPassOptions prepare;
  prepare.environment = vulkan ? "vulkan" : "opencl";
  prepare.texels = texels;
  passes.addPass(createExpandExtremaPass());
  passes.addPass(createSpirvPrepareKernelsPass(prepare));
  passes.addNestedPass<gpu::GPUModuleOp>(createConvertMathToSPIRVPass());
  std::unique_ptr<Pass> convert = createConvertGPUToSPIRVPass(/*mapMemorySpace=*/false);
  LogicalResult known =
      convert->initializeOptions(vulkan ? "use-64bit-index=false" : "use-64bit-index=true",
                                 [](const Twine &) { return failure(); });
  assert(succeeded(known) && "upstream's option has another name");
  (void)known;
  passes.addPass(std::move(convert));
  passes.addPass(createSpirvFinishKernelsPass());
  OpPassManager &module = passes.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(createCSEPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
}
