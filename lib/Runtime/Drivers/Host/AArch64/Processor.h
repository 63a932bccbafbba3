// What threads need of an AArch64 processor (../Processor.h).
#pragma once

#include <cstdint>

namespace tw::runtime::host {

inline void relax() { __asm__ volatile("yield"); }

/// FPCR and FPSR.
struct FloatState {
  uint64_t control, status;
};

inline FloatState readFloatState() {
  FloatState state;
  __asm__ volatile("mrs %0, fpcr" : "=r"(state.control));
  __asm__ volatile("mrs %0, fpsr" : "=r"(state.status));
  return state;
}
inline void writeFloatState(FloatState state) {
  __asm__ volatile("msr fpcr, %0" : : "r"(state.control));
  __asm__ volatile("msr fpsr, %0" : : "r"(state.status));
}
constexpr FloatState defaultFloatState = {0, 0};

} // namespace tw::runtime::host
