// How tiles move between layouts, and what local memory makes of their accesses.
#include "Arithmetic.h"
#include "tw/Layout/LaneTrade.h"
#include "tw/Layout/TileLayout.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

using namespace tw::layout;

Exchange tw::layout::findExchange(const TileLayout &from, const TileLayout &to) {
  if (from == to)
    return Exchange::None;
  // The lanes (and warps) that hold each element.
  std::map<std::vector<int64_t>, std::set<std::pair<int64_t, int64_t>>> holders;
  for (int64_t warp = 0; warp < from.count(Resource::Warp); ++warp)
    for (int64_t lane = 0; lane < from.count(Resource::Lane); ++lane)
      for (int64_t reg = 0; reg < from.count(Resource::Reg); ++reg)
        holders[from.coordinates({reg, lane, warp})].insert({warp, lane});
  Exchange needed = Exchange::Registers;
  for (int64_t warp = 0; warp < to.count(Resource::Warp); ++warp)
    for (int64_t lane = 0; lane < to.count(Resource::Lane); ++lane)
      for (int64_t reg = 0; reg < to.count(Resource::Reg); ++reg) {
        const auto &threads = holders[to.coordinates({reg, lane, warp})];
        if (threads.contains({warp, lane}))
          continue;
        auto next = threads.lower_bound({warp, 0});
        if (next == threads.end() || next->first != warp)
          return Exchange::Local;
        needed = Exchange::Shuffles;
      }
  return needed;
}

TileLayout tw::layout::trade(TileLayout layout, const LaneTrade &bits) {
  std::swap(layout.bases[size_t(Resource::Reg)][bits.reg],
            layout.bases[size_t(Resource::Lane)][bits.lane]);
  return layout;
}

std::optional<LaneTrade> tw::layout::findLaneTrade(const TileLayout &from, const TileLayout &to) {
  auto basesOf = [](const TileLayout &layout, Resource resource) -> const std::vector<Basis> & {
    return layout.bases[size_t(resource)];
  };
  const auto &lanes = basesOf(from, Resource::Lane), &otherLanes = basesOf(to, Resource::Lane);
  const auto &registers = basesOf(from, Resource::Reg);
  auto [own, other] = std::ranges::mismatch(lanes, otherLanes);
  auto reg = std::ranges::find(registers, other == otherLanes.end() ? Basis() : *other);
  if (from.shape != to.shape || own == lanes.end() || reg == registers.end())
    return std::nullopt;
  LaneTrade bits{unsigned(reg - registers.begin()), unsigned(own - lanes.begin())};
  TileLayout traded = trade(from, bits), wanted = to;
  for (TileLayout *layout : {&traded, &wanted})
    std::ranges::sort(layout->bases[size_t(Resource::Reg)]);
  return traded == wanted ? std::optional(bits) : std::nullopt;
}

int64_t tw::layout::countBankConflicts(const TileLayout &layout, std::span<const int64_t> strides,
                                       int64_t elementBytes, int64_t width) {
  constexpr int64_t banks = 32, wordBytes = 4;
  int64_t worst = 1;
  int64_t lanes = layout.count(Resource::Lane);
  // The banks give a word each at once: wide accesses, and subgroups with more lanes, take turns.
  int64_t together =
      std::clamp<int64_t>(banks * wordBytes / std::max(wordBytes, width * elementBytes), 1, lanes);
  for (int64_t warp = 0; warp < layout.count(Resource::Warp); ++warp)
    for (int64_t reg = 0; reg < layout.count(Resource::Reg); reg += width)
      for (int64_t first = 0; first < lanes; first += together) {
        std::array<std::set<int64_t>, banks> words;
        for (int64_t lane = first; lane < first + together; ++lane) {
          std::vector<int64_t> element = layout.coordinates({reg, lane, warp});
          int64_t address = 0;
          for (size_t d = 0; d < element.size(); ++d)
            address += element[d] * strides[d];
          for (int64_t byte = 0; byte < width * elementBytes; byte += wordBytes) {
            // Addresses along a reversed dimension are below 0.
            int64_t word = floorDivide(address * elementBytes + byte, wordBytes);
            words[word - floorDivide(word, banks) * banks].insert(word);
          }
        }
        for (const auto &bank : words)
          worst = std::max<int64_t>(worst, int64_t(bank.size()));
      }
  return worst;
}

std::vector<int64_t> tw::layout::choosePadding(std::span<const int64_t> shape, int64_t elementBytes,
                                               std::span<const TileLayout *const> layouts) {
  size_t rank = shape.size();
  auto stridesFor = [&](int64_t padding) {
    std::vector<int64_t> strides(rank, 1);
    for (size_t d = rank; d-- > 1;)
      strides[d - 1] = strides[d] * shape[d] + (d + 1 == rank ? padding : 0);
    return strides;
  };
  std::vector<int64_t> best = stridesFor(0);
  if (rank < 2)
    return best;
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (int64_t padding : {0, 1, 2, 4, 8}) {
    std::vector<int64_t> strides = stridesFor(padding);
    int64_t sum = 0;
    for (const TileLayout *layout : layouts)
      sum += countBankConflicts(*layout, strides, elementBytes, 1);
    if (sum < fewest) {
      fewest = sum;
      best = strides;
    }
  }
  return best;
}
