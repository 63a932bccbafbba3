// Reads kernels, compiles them for the host, runs them, compares.
#include "Program.h"

#include "Guarded.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Format/HostAbi.h"
#include "tw/Interpreter/Compare.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Schedule/Passes.h"
#include "tw/Schedule/Plan.h"
#include "tw/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/mman.h>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

namespace {

/// Points of a kernel that are interpreted, and computed by tiles of one element.
constexpr int64_t mostPoints = 400000;
/// Vectors that the ops of a schedule's tile programs make: what compiling takes grows with it.
constexpr int64_t mostVectors = 300;

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

/// A function that is the kernel alone, with the schedule, at the end of the module.
kernel::KernelOp isolate(ModuleOp module, kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                         StringRef name) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location location = kernel.getLoc();
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
  return copy;
}

/// A launch of the kernels that a schedule gives: the panels that are packed for all programs, then
/// the kernel.
struct Step {
  /// Inputs of the program, or results of an earlier step.
  struct Source {
    std::optional<size_t> step;
    unsigned number;
  };
  std::vector<Source> operands;
  SmallVector<Type> results;
};

/// The tile programs of a schedule, and how they are launched.
struct Lowered {
  OwningOpRef<ModuleOp> module;
  std::vector<Step> steps;
};

/// Gives each kernel of the function one of its own.
void splitKernels(func::FuncOp function, Lowered &lowered) {
  llvm::DenseMap<Value, Step::Source> sources;
  for (BlockArgument argument : function.getArguments())
    sources[argument] = {std::nullopt, argument.getArgNumber()};
  for (auto kernel : function.getOps<kernel::KernelOp>()) {
    Step step;
    for (Value operand : kernel->getOperands())
      step.operands.push_back(sources.at(operand));
    step.results.assign(kernel->getResultTypes().begin(), kernel->getResultTypes().end());
    for (OpResult result : kernel->getResults())
      sources[result] = {lowered.steps.size(), result.getResultNumber()};
    isolate(*lowered.module, kernel, kernel.getScheduleAttr(),
            (function.getName() + "_" + Twine(lowered.steps.size())).str());
    lowered.steps.push_back(std::move(step));
  }
  function.erase();
}

/// The tile programs of a schedule, or why there are none.
std::optional<Lowered> lower(kernel::KernelOp kernel, kernel::ScheduleAttr schedule, StringRef name,
                             std::string &refusal) {
  Collector collector(kernel.getContext());
  Lowered lowered;
  lowered.module = ModuleOp::create(kernel.getLoc());
  auto function = isolate(*lowered.module, kernel, schedule, name)->getParentOfType<func::FuncOp>();
  PassManager panels(kernel.getContext(), func::FuncOp::getOperationName()),
      passes(kernel.getContext());
  panels.addPass(createKernelStageGlobalPass());
  passes.addPass(createKernelToTilePass());
  passes.addNestedPass<tile::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<tile::FuncOp>(createCSEPass());
  bool good = succeeded(panels.run(function));
  if (good)
    splitKernels(function, lowered);
  if (good && succeeded(passes.run(*lowered.module)))
    return lowered;
  refusal = collector.text.empty() ? "failed without a message" : collector.text;
  return std::nullopt;
}

int64_t countVectors(ModuleOp module) {
  constexpr int64_t lanes = 16;
  int64_t vectors = 0;
  module.walk([&](Operation *op) {
    for (Type result : op->getResultTypes()) {
      auto type = dyn_cast<RankedTensorType>(result);
      int64_t row = type && type.getRank() ? type.getShape().back() : 1;
      vectors += type ? type.getNumElements() / std::min(row, lanes) : 1;
    }
  });
  return vectors;
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
FailureOr<Artefact> compileBatch(ModuleOp module, unsigned optLevel, std::string &refusal) {
  Collector collector(module.getContext());
  TargetOptions options;
  options.optLevel = optLevel;
  auto artefacts = findTarget("host")->compile(module, options);
  if (failed(artefacts)) {
    refusal = collector.text;
    return failure();
  }
  return std::move(artefacts->front());
}

/// Where to go on when code under test crashes.
sigjmp_buf afterCrash;
volatile sig_atomic_t inKernel = 0;

/// Runs a kernel as threads would: in ranges, none of which may count on what another one left.
/// Says what happened if it crashes.
std::string launch(TwrtHostKernel *kernel, const ArtefactEntry &entry, void **bindings,
                   Guarded &scratch, Random &random) {
  uint32_t programs = uint32_t(entry.programs);
  TwrtHostLaunch arguments{bindings, nullptr, {programs, 1, 1}};
  uint32_t middle = programs ? uint32_t(random() % (programs + 1)) : 0;
  if (int signal = sigsetjmp(afterCrash, /*savemask=*/1))
    return "crashes with signal " + std::to_string(signal);
  inKernel = 1;
  kernel(&arguments, middle, programs, scratch.data());
  scratch.poison();
  kernel(&arguments, 0, middle, scratch.data());
  inKernel = 0;
  return "";
}

/// Runs the kernels of a schedule in guarded memory; says what they did that they must not.
std::string run(const Program &program, const Loaded &loaded, size_t first,
                ArrayRef<ArtefactEntry> entries, ArrayRef<Step> steps,
                std::vector<interp::Tensor> &results, Random &random) {
  using Memory = std::vector<std::unique_ptr<Guarded>>;
  Memory inputs;
  std::vector<Memory> made(steps.size());
  for (const interp::Tensor &input : program.inputs) {
    inputs.push_back(std::make_unique<Guarded>(input.getBytes(), random() % 2));
    memcpy(inputs.back()->data(), input.bytes(), input.getBytes());
  }
  for (auto [i, step] : llvm::enumerate(steps)) {
    std::vector<void *> bindings;
    for (Step::Source source : step.operands)
      bindings.push_back((source.step ? made[*source.step] : inputs)[source.number]->data());
    for (Type type : step.results) {
      size_t bytes = interp::Tensor::allocate(cast<RankedTensorType>(type)).getBytes();
      made[i].push_back(std::make_unique<Guarded>(bytes, random() % 2));
      bindings.push_back(made[i].back()->data());
    }
    const ArtefactEntry &entry = entries[first + i];
    Guarded scratch(entry.scratchBytes, /*atEnd=*/false);
    std::string wrong = launch(loaded.kernel(first + i), entry, bindings.data(), scratch, random);
    if (!wrong.empty())
      return wrong;
    if (!scratch.isIntact())
      return "writes beyond the end of its scratch memory";
    for (const Memory *memory : {&inputs, &made[i]})
      for (auto [number, own] : llvm::enumerate(*memory))
        if (!own->isIntact())
          return "writes beyond the ends of " +
                 std::string(memory == &inputs ? "input " : "result ") + std::to_string(number);
  }
  for (auto [input, own] : llvm::zip(program.inputs, inputs))
    if (memcmp(own->data(), input.bytes(), input.getBytes()) != 0)
      return "writes to an input";
  for (auto [own, type] : llvm::zip(made.back(), program.kernel->getResultTypes())) {
    interp::Tensor result = interp::Tensor::allocate(cast<RankedTensorType>(type));
    memcpy(result.bytes(), own->data(), result.getBytes());
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

/// Reassociated sums, in units of the largest element; a step of the format where results are kept
/// in 16 bits.
double getBound(Type element) {
  if (isa<IntegerType>(element))
    return 0;
  if (element.isF64())
    return 1e-12;
  if (element.isF32())
    return 1e-5;
  return element.isBF16() ? 0.008 : 0.001;
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

/// The axes so that each sum's own ones come before those that it reduces, as they are where
/// possible: without a schedule they are loops in their order.
SmallVector<unsigned> sortAxes(kernel::KernelOp kernel) {
  kernel::AxisSets sets(kernel);
  llvm::SmallBitVector placed(kernel.getNumAxes());
  SmallVector<unsigned> order;
  auto mustWait = [&](unsigned axis) {
    return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
      llvm::SmallBitVector kept = sets.reducedBy(&op)[axis] ? sets.of(op.getResult(0)) : placed;
      return kept.test(placed);
    });
  };
  while (order.size() < kernel.getNumAxes()) {
    std::optional<unsigned> next;
    for (unsigned axis = kernel.getNumAxes(); axis-- > 0;)
      if (!placed[axis] && (!next || !mustWait(axis) || mustWait(*next)))
        next = axis;
    placed.set(*next);
    order.push_back(*next);
  }
  return order;
}

/// Replaces the kernel by one with its axes in that order.
kernel::KernelOp reorderAxes(kernel::KernelOp kernel, ArrayRef<unsigned> order) {
  OpBuilder builder(kernel);
  SmallVector<int64_t> extents;
  SmallVector<StringRef> names;
  for (unsigned axis : order) {
    extents.push_back(kernel.getExtents()[axis]);
    names.push_back(kernel.getAxisName(axis));
  }
  auto sorted = kernel::KernelOp::create(builder, kernel.getLoc(), kernel->getResultTypes(),
                                         kernel.getOperands(), extents, names);
  IRMapping mapping;
  for (auto [position, axis] : llvm::enumerate(order))
    mapping.map(kernel.getAxis(axis), sorted.getAxis(position));
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    mapping.map(kernel.getOperandArgument(i), sorted.getOperandArgument(i));
  builder.setInsertionPointToStart(&sorted.getBody().front());
  for (Operation &op : kernel.getBody().front())
    builder.clone(op, mapping);
  kernel->replaceAllUsesWith(sorted);
  kernel->erase();
  return sorted;
}

bool addProgram(kernel::KernelOp kernel, const std::string &name, Random &random,
                std::vector<Program> &programs) {
  auto leaveOut = [&](const Twine &why) {
    llvm::outs() << "left out: " << name << ": " << why << "\n";
    return true;
  };
  Program program;
  program.name = name;
  program.own = kernel.getScheduleAttr();
  program.module = ModuleOp::create(kernel.getLoc());
  isolate(*program.module, kernel, {}, "program");
  // As the compiler does before it schedules.
  PassManager passes(kernel.getContext());
  passes.addNestedPass<func::FuncOp>(createKernelCanonicalisePass());
  if (failed(passes.run(*program.module)))
    return leaveOut("cannot be simplified");
  program.module->walk([&](kernel::KernelOp op) { program.kernel = op; });
  int64_t points = 1;
  for (int64_t extent : program.kernel.getExtents())
    points *= extent;
  if (program.kernel.getNumAxes() == 0 || points > mostPoints)
    return leaveOut(Twine(points) + " points over " + Twine(program.kernel.getNumAxes()) + " axes");
  std::string why;
  if (!schedule::isLegal(program.kernel, kernel::ScheduleAttr::get(kernel.getContext(), {}), why))
    program.kernel = reorderAxes(program.kernel, sortAxes(program.kernel));
  unsigned number = 0;
  for (Operation &op : program.kernel.getBody().front())
    if (op.getNumResults() == 1 && !op.getAttr("name"))
      op.setAttr("name", StringAttr::get(op.getContext(), "v" + std::to_string(number++)));
  for (Type type : program.kernel->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (!interp::Tensor::isSupported(tensor))
      return leaveOut("the interpreter does not take its types");
    program.inputs.push_back(interp::makeInput(tensor, random(), program.inputs.size(), true));
    makeSmall(program.inputs.back(), random);
  }
  Collector collector(program.kernel.getContext());
  auto reference = interp::evaluate(program.kernel, program.inputs);
  if (failed(reference))
    return leaveOut(collector.text);
  program.reference.assign(reference->begin(), reference->end());
  std::vector<Trial> plain(1);
  runTrials(program, plain, /*optLevel=*/3, random);
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

bool fuzz::recoverFrom(int signal) {
  if (!inKernel)
    return false;
  inKernel = 0;
  siglongjmp(afterCrash, signal);
}

void fuzz::runTrials(Program &program, std::vector<Trial> &trials, unsigned optLevel,
                     Random &random) {
  OwningOpRef<ModuleOp> batch = ModuleOp::create(program.kernel.getLoc());
  std::vector<std::pair<Trial *, std::vector<Step>>> running;
  for (Trial &trial : trials) {
    std::optional<Lowered> lowered =
        lower(program.kernel, trial.schedule, "k" + std::to_string(running.size()), trial.wrong);
    if (!lowered) {
      trial.wrong = "is legal, but refused by the lowering: " + trial.wrong;
      continue;
    }
    if (countVectors(*lowered->module) > mostVectors) {
      trial.tooLarge = true;
      continue;
    }
    for (auto function : llvm::make_early_inc_range(lowered->module->getOps<tile::FuncOp>())) {
      function->remove();
      batch->push_back(function);
    }
    running.push_back({&trial, std::move(lowered->steps)});
  }
  if (running.empty())
    return;
  std::string refusal;
  FailureOr<Artefact> artefact = compileBatch(*batch, optLevel, refusal);
  if (failed(artefact)) {
    // Which one it is shows when each is compiled alone.
    if (running.size() == 1) {
      running[0].first->wrong = "does not compile: " + refusal;
      return;
    }
    for (auto &[trial, steps] : running) {
      std::vector<Trial> alone{*trial};
      runTrials(program, alone, optLevel, random);
      *trial = alone[0];
    }
    return;
  }
  Loaded loaded(*artefact);
  size_t first = 0;
  for (auto &[trial, steps] : running) {
    std::vector<interp::Tensor> results;
    trial->wrong = run(program, loaded, first, artefact->entries, steps, results, random);
    first += steps.size();
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

kernel::ScheduleAttr fuzz::reduceTrial(Program &program, const Trial &trial, unsigned optLevel) {
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
    runTrials(program, one, optLevel, random);
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
