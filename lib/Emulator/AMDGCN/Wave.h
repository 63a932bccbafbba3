// What a group is while it runs: waves with their registers, local memory, the barrier.
//
// Time of local memory is counted in barriers of the group: an access is ordered after another of
// another wave if a barrier lies between them. Cells are as wide as the kernel's narrowest access.
#pragma once

#include "../Common/Counters.h"
#include "Program.h"

namespace tw::emulator::amdgcn {

struct Group;

/// A load that has not been waited for.
struct Pending {
  Counter counter;
  uint64_t ticket;
  Registers registers;
};

struct Wave {
  enum class State : uint8_t { Running, AtBarrier, Done };
  alignas(64) uint32_t vector[vectorCount][lanes];
  uint32_t scalar[ScalarCount];
  bool scc = false;
  /// Arrived at the barrier that it has yet to wait at.
  bool signalled = false;
  State state = State::Running;
  uint32_t pc = 0, id = 0;
  uint64_t alive = 0;
  Group *group = nullptr;
  const Kernel *kernel = nullptr;
  uint64_t issued[size_t(Counter::Count)] = {};
  /// Tickets up to these have been waited for.
  uint64_t arrived[size_t(Counter::Count)] = {};
  /// The ticket of the last access to local memory, which what only exchanges lanes is none of.
  uint64_t lastLocal = 0;
  std::vector<Pending> pending;
  std::vector<uint8_t> scratch;

  uint64_t mask(uint16_t index) const {
    uint64_t low = scalar[index];
    return kernel->chip.waveLanes == 64 ? low | uint64_t(scalar[index + 1]) << 32 : low;
  }
  void setMask(uint16_t index, uint64_t value) {
    if (index == Null)
      return;
    scalar[index] = uint32_t(value);
    if (kernel->chip.waveLanes == 64)
      scalar[index + 1] = uint32_t(value >> 32);
  }
  uint64_t exec() const { return mask(Exec); }
};

struct Cell {
  uint32_t written = 0, read = 0;
  uint16_t writer = 0, reader = 0;
};
inline constexpr uint16_t severalReaders = 0xffff;

struct Group {
  const Kernel *kernel = nullptr;
  Memory *memory = nullptr;
  /// The allocation that was used last.
  const Range *range = nullptr;
  std::vector<uint8_t> local;
  std::vector<Cell> cells;
  uint32_t cellShift = 2;
  /// The clock of barriers; cells written before `began` hold nothing.
  uint32_t clock = 1, began = 1;
  uint32_t id[3] = {}, threads[3] = {};
  uint64_t parameters = 0, parameterBytes = 0;
  /// Operations of lanes: so many are left, of so many at first; those that were done.
  int64_t budget = 0, wholeBudget = 0;
  uint64_t laneOperations = 0;
  /// One for each operation of the kernel; NULL: nothing is counted.
  std::vector<Counters> *counters = nullptr;
  uint64_t operations = 0;
  std::string fault;
};

void fault(Wave &wave, const Op &op, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// Notes that `op` has been issued and fills `registers` later (count 0: none). A fault if another
/// load, which may come later, is to fill them too.
void issue(Wave &wave, const Op &op, Counter counter, Registers registers);

} // namespace tw::emulator::amdgcn
