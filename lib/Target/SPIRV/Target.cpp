// The Vulkan target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/SPIRV/Pipeline.h"

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using tw::spv::Environment;

namespace {

constexpr StringLiteral nativeFunctions[] = {"math.exp", "math.log"};

/// Nothing wider than a scalar: buffers have one element type, and Vulkan's pointers cannot be
/// cast.
constexpr tw::GpuTraits traits{.subgroup = 32,
                               .shuffles = false,
                               .vectorBytes = 0,
                               .localBytes = 32768,
                               .maxThreads = 1024,
                               .dividesGroups = true,
                               .native = nativeFunctions};

FailureOr<std::string> describe(Location, const tw::TargetOptions &options) {
  return tw::describeGpu("vulkan", options.cpu.empty() ? "generic" : StringRef(options.cpu),
                         traits);
}

/// What sets one kind of device apart.
struct Chip {
  StringLiteral name;
  /// Whether it runs the threads of a group in turn (GpuMachine).
  bool threadsInTurn = false;
  /// Whether it reads texel buffers faster than storage buffers.
  bool readsTexels = false;
};

/// A software driver turns a texel buffer's read into a gather of a vector of threads, and a
/// storage buffer's into a loop over them.
constexpr Chip chipTable[] = {{"generic"},
                              {.name = "cpu", .threadsInTurn = true, .readsTexels = true}};

const Chip &findChip(const tw::TargetOptions &options) {
  const auto *chip =
      llvm::find_if(chipTable, [&](const Chip &chip) { return chip.name == options.cpu; });
  return chip == std::end(chipTable) ? chipTable[0] : *chip;
}

/// Where texels are read, threads have neighbouring elements, of which one texel has four.
tw::GpuTraits getTraits(const tw::TargetOptions &options) {
  tw::GpuTraits own = traits;
  own.vectorBytes = findChip(options).readsTexels ? 16 : 0;
  return own;
}

FailureOr<std::string> getMachine(Location, const tw::TargetOptions &options) {
  tw::schedule::GpuMachine machine;
  machine.threadsInTurn = findChip(options).threadsInTurn;
  return tw::getGpuMachine(machine, getTraits(options));
}

LogicalResult buildPipeline(OpPassManager &passes, Location, const tw::TargetOptions &options) {
  tw::buildTileToThreads(passes, getTraits(options));
  tw::spv::buildThreadsToSpirv(passes, Environment::Vulkan, findChip(options).readsTexels);
  return success();
}

/// Gallium's software rasterizer stops the loops of a thread after this many turns together
/// (LP_MAX_TGSI_LOOP_ITERATIONS of Mesa's gallivm), in silence; no other driver is known to.
constexpr int64_t kTurns = 65535;
constexpr StringLiteral kManyTurns = "moreThan65535LoopTurns";

/// Turns of the loops of a thread, of which at most `kTurns` + 1 are counted. Those of loops whose
/// ends have no bounds are not known and count as one.
class TurnCounter {
public:
  explicit TurnCounter(ModuleOp module) {
    dataflow::loadBaselineAnalyses(solver);
    solver.load<dataflow::IntegerRangeAnalysis>();
    isAnalysed = succeeded(solver.initializeAndRun(module));
  }

  int64_t count(Region &region) {
    int64_t turns = 0;
    for (Operation &op : region.getOps())
      turns = std::min(kTurns + 1, turns + count(op));
    return turns;
  }

private:
  int64_t count(Operation &op) {
    int64_t most = kTurns + 1, inner = 0;
    for (Region &region : op.getRegions())
      inner = std::min(most, inner + count(region));
    auto loop = dyn_cast<scf::ForOp>(op);
    return loop ? std::min(most, getTurns(loop) * (1 + inner)) : inner;
  }

  int64_t getTurns(scf::ForOp loop) {
    constexpr int64_t most = kTurns + 1;
    if (std::optional<llvm::APInt> count = loop.getStaticTripCount())
      return int64_t(count->getLimitedValue(most));
    std::optional<ConstantIntRanges> low = getRange(loop.getLowerBound()),
                                     high = getRange(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!low || !high || !step || *step < 1)
      return 1;
    int64_t last = high->smax().getSExtValue(), first = low->smin().getSExtValue();
    // Without bounds an index goes to the end of its type.
    if (last > INT32_MAX || first < 0)
      return 1;
    return std::clamp<int64_t>(llvm::divideCeil(std::max<int64_t>(last - first, 0), *step), 0,
                               most);
  }

  std::optional<ConstantIntRanges> getRange(Value value) {
    auto *lattice =
        isAnalysed ? solver.lookupState<dataflow::IntegerValueRangeLattice>(value) : nullptr;
    if (!lattice || lattice->getValue().isUninitialized())
      return std::nullopt;
    return lattice->getValue().getValue();
  }

  DataFlowSolver solver;
  bool isAnalysed;
};

/// What the driver must know of each kernel of a module in thread form.
SmallVector<tw::ArtefactEntry> collectEntries(ModuleOp module) {
  SmallVector<tw::ArtefactEntry> entries;
  TurnCounter counter(module);
  module.walk([&](gpu::GPUFuncOp kernel) {
    entries.push_back(tw::makeEntry(kernel, traits));
    if (counter.count(kernel.getBody()) > kTurns)
      entries.back().requiredFeatures.push_back(kManyTurns.str());
  });
  return entries;
}

/// Kernels in binary, and what the driver must know of each.
struct Compiled {
  tw::spv::Binary binary;
  SmallVector<tw::ArtefactEntry> entries;
};

/// Compiles the tile programs of a module, or its gpu.module.
FailureOr<Compiled> compileTo(ModuleOp module, Environment environment,
                              const tw::TargetOptions &options) {
  bool threads = !module.getOps<gpu::GPUModuleOp>().empty();
  OwningOpRef<ModuleOp> kernels = threads ? module.clone() : tw::cloneKernels(module);
  // A launch on OpenCL has the group of the kernel's LocalSize.
  tw::GpuTraits own = getTraits(options);
  own.dividesGroups = environment == Environment::Vulkan;
  PassManager toThreads(module.getContext());
  if (!threads)
    tw::buildTileToThreads(toThreads, own);
  if (failed(toThreads.run(*kernels)))
    return failure();
  Compiled compiled;
  compiled.entries = collectEntries(*kernels);
  if (compiled.entries.empty())
    return compiled;
  PassManager toSpirv(module.getContext());
  tw::spv::buildThreadsToSpirv(toSpirv, environment,
                               environment == Environment::Vulkan && findChip(options).readsTexels);
  if (failed(toSpirv.run(*kernels)))
    return tw::emitError(module.getLoc(), tw::Code::T0443)
           << "a kernel cannot be expressed in SPIR-V";
  FailureOr<tw::spv::Binary> binary = tw::spv::serialize(*kernels, environment);
  if (failed(binary))
    return failure();
  compiled.binary = std::move(*binary);
  return compiled;
}

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  FailureOr<Compiled> compiled = compileTo(module, Environment::Vulkan, options);
  if (failed(compiled))
    return failure();
  tw::Artefact artefact;
  artefact.format = "spirv";
  artefact.bytes = compiled->binary.getBytes();
  llvm::append_range(artefact.entries, compiled->entries);
  artefact.requiredFeatures = std::move(compiled->binary.features);
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

template <Environment environment>
FailureOr<std::string> emitBinary(ModuleOp module, const tw::TargetOptions &options) {
  FailureOr<Compiled> compiled = compileTo(module, environment, options);
  if (failed(compiled))
    return failure();
  std::vector<uint8_t> bytes = compiled->binary.getBytes();
  return std::string(bytes.begin(), bytes.end());
}

template <Environment environment>
FailureOr<std::string> emitText(ModuleOp module, const tw::TargetOptions &options) {
  FailureOr<Compiled> compiled = compileTo(module, environment, options);
  if (failed(compiled))
    return failure();
  if (std::optional<std::string> text = tw::spv::disassemble(compiled->binary.words))
    return *text;
  return tw::emitError(module.getLoc(), tw::Code::T0440)
         << "this build has no SPIRV-Tools to print SPIR-V with; write the binary (--emit=spirv) "
            "and print it with spirv-dis";
}

/// A device is of the last chip that is among its features.
constexpr StringLiteral chips[] = {"generic", "cpu"};

constexpr tw::EmitForm forms[] = {
    {"spirv", "SPIR-V for Vulkan, in binary", emitBinary<Environment::Vulkan>},
    {"spirv-asm", "SPIR-V for Vulkan, as text", emitText<Environment::Vulkan>},
    {"spirv-opencl", "SPIR-V kernels for OpenCL, in binary", emitBinary<Environment::OpenCL>},
    {"spirv-opencl-asm", "SPIR-V kernels for OpenCL, as text", emitText<Environment::OpenCL>},
};

} // namespace

namespace tw {

const Target &getSPIRVTarget() {
  static constexpr Target target{
      .name = "vulkan",
      .summary = "devices with Vulkan 1.1: compute shaders in SPIR-V",
      .chips = chips,
      .limits = {.maxBindingBytes = 128u << 20,
                 .maxSlabBytes = 128u << 20,
                 .offsetAlignment = 256,
                 .partAlignment = 256},
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
