// Kernels that are several where a call has few points, or many.
#pragma once

#include "ProposeForSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tw::schedule {

/// The kernels of a block as they were before some of them were joined.
class Parts {
public:
  /// Copies all of them.
  explicit Parts(mlir::Block &block);

  /// `whole` is to be in the place of the kernels.
  void join(kernel::KernelOp whole, llvm::ArrayRef<kernel::KernelOp> kernels);
  /// Whoever reads `value` is to read `by`.
  void replace(mlir::Value value, mlir::Value by);

  using ChangeSizes = llvm::function_ref<mlir::OwningOpRef<kernel::KernelOp>(kernel::KernelOp)>;

  /// A function, in no module, of what the kernel was joined from, each with other sizes: it takes
  /// what the kernel reads and returns its result. Null where nothing was joined, or part of it
  /// reads what the kernel does not.
  mlir::OwningOpRef<mlir::func::FuncOp> make(kernel::KernelOp whole, ChangeSizes change) const;

private:
  mlir::Block copies;
  /// Of values of the block those that copies read or make.
  llvm::DenseMap<mlir::Value, mlir::Value> copyOf;
  /// The copies of what kernels of the block were joined from.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<kernel::KernelOp, 1>> partsOf;
};

/// The kernel narrowed to a range, in a function of its own of the module, with the list: who makes
/// other kernels for it does so there.
kernel::KernelOp makeApart(kernel::KernelOp kernel, const RangeCandidate &list,
                           mlir::ModuleOp module);

/// Whether it may be worth looking for sizes at which the kernel is its parts: one of several
/// products, which is joined for the sake of many points.
bool mayBeApart(kernel::KernelOp whole);

/// How kernels in a range are joined and priced.
struct FewSizesPricing {
  llvm::function_ref<void(mlir::Block &)> join;
  llvm::function_ref<std::optional<double>(kernel::KernelOp)> price;
};

/// Parts of a kernel, joined anew, for calls in a range: a function in no module.
struct FewSizes {
  SizeRange range;
  mlir::OwningOpRef<mlir::func::FuncOp> parts;
};

/// The ranges of one symbol, from the fewest points on, at which the parts take much less than the
/// whole; none where that is so nowhere.
std::vector<FewSizes> findFewSizes(kernel::KernelOp whole, const Parts &parts,
                                   const SymbolFacts &facts, const FewSizesPricing &pricing);

} // namespace tw::schedule
