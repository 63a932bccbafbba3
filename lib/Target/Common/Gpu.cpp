// The common lowering of GPU-shaped targets: tile form to thread form.
#include "tw/Target/Common/Gpu.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Target/Common/GpuPrice.h"
#include "tw/Target/Common/GpuStrategy.h"
#include "tw/Target/Common/Instructions.h"
#include "tw/Target/Common/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tw;

namespace {

struct GpuTraitsOptions : PassPipelineOptions<GpuTraitsOptions> {
  Option<int64_t> subgroup{*this, "subgroup", llvm::cl::desc("Threads of a warp, a power of two"),
                           llvm::cl::init(32)};
  Option<bool> shuffles{*this, "shuffles",
                        llvm::cl::desc("Whether threads of a subgroup exchange registers"),
                        llvm::cl::init(false)};
  Option<int64_t> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("The widest access of one thread in bytes; 0: scalars only"),
      llvm::cl::init(16)};
  Option<int64_t> localBytes{*this, "local-bytes",
                             llvm::cl::desc("Local memory that a program may have"),
                             llvm::cl::init(32768)};
  Option<int64_t> maxThreads{*this, "max-threads",
                             llvm::cl::desc("Threads that a program may have"),
                             llvm::cl::init(1024)};
  Option<bool> dividesGroups{
      *this, "divides-groups",
      llvm::cl::desc("Whether a program of independent threads may run as several groups"),
      llvm::cl::init(false)};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Target and chip whose instructions there are"),
                           llvm::cl::init("")};
  Option<bool> convertsF16{*this, "converts-f16",
                           llvm::cl::desc("Whether there are instructions from and to f16"),
                           llvm::cl::init(false)};
  Option<bool> convertsBF16{*this, "converts-bf16",
                            llvm::cl::desc("Whether there are instructions from and to bf16"),
                            llvm::cl::init(false)};
};

} // namespace

FailureOr<std::string> tw::getGpuMachine(Location, const TargetOptions &) {
  return std::string("machine=gpu");
}

/// Whether blocks of sums beside each other are a left operand: each thread has its elements
/// already.
static bool areOperands(const MatrixUnit &unit) {
  auto isIn = [](const auto &offset, const auto &offsets) {
    return llvm::any_of(offsets, [&](const auto &other) {
      return other.row == offset.row && other.column == offset.column;
    });
  };
  return unit.sums.lanes.size() == unit.lhs.lanes.size() &&
         llvm::all_of(llvm::zip(unit.sums.lanes, unit.lhs.lanes),
                      [](const auto &pair) {
                        auto [a, b] = pair;
                        return a.row == b.row && a.column == b.column;
                      }) &&
         llvm::all_of(unit.sums.registers,
                      [&](const auto &offset) { return isIn(offset, unit.lhs.registers); }) &&
         llvm::all_of(unit.lhs.registers, [&](const auto &offset) {
           return isIn(offset, unit.sums.registers) ||
                  (offset.row == 0 && offset.column >= unit.columns);
         });
}

/// Lanes that each have a number of the left operand.
static int64_t countCopies(const MatrixUnit &unit) {
  int64_t bits = int64_t(unit.lhs.lanes.size() + unit.lhs.registers.size());
  return std::max<int64_t>(1, (int64_t(1) << bits) / (unit.rows * unit.depth));
}

/// The numbers that the target knows as the traits of its code hold for schedules too.
static schedule::GpuMachine complete(schedule::GpuMachine machine, const GpuTraits &traits) {
  machine.subgroup = traits.subgroup;
  machine.shuffles = traits.shuffles;
  machine.groupThreads = traits.maxThreads;
  machine.groupLocalBytes = traits.localBytes;
  machine.accessWords = std::max<int64_t>(1, traits.vectorBytes / 4);
  const ChipInstructions &instructions = getInstructions(traits.getChip());
  auto isOf = [](format::ElementType type) {
    return [type](const MatrixUnit &unit) { return unit.operands == type; };
  };
  auto isOfBytes = [](const MatrixUnit &unit) { return format::elementBytes(unit.operands) == 1; };
  auto isOfIntegers = isOf(format::ElementType::I8);
  auto isUnsigned = [](const MatrixUnit &unit) { return unit.lhsUnsigned || unit.rhsUnsigned; };
  ArrayRef<MatrixUnit> units = instructions.units;
  if (llvm::all_of(units, isOfBytes))
    machine.matrixProducts = 0;
  if (llvm::none_of(units, isOfIntegers))
    machine.byteProducts = 0;
  machine.multipliesFloat8 = llvm::any_of(units, isOf(format::ElementType::F8E4M3FN));
  machine.multipliesFloat8Uz = llvm::any_of(units, isOf(format::ElementType::F8E4M3FNUZ));
  machine.bytesAreSigned = machine.byteProducts != 0 && llvm::none_of(units, isUnsigned);
  for (ArrayRef<MatrixUnit> all : {units, instructions.localUnits})
    for (const MatrixUnit &unit : all)
      machine.unitDepthBytes = std::max(machine.unitDepthBytes,
                                        unit.depth * int64_t(format::elementBytes(unit.operands)));
  // Of floats: sums of bytes are wider than what may be multiplied again.
  machine.sumsAreOperands =
      machine.matrixProducts != 0 && llvm::all_of(units, [&](const MatrixUnit &unit) {
        return isOfBytes(unit) || areOperands(unit);
      });
  for (const MatrixUnit &unit : units)
    machine.operandCopies = std::max(machine.operandCopies, countCopies(unit));
  if (llvm::none_of(instructions.localUnits, isOfIntegers))
    machine.localByteProducts = 0;
  if (instructions.localUnits.empty()) {
    machine.localProducts = 0;
    machine.copiesBoxes = false;
  } else {
    const MatrixUnit &unit = instructions.localUnits.front();
    machine.localUnitThreads = traits.subgroup * unit.countSubgroups();
    machine.localUnitRows = unit.rows;
    machine.localUnitColumns = unit.columns;
    machine.copiesBoxes = instructions.boxes != nullptr;
  }
  return machine;
}

/// A list for products of these elements is one that all chips can carry out.
static void shareUnits(schedule::GpuMachine &machine, const schedule::GpuMachine &other) {
  if (other.matrixProducts == 0)
    machine.matrixProducts = machine.localProducts = 0;
  if (other.byteProducts == 0)
    machine.byteProducts = machine.localByteProducts = 0;
  machine.multipliesFloat8 &= other.multipliesFloat8;
  machine.multipliesFloat8Uz &= other.multipliesFloat8Uz;
  machine.bytesAreSigned |= other.bytesAreSigned;
  machine.sumsAreOperands &= machine.matrixProducts != 0 && other.sumsAreOperands;
  machine.unitDepthBytes = std::max(machine.unitDepthBytes, other.unitDepthBytes);
  machine.operandCopies = std::max(machine.operandCopies, other.operandCopies);
}

std::string tw::getGpuMachine(const schedule::GpuMachine &machine, const GpuTraits &traits,
                              ArrayRef<std::string> others) {
  schedule::GpuMachine own = complete(machine, traits);
  for (const std::string &chip : others) {
    GpuTraits another = traits;
    another.chip = chip;
    shareUnits(own, complete(machine, another));
  }
  std::string text = "machine=gpu traits=" + schedule::getGpuTraits().print(own);
  return traits.target.empty() ? text : text + ",chip=" + traits.getChip();
}

ScheduleReview tw::reviewGpuSchedule(Operation *kernel, const schedule::GpuMachine &machine,
                                     const GpuTraits &traits) {
  auto op = cast<kernel::KernelOp>(kernel);
  schedule::GpuMachine own = complete(machine, traits);
  ScheduleReview review;
  if (!op.getSchedule())
    return review;
  std::optional<schedule::GpuPrice> price =
      schedule::priceGroups(op, *op.getSchedule(), own, [&](kernel::KernelOp made) {
        return schedule::makeGpuSchedule(made, own, /*exact=*/false);
      });
  if (!price)
    return review;
  review.cycles = price->cycles();
  for (auto [name, cycles] : price->getTerms())
    review.limits.push_back({name, cycles});
  review.registers = price->registers;
  review.registerBudget = own.threadRegisters;
  return review;
}

static std::string describeMachine(const schedule::GpuMachine &machine) {
  if (machine.processors == 0)
    return "";
  std::string text, separator = ", \"machine\": {";
  schedule::getGpuTraits().forEach(machine, [&](const Trait &trait, StringRef value) {
    if (value == "0")
      return;
    text += llvm::formatv("{0}\"{1}\": {{\"value\": {2}, \"unit\": \"{3}\"}", separator, trait.name,
                          value, trait.unit)
                .str();
    separator = ", ";
  });
  return text + "}";
}

std::string tw::describeGpu(StringRef target, StringRef chip, const GpuTraits &traits,
                            const schedule::GpuMachine &machine) {
  return llvm::formatv("{{\"target\": \"{0}\", \"chip\": \"{1}\", \"subgroup\": {2}, "
                       "\"vectorBytes\": {3}, \"loneVectorBytes\": {4}, \"localBytes\": {5}, "
                       "\"maxThreads\": {6}{7}}",
                       target, chip, traits.subgroup, traits.vectorBytes, traits.loneVectorBytes,
                       traits.localBytes, traits.maxThreads,
                       describeMachine(complete(machine, traits)))
      .str();
}

static uint64_t getLocalBytes(Type element, int64_t elements) {
  uint64_t bytes = element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return llvm::alignTo(elements * bytes, localAlignment);
}

uint64_t tw::getLocalBytes(MemRefType buffer) {
  return ::getLocalBytes(buffer.getElementType(), buffer.getNumElements());
}

uint64_t tw::getLocalAlignment(tile::AllocOp alloc) {
  auto swizzle = alloc->getAttrOfType<IntegerAttr>(tile::swizzleAttrName);
  return swizzle ? 8 * uint64_t(swizzle.getInt()) : localAlignment;
}

uint64_t tw::getLocalAlignment(gpu::GPUFuncOp kernel, unsigned attribution) {
  auto own = dyn_cast_or_null<IntegerAttr>(
      kernel.getWorkgroupAttributionAttr(attribution, LLVM::LLVMDialect::getAlignAttrName()));
  return std::max<uint64_t>(localAlignment, own ? own.getInt() : 0);
}

uint64_t tw::getLocalBytes(tile::FuncOp program) {
  uint64_t bytes = 0;
  program.walk([&](tile::AllocOp op) {
    // With what rows are padded by, as the kernel has them.
    Type element = cast<MemRefType>(op.getMemory().getType()).getElementType();
    bytes =
        llvm::alignTo(bytes, getLocalAlignment(op)) + ::getLocalBytes(element, op.getNumElements());
  });
  return bytes;
}

int64_t tw::countThreads(tile::FuncOp program, const GpuTraits &traits) {
  auto loading = program->getAttrOfType<IntegerAttr>(tile::loadingAttrName);
  return traits.subgroup * (program.getWarps().value_or(1) + (loading ? loading.getInt() : 0));
}

uint64_t tw::getLocalBytes(gpu::GPUFuncOp kernel) {
  uint64_t bytes = 0;
  for (auto [i, local] : llvm::enumerate(kernel.getWorkgroupAttributions()))
    bytes = llvm::alignTo(bytes, getLocalAlignment(kernel, i)) +
            getLocalBytes(cast<MemRefType>(local.getType()));
  return bytes;
}

tw::ArtefactEntry tw::makeEntry(gpu::GPUFuncOp kernel, const GpuTraits &traits) {
  ArtefactEntry entry;
  entry.name = kernel.getName().str();
  entry.programs = kernel->getAttrOfType<IntegerAttr>(programsAttribute).getInt();
  entry.group = (*kernel.getKnownBlockSize())[0];
  entry.divisible = kernel->hasAttr(divisibleAttribute);
  entry.localBytes = uint32_t(getLocalBytes(kernel));
  entry.subgroup = uint32_t(traits.subgroup);
  return entry;
}

void tw::registerGpuPipelines() {
  PassPipelineRegistration<GpuTraitsOptions>(
      "build-threads", "Tile form to thread form, all passes that GPU-shaped targets share",
      [](OpPassManager &passes, const GpuTraitsOptions &options) {
        auto [target, chip] = StringRef(options.chip.getValue()).split(':');
        buildTileToThreads(passes, {.subgroup = options.subgroup,
                                    .shuffles = options.shuffles,
                                    .vectorBytes = options.vectorBytes,
                                    .localBytes = options.localBytes,
                                    .maxThreads = options.maxThreads,
                                    .dividesGroups = options.dividesGroups,
                                    .target = target,
                                    .chip = chip,
                                    .convertsF16 = options.convertsF16,
                                    .convertsBF16 = options.convertsBF16});
      });
}

void tw::buildTileToExchanges(OpPassManager &passes, const GpuTraits &traits) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Units that read local memory work beside the threads.
  passes.addPass(createTilePipelinePass({!getInstructions(traits.getChip()).localUnits.empty()}));
  passes.addPass(createTileProveBoundsPass());
  TileAssignLayoutsPassOptions layouts;
  layouts.subgroup = traits.subgroup;
  layouts.vectorBytes = traits.vectorBytes;
  layouts.chip = traits.getChip();
  passes.addPass(createTileAssignLayoutsPass(layouts));
  TileExpandExchangesPassOptions exchanges;
  exchanges.shuffles = traits.shuffles;
  passes.addPass(createTileExpandExchangesPass(exchanges));
  passes.addPass(createTileShareMemoryPass());
}

namespace {

/// Canonicalizes ops without regions. The canonicalizer looks at all ops around one that it has
/// changed, and into everything in them: the square of what functions become on many elements.
struct CanonicalizeLeaves : PassWrapper<CanonicalizeLeaves, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CanonicalizeLeaves)

  StringRef getArgument() const override { return "canonicalize-leaves"; }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    patterns = FrozenRewritePatternSet(std::move(owned));
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> leaves;
    getOperation()->walk([&](Operation *op) {
      if (op->getNumRegions() == 0)
        leaves.push_back(op);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(leaves, patterns, config);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void tw::buildTileToThreads(OpPassManager &passes, const GpuTraits &traits) {
  buildTileToExchanges(passes, traits);
  passes.addPass(createTileInsertBarriersPass());
  TileToThreadsPassOptions threads;
  threads.subgroup = traits.subgroup;
  threads.vectorBytes = traits.vectorBytes;
  threads.localBytes = traits.localBytes;
  threads.maxThreads = traits.maxThreads;
  threads.chip = traits.getChip();
  passes.addPass(createTileToThreadsPass(threads));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(
      createThreadsNarrowFloatsPass({traits.convertsF16, traits.convertsBF16, traits.getChip()}));
  passes.addPass(createExpandBooleansPass());
  ExpandMathPassOptions math;
  for (StringRef operation : traits.native)
    math.native.push_back(operation.str());
  passes.addPass(createExpandMathPass(math));
  passes.addPass(createLowerAffinePass());
  passes.addPass(std::make_unique<CanonicalizeLeaves>());
  passes.addPass(createCSEPass());
  if (traits.loneVectorBytes != 0) {
    passes.addNestedPass<gpu::GPUModuleOp>(createThreadsSplitVectorsPass());
    passes.addPass(std::make_unique<CanonicalizeLeaves>());
    passes.addPass(createCSEPass());
  }
  if (traits.dividesGroups)
    passes.addNestedPass<gpu::GPUModuleOp>(createThreadsDivideGroupsPass());
}
