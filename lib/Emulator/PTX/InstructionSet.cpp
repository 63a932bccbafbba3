// The table of one build of the instructions.
#include "Lanes.h"

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

void addAtomics(InstructionSet &set);

const InstructionSet &instructions() {
  static const InstructionSet made = [] {
    InstructionSet set;
    addIntegers(set);
    addFloats(set);
    addComparisons(set);
    addConversions(set);
    addAccesses(set);
    addAtomics(set);
    addExchanges(set);
    addMatrices(set);
    addAsynchronous(set);
    addAsynchronousProducts(set);
    addBulkCopies(set);
    addMbarriers(set);
    return set;
  }();
  return made;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
