// Drives a program through the stages, the target's code generator, and the module writer.
#include "tw/Pipeline/Compiler.h"

#include "ModuleWriter.h"

#include "tw/Dialect/Kernel/Describe.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;
using namespace tw;

namespace {

LogicalResult dump(ModuleOp module, const CompileOptions &options, unsigned number,
                   StringRef stage) {
  if (options.dumpFolder.empty())
    return success();
  if (std::error_code error = llvm::sys::fs::create_directories(options.dumpFolder))
    return emitError(module.getLoc(), Code::T0601)
           << "cannot make folder '" << options.dumpFolder << "': " << error.message();
  SmallString<128> path(options.dumpFolder);
  llvm::sys::path::append(path, llvm::formatv("{0:D2}-{1}.mlir", number, stage).str());
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

/// Text of the private functions that hold one kernel each, and what the report says of them.
void collectKernels(ModuleOp module, bool text, WriterInput &input, CompileReport *report) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kernels = function.getOps<kernel::KernelOp>();
    if (kernels.empty())
      continue;
    kernel::KernelOp kernel = *kernels.begin();
    StringRef name = function.getName();
    kernel::Description description = kernel::describe(kernel);
    input.flops[name] = description.flops;
    if (text) {
      llvm::raw_string_ostream os(input.sources[name]);
      function.print(os, OpPrintingFlags().useLocalScope());
    }
    if (!report)
      continue;
    KernelReport row;
    row.name = name.str();
    row.flops = description.flops;
    row.bytes = description.bytes;
    row.recompute = description.recompute;
    row.axes = description.getAxesText();
    if (auto schedule = kernel.getScheduleAttr())
      llvm::raw_string_ostream(row.schedule) << schedule;
    report->kernels.push_back(std::move(row));
  }
}

/// The target of the options with what the stages need of it.
struct ResolvedTarget {
  const Target *target;
  TargetOptions options;
  StageOptions stages;
};

FailureOr<ResolvedTarget> resolveTarget(ModuleOp module, const CompileOptions &options) {
  auto [name, cpu] = StringRef(options.target).split(':');
  ResolvedTarget resolved;
  resolved.target = findTarget(name);
  if (!resolved.target) {
    std::string known;
    for (const Target *target : allTargets())
      known += (known.empty() ? "" : ", ") + target->name.str();
    return emitError(module.getLoc(), Code::T0505)
           << "unknown target '" << name << "', known are " << known;
  }
  if (!cpu.empty())
    resolved.options.cpu = cpu.str();
  resolved.options.optLevel = options.optimize;
  resolved.stages.target = name.str();
  FailureOr<std::string> pass = resolved.target->getSchedulePass(module.getLoc(), resolved.options);
  if (failed(pass))
    return failure();
  resolved.stages.schedulePass = *pass;
  return resolved;
}

/// The stage whose passes come first. A tensor program is at no stage yet.
unsigned getFirstStage(ModuleOp module, const CompileOptions &options) {
  if (options.from)
    return *options.from + 1;
  unsigned stage = detectStage(module);
  return stage == 0 ? 0 : stage + 1;
}

} // namespace

FailureOr<std::vector<uint8_t>> tw::compile(ModuleOp module, FileResolver &files,
                                            const CompileOptions &options, CompileReport *report) {
  FailureOr<ResolvedTarget> target = resolveTarget(module, options);
  if (failed(target))
    return failure();
  target->stages.folder = files.getFolder().str();
  unsigned from = getFirstStage(module, options);
  unsigned last = getStages().size() - 1, total = last + 2;
  WriterInput input;
  auto begin = [&](StringRef stage, unsigned done) {
    if (options.progress)
      options.progress(stage, done, total);
  };
  if (report)
    report->target = options.target;
  if (from > 0 && failed(dump(module, options, from - 1, getStages()[from - 1].name)))
    return failure();
  if (from <= last)
    begin(getStages()[from].name, from);
  if (failed(runStages(module, from, last, target->stages, [&](unsigned stage, double time) {
        if (report)
          report->milliseconds.push_back({getStages()[stage].name.str(), time});
        if (getStages()[stage].name == "launch")
          collectKernels(module, options.debugInfo, input, report);
        begin(stage < last ? StringRef(getStages()[stage + 1].name) : "code", stage + 1);
        return dump(module, options, stage, getStages()[stage].name);
      })))
    return failure();

  auto start = std::chrono::steady_clock::now();
  auto lap = [&](StringRef name) {
    auto now = std::chrono::steady_clock::now();
    if (report)
      report->milliseconds.push_back(
          {name.str(), std::chrono::duration<double, std::milli>(now - start).count()});
    start = now;
  };
  if (failed(verifyForTarget(module, *target->target)))
    return failure();
  FailureOr<SmallVector<Artefact>> artefacts = target->target->compile(module, target->options);
  if (failed(artefacts))
    return failure();
  if (report)
    for (const ArtefactEntry &entry : artefacts->front().entries)
      for (KernelReport &row : report->kernels)
        if (row.name == entry.name)
          row.programs = entry.programs;
  lap("code");
  input.artefact = &artefacts->front();
  FailureOr<std::vector<uint8_t>> bytes = writeModule(module, input, files, report);
  lap("module");
  return bytes;
}

LogicalResult tw::compileTo(ModuleOp module, unsigned to, const CompileOptions &options) {
  FailureOr<ResolvedTarget> target = resolveTarget(module, options);
  if (failed(target))
    return failure();
  target->stages.folder = options.folder;
  return runStages(module, getFirstStage(module, options), to, target->stages,
                   [&](unsigned stage, double) {
                     return dump(module, options, stage, getStages()[stage].name);
                   });
}

OwningOpRef<ModuleOp> tw::readProgram(MLIRContext *context, StringRef path,
                                      const std::map<std::string, int64_t> &symbols) {
  if (!path.ends_with(".onnx"))
    return parseSourceFile<ModuleOp>(path, context);
  onnx::ImportOptions options;
  options.symbols = symbols;
  return onnx::importModel(*context, path, options);
}

void CompileReport::print(llvm::raw_ostream &os) const {
  os << "target       " << target << "\n";
  os << "kernels      " << kernels.size() << " distinct, " << launches << " launches\n";
  os << llvm::formatv("arena        {0} bytes, largest live set {1} bytes ({2:F3} times)\n",
                      arenaBytes, liveBytes, liveBytes ? double(arenaBytes) / liveBytes : 1.0);
  os << llvm::formatv("constants    {0} bytes in the module, {1} bytes in files\n", embeddedBytes,
                      externalBytes);
  os << llvm::formatv("module       {0} bytes, {1} of them code\n", moduleBytes, imageBytes);
  double sum = 0;
  for (auto &[stage, time] : milliseconds)
    sum += time;
  os << llvm::formatv("compile time {0:F1} ms\n", sum);
  for (auto &[stage, time] : milliseconds)
    os << llvm::formatv("  {0,-10} {1,8:F1} ms\n", stage, time);
  os << "kernel: launches, programs, flops, bytes, recompute factor, axes, schedule\n";
  for (const KernelReport &row : kernels)
    os << llvm::formatv("  {0}: {1}, {2}, {3}, {4}, {5}, [{6}], {7}\n", row.name, row.launches,
                        row.programs, row.flops, row.bytes, row.recompute, row.axes, row.schedule);
}
