// Reads kernels, compiles them for the host, runs them, compares.
#include "Program.h"

#include "Guarded.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Format/HostAbi.h"
#include "tw/Interpreter/Compare.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Schedule/Plan.h"
#include "tw/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cstring>
#include <sys/mman.h>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

namespace {

/// Points of a kernel that are interpreted, and computed by tiles of one element.
constexpr int64_t mostPoints = 400000;

/// The image of a batch in executable memory.
class Loaded {
public:
  explicit Loaded(const Artefact &artefact) : artefact(artefact), size(artefact.bytes.size()) {
    void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
      abort();
    base = static_cast<uint8_t *>(pages);
    memcpy(base, artefact.bytes.data(), size);
    mprotect(base, size, PROT_READ | PROT_EXEC);
  }
  ~Loaded() { munmap(base, size); }
  TwrtHostKernel *kernel(size_t index) const {
    return reinterpret_cast<TwrtHostKernel *>(base + artefact.entries[index].offset);
  }

private:
  const Artefact &artefact;
  size_t size;
  uint8_t *base;
};

/// Keeps what diagnostics say instead of printing it.
class Collector {
public:
  explicit Collector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text += diagnostic.str() + "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

/// A module with one function that is the kernel alone, with the schedule.
OwningOpRef<ModuleOp> isolate(kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                              StringRef name) {
  OpBuilder builder(kernel.getContext());
  Location location = kernel.getLoc();
  auto module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      builder, location, name,
      builder.getFunctionType(kernel->getOperandTypes(), kernel->getResultTypes()));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(kernel->getOperands(), function.getArguments());
  auto copy = cast<kernel::KernelOp>(builder.clone(*kernel, mapping));
  if (schedule)
    copy.setScheduleAttr(schedule);
  else
    copy.removeScheduleAttr();
  func::ReturnOp::create(builder, location, copy->getResults());
  return module;
}

/// The tile program of a schedule, or why there is none.
OwningOpRef<ModuleOp> lower(kernel::KernelOp kernel, kernel::ScheduleAttr schedule, StringRef name,
                            std::string &refusal) {
  Collector collector(kernel.getContext());
  OwningOpRef<ModuleOp> module = isolate(kernel, schedule, name);
  PassManager passes(kernel.getContext());
  passes.enableVerifier(true);
  passes.addPass(createKernelToTilePass());
  passes.addNestedPass<tile::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<tile::FuncOp>(createCSEPass());
  if (succeeded(passes.run(*module)))
    return module;
  refusal = collector.text.empty() ? "failed without a message" : collector.text;
  return {};
}

/// Integers may be indices: small ones.
void makeSmall(interp::Tensor &tensor, Random &random) {
  auto type = dyn_cast<IntegerType>(tensor.getElementType());
  if (!type || type.getWidth() == 1)
    return;
  unsigned bytes = type.getWidth() / 8;
  memset(tensor.bytes(), 0, tensor.getBytes());
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.bytes()[i * bytes] = char(random() % 3);
}

/// What the target gives for a module of tile programs.
FailureOr<Artefact> compileBatch(ModuleOp module, std::string &refusal) {
  Collector collector(module.getContext());
  auto artefacts = findTarget("host")->compile(module, {});
  if (failed(artefacts)) {
    refusal = collector.text;
    return failure();
  }
  return std::move(artefacts->front());
}

/// Runs a kernel in guarded memory; says what it did that it must not.
std::string run(const Program &program, TwrtHostKernel *kernel, const ArtefactEntry &entry,
                std::vector<interp::Tensor> &results, Random &random) {
  std::vector<std::unique_ptr<Guarded>> memory;
  std::vector<void *> bindings;
  auto add = [&](size_t bytes) -> Guarded & {
    memory.push_back(std::make_unique<Guarded>(bytes, random() % 2));
    bindings.push_back(memory.back()->data());
    return *memory.back();
  };
  for (const interp::Tensor &input : program.inputs)
    memcpy(add(input.getBytes()).data(), input.bytes(), input.getBytes());
  for (Type type : program.kernel->getResultTypes())
    add(interp::Tensor::allocate(cast<RankedTensorType>(type)).getBytes());
  Guarded scratch(entry.scratchBytes, /*atEnd=*/false);
  uint32_t programs = uint32_t(entry.programs);
  TwrtHostLaunch launch{bindings.data(), nullptr, {programs, 1, 1}};
  // As threads would run them: in ranges, none of which may count on what another one left.
  uint32_t middle = programs ? uint32_t(random() % (programs + 1)) : 0;
  kernel(&launch, middle, programs, scratch.data());
  scratch.poison();
  kernel(&launch, 0, middle, scratch.data());

  for (auto [i, own] : llvm::enumerate(memory))
    if (!own->isIntact())
      return "writes beyond the ends of buffer " + std::to_string(i);
  if (!scratch.isIntact())
    return "writes beyond the end of its scratch memory";
  for (auto [input, own] : llvm::zip(program.inputs, memory))
    if (memcmp(own->data(), input.bytes(), input.getBytes()) != 0)
      return "writes to an input";
  for (auto [i, type] : llvm::enumerate(program.kernel->getResultTypes())) {
    interp::Tensor result = interp::Tensor::allocate(cast<RankedTensorType>(type));
    memcpy(result.bytes(), memory[program.inputs.size() + i]->data(), result.getBytes());
    results.push_back(result);
  }
  return "";
}

std::string describe(const interp::Comparison &comparison, size_t result) {
  std::string text = "result " + std::to_string(result) + " differs: ";
  llvm::raw_string_ostream os(text);
  comparison.print(os);
  return text;
}

/// Reassociated sums, in units of the largest element.
double getBound(Type element) {
  if (isa<IntegerType>(element))
    return 0;
  if (element.isF64())
    return 1e-12;
  return element.isF32() ? 1e-5 : 1e-2;
}

std::string compareAll(ArrayRef<interp::Tensor> results, ArrayRef<interp::Tensor> expected,
                       bool exact) {
  for (auto [i, result] : llvm::enumerate(results)) {
    interp::Comparison comparison = interp::compare(result, expected[i]);
    if (!comparison.within(exact ? 0 : getBound(result.getElementType())))
      return describe(comparison, i);
  }
  return "";
}

bool addProgram(kernel::KernelOp kernel, const std::string &name, Random &random,
                std::vector<Program> &programs) {
  int64_t points = 1;
  for (int64_t extent : kernel.getExtents())
    points *= extent;
  if (points == 0 || points > mostPoints)
    return true;
  Program program;
  program.name = name;
  program.module = isolate(kernel, {}, "program");
  program.module->walk([&](kernel::KernelOp op) { program.kernel = op; });
  unsigned number = 0;
  for (Operation &op : program.kernel.getBody().front())
    if (op.getNumResults() == 1 && !op.getAttr("name"))
      op.setAttr("name", StringAttr::get(op.getContext(), "v" + std::to_string(number++)));
  for (Type type : program.kernel->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!interp::Tensor::isSupported(tensor))
      return true;
    program.inputs.push_back(interp::makeInput(tensor, random(), program.inputs.size(), true));
    makeSmall(program.inputs.back(), random);
  }
  Collector collector(program.kernel.getContext());
  auto reference = interp::evaluate(program.kernel, program.inputs);
  if (failed(reference))
    return true;
  program.reference.assign(reference->begin(), reference->end());
  std::vector<Trial> plain(1);
  runTrials(program, plain, random);
  if (!plain[0].refusal.empty())
    return true;
  if (!plain[0].wrong.empty()) {
    llvm::errs() << name << ": without a schedule: " << plain[0].wrong << "\n";
    return false;
  }
  programs.push_back(std::move(program));
  return true;
}

} // namespace

bool fuzz::readPrograms(const std::string &path, MLIRContext &context, Random &random,
                        std::vector<Program> &programs) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return false;
  bool good = true;
  module->walk(
      [&](kernel::KernelOp kernel) { good &= addProgram(kernel, path, random, programs); });
  return good;
}

void fuzz::runTrials(Program &program, std::vector<Trial> &trials, Random &random) {
  OpBuilder builder(program.kernel.getContext());
  OwningOpRef<ModuleOp> batch = ModuleOp::create(builder, program.kernel.getLoc());
  std::vector<Trial *> running;
  for (Trial &trial : trials) {
    OwningOpRef<ModuleOp> module =
        lower(program.kernel, trial.schedule, "k" + std::to_string(running.size()), trial.refusal);
    if (!module)
      continue;
    for (auto function : llvm::make_early_inc_range(module->getOps<tile::FuncOp>())) {
      function->remove();
      batch->push_back(function);
    }
    running.push_back(&trial);
  }
  if (running.empty())
    return;
  std::string refusal;
  FailureOr<Artefact> artefact = compileBatch(*batch, refusal);
  if (failed(artefact)) {
    // Which one it is shows when each is compiled alone.
    if (running.size() == 1) {
      running[0]->wrong = "does not compile: " + refusal;
      return;
    }
    for (Trial *trial : running) {
      std::vector<Trial> alone{*trial};
      runTrials(program, alone, random);
      *trial = alone[0];
    }
    return;
  }
  Loaded loaded(*artefact);
  for (auto [i, trial] : llvm::enumerate(running)) {
    std::vector<interp::Tensor> results;
    trial->wrong = run(program, loaded.kernel(i), artefact->entries[i], results, random);
    if (!trial->wrong.empty())
      continue;
    trial->wrong = compareAll(results, program.reference, /*exact=*/false);
    if (!trial->wrong.empty())
      continue;
    if (!trial->schedule)
      program.unscheduled = std::move(results);
    else
      trial->wrong = compareAll(results, program.unscheduled, trial->exact);
  }
}

kernel::ScheduleAttr fuzz::reduceTrial(Program &program, const Trial &trial) {
  SmallVector<Attribute> list(trial.schedule.getPrimitives());
  auto fails = [&](ArrayRef<Attribute> primitives) {
    auto schedule = kernel::ScheduleAttr::get(trial.schedule.getContext(), primitives);
    std::string why;
    if (!schedule::isLegal(program.kernel, schedule, why))
      return false;
    std::vector<Trial> one(1);
    one[0].schedule = schedule;
    one[0].exact = isExact(program.kernel, schedule);
    Random random(1);
    runTrials(program, one, random);
    return !one[0].wrong.empty();
  };
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (size_t i = 0; i < list.size(); ++i) {
      SmallVector<Attribute> shorter(list);
      shorter.erase(shorter.begin() + i);
      if (!fails(shorter))
        continue;
      list = shorter;
      dropped = true;
      break;
    }
  }
  return kernel::ScheduleAttr::get(trial.schedule.getContext(), list);
}

std::string fuzz::toText(kernel::ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Attribute(schedule).print(os);
  return text;
}
