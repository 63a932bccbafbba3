// The host target: what the rest of the compiler sees of it.
#include "tw/Target/Target.h"

#include "InstructionSet.h"
#include "KernelCache.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/HostStrategy.h"
#include "tw/Target/Host/Image.h"
#include "tw/Target/Host/Pipeline.h"
#include "tw/Target/Host/Scratch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Threading.h"

#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <chrono>

using namespace mlir;

namespace {

constexpr llvm::StringLiteral defaultCpu = "native";

/// Examples of CPUs.
ArrayRef<llvm::StringLiteral> getChips() {
  static const auto chips = [] {
    SmallVector<llvm::StringLiteral> all = {defaultCpu};
    for (const tw::host::InstructionSet *set : tw::host::allInstructionSets())
      append_range(all, set->exampleCpus);
    all.push_back("@file.json");
    return all;
  }();
  return chips;
}

StringRef getSummary() {
  static const std::string summary = [] {
    auto names = map_range(tw::host::allInstructionSets(),
                           [](const tw::host::InstructionSet *set) { return set->summary; });
    return "CPUs, " + llvm::join(names, " and ") + ": a flat image of code, made with LLVM and lld";
  }();
  return summary;
}

StringRef getCpu(const tw::TargetOptions &options) {
  return options.cpu.empty() ? StringRef(defaultCpu) : StringRef(options.cpu);
}

FailureOr<tw::host::Description> resolve(Location location, const tw::TargetOptions &options) {
  tw::host::Description description;
  std::string error;
  if (!tw::host::describeCpu(getCpu(options), description, error))
    return tw::emitError(location, tw::Code::T0401) << error;
  if (options.threads > 0)
    description.traits.threads = options.threads;
  return description;
}

FailureOr<std::string> describe(Location location, const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  return tw::host::toJson(*description);
}

FailureOr<std::string> getMachine(Location location, const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  return "traits=" + tw::schedule::toText(description->traits);
}

FailureOr<tw::ScheduleReview> review(Operation *op, const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(op->getLoc(), options);
  if (failed(description))
    return failure();
  auto kernel = cast<tw::kernel::KernelOp>(op);
  tw::ScheduleReview result;
  if (kernel.getSchedule()) {
    tw::schedule::HostPrice all;
    for (const tw::schedule::HostPrice &price :
         tw::schedule::priceSchedule(kernel, description->traits)) {
      all += price;
      result.cycles += price.cycles();
    }
    auto terms = all.getTerms();
    result.limits.assign(terms.begin(), terms.end());
  }
  result.registers = tw::schedule::countRegisters(kernel, description->traits);
  result.registerBudget = description->traits.registers;
  return result;
}

std::optional<tw::PeakRates> getPeakRates(const tw::TargetOptions &options) {
  tw::host::Description description;
  std::string error;
  if (!tw::host::describeCpu(getCpu(options), description, error))
    return std::nullopt;
  const tw::schedule::HostTraits &traits = description.traits;
  tw::PeakRates rates;
  rates.flops32 = 2 * traits.fmaPerCycle * double(traits.lanes);
  rates.flops64 = rates.flops32 / 2;
  // A dot product of pairs is two products and two sums in each lane.
  rates.flops16 = traits.bf16Dot
                      ? std::max(rates.flops32, 4 * traits.bf16DotPerCycle * double(traits.lanes))
                      : rates.flops32;
  // A block is 16 x 16 sums of 32 products.
  if (traits.bf16Blocks)
    rates.flops16 = std::max(rates.flops16, 2 * 16 * 16 * 32 / traits.blockCycles);
  rates.bytes = {{traits.l2Bytes, traits.l2BytesPerCycle},
                 {traits.l3Bytes, traits.l3BytesPerCycle},
                 {INT64_MAX, traits.memoryBytesPerCycle}};
  return rates;
}

/// Whether what is compared is known for each row of the tile when it is compiled.
bool isDecided(AffineExpr compared, RankedTensorType tile, ValueRange indices) {
  int64_t rank = tile.getRank();
  if (tile.getShape().back() > 1 && compared.isFunctionOfDim(rank - 1))
    return false;
  return llvm::all_of(llvm::enumerate(indices), [&](auto index) {
    return !compared.isFunctionOfDim(rank + index.index()) || getConstantIntValue(index.value());
  });
}

/// Accesses by whether their elements are known to lie where they may.
void countGuards(tw::tile::FuncOp kernel, tw::CodeCounts &counts) {
  kernel.walk([&](Operation *op) {
    auto count = [&](auto access, Value value) {
      ++counts.accesses;
      auto tile = cast<RankedTensorType>(value.getType());
      std::optional<ArrayRef<bool>> inside = access.getInBounds();
      auto decides = [&](AffineExpr compared) {
        return isDecided(compared, tile, access.getIndices());
      };
      bool decided = llvm::all_of(access.getMap().getGuards(), [&](tw::view::GuardAttr guard) {
        return llvm::all_of(guard.getSet().getConstraints(), decides);
      });
      for (auto [d, coordinate] : llvm::enumerate(access.getMap().getMap().getResults()))
        decided &= (inside && (*inside)[d]) || decides(coordinate);
      if (decided)
        return;
      ++counts.guards;
      counts.loopGuards += bool(op->template getParentOfType<LoopLikeOpInterface>());
    };
    if (auto load = dyn_cast<tw::tile::LoadOp>(op))
      count(load, load.getResult());
    else if (auto store = dyn_cast<tw::tile::StoreOp>(op))
      count(store, store.getValue());
  });
}

LogicalResult buildPipeline(OpPassManager &passes, Location location,
                            const tw::TargetOptions &options) {
  FailureOr<tw::host::Description> description = resolve(location, options);
  if (failed(description))
    return failure();
  tw::host::buildTileToLLVM(passes, *description, options.deterministic);
  return success();
}

/// Tile form to the llvm dialect, of kernels in a module or in modules within it.
LogicalResult lower(ModuleOp kernels, const tw::TargetOptions &options,
                    llvm::StringMap<tw::CodeCounts> *counts = nullptr) {
  FailureOr<tw::host::Description> description = resolve(kernels.getLoc(), options);
  if (failed(description))
    return failure();
  PassManager tiles(kernels.getContext()), rest(kernels.getContext());
  bool areApart = !kernels.getOps<ModuleOp>().empty();
  tw::host::buildTilePasses(areApart ? tiles.nest<ModuleOp>() : tiles);
  tw::host::buildCodePasses(areApart ? rest.nest<ModuleOp>() : rest, *description,
                            options.deterministic);
  tw::ContextWorkers workers(*kernels.getContext());
  // A fifth of the time. --to=code checks after each pass; here LLVM checks what comes of them.
  rest.enableVerifier(false);
  if (failed(tiles.run(kernels)))
    return failure();
  if (counts)
    kernels.walk(
        [&](tw::tile::FuncOp kernel) { countGuards(kernel, (*counts)[kernel.getSymName()]); });
  return rest.run(kernels);
}

template <bool Assembly>
FailureOr<std::string> print(ModuleOp module, const tw::TargetOptions &options) {
  std::vector<std::string> names;
  for (auto kernel : module.getOps<tw::tile::FuncOp>())
    names.push_back(kernel.getSymName().str());
  OwningOpRef<ModuleOp> kernels = tw::cloneKernels(module);
  if (failed(lower(*kernels, options)))
    return failure();
  return tw::host::compileToCode(*kernels, names, {getCpu(options).str(), options.optLevel},
                                 Assembly);
}

constexpr tw::EmitForm forms[] = {
    {"assembly", "the code of the kernels as text for an assembler", print<true>},
    {"object", "the code of the kernels as an ELF object, not linked", print<false>},
};

/// The code of kernels, kept or made.
class Compilation {
public:
  Compilation(ModuleOp module, const tw::TargetOptions &options,
              const tw::host::Description &description)
      : module(module), options(options), code{getCpu(options).str(), options.optLevel},
        cache(options.kernelCache, "code for " + description.set->triple + " " +
                                       description.llvmCpu + " " + description.llvmFeatures + "\n" +
                                       tw::schedule::toText(description.traits) + "\nO" +
                                       Twine(options.optLevel) +
                                       (options.deterministic ? " deterministic" : "")) {}

  FailureOr<tw::host::Image> run() {
    findKept();
    if (keys.empty())
      return tw::host::compileToImage(*tw::cloneKernels(module), {}, code);
    for (const tw::host::KernelCache::Key &key : keys)
      cached += kernels.contains(key.symbol);
    if (failed(make()))
      return failure();
    return link();
  }

  const tw::CodeCounts &getCounts(size_t kernel) { return kernels[keys[kernel].symbol].counts; }
  unsigned getCached() const { return cached; }

private:
  ModuleOp module;
  const tw::TargetOptions &options;
  tw::host::CodegenOptions code;
  tw::host::KernelCache cache;
  std::vector<tw::host::KernelCache::Key> keys;
  std::vector<std::string> names;
  /// By symbol; equal kernels have one.
  llvm::StringMap<tw::host::CachedKernel> kernels;
  unsigned cached = 0;
  tw::host::StepTimes times;

  void findKept() {
    SmallVector<tw::tile::FuncOp> functions(module.getOps<tw::tile::FuncOp>());
    for (tw::tile::FuncOp kernel : functions)
      names.push_back(kernel.getSymName().str());
    keys.resize(functions.size());
    std::vector<std::optional<tw::host::CachedKernel>> kept(functions.size());
    tw::ContextWorkers workers(*module.getContext());
    parallelFor(module.getContext(), 0, functions.size(), [&](size_t i) {
      keys[i] = cache.getKey(functions[i]);
      kept[i] = cache.find(keys[i]);
    });
    for (auto [key, kernel] : llvm::zip(keys, kept))
      if (kernel)
        kernels.try_emplace(key.symbol, std::move(*kernel));
  }

  /// Makes what was not kept, and keeps it.
  LogicalResult make() {
    // A module for each: they are worked on apart.
    OwningOpRef<ModuleOp> made = ModuleOp::create(module.getLoc());
    OpBuilder builder(made->getBodyRegion());
    std::vector<tw::host::KernelModule> missing;
    SmallVector<size_t> numbers;
    llvm::StringSet<> seen;
    for (auto [i, kernel] : llvm::enumerate(module.getOps<tw::tile::FuncOp>())) {
      if (kernels.contains(keys[i].symbol) || !seen.insert(keys[i].symbol).second)
        continue;
      auto own = ModuleOp::create(builder, kernel.getLoc());
      own.getBody()->push_back(kernel->clone());
      missing.push_back({own, keys[i].symbol, names[i]});
      numbers.push_back(i);
    }
    if (missing.empty())
      return success();
    auto start = std::chrono::steady_clock::now();
    llvm::StringMap<tw::CodeCounts> counts;
    if (failed(lower(*made, options, &counts)))
      return failure();
    // Objects of many programs are linked together, each under the name of its contents. Nothing
    // calls a kernel: there are no uses to name anew.
    for (const tw::host::KernelModule &kernel : missing)
      if (Operation *function = SymbolTable::lookupSymbolIn(kernel.module, kernel.name))
        SymbolTable::setSymbolName(function, kernel.symbol);
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    std::atomic<uint64_t> stored = 0;
    auto finish = [&](size_t number, const tw::host::KernelObject &object) {
      size_t i = numbers[number];
      stored += cache.store(keys[i], object, counts.lookup(names[i]));
      // Thousands of operations, which one thread would have to take apart in the end.
      tw::host::KernelModule kernel = missing[number];
      kernel.module.getBody()->clear();
    };
    auto objects = tw::host::compileToObjects(missing, code, times, finish);
    if (failed(objects))
      return failure();
    times.insert(times.begin(), {"lower", time.count()});
    for (auto [i, object] : llvm::zip(numbers, *objects))
      kernels[keys[i].symbol] = {std::move(object), counts.lookup(names[i])};
    cache.keepWithinLimit(stored);
    return success();
  }

  /// The objects in the order of the kernels.
  FailureOr<tw::host::Image> link() {
    std::vector<const tw::host::KernelObject *> objects;
    std::vector<std::string> symbols;
    llvm::StringMap<size_t> places;
    for (const tw::host::KernelCache::Key &key : keys) {
      if (!places.try_emplace(key.symbol, symbols.size()).second)
        continue;
      symbols.push_back(key.symbol);
      objects.push_back(&kernels[key.symbol].object);
    }
    FailureOr<tw::host::Image> image =
        tw::host::linkToImage(module.getLoc(), objects, symbols, code);
    if (failed(image))
      return failure();
    image->milliseconds.insert(image->milliseconds.begin(), times.begin(), times.end());
    std::vector<tw::host::ImageEntry> entries;
    for (auto [key, name] : llvm::zip(keys, names)) {
      entries.push_back(image->entries[places[key.symbol]]);
      entries.back().name = name;
    }
    image->entries = std::move(entries);
    return image;
  }
};

FailureOr<SmallVector<tw::Artefact>> compile(ModuleOp module, const tw::TargetOptions &options) {
  tw::Artefact artefact;
  artefact.format = "host";
  for (auto kernel : module.getOps<tw::tile::FuncOp>()) {
    artefact.entries.push_back({kernel.getSymName().str(), 0, uint64_t(kernel.getNumPrograms())});
    tw::host::ScratchBytes bytes = tw::host::getScratchBytes(kernel);
    artefact.entries.back().scratchBytes = bytes.own;
    artefact.entries.back().sharedBytes = bytes.shared;
    artefact.entries.back().together = kernel.hasTeam();
  }
  FailureOr<tw::host::Description> description = resolve(module.getLoc(), options);
  if (failed(description))
    return failure();
  Compilation compilation(module, options, *description);
  FailureOr<tw::host::Image> image = compilation.run();
  if (failed(image))
    return failure();
  artefact.bytes = std::move(image->bytes);
  artefact.textOffset = image->textOffset;
  artefact.requiredFeatures = std::move(image->features);
  artefact.milliseconds = std::move(image->milliseconds);
  artefact.cachedKernels = compilation.getCached();
  for (auto [i, entry] : llvm::enumerate(artefact.entries)) {
    entry.offset = image->entries[i].offset;
    entry.counts = compilation.getCounts(i);
    entry.counts->spills = image->entries[i].spills;
    entry.counts->loopSpills = image->entries[i].loopSpills;
  }
  return SmallVector<tw::Artefact>{std::move(artefact)};
}

} // namespace

namespace tw {

const Target &getHostTarget() {
  static const Target target{
      .name = "host",
      .summary = getSummary(),
      .chips = getChips(),
      .checksChips = true,
      .describe = describe,
      .hasElementType = isHeld,
      .getMachine = getMachine,
      .review = review,
      .getPeakRates = getPeakRates,
      .buildPipeline = buildPipeline,
      .compile = compile,
      .forms = forms,
  };
  return target;
}

} // namespace tw
