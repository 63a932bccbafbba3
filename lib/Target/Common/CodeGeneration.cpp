// LLVM IR in, code out; the parts that do not depend on the chip.
#include "tw/Target/Common/CodeGeneration.h"

#include "SpillCounter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace tw::codegen {

std::unique_ptr<llvm::TargetMachine> makeMachine(const MachineOptions &options) {
  static const bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(options.triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions flags;
  flags.FunctionSections = options.functionSections;
  flags.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.cpu, options.features, flags, llvm::Reloc::PIC_, options.codeModel,
      llvm::CodeGenOptLevel(std::min(options.optLevel, 3u))));
}

bool isProcessor(llvm::StringRef triple, llvm::StringRef name) {
  MachineOptions options;
  options.triple = triple;
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(options);
  return machine && machine->getMCSubtargetInfo()->isCPUStringValid(name);
}

void loadTranslations(MLIRContext &context) {
  DialectRegistry translations;
  registerBuiltinDialectTranslation(translations);
  registerLLVMDialectTranslation(translations);
  registerNVVMDialectTranslation(translations);
  registerROCDLDialectTranslation(translations);
  context.appendDialectRegistry(translations);
}

std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                        const llvm::TargetMachine &machine) {
  loadTranslations(*module.getContext());
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context, "kernels");
  if (result) {
    result->setTargetTriple(machine.getTargetTriple());
    result->setDataLayout(machine.createDataLayout());
  }
  return result;
}

void forbidLibraryCalls(llvm::Function &function) {
  function.addFnAttr("no-builtins");
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel,
              llvm::StringRef pipeline,
              llvm::function_ref<void(llvm::ModulePassManager &)> addLast) {
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
  llvm::ModulePassManager passes;
  if (!pipeline.empty())
    cantFail(builder.parsePassPipeline(passes, pipeline));
  else
    passes = optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                           : builder.buildPerModuleDefaultPipeline(level);
  if (addLast)
    addLast(passes);
  passes.run(module, modules);
}

/// Whether the module multiplies by matrix instructions of AMD's chips, which need all lanes of
/// their wave. LLVM 22 does not say so of those of gfx11, and sinks them into branches that some
/// lanes do not take.
static bool needsWholeWaves(const llvm::Module &module) {
  return llvm::any_of(module.functions(), [](const llvm::Function &function) {
    return function.getName().starts_with("llvm.amdgcn.wmma.");
  });
}

bool emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
          llvm::SmallVectorImpl<char> &output, llvm::StringMap<SpillCounts> *spills,
          bool schedulesAgain) {
  llvm::raw_svector_ostream stream(output);
  llvm::legacy::PassManager passes;
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  bool keepsPlaces = needsWholeWaves(module);
  if (!spills && !keepsPlaces) {
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      return false;
  } else {
    // As addPassesToEmitFile, which has no place for a pass between the last one and the printer,
    // and leaves none out.
    llvm::TargetPassConfig *config = machine.createPassConfig(passes);
    auto *information = new llvm::MachineModuleInfoWrapperPass(&machine);
    config->setDisableVerify(true);
    if (!schedulesAgain)
      config->disablePass(&llvm::PostRASchedulerID);
    if (keepsPlaces)
      config->disablePass(&llvm::MachineSinkingLegacyID);
    passes.add(config);
    passes.add(information);
    if (config->addISelPasses())
      return false;
    config->addMachinePasses();
    config->setInitialized();
    if (spills)
      passes.add(new SpillCounter(*spills));
    if (machine.addAsmPrinter(passes, stream, nullptr, type, information->getMMI().getContext()))
      return false;
    passes.add(llvm::createFreeMachineFunctionPass());
  }
  passes.run(module);
  return true;
}

namespace {

class Handler : public llvm::DiagnosticHandler {
public:
  explicit Handler(std::vector<std::string> &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    errors.push_back(std::move(text));
    return true;
  }

private:
  std::vector<std::string> &errors;
};

} // namespace

ErrorCollector::ErrorCollector(llvm::LLVMContext &context) {
  context.setDiagnosticHandler(std::make_unique<Handler>(errors));
}

} // namespace tw::codegen
