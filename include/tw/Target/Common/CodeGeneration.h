// LLVM's optimiser and code generators in this process, as every target that ends in LLVM uses
// them.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace tw::codegen {

struct MachineOptions {
  llvm::StringRef triple;
  std::string cpu;
  /// LLVM's feature string: "+fma,-sha".
  std::string features;
  /// 0 to 3.
  unsigned optLevel = 3;
  /// Every function gets a section that names it.
  bool functionSections = false;
  /// None: the default of the target.
  std::optional<llvm::CodeModel::Model> codeModel = std::nullopt;
};

/// The code generator: position independent, and never fusing mul and add into fma, so that numbers
/// are the same on every target. Null if this build of LLVM lacks it.
std::unique_ptr<llvm::TargetMachine> makeMachine(const MachineOptions &options);

/// Whether LLVM knows a processor of that name.
bool isProcessor(llvm::StringRef triple, llvm::StringRef name);

/// Loads what translate() needs of MLIR into the context.
void loadTranslations(mlir::MLIRContext &context);

/// Translates a module of the llvm, nvvm and rocdl dialects, for `machine`. Null after a diagnostic
/// of MLIR's. Several may be translated at once where MLIR's context is safe for several threads
/// and has the translations.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                                        const llvm::TargetMachine &machine);

/// Keeps LLVM from turning loops of `function` into calls of a library's functions: there is none.
void forbidLibraryCalls(llvm::Function &function);

/// Runs the default pipeline of the level, 0 to 3, or `pipeline`, in LLVM's text form, without
/// knowledge of any library; behind it what `addLast` adds, where it is given.
void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel,
              llvm::StringRef pipeline = "",
              llvm::function_ref<void(llvm::ModulePassManager &)> addLast = nullptr);

/// Instructions that store to or load from what register allocation put on the stack.
struct SpillCounts {
  int64_t all = 0;
  /// Those in loops that hold no other loop.
  int64_t inLoops = 0;
};

/// Generates code: an object or assembly. False if the machine cannot write that kind of file.
/// `spills`, where there is one, gets the counts of each function; then `schedulesAgain` says
/// whether instructions are put in order after register allocation, too.
bool emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
          llvm::SmallVectorImpl<char> &output, llvm::StringMap<SpillCounts> *spills = nullptr,
          bool schedulesAgain = true);

/// Collects the errors that LLVM reports through a context, in place of printing them and exiting.
/// Must outlive what is done with the context.
class ErrorCollector {
public:
  explicit ErrorCollector(llvm::LLVMContext &context);
  /// One per error; empty if all went well.
  const std::vector<std::string> &getErrors() const { return errors; }

private:
  std::vector<std::string> errors;
};

} // namespace tw::codegen
