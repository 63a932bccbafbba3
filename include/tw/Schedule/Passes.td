// Passes that give kernels their schedules.
#ifndef TW_SCHEDULE_PASSES_TD
#define TW_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelSchedulePass : Pass<"kernel-schedule"> {
  let summary = "Gives every kernel without a schedule the default one of a target";
  let description = [{
    Runs the target's strategy on each `tkernel.kernel` that has no schedule yet. Schedules that are
    there, written by hand or found in a database, are checked and kept.
  }];
  let dependentDialects = ["::tw::kernel::KernelDialect"];
  let options = [
    Option<"machine", "machine", "::tw::ScheduleMachine", "::tw::ScheduleMachine::Host",
           "what runs a program: a thread with vector registers (host), or a group of threads (gpu)",
           [{::llvm::cl::values(
             clEnumValN(::tw::ScheduleMachine::Host, "host", "a thread with vector registers"),
             clEnumValN(::tw::ScheduleMachine::Gpu, "gpu", "a group of threads"))}]>,
    Option<"lanes", "lanes", "int64_t", "16", "vector lanes of 32 bits: 16 with AVX-512, 8 with AVX2">,
    Option<"registers", "registers", "int64_t", "32", "vector registers: 32 with AVX-512, 16 with AVX2">,
    Option<"replace", "replace", "bool", "false", "replace the schedules that are there">
  ];
}

#endif
