// What the programs of a loop tree do on a device that runs groups of threads, counted.
#pragma once

#include "tw/Schedule/LoopTree.h"
#include "tw/Target/Common/GpuMachine.h"

namespace tw::schedule {

/// A load or store of a tensor.
struct GpuAccess {
  /// Bytes of whole segments that a program moves, and of those the ones that are not the same
  /// again; of the tensor; and those that the access has no use for.
  double bytes = 0, ownBytes = 0, tensorBytes = 0, unusedBytes = 0;
  /// By dimensions of the grid: whether programs that differ there access other places.
  llvm::SmallVector<bool> moves;
};

/// Of one program, where not said otherwise.
struct GpuCounts {
  /// Of the whole launch.
  double programs = 1;
  int64_t threads = 32;
  /// Beside these, threads that only have rings filled; whether boxes do, so that they can.
  int64_t loading = 0;
  bool fillsBoxes = false;
  /// Operations of 32 bits, of all threads: those that have nothing to do take part.
  double operations = 0;
  /// Cycles of matrix units.
  double matrixCycles = 0;
  /// Whether these units read their operands in local memory.
  bool readsLocal = false;
  /// And whether one of them is in registers, which all have to be there at once.
  bool multipliesOwn = false;
  /// Of a chain of products, whether threads compute what the last one multiplies next meanwhile.
  bool trails = false;
  /// Cycles of the banks of local memory.
  double localCycles = 0;
  /// Times that threads meet, that a value goes from thread to thread, and that what comes next
  /// waits for memory.
  double barriers = 0, exchanges = 0, waits = 0;
  /// Times that rings are filled, the bytes of all of it, and how many steps before they are read.
  double ringFillings = 0, ringBytes = 0, ringAhead = 1;
  /// Operations one after another in which a thread has nothing else to begin.
  double chain = 0;
  /// Of a thread, and of the group.
  int64_t registers = 0, localBytes = 0;
  llvm::SmallVector<GpuAccess> accesses;

  /// Bytes that one program moves between the processor and the shared cache.
  double getBytes() const;
};

/// How the elements of a tile are shared out: by dimensions, those of a thread and of a subgroup,
/// both evenly among the dimensions, as tile-assign-layouts does where tiles are multiplied.
struct GpuShare {
  llvm::SmallVector<int64_t> thread, subgroup;
};
GpuShare shareTile(llvm::ArrayRef<int64_t> tile, int64_t threads, int64_t subgroup);

/// Whether threads copy rows element by element, as these begin in the middle of words.
bool copiesElements(kernel::KernelOp kernel, kernel::LoadOp load);

/// Operations that an exponential takes, or a function like it, with our expansions.
inline constexpr double kFunction = 12;
bool isFunction(mlir::Operation *op);

/// Products of these elements that matrix units add in a cycle, of units that read local memory or
/// of others; 0 if none takes them.
double getUnitProducts(const GpuMachine &machine, kernel::ContractOp op, bool readsLocal);

GpuCounts countGroups(const LoopTree &tree, const GpuMachine &machine);

} // namespace tw::schedule
