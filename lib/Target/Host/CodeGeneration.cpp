// From the llvm dialect to a checked, linked image: LLVM's optimiser and code generator in process.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/Image.h"

#include "Link.h"
#include "ObjectCheck.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

using namespace mlir;
using namespace tw::host;

namespace {

const char *const tripleName = "x86_64-unknown-linux-gnu";

std::unique_ptr<llvm::TargetMachine> makeMachine(const Description &cpu, unsigned optLevel) {
  llvm::InitializeAllAsmPrinters();
  llvm::Triple triple(tripleName);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  // A function's section names it, so that an import can be reported with its kernel.
  options.FunctionSections = true;
  // mul and add stay apart unless the program says fma: the same bits in every build.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, cpu.llvmCpu, cpu.llvmFeatures, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel(std::min(optLevel, 3u))));
}

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
    // Loops must not become calls of memcpy or memset: there is no library to call.
    function.addFnAttr("no-builtins");
    // A switch must not become a table of addresses.
    function.addFnAttr("no-jump-tables", "true");
    function.addFnAttr("prefer-vector-width", std::to_string(cpu.vectorBytes * 8));
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel > 1;
  tuning.SLPVectorization = optLevel > 1;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(optLevel, 3u)];
  llvm::ModulePassManager passes = optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                                                 : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

bool emitObject(llvm::Module &module, llvm::TargetMachine &machine,
                llvm::SmallVectorImpl<char> &object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(module);
  return true;
}

/// The location to blame for a problem in `function`, a kernel or something a kernel uses.
Location locationOf(ModuleOp module, StringRef function) {
  if (auto op = module.lookupSymbol<LLVM::LLVMFuncOp>(function))
    return op.getLoc();
  return module.getLoc();
}

} // namespace

FailureOr<Image> tw::host::compileToImage(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                          const CodegenOptions &options) {
  std::string error;
  Description cpu;
  if (!describeCpu(options.cpu, cpu, error))
    return tw::emitError(module.getLoc(), tw::Code::T0401) << error;
  for (const std::string &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
    if (!function || function.isExternal())
      return tw::emitError(module.getLoc(), tw::Code::T0402)
             << "no function '" << kernel << "' to make a kernel of";
  }

  DialectRegistry translations;
  registerBuiltinDialectTranslation(translations);
  registerLLVMDialectTranslation(translations);
  module.getContext()->appendDialectRegistry(translations);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, "kernels");
  if (!llvmModule)
    return tw::emitError(module.getLoc(), tw::Code::T0402) << "cannot be translated to LLVM IR";

  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(cpu, options.optLevel);
  if (!machine)
    return tw::emitError(module.getLoc(), tw::Code::T0401)
           << "this build of LLVM has no x86-64 code generator";
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  prepareFunctions(*llvmModule, kernels, cpu);
  optimise(*llvmModule, *machine, options.optLevel);
  llvm::SmallVector<char, 0> object;
  if (!emitObject(*llvmModule, *machine, object))
    return tw::emitError(module.getLoc(), tw::Code::T0402)
           << "LLVM cannot write an object for " << options.cpu;

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
  if (!linkFlat(objectBytes, kernels, image, error))
    return tw::emitError(module.getLoc(), tw::Code::T0404) << error;
  image.features = cpu.features;
  return image;
}
