// A schedule for groups of threads, as sizes say.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

/// What schedules for one kernel differ in. The defaults are for a device of which nothing is
/// known.
struct GpuSizes {
  /// Sides of the tile of a contraction, and the block of its reduced axis that is unrolled,
  /// of which both operands may be staged.
  int64_t height = 64, width = 64, block = 16;
  bool staged = true;
  /// Tiles of a contraction beside each other along its rows whose programs follow each other, so
  /// that those at work share operands in the cache. 1: rows of tiles one after another.
  int64_t together = 1;
  /// Whether matrix units multiply, and the slots of the ring that their operands are staged in.
  bool unit = false;
  int64_t slots = 1;
  /// Bytes along the depth that such a unit takes at once.
  int64_t unitDepthBytes = 0;
  /// Subgroups that only have these rings filled.
  int64_t loading = 0;
  /// Of attention by matrix units: keys of a tile, and queries of a subgroup; `block` is of what
  /// scores sum.
  int64_t keys = 64, subgroupRows = 16;
  /// Whether the sides are to be made longer and shorter until there are programs enough.
  bool adapts = true;
  /// Elements of a thread: of the result of a contraction; of a tile that is reduced; of one whose
  /// elements are used once, a vector of 16 bytes of f32.
  int64_t accumulators = 16, reduced = 8, vector = 4;
  /// Elements of a tile: of elementwise kernels; of rows that are used once, and several times.
  int64_t tile = 1024, row = 2048, keptRow = 8192;
  /// Programs that keep a device busy.
  int64_t programs = 64;
  /// A reduction of much to few results may run in parts; so may few long scans, which takes two
  /// sweeps more.
  bool parts = true, scanParts = true;
  /// Results beside each other whose sums threads share.
  int64_t columns = 32;
  /// Results of a thread that sums its own.
  int64_t results = 1;
  /// Points of a loop whose rows of memory go through local memory: threads would have a row each
  /// and read a word of it. 0: they do.
  int64_t rowBlock = 0;
  /// A thread for each result; threads side by side in a row; a tile of results and what is summed.
  enum class Reduction { ByRule, Threads, Rows, Columns } reduction = Reduction::ByRule;
};

/// Gives names to values that the list speaks of. Null where the sizes ask for blocks of rows and
/// there are none.
kernel::ScheduleAttr writeGpuSchedule(kernel::KernelOp kernel, bool exact, const GpuSizes &sizes);

/// Programs and loops only: what any kernel may have.
kernel::ScheduleAttr writeSimplestGpuSchedule(kernel::KernelOp kernel);

} // namespace tw::schedule
