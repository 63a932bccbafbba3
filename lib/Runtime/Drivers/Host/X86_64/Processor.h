// What threads need of an x86-64 processor (../Processor.h).
#pragma once

#include <xmmintrin.h>

namespace tw::runtime::host {

inline void relax() { _mm_pause(); }

/// MXCSR: control and status.
struct FloatState {
  unsigned control;
};

inline FloatState readFloatState() { return {_mm_getcsr()}; }
inline void writeFloatState(FloatState state) { _mm_setcsr(state.control); }
constexpr FloatState defaultFloatState = {0x1f80};

} // namespace tw::runtime::host
