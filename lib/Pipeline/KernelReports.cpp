// What a compilation says of its kernels: costs, schedules, and what else was thought of.
#include "KernelReports.h"

#include "tw/Dialect/Kernel/Describe.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Primitive.h"

using namespace mlir;
using namespace tw;

namespace {

std::string getText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Whether `schedule` is what is left of `candidate` once kernels were rewritten: merged axes,
/// extended operands, padding and values that are staged for all programs are then part of the
/// kernels, and what is left of a kernel whose reduction is computed in parts has a schedule of its
/// own.
bool isLeftOf(kernel::ScheduleAttr schedule, Attribute candidate) {
  if (schedule == candidate)
    return true;
  SmallVector<Attribute> rest, changed, left(schedule.getPrimitives());
  for (Attribute primitive : cast<kernel::ScheduleAttr>(candidate).getPrimitives()) {
    const schedule::Primitive &kind = schedule::getPrimitive(primitive);
    if (kind.getPhase() == schedule::Phase::Parts)
      return true;
    Attribute after = kind.getRest(primitive);
    if (after == primitive)
      rest.push_back(primitive);
    else
      changed.append({primitive, after});
  }
  llvm::erase_if(left, [&](Attribute primitive) { return llvm::is_contained(changed, primitive); });
  return rest == left;
}

CandidateReport toReport(const ScheduleEstimate &estimate) {
  CandidateReport report{estimate.strategy.str(),
                         estimate.schedule ? getText(estimate.schedule) : "",
                         {},
                         estimate.overhead,
                         estimate.cycles};
  for (auto &[name, cycles] : estimate.limits)
    report.limits.push_back({name.str(), cycles});
  return report;
}

/// Of the kernel before it was rewritten; `name` is its hint, perhaps with a number or with what a
/// part of it is called. Of kernels that share both, the first one that has its schedule. Null for
/// kernels that schedules made.
const EarlyReview *findEarly(kernel::KernelOp kernel, StringRef name, const Reviews &reviews) {
  auto found = reviews.end();
  for (StringRef rest = name; !rest.empty() && found == reviews.end();
       rest = rest.rsplit('_').first) {
    found = reviews.find({kernel.getLoc(), StringAttr::get(kernel.getContext(), rest)});
    StringRef last = rest.rsplit('_').second;
    if (last.empty() || (last != "parts" && last != "rest" && !llvm::all_of(last, llvm::isDigit)))
      break;
  }
  if (found == reviews.end())
    return nullptr;
  for (const EarlyReview &early : found->second)
    if (kernel.getScheduleAttr() &&
        llvm::any_of(early.review.candidates, [&](const ScheduleEstimate &estimate) {
          return isLeftOf(kernel.getScheduleAttr(), estimate.schedule);
        }))
      return &early;
  return &found->second.front();
}

/// Operations at their peak rate, or bytes at that of the memory that holds all of them.
int64_t getLeastCycles(kernel::KernelOp kernel, const kernel::Description &description,
                       const PeakRates &rates) {
  auto has = [&](unsigned width, TypeRange types) {
    return llvm::any_of(types, [&](Type type) {
      Type element = getElementTypeOrSelf(type);
      return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == width;
    });
  };
  double flops = has(64, kernel->getResultTypes())    ? rates.flops64
                 : has(16, kernel->getOperandTypes()) ? rates.flops16
                                                      : rates.flops32;
  auto *memory = llvm::find_if(rates.bytes,
                               [&](const auto &level) { return description.bytes <= level.first; });
  return int64_t(
      std::max(double(description.flops) / flops, double(description.bytes) / memory->second));
}

/// What the target says of the kernel and its schedule.
LogicalResult review(kernel::KernelOp kernel, StringRef name, const TargetRequest &request,
                     const Reviews &reviews, KernelReport &row) {
  FailureOr<ScheduleReview> now = request.target->review(kernel, request.chips.front());
  if (failed(now))
    return failure();
  row.registers = now->registers;
  row.registerBudget = now->registerBudget;
  row.counted = toReport(now->counted);
  const EarlyReview *early = findEarly(kernel, name, reviews);
  if (early) {
    row.key = early->key;
    row.byHand = early->byHand || !request.chips.front().scheduleFile.empty();
  }
  bool found = false;
  for (const ScheduleEstimate &estimate : early ? early->review.candidates : now->candidates) {
    CandidateReport candidate = toReport(estimate);
    candidate.chosen =
        !found && kernel.getScheduleAttr() && isLeftOf(kernel.getScheduleAttr(), estimate.schedule);
    found |= candidate.chosen;
    row.candidates.push_back(std::move(candidate));
  }
  return success();
}

} // namespace

LogicalResult tw::collectReviews(ModuleOp module, const TargetRequest &request, Reviews &reviews) {
  auto result = module.walk([&](kernel::KernelOp kernel) {
    FailureOr<ScheduleReview> review = request.target->review(kernel, request.chips.front());
    if (failed(review))
      return WalkResult::interrupt();
    StringRef hint = kernel.getSymHint().value_or("kernel");
    std::string key = (hint + " (" + kernel::describe(kernel).getAxesText() + ")").str();
    reviews[{kernel.getLoc(), StringAttr::get(kernel.getContext(), hint)}].push_back(
        {std::move(*review), std::move(key), bool(kernel.getSchedule())});
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tw::collectKernels(ModuleOp module, const CompileOptions &options,
                                 CompiledTarget &target, const Reviews &reviews,
                                 TargetReport *report) {
  std::optional<PeakRates> rates;
  if (target.request->target->getPeakRates)
    rates = target.request->target->getPeakRates(target.request->chips.front());
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kernels = function.getOps<kernel::KernelOp>();
    if (kernels.empty())
      continue;
    kernel::KernelOp kernel = *kernels.begin();
    StringRef name = function.getName();
    kernel::Description description = kernel::describe(kernel);
    target.flops[name] = description.flops;
    if (rates)
      target.leastCycles[name] = getLeastCycles(kernel, description, *rates);
    if (options.debugInfo) {
      llvm::raw_string_ostream os(target.sources[name]);
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
    if (auto schedule = kernel.getScheduleAttr()) {
      row.schedule = getText(schedule);
      for (auto [primitive, exactness] :
           llvm::zip(schedule.getPrimitives(), schedule::classify(kernel, schedule)))
        row.primitives.push_back(
            {schedule::getPrimitiveText(primitive), schedule::getName(exactness).str()});
    }
    if (options.explain && target.request->target->review &&
        failed(review(kernel, name, *target.request, reviews, row)))
      return failure();
    report->kernels.push_back(std::move(row));
  }
  return success();
}
