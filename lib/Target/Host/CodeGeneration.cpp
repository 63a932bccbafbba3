// From the llvm dialect to a checked, linked image: LLVM's optimiser and code generator in process.
#include "tw/Target/Common/CodeGeneration.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Workers.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/Image.h"

#include "InstructionSet.h"
#include "Link.h"
#include "ObjectCheck.h"
#include "OrderForRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

#include <chrono>
#include <memory>

using namespace mlir;
using namespace tw::host;

namespace {

/// What LLVM's O3 does to kernels, in its order: without the passes that change next to none of
/// them, which take two fifths of its time. Kernels are vectors already, call nothing, and keep
/// nothing on the stack. Loops of more than eight iterations stay loops: their bodies are tiles,
/// beside which counting is nothing, and blocks of a thousand instructions take long to make.
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
    "loop(indvars),vector-combine,gvn<>,sccp,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,jump-threading,correlated-propagation,"
    "loop(loop-deletion),"
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;"
    "no-keep-loops;hoist-common-insts;sink-common-insts>,"
    "slp-vectorizer,vector-combine,loop-unroll<O3;full-unroll-max=8>,"
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

double elapsed(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

/// Some kernels on their way from LLVM IR to code, apart from all others.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  llvm::SmallVector<char, 0> code;
  llvm::StringMap<tw::codegen::SpillCounts> spills;
  /// Milliseconds of the steps.
  double translating = 0, optimising = 0, generating = 0;
  bool isWritten = false;
};

/// The kernels and what they use, in a module of their own.
OwningOpRef<ModuleOp> cutModule(ModuleOp module, SymbolTable &symbols,
                                llvm::ArrayRef<std::string> kernels) {
  llvm::SetVector<Operation *> needed;
  for (const std::string &kernel : kernels)
    needed.insert(symbols.lookup(kernel));
  for (size_t i = 0; i < needed.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(needed[i]))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *used = symbols.lookup(use.getSymbolRef().getRootReference()))
          needed.insert(used);
  OwningOpRef<ModuleOp> part = ModuleOp::create(module.getLoc());
  (*part)->setAttrs(module->getAttrs());
  for (Operation &op : *module.getBody())
    if (needed.contains(&op))
      part->getBody()->push_back(op.clone());
  return part;
}

/// Translates the kernels of `module` for the part. MLIR does not like several of these at once.
LogicalResult translate(Part &part, ModuleOp module, llvm::ArrayRef<std::string> kernels,
                        const CodegenOptions &options, const Description &cpu) {
  auto start = std::chrono::steady_clock::now();
  // A function's section names it, so that an import can be reported with its kernel.
  part.machine =
      tw::codegen::makeMachine({cpu.set->triple, cpu.llvmCpu, cpu.llvmFeatures, options.optLevel,
                                /*functionSections=*/true, cpu.set->codeModel});
  if (!part.machine)
    return tw::emitError(module.getLoc(), tw::Code::T0401)
           << "this build of LLVM has no code generator for " << cpu.set->triple;
  part.module = tw::codegen::translate(module, part.context, *part.machine);
  if (!part.module)
    return tw::emitError(module.getLoc(), tw::Code::T0402) << "cannot be translated to LLVM IR";
  prepareFunctions(*part.module, kernels, cpu);
  part.translating = elapsed(start);
  return success();
}

/// Optimises the part, and writes its object or assembly. Touches nothing of MLIR or other parts.
void write(Part &part, const CodegenOptions &options, const Description &cpu,
           llvm::CodeGenFileType type) {
  auto start = std::chrono::steady_clock::now();
  bool hasMaskRegisters = cpu.set->getVectors(cpu.features).hasMaskRegisters;
  auto addLast = [&](llvm::ModulePassManager &passes) {
    if (options.optLevel > 0)
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(OrderForRegistersPass(
          unsigned(cpu.traits.registers), hasMaskRegisters, cpu.set->hasMemoryOperands)));
  };
  tw::codegen::optimise(*part.module, *part.machine, options.optLevel,
                        options.optLevel > 1 ? hostPasses : llvm::StringLiteral(""), addLast);
  part.optimising = elapsed(start);
  start = std::chrono::steady_clock::now();
  part.isWritten = tw::codegen::emit(*part.module, *part.machine, type, part.code, &part.spills);
  part.generating = elapsed(start);
}

/// The code of the kernels, `together` at a time.
LogicalResult generate(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                       const CodegenOptions &options, llvm::CodeGenFileType type, size_t together,
                       Description &cpu, std::vector<std::unique_ptr<Part>> &parts) {
  std::string error;
  if (!describeCpu(options.cpu, cpu, error))
    return tw::emitError(module.getLoc(), tw::Code::T0401) << error;
  SymbolTable symbols(module);
  for (const std::string &kernel : kernels) {
    auto function = symbols.lookup<LLVM::LLVMFuncOp>(kernel);
    if (!function || function.isExternal())
      return tw::emitError(module.getLoc(), tw::Code::T0402)
             << "no function '" << kernel << "' to make a kernel of";
  }
  do {
    llvm::ArrayRef<std::string> some = kernels.take_front(together);
    OwningOpRef<ModuleOp> cut;
    if (!parts.empty() || some.size() < kernels.size())
      cut = cutModule(module, symbols, some);
    parts.push_back(std::make_unique<Part>());
    if (failed(translate(*parts.back(), cut ? *cut : module, some, options, cpu)))
      return failure();
    kernels = kernels.drop_front(some.size());
  } while (!kernels.empty());
  tw::shareWork(parts.size(), [&](size_t i) { write(*parts[i], options, cpu, type); });
  for (const std::unique_ptr<Part> &part : parts)
    if (!part->isWritten)
      return tw::emitError(module.getLoc(), tw::Code::T0402)
             << "LLVM cannot write code for " << options.cpu;
  return success();
}

} // namespace

FailureOr<std::vector<KernelObject>>
tw::host::compileToObjects(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                           const CodegenOptions &options, StepTimes &times,
                           llvm::function_ref<StringRef(StringRef)> callName) {
  std::vector<KernelObject> objects;
  Description cpu;
  std::vector<std::unique_ptr<Part>> parts;
  if (failed(generate(module, kernels, options, llvm::CodeGenFileType::ObjectFile, /*together=*/1,
                      cpu, parts)))
    return failure();
  bool good = true;
  double translating = 0, optimising = 0, generating = 0;
  // Without kernels there is one part, of nothing.
  for (auto [i, part] : llvm::enumerate(parts)) {
    translating += part->translating;
    optimising += part->optimising;
    generating += part->generating;
    codegen::SpillCounts spills;
    if (i < kernels.size())
      spills = part->spills.lookup(kernels[i]);
    objects.push_back(
        {std::string(part->code.begin(), part->code.end()), spills.all, spills.inLoops});
    good &= checkObject(objects.back().code, [&](StringRef function, const std::string &message) {
      tw::CodedDiagnostic diagnostic = tw::emitError(locationOf(module, function), tw::Code::T0403);
      if (!function.empty())
        diagnostic << "kernel '" << callName(function) << "': ";
      diagnostic << message;
    });
  }
  if (!good)
    return failure();
  times = {{"translate", translating}, {"optimise", optimising}, {"generate", generating}};
  return objects;
}

FailureOr<Image> tw::host::linkToImage(Location location,
                                       llvm::ArrayRef<const KernelObject *> objects,
                                       llvm::ArrayRef<std::string> symbols,
                                       const CodegenOptions &options) {
  Image image;
  std::string error;
  Description cpu;
  if (!describeCpu(options.cpu, cpu, error))
    return tw::emitError(location, tw::Code::T0401) << error;
  auto start = std::chrono::steady_clock::now();
  llvm::SmallVector<StringRef> codes;
  for (const KernelObject *object : objects)
    codes.push_back(object->code);
  if (!linkFlat(codes, symbols, image, error))
    return tw::emitError(location, tw::Code::T0404) << error;
  image.features = cpu.features;
  image.milliseconds = {{"link", elapsed(start)}};
  for (auto [entry, object] : llvm::zip(image.entries, objects)) {
    entry.spills = object->spills;
    entry.loopSpills = object->loopSpills;
  }
  return image;
}

FailureOr<Image> tw::host::compileToImage(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                          const CodegenOptions &options) {
  StepTimes times;
  auto objects =
      compileToObjects(module, kernels, options, times, [](StringRef name) { return name; });
  if (failed(objects))
    return failure();
  auto pointers = llvm::map_to_vector(*objects, [](const KernelObject &object) { return &object; });
  FailureOr<Image> image = linkToImage(module.getLoc(), pointers, kernels, options);
  if (succeeded(image))
    image->milliseconds.insert(image->milliseconds.begin(), times.begin(), times.end());
  return image;
}

FailureOr<std::string> tw::host::compileToCode(ModuleOp module, llvm::ArrayRef<std::string> kernels,
                                               const CodegenOptions &options, bool assembly) {
  Description cpu;
  std::vector<std::unique_ptr<Part>> parts;
  if (failed(generate(module, kernels, options,
                      assembly ? llvm::CodeGenFileType::AssemblyFile
                               : llvm::CodeGenFileType::ObjectFile,
                      /*together=*/SIZE_MAX, cpu, parts)))
    return failure();
  const llvm::SmallVectorImpl<char> &code = parts.front()->code;
  return std::string(code.begin(), code.end());
}
