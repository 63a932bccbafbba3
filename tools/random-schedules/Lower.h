// From a kernel and a schedule to tile programs, and from those to code for the host.
#pragma once

#include "Program.h"

#include "mlir/IR/Diagnostics.h"

namespace tw::fuzz {

/// Keeps what diagnostics say instead of printing it.
class Collector {
public:
  explicit Collector(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            text += diagnostic.str() + "\n";
          return mlir::success();
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// A launch of the kernels that a schedule gives: the panels that are packed for all programs, then
/// the kernel.
struct Step {
  /// Inputs of the program, or results of an earlier step.
  struct Source {
    std::optional<size_t> step;
    unsigned number;
  };
  std::vector<Source> operands;
  llvm::SmallVector<mlir::Type> results;
  /// What it takes of the sizes that a call settles, and how many programs these make.
  llvm::SmallVector<Dim> scalars, grid;
  llvm::SmallVector<int64_t> gridSteps;
};

/// The tile programs of a schedule, and how they are launched.
struct Lowered {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Step> steps;
};

/// Of a function, the ranges of sizes that a call settles.
inline constexpr llvm::StringLiteral symbolsName = "tgraph.symbols";

/// A function that is the kernel alone, with the schedule, at the end of the module.
kernel::KernelOp isolate(mlir::ModuleOp module, kernel::KernelOp kernel,
                         kernel::ScheduleAttr schedule, llvm::StringRef name);

/// The tile programs of a schedule, or why there are none.
std::optional<Lowered> lower(kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                             llvm::StringRef name, const Settings &settings, std::string &refusal);

/// Vectors that the ops of tile programs make.
int64_t countVectors(mlir::ModuleOp module);

/// What the target gives for a module of tile programs.
mlir::FailureOr<Artefact> compileBatch(mlir::ModuleOp module, const Settings &settings,
                                       std::string &refusal);

} // namespace tw::fuzz
