// The named stages of the flow from a tensor program to the programs of a target.
//
// Each stage is the passes that lead to it from the one before, as pipeline text that tensor-opt
// takes too. Tools stop after a stage, start at one, and dump the IR at each.
#pragma once

#include "tw/Support/FileResolver.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/LLVM.h"

#include <functional>
#include <optional>
#include <string>

namespace tw {

struct Stage {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Passes on the module; `$target`, `$schedule`, `$recompute`, `$arena`, `$split`, `$initializer`
  /// and
  /// `$files` are replaced.
  llvm::StringLiteral pipeline;
  /// Dialects that a program at this stage may hold, and ops of theirs that it may not.
  llvm::StringLiteral dialects;
  llvm::StringLiteral removed = "";
};

/// The stages in order: graph, view, kernel, schedule, launch, tile, and those that are registered.
llvm::ArrayRef<Stage> getStages();

/// Adds a stage of a program that embeds the compiler, right behind the one of that name; in the
/// place of an earlier one of its own name, if there is one. False if there is no such stage.
/// Before anything compiles: the list has no lock.
bool registerStage(const Stage &stage, llvm::StringRef after);

/// The stage after the last one, which is each target's own: kernels alone, as the target's code
/// generator takes them.
inline constexpr llvm::StringLiteral codeStageName = "code";
/// Not a stage but what to write of stage launch: the loops that its kernels become.
inline constexpr llvm::StringLiteral loopsName = "loops";
unsigned codeStage();

/// The position of the stage of this name, codeStage for "code"; that of its dialect ("tkernel")
/// will do.
std::optional<unsigned> findStage(llvm::StringRef name);

/// The names of all stages, codeStageName the last.
llvm::SmallVector<llvm::StringRef> getStageNames();

/// The stage a program is at, by the ops it holds: the latest stage whose passes are not needed any
/// more.
unsigned detectStage(mlir::ModuleOp module);

/// What the stages need to know of the target.
struct StageOptions {
  std::string target = "host";
  std::string schedulePass = "kernel-schedule";
  /// What joins kernels by price; empty for none.
  std::string joinPass = "kernel-join";
  /// What computes in all readers what several read, by price; empty for none.
  std::string inlinePass = "kernel-inline-shared";
  /// What orders the dimensions of tensors between kernels by price; empty for none.
  std::string layoutPass = "kernel-layout";
  /// What readies products and the dimensions of tensors for the target's matrix units; empty for
  /// none.
  std::string orderPass;
  /// What computes again what there is no memory to keep; empty for none.
  std::string recomputePass;
  /// Fuse kernels by rules; else an op is a kernel.
  bool fuse = true;
  /// Bytes that a buffer may span on any of the targets; larger weights are split.
  uint64_t maxBinding = UINT64_MAX;
  /// Have an initializer compute what depends on constants alone.
  bool initializer = true;
  /// Options of launch-plan-arena: the limits of the target's memory.
  std::string arenaOptions;
  /// Options of launch-copy-parts: what places of parts the target's devices can bind.
  std::string partsOptions;
  /// Where small constants in files are read from to be folded, as of FileResolver; without a
  /// folder they are left alone.
  std::string folder, namedFile;
  bool followLinks = false;
  /// Weights in files are finite, whatever the files are when the program is loaded.
  bool finiteFiles = false;
  /// Asked before and after each stage; true ends with a failure and no diagnostic.
  std::function<bool()> cancelled = {};

  void setFiles(const FileResolver &files);
};

/// Each stage with its summary and its pipeline.
void printStages(llvm::raw_ostream &os);

/// Checks that the program holds only what a program at the stage may; one error per op name, at
/// its first occurrence, says so.
mlir::LogicalResult verifyStage(mlir::ModuleOp module, unsigned stage);

/// Called after each stage with the module as it then is and the time that the stage took.
using StageObserver = std::function<mlir::LogicalResult(unsigned stage, double milliseconds)>;

/// The pipeline text of a stage for a target.
std::string getPipelineText(const Stage &stage, const StageOptions &options);

/// Adds the passes of a stage to a manager of builtin.module. Fails, with the reason in `errors`,
/// where a pass or an option of the stage's text is not known.
mlir::LogicalResult buildStage(mlir::OpPassManager &passes, const Stage &stage,
                               const StageOptions &options, llvm::raw_ostream &errors);

/// "; did you mean 'graph-to-view'?" of what MLIR says of the text of a pipeline, where it names
/// something like a pass of the stages; else empty.
std::string suggestPass(llvm::StringRef message);

/// Runs the stages from `from` up to and including `to`, and checks each border, the first one
/// included. Errors are diagnostics.
mlir::LogicalResult runStages(mlir::ModuleOp module, unsigned from, unsigned to,
                              const StageOptions &options, const StageObserver &observer = {});

} // namespace tw
