// Host CPUs as data: which instruction set extensions matter, and what a CPU name resolves to.
#include "Cpus.h"

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

namespace {

/// Extensions that code generation may use and the runtime's loader can check with CPUID and
/// XGETBV. Names are LLVM's (llvm/lib/Target/X86/X86.td).
constexpr StringLiteral checkedX86[] = {"aes",
                                        "amx-bf16",
                                        "amx-int8",
                                        "amx-tile",
                                        "avx",
                                        "avx2",
                                        "avx512bf16",
                                        "avx512bitalg",
                                        "avx512bw",
                                        "avx512cd",
                                        "avx512dq",
                                        "avx512f",
                                        "avx512fp16",
                                        "avx512ifma",
                                        "avx512vbmi",
                                        "avx512vbmi2",
                                        "avx512vl",
                                        "avx512vnni",
                                        "avx512vpopcntdq",
                                        "avxifma",
                                        "avxvnni",
                                        "avxvnniint8",
                                        "bmi",
                                        "bmi2",
                                        "f16c",
                                        "fma",
                                        "gfni",
                                        "lzcnt",
                                        "movbe",
                                        "pclmul",
                                        "popcnt",
                                        "sha",
                                        "sse3",
                                        "sse4.1",
                                        "sse4.2",
                                        "ssse3",
                                        "vaes",
                                        "vpclmulqdq"};

/// Extensions that LLVM might use when the CPU has them but the loader does not check: always off.
constexpr StringLiteral refusedX86[] = {
    "avx10.1", "avx10.2", "avx512vp2intersect", "ccmp",  "cf",  "egpr", "fma4", "lwp", "ndd",
    "nf",      "ppx",     "push2pop2",          "sse4a", "tbm", "xop",  "zu"};

/// x86-64-v3 as in the x86-64 psABI, section 3.1.1, table 3.1: the oldest supported level.
constexpr StringLiteral baselineX86[] = {"avx",    "avx2",   "bmi",   "bmi2",   "f16c",
                                         "fma",    "lzcnt",  "movbe", "popcnt", "sse3",
                                         "sse4.1", "sse4.2", "ssse3"};

/// What 64-byte vectors need (x86-64-v4 in the same table, less avx512cd).
constexpr StringLiteral wide[] = {"avx512bw", "avx512dq", "avx512f", "avx512vl"};

/// Those that Linux reports with AT_HWCAP and AT_HWCAP2; names of
/// llvm/lib/Target/AArch64/AArch64Features.td.
constexpr StringLiteral checkedAArch64[] = {
    "aes",  "bf16",   "complxnum", "crc",  "dotprod", "fp-armv8", "fp16fml", "fullfp16",
    "i8mm", "jsconv", "lse",       "neon", "rdm",     "sha2",     "sha3",    "sm4"};
constexpr StringLiteral refusedAArch64[] = {"altnzcv", "cmpbr",  "cssc",    "faminmax", "flagm",
                                            "fp8",     "fprcvt", "fptoint", "hbc",      "lut",
                                            "mops",    "mte",    "sme",     "sve"};
constexpr StringLiteral baselineAArch64[] = {"fp-armv8", "neon"};

/// What differs between architectures.
struct Isa {
  tw::host::Architecture architecture;
  StringLiteral triple;
  /// A CPU that LLVM knows, to ask for others with.
  StringLiteral someCpu;
  ArrayRef<StringLiteral> checked, refused, baseline;
  StringLiteral level;
  /// A feature by which loaders of other architectures refuse code; those of x86-64 do so by AVX.
  StringLiteral always;
};

constexpr Isa isas[] = {
    {tw::host::Architecture::X86, "x86_64-unknown-linux-gnu", "x86-64", checkedX86, refusedX86,
     baselineX86, "x86-64-v3 (AVX2, FMA, BMI2, F16C)", ""},
    {tw::host::Architecture::AArch64, "aarch64-unknown-linux-gnu", "generic", checkedAArch64,
     refusedAArch64, baselineAArch64, "Armv8-A with vectors", "aarch64"},
};

#if defined(__aarch64__)
constexpr const Isa &nativeIsa = isas[1];
#else
constexpr const Isa &nativeIsa = isas[0];
#endif

std::string hostFeatureString() {
  std::vector<std::string> parts;
  for (const auto &feature : sys::getHostCPUFeatures())
    parts.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(parts);
  return join(parts, ",");
}

const llvm::Target *findBackend(const Isa &isa, std::string &error) {
  static const bool initialized = [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(Triple(isa.triple), error);
}

/// Whether LLVM knows the CPU. Asked with one that it knows: for others it prints a warning.
bool knowsCpu(const Isa &isa, StringRef cpu) {
  std::string error;
  const llvm::Target *backend = findBackend(isa, error);
  if (!backend)
    return false;
  std::unique_ptr<MCSubtargetInfo> any(
      backend->createMCSubtargetInfo(Triple(isa.triple), isa.someCpu, ""));
  return any->isCPUStringValid(cpu);
}

} // namespace

StringRef tw::host::Description::triple() const {
  for (const Isa &isa : isas)
    if (isa.architecture == architecture)
      return isa.triple;
  llvm_unreachable("every architecture is in the list");
}

bool tw::host::describeNamedCpu(StringRef cpu, const std::vector<std::string> *only,
                                Description &description, std::string &error) {
  bool native = cpu == "native";
  std::string llvmCpu = native ? sys::getHostCPUName().str() : cpu.str();
  std::string features = native ? hostFeatureString() : "";
  const Isa *isa = native ? &nativeIsa : nullptr;
  if (cpu == "aarch64") {
    isa = &isas[1];
    llvmCpu = "generic";
    features = "+v8.2a";
  }
  for (const Isa &candidate : isas)
    if (!isa && knowsCpu(candidate, llvmCpu))
      isa = &candidate;
  if (!isa) {
    StringRef similar = findSimilar(cpu, getKnownCpus());
    error = "unknown CPU '" + cpu.str() + "'" +
            (similar.empty() ? "" : "; did you mean '" + similar.str() + "'?") +
            (similar.empty() ? ", expected" : " Expected is") +
            " native or a name of LLVM's such as x86-64-v3, x86-64-v4, znver4 or aarch64";
    return false;
  }
  const llvm::Target *backend = findBackend(*isa, error);
  if (!backend)
    return false;
  auto append = [&](StringRef sign, StringRef name) {
    features += (features.empty() ? "" : ",") + sign.str() + name.str();
  };
  for (StringRef name : isa->refused)
    append("-", name);
  if (only) {
    SmallVector<StringRef> known(isa->checked.begin(), isa->checked.end());
    for (StringRef name : *only)
      if (!is_contained(known, name) && name != isa->always) {
        error = "no feature '" + name.str() + "' of a CPU" + listKnown(name, known);
        return false;
      }
    for (StringRef name : known)
      if (!is_contained(*only, name))
        append("-", name);
    for (StringRef name : *only)
      if (name != isa->always)
        append("+", name);
  }

  description = Description();
  description.cpu = cpu.str();
  description.architecture = isa->architecture;
  description.llvmCpu = llvmCpu;
  description.llvmFeatures = features;
  std::unique_ptr<MCSubtargetInfo> subtarget(
      backend->createMCSubtargetInfo(Triple(isa->triple), llvmCpu, features));
  StringSet<> enabled;
  for (const SubtargetFeatureKV &feature : subtarget->getEnabledProcessorFeatures())
    enabled.insert(feature.Key);
  for (StringRef name : isa->baseline) {
    if (!enabled.contains(name)) {
      error =
          "CPU '" + cpu.str() + "' lacks " + name.str() + ", expected at least " + isa->level.str();
      return false;
    }
  }
  for (StringRef name : isa->checked)
    if (enabled.contains(name))
      description.features.push_back(name.str());
  if (!isa->always.empty())
    description.features.push_back(isa->always.str());
  llvm::sort(description.features);

  bool arm = isa->architecture == Architecture::AArch64;
  bool isWide = llvm::all_of(wide, [&](StringRef name) { return enabled.contains(name); });
  schedule::HostTraits &traits = description.traits;
  traits = getTableTraits(description, arm ? 16 : isWide ? 64 : 32, arm || isWide ? 32 : 16);
  // Those that tile-to-vector makes: none of AArch64's.
  traits.bf16Dot = !arm && isWide && enabled.contains("avx512bf16");
  traits.int8Dot =
      !arm && ((isWide && enabled.contains("avx512vnni")) || enabled.contains("avxvnni"));
  traits.int16Dot = !arm;
  if (native)
    readNativeCaches(traits);
  return true;
}

bool tw::host::describeCpu(StringRef cpu, Description &description, std::string &error) {
  if (cpu.consume_front("@"))
    return describeFile(cpu, description, error);
  return describeNamedCpu(cpu, nullptr, description, error);
}
