// tensor-translate: imports models of other formats, prints what a module holds, and what code a
// target makes of a program.
#include "tw/Format/Describe.h"
#include "tw/Import/Importer.h"
#include "tw/Import/StableHLO/StableHLO.h"
#include "tw/Pipeline/Emit.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ReadFile.h"
#include "tw/Support/Similar.h"
#include "tw/Support/Tool.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("import");
static cl::opt<std::string> importProgram("import",
                                          cl::desc("the program to import, by its ending"),
                                          cl::value_desc("model.onnx or program.stablehlo.mlir"),
                                          cl::cat(category));
static cl::opt<std::string> importOnnx("import-onnx", cl::desc("the ONNX model to import"),
                                       cl::value_desc("model.onnx"), cl::cat(category));
static cl::list<std::string> symbols("symbol",
                                     cl::desc("size of a symbolic dimension (otherwise 1)"),
                                     cl::value_desc("NAME=SIZE"), cl::cat(category));
static cl::list<std::string>
    assumptions("assume", cl::desc("value of an input where a result's shape depends on it"),
                cl::value_desc("NAME=tensor.pb"), cl::cat(category));
static cl::opt<bool>
    followLinks("follow-links",
                cl::desc("read weights also where symbolic links lead out of the model's folder"),
                cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("output file (default: standard output)"),
                                   cl::value_desc("out.mlir"), cl::init("-"), cl::cat(category));

static cl::opt<std::string> describe("describe", cl::desc("print what a module holds"),
                                     cl::value_desc("module.twm"), cl::cat(category));
static cl::opt<bool> sources("sources", cl::desc("with --describe: the kernels' sources too"),
                             cl::cat(category));

static cl::opt<std::string> input(cl::Positional, cl::desc("<model.onnx or program.mlir>"),
                                  cl::cat(category));
static cl::opt<std::string> emit("emit",
                                 cl::desc("print the code that a target makes of the program"),
                                 cl::value_desc("FORM"), cl::cat(category));
static cl::opt<std::string>
    targetName("target", cl::desc("with --emit: the target (default: that of the form)"),
               cl::value_desc("NAME[:CHIP]"), cl::cat(category));
static cl::opt<std::string>
    from("from", cl::desc("with --emit: the stage the program is at (default: found out)"),
         cl::value_desc("STAGE"), cl::cat(category));
static cl::opt<unsigned>
    optimize("O", cl::desc("with --emit: effort of the code generator, 0 to 3 (default: 3)"),
             cl::Prefix, cl::init(3), cl::cat(category));
static cl::opt<bool>
    deterministic("deterministic",
                  cl::desc("with --emit: the same bits on every target, as of tensor-compile"),
                  cl::cat(category));
static cl::opt<bool> listForms("list-forms", cl::desc("the forms of --emit, by target"),
                               cl::cat(category));

static cl::opt<bool> listOperators("list-onnx-operators",
                                   cl::desc("the operators that --import-onnx knows"),
                                   cl::cat(category));

static cl::opt<bool> listStableHlo("list-stablehlo-ops",
                                   cl::desc("the ops of StableHLO that --import knows"),
                                   cl::cat(category));

using tw::fail;

static int describeModule() {
  auto file = tw::mapFile(describe);
  if (!file)
    return fail(llvm::toString(file.takeError()), tw::Code::T0603);
  llvm::StringRef bytes = (*file)->getBuffer();
  tw::format::DescribeOptions options;
  options.sources = sources;
  tw::format::Error error;
  std::string text;
  if (!tw::format::describeModule({bytes.bytes_begin(), bytes.size()}, options, text, error))
    return fail(describe + ": " + error.section + " at byte " + llvm::Twine(error.offset) + ": " +
                    error.message,
                tw::Code::T0609);
  if (llvm::Error failure = tw::writeFileAtomically(output, text))
    return fail(llvm::toString(std::move(failure)), tw::Code::T0601);
  return 0;
}

static int printForms() {
  for (const tw::Target *target : tw::allTargets())
    for (const tw::EmitForm &form : target->forms)
      llvm::outs() << form.name << " (" << target->name << ")\n  " << form.summary << "\n";
  return 0;
}

/// The exit status, 0 if all is well.
static int parseImportOptions(tw::onnx::ImportOptions &options) {
  options.followLinks = followLinks;
  std::string problem;
  for (const std::string &entry : symbols)
    if (!tw::onnx::addImportOption("symbol=" + entry, options, problem))
      return fail("--symbol=" + entry + ": expected NAME=SIZE", tw::Code::T0602);
  for (const std::string &entry : assumptions)
    if (!tw::onnx::addImportOption("assume=" + entry, options, problem))
      return fail("--assume=" + entry + ": expected NAME=tensor.pb", tw::Code::T0602);
  return 0;
}

static int emitProgram() {
  if (input.empty())
    return fail("no input; give a model.onnx or a program.mlir", tw::Code::T0602);
  if (optimize > 3)
    return fail("-O" + llvm::Twine(optimize) + ": expected 0 to 3", tw::Code::T0602);
  tw::CompileOptions options;
  options.target = targetName;
  options.optimize = optimize;
  options.deterministic = deterministic;
  if (targetName.empty()) {
    const tw::Target *target = tw::findTargetOfForm(emit);
    llvm::SmallVector<llvm::StringRef> known;
    for (const tw::Target *candidate : tw::allTargets())
      for (const tw::EmitForm &form : candidate->forms)
        known.push_back(form.name);
    if (!target)
      return fail("no target has a form '" + emit + "'" + tw::listKnown(emit, known),
                  tw::Code::T0509);
    options.target = target->name.str();
  }
  if (!from.empty() && !(options.from = tw::findStage(from)))
    return fail("--from=" + from + ": no such stage" + tw::listKnown(from, tw::getStageNames()),
                tw::Code::T0602);
  tw::onnx::ImportOptions import;
  if (int status = parseImportOptions(import))
    return status;
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = tw::readProgram(&context, input, import);
  if (!module)
    return 1;
  tw::FileResolver files = tw::FileResolver::around(input, followLinks);
  mlir::FailureOr<std::string> text = tw::emitCode(*module, emit, options, &files);
  if (failed(text))
    return 1;
  if (llvm::Error error = tw::writeFileAtomically(output, *text))
    return fail(llvm::toString(std::move(error)), tw::Code::T0601);
  return 0;
}

static int run(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  if (!tw::parseCommandLine(
          argc, argv, "Imports models as MLIR, describes modules, prints the code of targets\n"))
    return 2;
  if (listForms)
    return printForms();
  if (listOperators) {
    tw::onnx::printOperators(llvm::outs());
    return 0;
  }
  if (listStableHlo) {
    tw::stablehlo::printOps(llvm::outs());
    return 0;
  }
  if (!emit.empty())
    return emitProgram();
  if (!describe.empty())
    return describeModule();
  const tw::Importer *importer = tw::findImporter(importProgram);
  if (!importProgram.empty() && !importer)
    return fail(importProgram + ": expected a name that ends in .onnx or .stablehlo.mlir",
                tw::Code::T0602);
  std::string source = importer ? importProgram : importOnnx;
  if (source.empty())
    return fail("nothing to do; give --import=PROGRAM, --describe=module.twm, or --emit=FORM",
                tw::Code::T0602);
  tw::onnx::ImportOptions options;
  if (int status = parseImportOptions(options))
    return status;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = importer
                                                 ? importer->read(context, source, options)
                                                 : tw::onnx::importModel(context, source, options);
  if (!module)
    return 1;
  tw::nameFilesFrom(*module, tw::FileResolver::around(source), tw::getOutputFolder(output));
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  if (llvm::Error error = tw::writeFileAtomically(output, text))
    return fail(llvm::toString(std::move(error)), tw::Code::T0601);
  return 0;
}

int main(int argc, char **argv) {
  return tw::runTool("tensor-translate", argc, argv, [&] { return run(argc, argv); });
}
