// Builds relu(x * w) op by op, compiles it for this machine and runs it, all in one process.
//
// Usage: compile-cpp [MODULE.twm]; with a path, the module is written there too.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/AtomicFile.h"
#include "tw/Support/Diagnostics.h"
#include <twrt/twrt.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <vector>

using namespace mlir;

/// func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<2x2xf32>
static OwningOpRef<ModuleOp> build(MLIRContext &context) {
  OpBuilder builder(&context);
  Location location = builder.getUnknownLoc();
  auto tensor = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  };
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = builder.getFunctionType({tensor({2, 3}), tensor({3, 2})}, {tensor({2, 2})});
  auto function = func::FuncOp::create(builder, location, "main", type);
  builder.setInsertionPointToStart(function.addEntryBlock());
  Value product = tw::graph::ContractOp::create(builder, location, tensor({2, 2}), "mk,kn->mn",
                                                function.getArgument(0), function.getArgument(1));
  Value result = tw::graph::ReluOp::create(builder, location, product.getType(), product);
  func::ReturnOp::create(builder, location, result);
  return module;
}

/// The runtime's functions return a code and fill an error.
static TwrtError error;
static void check(TwrtCode code) {
  if (code != TWRT_OK) {
    llvm::errs() << "compile-cpp: error: " << error.message << "\n";
    std::exit(1);
  }
}

/// Runs the module's only function on the host; the last buffer is its result.
static void run(const std::vector<uint8_t> &bytes, std::vector<std::vector<float>> &arrays) {
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  error.size = sizeof error;
  check(twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error));
  check(twrtInstanceOpenDevice(instance, "host", &device, &error));
  check(twrtQueueCreate(device, &queue, &error));
  TwrtModuleOptions options{};
  options.size = sizeof options;
  options.flags = TWRT_MODULE_ALLOW_NATIVE;
  check(twrtModuleFromMemory(instance, {bytes.data(), bytes.size()}, &options, &module, &error));
  check(twrtProgramCreate(module, nullptr, &device, 1, &program, &error));
  check(twrtCallCreate(program, &call, &error));

  for (size_t i = 0; i < arrays.size(); ++i) {
    bool isResult = i == twrtProgramArgumentCount(program);
    TwrtValueInfo info{};
    info.size = sizeof info;
    check(isResult ? twrtProgramResult(program, 0, &info, &error)
                   : twrtProgramArgument(program, i, &info, &error));
    // The host computes in our memory: nothing is copied.
    TwrtBuffer *buffer = nullptr;
    check(twrtBufferImport(device, arrays[i].data(), arrays[i].size() * sizeof(float), nullptr,
                           nullptr, &buffer, &error));
    TwrtTensor tensor{sizeof tensor, info.element, info.rank, 0, buffer, 0, info.dims};
    check(isResult ? twrtCallSetResult(call, 0, &tensor, &error)
                   : twrtCallSetArgument(call, i, &tensor, &error));
    twrtBufferRelease(buffer);
  }
  TwrtPoint done;
  check(twrtCallSubmit(call, queue, nullptr, 0, &done, &error));
  check(twrtPointWait(done, UINT64_MAX, &error));

  twrtCallRelease(call);
  twrtProgramRelease(program);
  twrtModuleRelease(module);
  twrtQueueRelease(queue);
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  tw::DiagnosticPrinter printer(context, llvm::errs());

  OwningOpRef<ModuleOp> module = build(context);
  llvm::outs() << *module << "\n";

  tw::FileResolver files("."); // the program has no weights in files
  tw::CompileReport report;
  FailureOr<std::vector<uint8_t>> bytes =
      tw::compile(*module, files, tw::CompileOptions(), &report);
  if (failed(bytes))
    return 1; // the printer has said why
  llvm::outs() << report.targets[0].launches << " launch(es), " << bytes->size() << " bytes\n";
  if (argc > 1)
    if (llvm::Error failure = tw::writeFileAtomically(
            argv[1], StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()))) {
      llvm::errs() << llvm::toString(std::move(failure)) << "\n";
      return 1;
    }

  std::vector<std::vector<float>> arrays = {{1, 2, 3, 4, 5, 6}, {1, -1, 2, 0, 0, -1}, {0, 0, 0, 0}};
  run(*bytes, arrays);
  llvm::outs() << "relu(x * w) = ";
  llvm::interleaveComma(arrays.back(), llvm::outs());
  llvm::outs() << "\n";
  return 0;
}
