// Lists that were proposed for one size of a kernel, made to hold for all.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// The list with masks where an end is apart: what runs where an axis has fewer points than a tile.
kernel::ScheduleAttr withMasks(kernel::ScheduleAttr list);

/// The list without what it fetches ahead.
kernel::ScheduleAttr withoutPrefetches(kernel::ScheduleAttr list);

/// The list with a switch over the rest of each axis whose size a call settles and along which
/// tiles have rows, in a kernel of products or sums: a tile of few rows costs as much as it has. Of
/// more rows than that there would be too many bodies.
kernel::ScheduleAttr withSwitches(kernel::KernelOp kernel, kernel::ScheduleAttr list);

/// The list with two parts of each axis whose size a call settles and that is whole in a tile or in
/// a buffer, at a size of it: tiles have as many points as there are then, or the most where that
/// is near.
kernel::ScheduleAttr withParts(kernel::KernelOp kernel, kernel::KernelOp atSize,
                               kernel::ScheduleAttr list);

/// The list without blocks of tiles along axes whose size a call settles, which run whole at the
/// end; null if it has none, or says more of them than where their loops are.
kernel::ScheduleAttr withoutBlocks(kernel::KernelOp kernel, kernel::ScheduleAttr list);

/// The points of an axis that run together where it ends.
struct EndBlock {
  int64_t points = 1;
  /// Of a tile along lanes with a switch over what is left those of the tile: the body that takes
  /// what is left has `points`, twice as many and so on.
  int64_t tile = 0;

  /// As many as run where the axis has so many.
  int64_t round(int64_t size) const;
};

/// What the list says of that: a tile, one that fills a buffer, or programs, unless a switch runs
/// what is left. Loops end where the axis does.
EndBlock getEndBlock(kernel::KernelOp kernel, unsigned axis, kernel::ScheduleAttr list);

} // namespace tw::schedule
