// The table of one build of the instructions.
#include "Lanes.h"

namespace tw::emulator::amdgcn {

const InstructionSet &instructions() {
  static const InstructionSet made = [] {
    InstructionSet set;
    addVectors(set);
    addComparisons(set);
    addScalars(set);
    addAccesses(set);
    addMatrices(set);
    return set;
  }();
  return made;
}

} // namespace tw::emulator::amdgcn
