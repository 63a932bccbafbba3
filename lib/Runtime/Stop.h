// Whether a call has to end before its steps are done: who calls cancels it, or gives it a time.
#pragma once

#include "twrt/twrt.h"

#include <atomic>
#include <cstdint>

namespace tw::runtime {

/// Why steps of a plan may have to be left out. Whoever takes a step, or hands several in, looks
/// first.
struct Stop {
  /// Set by any thread.
  std::atomic<bool> cancelled{false};
  /// By the monotonic clock; 0: none.
  uint64_t deadlineNs = 0;

  /// TWRT_CANCELLED or TWRT_TIMEOUT if it has to end.
  TwrtCode check() const;
};

/// Says that a plan ends before `launch` since Stop::check gave `code`; returns that.
TwrtCode failStopped(TwrtCode code, uint32_t launch, TwrtError *error);

} // namespace tw::runtime
