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
  /// What the file gives the kernel; null for none.
  kernel::ScheduleAttr own;
  std::vector<interp::Tensor> inputs;
  /// By the interpreter, and by the host without a schedule.
  std::vector<interp::Tensor> reference, unscheduled;
};

/// A schedule and what became of it.
struct Trial {
  kernel::ScheduleAttr schedule;
  /// As `Drawn` says.
  llvm::SmallVector<std::pair<llvm::StringRef, bool>> admits;
  bool exact = false;
  /// It would take long to compile, and is left out.
  bool tooLarge = false;
  /// What is wrong; empty: nothing. What the checks let through must lower, compile and run.
  std::string wrong;
};

/// The kernels of a file, each alone with inputs drawn from `random`; those that are too large or
/// that the host does not take are left out.
bool readPrograms(const std::string &path, mlir::MLIRContext &context, Random &random,
                  std::vector<Program> &programs);

/// Compiles all trials of a program as one module, with LLVM's optimiser at that level, runs each,
/// and compares.
void runTrials(Program &program, std::vector<Trial> &trials, unsigned optLevel, Random &random);

/// The fewest primitives of the trial with which it is still wrong.
kernel::ScheduleAttr reduceTrial(Program &program, const Trial &trial, unsigned optLevel);

/// For a handler of signals: goes on after the launch that caused the signal, whose trial is then
/// wrong. Returns, false, when no code under test runs.
bool recoverFrom(int signal);

/// A schedule as text.
std::string toText(kernel::ScheduleAttr schedule);

} // namespace tw::fuzz
