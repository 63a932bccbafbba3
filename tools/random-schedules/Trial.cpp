// Compiles, runs and compares schedules.
#include "Trial.h"

#include "Run.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Interpreter/Compare.h"
#include "tw/Schedule/Plan.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

static std::string describe(const interp::Comparison &comparison, size_t result) {
  std::string text = "result " + std::to_string(result) + " differs: ";
  llvm::raw_string_ostream os(text);
  comparison.print(os);
  return text;
}

/// The most points that one of the kernel's reductions combines.
static int64_t countReduced(kernel::KernelOp kernel) {
  kernel::AxisSets sets(kernel);
  int64_t most = 1;
  for (Operation &op : kernel.getBody().front())
    most = std::max(most, sets.points(sets.reducedBy(&op)));
  return most;
}

/// Reassociated sums, in units of the largest element; a step of the format where that is
/// narrow. One after another so many terms are summed with half of that many units of rounding
/// wrong at most (Higham, "Accuracy and Stability of Numerical Algorithms", 4.2).
static double getBound(Type element, int64_t terms) {
  if (isa<IntegerType>(element))
    return 0;
  auto mantissa = int(cast<FloatType>(element).getFPMantissaWidth());
  if (element.isF64())
    return 1e-12;
  if (element.isF32())
    return std::max(1e-5, std::ldexp(double(terms), -mantissa - 1));
  return std::ldexp(1.0, 1 - mantissa);
}

static std::string compareAll(ArrayRef<interp::Tensor> results, ArrayRef<interp::Tensor> expected,
                              kernel::KernelOp kernel, bool exact) {
  int64_t terms = countReduced(kernel);
  for (auto [i, result] : llvm::enumerate(results)) {
    interp::Comparison comparison = interp::compare(result, expected[i]);
    if (!comparison.within(exact ? 0 : getBound(result.getElementType(), terms)))
      return describe(comparison, i);
  }
  return "";
}

static void runCall(Program &program, Call &call, Trial &trial, const Loaded &loaded, size_t first,
                    ArrayRef<Step> steps, Random &random) {
  std::vector<interp::Tensor> results;
  trial.wrong = run(call, loaded, first, steps, results, random);
  if (trial.wrong.empty())
    trial.wrong = compareAll(results, call.reference, program.kernel, /*exact=*/false);
  if (trial.wrong.empty() && trial.schedule)
    trial.wrong = compareAll(results, call.unscheduled, program.kernel, trial.exact);
  else if (trial.wrong.empty())
    call.unscheduled = std::move(results);
  if (!trial.wrong.empty())
    for (const auto &[name, size] : call.sizes)
      trial.wrong += (", " + name + " = " + Twine(size)).str();
}

void fuzz::runTrials(Program &program, std::vector<Trial> &trials, const Settings &settings,
                     Random &random) {
  OwningOpRef<ModuleOp> batch = ModuleOp::create(program.kernel.getLoc());
  std::vector<std::pair<Trial *, std::vector<Step>>> running;
  for (Trial &trial : trials) {
    std::optional<Lowered> lowered =
        lower(program.kernel, trial.schedule, "k" + std::to_string(running.size()), settings,
              trial.wrong);
    if (!lowered) {
      trial.wrong = "is legal, but refused by the lowering: " + trial.wrong;
      continue;
    }
    if (countVectors(*lowered->module) > settings.mostVectors) {
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
  FailureOr<Artefact> artefact = compileBatch(*batch, settings, refusal);
  if (failed(artefact)) {
    // Which one it is shows when each is compiled alone.
    if (running.size() == 1) {
      running[0].first->wrong = "does not compile: " + refusal;
      return;
    }
    for (auto &[trial, steps] : running) {
      std::vector<Trial> alone{*trial};
      runTrials(program, alone, settings, random);
      *trial = alone[0];
    }
    return;
  }
  Loaded loaded(*artefact);
  size_t first = 0;
  for (auto &[trial, steps] : running) {
    for (Call &call : program.calls)
      if (trial->wrong.empty())
        runCall(program, call, *trial, loaded, first, steps, random);
    first += steps.size();
  }
}

kernel::ScheduleAttr fuzz::reduceTrial(Program &program, const Trial &trial,
                                       llvm::function_ref<bool(Trial)> isWrong) {
  SmallVector<Attribute> list(trial.schedule.getPrimitives());
  auto fails = [&](ArrayRef<Attribute> primitives) {
    auto schedule = kernel::ScheduleAttr::get(trial.schedule.getContext(), primitives);
    std::string why;
    if (!schedule::isLegal(program.kernel, schedule, why))
      return false;
    Trial shorter;
    shorter.schedule = schedule;
    shorter.exact = isExact(program.kernel, schedule);
    return isWrong(shorter);
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
