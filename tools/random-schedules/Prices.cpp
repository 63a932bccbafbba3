// Prices of chosen and of drawn schedules.
#include "Prices.h"

#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/HostStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

/// Prices nearer to each other are equal: no times of schedules are nearer to their prices.
static constexpr double kEqual = 1.05;
/// A price below this share of the least cycles is wrong.
static constexpr double kBelow = 0.75;

/// Every value may be named by what is drawn.
static void nameValues(kernel::KernelOp kernel) {
  unsigned number = 0;
  for (Operation &op : kernel.getBody().front())
    if (op.getNumResults() && !op.hasAttr("name"))
      op.setAttr("name", StringAttr::get(op.getContext(), "value" + Twine(number++)));
}

static double getPrice(kernel::KernelOp kernel, kernel::ScheduleAttr schedule,
                       const schedule::HostTraits &traits) {
  OwningOpRef<kernel::KernelOp> copy(cast<kernel::KernelOp>(kernel->clone()));
  copy->setScheduleAttr(schedule);
  double cycles = 0;
  unsigned launches = 0;
  for (const schedule::HostPrice &price : schedule::priceSchedule(*copy, traits)) {
    cycles += price.cycles();
    launches += price.cycles() > 0;
  }
  return cycles + schedule::getWaits(launches, cycles, traits);
}

bool tw::fuzz::comparePrices(const std::vector<std::string> &files, MLIRContext &context,
                             const TargetOptions &target, schedule::Random &random, unsigned depth,
                             unsigned count) {
  host::Description description;
  std::string error;
  if (!host::describeCpu(target.cpu.empty() ? "native" : target.cpu, description, error)) {
    llvm::errs() << "random-schedules: " << error << '\n';
    return false;
  }
  unsigned kernels = 0, asGood = 0, tooLow = 0;
  for (const std::string &file : files) {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file, &context);
    if (!module)
      return false;
    // As kernels are when they get their schedules.
    PassManager passes(&context);
    passes.addNestedPass<func::FuncOp>(createKernelCanonicalizePass());
    if (failed(passes.run(*module)))
      return false;
    module->walk([&](kernel::KernelOp kernel) {
      auto choose = [&](unsigned states) {
        auto found = schedule::proposeHostSchedules(kernel, description.traits,
                                                    target.deterministic, states);
        return found.empty() ? 0.0
                             : found.front().cycles + schedule::getWaits(found.front().launches,
                                                                         found.front().cycles,
                                                                         description.traits);
      };
      double proposed = choose(0), chosen = choose(target.searchStates);
      double bound = schedule::getLeastCycles(kernel, description.traits);
      nameValues(kernel);
      double least = 0;
      kernel::ScheduleAttr best;
      for (unsigned i = 0; i < count; ++i) {
        kernel::ScheduleAttr drawn = schedule::Drawing(kernel, random, depth).draw().schedule;
        if (!schedule::mayPropose(kernel, drawn, description.traits))
          continue;
        double price = getPrice(kernel, drawn, description.traits);
        if (price > 0 && price < kBelow * bound) {
          ++tooLow;
          llvm::outs() << file << ": price " << llvm::format("%.0f", price) << " below "
                       << llvm::format("%.0f", bound) << " of " << drawn << '\n';
          continue;
        }
        if (price > 0 && (!best || price < least)) {
          least = price;
          best = drawn;
        }
      }
      if (!best || chosen == 0)
        return;
      ++kernels;
      bool isAsGood = chosen <= kEqual * least;
      asGood += isAsGood;
      llvm::outs() << file << ": proposed " << llvm::format("%.0f", proposed) << ", chosen "
                   << llvm::format("%.0f", chosen) << ", drawn " << llvm::format("%.0f", least);
      if (!isAsGood)
        llvm::outs() << " by " << best;
      llvm::outs() << '\n';
    });
  }
  llvm::outs() << asGood << " of " << kernels << " choices as good as the best of " << count
               << " that are drawn, " << tooLow << " prices below what any schedule takes\n";
  return tooLow == 0;
}
