// What strategies for a CPU need to know of it, as numbers.
#pragma once

#include <cstdint>

namespace tw::schedule {

/// One core of a CPU and the memory it sees. Rates are per cycle and core; the defaults are those
/// of a Zen 4 core.
struct HostTraits {
  /// Vector lanes of 32 bits in a register: 16 with AVX-512, 8 with AVX2, 4 with NEON.
  int64_t lanes = 16;
  /// Vector registers: 32 with AVX-512 and NEON, 16 with AVX2.
  int64_t registers = 32;
  /// Fused multiply-adds of a whole register a cycle, and cycles until the result is there.
  double fmaPerCycle = 1;
  int64_t fmaLatency = 4;
  /// Loads and stores of a whole register a cycle.
  double loadsPerCycle = 1, storesPerCycle = 0.5;
  /// Caches in bytes; the last one is shared by all cores, the others are a core's own.
  int64_t l1Bytes = 32768, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
  int64_t l1Ways = 8, l2Ways = 8, lineBytes = 64;
  /// Bytes a cycle that one core streams from the second level, the third, and memory.
  double l2BytesPerCycle = 32, l3BytesPerCycle = 26, memoryBytesPerCycle = 8;
  /// Dot products of pairs of bf16 and of quadruples of 8-bit integers in one instruction.
  bool bf16Dot = false, int8Dot = false;
};

} // namespace tw::schedule
