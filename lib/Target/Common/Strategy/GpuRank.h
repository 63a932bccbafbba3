// Which of several lists for a kernel is best, by their prices and by what prices do not tell.
#pragma once

#include "tw/Target/Common/GpuPrice.h"

namespace tw::schedule {

/// What is compared of a list, in the order in which lists are proposed.
struct GpuRanked {
  GpuPrice price;
  /// Slots of its rings.
  int64_t slots = 1;
  /// Whether a thread has fewer registers than the list needs.
  bool spills = false;
  /// Whether it differs from a list before it in the order of programs alone, which costs nothing,
  /// so that whatever that saves counts.
  bool isFree = false;
};

/// Whether more than a twentieth of the bytes that programs ask for is of no use to them.
bool wastesMuch(const GpuPrice &price);

/// The place of the best of these lists, of which there is at least one.
///
/// All are compared with the cheapest and not with each other: prices that are nearly equal are
/// near to nearly equal ones without end. Lists that spill are left out where one that does
/// not costs less than four times the cheapest of all. Otherwise those count
/// that need fewest registers, of what costs as much. Of what is within 2 % of the cheapest, the
/// cheapest of those takes its place that ask for less than half of its bytes that nobody uses,
/// where these are many. Of what is equal to that, rounded to some 1 %, and does not waste more,
/// the first one counts, so that the rules decide; in its place the one with most slots that waits
/// less, for nothing else; in place of that the cheapest other order of programs.
///
/// So the best is at most 2 % and some 1 % dearer than the cheapest, whatever the order in which
/// lists were proposed, and what is dearer than that does not matter.
size_t findBest(llvm::ArrayRef<GpuRanked> lists);

} // namespace tw::schedule
