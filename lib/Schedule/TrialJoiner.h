// Kernels of two, made on trial by passes that keep some of them.
#pragma once

#include "DrawnJoins.h"
#include "KernelPrices.h"

#include "tw/Dialect/Kernel/Transforms/Join.h"
#include "tw/Schedule/Record.h"

namespace tw::schedule {

/// As Joiner, with what prices know of kernels passed on to those that are made of them.
class TrialJoiner {
public:
  /// With a seed it makes those alone that are drawn. The prices outlive this.
  TrialJoiner(mlir::MLIRContext *context, bool exactOnly, unsigned seed, KernelPrices &prices);

  /// Whether what is made is to be kept whatever its price.
  bool isDrawn() const { return drawn.has_value(); }

  /// Null, with the reason in `why`, where a Joiner makes none, where it was not drawn, and where
  /// what runs once would run in each call.
  kernel::KernelOp takeProducer(kernel::KernelOp consumer, kernel::KernelOp producer, bool keep,
                                std::string &why);
  kernel::KernelOp takeSibling(kernel::KernelOp kernel, kernel::KernelOp sibling, std::string &why,
                               bool sumsApart = false);

private:
  kernel::KernelOp draw(llvm::function_ref<kernel::KernelOp()> join, std::string &why);

  kernel::Joiner joiner;
  std::optional<DrawnJoins> drawn;
  KernelPrices &prices;
};

/// A record of two kernels, refused for a reason that is empty where the price says it.
JoinRecord makeRecord(kernel::KernelOp kernel, kernel::KernelOp other, llvm::StringRef reason);

} // namespace tw::schedule
