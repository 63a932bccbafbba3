// Kernels under test: their inputs, and what they give without a schedule.
#pragma once

#include "Exact.h"

#include "tw/Interpreter/Tensor.h"
#include "tw/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tw::fuzz {

/// How kernels are read and compiled.
struct Settings {
  /// The chip of the host, and the level of LLVM's optimiser.
  TargetOptions target;
  /// Points of a kernel: what is interpreted, and computed by tiles of one element.
  int64_t mostPoints = 400000;
  /// Vectors that the ops of a schedule's tile programs make: what compiling takes grows with it.
  int64_t mostVectors = 300;
  /// Kernels that a schedule makes get the strategies' schedules, not none.
  bool strategies = false;
};

/// What a kernel is given, and what it gives without a schedule.
struct Call {
  /// By symbol, the sizes that it settles.
  llvm::StringMap<int64_t> sizes;
  std::vector<interp::Tensor> inputs;
  /// By the interpreter, and by the host without a schedule.
  std::vector<interp::Tensor> reference, unscheduled;

  /// The size at this call.
  int64_t evaluate(const Dim &size) const;
};

/// A kernel under test; of one whose sizes calls settle there are several calls.
struct Program {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  kernel::KernelOp kernel;
  /// What the file gives the kernel; null for none.
  kernel::ScheduleAttr own;
  std::vector<Call> calls;
};

/// The kernels of a file, each alone with inputs drawn from `random`; those that are too large or
/// that the host does not take are left out.
bool readPrograms(const std::string &path, mlir::MLIRContext &context, const Settings &settings,
                  Random &random, std::vector<Program> &programs);

} // namespace tw::fuzz
