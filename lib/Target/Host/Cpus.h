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
  int64_t kilobytes, ways;
  double bytesPerCycle = 0;
  /// Cycles until a line of it is there.
  double latency = 0;
};

/// Pages that the first table holds and the second one, cycles of the second, and of a walk; how
/// many of these at once, and bytes of a page. Where a row says nothing: [amd] and [intel] of 2015
/// to 2022, whose tables differ by less than half; at once [here] on znver3.
struct Pages {
  int64_t near = 64, far = 1536;
  double farCycles = 7, walkCycles = 30, atOnce = 4;
  int64_t bytes = 4096;
};

/// What some hardware threads get of memory together, over the clock of a core: a chip of several
/// has a link for each. Where a row says nothing all share all.
struct Link {
  double bytesPerCycle = 1024;
  int64_t threads = 1024;
};

/// What fetches ahead, foretells and joins stores: places that are read on from in turn, iterations
/// of a loop whose end is foretold, lines that stores past the caches are joined in. No document
/// has these; [here] on znver3 and znver4.
struct Ahead {
  double streams = 32, foretoldTrips = 32, joinedLines = 8;
};

/// A row. Whether code is made of dot products is not in it: the instruction set and the features
/// say that.
struct Cpu {
  /// LLVM's names, separated by spaces.
  llvm::StringLiteral names;
  /// Where its numbers are from; more exactly in the comment above it.
  llvm::StringLiteral sources;
  Ports fma;
  int64_t fmaLatency;
  Ports loads, stores;
  int64_t loadLatency;
  Front front;
  Ports shuffles;
  Divider divide;
  Cache l1, l2, l3;
  /// Hardware threads that share the last level.
  int64_t threads;
  double memoryBytesPerCycle, memoryLatency;
  /// What all channels of a socket carry, over the clock of a core.
  double allMemoryBytesPerCycle;
  Link link = {};
  /// Lines that the first cache waits for at once.
  double misses;
  /// Bytes a cycle of memory that a core reads on from in one place; where a row says nothing, as
  /// many as from several.
  double streamBytesPerCycle = 0;
  /// Dot products of bf16 and of 8-bit integers, where there are such instructions.
  Ports bf16 = {0, 0}, int8 = {0, 0};
  /// Cycles that a product of whole blocks keeps a unit for matrices busy, and until it is there,
  /// where there is one.
  double blockCycles = 16, blockLatency = 52;
  /// Units for vectors, whatever they do; where a row says nothing, those that shuffle are others
  /// than those that multiply, or there are enough of both.
  Ports vectors = {8, 1024};
  int64_t lineBytes = 64;
  /// Cycles of a store of some lanes of a register.
  double maskedStore = 1;
  Pages pages = {};
  Ahead ahead = {};
  /// Of the runtime's pool of threads, [here] on znver3; of a launch of one program, [here] on
  /// znver3: 84 ns for each of twenty launches of 16 sums of 16 numbers, their work included.
  double launchCycles = 3000, commandCycles = 200;
};

/// Names of the CPUs in the tables, for messages.
llvm::SmallVector<llvm::StringRef> getKnownCpus();

/// Fills in the numbers of `description.llvmCpu` for such vectors, and their sources; those of a
/// careful CPU where the table lacks it. Features are not looked at.
void takeTableTraits(Description &description, const VectorRegisters &vectors);

/// Fills in what the operating system says of this machine: threads, pages and caches.
void takeSystemTraits(Description &description);

/// Resolves a CPU that is not a file. `only`, where it is not null, are the checked features that
/// the CPU has, less than LLVM says.
bool describeNamedCpu(llvm::StringRef cpu, const std::vector<std::string> *only,
                      Description &description, std::string &error);

/// The part of describeCpu for "@path".
bool describeFile(llvm::StringRef path, Description &description, std::string &error);

} // namespace tw::host
