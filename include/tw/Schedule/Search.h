// A bounded search over lists of primitives.
#pragma once

#include "tw/Schedule/Moves.h"

namespace tw::schedule {

/// A list and its price, in units of the caller's.
struct PricedList {
  kernel::ScheduleAttr schedule;
  double price;
};

struct SearchLimits {
  /// Lists that are priced or refused, at most.
  unsigned states = 600;
  /// Lists that are followed at a time, and those that each of them is changed to in a round.
  unsigned width = 6, changes = 16;
};

struct Searched {
  /// The cheapest list, which may be one of those it began with.
  PricedList best;
  unsigned states = 0;
  /// From the best list at the beginning: each that was cheaper than all before it.
  llvm::SmallVector<PricedList> steps;
};

/// Follows the cheapest lists (a beam) from `starts`, each to some of those one move away in a
/// round (`Moves`), until the states are used up or nothing is left to try. The order of what is
/// tried is drawn with a fixed seed: the same kernel, starts and prices give the same list on
/// every machine. `price` is none for a list that the kernel must not have, and may be for one that
/// is dearer than the given price, which is not followed; starts have no primitives that rewrite
/// the kernel. Fails without starts.
mlir::FailureOr<Searched>
search(kernel::KernelOp kernel, llvm::ArrayRef<PricedList> starts, const MoveSizes &sizes,
       const SearchLimits &limits,
       llvm::function_ref<std::optional<double>(kernel::ScheduleAttr, double)> price);

} // namespace tw::schedule
