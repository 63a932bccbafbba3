// What threads need of the processor that they run on. Each has a folder; others are used as they
// are.
#pragma once

#if defined(__x86_64__)
#include "X86_64/Processor.h"
#elif defined(__aarch64__)
#include "AArch64/Processor.h"
#else

namespace tw::runtime::host {

/// Tells the processor that a thread waits for another.
inline void relax() {}

/// Control and status of floating-point arithmetic. The default rounds to nearest, keeps denormals
/// and masks exceptions.
struct FloatState {};

inline FloatState readFloatState() { return {}; }
inline void writeFloatState(FloatState) {}
constexpr FloatState defaultFloatState = {};

} // namespace tw::runtime::host

#endif
