// x86-64: names, widths and what of it the other files of this folder give.
#include "X86_64.h"

#include "llvm/BinaryFormat/ELF.h"

using namespace tw::host;

/// Extensions that code generation may use and the runtime's loader can check with CPUID and
/// XGETBV. Names are LLVM's (llvm/lib/Target/X86/X86.td).
static constexpr llvm::StringLiteral checked[] = {"aes",
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
static constexpr llvm::StringLiteral refused[] = {
    "avx10.1", "avx10.2", "avx512vp2intersect", "ccmp",  "cf",  "egpr", "fma4", "lwp", "ndd",
    "nf",      "ppx",     "push2pop2",          "sse4a", "tbm", "xop",  "zu"};

/// x86-64-v3 as in the x86-64 psABI, section 3.1.1, table 3.1: the oldest supported level.
static constexpr llvm::StringLiteral baseline[] = {"avx",    "avx2",   "bmi",   "bmi2",   "f16c",
                                                   "fma",    "lzcnt",  "movbe", "popcnt", "sse3",
                                                   "sse4.1", "sse4.2", "ssse3"};

static constexpr VectorRegisters vectors[] = {
    {.needs = x86_64::wide,
     .bytes = 64,
     .count = 32,
     .hasMaskRegisters = true,
     .careful = "x86-64-v4"},
    {.needs = {}, .bytes = 32, .count = 16, .hasMaskRegisters = false, .careful = "x86-64-v3"},
};

static constexpr llvm::StringLiteral examples[] = {"x86-64-v3",      "x86-64-v4",      "haswell",
                                                   "skylake-avx512", "icelake-server", "znver3",
                                                   "sapphirerapids", "znver4",         "znver5"};

static bool isPcRelative(uint32_t relocation) {
  switch (relocation) {
  case llvm::ELF::R_X86_64_PC32:
  case llvm::ELF::R_X86_64_PC64:
  case llvm::ELF::R_X86_64_PLT32:
  case llvm::ELF::R_X86_64_NONE:
    return true;
  }
  return false;
}

namespace tw::host {

const InstructionSet &getX86_64InstructionSet() {
  static const InstructionSet set{
      .name = "x86-64",
      .summary = "x86-64 from v3 (AVX2) on",
      .triple = "x86_64-unknown-linux-gnu",
      .someCpu = "x86-64",
      .codeModel = llvm::CodeModel::Small,
      .checked = checked,
      .refused = refused,
      .baseline = baseline,
      .level = "x86-64-v3 (AVX2, FMA, BMI2, F16C)",
      .vectors = vectors,
      .hasMemoryOperands = true,
      .isReordered = true,
      .dots = x86_64::getDots(),
      .units = x86_64::getUnits(),
      .cpus = x86_64::getCpus(),
      .exampleCpus = examples,
      .elfMachine = llvm::ELF::EM_X86_64,
      .isPcRelative = isPcRelative,
      .emitFunction = x86_64::emitFunction,
  };
  return set;
}

} // namespace tw::host
