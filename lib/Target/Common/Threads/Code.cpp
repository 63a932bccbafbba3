// From lowered kernels to the text or object of a chip.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/CodeGeneration.h"
#include "tw/Target/Common/Threads.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace mlir;

namespace {

/// Functions that kernels call and do not contain: what the lowering should have expanded.
LogicalResult checkCalls(llvm::Module &code, const tw::threads::Lowered &lowered) {
  bool good = true;
  for (llvm::Function &function : code) {
    if (!function.isDeclaration() || function.isIntrinsic())
      continue;
    for (llvm::User *user : function.users()) {
      auto *call = dyn_cast<llvm::CallBase>(user);
      if (!call)
        continue;
      StringRef caller = call->getFunction()->getName();
      Location loc = lowered.module.get().getLoc();
      for (const tw::threads::Kernel &kernel : lowered.kernels)
        if (kernel.name == caller)
          loc = kernel.location;
      tw::emitError(loc, tw::Code::T0412)
          << "kernel '" << caller << "': the code calls '" << function.getName()
          << "' of a library, kernels call no functions";
      good = false;
    }
  }
  return success(good);
}

/// A barrier is convergent and yields nothing; a shuffle yields a value.
bool isBarrier(const llvm::Instruction &instruction) {
  auto *call = dyn_cast<llvm::CallBase>(&instruction);
  return call && call->isConvergent() && call->getType()->isVoidTy();
}

/// Loops with barriers stay loops: unrolled, their phases become one block in which the loads of
/// many phases come first and need more registers than there are.
void keepPhases(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (llvm::any_of(loop->blocks(),
                     [](llvm::BasicBlock *block) { return llvm::any_of(*block, isBarrier); }))
      loop->setLoopAlreadyUnrolled();
}

} // namespace

FailureOr<std::string>
tw::threads::generateCode(Lowered &lowered, const CodeOptions &options,
                          llvm::function_ref<void(llvm::Function &, const Kernel &)> prepare) {
  Location loc = lowered.module.get().getLoc();
  std::unique_ptr<llvm::TargetMachine> machine = codegen::makeMachine(
      {options.triple, options.cpu, options.features, options.optLevel, false});
  if (!machine)
    return tw::emitError(loc, Code::T0402)
           << "this build of LLVM has no code generator for " << options.triple;
  llvm::LLVMContext context;
  codegen::ErrorCollector collector(context);
  std::unique_ptr<llvm::Module> code = codegen::translate(*lowered.module, context, *machine);
  if (!code)
    return tw::emitError(loc, Code::T0402) << "cannot be translated to LLVM IR";
  for (const Kernel &kernel : lowered.kernels) {
    llvm::Function *function = code->getFunction(kernel.name);
    if (!function)
      return tw::emitError(kernel.location, Code::T0402)
             << "kernel '" << kernel.name << "' was lost on the way to LLVM IR";
    codegen::forbidLibraryCalls(*function);
    prepare(*function, kernel);
    keepPhases(*function);
  }
  codegen::optimise(*code, *machine, options.optLevel);
  if (failed(checkCalls(*code, lowered)))
    return failure();
  SmallVector<char, 0> output;
  bool written = codegen::emit(*code, *machine, options.type, output);
  for (const std::string &error : collector.getErrors())
    tw::emitError(loc, Code::T0402)
        << "LLVM cannot generate code for " << options.cpu << ": " << error;
  if (!collector.getErrors().empty())
    return failure();
  if (!written)
    return tw::emitError(loc, Code::T0402)
           << "LLVM cannot write this kind of file for " << options.cpu;
  return std::string(output.begin(), output.end());
}

std::string tw::threads::suggestSchedule(const Kernel &kernel, const TargetOptions &options) {
  std::string list = options.suggestSchedule ? options.suggestSchedule(kernel.name) : "";
  return list.empty() ? list : "; without a schedule of its own it would get " + list;
}

void tw::threads::warnOfSpills(const Kernel &kernel, const ArtefactEntry &entry, StringRef who,
                               const TargetOptions &options) {
  if (entry.spills != 0)
    mlir::emitWarning(kernel.location)
        << "kernel '" << kernel.name << "' has no room for " << entry.spills
        << " bytes of a thread in " << entry.registers << " registers, " << who
        << " says, which go to memory" << suggestSchedule(kernel, options);
}
