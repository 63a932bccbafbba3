// AArch64: names, widths and what of it the other files of this folder give. Vectors are those of
// NEON, 16 bytes. SVE, whose vectors have no fixed length, is switched off.
#include "AArch64.h"

#include "llvm/BinaryFormat/ELF.h"

using namespace tw::host;

/// Those that Linux reports with AT_HWCAP and AT_HWCAP2; names of
/// llvm/lib/Target/AArch64/AArch64Features.td.
static constexpr llvm::StringLiteral checked[] = {
    "aes",  "bf16",   "complxnum", "crc",  "dotprod", "fp-armv8", "fp16fml", "fullfp16",
    "i8mm", "jsconv", "lse",       "neon", "rdm",     "sha2",     "sha3",    "sm4"};
static constexpr llvm::StringLiteral refused[] = {
    "altnzcv", "cmpbr", "cssc", "faminmax", "flagm", "fp8", "fprcvt",
    "fptoint", "hbc",   "lut",  "mops",     "mte",   "sme", "sve"};
static constexpr llvm::StringLiteral baseline[] = {"fp-armv8", "neon"};

static constexpr VectorRegisters vectors[] = {
    {.needs = {}, .bytes = 16, .count = 32, .hasMaskRegisters = false, .careful = "generic"},
};

static constexpr llvm::StringLiteral examples[] = {"aarch64", "neoverse-n1", "neoverse-v1"};

/// Pages of 4 KiB are named relative to the instruction, and places within a page.
static bool isPcRelative(uint32_t relocation) {
  switch (relocation) {
  case llvm::ELF::R_AARCH64_NONE:
  case llvm::ELF::R_AARCH64_PREL32:
  case llvm::ELF::R_AARCH64_PREL64:
  case llvm::ELF::R_AARCH64_ADR_PREL_LO21:
  case llvm::ELF::R_AARCH64_ADR_PREL_PG_HI21:
  case llvm::ELF::R_AARCH64_ADD_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_LDST8_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_LDST16_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_LDST32_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_LDST64_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_LDST128_ABS_LO12_NC:
  case llvm::ELF::R_AARCH64_CALL26:
  case llvm::ELF::R_AARCH64_JUMP26:
    return true;
  }
  return false;
}

namespace tw::host {

const InstructionSet &getAArch64InstructionSet() {
  static const InstructionSet set{
      .name = "aarch64",
      .summary = "AArch64",
      .triple = "aarch64-unknown-linux-gnu",
      .someCpu = "generic",
      .anyCpu = "aarch64",
      .anyFeatures = "+v8.2a",
      .checked = checked,
      .refused = refused,
      .baseline = baseline,
      .level = "Armv8-A with vectors",
      .always = "aarch64",
      .vectors = vectors,
      .hasMemoryOperands = false,
      .dots = aarch64::getDots(),
      .cpus = aarch64::getCpus(),
      .exampleCpus = examples,
      .elfMachine = llvm::ELF::EM_AARCH64,
      .isPcRelative = isPcRelative,
  };
  return set;
}

} // namespace tw::host
