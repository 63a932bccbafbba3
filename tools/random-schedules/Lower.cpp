// Lowers kernels as the compiler does, and compiles what that gives.
#include "Lower.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

kernel::KernelOp fuzz::isolate(ModuleOp module, kernel::KernelOp kernel,
                               kernel::ScheduleAttr schedule, StringRef name) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location location = kernel.getLoc();
  auto function = func::FuncOp::create(
      builder, location, name,
      builder.getFunctionType(kernel->getOperandTypes(), kernel->getResultTypes()));
  // The ranges of sizes that a call settles.
  if (auto around = kernel->getParentOfType<func::FuncOp>())
    if (Attribute symbols = around->getAttr(symbolsName))
      function->setAttr(symbolsName, symbols);
  builder.setInsertionPointToEnd(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(kernel->getOperands(), function.getArguments());
  auto copy = cast<kernel::KernelOp>(builder.clone(*kernel, mapping));
  if (schedule)
    copy.setScheduleAttr(schedule);
  else
    copy.removeScheduleAttr();
  func::ReturnOp::create(builder, location, copy->getResults());
  return copy;
}

/// Gives each kernel of the function one of its own.
static void splitKernels(func::FuncOp function, Lowered &lowered) {
  llvm::DenseMap<Value, Step::Source> sources;
  for (BlockArgument argument : function.getArguments())
    sources[argument] = {std::nullopt, argument.getArgNumber()};
  for (auto kernel : function.getOps<kernel::KernelOp>()) {
    Step step;
    for (Value operand : kernel->getOperands())
      step.operands.push_back(sources.at(operand));
    step.results.assign(kernel->getResultTypes().begin(), kernel->getResultTypes().end());
    for (OpResult result : kernel->getResults())
      sources[result] = {lowered.steps.size(), result.getResultNumber()};
    isolate(*lowered.module, kernel, kernel.getScheduleAttr(),
            (function.getName() + "_" + Twine(lowered.steps.size())).str());
    lowered.steps.push_back(std::move(step));
  }
  function.erase();
}

/// The tile programs stand in the order of the steps.
static void readSizes(Lowered &lowered) {
  auto step = lowered.steps.begin();
  for (auto program : lowered.module->getOps<tile::FuncOp>()) {
    step->scalars = program.getScalars();
    if (view::SizesAttr sizes = program.getGridSizesAttr()) {
      llvm::append_range(step->grid, sizes.getSizes());
      llvm::append_range(step->gridSteps, *program.getGridSteps());
    }
    ++step;
  }
}

std::optional<Lowered> fuzz::lower(kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                                   StringRef name, const Settings &settings, std::string &refusal) {
  Collector collector(kernel.getContext());
  Lowered lowered;
  lowered.module = ModuleOp::create(kernel.getLoc());
  auto function = isolate(*lowered.module, kernel, schedule, name)->getParentOfType<func::FuncOp>();
  PassManager panels(kernel.getContext(), func::FuncOp::getOperationName()),
      passes(kernel.getContext());
  if (schedule && settings.strategies) {
    FailureOr<std::string> machine =
        findTarget("host")->getMachine(kernel.getLoc(), settings.target);
    if (failed(machine) ||
        failed(parsePassPipeline(makeSchedulePass(*machine, settings.target), panels)))
      llvm_unreachable("the target's pass is a pipeline");
  } else {
    panels.addPass(createKernelStageGlobalPass());
  }
  passes.addPass(createKernelToTilePass());
  passes.addNestedPass<tile::FuncOp>(createCanonicalizerPass());
  passes.addNestedPass<tile::FuncOp>(createCSEPass());
  bool good = succeeded(panels.run(function));
  if (good)
    splitKernels(function, lowered);
  if (good && succeeded(passes.run(*lowered.module))) {
    readSizes(lowered);
    return lowered;
  }
  refusal = collector.text.empty() ? "failed without a message" : collector.text;
  return std::nullopt;
}

int64_t fuzz::countVectors(ModuleOp module) {
  constexpr int64_t lanes = 16;
  int64_t vectors = 0;
  module.walk([&](Operation *op) {
    for (Type result : op->getResultTypes()) {
      auto type = dyn_cast<RankedTensorType>(result);
      int64_t row = type && type.getRank() ? type.getShape().back() : 1;
      vectors += type ? type.getNumElements() / std::min(row, lanes) : 1;
    }
  });
  return vectors;
}

FailureOr<Artefact> fuzz::compileBatch(ModuleOp module, const Settings &settings,
                                       std::string &refusal) {
  Collector collector(module.getContext());
  auto artefacts = findTarget("host")->compile(module, settings.target);
  if (failed(artefacts)) {
    refusal = collector.text;
    return failure();
  }
  return std::move(artefacts->front());
}
