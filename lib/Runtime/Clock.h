// The clock that samples are taken with.
#pragma once

#include <cstdint>
#include <ctime>

namespace tw::runtime {

/// Nanoseconds of the monotonic clock.
inline uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return uint64_t(time.tv_sec) * 1000000000u + uint64_t(time.tv_nsec);
}

} // namespace tw::runtime
