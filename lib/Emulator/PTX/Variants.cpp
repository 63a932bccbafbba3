// Which build of the instructions this machine runs.
#include "Instructions.h"

namespace tw::emulator::ptx {

namespace baseline {
const InstructionSet &instructions();
}
#ifdef TW_EMULATOR_X86
namespace avx2 {
const InstructionSet &instructions();
}
namespace avx512 {
const InstructionSet &instructions();
}
#endif

const InstructionSet &instructions() {
#ifdef TW_EMULATOR_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return avx512::instructions();
  if (__builtin_cpu_supports("x86-64-v3"))
    return avx2::instructions();
#endif
  return baseline::instructions();
}

} // namespace tw::emulator::ptx
