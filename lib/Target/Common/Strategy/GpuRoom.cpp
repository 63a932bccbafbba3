// The threads and the local memory of a program, from the passes that place them.
//
// Which values threads exchange, and through how much memory, depends on the layouts that tiles
// get. So nothing is counted here that could differ from the code: the kernel becomes a tile
// program, and that gets its layouts.
#include "GpuRoom.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Target/Common/Gpu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// A function that holds a copy of the kernel under the list.
static OwningOpRef<ModuleOp> isolate(KernelOp kernel, ScheduleAttr list) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder builder(module->getBodyRegion());
  // As the kernel has them: a copy at some sizes is beside operands of all sizes.
  SmallVector<Type> read;
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    read.push_back(kernel.getOperandArgument(i).getType());
  auto type = builder.getFunctionType(read, kernel->getResultTypes());
  auto function = func::FuncOp::create(builder, kernel.getLoc(), "kernel", type);
  builder.setInsertionPointToStart(function.addEntryBlock());
  auto copy = cast<KernelOp>(builder.clone(*kernel));
  copy->setOperands(function.getArguments());
  copy.setScheduleAttr(list);
  func::ReturnOp::create(builder, kernel.getLoc(), copy->getResults());
  return module;
}

FailureOr<std::optional<Shortage>> tw::schedule::findShortage(KernelOp kernel, ScheduleAttr list,
                                                              const GpuMachine &machine,
                                                              StringRef chip) {
  std::optional<Shortage> none;
  if (makesKernels(list))
    return none;
  auto [target, cpu] = chip.split(':');
  GpuTraits traits{.subgroup = machine.subgroup,
                   .shuffles = machine.shuffles,
                   .vectorBytes = machine.accessWords > 1 ? machine.accessWords * 4 : 0,
                   .target = target,
                   .chip = cpu};
  OwningOpRef<ModuleOp> module = isolate(kernel, list);
  PassManager passes(kernel.getContext());
  passes.enableVerifier(false);
  passes.addPass(createKernelToTilePass());
  buildTileToExchanges(passes, traits);
  // What is refused here is no error of the program.
  ScopedDiagnosticHandler handler(kernel.getContext(), [](Diagnostic &) { return success(); });
  if (failed(passes.run(*module)))
    return failure();
  for (auto program : module->getOps<tile::FuncOp>()) {
    if (int64_t threads = countThreads(program, traits); threads > machine.groupThreads)
      return std::optional(Shortage{Code::T0420, "threads", threads, machine.groupThreads});
    if (auto bytes = int64_t(getLocalBytes(program)); bytes > machine.groupLocalBytes)
      return std::optional(
          Shortage{Code::T0421, "bytes of local memory", bytes, machine.groupLocalBytes});
  }
  return none;
}
