// Which CPU a thread runs on, and how it leaves one.
#pragma once

#include <cstdint>
#include <sched.h>

namespace tw::runtime::host {

/// No CPU: before a thread has said where it is, or where the system does not say.
inline constexpr uint32_t nowhere = ~0u;

/// The CPU of the calling thread at this moment; a few nanoseconds.
inline uint32_t currentCpu() { return uint32_t(sched_getcpu()); }

/// A set of CPUs; those that a cpu_set_t cannot name are left out.
class CpuSet {
public:
  CpuSet() { CPU_ZERO(&set); }
  void add(uint32_t cpu) {
    if (cpu < CPU_SETSIZE)
      CPU_SET(cpu, &set);
  }
  cpu_set_t set;
};

/// While it lives, the thread that made it keeps off `cpu`, and off `taken` if it is allowed others
/// still. What the thread is allowed (by its affinity or a cpuset) bounds it throughout, and is
/// what it has afterwards; a mask that somebody else sets meanwhile stays. Nothing happens where
/// the thread is allowed no other CPU or the system refuses. About a microsecond, some tens of them
/// if the thread was on `cpu`: it has been moved when the constructor returns.
class KeepOff {
public:
  explicit KeepOff(uint32_t cpu, const CpuSet &taken = CpuSet());
  ~KeepOff();
  KeepOff(const KeepOff &) = delete;
  KeepOff &operator=(const KeepOff &) = delete;

  /// False where nothing happened.
  bool holds() const { return narrowed; }

private:
  cpu_set_t allowed, others;
  bool narrowed = false;
};

} // namespace tw::runtime::host
