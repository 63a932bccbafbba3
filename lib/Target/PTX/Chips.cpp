// The table of NVIDIA chips.
#include "tw/Target/PTX/Chips.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <utility>

using namespace tw::ptx;

static constexpr Chip chips[] = {
    {"sm_80", "+ptx70", 163 * 1024},   {"sm_70", "+ptx70", 96 * 1024},
    {"sm_72", "+ptx70", 96 * 1024},    {"sm_75", "+ptx70", 64 * 1024},
    {"sm_86", "+ptx71", 99 * 1024},    {"sm_87", "+ptx74", 163 * 1024},
    {"sm_89", "+ptx78", 99 * 1024},    {"sm_90", "+ptx78", 227 * 1024},
    {"sm_90a", "+ptx80", 227 * 1024},  {"sm_100", "+ptx86", 227 * 1024},
    {"sm_100a", "+ptx86", 227 * 1024},
};

template <size_t... indices>
static constexpr std::array<llvm::StringLiteral, sizeof...(indices)>
getNames(std::index_sequence<indices...>) {
  return {chips[indices].name...};
}
static constexpr auto names = getNames(std::make_index_sequence<std::size(chips)>());

llvm::ArrayRef<llvm::StringLiteral> tw::ptx::chipNames() { return names; }

const Chip *tw::ptx::findChip(llvm::StringRef name) {
  if (name.empty())
    return chips;
  const Chip *chip = llvm::find_if(chips, [&](const Chip &known) { return known.name == name; });
  return chip == std::end(chips) ? nullptr : chip;
}
