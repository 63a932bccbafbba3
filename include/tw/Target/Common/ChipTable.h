// Look-ups in a target's table of chips.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <utility>

namespace tw {

/// The names of a table whose rows have a `name`.
template <typename Chip, size_t count>
constexpr std::array<llvm::StringLiteral, count> getChipNames(const Chip (&chips)[count]) {
  return [&]<size_t... indices>(std::index_sequence<indices...>) {
    return std::array<llvm::StringLiteral, count>{chips[indices].name...};
  }(std::make_index_sequence<count>());
}

/// The row of that name, the first for an empty one; null if there is none.
template <typename Chip> const Chip *findChip(llvm::ArrayRef<Chip> chips, llvm::StringRef name) {
  for (const Chip &chip : chips)
    if (name.empty() || chip.name == name)
      return &chip;
  return nullptr;
}

/// What a chip's name says: chips of one family and variant come after each other.
struct ChipVersion {
  unsigned family = 0, number = 0;
  llvm::StringRef variant = "";
};

/// The latest row of the same family and variant that is not later; null if there is none.
template <typename Chip>
const Chip *findOlderChip(llvm::ArrayRef<Chip> chips, llvm::StringRef name,
                          std::optional<ChipVersion> (*parse)(llvm::StringRef)) {
  const Chip *best = nullptr;
  std::optional<ChipVersion> wanted = parse(name), least;
  for (const Chip &chip : chips) {
    std::optional<ChipVersion> found = parse(chip.name);
    if (!wanted || !found || found->family != wanted->family || found->variant != wanted->variant ||
        found->number > wanted->number || (least && found->number <= least->number))
      continue;
    best = &chip;
    least = found;
  }
  return best;
}

} // namespace tw
