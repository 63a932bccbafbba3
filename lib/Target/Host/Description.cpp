// Host CPUs as data: which instruction set extensions matter, and what a CPU name resolves to.
#include "InstructionSet.h"
#include "Measure/Measure.h"

#include "tw/Support/Similar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

using namespace llvm;
using namespace tw;
using namespace tw::host;

namespace {

std::string hostFeatureString() {
  std::vector<std::string> parts;
  for (const auto &feature : sys::getHostCPUFeatures())
    parts.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(parts);
  return join(parts, ",");
}

const llvm::Target *findBackend(const InstructionSet &set, std::string &error) {
  static const bool initialized = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(Triple(set.triple), error);
}

/// Whether LLVM knows the CPU. Asked with one that it knows: for others it prints a warning.
bool knowsCpu(const InstructionSet &set, StringRef cpu) {
  std::string error;
  const llvm::Target *backend = findBackend(set, error);
  if (!backend)
    return false;
  std::unique_ptr<MCSubtargetInfo> any(
      backend->createMCSubtargetInfo(Triple(set.triple), set.someCpu, ""));
  return any->isCPUStringValid(cpu);
}

/// The instruction set of the CPU, which LLVM calls `llvmCpu`; null if nobody knows it. Of any CPU
/// of an instruction set that and its features become other ones.
const InstructionSet *selectInstructionSet(StringRef cpu, std::string &llvmCpu,
                                           std::string &features) {
  if (cpu == "native")
    if (const InstructionSet *set = findNativeInstructionSet())
      return set;
  for (const InstructionSet *candidate : allInstructionSets()) {
    if (cpu == candidate->anyCpu) {
      llvmCpu = candidate->someCpu;
      features = candidate->anyFeatures;
      return candidate;
    }
    if (knowsCpu(*candidate, llvmCpu))
      return candidate;
  }
  return nullptr;
}

/// Which of the extensions that matter a CPU has.
SmallVector<StringRef> findExtensions(const InstructionSet &set, const llvm::Target &backend,
                                      StringRef cpu, StringRef features) {
  std::unique_ptr<MCSubtargetInfo> subtarget(
      backend.createMCSubtargetInfo(Triple(set.triple), cpu, features));
  StringSet<> enabled;
  for (const SubtargetFeatureKV &feature : subtarget->getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  SmallVector<StringRef> found;
  copy_if(set.checked, std::back_inserter(found),
          [&](StringRef name) { return enabled.contains(name); });
  return found;
}

/// The oldest CPU of each instruction set.
std::string listExamples() {
  return llvm::join(llvm::map_range(allInstructionSets(),
                                    [](const InstructionSet *set) { return set->exampleCpus[0]; }),
                    " or ");
}

} // namespace

std::string tw::host::nameMachine(const InstructionSet &set, StringRef model, StringRef features) {
  std::string error;
  const llvm::Target *found = findBackend(set, error);
  if (!found)
    return model.str();
  const llvm::Target &backend = *found;
  SmallVector<StringRef> has = findExtensions(set, backend, model, features);
  auto countOthers = [&](StringRef cpu) -> std::optional<size_t> {
    SmallVector<StringRef> own = findExtensions(set, backend, cpu, "");
    if (!all_of(has, [&](StringRef name) { return is_contained(own, name); }))
      return std::nullopt;
    return own.size() - has.size();
  };
  std::string best = model.str();
  if (countOthers(model))
    return best;
  std::optional<size_t> fewest;
  for (const Cpu &cpu : set.cpus)
    for (StringRef name : split(cpu.names, ' '))
      if (std::optional<size_t> others = countOthers(name);
          others && (!fewest || *others < *fewest)) {
        fewest = others;
        best = name.str();
      }
  return best;
}

/// What --measure has kept for this machine.
static void takeMeasuredTraits(Description &description) {
  measure::Table table;
  if (!measure::findTable(table))
    return;
  for (const auto &[name, value] : table.values)
    if (std::string error; schedule::setTrait(description.traits, name, value, error))
      description.sources[name] = "measured " + table.date;
}

/// What its features have instructions for.
static void takeInstructions(Description &description) {
  const InstructionSet &set = *description.set;
  schedule::HostTraits &traits = description.traits;
  traits.bf16Dot = set.findDots(DotKind::BF16, description.features);
  traits.int8Dot = set.findDots(DotKind::Int8, description.features);
  traits.int16Dot = set.findDots(DotKind::Int16, description.features);
  for (auto [kind, has] :
       {std::pair(DotKind::BF16, &traits.bf16Blocks), std::pair(DotKind::Int8, &traits.int8Blocks)})
    if (const MatrixUnit *unit = set.findUnit(kind, description.features)) {
      *has = true;
      traits.blockRows = unit->rows;
      traits.blockRegisters = unit->registers;
    }
}

/// By table and system alone.
static bool describeUnmeasured(StringRef cpu, const std::vector<std::string> *only,
                               Description &description, std::string &error) {
  bool native = cpu == "native";
  std::string llvmCpu = native ? sys::getHostCPUName().str() : cpu.str();
  std::string features = native ? hostFeatureString() : "";
  const InstructionSet *set = selectInstructionSet(cpu, llvmCpu, features);
  if (!set) {
    StringRef similar = findSimilar(cpu, getKnownCpus());
    error = "unknown CPU '" + cpu.str() + "'" +
            (similar.empty() ? "" : "; did you mean '" + similar.str() + "'?") +
            (similar.empty() ? ", expected" : " Expected is") +
            " native or a name of LLVM's such as " + listExamples();
    return false;
  }
  const llvm::Target *backend = findBackend(*set, error);
  if (!backend)
    return false;
  auto append = [&](StringRef sign, StringRef name) {
    features += (features.empty() ? "" : ",") + sign.str() + name.str();
  };
  if (native) {
    // A CPU by another name has no more than the machine.
    SmallVector<StringRef> has = findExtensions(*set, *backend, llvmCpu, features);
    llvmCpu = nameMachine(*set, llvmCpu, features);
    for (StringRef name : findExtensions(*set, *backend, llvmCpu, features))
      if (!is_contained(has, name))
        append("-", name);
    for (const MatrixUnit &unit : set->units)
      if (all_of(unit.needs, [&](StringRef name) { return is_contained(has, name); }) &&
          unit.isGranted && !unit.isGranted())
        for (StringRef name : unit.needs)
          append("-", name);
  }
  for (StringRef name : set->refused)
    append("-", name);
  if (only) {
    SmallVector<StringRef> known(set->checked.begin(), set->checked.end());
    for (StringRef name : *only)
      if (!is_contained(known, name) && name != set->always) {
        error = "no feature '" + name.str() + "' of a CPU" + listKnown(name, known);
        return false;
      }
    for (StringRef name : known)
      if (!is_contained(*only, name))
        append("-", name);
    for (StringRef name : *only)
      if (name != set->always)
        append("+", name);
  }

  description = Description();
  description.cpu = cpu.str();
  description.set = set;
  description.llvmCpu = llvmCpu;
  description.llvmFeatures = features;
  std::unique_ptr<MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(Triple(set->triple), llvmCpu, features));
  StringSet<> enabled;
  for (const SubtargetFeatureKV &feature : subtarget->getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  for (StringRef name : set->baseline) {
    if (!enabled.contains(name)) {
      error =
          "CPU '" + cpu.str() + "' lacks " + name.str() + ", expected at least " + set->level.str();
      return false;
    }
  }
  for (StringRef name : set->checked)
    if (enabled.contains(name))
      description.features.push_back(name.str());
  if (!set->always.empty())
    description.features.push_back(set->always.str());
  llvm::sort(description.features);

  takeTableTraits(description, set->getVectors(description.features));
  takeInstructions(description);
  if (native)
    takeSystemTraits(description);
  return true;
}

bool tw::host::describeNamedCpu(StringRef cpu, const std::vector<std::string> *only,
                                Description &description, std::string &error) {
  if (!describeUnmeasured(cpu, only, description, error))
    return false;
  if (cpu == "native")
    takeMeasuredTraits(description);
  return true;
}

llvm::SmallVector<std::string> tw::host::Description::dots() const {
  llvm::SmallVector<std::string> names;
  for (auto [kind, has] :
       {std::pair(DotKind::BF16, traits.bf16Dot), std::pair(DotKind::Int8, traits.int8Dot),
        std::pair(DotKind::Int16, traits.int16Dot)})
    if (has)
      names.push_back(set->findDots(kind, features)->name.str());
  return names;
}

llvm::SmallVector<std::string> tw::host::Description::units() const {
  llvm::SmallVector<std::string> names;
  for (auto [kind, has] :
       {std::pair(DotKind::BF16, traits.bf16Blocks), std::pair(DotKind::Int8, traits.int8Blocks)})
    if (const MatrixUnit *unit = has ? set->findUnit(kind, features) : nullptr)
      names.push_back(unit->name.str());
  return names;
}

bool tw::host::describeCpu(StringRef cpu, Description &description, std::string &error) {
  if (cpu.consume_front("@"))
    return describeFile(cpu, description, error);
  return describeNamedCpu(cpu, nullptr, description, error);
}

bool tw::host::measureHost(unsigned samples, function_ref<void(const std::string &)> note,
                           std::string &error) {
  Description machine;
  measure::Table table;
  return measure::makeFolder(error) && describeUnmeasured("native", nullptr, machine, error) &&
         measure::measureMachine(machine, samples, table, note, error) &&
         measure::keepTable(table, error);
}
