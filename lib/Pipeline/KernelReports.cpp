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

/// What the target says of the kernel and its schedule.
LogicalResult review(kernel::KernelOp kernel, const TargetRequest &request, const Reviews &reviews,
                     KernelReport &row) {
  FailureOr<ScheduleReview> now = request.target->review(kernel, request.chips.front());
  if (failed(now))
    return failure();
  row.registers = now->registers;
  row.registerBudget = now->registerBudget;
  row.counted = toReport(now->counted);
  auto before = reviews.find(kernel.getLoc());
  bool found = false;
  for (const ScheduleEstimate &estimate :
       before == reviews.end() ? now->candidates : before->second.candidates) {
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
    reviews.try_emplace(kernel.getLoc(), std::move(*review));
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
        failed(review(kernel, *target.request, reviews, row)))
      return failure();
    report->kernels.push_back(std::move(row));
  }
  return success();
}
