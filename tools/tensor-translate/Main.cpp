// tensor-translate: imports models of other formats, prints kernels as source text, and prints what
// a module holds.
#include "tw/Format/Describe.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/OpenCL/Language.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::OptionCategory category("import");
static cl::opt<std::string> importOnnx("import-onnx", cl::desc("the ONNX model to import"),
                                       cl::value_desc("model.onnx"), cl::cat(category));
static cl::list<std::string> symbols("symbol",
                                     cl::desc("size of a symbolic dimension (otherwise 1)"),
                                     cl::value_desc("NAME=SIZE"), cl::cat(category));
static cl::list<std::string>
    assumptions("assume", cl::desc("value of an input where a result's shape depends on it"),
                cl::value_desc("NAME=tensor.pb"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("output file (default: standard output)"),
                                   cl::value_desc("out.mlir"), cl::init("-"), cl::cat(category));

static cl::opt<std::string> toOpenCL("to-opencl-c",
                                     cl::desc("print kernels in thread form as OpenCL C"),
                                     cl::value_desc("threads.mlir"), cl::cat(category));
static cl::opt<std::string> describe("describe", cl::desc("print what a module holds"),
                                     cl::value_desc("module.twm"), cl::cat(category));
static cl::opt<bool> sources("sources", cl::desc("with --describe: the kernels' sources too"),
                             cl::cat(category));

static int fail(const llvm::Twine &message, tw::Code code) {
  llvm::errs() << "tensor-translate: error: " << tw::withCode(message, code) << "\n";
  return 1;
}

static int describeModule() {
  auto file =
      llvm::MemoryBuffer::getFile(describe, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(describe + ": " + file.getError().message(), tw::Code::T0504);
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

/// Prints the kernels of each gpu.module of a file.
static int printSource(const tw::cprinter::Language &language) {
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(toOpenCL, &context);
  if (!module)
    return 1;
  std::string text;
  for (auto kernels : module->getOps<mlir::gpu::GPUModuleOp>()) {
    mlir::FailureOr<tw::cprinter::Source> source = tw::cprinter::print(kernels, language);
    if (failed(source))
      return 1;
    text += source->text;
  }
  if (llvm::Error error = tw::writeFileAtomically(output, text))
    return fail(llvm::toString(std::move(error)), tw::Code::T0601);
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Imports models of other formats as MLIR, prints "
                              "kernels as source, describes modules\n");
  if (!describe.empty())
    return describeModule();
  if (!toOpenCL.empty())
    return printSource(tw::opencl::getLanguage());
  if (importOnnx.empty())
    return fail("nothing to do; give --import-onnx=model.onnx, --to-opencl-c=threads.mlir or "
                "--describe=module.twm",
                tw::Code::T0602);
  tw::onnx::ImportOptions options;
  for (const std::string &entry : symbols)
    if (!tw::onnx::addImportOption("symbol=" + entry, options))
      return fail("--symbol=" + entry + ": expected NAME=SIZE", tw::Code::T0116);
  for (const std::string &entry : assumptions)
    if (!tw::onnx::addImportOption("assume=" + entry, options))
      return fail("--assume=" + entry + ": expected NAME=tensor.pb", tw::Code::T0116);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = tw::onnx::importModel(context, importOnnx, options);
  if (!module)
    return 1;
  std::string text;
  llvm::raw_string_ostream(text) << *module << "\n";
  if (llvm::Error error = tw::writeFileAtomically(output, text))
    return fail(llvm::toString(std::move(error)), tw::Code::T0601);
  return 0;
}
