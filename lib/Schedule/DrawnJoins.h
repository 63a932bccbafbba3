// Joins that are drawn instead of priced, to prove that any legal ones compute the same.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Schedule/Drawing.h"

namespace tw::schedule {

/// The joins of a seed, the same on every machine. The seed says how many, too: every fourth one
/// that is legal, or half of them, or three of four, or all.
class DrawnJoins {
public:
  explicit DrawnJoins(unsigned seed) : random(seed), quarters(random() % 4 + 1) {}

  /// Whether the next join is to be made, if it is legal.
  bool wantsNext() { return random() % 4 < quarters; }

  /// Whether the kernel may be drawn: what is computed again for each point of others, and again,
  /// would not end.
  static bool admits(kernel::KernelOp joined);

private:
  Random random;
  unsigned quarters;
};

} // namespace tw::schedule
