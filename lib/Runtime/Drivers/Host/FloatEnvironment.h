// The floating-point environment that kernels are compiled for.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tw::runtime::host {

/// While it lives, the thread rounds to nearest, keeps denormals and masks exceptions; embedders
/// switch flush-to-zero on. Afterwards the thread has what it had, status flags included.
class DefaultFloatEnvironment {
public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved); }

private:
  unsigned saved;
#else
  DefaultFloatEnvironment() {}
#endif

public:
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;
};

} // namespace tw::runtime::host
