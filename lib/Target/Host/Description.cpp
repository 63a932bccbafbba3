// Host CPUs as data: which instruction set extensions matter, and what a CPU name resolves to.
#include "tw/Target/Host/Description.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <memory>

using namespace llvm;

namespace {

/// Extensions that code generation may use and the runtime's loader can check with CPUID and
/// XGETBV. Names are LLVM's (llvm/lib/Target/X86/X86.td).
constexpr StringLiteral checkedFeatures[] = {"aes",
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
constexpr StringLiteral refusedFeatures[] = {
    "avx10.1", "avx10.2", "avx512vp2intersect", "ccmp",  "cf",  "egpr", "fma4", "lwp", "ndd",
    "nf",      "ppx",     "push2pop2",          "sse4a", "tbm", "xop",  "zu"};

/// x86-64-v3 as in the x86-64 psABI, section 3.1.1, table 3.1: the oldest supported level.
constexpr StringLiteral baseline[] = {"avx",    "avx2",   "bmi",   "bmi2",   "f16c",
                                      "fma",    "lzcnt",  "movbe", "popcnt", "sse3",
                                      "sse4.1", "sse4.2", "ssse3"};

/// What 64-byte vectors need (x86-64-v4 in the same table, less avx512cd).
constexpr StringLiteral wide[] = {"avx512bw", "avx512dq", "avx512f", "avx512vl"};

std::string hostFeatureString() {
  std::vector<std::string> parts;
  for (const auto &feature : sys::getHostCPUFeatures())
    parts.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(parts);
  return join(parts, ",");
}

} // namespace

bool tw::host::describeCpu(StringRef cpu, Description &description, std::string &error) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return false;

  description.cpu = cpu.str();
  bool native = cpu == "native";
  description.llvmCpu = native ? sys::getHostCPUName().str() : cpu.str();
  std::string features = native ? hostFeatureString() : "";
  for (StringRef name : refusedFeatures)
    features += (features.empty() ? "-" : ",-") + name.str();
  description.llvmFeatures = features;

  // Ask with the generic CPU first: LLVM prints a warning of its own for a name it does not know.
  std::unique_ptr<MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "x86-64", ""));
  if (!any->isCPUStringValid(description.llvmCpu)) {
    error = "unknown CPU '" + cpu.str() +
            "', expected native or a name of LLVM's such as x86-64-v3, x86-64-v4 or znver4";
    return false;
  }
  std::unique_ptr<MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple, description.llvmCpu, features));
  StringSet<> enabled;
  for (const SubtargetFeatureKV &feature : subtarget->getEnabledProcessorFeatures())
    enabled.insert(feature.Key);

  for (StringRef name : baseline) {
    if (!enabled.contains(name)) {
      error = "CPU '" + cpu.str() + "' lacks " + name.str() +
              ", expected at least x86-64-v3 (AVX2, FMA, BMI2, F16C)";
      return false;
    }
  }
  description.features.clear();
  for (StringRef name : checkedFeatures)
    if (enabled.contains(name))
      description.features.push_back(name.str());
  llvm::sort(description.features);
  bool isWide = llvm::all_of(wide, [&](StringRef name) { return enabled.contains(name); });
  description.vectorBytes = isWide ? 64 : 32;
  description.vectorRegisters = isWide ? 32 : 16;
  return true;
}

std::string tw::host::toJson(const Description &description) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("target", "host");
    json.attribute("cpu", description.llvmCpu);
    json.attributeArray("features", [&] {
      for (const std::string &feature : description.features)
        json.value(feature);
    });
    json.attribute("vector_bytes", description.vectorBytes);
    json.attribute("vector_registers", description.vectorRegisters);
  });
  return text;
}
