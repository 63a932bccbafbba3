// tensor-opt: runs passes and pipelines on .mlir files; lists and dumps the stages.
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Tool.h"

#include "mlir/IR/DialectRegistry.h"
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

static int run(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, "Tensorwright optimiser\n", registry);
  if (listStages) {
    tw::printStages(llvm::outs());
    return 0;
  }
  if (!dumpStages.empty())
    return dump(input, registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}

int main(int argc, char **argv) {
  return tw::runTool("tensor-opt", argc, argv, [&] { return run(argc, argv); });
}
