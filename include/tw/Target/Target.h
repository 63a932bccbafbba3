// What a target is to the rest of the compiler: one struct of functions, and the list of targets.
//
// To add a target, copy lib/Target/Null and its tests, rename, and fill in the struct; the list is
// generated from tw_add_target in its CMakeLists.txt.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tw {

/// What to compile for, of all targets; each uses what means something to it.
struct TargetOptions {
  /// The processor: "native" for the machine that compiles, or a name that the target knows.
  std::string cpu = "native";
  /// 0 to 3.
  unsigned optLevel = 3;
};

/// One kernel in an artefact.
struct ArtefactEntry {
  std::string name;
  /// Where it starts in the artefact's bytes, for targets whose drivers call by address.
  uint64_t offset = 0;
  /// Points of its grid: how many programs a launch runs.
  uint64_t programs = 0;
};

/// What a target makes of the kernels of a module; one section of a module file.
struct Artefact {
  /// The format's name, for the driver: "host-image".
  std::string format;
  std::vector<uint8_t> bytes;
  /// Where code starts in `bytes`; everything before may be mapped read-only.
  uint64_t textOffset = 0;
  /// One per `ttile.func`, in the module's order.
  std::vector<ArtefactEntry> entries;
  /// Features that a device must have to run it, sorted.
  std::vector<std::string> requiredFeatures;
};

/// A target. All functions are safe to call from several threads on distinct contexts, and report
/// errors as diagnostics at the op they concern.
struct Target {
  /// The name after --target=.
  llvm::StringLiteral name;
  /// One line for --list-targets.
  llvm::StringLiteral summary;
  /// The device as JSON, the format that --target=@file reads.
  mlir::FailureOr<std::string> (*describe)(mlir::Location location, const TargetOptions &options);
  /// Element types that memory may have.
  bool (*hasElementType)(mlir::Type type);
  /// The pass that gives kernels the target's default schedules, as pipeline text.
  mlir::FailureOr<std::string> (*getSchedulePass)(mlir::Location location,
                                                  const TargetOptions &options);
  /// Adds the passes from tile form to what `compile` translates. Fails for an unknown CPU.
  mlir::LogicalResult (*buildPipeline)(mlir::OpPassManager &passes, mlir::Location location,
                                       const TargetOptions &options);
  /// Compiles the `ttile.func`s of a module, which is not changed.
  mlir::FailureOr<Artefact> (*compile)(mlir::ModuleOp module, const TargetOptions &options);
};

/// All targets, in the order of their names.
llvm::ArrayRef<const Target *> allTargets();
/// The target of that name, or null.
const Target *findTarget(llvm::StringRef name);

/// Checks that memory has only element types of `target` and kernels at most 16 buffers; one error
/// per type that is missing, at the first op with it. For any stage from graph to tile form.
mlir::LogicalResult verifyForTarget(mlir::Operation *root, const Target &target);

/// A new module with clones of the `ttile.func`s of `module`.
mlir::OwningOpRef<mlir::ModuleOp> cloneKernels(mlir::ModuleOp module);

} // namespace tw
