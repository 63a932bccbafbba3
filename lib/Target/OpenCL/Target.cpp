// The OpenCL target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/OpenCL/Description.h"
#include "tw/Target/OpenCL/Language.h"
#include "tw/Target/OpenCL/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace {

FailureOr<std::string> describe(Location, const tw::TargetOptions &options) {
  return tw::describeGpu("opencl", options.cpu.empty() ? "generic" : StringRef(options.cpu),
                         tw::opencl::getTraits(options.cpu));
}

LogicalResult buildPipeline(OpPassManager &passes, Location, const tw::TargetOptions &options) {
  const tw::GpuTraits &traits = tw::opencl::getTraits(options.cpu);
  if (traits.loneVectorBytes != 0)
    passes.addPass(
        tw::createOpenCLLoneThreadsPass({unsigned(traits.loneVectorBytes / 4), traits.localBytes}));
  tw::buildTileToThreads(passes, traits);
  return success();
}

/// A CPU runs a program without `warps` as one of its threads, so it is scheduled as the host is.
/// Nobody knows the numbers of its core; the registers are those of one with the longest vectors.
/// A launch that threads share takes the driver some microseconds, in which they are woken; one of
/// a single work-group takes it one or two.
FailureOr<std::string> getMachine(Location location, const tw::TargetOptions &options) {
  if (!tw::opencl::isCPU(options.cpu))
    return tw::getGpuMachine(tw::schedule::GpuMachine(), tw::opencl::getTraits(options.cpu));
  const tw::GpuTraits &traits = tw::opencl::getTraits(options.cpu);
  return llvm::formatv("machine=host traits=lanes={0},registers=32,bufferBytes={1},"
                       "launchCycles=20000,commandCycles=4000",
                       traits.loneVectorBytes / 4, traits.localBytes)
      .str();
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  OwningOpRef<ModuleOp> kernels = tw::cloneKernels(module);
  PassManager passes(module.getContext());
  if (failed(buildPipeline(passes, module.getLoc(), options)) || failed(passes.run(*kernels)))
    return failure();
  tw::Artefact artefact;
  artefact.format = "opencl-c";
  auto threads = kernels->getOps<gpu::GPUModuleOp>();
  if (threads.empty())
    return SmallVector{std::move(artefact)};
  FailureOr<tw::cprinter::Source> source =
      tw::cprinter::print(*threads.begin(), tw::opencl::getLanguage());
  if (failed(source))
    return failure();
  artefact.bytes.assign(source->text.begin(), source->text.end());
  if (source->usesF64)
    artefact.requiredFeatures.push_back("fp64");
  artefact.requiredFeatures.push_back("int64");
  for (auto kernel : (*threads.begin()).getOps<gpu::GPUFuncOp>()) {
    artefact.entries.push_back(tw::makeEntry(kernel, tw::opencl::getTraits(options.cpu)));
    artefact.entries.back().symbol = tw::opencl::getSymbol(kernel.getName());
  }
  return SmallVector{std::move(artefact)};
}

FailureOr<std::string> emitSource(ModuleOp module, const tw::TargetOptions &options) {
  OwningOpRef<ModuleOp> kernels;
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    kernels = tw::cloneKernels(module);
    PassManager passes(module.getContext());
    if (failed(buildPipeline(passes, module.getLoc(), options)) || failed(passes.run(*kernels)))
      return failure();
    module = *kernels;
  }
  std::string text;
  for (auto threads : module.getOps<gpu::GPUModuleOp>()) {
    FailureOr<tw::cprinter::Source> source =
        tw::cprinter::print(threads, tw::opencl::getLanguage());
    if (failed(source))
      return failure();
    text += source->text;
  }
  return text;
}

constexpr tw::EmitForm forms[] = {{"opencl-c", "OpenCL C, as drivers build it", emitSource}};

/// A device is of the last chip that is among its features.
constexpr StringLiteral chips[] = {"generic", "cpu"};

} // namespace

namespace tw {

const Target &getOpenCLTarget() {
  static constexpr Target target{
      .name = "opencl",
      .summary = "OpenCL 1.2 devices: source text in OpenCL C, built by the device's driver",
      .chips = chips,
      .limits = {.offsetAlignment = 256, .bindingAlignment = 64, .partAlignment = 256},
      .describe = describe,
      .hasElementType = isHeld,
      .getMachine = getMachine,
      .buildPipeline = buildPipeline,
      .compile = compile,
      .forms = forms,
  };
  return target;
}

} // namespace tw
