// The floating-point environment that kernels are compiled for.
#pragma once

#include "Processor.h"

namespace tw::runtime::host {

/// While it lives, the thread rounds to nearest, keeps denormals and masks exceptions; embedders
/// switch flush-to-zero on. Afterwards the thread has what it had, status flags included.
class DefaultFloatEnvironment {
public:
  DefaultFloatEnvironment() : saved(readFloatState()) { writeFloatState(defaultFloatState); }
  ~DefaultFloatEnvironment() { writeFloatState(saved); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
  DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

private:
  FloatState saved;
};

} // namespace tw::runtime::host
