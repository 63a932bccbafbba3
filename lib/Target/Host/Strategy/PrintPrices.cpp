// The pass host-print-prices.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Host/HostStrategy.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/JSON.h"

namespace tw {
#define GEN_PASS_DEF_HOSTPRINTPRICESPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

struct HostPrintPrices : public tw::impl::HostPrintPricesPassBase<HostPrintPrices> {
  using HostPrintPricesPassBase::HostPrintPricesPassBase;

  static void printPrice(llvm::json::OStream &json, const schedule::HostPrice &price,
                         double cycles) {
    json.attribute("cycles", cycles);
    for (auto [name, term] : price.getTerms())
      json.attribute(name, term);
  }

  static void printCandidates(kernel::KernelOp kernel, StringRef name,
                              const schedule::HostTraits &machine) {
    auto function = kernel->getParentOfType<FunctionOpInterface>();
    for (const schedule::HostCandidate &candidate :
         schedule::proposeHostSchedules(kernel, machine)) {
      llvm::json::OStream json(llvm::outs());
      json.object([&] {
        json.attribute("in", function ? "@" + function.getName().str() : "");
        json.attribute("kernel", "@" + name.str());
        json.attribute("strategy", candidate.strategy);
        json.attribute("schedule", mlir::debugString(candidate.schedule));
        printPrice(json, candidate.price, candidate.cycles);
      });
      llvm::outs() << '\n';
    }
  }

  void runOnOperation() override {
    schedule::HostTraits machine;
    std::string wrong;
    if (!schedule::parseTraits(traits, machine, wrong)) {
      emitError(getOperation()->getLoc(), Code::T0501) << "option traits: " << wrong;
      return signalPassFailure();
    }
    getOperation()->walk([&](kernel::KernelOp kernel) {
      StringRef name = kernel.getSymHint().value_or("kernel");
      if (!kernel.getScheduleAttr())
        return printCandidates(kernel, name, machine);
      for (const schedule::HostPrice &price : schedule::priceSchedule(kernel, machine)) {
        llvm::json::OStream json(llvm::outs());
        json.object([&] {
          json.attribute("kernel", name);
          printPrice(json, price, price.cycles());
        });
        llvm::outs() << '\n';
      }
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
