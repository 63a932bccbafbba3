// Asks the strategy of a target for the schedule of a kernel that has one.
#include "SuggestSchedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tw;

std::string tw::suggestSchedule(ModuleOp program, StringRef kernel, const Target &target,
                                const TargetOptions &chip) {
  auto function = program.lookupSymbol<func::FuncOp>(kernel);
  FailureOr<std::string> machine = target.getMachine(program.getLoc(), chip);
  if (!function || failed(machine))
    return "";
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  module->push_back(function.clone());
  PassManager passes(program.getContext());
  std::string pass = "kernel-schedule{replace=true " + *machine +
                     (chip.deterministic ? " deterministic=true}" : "}");
  ScopedDiagnosticHandler handler(program.getContext(), [](Diagnostic &) { return success(); });
  if (failed(parsePassPipeline(pass, passes)) || failed(passes.run(*module)))
    return "";
  auto getList = [](Operation *op) {
    kernel::ScheduleAttr list;
    op->walk([&](kernel::KernelOp each) { list = each.getScheduleAttr(); });
    return list;
  };
  kernel::ScheduleAttr list = getList(*module);
  std::string text;
  if (list && list != getList(function))
    llvm::raw_string_ostream(text) << list;
  return text;
}
