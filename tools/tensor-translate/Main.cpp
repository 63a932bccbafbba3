// tensor-translate: imports models of other formats.
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
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

static int fail(const llvm::Twine &message, tw::Code code) {
  llvm::errs() << "tensor-translate: error: " << tw::withCode(message, code) << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Imports models of other formats as MLIR\n");
  if (importOnnx.empty())
    return fail("no model; give one with --import-onnx=model.onnx", tw::Code::T0102);
  tw::onnx::ImportOptions options;
  for (llvm::StringRef entry : symbols) {
    auto [name, value] = entry.rsplit('=');
    int64_t size;
    if (value.getAsInteger(10, size) || size < 0)
      return fail("--symbol=" + entry + ": expected NAME=SIZE", tw::Code::T0116);
    options.symbols[name.str()] = size;
  }
  for (llvm::StringRef entry : assumptions) {
    auto [name, path] = entry.split('=');
    options.assumptions[name.str()] = path.str();
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::DiagnosticPrinter printer(context, llvm::errs());
  mlir::OwningOpRef<mlir::ModuleOp> module = tw::onnx::importModel(context, importOnnx, options);
  if (!module)
    return 1;
  if (llvm::Error error = llvm::writeToOutput(output, [&](llvm::raw_ostream &os) {
        module->print(os);
        return llvm::Error::success();
      }))
    return fail(output + ": " + llvm::toString(std::move(error)), tw::Code::T0102);
  return 0;
}
