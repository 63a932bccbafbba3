// What a plan makes of staged values and products of groups of threads.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// The most buffers of a ring.
inline constexpr int64_t kMostSlots = 16;

/// The buffers of the ring that a value is staged in: one, and one more for each iteration that is
/// fetched ahead.
int64_t countSlots(const Plan &plan, const StagedValue &staged);

/// Whether matrix units multiply: a group of threads sums along an axis of its tile.
bool usesUnits(const Plan &plan);

} // namespace tw::schedule
