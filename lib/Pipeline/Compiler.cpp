// Drives a program through the stages, the target's code generator, and the module writer.
#include "tw/Pipeline/Compiler.h"

#include "KernelReports.h"
#include "ModuleWriter.h"
#include "SuggestSchedule.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"
#include "tw/Support/Nesting.h"
#include "tw/Support/ReadFile.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

using namespace mlir;
using namespace tw;

namespace {

/// `target` is empty for what all targets share, and where there is only one.
LogicalResult dump(ModuleOp module, const CompileOptions &options, unsigned number, StringRef stage,
                   StringRef target = "") {
  if (options.dumpFolder.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpFolder))
    return emitError(module.getLoc(), Code::T0601)
           << "cannot make folder '" << options.dumpFolder << "': " << error.message();
  SmallString<128> path(options.dumpFolder);
  llvm::sys::path::append(
      path, llvm::formatv("{0:D2}-{1}{2}{3}.mlir", number, target, target.empty() ? "" : "-", stage)
                .str());
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    module.print(os, OpPrintingFlags().elideLargeElementsAttrs(16));
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return emitError(module.getLoc(), Code::T0601)
           << "cannot write '" << path << "': " << error.message();
  return success();
}

TargetOptions getTargetOptions(const CompileOptions &options) {
  return {"",
          options.optimize,
          options.scheduleFile,
          options.deterministic,
          options.threads,
          options.explain,
          options.searchStates,
          options.fusion,
          options.fusionSeed,
          options.layouts,
          options.layoutSeed,
          options.kernelCache};
}

/// Targets with chips, and what their programs have to fit.
FailureOr<SmallVector<TargetRequest, 1>>
makeRequests(Location location, const CompileOptions &options, bool isReported = false) {
  FailureOr<SmallVector<TargetRequest, 1>> requests =
      parseTargets(location, options.target, getTargetOptions(options));
  if (failed(requests) || (options.memory == 0 && !isReported))
    return requests;
  // Without a limit it says what is kept, and leaves the program as it is.
  int64_t memory = options.memory == 0 ? INT64_MAX : options.memory;
  for (TargetRequest &request : *requests) {
    FailureOr<std::string> machine = request.target->getMachine(location, request.chips.front());
    if (failed(machine))
      return failure();
    request.stages.recomputePass =
        llvm::formatv("kernel-recompute{{memory={0} alignment={1} {2}}", memory,
                      request.target->limits.offsetAlignment, *machine)
            .str();
  }
  return requests;
}

/// What the options say of all numbers, said of each operation.
void setFastMath(ModuleOp module, const CompileOptions &options) {
  if (options.deterministic)
    return removeFastMath(module);
  if (auto flags = parseFastMath(options.fastMath))
    addFastMath(module, *flags);
}

/// The stage whose passes come first. A tensor program is at no stage yet.
unsigned getFirstStage(ModuleOp module, const CompileOptions &options) {
  if (options.from)
    return *options.from + 1;
  unsigned stage = detectStage(module);
  // What decides about schedules looks at those that are there, too.
  bool looks = !options.scheduleFile.empty() || options.deterministic || options.explain;
  if (looks && stage == *findStage("schedule"))
    return stage;
  return stage == 0 ? 0 : stage + 1;
}

/// The first stage whose passes depend on the target.
unsigned getSplitStage() { return *findStage("schedule"); }

/// A program that has all schedules does without that stage, but for a look at what there is room
/// for.
LogicalResult checkSchedules(ModuleOp module, unsigned first, const TargetRequest &request) {
  if (first != getSplitStage() + 1)
    return success();
  PassManager passes(module.getContext());
  return success(succeeded(parsePassPipeline(request.stages.schedulePass, passes)) &&
                 succeeded(passes.run(module)));
}

/// A program that is at stage launch or tile already was made for one target.
LogicalResult checkProgramTarget(ModuleOp module, const Target &target) {
  for (auto function : module.getOps<launch::FuncOp>())
    if (function.getTarget() != target.name)
      return emitError(function.getLoc(), Code::T0512)
             << "'" << function.getSymName() << "' is a program for target '"
             << function.getTarget() << "', expected '" << target.name << "'";
  return success();
}

class Timer {
public:
  /// Milliseconds since the last call.
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double time = std::chrono::duration<double, std::milli>(now - start).count();
    start = now;
    return time;
  }

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// One compilation to a module.
class Compilation {
public:
  Compilation(const CompileOptions &options, ArrayRef<TargetRequest> requests, FileResolver &files,
              CompileReport *report, HookScope &hooks)
      : options(options), requests(requests), files(files), report(report), hooks(hooks) {}

  FailureOr<std::vector<uint8_t>> run(ModuleOp module);

private:
  LogicalResult runShared(ModuleOp module);
  LogicalResult runTarget(ModuleOp module, const TargetRequest &request, ModuleWriter &writer);
  LogicalResult compileChips(CompiledTarget &compiled, ModuleOp kernels, TargetReport *report);
  void begin(StringRef step);

  const CompileOptions &options;
  ArrayRef<TargetRequest> requests;
  FileResolver &files;
  CompileReport *report;
  HookScope &hooks;
  unsigned first = 0, done = 0, total = 0;
};

} // namespace

/// Tells that a step begins, which ends the one before.
void Compilation::begin(StringRef step) {
  if (options.progress)
    options.progress(step, done, total);
  ++done;
}

LogicalResult Compilation::runShared(ModuleOp module) {
  if (first > 0 && failed(dump(module, options, first - 1, getStages()[first - 1].name)))
    return failure();
  unsigned split = getSplitStage();
  for (unsigned i = first; i < split; ++i) {
    begin(getStages()[i].name);
    if (failed(runStages(module, i, i, requests.front().stages, [&](unsigned stage, double time) {
          if (report)
            report->milliseconds.push_back({getStages()[stage].name.str(), time});
          return dump(module, options, stage, getStages()[stage].name);
        })))
      return failure();
  }
  return success();
}

LogicalResult Compilation::compileChips(CompiledTarget &compiled, ModuleOp kernels,
                                        TargetReport *report) {
  const Target &target = *compiled.request->target;
  for (TargetOptions chip : compiled.request->chips) {
    if (kernels)
      chip.suggestSchedule = [&](StringRef kernel) {
        return suggestSchedule(kernels, kernel, target, compiled.request->chips.front());
      };
    Timer timer;
    begin("code");
    if (hooks.isCancelled())
      return failure();
    FailureOr<SmallVector<Artefact>> artefacts = target.compile(compiled.module, chip);
    if (failed(artefacts))
      return failure();
    bool several = compiled.request->chips.size() > 1;
    if (report) {
      std::string label = several ? "code " + chip.cpu : "code";
      report->milliseconds.push_back({label, timer.lap()});
      for (const Artefact &artefact : *artefacts)
        for (auto &[step, time] : artefact.milliseconds)
          report->steps.push_back({label + " " + step.str(), time});
    }
    for (Artefact &artefact : *artefacts)
      compiled.artefacts.push_back({chip.cpu, std::move(artefact)});
  }
  return success();
}

/// Group, local memory, and what the assemblers say of one kernel.
static std::string getResources(const CompiledTarget &compiled, StringRef kernel) {
  std::string text, registers, spills, units;
  for (const ChipArtefact &chip : compiled.artefacts)
    for (const ArtefactEntry &entry : chip.artefact.entries) {
      if (entry.name == kernel && entry.together)
        return llvm::formatv("all threads together, shared {0}, own {1}", entry.sharedBytes,
                             entry.scratchBytes)
            .str();
      if (entry.name != kernel || entry.group == 0)
        continue;
      if (text.empty())
        text = llvm::formatv("group {0}{1}, local {2}", entry.group,
                             entry.divisible ? " or a divisor" : "", entry.localBytes)
                   .str();
      units = units.empty() ? entry.units : units;
      if (entry.registers == 0)
        continue;
      registers += (registers.empty() ? "" : "/") + std::to_string(entry.registers);
      spills += (spills.empty() ? "" : "/") + std::to_string(entry.spills);
    }
  if (!registers.empty())
    text += ", registers " + registers + ", spills " + spills;
  return units.empty() ? text : text + ", units " + units;
}

LogicalResult Compilation::runTarget(ModuleOp module, const TargetRequest &request,
                                     ModuleWriter &writer) {
  TargetReport *targetReport = report ? &report->targets.emplace_back() : nullptr;
  CompiledTarget compiled{&request, module, {}, {}, {}, {}};
  OwningOpRef<ModuleOp> kernels;
  StringRef label = requests.size() > 1 ? StringRef(request.target->name) : "";
  if (failed(checkSchedules(module, first, request)))
    return failure();
  unsigned last = getStages().size() - 1;
  for (unsigned i = std::max(first, getSplitStage()); i <= last; ++i) {
    begin(getStages()[i].name);
    auto observe = [&](unsigned stage, double time) {
      StringRef name = getStages()[stage].name;
      if (targetReport)
        targetReport->milliseconds.push_back({name.str(), time});
      if (name == "launch" && failed(collectKernels(module, options, compiled, targetReport)))
        return failure();
      if (name == "launch")
        kernels = module.clone();
      return dump(module, options, stage, name, label);
    };
    if (failed(runStages(module, i, i, request.stages, observe)))
      return failure();
  }
  if (failed(checkProgramTarget(module, *request.target)) ||
      failed(verifyForTarget(module, *request.target)) ||
      failed(compileChips(compiled, kernels.get(), targetReport)))
    return failure();
  if (targetReport) {
    targetReport->target = request.getText();
    for (KernelReport &row : targetReport->kernels) {
      row.resources = getResources(compiled, row.name);
      for (const ArtefactEntry &entry : compiled.artefacts.front().artefact.entries)
        if (row.name == entry.name)
          row.programs = entry.programs, row.counts = entry.counts;
    }
  }
  return writer.add(std::move(compiled), targetReport);
}

FailureOr<std::vector<uint8_t>> Compilation::run(ModuleOp module) {
  first = getFirstStage(module, options);
  unsigned split = getSplitStage(), stages = getStages().size();
  uint64_t alignment = 64, bindingAlignment = 1;
  total = first < split ? split - first : 0;
  for (const TargetRequest &request : requests) {
    total += stages - std::min(stages, std::max(first, split)) + request.chips.size();
    alignment = std::max(alignment, request.target->limits.offsetAlignment);
    bindingAlignment = std::max(bindingAlignment, request.target->limits.bindingAlignment);
  }
  if (failed(runShared(module)))
    return failure();
  std::optional<std::string> weightsPath = "";
  if (!options.moduleFolder.empty())
    weightsPath = files.getPathFrom(options.moduleFolder);
  ModuleWriter writer(files, options, weightsPath.value_or(""), alignment, bindingAlignment,
                      report);
  for (const TargetRequest &request : requests) {
    OwningOpRef<ModuleOp> copy;
    if (&request != &requests.back())
      copy = module.clone();
    if (failed(runTarget(copy ? *copy : module, request, writer)))
      return failure();
  }
  if (!weightsPath && writer.namesFiles())
    emitWarning(module.getLoc()) << "the weights do not lie beneath the folder of the module, '"
                                 << options.moduleFolder
                                 << "': it needs --weights=" << files.getFolder()
                                 << " to run there; --embed-weights makes one file";
  if (!mayAllocate(module.getLoc(), writer.countEmbeddedBytes()))
    return failure();
  Timer timer;
  std::vector<uint8_t> bytes = writer.finish();
  if (report)
    report->moduleMilliseconds = timer.lap();
  return bytes;
}

FailureOr<std::vector<uint8_t>> tw::compile(ModuleOp module, FileResolver &files,
                                            const CompileOptions &options, CompileReport *report) {
  prepareContext(*module.getContext());
  CodeForOthers defects(*module.getContext(), Code::T0515);
  FailureOr<SmallVector<TargetRequest, 1>> requests =
      makeRequests(module.getLoc(), options, report != nullptr);
  if (failed(requests))
    return failure();
  if (llvm::none_of(module.getOps<SymbolOpInterface>(),
                    [](SymbolOpInterface symbol) { return symbol.isPublic(); }))
    return emitError(module.getLoc(), Code::T0503)
           << "the program has no function: expected one, as in func.func @main(...)";
  setFastMath(module, options);
  HookScope hooks(*module.getContext(), options.hooks);
  using Weights = CompileOptions::SuppliedWeights;
  for (TargetRequest &request : *requests) {
    if (options.suppliedWeights == Weights::None)
      request.stages.setFiles(files);
    request.stages.finiteFiles = options.suppliedWeights == Weights::Finite;
    request.stages.initializer = options.initializer;
    request.stages.cancelled = [&] { return hooks.isCancelled(); };
  }
  FailureOr<std::vector<uint8_t>> bytes =
      Compilation(options, *requests, files, report, hooks).run(module);
  if (hooks.isCancelled())
    return failure();
  return bytes;
}

/// Replaces the program by its kernels as the code generator of the target takes them.
static LogicalResult runCodeStage(ModuleOp module, const TargetRequest &request,
                                  const CompileOptions &options) {
  if (failed(checkProgramTarget(module, *request.target)) ||
      failed(verifyForTarget(module, *request.target)))
    return failure();
  OwningOpRef<ModuleOp> kernels = cloneKernels(module);
  PassManager passes(module.getContext());
  if (failed(request.target->buildPipeline(passes, module.getLoc(), request.chips.front())) ||
      failed(passes.run(*kernels)))
    return failure();
  module.getBodyRegion().takeBody(kernels->getBodyRegion());
  module->setAttrs(kernels->getOperation()->getAttrDictionary());
  return dump(module, options, codeStage(), "code");
}

LogicalResult tw::compileTo(ModuleOp module, unsigned to, const CompileOptions &options,
                            const FileResolver *files) {
  prepareContext(*module.getContext());
  CodeForOthers defects(*module.getContext(), Code::T0515);
  FailureOr<SmallVector<TargetRequest, 1>> requests = makeRequests(module.getLoc(), options);
  if (failed(requests))
    return failure();
  TargetRequest &request = requests->front();
  if (to >= getSplitStage() && requests->size() + request.chips.size() > 2)
    return emitError(module.getLoc(), Code::T0510)
           << "the IR from stage schedule on is that of one target and chip, found --target="
           << options.target;
  if (files)
    request.stages.setFiles(*files);
  request.stages.initializer = options.initializer;
  setFastMath(module, options);
  HookScope hooks(*module.getContext(), options.hooks);
  request.stages.cancelled = [&] { return hooks.isCancelled(); };
  unsigned last = std::min<unsigned>(to, getStages().size() - 1);
  unsigned first = getFirstStage(module, options);
  if ((first <= last && failed(checkSchedules(module, first, request))) ||
      failed(runStages(module, first, last, request.stages, [&](unsigned stage, double) {
        return dump(module, options, stage, getStages()[stage].name);
      })))
    return failure();
  if (to != codeStage())
    return success();
  return hooks.isCancelled() ? failure() : runCodeStage(module, request, options);
}

namespace {

/// What stage code begins with: the kernels alone, as cloneKernels has them.
struct KeepKernels : PassWrapper<KeepKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepKernels)
  StringRef getArgument() const final { return "keep-kernels"; }
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (!isa<tile::FuncOp>(op))
        op.erase();
  }
};

} // namespace

LogicalResult tw::buildPipeline(OpPassManager &passes, const CompileOptions &options, unsigned from,
                                unsigned to, Location location) {
  FailureOr<SmallVector<TargetRequest, 1>> requests = makeRequests(location, options);
  if (failed(requests))
    return failure();
  TargetRequest &request = requests->front();
  if (requests->size() + request.chips.size() > 2)
    return emitError(location, Code::T0510)
           << "a pipeline is that of one target and chip, found --target=" << options.target;
  request.stages.initializer = options.initializer;
  for (unsigned i = from; i <= to && i < getStages().size(); ++i) {
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    if (failed(buildStage(passes, getStages()[i], request.stages, stream)))
      return emitError(location, Code::T0501)
             << "stage '" << getStages()[i].name << "' cannot be built: " << reason;
  }
  if (to < codeStage())
    return success();
  passes.addPass(std::make_unique<KeepKernels>());
  return request.target->buildPipeline(passes, location, request.chips.front());
}

FailureOr<std::string> tw::describeTargets(Location location, StringRef targets) {
  FailureOr<SmallVector<TargetRequest, 1>> requests =
      parseTargets(location, targets, TargetOptions());
  if (failed(requests))
    return failure();
  std::string text;
  for (TargetRequest &request : *requests)
    for (const TargetOptions &chip : request.chips) {
      FailureOr<std::string> description = request.target->describe(location, chip);
      if (failed(description))
        return failure();
      text += *description + "\n";
    }
  return text;
}

void tw::nameFilesFrom(ModuleOp module, const FileResolver &files, StringRef folder) {
  if (folder.empty())
    return;
  std::optional<std::string> prefix = files.getPathFrom(folder);
  bool namesFiles = false;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](graph::FileAttr file) {
    namesFiles = true;
    SmallString<128> name(prefix.value_or(""));
    llvm::sys::path::append(name, file.getName());
    return graph::FileAttr::get(file.getContext(), cast<RankedTensorType>(file.getType()),
                                name.str(), file.getOffset(), file.getLength());
  });
  replacer.recursivelyReplaceElementsIn(module);
  if (!prefix && namesFiles)
    emitWarning(module.getLoc()) << "the weights do not lie beneath '" << folder
                                 << "', where the program is written: compiling it needs --weights="
                                 << files.getFolder();
}

static OwningOpRef<ModuleOp> parse(MLIRContext *context, std::unique_ptr<llvm::MemoryBuffer> text) {
  CodeForOthers syntax(*context, Code::T0514);
  if (!isBytecode(*text) &&
      failed(checkNesting(context, text->getBuffer(), text->getBufferIdentifier())))
    return nullptr;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

OwningOpRef<ModuleOp> tw::parseProgram(MLIRContext *context, StringRef text, StringRef name) {
  return parse(context, llvm::MemoryBuffer::getMemBufferCopy(text, name));
}

OwningOpRef<ModuleOp> tw::readProgram(MLIRContext *context, StringRef path,
                                      const onnx::ImportOptions &options) {
  if (const Importer *importer = findImporter(path))
    return importer->read(*context, path, options);
  StringRef onlyOnnx = !options.assumptions.empty() ? "--assume"
                       : !options.aliases.empty()   ? "--alias"
                                                    : "";
  if (!onlyOnnx.empty()) {
    emitError(UnknownLoc::get(context), Code::T0602)
        << onlyOnnx << " is for ONNX models alone, found " << path;
    return nullptr;
  }
  auto text = readText(path, programLimit);
  if (!text) {
    emitError(UnknownLoc::get(context), Code::T0603) << llvm::toString(text.takeError());
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = parse(context, std::move(*text));
  if (module && failed(setSymbols(*module, options)))
    return nullptr;
  return module;
}
