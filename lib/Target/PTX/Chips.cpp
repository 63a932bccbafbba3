// The table of NVIDIA chips.
#include "tw/Target/PTX/Chips.h"

#include "tw/Target/Common/ChipTable.h"

using namespace tw::ptx;

static constexpr Chip chips[] = {
    {"sm_80", "+ptx70", 163 * 1024},   {"sm_70", "+ptx70", 96 * 1024},
    {"sm_72", "+ptx70", 96 * 1024},    {"sm_75", "+ptx70", 64 * 1024},
    {"sm_86", "+ptx71", 99 * 1024},    {"sm_87", "+ptx74", 163 * 1024},
    {"sm_89", "+ptx78", 99 * 1024},    {"sm_90", "+ptx78", 227 * 1024},
    {"sm_90a", "+ptx80", 227 * 1024},  {"sm_100", "+ptx86", 227 * 1024},
    {"sm_100a", "+ptx86", 227 * 1024},
};

static constexpr auto names = tw::getChipNames(chips);

llvm::ArrayRef<llvm::StringLiteral> tw::ptx::chipNames() { return names; }

/// "sm_90"; code for one with a letter behind runs on no other.
static std::optional<tw::ChipVersion> parse(llvm::StringRef name) {
  tw::ChipVersion version;
  if (!name.consume_front("sm_") || name.size() > 3 || name.getAsInteger(10, version.number))
    return std::nullopt;
  return version;
}

const Chip *tw::ptx::findOlder(llvm::StringRef name) {
  return tw::findOlderChip(llvm::ArrayRef(chips), name.rtrim("af"), parse);
}

const Chip *tw::ptx::findChip(llvm::StringRef name) {
  const Chip *chip = tw::findChip(llvm::ArrayRef(chips), name);
  return chip ? chip : findOlder(name);
}
