// What strategies for a CPU need to know of it, as numbers.
#pragma once

#include "tw/Support/Traits.h"

#include <cstdint>
#include <string>

namespace tw::schedule {

using tw::Trait;
class MadeLists;

/// Rows from which a matrix unit multiplies: a product of one reads its right operand once anyway.
inline constexpr int64_t kFewestBlockRows = 2;

/// One core of a CPU and the memory it sees. Rates are per cycle and core, of operations on a whole
/// register of `lanes`; the defaults are those of a core of 2022.
struct HostTraits {
  /// Vector lanes of 32 bits in a register.
  int64_t lanes = 16;
  /// Vector registers.
  int64_t registers = 32;
  /// Bytes that an arithmetic unit takes at once; an operation on a wider register takes several
  /// turns, which the rates account for.
  int64_t dataPathBytes = 32;
  /// Whether parts of registers are read, computed and written under masks.
  bool masks = true;
  /// Fused multiply-adds of a whole register a cycle, and cycles until the result is there.
  double fmaPerCycle = 1;
  int64_t fmaLatency = 4;
  /// Loads and stores of a whole register a cycle.
  double loadsPerCycle = 1, storesPerCycle = 0.5;
  /// Cycles of a store of some lanes of a register alone; where there is no such instruction, of
  /// the lanes one by one.
  double maskedStoreCycles = 1;
  /// Cycles from the store of a register until a load of it is used.
  double reloadCycles = 14;
  /// Caches in bytes: the data cache next to the core first. A CPU without a third level has the
  /// second one's numbers there.
  int64_t l1Bytes = 32768, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
  int64_t l1Ways = 8, l2Ways = 8, l3Ways = 16, lineBytes = 64;
  /// Bytes a cycle that one core streams from the second level, the third, and memory; from the
  /// third while all threads do.
  double l2BytesPerCycle = 32, l3BytesPerCycle = 26, memoryBytesPerCycle = 8;
  /// Of memory where one place is read on from, not several in turn.
  double streamBytesPerCycle = 8;
  double l3BusyBytesPerCycle = 26;
  /// Dot products of pairs of bf16 and of quadruples of 8-bit integers in one instruction, true
  /// exactly if code is made of them, and how many of a whole register a cycle.
  bool bf16Dot = false, int8Dot = false;
  /// Dot products of pairs of 16-bit integers, to which bytes are extended.
  bool int16Dot = false;
  double bf16DotPerCycle = 1, int8DotPerCycle = 1;
  /// A unit that multiplies matrices of such groups in registers of its own, true exactly if code
  /// is made for it: these hold blocks of `blockRows` rows of as many groups or sums. Cycles that a
  /// product of whole blocks keeps it busy, of fewer rows as many fewer, and until it is there.
  bool bf16Blocks = false, int8Blocks = false;
  int64_t blockRows = 16, blockRegisters = 8;
  double blockCycles = 16, blockLatency = 52;
  /// Cycles until a line of each is there, and lines that are waited for at once; places that are
  /// read on from in turn while what comes next is fetched ahead; lines that stores past the caches
  /// are joined in.
  double l2Latency = 14, l3Latency = 50, memoryLatency = 350, missesAtOnce = 24;
  double streams = 32, joinedLines = 8;
  /// Instructions that are begun a cycle, and those that are under way at once.
  double issuePerCycle = 6, instructionsAhead = 320;
  /// Cycles that a branch costs that was foretold wrong, and iterations of a loop whose end is
  /// foretold.
  double branchMissCycles = 13, foretoldTrips = 32;
  /// Shuffles of a whole register a cycle, and cycles that a division of one keeps its unit busy.
  double shufflesPerCycle = 1, divideCycles = 10;
  /// Of arithmetic and shuffles together: units may do both.
  double vectorsPerCycle = 8;
  /// Pages in bytes, those whose places the core knows at once and with a look into a larger table;
  /// cycles of that look, of a walk through the tables in memory, and looks and walks at once.
  int64_t pageBytes = 4096, nearPages = 64, farPages = 1536;
  double farPageCycles = 7, pageWalkCycles = 30, pagesAtOnce = 4;
  /// Threads that share a kernel's programs, bytes a cycle that all cores together stream from
  /// memory, and cycles until other threads have begun.
  int64_t threads = 2;
  double allMemoryBytesPerCycle = 40, launchCycles = 3000;
  /// Bytes a cycle of memory that so many threads get together: those of a chip with one link.
  double linkBytesPerCycle = 1024;
  int64_t linkThreads = 1024;
  /// Memory of its own that a program may have.
  int64_t bufferBytes = 64 << 20;
  /// Cycles until the one thread of a launch of one program has begun: the runtime reads the
  /// command.
  double commandCycles = 200;
  /// What is known of kernels that lists make, of the machine otherwise equal; null: nothing is
  /// kept. It outlives what is asked with these traits.
  MadeLists *made = nullptr;

  bool operator==(const HostTraits &) const = default;

  /// Bytes a cycle that the threads together stream from memory: what channels carry, and the links
  /// of the chips that so many threads fill.
  double getSharedMemoryBytesPerCycle() const;
};

/// Calls `take` with each field and its value as text, in the order of the struct. Values are
/// numbers, or true and false.
void forEachTrait(const HostTraits &traits,
                  llvm::function_ref<void(const Trait &trait, llvm::StringRef value)> take);

/// Sets the field of that name. False if there is no such field, or it cannot have the value; then
/// `error` says what is expected.
bool setTrait(HostTraits &traits, llvm::StringRef name, llvm::StringRef value, std::string &error);

/// The same for a number, which whole fields take the nearest one of.
bool setTrait(HostTraits &traits, llvm::StringRef name, double value, std::string &error);

/// All fields as "lanes=16,registers=32,...", the text of the option `traits` of kernel-schedule.
std::string toText(const HostTraits &traits);

/// Sets the fields that `text` names; the others stay.
bool parseTraits(llvm::StringRef text, HostTraits &traits, std::string &error);

} // namespace tw::schedule
