// The PTX target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "Copies.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Threads.h"
#include "tw/Target/PTX/Assembler.h"
#include "tw/Target/PTX/Chips.h"
#include "tw/Target/PTX/Passes.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tw::ptx;

namespace {

const Chip &getChip(const tw::TargetOptions &options) {
  const Chip *chip = findChip(options.cpu);
  assert(chip && "chips are looked up before");
  return *chip;
}

tw::GpuTraits getTraits(const Chip &chip) {
  tw::GpuTraits traits;
  traits.subgroup = 32;
  traits.shuffles = true;
  traits.vectorBytes = 16;
  traits.localBytes = chip.localBytes;
  traits.target = "cuda";
  traits.chip = chip.name;
  traits.convertsF16 = true;
  traits.native = tw::threads::nativeFunctions;
  traits.convertsBF16 = chip.getCapability() >= 80;
  return traits;
}

FailureOr<std::string> describe(Location, const tw::TargetOptions &options) {
  const Chip &chip = getChip(options);
  return tw::describeGpu("cuda", chip.name, getTraits(chip), chip.machine);
}

FailureOr<std::string> getMachine(Location, const tw::TargetOptions &options) {
  const Chip &chip = getChip(options);
  tw::GpuTraits traits = getTraits(chip);
  for (const std::string &other : options.others)
    traits.localBytes = std::min<int64_t>(traits.localBytes, findChip(other)->localBytes);
  return tw::getGpuMachine(chip.machine, traits, options.others);
}

FailureOr<tw::ScheduleReview> review(Operation *kernel, const tw::TargetOptions &options) {
  const Chip &chip = getChip(options);
  return tw::reviewGpuSchedule(kernel, chip.machine, getTraits(chip));
}

void buildFromThreads(OpPassManager &passes) {
  tw::threads::buildToConversion(passes, staticLocalBytes);
  passes.addNestedPass<gpu::GPUModuleOp>(tw::createThreadsToNVVMPass());
  tw::threads::buildAfterConversion(passes);
}

LogicalResult buildPipeline(OpPassManager &passes, Location, const tw::TargetOptions &options) {
  tw::buildTileToThreads(passes, getTraits(getChip(options)));
  buildFromThreads(passes);
  return success();
}

FailureOr<tw::threads::Lowered> lower(ModuleOp module, const Chip &chip) {
  return tw::threads::lower(
      module, {chip.name, uint32_t(getTraits(chip).maxThreads), chip.localBytes},
      [&](OpPassManager &passes) { tw::buildTileToThreads(passes, getTraits(chip)); },
      buildFromThreads);
}

/// Maps of tensors are by value, in memory of parameters.
void passMaps(llvm::Function &function, const tw::threads::Kernel &kernel) {
  llvm::LLVMContext &context = function.getContext();
  auto *bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), uint64_t(boxCopies.mapBytes));
  for (unsigned i = kernel.arguments - kernel.maps.size(); i < kernel.arguments; ++i) {
    function.addParamAttr(i, llvm::Attribute::getWithByValType(context, bytes));
    function.addParamAttr(i, llvm::Attribute::getWithAlignment(
                                 context, llvm::Align(uint64_t(boxCopies.mapAlignment))));
    function.addParamAttr(i, llvm::Attribute::get(context, "nvvm.grid_constant"));
  }
}

/// What a driver has to make maps of, for who has the text alone.
std::string describeMaps(const tw::threads::Lowered &lowered) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const tw::threads::Kernel &kernel : lowered.kernels)
    for (auto [i, map] : llvm::enumerate(kernel.maps)) {
      out << "// " << kernel.name << ": parameter " << kernel.arguments - kernel.maps.size() + i
          << " is a map of parameter " << map.binding << ", "
          << StringRef(tw::format::elementName(map.element)) << ", extents ";
      llvm::interleave(map.extents, out, " ");
      out << ", strides ";
      llvm::interleave(map.strides, out, " ");
      out << ", box ";
      llvm::interleave(map.box, out, " ");
      out << ", swizzle " << map.swizzle << "\n";
    }
  return text;
}

/// The version of PTX that the chip has, or the newer one that a unit of a kernel needs.
std::string findFeatures(const tw::threads::Lowered &lowered, const Chip &chip) {
  auto getVersion = [](StringRef features) {
    int version = 0;
    features.ltrim("+ptx").getAsInteger(10, version);
    return version;
  };
  const tw::ChipInstructions &instructions = getChipInstructions(chip.name);
  StringRef newest = chip.features;
  for (ArrayRef<tw::MatrixUnit> units : {instructions.units, instructions.localUnits})
    for (const tw::MatrixUnit &unit : units)
      if (getVersion(unit.features) > getVersion(newest) &&
          llvm::any_of(lowered.kernels, [&](const auto &kernel) {
            return StringRef(kernel.units).contains(unit.name);
          }))
        newest = unit.features;
  return newest.str();
}

FailureOr<std::string> makeText(tw::threads::Lowered &lowered, const Chip &chip,
                                unsigned optLevel) {
  tw::threads::CodeOptions code;
  code.triple = "nvptx64-nvidia-cuda";
  code.cpu = chip.name.str();
  code.features = findFeatures(lowered, chip);
  code.optLevel = optLevel;
  auto prepare = [](llvm::Function &function, const tw::threads::Kernel &kernel) {
    passMaps(function, kernel);
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    // Upstream's lowering leaves an upper bound, which may not stand beside the exact number.
    function.removeFnAttr("nvvm.maxntid");
    function.addFnAttr("nvvm.reqntid", std::to_string(kernel.group) + ",1,1");
    // Else ptxas spills to make room for more groups than it was asked for.
    function.addFnAttr("nvvm.minctasm", "1");
  };
  FailureOr<std::string> text = tw::threads::generateCode(lowered, code, prepare);
  if (succeeded(text))
    *text = describeMaps(lowered) + *text;
  return text;
}

/// What ptxas says of the kernels.
void readCosts(const tw::threads::Lowered &lowered, const tw::TargetOptions &options,
               const Assembly &assembly, MutableArrayRef<tw::ArtefactEntry> entries) {
  for (auto [kernel, entry] : llvm::zip_equal(lowered.kernels, entries)) {
    auto found = assembly.kernels.find(kernel.name);
    if (found == assembly.kernels.end())
      continue;
    const KernelCost &cost = found->second;
    entry.registers = cost.registers;
    // Kernels have no variables of their own in memory: a frame is for what found no register.
    entry.spills = std::max(cost.spillStores, cost.stack);
    tw::threads::warnOfSpills(kernel, entry, "ptxas", options);
    if (!cost.loss.empty())
      mlir::emitWarning(kernel.location)
          << "kernel '" << kernel.name << "' runs slower than it could, ptxas says: " << cost.loss;
  }
}

LogicalResult refuse(ModuleOp module, const tw::threads::Lowered &lowered,
                     const tw::TargetOptions &options, StringRef words) {
  std::optional<Excess> excess = parseExcess(words);
  for (const tw::threads::Kernel &kernel : lowered.kernels)
    if (excess && kernel.name == excess->kernel)
      return tw::emitError(kernel.location, tw::Code::T0413)
             << "kernel '" << kernel.name << "' needs " << excess->needed << " bytes of "
             << excess->kind << " memory, " << getChip(options).name << " has " << excess->available
             << ", ptxas says" << tw::threads::suggestSchedule(kernel, options);
  return tw::emitError(module.getLoc(), tw::Code::T0414) << words;
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  const Chip &chip = getChip(options);
  FailureOr<tw::threads::Lowered> lowered = lower(module, chip);
  if (failed(lowered))
    return failure();
  tw::Artefact ptx;
  ptx.format = "ptx";
  if (lowered->kernels.empty())
    return SmallVector<tw::Artefact>{std::move(ptx)};
  FailureOr<std::string> text = makeText(*lowered, chip, options.optLevel);
  if (failed(text))
    return failure();
  ptx.entries = tw::threads::makeEntries(*lowered, 32);
  ptx.requiredFeatures = {chip.name.str()};
  SmallVector<tw::Artefact> artefacts;
  if (std::string path = findAssembler(); !path.empty()) {
    Assembly assembly;
    std::string error;
    AssemblerResult result = assemble(path, *text, chip.name, options.optLevel, assembly, error);
    if (result == AssemblerResult::Failed)
      return refuse(module, *lowered, options, error);
    if (result == AssemblerResult::Done) {
      readCosts(*lowered, options, assembly, ptx.entries);
      tw::Artefact cubin = ptx;
      cubin.format = "cubin";
      cubin.bytes.assign(assembly.cubin.begin(), assembly.cubin.end());
      artefacts.push_back(std::move(cubin));
    }
  }
  ptx.bytes.assign(text->begin(), text->end());
  artefacts.push_back(std::move(ptx));
  return artefacts;
}

FailureOr<std::string> emitText(ModuleOp module, const tw::TargetOptions &options) {
  const Chip &chip = getChip(options);
  FailureOr<tw::threads::Lowered> lowered = lower(module, chip);
  if (failed(lowered))
    return failure();
  return makeText(*lowered, chip, options.optLevel);
}

constexpr tw::EmitForm forms[] = {{"ptx", "NVIDIA's virtual instruction set, as text", emitText}};

} // namespace

namespace tw {

const Target &getPTXTarget() {
  static const Target target{
      .name = "cuda",
      .summary = "NVIDIA GPUs from sm_70 on: PTX, and machine code where ptxas is present",
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
