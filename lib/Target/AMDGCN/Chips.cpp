// The table of AMD chips.
#include "tw/Target/AMDGCN/Chips.h"

#include "tw/Target/Common/ChipTable.h"
#include "tw/Target/Common/CodeGeneration.h"

using namespace tw::amdgcn;

static constexpr Chip chips[] = {
    {"gfx942", "gfx942", "", 64, 64 * 1024},
    {"gfx90a", "gfx90a", "", 64, 64 * 1024},
    {"gfx950", "gfx950", "", 64, 160 * 1024},
    {"gfx1030", "gfx1030", "", 32, 64 * 1024},
    {"gfx1030-wave64", "gfx1030", "+wavefrontsize64", 64, 64 * 1024},
    {"gfx1100", "gfx1100", "", 32, 64 * 1024},
    {"gfx1100-wave64", "gfx1100", "+wavefrontsize64", 64, 64 * 1024},
    {"gfx1201", "gfx1201", "", 32, 64 * 1024},
    {"gfx1201-wave64", "gfx1201", "+wavefrontsize64", 64, 64 * 1024},
};

static constexpr auto names = tw::getChipNames(chips);

llvm::ArrayRef<llvm::StringLiteral> tw::amdgcn::chipNames() { return names; }

/// "gfx1103-wave64": generation 11, the rest two digits to base 16.
static std::optional<tw::ChipVersion> parse(llvm::StringRef name) {
  tw::ChipVersion version;
  llvm::StringRef digits = name.take_until([](char c) { return c == '-'; });
  version.variant = name.drop_front(digits.size());
  if (!digits.consume_front("gfx") || digits.size() < 3 || digits.size() > 4 ||
      digits.drop_back(2).getAsInteger(10, version.family) ||
      digits.take_back(2).getAsInteger(16, version.number))
    return std::nullopt;
  return version;
}

const Chip *tw::amdgcn::findOlder(llvm::StringRef name) {
  return tw::findOlderChip(llvm::ArrayRef(chips), name, parse);
}

std::optional<Chip> tw::amdgcn::findChip(llvm::StringRef name) {
  if (const Chip *chip = tw::findChip(llvm::ArrayRef(chips), name))
    return *chip;
  const Chip *older = findOlder(name);
  if (!older)
    return std::nullopt;
  Chip chip = *older;
  llvm::StringRef own = name.split('-').first;
  if (codegen::isProcessor("amdgcn-amd-amdhsa", own))
    chip.processor = own;
  return chip;
}
