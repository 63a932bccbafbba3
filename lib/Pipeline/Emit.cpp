// Prints the code that a target makes of a program.
#include "tw/Pipeline/Emit.h"

#include "TargetList.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tw;

const Target *tw::findTargetOfForm(StringRef form) {
  for (const Target *target : allTargets())
    if (llvm::any_of(target->forms, [&](const EmitForm &known) { return known.name == form; }))
      return target;
  return nullptr;
}

FailureOr<std::string> tw::emitCode(ModuleOp module, StringRef form, const CompileOptions &options,
                                    const FileResolver *files) {
  CodeForOthers defects(*module.getContext(), Code::T0515);
  auto [name, chip] = StringRef(options.target).split(':');
  const Target *target = findTarget(name);
  bool threads = !module.getOps<gpu::GPUModuleOp>().empty();
  // compileTo reports what is wrong with the target's name.
  if ((!threads || !target) && failed(compileTo(module, getStages().size() - 1, options, files)))
    return failure();
  SmallVector<StringRef> known;
  for (const EmitForm &candidate : target->forms) {
    if (candidate.name != form) {
      known.push_back(candidate.name);
      continue;
    }
    // compileTo has looked at the chip.
    if ((threads && !chip.empty() && failed(checkChip(module.getLoc(), *target, chip))) ||
        failed(verifyForTarget(module, *target)))
      return failure();
    TargetOptions forTarget = {chip.str(), options.optimize};
    forTarget.deterministic = options.deterministic;
    return candidate.emit(module, forTarget);
  }
  if (known.empty())
    return tw::emitError(module.getLoc(), Code::T0509)
           << "target '" << name << "' prints its code in no form";
  return tw::emitError(module.getLoc(), Code::T0509)
         << "target '" << name << "' has no form '" << form << "'" << listKnown(form, known);
}
