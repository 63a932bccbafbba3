// tensor-compile: from a model or a program at any stage to a module, or to a stage's IR.
#include "Options.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/LoopTree.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Tool.h"
#include "tw/Support/Workers.h"

#include "mlir/IR/MLIRContext.h"

static int run(int argc, char **argv) {
  int status = 0;
  std::optional<Options> options = parseCommandLine(argc, argv, status);
  if (!options)
    return status;
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tw::readProgram(&context, options->input, options->import);
  if (!module)
    return 1;
  tw::FileResolver files =
      options->weights.empty()
          ? tw::FileResolver::around(options->input, options->import.followLinks)
          : tw::FileResolver(options->weights, "", options->import.followLinks);
  if (options->to) {
    if (failed(tw::compileTo(*module, *options->to, options->compile, &files)))
      return 1;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!options->writesLoops) {
      tw::nameFilesFrom(*module, files, tw::getOutputFolder(options->output));
      os << *module << "\n";
    } else if (failed(tw::schedule::printLoopTrees(*module, os))) {
      return 1;
    }
    llvm::Error error =
        tw::writeFileAtomically(options->output.empty() ? "-" : options->output, text);
    return error ? tw::fail(std::move(error), tw::Code::T0601) : 0;
  }
  tw::Workers workers(/*count=*/0);
  options->compile.moduleFolder = tw::getOutputFolder(options->output);
  tw::CompileReport report;
  auto bytes = tw::compile(*module, files, options->compile, &report);
  if (failed(bytes))
    return 1;
  if (!options->output.empty())
    if (llvm::Error error = tw::writeFileAtomically(options->output, *bytes))
      return tw::fail(std::move(error), tw::Code::T0601);
  if (options->explainText)
    report.explain(llvm::outs());
  if (options->explainFusion)
    report.explainFusion(llvm::outs());
  if (options->report && options->reportJson)
    report.printJson(llvm::outs());
  else if (options->report)
    report.print(llvm::outs());
  return 0;
}

int main(int argc, char **argv) {
  return tw::runTool("tensor-compile", argc, argv, [&] { return run(argc, argv); });
}
