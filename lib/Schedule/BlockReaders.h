// Which kernels read what, while kernels are replaced by others.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/SetVector.h"

namespace tw::schedule {

/// Which kernels of a block read a value, in the order of the block.
class BlockReaders {
public:
  llvm::ArrayRef<kernel::KernelOp> get(mlir::Value value, mlir::Block &block) {
    if (lists.empty())
      for (auto kernel : block.getOps<kernel::KernelOp>())
        for (mlir::Value operand : getDistinct(kernel))
          lists[operand].push_back(kernel);
    return lists[value];
  }

  /// Those after the kernel.
  llvm::ArrayRef<kernel::KernelOp> getAfter(kernel::KernelOp kernel, mlir::Value value) {
    llvm::ArrayRef<kernel::KernelOp> all = get(value, *kernel->getBlock());
    return llvm::ArrayRef(findPlace(kernel, all), all.end());
  }

  void clear() { lists.clear(); }

  void insert(kernel::KernelOp kernel) {
    if (!lists.empty())
      for (mlir::Value operand : getDistinct(kernel)) {
        llvm::SmallVector<kernel::KernelOp, 2> &list = lists[operand];
        list.insert(list.begin() + (findPlace(kernel, list) - list.begin()), kernel);
      }
  }

  void erase(kernel::KernelOp kernel) {
    if (!lists.empty())
      for (mlir::Value operand : getDistinct(kernel))
        llvm::erase(lists[operand], kernel);
  }

  void replace(mlir::Value value, mlir::Value by) {
    if (auto it = lists.find(value); it != lists.end()) {
      llvm::SmallVector<kernel::KernelOp, 2> list = std::move(it->second);
      lists.erase(it);
      lists[by] = std::move(list);
    }
  }

private:
  static llvm::SmallSetVector<mlir::Value, 8> getDistinct(kernel::KernelOp kernel) {
    return {kernel->operand_begin(), kernel->operand_end()};
  }

  static const kernel::KernelOp *findPlace(kernel::KernelOp kernel,
                                           llvm::ArrayRef<kernel::KernelOp> list) {
    return llvm::partition_point(
        list, [&](kernel::KernelOp reader) { return !kernel->isBeforeInBlock(reader); });
  }

  llvm::DenseMap<mlir::Value, llvm::SmallVector<kernel::KernelOp, 2>> lists;
};

} // namespace tw::schedule
