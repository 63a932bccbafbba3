// A kernel whose one reduction is a contraction, as the strategies for products see it.
#pragma once

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Target/Host/HostStrategy.h"

namespace tw::schedule::host {

struct Product {
  explicit Product(kernel::KernelOp kernel) : kernel(kernel), sets(kernel) {}

  kernel::KernelOp kernel;
  kernel::AxisSets sets;
  kernel::ContractOp contract;
  /// Axes over which it sums, and those of the results.
  llvm::SmallBitVector reduced, stored;

  /// Axes over which a reduction of its sums runs, if `match` lets it.
  llvm::SmallBitVector outer;

  /// Fills in the contraction and its axes; false if there is none, another reduction or scan, or
  /// if the results have not just the axes that it keeps. With `nested` one reduction may follow,
  /// of what is computed from the sums.
  bool match(bool nested = false);
  /// The same where reductions follow, all over the same axes that the sums keep, and of what is
  /// computed from the sums: these are `outer`, and `stored` the axes that are left.
  bool matchWithRows();
  int64_t extent(unsigned axis) const {
    return const_cast<kernel::KernelOp &>(kernel).getExtents()[axis];
  }
  /// Elements by which the panel of a value that is made of the load is fetched ahead, where a
  /// program passes so often through what it reads of it; 0 unless it is a constant and cold enough
  /// for what the first pass gains to exceed what fetching costs all of them.
  int64_t getFetchedAhead(mlir::Operation *value, kernel::LoadOp load, int64_t passes,
                          const HostTraits &traits);
  /// The axes of `value` that neither `other` nor the sum has.
  llvm::SmallBitVector ownAxes(mlir::Value value, mlir::Value other) const;
};

/// Leaves of the `choices` that a strategy enumerated those of least `rank`, in order, of equal
/// ones the first.
template <typename Choices, typename Rank>
void keepBest(Choices &choices, Rank rank, size_t most = 8) {
  llvm::SmallVector<std::pair<decltype(rank(choices[0])), size_t>> order;
  for (size_t i = 0; i < choices.size(); ++i)
    order.push_back({rank(choices[i]), i});
  llvm::sort(order);
  Choices best;
  for (auto &[own, i] : llvm::ArrayRef(order).take_front(most))
    best.push_back(choices[i]);
  choices = std::move(best);
}

/// Leaves of the `shapes` of register tiles that a strategy enumerated the `most` of least work, of
/// equal ones those of the fewest loads; and besides `tall` ones of the most rows among those of
/// about equal work, which pass through the panels of vectors the fewest times. `rowsOf` gives the
/// rows of a shape, `work` and `loads` are its members.
template <typename Shapes, typename Rows>
void keepShapes(Shapes &shapes, size_t most, size_t tall, Rows rowsOf) {
  constexpr double kEqual = 0.02; // less than ends of loops take, which are not counted
  llvm::SmallVector<std::tuple<double, double, size_t>> order;
  for (size_t i = 0; i < shapes.size(); ++i)
    order.push_back({shapes[i].work, shapes[i].loads, i});
  llvm::sort(order);
  Shapes best;
  for (auto [work, loads, i] : llvm::ArrayRef(order).take_front(most))
    best.push_back(shapes[i]);
  Shapes others;
  for (auto [work, loads, i] : llvm::ArrayRef(order).drop_front(std::min(most, order.size())))
    if (work <= best.front().work * (1 + kEqual))
      others.push_back(shapes[i]);
  keepBest(
      others, [&](const auto &shape) { return std::pair(-rowsOf(shape), shape.work); }, tall);
  llvm::append_range(best, others);
  shapes = std::move(best);
}

/// Cycles of the ports for the products of a step of a register tile, of single elements or in
/// groups for dot instructions; bytes are extended to 16 bits and multiplied in pairs where the CPU
/// has no dots for them.
double productCycles(int64_t rows, int64_t vectors, int64_t groupSize, const HostTraits &traits);

/// What no list of a register tile is faster than in a step, by which strategies leave out shapes
/// before any list is priced: its products, its loads, and `latency` of sums that wait for their
/// last step.
double leastOfStep(double products, double loads, double latency, const HostTraits &traits);

/// Elements of a group of the CPU's dot instructions for the contraction, those of 32 bits; 1 if it
/// has none.
int64_t getGroupSize(kernel::ContractOp contract, const HostTraits &traits);

/// Whether the load reads a constant of the program: what is made of it alone is made once.
bool readsConstant(kernel::KernelOp kernel, kernel::LoadOp load);

/// Whether what the load reads comes from memory though the kernel itself would leave it in a
/// cache: a constant, or an argument of a program that touches more in a call than the caches hold.
bool comesFromMemory(kernel::KernelOp kernel, kernel::LoadOp load, const HostTraits &traits);

/// Whether so many bytes of a constant are likely to be far away when a call begins, since other
/// kernels ran in between.
bool isCold(double bytes, const HostTraits &traits);

/// Whether so many bytes of a constant are near since a loop or another kernel has just read them.
bool isReadAgain(kernel::KernelOp kernel, double bytes, const HostTraits &traits);

} // namespace tw::schedule::host
