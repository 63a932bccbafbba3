// From the llvm dialect to a checked, linked image: LLVM's optimiser and code generator in process.
#include "tw/Target/Common/CodeGeneration.h"
#include "tw/Support/ContextWorkers.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/KernelAction.h"
#include "tw/Support/Workers.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/Image.h"

#include "FenceShuffles.h"
#include "InstructionSet.h"
#include "Link.h"
#include "ObjectCheck.h"
#include "OrderForRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

#include <atomic>
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
struct CodePart {
  llvm::SmallVector<char, 0> code;
  llvm::StringMap<tw::codegen::SpillCounts> spills;
  /// Milliseconds of the steps.
  double translating = 0, optimising = 0, generating = 0;
};

/// The kernel and what it uses, in a module of its own.
OwningOpRef<ModuleOp> cutModule(ModuleOp module, SymbolTable &symbols, StringRef kernel) {
  llvm::SetVector<Operation *> needed;
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

/// Translates the kernels of `module`, optimises them, and writes their object or assembly.
LogicalResult generate(CodePart &part, ModuleOp module, llvm::ArrayRef<std::string> kernels,
                       const CodegenOptions &options, const Description &cpu,
                       llvm::CodeGenFileType type) {
  auto start = std::chrono::steady_clock::now();
  // A function's section names it, so that an import can be reported with its kernel.
  std::unique_ptr<llvm::TargetMachine> machine =
      tw::codegen::makeMachine({cpu.set->triple, cpu.llvmCpu, cpu.llvmFeatures, options.optLevel,
                                /*functionSections=*/true, cpu.set->codeModel});
  if (!machine)
    return tw::emitError(module.getLoc(), tw::Code::T0401)
           << "this build of LLVM has no code generator for " << cpu.set->triple;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated = tw::codegen::translate(module, context, *machine);
  if (!translated)
    return tw::emitError(module.getLoc(), tw::Code::T0402) << "cannot be translated to LLVM IR";
  prepareFunctions(*translated, kernels, cpu);
  part.translating = elapsed(start);

  start = std::chrono::steady_clock::now();
  bool hasMaskRegisters = cpu.set->getVectors(cpu.features).hasMaskRegisters;
  auto addLast = [&](llvm::ModulePassManager &passes) {
    if (options.optLevel == 0)
      return;
    llvm::FunctionPassManager last;
    last.addPass(OrderForRegistersPass(unsigned(cpu.traits.registers), hasMaskRegisters,
                                       cpu.set->hasMemoryOperands));
    last.addPass(FenceShufflesPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(last)));
  };
  tw::codegen::optimise(*translated, *machine, options.optLevel,
                        options.optLevel > 1 ? hostPasses : llvm::StringLiteral(""), addLast);
  part.optimising = elapsed(start);

  start = std::chrono::steady_clock::now();
  if (!tw::codegen::emit(*translated, *machine, type, part.code, &part.spills,
                         !cpu.set->isReordered))
    return tw::emitError(module.getLoc(), tw::Code::T0402)
           << "LLVM cannot write code for " << options.cpu;
  part.generating = elapsed(start);
  return success();
}

LogicalResult checkKernels(ModuleOp module, llvm::ArrayRef<std::string> kernels) {
  for (const std::string &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
    if (!function || function.isExternal())
      return tw::emitError(module.getLoc(), tw::Code::T0402)
             << "no function '" << kernel << "' to make a kernel of";
  }
  return success();
}

LogicalResult resolveCpu(const CodegenOptions &options, Location location, Description &cpu) {
  std::string error;
  if (!describeCpu(options.cpu, cpu, error))
    return tw::emitError(location, tw::Code::T0401) << error;
  return success();
}

/// As compileToObjects, of parts that have any number of kernels, begun in this order.
LogicalResult generateAll(MLIRContext &context, llvm::ArrayRef<size_t> order,
                          llvm::function_ref<LogicalResult(size_t)> generatePart) {
  tw::ContextWorkers workers(context);
  tw::codegen::loadTranslations(context);
  ParallelDiagnosticHandler diagnostics(&context);
  std::atomic<bool> good = true;
  tw::shareWork(order.size(), [&](size_t place) {
    size_t i = order[place];
    diagnostics.setOrderIDForThread(i);
    bool isMade = false;
    if (!tw::runForKernel(context, [&] { isMade = succeeded(generatePart(i)); }) || !isMade)
      good = false;
    diagnostics.eraseOrderIDForThread();
  });
  return success(good.load());
}

/// The longest first: no thread begins with one when the others are done.
std::vector<size_t> orderByLength(llvm::ArrayRef<KernelModule> kernels) {
  std::vector<std::pair<size_t, size_t>> lengths(kernels.size());
  tw::shareWork(kernels.size(), [&](size_t i) {
    size_t length = 0;
    ModuleOp(kernels[i].module)->walk([&](Operation *) { ++length; });
    lengths[i] = {length, i};
  });
  llvm::sort(lengths, [](auto &a, auto &b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  std::vector<size_t> order;
  for (auto &[length, i] : lengths)
    order.push_back(i);
  return order;
}

} // namespace

/// Says aloud what an image could not have.
static LogicalResult checkKernelObject(const KernelModule &kernel, const KernelObject &object) {
  bool isGood = checkObject(object.code, [&](StringRef function, const std::string &message) {
    tw::CodedDiagnostic diagnostic =
        tw::emitError(locationOf(kernel.module, function), tw::Code::T0403);
    if (!function.empty())
      diagnostic << "kernel '" << (function == kernel.symbol ? kernel.name : function) << "': ";
    diagnostic << message;
  });
  return success(isGood);
}

FailureOr<std::vector<KernelObject>>
tw::host::compileToObjects(llvm::ArrayRef<KernelModule> kernels, const CodegenOptions &options,
                           StepTimes &times,
                           llvm::function_ref<void(size_t, const KernelObject &)> finish) {
  std::vector<KernelObject> objects(kernels.size());
  if (kernels.empty())
    return objects;
  ModuleOp first = kernels.front().module;
  Description cpu;
  if (failed(resolveCpu(options, first.getLoc(), cpu)))
    return failure();
  std::vector<CodePart> parts(kernels.size());
  if (failed(generateAll(*first->getContext(), orderByLength(kernels), [&](size_t i) {
        const KernelModule &kernel = kernels[i];
        CodePart &part = parts[i];
        llvm::ArrayRef<std::string> names =
            kernel.symbol.empty() ? llvm::ArrayRef<std::string>() : kernel.symbol;
        if (failed(checkKernels(kernel.module, names)) ||
            failed(generate(part, kernel.module, names, options, cpu,
                            llvm::CodeGenFileType::ObjectFile)))
          return failure();
        codegen::SpillCounts spills = part.spills.lookup(kernel.symbol);
        objects[i] = {std::string(part.code.begin(), part.code.end()), spills.all, spills.inLoops};
        part.code = {};
        if (failed(checkKernelObject(kernel, objects[i])))
          return failure();
        if (finish)
          finish(i, objects[i]);
        return success();
      })))
    return failure();
  double translating = 0, optimising = 0, generating = 0;
  for (const CodePart &part : parts) {
    translating += part.translating;
    optimising += part.optimising;
    generating += part.generating;
  }
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
  if (failed(resolveCpu(options, location, cpu)))
    return failure();
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
  if (failed(checkKernels(module, kernels)))
    return failure();
  SymbolTable symbols(module);
  std::vector<OwningOpRef<ModuleOp>> cut;
  std::vector<KernelModule> parts;
  for (const std::string &kernel : kernels) {
    cut.push_back(cutModule(module, symbols, kernel));
    parts.push_back({*cut.back(), kernel, kernel});
  }
  // The linker wants an object, be it of nothing.
  if (parts.empty())
    parts.push_back({module, "", ""});
  StepTimes times;
  auto objects = compileToObjects(parts, options, times);
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
  CodePart part;
  if (failed(resolveCpu(options, module.getLoc(), cpu)) || failed(checkKernels(module, kernels)) ||
      failed(generateAll(*module->getContext(), {0}, [&](size_t) {
        return generate(part, module, kernels, options, cpu,
                        assembly ? llvm::CodeGenFileType::AssemblyFile
                                 : llvm::CodeGenFileType::ObjectFile);
      })))
    return failure();
  return std::string(part.code.begin(), part.code.end());
}
