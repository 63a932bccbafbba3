// The host target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/Image.h"
#include "tw/Target/Host/Pipeline.h"
#include "tw/Target/Host/Scratch.h"

using namespace mlir;

namespace {

constexpr llvm::StringLiteral chips[] = {
    "native",         "x86-64-v3",   "x86-64-v4",      "haswell",   "skylake-avx512",
    "icelake-server", "znver3",      "sapphirerapids", "znver4",    "znver5",
    "aarch64",        "neoverse-n1", "neoverse-v1",    "@file.json"};

StringRef getCpu(const tw::TargetOptions &options) {
  return options.cpu.empty() ? StringRef(chips[0]) : StringRef(options.cpu);
}

FailureOr<tw::host::Description> resolve(Location location, const tw::TargetOptions &options) {
  tw::host::Description description;
  std::string error;
  if (!tw::host::describeCpu(getCpu(options), description, error))
    return tw::emitError(location, tw::Code::T0401) << error;
  return description;
}

FailureOr<std::string> describe(Location location, const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  return tw::host::toJson(*description);
}

bool hasElementType(Type type) {
  return type.isF32() || type.isF64() || type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64) || type.isUnsignedInteger(8);
}

FailureOr<std::string> getSchedulePass(Location location, const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  // Kernels that pack panels for others get their schedules last.
  std::string schedule =
      "kernel-schedule{traits=" + tw::schedule::toText(description->traits) + "}";
  return schedule + ",kernel-stage-global," + schedule;
}

LogicalResult buildPipeline(OpPassManager &passes, Location location,
                            const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  tw::host::buildTileToLLVM(passes, description->lanes());
  return success();
}

/// Clones the kernels, takes them to the llvm dialect, and lists their names.
FailureOr<OwningOpRef<ModuleOp>> lower(ModuleOp module, const tw::TargetOptions &options,
                                       std::vector<std::string> &names) {
  for (auto kernel : module.getOps<tw::tile::FuncOp>())
    names.push_back(kernel.getSymName().str());
  OwningOpRef<ModuleOp> kernels = tw::cloneKernels(module);
  PassManager passes(module.getContext());
  if (failed(buildPipeline(passes, module.getLoc(), options)) || failed(passes.run(*kernels)))
    return failure();
  return kernels;
}

template <bool Assembly>
FailureOr<std::string> print(ModuleOp module, const tw::TargetOptions &options) {
  std::vector<std::string> names;
  FailureOr<OwningOpRef<ModuleOp>> kernels = lower(module, options, names);
  if (failed(kernels))
    return failure();
  return tw::host::compileToCode(**kernels, names, {getCpu(options).str(), options.optLevel},
                                 Assembly);
}

constexpr tw::EmitForm forms[] = {
    {"assembly", "the code of the kernels as text for an assembler", print<true>},
    {"object", "the code of the kernels as an ELF object, not linked", print<false>},
};

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  tw::Artefact artefact;
  artefact.format = "host-image";
  for (auto kernel : module.getOps<tw::tile::FuncOp>()) {
    artefact.entries.push_back({kernel.getSymName().str(), 0, uint64_t(kernel.getNumPrograms())});
    artefact.entries.back().scratchBytes = tw::host::getScratchBytes(kernel);
  }
  std::vector<std::string> names;
  FailureOr<OwningOpRef<ModuleOp>> kernels = lower(module, options, names);
  if (failed(kernels))
    return failure();
  FailureOr<tw::host::Image> image =
      tw::host::compileToImage(**kernels, names, {getCpu(options).str(), options.optLevel});
  if (failed(image))
    return failure();
  artefact.bytes = std::move(image->bytes);
  artefact.textOffset = image->textOffset;
  artefact.requiredFeatures = std::move(image->features);
  for (auto [entry, placed] : llvm::zip(artefact.entries, image->entries))
    entry.offset = placed.offset;
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

} // namespace

namespace tw {

const Target &getHostTarget() {
  static constexpr Target target{
      .name = "host",
      .summary = "CPUs, x86-64 from v3 (AVX2) on and AArch64: a flat image of code, made with LLVM "
                 "and lld",
      .chips = chips,
      .checksChips = true,
      .describe = describe,
      .hasElementType = hasElementType,
      .getSchedulePass = getSchedulePass,
      .buildPipeline = buildPipeline,
      .compile = compile,
      .forms = forms,
  };
  return target;
}

} // namespace tw
