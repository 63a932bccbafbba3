// A small compiler with a dialect of its own that leaves tensors to Tensorwright: it lowers its ops
// to tgraph through the front end, keeps what is not a tensor program, and takes the kernels back
// in its own module, as calls of a program, and as code of the llvm dialect.
//
// Usage: ledger-compiler PROGRAM.mlir [MODULE.twm]
#include "tw/Frontend/Bridge.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "LedgerDialect.h.inc"
#define GET_OP_CLASSES
#include "LedgerOps.h.inc"

#include "LedgerDialect.cpp.inc"
#define GET_OP_CLASSES
#include "LedgerOps.cpp.inc"

using namespace mlir;

void ledger::LedgerDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "LedgerOps.cpp.inc"
      >();
}

/// ledger.weighted_sum as a tensor program of its own, in `programs`: relu(matmul(amounts,
/// weights)).
static void buildProgram(tw::fe::Module &programs, const std::string &name,
                         ledger::WeightedSumOp op) {
  tw::fe::Function f(programs, name);
  auto argument = [&](StringRef name, Value value) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    return f.argument(name.str(), tw::fe::f32, tw::fe::Shape(shape.begin(), shape.end()));
  };
  tw::fe::Value amounts = argument("amounts", op.getAmounts()),
                weights = argument("weights", op.getWeights());
  f.returns({{"sums", relu(matmul(amounts, weights))}});
}

/// Each tensor op becomes a call; what stays is the compiler's own.
static LogicalResult split(ModuleOp module, tw::fe::Module &programs) {
  SmallVector<ledger::WeightedSumOp> ops;
  module.walk([&](ledger::WeightedSumOp op) { ops.push_back(op); });
  for (auto [i, op] : llvm::enumerate(ops)) {
    std::string name = "weighted_sum_" + std::to_string(i);
    buildProgram(programs, name, op);
    if (!programs.ok())
      return failure(); // the context's handler has said why
    OpBuilder builder(op);
    auto call =
        func::CallOp::create(builder, op.getLoc(), name, op->getResultTypes(), op->getOperands());
    op->replaceAllUsesWith(call);
    auto type = builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
    builder.setInsertionPointToEnd(module.getBody());
    func::FuncOp::create(builder, op.getLoc(), name, type).setPrivate();
    op->erase();
  }
  return success();
}

/// The kernels as the llvm dialect, beside what is the compiler's own.
static LogicalResult addKernels(ModuleOp module, ModuleOp programs) {
  OwningOpRef<ModuleOp> kernels = programs.clone();
  tw::CompileOptions options;
  options.target = "host:x86-64-v3";
  if (failed(tw::compileTo(*kernels, tw::codeStage(), options)))
    return failure();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  for (Operation &op : *kernels->getBody())
    builder.clone(op);
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  tw::registerDialects(registry);
  registry.insert<ledger::LedgerDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  tw::DiagnosticPrinter printer(context, llvm::errs());
  if (argc < 2)
    return 2;
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  tw::fe::Module programs = tw::fe::makeModule(context);
  if (failed(split(*module, programs)))
    return 1;
  ModuleOp tensors = tw::fe::getModule(programs);
  llvm::outs() << "// what the compiler keeps\n"
               << *module << "\n// what Tensorwright gets\n"
               << tensors << "\n";

  // As a module that the runtime calls, all functions in one.
  tw::FileResolver files(".");
  OwningOpRef<ModuleOp> copy = tensors.clone();
  FailureOr<std::vector<uint8_t>> bytes = tw::compile(*copy, files, tw::CompileOptions());
  if (failed(bytes))
    return 1;
  if (argc > 2)
    if (llvm::Error error = tw::writeFileAtomically(
            argv[2], StringRef(reinterpret_cast<char *>(bytes->data()), bytes->size()))) {
      llvm::errs() << llvm::toString(std::move(error)) << "\n";
      return 1;
    }

  // A part of the pipeline on the compiler's own pass manager: kernels, to look at or to lower by
  // itself.
  PassManager passes(&context);
  OwningOpRef<ModuleOp> kernels = tensors.clone();
  if (failed(tw::buildPipeline(passes, tw::CompileOptions(), *tw::findStage("graph"),
                               *tw::findStage("kernel"), kernels->getLoc())) ||
      failed(passes.run(*kernels)))
    return 1;
  llvm::outs() << "// kernels\n" << *kernels << "\n";

  // As code in the compiler's own module.
  if (failed(addKernels(*module, tensors)))
    return 1;
  unsigned count = 0;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    count += !function.isExternal();
  llvm::outs() << "// " << count << " functions of the llvm dialect beside "
               << llvm::range_size(module->getOps<func::FuncOp>()) << " of func\n";
  return 0;
}
