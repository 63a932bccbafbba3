// The Vulkan target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "tw/Target/Common/Gpu.h"
#include "tw/Target/SPIRV/Pipeline.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using tw::spv::Environment;

namespace {

/// Nothing wider than a scalar: buffers have one element type, and Vulkan's pointers cannot be
/// cast.
constexpr tw::GpuTraits traits{
    .subgroup = 32, .shuffles = false, .vectorBytes = 0, .localBytes = 32768, .maxThreads = 256};

FailureOr<std::string> describe(Location, const tw::TargetOptions &) {
  return llvm::formatv("{{\"target\": \"vulkan\", \"subgroup\": {0}, \"local_bytes\": {1}, "
                       "\"max_threads\": {2}}",
                       traits.subgroup, traits.localBytes, traits.maxThreads)
      .str();
}

bool hasElementType(Type type) {
  return type.isF32() || type.isF64() || type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64) || type.isUnsignedInteger(8);
}

FailureOr<std::string> getSchedulePass(Location, const tw::TargetOptions &) {
  return std::string("kernel-schedule{machine=gpu}");
}

LogicalResult buildPipeline(OpPassManager &passes, Location, const tw::TargetOptions &) {
  tw::buildTileToThreads(passes, traits);
  tw::spv::buildThreadsToSpirv(passes, Environment::Vulkan);
  return success();
}

/// What the driver must know of each kernel of a module in thread form.
SmallVector<tw::ArtefactEntry> collectEntries(ModuleOp module) {
  SmallVector<tw::ArtefactEntry> entries;
  module.walk([&](gpu::GPUFuncOp kernel) {
    tw::ArtefactEntry &entry = entries.emplace_back();
    entry.name = kernel.getName().str();
    entry.programs = kernel->getAttrOfType<IntegerAttr>(tw::programsAttribute).getInt();
    entry.group = kernel.getKnownBlockSize().value()[0];
    for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
      auto type = cast<MemRefType>(buffer.getType());
      entry.localBytes +=
          type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    }
  });
  return entries;
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &) {
  OwningOpRef<ModuleOp> kernels = tw::cloneKernels(module);
  PassManager toThreads(module.getContext());
  tw::buildTileToThreads(toThreads, traits);
  if (failed(toThreads.run(*kernels)))
    return failure();
  tw::Artefact artefact;
  artefact.format = "spirv";
  llvm::append_range(artefact.entries, collectEntries(*kernels));
  PassManager toSpirv(module.getContext());
  tw::spv::buildThreadsToSpirv(toSpirv, Environment::Vulkan);
  if (failed(toSpirv.run(*kernels)))
    return failure();
  FailureOr<tw::spv::Binary> binary = tw::spv::serialize(*kernels, Environment::Vulkan);
  if (failed(binary))
    return failure();
  artefact.bytes = binary->getBytes();
  artefact.requiredFeatures = std::move(binary->features);
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

} // namespace

namespace tw {

const Target &getSPIRVTarget() {
  static constexpr Target target{
      .name = "vulkan",
      .summary = "devices with Vulkan 1.1: compute shaders in SPIR-V",
      .limits = {.maxBindingBytes = 128u << 20,
                 .maxSlabBytes = 128u << 20,
                 .offsetAlignment = 256,
                 .maxScalarBytes = 128},
      .describe = describe,
      .hasElementType = hasElementType,
      .getSchedulePass = getSchedulePass,
      .buildPipeline = buildPipeline,
      .compile = compile,
  };
  return target;
}

} // namespace tw
