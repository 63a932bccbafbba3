// What a compilation says of its kernels: costs, schedules, and what else was thought of.
#include "KernelReports.h"

#include "tw/Dialect/Kernel/Describe.h"
#include "tw/Schedule/Exactness.h"

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
  auto isRewritten = [](Attribute primitive) {
    auto stage = dyn_cast<kernel::StageAttr>(primitive);
    auto edge = dyn_cast<kernel::EdgeAttr>(primitive);
    return isa<kernel::MergeAttr, kernel::WidenAttr>(primitive) || (stage && stage.getGlobal()) ||
           (edge && edge.getMode() != kernel::EdgeMode::Peel);
  };
  ArrayRef<Attribute> before = cast<kernel::ScheduleAttr>(candidate).getPrimitives();
  if (llvm::any_of(before, llvm::IsaPred<kernel::RfactorAttr>))
    return true;
  SmallVector<Attribute> rest(before), left(schedule.getPrimitives());
  llvm::erase_if(rest, isRewritten);
  llvm::erase_if(left, isRewritten);
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

/// Candidates before the kernel was rewritten; `name` is its hint, perhaps with a number or with
/// what a part of it is called. Of kernels that share both, the first one that has its schedule.
ArrayRef<ScheduleEstimate> findCandidates(kernel::KernelOp kernel, StringRef name,
                                          const Reviews &reviews) {
  auto found = reviews.end();
  for (StringRef rest = name; !rest.empty() && found == reviews.end();
       rest = rest.rsplit('_').first) {
    found = reviews.find({kernel.getLoc(), StringAttr::get(kernel.getContext(), rest)});
    StringRef last = rest.rsplit('_').second;
    if (last.empty() || (last != "parts" && last != "rest" && !llvm::all_of(last, llvm::isDigit)))
      break;
  }
  if (found == reviews.end())
    return {};
  for (const ScheduleReview &review : found->second)
    if (kernel.getScheduleAttr() &&
        llvm::any_of(review.candidates, [&](const ScheduleEstimate &estimate) {
          return isLeftOf(kernel.getScheduleAttr(), estimate.schedule);
        }))
      return review.candidates;
  return found->second.front().candidates;
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
  ArrayRef<ScheduleEstimate> candidates = findCandidates(kernel, name, reviews);
  bool found = false;
  for (const ScheduleEstimate &estimate : candidates.empty() ? now->candidates : candidates) {
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
    StringAttr hint = StringAttr::get(kernel.getContext(), kernel.getSymHint().value_or("kernel"));
    reviews[{kernel.getLoc(), hint}].push_back(std::move(*review));
    return WalkResult::skip();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tw::collectKernels(ModuleOp module, const CompileOptions &options,
                                 CompiledTarget &target, const Reviews &reviews,
                                 TargetReport *report) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kernels = function.getOps<kernel::KernelOp>();
    if (kernels.empty())
      continue;
    kernel::KernelOp kernel = *kernels.begin();
    StringRef name = function.getName();
    kernel::Description description = kernel::describe(kernel);
    target.flops[name] = description.flops;
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
