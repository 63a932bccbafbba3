// The list of instruction sets, and what is asked of any of them.
#include "InstructionSet.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace tw::host;

namespace tw::host {
#define TW_INSTRUCTION_SET(name) const InstructionSet &get##name##InstructionSet();
#include "tw/Registry/InstructionSets.inc"
#undef TW_INSTRUCTION_SET
} // namespace tw::host

static bool hasAll(FeatureNames needs, ArrayRef<std::string> features) {
  return all_of(needs, [&](StringRef name) { return is_contained(features, name); });
}

ArrayRef<const InstructionSet *> tw::host::allInstructionSets() {
  static const InstructionSet *const sets[] = {
#define TW_INSTRUCTION_SET(name) &get##name##InstructionSet(),
#include "tw/Registry/InstructionSets.inc"
#undef TW_INSTRUCTION_SET
  };
  return sets;
}

const VectorRegisters &InstructionSet::getVectors(ArrayRef<std::string> features) const {
  return *find_if(
      vectors, [&](const VectorRegisters &registers) { return hasAll(registers.needs, features); });
}

const DotProducts *InstructionSet::findDots(DotKind kind, ArrayRef<std::string> features) const {
  auto found = find_if(dots, [&](const DotProducts &candidate) {
    return candidate.kind == kind && hasAll(candidate.needs, features);
  });
  return found == dots.end() ? nullptr : found;
}

const MatrixUnit *InstructionSet::findUnit(DotKind kind, ArrayRef<std::string> features) const {
  auto found = find_if(units, [&](const MatrixUnit &candidate) {
    return candidate.kind == kind && hasAll(candidate.needs, features);
  });
  return found == units.end() ? nullptr : found;
}

template <typename Predicate> static const InstructionSet *findSet(Predicate holds) {
  auto found = find_if(allInstructionSets(), holds);
  return found == allInstructionSets().end() ? nullptr : *found;
}

const InstructionSet *tw::host::findInstructionSet(StringRef name) {
  return findSet([&](const InstructionSet *set) { return set->name == name; });
}

const InstructionSet *tw::host::findInstructionSetOfMachine(uint16_t elfMachine) {
  return findSet([&](const InstructionSet *set) { return set->elfMachine == elfMachine; });
}

const InstructionSet *tw::host::findNativeInstructionSet() {
  Triple native(sys::getProcessTriple());
  return findSet(
      [&](const InstructionSet *set) { return Triple(set->triple).getArch() == native.getArch(); });
}

SmallVector<StringRef> tw::host::getDotNames() {
  SmallVector<StringRef> names;
  for (const InstructionSet *set : allInstructionSets())
    for (const DotProducts &dots : set->dots)
      names.push_back(dots.name);
  return names;
}

const DotProducts *tw::host::findDots(StringRef name) {
  for (const InstructionSet *set : allInstructionSets())
    for (const DotProducts &dots : set->dots)
      if (dots.name == name)
        return &dots;
  return nullptr;
}

SmallVector<StringRef> tw::host::getUnitNames() {
  SmallVector<StringRef> names;
  for (const InstructionSet *set : allInstructionSets())
    for (const MatrixUnit &unit : set->units)
      names.push_back(unit.name);
  return names;
}

const MatrixUnit *tw::host::findUnit(StringRef name) {
  for (const InstructionSet *set : allInstructionSets())
    for (const MatrixUnit &unit : set->units)
      if (unit.name == name)
        return &unit;
  return nullptr;
}
