// Tile layouts against enumeration: every element has a holder, slices agree, exchanges suffice.
#include "tw/Layout/LaneTrade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tw::layout;

namespace {

constexpr int64_t lanes = 8, warps = 4;

template <typename Visit> void forEachHolder(const TileLayout &layout, Visit visit) {
  for (int64_t warp = 0; warp < layout.count(Resource::Warp); ++warp)
    for (int64_t lane = 0; lane < layout.count(Resource::Lane); ++lane)
      for (int64_t reg = 0; reg < layout.count(Resource::Reg); ++reg)
        visit(Holder{reg, lane, warp});
}

struct Random {
  std::mt19937_64 engine;
  int64_t operator()(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
};

/// At most a few hundred elements, so that all pairs of holders can be looked at.
TileLayout randomDistribution(Random &random) {
  size_t rank = size_t(random(1, 3));
  int64_t bits = 6 - int64_t(rank), extent = 24 >> rank;
  std::vector<int64_t> shape, block;
  std::vector<unsigned> order;
  for (size_t d = 0; d < rank; ++d) {
    shape.push_back(random(0, 1) ? int64_t(1) << random(0, bits) : random(1, extent));
    block.push_back(int64_t(1) << random(0, 2));
    order.push_back(unsigned(d));
  }
  std::ranges::shuffle(order, random.engine);
  return TileLayout::distribute(shape, block, order, lanes, warps);
}

/// Any basis for any bit of an atom, mixed by exclusive or so that it stays invertible.
TileLayout randomLinear(Random &random) {
  TileLayout layout = randomDistribution(random);
  std::vector<Basis *> all;
  for (auto &bases : layout.bases)
    for (Basis &basis : bases)
      all.push_back(&basis);
  for (int i = 0; i < 6 && all.size() > 1; ++i) {
    Basis &to = *all[size_t(random(0, int64_t(all.size()) - 1))];
    const Basis &from = *all[size_t(random(0, int64_t(all.size()) - 1))];
    if (&to != &from)
      for (size_t d = 0; d < to.size(); ++d)
        to[d] ^= from[d];
  }
  return layout;
}

class TileLayoutTest : public testing::Test {
protected:
  TileLayoutTest() : seed(std::random_device()()) {
    random.engine.seed(seed);
    RecordProperty("seed", std::to_string(seed));
  }
  uint64_t seed;
  Random random;
};

TEST_F(TileLayoutTest, DistributionsReachEveryElement) {
  for (int i = 0; i < 300; ++i) {
    TileLayout layout = i % 2 ? randomDistribution(random) : randomLinear(random);
    ASSERT_EQ(layout.verify(), "") << "seed " << seed;
    std::set<std::vector<int64_t>> reached;
    forEachHolder(layout, [&](Holder holder) {
      std::vector<int64_t> element = layout.coordinates(holder);
      for (size_t d = 0; d < element.size(); ++d)
        ASSERT_TRUE(element[d] >= 0 && element[d] < layout.shape[d]) << "seed " << seed;
      reached.insert(element);
    });
    int64_t elements = 1;
    for (int64_t extent : layout.shape)
      elements *= extent;
    EXPECT_EQ(int64_t(reached.size()), elements) << "seed " << seed;
    EXPECT_EQ(layout.count(Resource::Lane), lanes);
    EXPECT_EQ(layout.count(Resource::Warp), warps);
  }
}

TEST_F(TileLayoutTest, FirstReplicasHoldEveryElementOnceInADistribution) {
  for (int i = 0; i < 300; ++i) {
    TileLayout layout = randomDistribution(random);
    std::map<std::vector<int64_t>, int> holders;
    bool isReplicated = false;
    forEachHolder(layout, [&](Holder holder) {
      if (layout.isFirstReplica(holder.lane, holder.warp))
        ++holders[layout.coordinates(holder)];
      else
        isReplicated = true;
    });
    EXPECT_EQ(layout.isReplicated(), isReplicated) << "seed " << seed;
    int64_t elements = 1;
    for (int64_t extent : layout.shape)
      elements *= extent;
    EXPECT_EQ(int64_t(holders.size()), elements) << "seed " << seed;
    for (auto &[element, count] : holders)
      EXPECT_EQ(count, 1) << "seed " << seed;
  }
}

TEST_F(TileLayoutTest, SlicesHoldTheBroadcastElementWhereTheWholeHoldsItsImages) {
  for (int i = 0; i < 300; ++i) {
    TileLayout whole = i % 2 ? randomDistribution(random) : randomLinear(random);
    std::vector<unsigned> cut;
    for (unsigned d = 0; d < whole.shape.size(); ++d)
      if (random(0, 1))
        cut.push_back(d);
    TileLayout slice = whole.slice(cut);
    ASSERT_EQ(slice.verify(), "") << "seed " << seed;
    forEachHolder(whole, [&](Holder holder) {
      std::vector<int64_t> element = whole.coordinates(holder);
      for (unsigned d : cut)
        element[d] = 0;
      EXPECT_TRUE(slice.findRegister(element, holder.lane, holder.warp)) << "seed " << seed;
    });
  }
}

TEST_F(TileLayoutTest, ContiguousRegistersAreNeighboursInEveryGroup) {
  for (int i = 0; i < 300; ++i) {
    TileLayout layout = randomDistribution(random);
    for (unsigned dim = 0; dim < layout.shape.size(); ++dim) {
      int64_t width = layout.contiguousRegisters(dim);
      forEachHolder(layout, [&](Holder holder) {
        std::vector<int64_t> first =
            layout.coordinates({holder.reg / width * width, holder.lane, holder.warp});
        std::vector<int64_t> element = layout.coordinates(holder);
        first[dim] += holder.reg % width;
        EXPECT_EQ(element, first) << "seed " << seed;
      });
    }
  }
}

TEST_F(TileLayoutTest, ExchangesAreTheCheapestThatSuffice) {
  for (int i = 0; i < 200; ++i) {
    TileLayout from = randomDistribution(random);
    std::vector<int64_t> block(from.shape.size());
    std::vector<unsigned> order(from.shape.size());
    for (unsigned d = 0; d < order.size(); ++d) {
      block[d] = int64_t(1) << random(0, 2);
      order[d] = d;
    }
    std::ranges::shuffle(order, random.engine);
    TileLayout to = TileLayout::distribute(from.shape, block, order, lanes, warps);
    bool sameThread = true, sameWarp = true;
    forEachHolder(to, [&](Holder holder) {
      std::vector<int64_t> element = to.coordinates(holder);
      sameThread &= from.findRegister(element, holder.lane, holder.warp).has_value();
      bool found = false;
      for (int64_t lane = 0; lane < lanes; ++lane)
        found |= from.findRegister(element, lane, holder.warp).has_value();
      sameWarp &= found;
    });
    Exchange expected = from == to   ? Exchange::None
                        : sameThread ? Exchange::Registers
                        : sameWarp   ? Exchange::Shuffles
                                     : Exchange::Local;
    EXPECT_EQ(findExchange(from, to), expected) << "seed " << seed;
  }
}

TEST_F(TileLayoutTest, TradesGiveLanesTheirNeighboursRegisters) {
  int trades = 0;
  while (trades < 200) {
    TileLayout from = randomDistribution(random);
    auto &registers = from.bases[size_t(Resource::Reg)];
    if (registers.empty())
      continue;
    ++trades;
    LaneTrade bits{unsigned(random(0, int64_t(registers.size()) - 1)), unsigned(random(0, 2))};
    TileLayout to = trade(from, bits);
    int64_t reg = int64_t(1) << bits.reg, lane = int64_t(1) << bits.lane;
    forEachHolder(from, [&](Holder holder) {
      Holder other = holder;
      if (bool(holder.reg & reg) != bool(holder.lane & lane)) {
        other.reg ^= reg;
        other.lane ^= lane;
      }
      EXPECT_EQ(to.coordinates(holder), from.coordinates(other)) << "seed " << seed;
    });
    std::ranges::shuffle(to.bases[size_t(Resource::Reg)], random.engine);
    std::optional<LaneTrade> found = findLaneTrade(from, to);
    bool isThere = registers[bits.reg] != from.bases[size_t(Resource::Lane)][bits.lane];
    EXPECT_EQ(found.has_value(), isThere) << "seed " << seed;
    if (isThere)
      EXPECT_EQ(found->lane, bits.lane) << "seed " << seed;
    EXPECT_FALSE(findLaneTrade(from, from)) << "seed " << seed;
  }
}

TEST(TileLayout, AnyShapeIsRepeatedInRegisters) {
  std::vector<int64_t> shape = {12, 192}, block = {1, 4};
  std::vector<unsigned> order = {1, 0};
  TileLayout layout = TileLayout::distribute(shape, block, order, 32, 2);
  EXPECT_EQ(layout.verify(), "");
  EXPECT_EQ(layout.count(Resource::Reg), 12 * 192 / 64);
  EXPECT_EQ(layout.contiguousRegisters(1), 4);
  EXPECT_FALSE(layout.isReplicated());
}

TEST(TileLayout, PaddingRemovesTheConflictsOfAColumn) {
  std::vector<int64_t> shape = {32, 32}, block = {1, 1};
  std::vector<unsigned> columns = {0, 1}, rows = {1, 0};
  TileLayout column = TileLayout::distribute(shape, block, columns, 32, 1);
  TileLayout row = TileLayout::distribute(shape, block, rows, 32, 1);
  std::vector<int64_t> plain = {32, 1};
  EXPECT_EQ(countBankConflicts(column, plain, 4, 1), 32);
  EXPECT_EQ(countBankConflicts(row, plain, 4, 1), 1);
  const TileLayout *both[] = {&column, &row};
  EXPECT_EQ(choosePadding(shape, 4, both), (std::vector<int64_t>{33, 1}));
  std::vector<int64_t> padded = {33, 1};
  EXPECT_EQ(countBankConflicts(column, padded, 4, 1), 1);
  // The same from the last row up, at addresses below 0.
  int64_t reversed[] = {-plain[0], plain[1]}, reversedPadded[] = {-padded[0], padded[1]};
  EXPECT_EQ(countBankConflicts(column, reversed, 4, 1), 32);
  EXPECT_EQ(countBankConflicts(row, reversed, 2, 1), 1);
  EXPECT_EQ(countBankConflicts(column, reversedPadded, 4, 1), 1);
}

TEST(TileLayout, WideAccessesTakeTurns) {
  std::vector<int64_t> shape = {1, 128}, block = {1, 4}, strides = {128, 1};
  std::vector<unsigned> order = {1, 0};
  TileLayout layout = TileLayout::distribute(shape, block, order, 32, 1);
  EXPECT_EQ(countBankConflicts(layout, strides, 4, 4), 1);
}

TEST(TileLayout, WhatIsWrongIsSaid) {
  TileLayout layout = TileLayout::distribute(std::vector<int64_t>{8}, std::vector<int64_t>{2},
                                             std::vector<unsigned>{0}, 4, 1);
  ASSERT_EQ(layout.verify(), "");
  TileLayout broken = layout;
  broken.shape = {16};
  EXPECT_EQ(broken.verify(),
            "expected repetitions of the atom that make extent 16 of dimension 0, found 8");
  broken = layout;
  broken.bases[1][0] = {0};
  EXPECT_EQ(broken.verify(), "expected bases that reach all 8 elements of the atom, found 4");
  broken.bases[1][0] = {8};
  EXPECT_EQ(broken.verify(), "expected offsets inside the atom, below 8, found 8");
  broken.bases[1][0] = {1, 1};
  EXPECT_EQ(broken.verify(), "expected bases of 1 offsets, found 2");
  broken = layout;
  broken.atom = {3};
  EXPECT_EQ(broken.verify(), "expected extents of the atom that are powers of two, found 3");
  broken = layout;
  broken.repetitions.push_back({Resource::Reg, 1, 2});
  EXPECT_EQ(broken.verify(), "expected a dimension below 1, found 1");
}

/// The sum of each thread's (warp's) elements per element of the folded layout, which must be the
/// same for all holders of one.
std::map<std::vector<int64_t>, int64_t> sumWithin(const TileLayout &from, const TileLayout &to,
                                                  std::span<const unsigned> dims,
                                                  std::map<std::vector<int64_t>, int64_t> &values,
                                                  bool acrossLanes) {
  std::map<std::vector<int64_t>, std::set<std::vector<int64_t>>> parts;
  std::map<std::vector<int64_t>, std::set<std::pair<int64_t, int64_t>>> holders;
  forEachHolder(from, [&](const Holder &holder) {
    std::vector<int64_t> kept = from.registerCoordinates(holder.reg);
    for (unsigned d : dims)
      kept[d] = 0;
    std::optional<int64_t> reg = to.findRegister(kept, 0, 0);
    EXPECT_TRUE(reg.has_value());
    std::vector<int64_t> element = to.coordinates({*reg, holder.lane, holder.warp});
    parts[element].insert(from.coordinates(holder));
    holders[element].insert({holder.lane, holder.warp});
  });
  // Each thread that holds an element has all its parts itself, or with its warp.
  std::map<std::vector<int64_t>, int64_t> sums;
  for (const auto &[element, own] : parts) {
    for (const auto &part : own) {
      sums[element] += values[part];
      if (acrossLanes)
        continue;
      for (auto [lane, warp] : holders[element])
        EXPECT_TRUE(from.findRegister(part, lane, warp).has_value());
    }
  }
  return sums;
}

TEST(TileLayout, FoldsAndGathersUntilASumIsLeft) {
  Random random{std::mt19937_64(11)};
  for (int run = 0; run < 200; ++run) {
    TileLayout layout = randomDistribution(random);
    ASSERT_TRUE(layout.isPlain());
    std::vector<unsigned> dims = {unsigned(random(0, int64_t(layout.shape.size()) - 1))};
    bool acrossLanes = random(0, 1);
    std::map<std::vector<int64_t>, int64_t> values, expected;
    forEachHolder(layout, [&](const Holder &holder) {
      std::vector<int64_t> element = layout.coordinates(holder);
      if (values.contains(element))
        return;
      values[element] = random(-100, 100);
      std::vector<int64_t> kept = element;
      kept[dims[0]] = 0;
      expected[kept] += values[element];
    });
    TileLayout folded = layout.fold(dims, acrossLanes);
    ASSERT_EQ(folded.verify(), "");
    values = sumWithin(layout, folded, dims, values, acrossLanes);
    while (folded.shape[dims[0]] > 1) {
      TileLayout gathered = folded.gather(dims, 2);
      ASSERT_EQ(gathered.verify(), "");
      ASSERT_EQ(gathered.shape, folded.shape);
      folded = gathered.fold(dims, false);
      values = sumWithin(gathered, folded, dims, values, false);
    }
    EXPECT_EQ(folded, layout.slice(dims));
    EXPECT_EQ(values, expected);
  }
}

TEST(TileLayout, KnowsPlainLayouts) {
  TileLayout layout;
  layout.shape = layout.atom = {4, 4};
  layout.bases = {{{{0, 1}, {0, 2}}, {{1, 0}, {2, 0}}, {{0, 0}}}};
  EXPECT_TRUE(layout.isPlain());
  layout.bases[1][0] = {1, 1};
  EXPECT_FALSE(layout.isPlain());
  layout.bases[1][0] = {3, 0};
  EXPECT_FALSE(layout.isPlain());
}

} // namespace
