// The AMDGCN target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/AMDGCN/Chips.h"
#include "tw/Target/AMDGCN/CodeObject.h"
#include "tw/Target/AMDGCN/Passes.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Threads.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tw::amdgcn;

namespace {

Chip getChip(const tw::TargetOptions &options) {
  std::optional<Chip> chip = findChip(options.cpu);
  assert(chip && "chips are looked up before");
  return *chip;
}

tw::GpuTraits getTraits(const Chip &chip) {
  tw::GpuTraits traits;
  traits.subgroup = chip.subgroup;
  traits.shuffles = true;
  traits.vectorBytes = 16;
  traits.localBytes = chip.localBytes;
  traits.target = "amd";
  traits.chip = chip.name;
  traits.convertsF16 = true;
  traits.native = tw::threads::nativeFunctions;
  return traits;
}

FailureOr<std::string> describe(Location, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  return tw::describeGpu("amd", options.cpu.empty() ? chip.name : StringRef(options.cpu),
                         getTraits(chip), chip.machine);
}

FailureOr<std::string> getMachine(Location, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  tw::GpuTraits traits = getTraits(chip);
  for (const std::string &other : options.others)
    traits.localBytes = std::min<int64_t>(traits.localBytes, findChip(other)->localBytes);
  return tw::getGpuMachine(chip.machine, traits, options.others);
}

FailureOr<tw::ScheduleReview> review(Operation *kernel, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  return tw::reviewGpuSchedule(kernel, chip.machine, getTraits(chip));
}

void buildFromThreads(OpPassManager &passes, const Chip &chip) {
  tw::threads::buildToConversion(passes, /*staticLocalBytes=*/UINT64_MAX);
  tw::ThreadsToROCDLPassOptions options;
  options.chip = chip.processor.str();
  passes.addNestedPass<gpu::GPUModuleOp>(tw::createThreadsToROCDLPass(options));
  tw::threads::buildAfterConversion(passes);
}

LogicalResult buildPipeline(OpPassManager &passes, Location, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  tw::buildTileToThreads(passes, getTraits(chip));
  buildFromThreads(passes, chip);
  return success();
}

FailureOr<tw::threads::Lowered> lower(ModuleOp module, const Chip &chip) {
  return tw::threads::lower(
      module, {chip.name, uint32_t(getTraits(chip).maxThreads), chip.localBytes},
      [&](OpPassManager &passes) { tw::buildTileToThreads(passes, getTraits(chip)); },
      [&](OpPassManager &passes) { buildFromThreads(passes, chip); });
}

FailureOr<std::string> generate(tw::threads::Lowered &lowered, const Chip &chip, unsigned optLevel,
                                llvm::CodeGenFileType type) {
  tw::threads::CodeOptions code;
  code.triple = "amdgcn-amd-amdhsa";
  code.cpu = chip.processor.str();
  code.features = chip.features.str();
  code.optLevel = optLevel;
  code.type = type;
  auto prepare = [](llvm::Function &function, const tw::threads::Kernel &kernel) {
    function.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    function.setVisibility(llvm::GlobalValue::ProtectedVisibility);
    std::string group = std::to_string(kernel.group);
    function.addFnAttr("amdgpu-flat-work-group-size", group + "," + group);
    function.addFnAttr("uniform-work-group-size", "true");
    // Version 5: what every ROCm from 5.3 on loads.
    function.getParent()->setModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
  };
  return tw::threads::generateCode(lowered, code, prepare);
}

/// Compares what the code object says of a kernel with what was asked for, and takes over its
/// costs.
LogicalResult check(const tw::threads::Kernel &kernel, const Chip &chip, const KernelMetadata &data,
                    tw::ArtefactEntry &entry) {
  struct Comparison {
    StringRef what;
    uint64_t found, expected;
  };
  Comparison comparisons[] = {{"threads of a group", data.group, kernel.group},
                              {"threads of a subgroup", data.subgroup, chip.subgroup},
                              {"arguments", data.arguments, kernel.arguments}};
  for (const Comparison &c : comparisons)
    if (c.found != c.expected)
      return tw::emitError(kernel.location, tw::Code::T0415)
             << "kernel '" << kernel.name << "' has " << c.found << " " << c.what
             << " in the code object, expected " << c.expected;
  if (data.localBytes > kernel.localBytes)
    return tw::emitError(kernel.location, tw::Code::T0415)
           << "kernel '" << kernel.name << "' has " << data.localBytes
           << " bytes of local memory in the code object, expected at most " << kernel.localBytes;
  entry.localBytes = data.localBytes;
  entry.registers = data.vectorRegisters;
  // Kernels have no variables of their own in memory: a frame is for what found no register.
  entry.spills = std::max(4 * data.vectorSpills, data.scratchBytes);
  return success();
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  FailureOr<tw::threads::Lowered> lowered = lower(module, chip);
  if (failed(lowered))
    return failure();
  if (lowered->kernels.empty()) {
    tw::Artefact none;
    none.format = "hsaco";
    return SmallVector<tw::Artefact>{std::move(none)};
  }
  FailureOr<std::string> object =
      generate(*lowered, chip, options.optLevel, llvm::CodeGenFileType::ObjectFile);
  if (failed(object))
    return failure();
  std::string codeObject, error;
  std::map<std::string, KernelMetadata> metadata;
  if (!linkCodeObject(*object, codeObject, error))
    return tw::emitError(module.getLoc(), tw::Code::T0404) << error;
  if (!readMetadata(codeObject, metadata, error))
    return tw::emitError(module.getLoc(), tw::Code::T0415) << error;
  tw::Artefact artefact;
  artefact.format = "hsaco";
  artefact.entries = tw::threads::makeEntries(*lowered, chip.subgroup);
  artefact.requiredFeatures = {chip.processor.str()};
  artefact.bytes.assign(codeObject.begin(), codeObject.end());
  for (auto [kernel, entry] : llvm::zip(lowered->kernels, artefact.entries)) {
    if (failed(check(kernel, chip, metadata[kernel.name], entry)))
      return failure();
    tw::threads::warnOfSpills(kernel, entry, "LLVM", options);
  }
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

FailureOr<std::string> emitText(ModuleOp module, const tw::TargetOptions &options) {
  Chip chip = getChip(options);
  FailureOr<tw::threads::Lowered> lowered = lower(module, chip);
  if (failed(lowered))
    return failure();
  return generate(*lowered, chip, options.optLevel, llvm::CodeGenFileType::AssemblyFile);
}

constexpr tw::EmitForm forms[] = {
    {"amdgcn-asm", "assembly of AMD's GPUs, with the kernels' metadata", emitText}};

} // namespace

namespace tw {

const Target &getAMDGCNTarget() {
  static const Target target{
      .name = "amd",
      .summary =
          "AMD GPUs of the gfx9 (CDNA), gfx10, gfx11 and gfx12 (RDNA) families: code objects, "
          "made with LLVM and lld",
      .chips = chipNames(),
      .getStandIn =
          [](StringRef chip) {
            const Chip *older = findOlder(chip);
            return older ? StringRef(older->name) : StringRef();
          },
      .limits = {.offsetAlignment = 256, .bindingAlignment = 16},
      .describe = describe,
      .hasElementType = isHeld,
      .getMachine = getMachine,
      .review = review,
      .buildPipeline = buildPipeline,
      .compile = compile,
      .forms = forms,
      .getInstructions = getChipInstructions,
  };
  return target;
}

} // namespace tw
