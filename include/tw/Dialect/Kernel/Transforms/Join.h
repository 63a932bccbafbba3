// Joining kernels: a kernel takes what it reads, whatever that is, or what stands beside it.
#pragma once

#include "tw/Dialect/Kernel/Equality.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

#include <map>
#include <string>
#include <vector>

namespace tw::kernel {

/// Makes one kernel of two. The two stay as they are; the new kernel stands before the later one of
/// them, has no users, and its results are those of the first, then, where they are kept, those of
/// the second. The axes of both are coalesced (kernel-coalesce-axes).
class Joiner {
public:
  /// With `reassociate`, factors may move behind the sums of what they scale, which rounds
  /// otherwise.
  Joiner(mlir::MLIRContext *context, bool reassociate);

  /// The consumer with the producer's body in place of the loads of its results, which the new
  /// kernel has too if they are kept. Null, with the reason in `why`, where
  /// - the producer's results have to be in memory (`tview.materialize`), or one of the kernels has
  ///   a schedule,
  /// - they are kept, and a third kernel reads the producer and is read by the consumer,
  /// - the producer's results are not one element for each of its points, or are read where data
  ///   says and depend on axes otherwise, or would be reduced or scanned along other elements
  ///   there,
  /// - no order of loops would serve all reductions and scans with partial results in registers,
  /// - there would be too many operands and results for a launch, too long a body, or too many
  /// points,
  /// - a call may settle an axis of one result at no points where another result, which lacks the
  /// axis, has elements: programs over the axis would store neither.
  KernelOp takeProducer(KernelOp consumer, KernelOp producer, bool keep, std::string &why);

  /// The two kernels, neither of which depends on the other. With `sumsApart` axes that products
  /// sum over are not coalesced: one product can be computed after another then. Null, with the
  /// reason in `why`, for the reasons above, or if one depends on the other.
  KernelOp takeSibling(KernelOp kernel, KernelOp sibling, std::string &why, bool sumsApart = false);

private:
  /// What is to be joined, by numbers and operands of the two kernels, alike for equal cases.
  using Case = std::vector<intptr_t>;
  /// What comes out: a kernel without operands and where its operands are among those of the two,
  /// or nothing, and why.
  struct Outcome {
    mlir::OwningOpRef<KernelOp> joined;
    llvm::SmallVector<unsigned> operands;
    std::string why;
  };

  /// How two kernels are joined.
  struct Form {
    bool isProducer, keep;
    bool sumsApart = false;
  };

  Case describe(KernelOp kernel, KernelOp other, Form form);
  KernelOp build(mlir::OpBuilder &builder, KernelOp kernel, KernelOp other, Form form,
                 std::string &why);
  KernelOp joinBefore(KernelOp place, KernelOp kernel, KernelOp other, Form form, std::string &why);
  KernelOp finish(KernelOp joined, bool sumsApart, std::string &why);

  mlir::FrozenRewritePatternSet patterns;
  bool reassociate;
  KernelNumbers numbers;
  std::map<Case, Outcome> known;
};

/// Whether the kernel reads what the other one computes, itself or through others between them in
/// their block.
bool dependsOn(KernelOp kernel, KernelOp other);

} // namespace tw::kernel
