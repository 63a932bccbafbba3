// Kernels under test: compiling schedules of them in batches, and running those in guarded memory.
#pragma once

#include "Draw.h"

#include "tw/Interpreter/Tensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tw::fuzz {

/// A kernel with inputs, and what it gives without a schedule.
struct Program {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  kernel::KernelOp kernel;
  std::vector<interp::Tensor> inputs;
  /// By the interpreter, and by the host without a schedule.
  std::vector<interp::Tensor> reference, unscheduled;
};

/// A schedule and what became of it.
struct Trial {
  kernel::ScheduleAttr schedule;
  bool exact = false;
  /// Why lowering refused it; it does not run.
  std::string refusal;
  /// What is wrong; empty: nothing.
  std::string wrong;
};

/// The kernels of a file, each alone with inputs drawn from `random`; those that are too large or
/// that the host does not take are left out.
bool readPrograms(const std::string &path, mlir::MLIRContext &context, Random &random,
                  std::vector<Program> &programs);

/// Compiles all trials of a program as one module, runs each, and compares.
void runTrials(Program &program, std::vector<Trial> &trials, Random &random);

/// The fewest primitives of the trial with which it is still wrong.
kernel::ScheduleAttr reduceTrial(Program &program, const Trial &trial);

/// A schedule as text.
std::string toText(kernel::ScheduleAttr schedule);

} // namespace tw::fuzz
