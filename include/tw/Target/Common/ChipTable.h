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

/// The latest row of the same family and variant that is not later, of the last family for a chip
/// of a later one; null if there is none.
template <typename Chip>
const Chip *findOlderChip(llvm::ArrayRef<Chip> chips, llvm::StringRef name,
                          std::optional<ChipVersion> (*parse)(llvm::StringRef)) {
  std::optional<ChipVersion> wanted = parse(name);
  if (!wanted)
    return nullptr;
  const Chip *best = nullptr, *last = nullptr;
  std::pair<unsigned, unsigned> bestRank, lastRank;
  std::pair<unsigned, unsigned> wantedRank(wanted->family, wanted->number);
  for (const Chip &chip : chips) {
    std::optional<ChipVersion> found = parse(chip.name);
    if (!found || found->variant != wanted->variant)
      continue;
    std::pair<unsigned, unsigned> rank(found->family, found->number);
    if (!last || rank > lastRank)
      last = &chip, lastRank = rank;
    if (found->family == wanted->family && rank <= wantedRank && (!best || rank > bestRank))
      best = &chip, bestRank = rank;
  }
  return last && wanted->family > lastRank.first ? last : best;
}

} // namespace tw
