// tensor-opt: runs passes and pipelines on .mlir files; lists and dumps the stages.
#include "Help.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/View.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Nesting.h"
#include "tw/Support/ReadFile.h"
#include "tw/Support/Suggest.h"
#include "tw/Support/Tool.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

namespace cl = llvm::cl;

static cl::OptionCategory stages("Stages of Tensorwright");
static cl::opt<bool> listStages("list-stages", cl::desc("Print the stages and their passes"),
                                cl::cat(stages));
static cl::opt<std::string> dumpStages("dump-stages",
                                       cl::desc("Run all stages and write the IR after each here"),
                                       cl::value_desc("DIR"), cl::cat(stages));
static cl::opt<std::string> target("target", cl::desc("Target of --dump-stages (default: host)"),
                                   cl::init("host"), cl::cat(stages));

/// Runs the stages that the program is not past yet.
static int dump(const std::string &input, mlir::DialectRegistry &registry) {
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = tw::readProgram(&context, input);
  tw::CompileOptions options;
  options.dumpFolder = dumpStages;
  options.target = target;
  unsigned last = tw::getStages().size() - 1;
  return module && succeeded(tw::compileTo(*module, last, options)) ? 0 : 1;
}

/// Adds to what MLIR says of unknown names, before its printer has it.
static void addSuggestions(mlir::MLIRContext *context) {
  context->getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
    tw::suggest(diagnostic);
    return mlir::failure();
  });
}

/// MLIR's main makes its context and its printer itself; loading a dialect is the first that comes
/// after.
template <typename... Dialects> static void addSuggestionsWith(mlir::DialectRegistry &registry) {
  (registry.addExtension(+[](mlir::MLIRContext *context, Dialects *) { addSuggestions(context); }),
   ...);
}

/// MLIR's main but for reading and writing, which are those of the other tools.
static int runPasses(const std::string &input, const std::string &output,
                     mlir::DialectRegistry &registry) {
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldListPasses()) {
    mlir::printRegisteredPasses();
    return 0;
  }
  if (config.shouldShowDialects()) {
    llvm::outs() << "Available Dialects: ";
    llvm::interleave(registry.getDialectNames(), llvm::outs(), ",");
    llvm::outs() << "\n";
    return 0;
  }
  auto text = tw::readText(input, tw::programLimit);
  if (!text)
    return tw::fail(text.takeError(), tw::Code::T0603);
  {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    tw::DiagnosticPrinter printer(context, llvm::errs());
    if (!mlir::isBytecode(**text) &&
        failed(tw::checkNesting(&context, (*text)->getBuffer(), input)))
      return 1;
  }
  addSuggestionsWith<mlir::arith::ArithDialect, mlir::func::FuncDialect, tw::graph::GraphDialect,
                     tw::kernel::KernelDialect, tw::launch::LaunchDialect, tw::tile::TileDialect,
                     tw::view::ViewDialect>(registry);
  mlir::MlirOptMainConfig plain = config;
  config.setPassPipelineSetupFn([&](mlir::PassManager &passes) {
    addSuggestions(passes.getContext());
    return plain.setupPassPipeline(passes);
  });
  if (output == "-")
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(llvm::outs(), std::move(*text), registry, config));
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (failed(mlir::MlirOptMain(stream, std::move(*text), registry, config)))
    return 1;
  if (llvm::Error error = tw::writeFileAtomically(output, result))
    return tw::fail(std::move(error), tw::Code::T0601);
  return 0;
}

/// MLIR's main keeps its passes to one thread, as the other tools do: its pool ends the process
/// where the system gives no threads.
static std::vector<char *> addThreading(int argc, char **argv) {
  static char option[] = "--mlir-disable-threading";
  std::vector<char *> arguments(argv, argv + argc);
  bool isGiven = llvm::any_of(arguments, [](llvm::StringRef argument) {
    return argument.ltrim('-').starts_with("mlir-disable-threading");
  });
  if (!isGiven)
    arguments.insert(arguments.begin() + 1, option);
  return arguments;
}

static int run(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  mlir::registerCLIOptions("Tensorwright optimiser\n", registry);
  for (llvm::StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    llvm::StringRef name = argument.ltrim('-');
    if (argument == "--")
      break;
    if (name.size() < argument.size() && name.consume_front("help="))
      return printPassHelp(name, llvm::outs()) ? 0 : 2;
    if (argument == "--help" || argument == "-help" || argument == "-h") {
      printHelp(llvm::outs());
      return 0;
    }
  }
  std::vector<char *> arguments = addThreading(argc, argv);
  auto [input, output] = mlir::parseCLIOptions(int(arguments.size()), arguments.data(),
                                               "Runs passes and pipelines on a program\n");
  if (listStages) {
    tw::printStages(llvm::outs());
    return 0;
  }
  if (!dumpStages.empty())
    return dump(input, registry);
  return runPasses(input, output, registry);
}

int main(int argc, char **argv) {
  return tw::runTool("tensor-opt", argc, argv, [&] { return run(argc, argv); });
}
