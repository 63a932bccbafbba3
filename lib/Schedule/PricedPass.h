// What passes that ask for prices begin and end with.
#pragma once

#include "Proposals.h"

#include "tw/Schedule/Record.h"
#include "tw/Support/ContextWorkers.h"

namespace tw::schedule {

/// A pass that asks for prices on the machine that its options name, on the context's threads.
/// `Base` is what tablegen makes of its options.
template <typename Base> class PricedPass : public Base {
public:
  using Base::Base;

  void runOnOperation() final {
    ContextWorkers workers(this->getContext());
    Proposals *proposals = this->template getAnalysis<ProposalsOfMachines>().get(
        this->getOperation(), this->machine, this->traits, this->deterministic);
    if (!proposals || mlir::failed(run(*proposals)))
      this->signalPassFailure();
  }

protected:
  virtual mlir::LogicalResult run(Proposals &proposals) = 0;
};

/// One that replaces kernels by others where that is cheaper, so that the passes behind it use what
/// it has asked for, and writes down what it did where its options say so.
template <typename Base> class ReplacingPass : public PricedPass<Base> {
public:
  using PricedPass<Base>::PricedPass;

protected:
  /// `records`, where there is one, has what the passes before have written, and is told more.
  virtual void replace(Proposals &proposals, llvm::SmallVectorImpl<JoinRecord> *records) = 0;

private:
  mlir::LogicalResult run(Proposals &proposals) final {
    this->template markAnalysesPreserved<ProposalsOfMachines>();
    llvm::SmallVector<JoinRecord> records;
    if (this->record)
      records = getJoins(this->getOperation());
    replace(proposals, this->record ? &records : nullptr);
    if (this->record)
      setJoins(this->getOperation(), records);
    return mlir::success();
  }
};

} // namespace tw::schedule
