// From the llvm dialect to a checked, linked image: LLVM's optimiser and code generator in process.
#include "tw/Target/Common/CodeGeneration.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/Image.h"

#include "InstructionSet.h"
#include "Link.h"
#include "ObjectCheck.h"
#include "OrderForRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <chrono>
#include <memory>

using namespace mlir;
using namespace tw::host;

namespace {

/// What LLVM's O3 does to kernels, in its order: without the passes that change next to none of
/// them, which take two fifths of its time. Kernels are vectors already, call nothing, and keep
/// nothing on the stack.
constexpr llvm::StringLiteral hostPasses =
    "function<eager-inv>(simplifycfg,early-cse<>),ipsccp,"
    "function<eager-inv>(instcombine<max-iterations=1;no-verify-fixpoint>),always-inline,"
    "function<eager-inv>("
    "early-cse<memssa>,jump-threading,correlated-propagation,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg<switch-range-to-icmp>,"
    "reassociate,"
    "loop-mssa(loop-instsimplify,licm<no-allowspeculation>,loop-rotate<header-duplication>,"
    "licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg<switch-range-to-icmp>,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "loop(indvars,loop-unroll-full),vector-combine,gvn<>,sccp,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,jump-threading,correlated-propagation,"
    "loop(loop-deletion),"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;"
    "no-keep-loops;hoist-common-insts;sink-common-insts>,"
    "slp-vectorizer,vector-combine,loop-unroll<O3>,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-loads-stores-with-cond-faulting;"
    "speculate-unpredictables>)";

void prepareFunctions(llvm::Module &module, llvm::ArrayRef<std::string> kernels,
                      const Description &cpu) {
  for (llvm::GlobalVariable &global : module.globals()) {
    global.setLinkage(llvm::GlobalValue::InternalLinkage);
    global.setDSOLocal(true);
  }
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    bool kernel = llvm::is_contained(kernels, function.getName());
    function.setLinkage(kernel ? llvm::GlobalValue::ExternalLinkage
                               : llvm::GlobalValue::InternalLinkage);
    if (kernel)
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    function.setDSOLocal(true);
    tw::codegen::forbidLibraryCalls(function);
    // A switch must not become a table of addresses.
    function.addFnAttr("no-jump-tables", "true");
    function.addFnAttr("prefer-vector-width", std::to_string(cpu.lanes() * 32));
  }
}

/// The location to blame for a problem in `function`, a kernel or something a kernel uses.
Location locationOf(ModuleOp module, StringRef function) {
  if (auto op = module.lookupSymbol<LLVM::LLVMFuncOp>(function))
    return op.getLoc();
  return module.getLoc();
}

/// Milliseconds of each step.
class Steps {
public:
  void end(llvm::StringLiteral name) {
    auto now = std::chrono::steady_clock::now();
    milliseconds.push_back({name, std::chrono::duration<double, std::milli>(now - start).count()});
    start = now;
  }
  std::vector<std::pair<llvm::StringLiteral, double>> milliseconds;

private:
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

/// Translates, optimises, and writes an object or assembly.
LogicalResult generate(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                       const CodegenOptions &options, llvm::CodeGenFileType type, Description &cpu,
                       llvm::SmallVectorImpl<char> &output, Steps &steps,
                       llvm::StringMap<tw::codegen::SpillCounts> *spills) {
  std::string error;
  if (!describeCpu(options.cpu, cpu, error))
    return tw::emitError(module.getLoc(), tw::Code::T0401) << error;
  for (const std::string &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
    if (!function || function.isExternal())
      return tw::emitError(module.getLoc(), tw::Code::T0402)
             << "no function '" << kernel << "' to make a kernel of";
  }

  // A function's section names it, so that an import can be reported with its kernel.
  std::unique_ptr<llvm::TargetMachine> machine =
      tw::codegen::makeMachine({cpu.set->triple, cpu.llvmCpu, cpu.llvmFeatures, options.optLevel,
                                /*functionSections=*/true, cpu.set->codeModel});
  if (!machine)
    return tw::emitError(module.getLoc(), tw::Code::T0401)
           << "this build of LLVM has no code generator for " << cpu.set->triple;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule = tw::codegen::translate(module, context, *machine);
  if (!llvmModule)
    return tw::emitError(module.getLoc(), tw::Code::T0402) << "cannot be translated to LLVM IR";
  prepareFunctions(*llvmModule, kernels, cpu);
  steps.end("translate");
  bool hasMaskRegisters = cpu.set->getVectors(cpu.features).hasMaskRegisters;
  auto addLast = [&](llvm::ModulePassManager &passes) {
    if (options.optLevel > 0)
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(OrderForRegistersPass(
          unsigned(cpu.traits.registers), hasMaskRegisters, cpu.set->hasMemoryOperands)));
  };
  tw::codegen::optimise(*llvmModule, *machine, options.optLevel,
                        options.optLevel > 1 ? hostPasses : llvm::StringLiteral(""), addLast);
  steps.end("optimise");
  if (!tw::codegen::emit(*llvmModule, *machine, type, output, spills))
    return tw::emitError(module.getLoc(), tw::Code::T0402)
           << "LLVM cannot write code for " << options.cpu;
  steps.end("generate");
  return success();
}

} // namespace

FailureOr<Image> tw::host::compileToImage(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                          const CodegenOptions &options) {
  Description cpu;
  llvm::SmallVector<char, 0> object;
  Steps steps;
  llvm::StringMap<codegen::SpillCounts> spills;
  if (failed(generate(module, kernels, options, llvm::CodeGenFileType::ObjectFile, cpu, object,
                      steps, &spills)))
    return failure();
  StringRef objectBytes(object.data(), object.size());
  bool good = checkObject(objectBytes, [&](StringRef function, const std::string &message) {
    tw::CodedDiagnostic diagnostic = tw::emitError(locationOf(module, function), tw::Code::T0403);
    if (!function.empty())
      diagnostic << "kernel '" << function << "': ";
    diagnostic << message;
  });
  if (!good)
    return failure();
  Image image;
  std::string error;
  if (!linkFlat(objectBytes, kernels, image, error))
    return tw::emitError(module.getLoc(), tw::Code::T0404) << error;
  steps.end("link");
  image.features = cpu.features;
  image.milliseconds = std::move(steps.milliseconds);
  for (ImageEntry &entry : image.entries) {
    codegen::SpillCounts count = spills.lookup(entry.name);
    entry.spills = count.all;
    entry.loopSpills = count.inLoops;
  }
  return image;
}

FailureOr<std::string> tw::host::compileToCode(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                               const CodegenOptions &options, bool assembly) {
  Description cpu;
  llvm::SmallVector<char, 0> code;
  Steps steps;
  if (failed(generate(module, kernels, options,
                      assembly ? llvm::CodeGenFileType::AssemblyFile
                               : llvm::CodeGenFileType::ObjectFile,
                      cpu, code, steps, nullptr)))
    return failure();
  return std::string(code.begin(), code.end());
}
