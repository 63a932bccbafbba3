// What atom and red do with the old value and the new one.
#pragma once

#include <cstdint>

namespace tw::emulator::ptx {

enum class AtomicOperation : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement,
};

} // namespace tw::emulator::ptx
