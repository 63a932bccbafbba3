// What the strategy for groups of threads needs to know of a device, as numbers.
#pragma once

#include "tw/Support/Traits.h"

namespace tw::schedule {

/// A device that runs programs as groups of threads on several processors. Rates are per cycle of
/// its clock; where not said otherwise, of one processor. The defaults are of no device: one whose
/// number of processors nobody knows has no price.
struct GpuMachine {
  /// Processors (streaming multiprocessors, compute units); 0 if nobody knows.
  int64_t processors = 0;
  /// What is on a processor at once at most: threads, groups, registers of 32 bits, bytes of local
  /// memory.
  int64_t processorThreads = 2048, processorGroups = 32, processorRegisters = 65536,
          processorLocalBytes = 65536;
  /// Threads and local memory that one group may have, and registers that one thread may.
  int64_t groupThreads = 1024, groupLocalBytes = 32768, threadRegisters = 255;
  /// Threads of a subgroup, and whether they exchange registers.
  int64_t subgroup = 32;
  bool shuffles = false;
  /// Threads that begin an operation of 32 bits in a cycle, and cycles until its result is there.
  double threadsPerCycle = 128;
  int64_t latency = 4;
  /// Products of floats of 16 bits that matrix units add in a cycle; 0: there are none.
  double matrixProducts = 0;
  /// The same of integers of 8 bits, added in 32 bits, and whether both operands have to be signed.
  double byteProducts = 0;
  bool bytesAreSigned = false;
  /// Whether they multiply floats of 8 bits as fast: f8E4M3FN and f8E5M2, or f8E4M3FNUZ and
  /// f8E5M2FNUZ.
  bool multipliesFloat8 = false, multipliesFloat8Uz = false;
  /// Both of units that read their operands in local memory, bytes along the depth alone; the
  /// threads that have one together, its rows and its columns at most.
  double localProducts = 0, localByteProducts = 0;
  int64_t localUnitThreads = 0, localUnitRows = 0, localUnitColumns = 0;
  /// Bytes along the depth that any matrix unit takes at once at most.
  int64_t unitDepthBytes = 0;
  /// Whether sums of such units are operands of the next product as they lie in registers, and
  /// lanes that each have a number of an operand.
  bool sumsAreOperands = false;
  int64_t operandCopies = 1;
  /// Whether one thread may have boxes of tensors copied to rings that such units read.
  bool copiesBoxes = false;
  /// Words of 32 bits that local memory gives in a cycle, one from each bank; words that a thread
  /// moves at once.
  int64_t banks = 32, accessWords = 4;
  /// Cycles until all threads of a group have met, and until a thread has what another one of the
  /// subgroup had.
  int64_t barrierCycles = 30, exchangeCycles = 25;
  /// Bytes that are read and written at once at least, and of the cache that all processors share.
  int64_t segmentBytes = 32, cacheBytes = 4 << 20;
  /// Bytes a cycle for all processors together, from that cache and from memory, and cycles until
  /// they are there.
  double cacheBytesPerCycle = 1024, memoryBytesPerCycle = 256;
  int64_t cacheLatency = 250, memoryLatency = 600;
  /// Cycles from one launch to the next.
  int64_t launchCycles = 5000;
  /// Whether one core runs the threads of a group in turn, as a driver on a CPU does. Local memory
  /// is not closer than buffers there, and a barrier puts away what each thread holds.
  bool threadsInTurn = false;
  /// Operations that such a thread could do while it writes one element, and while it reads one of
  /// a buffer.
  int64_t accessOperations = 1, readOperations = 1;

  bool operator==(const GpuMachine &) const = default;
};

/// The fields by name.
const TraitTable<GpuMachine> &getGpuTraits();

} // namespace tw::schedule
