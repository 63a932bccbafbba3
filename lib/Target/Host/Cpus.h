// Tables of CPUs: rates, latencies and caches by name.
//
// Sources: [agner] A. Fog, instruction tables and microarchitecture manual; [uops] uops.info, the
// throughput of multiply-adds, loads, stores, shuffles, divisions and dot products; [intel] Intel
// 64 optimization reference manual, tables of cache parameters; [amd] AMD software optimization
// guides for families 17h, 19h and 1Ah; [arm] Arm software optimization guides of the cores;
// [dougall] D. Johnson's Firestorm tables; [chips] chipsandcheese.com, bandwidth and latency by
// level, lines that are waited for; [here] measured by us. Bandwidths are what one core streams,
// not the width of the bus.
#pragma once

#include "tw/Target/Host/Description.h"

#include "llvm/ADT/SmallVector.h"

namespace tw::host {

struct VectorRegisters;

/// Units and the bytes that all of them take a cycle together.
struct Ports {
  double units, bytes;

  double perCycle(int64_t vectorBytes) const { return std::min(units, bytes / vectorBytes); }
};

/// Instructions that are begun a cycle, that are under way at once (the reorder buffer), and cycles
/// that a branch costs that was foretold wrong.
struct Front {
  double issue, ahead, branchMiss;
};

/// Cycles that the division of a register of so many bytes keeps its unit busy.
struct Divider {
  double cycles, bytes;
};

struct Cache {
  int64_t kilobytes, ways, sharedBy;
  double bytesPerCycle = 0;
  /// Cycles until a line of it is there.
  double latency = 0;
};

/// Pages that the first table holds and the second one, cycles of the second, and of a walk.
struct Pages {
  int64_t near, far;
  double farCycles, walkCycles;
};

/// A row. Whether code is made of dot products is not in it: the instruction set and the features
/// say that.
struct Cpu {
  /// LLVM's names, separated by spaces.
  llvm::StringLiteral names;
  Ports fma;
  int64_t fmaLatency;
  Ports loads, stores;
  int64_t loadLatency;
  Front front;
  Ports shuffles;
  Divider divide;
  Cache l1, l2, l3;
  double memoryBytesPerCycle, memoryLatency;
  /// What all channels of a socket carry, over the clock of a core.
  double allMemoryBytesPerCycle;
  /// Lines that the first cache waits for at once.
  double misses;
  /// Dot products of bf16 and of 8-bit integers, where there are such instructions.
  Ports bf16 = {0, 0}, int8 = {0, 0};
  int64_t lineBytes = 64;
  /// Cycles of a store of some lanes of a register.
  double maskedStore = 1;
  Pages pages = {64, 1536, 7, 30};
};

/// Names of the CPUs in the tables, for messages.
llvm::SmallVector<llvm::StringRef> getKnownCpus();

/// The numbers of `description.llvmCpu` for such vectors; those of a careful CPU where the table
/// lacks it. Features are not looked at.
schedule::HostTraits getTableTraits(const Description &description, const VectorRegisters &vectors);

/// Resolves a CPU that is not a file. `only`, where it is not null, are the checked features that
/// the CPU has, less than LLVM says.
bool describeNamedCpu(llvm::StringRef cpu, const std::vector<std::string> *only,
                      Description &description, std::string &error);

/// The part of describeCpu for "@path".
bool describeFile(llvm::StringRef path, Description &description, std::string &error);

} // namespace tw::host
