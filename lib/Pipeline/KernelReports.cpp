// What a compilation says of its kernels: costs, schedules, and what else was thought of.
#include "KernelReports.h"
#include "Recompute.h"

#include "tw/Dialect/Kernel/Describe.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Schedule/Record.h"

using namespace mlir;
using namespace tw;

namespace {

std::string getText(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
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
LogicalResult review(kernel::KernelOp kernel, const TargetRequest &request, KernelReport &row) {
  FailureOr<ScheduleReview> review = request.target->review(kernel, request.chips.front());
  if (failed(review))
    return failure();
  row.registers = review->registers;
  row.registerBudget = review->registerBudget;
  row.counted.cycles = review->cycles;
  for (auto &[name, cycles] : review->limits)
    row.counted.limits.push_back({name.str(), cycles});
  return success();
}

/// What scheduling wrote down.
void readRecord(const schedule::Record &record, KernelReport &row) {
  (record.made ? row.madeFor : row.key) = record.kernel;
  row.byHand = record.byHand;
  bool found = false;
  for (const schedule::Candidate &candidate : record.candidates) {
    bool chosen = !found && candidate.schedule == record.schedule;
    found |= chosen;
    row.candidates.push_back({candidate.generator,
                              getText(candidate.schedule),
                              {candidate.terms.begin(), candidate.terms.end()},
                              candidate.cycles,
                              chosen});
  }
}

} // namespace

LogicalResult tw::collectKernels(ModuleOp module, const CompileOptions &options,
                                 CompiledTarget &target, TargetReport *report) {
  if (report)
    report->joins = schedule::getJoins(module);
  module->removeDiscardableAttr(schedule::joinsAttrName);
  if (report)
    report->memory = schedule::getMemory(module);
  module->removeDiscardableAttr(schedule::memoryAttrName);
  std::optional<PeakRates> rates;
  if (target.request->target->getPeakRates)
    rates = target.request->target->getPeakRates(target.request->chips.front());
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kernels = function.getOps<kernel::KernelOp>();
    if (kernels.empty())
      continue;
    kernel::KernelOp kernel = *kernels.begin();
    std::optional<schedule::Record> record = schedule::getRecord(kernel);
    kernel->removeDiscardableAttr(schedule::recordAttrName);
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
    row.recompute = countRecomputation(kernel);
    row.axes = description.getAxesText();
    if (auto schedule = kernel.getScheduleAttr()) {
      row.schedule = getText(schedule);
      for (auto [primitive, exactness] :
           llvm::zip(schedule.getPrimitives(), schedule::classify(kernel, schedule)))
        row.primitives.push_back(
            {schedule::getPrimitiveText(primitive), schedule::getName(exactness).str()});
    }
    if (record)
      readRecord(*record, row);
    if (options.explain && target.request->target->review &&
        failed(review(kernel, *target.request, row)))
      return failure();
    report->kernels.push_back(std::move(row));
  }
  return success();
}
