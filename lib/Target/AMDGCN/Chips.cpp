// The table of AMD chips.
#include "tw/Target/AMDGCN/Chips.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <utility>

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

template <size_t... indices>
static constexpr std::array<llvm::StringLiteral, sizeof...(indices)>
getNames(std::index_sequence<indices...>) {
  return {chips[indices].name...};
}
static constexpr auto names = getNames(std::make_index_sequence<std::size(chips)>());

llvm::ArrayRef<llvm::StringLiteral> tw::amdgcn::chipNames() { return names; }

const Chip *tw::amdgcn::findChip(llvm::StringRef name) {
  if (name.empty())
    return chips;
  const Chip *chip = llvm::find_if(chips, [&](const Chip &known) { return known.name == name; });
  return chip == std::end(chips) ? nullptr : chip;
}
