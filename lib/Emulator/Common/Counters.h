// What operations of kernels did, counted on demand.
#pragma once

#include <cstdint>

namespace tw::emulator {

/// What is counted of one operation.
struct Counters {
  uint64_t executions = 0, lanes = 0;
  /// Local memory: phases of an access, and cycles that conflicts of banks add to them.
  uint64_t phases = 0, conflicts = 0;
  /// Global memory: sectors of 32 bytes that are asked for, and the least that would hold the
  /// bytes.
  uint64_t sectors = 0, least = 0;
  /// Waits: how often there was a load to wait for, or a store that another wave may want.
  uint64_t waited = 0;

  void add(const Counters &other);
};

/// Counts an access of `bytes` bytes at `addresses`, of the lanes in `mask` among the first
/// `lanes`.
void countLocal(Counters &counters, const uint64_t *addresses, uint64_t mask, uint32_t lanes,
                uint32_t bytes);
void countGlobal(Counters &counters, const uint64_t *addresses, uint64_t mask, uint32_t lanes,
                 uint32_t bytes);

} // namespace tw::emulator
