// The best of several lists, of random prices.
#include "../../../lib/Target/Common/Strategy/GpuRank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace tw::schedule;

namespace {

/// Of a list whose programs wait so long and take as long as that otherwise.
GpuRanked make(double core, double waits = 0, int64_t slots = 1) {
  GpuRanked list;
  list.price.core = core;
  list.price.waits = waits;
  list.slots = slots;
  return list;
}

class GpuRankTest : public testing::Test {
protected:
  GpuRankTest() : seed(std::random_device()()), engine(seed) {
    RecordProperty("seed", std::to_string(seed));
  }

  double draw(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  }
  bool drawOne(int of) { return std::uniform_int_distribution<int>(1, of)(engine) == 1; }

  /// Prices so near to each other that all rules speak.
  std::vector<GpuRanked> drawLists() {
    std::vector<GpuRanked> lists;
    for (int i = std::uniform_int_distribution<int>(1, 12)(engine); i > 0; --i) {
      GpuRanked list = make(draw(100, 106), draw(40, 80), drawOne(2) ? 1 : 3);
      list.price.cache = draw(50, 90);
      list.price.unused = drawOne(2) ? 0 : draw(0, list.price.cache);
      list.spills = drawOne(6);
      list.isFree = drawOne(4);
      lists.push_back(list);
    }
    return lists;
  }

  unsigned seed;
  std::mt19937 engine;
};

double cheapestOf(const std::vector<GpuRanked> &lists, bool spills) {
  double cycles = HUGE_VAL;
  for (const GpuRanked &list : lists)
    if (list.spills == spills)
      cycles = std::min(cycles, list.price.cycles());
  return cycles;
}

} // namespace

TEST_F(GpuRankTest, NeverStraysFromTheCheapest) {
  for (int i = 0; i < 20000; ++i) {
    std::vector<GpuRanked> lists = drawLists();
    const GpuRanked &best = lists[findBest(lists)];
    bool spills = cheapestOf(lists, false) == HUGE_VAL;
    EXPECT_EQ(best.spills, spills) << "seed " << seed;
    EXPECT_LE(best.price.cycles(), 1.02 * 1.011 * cheapestOf(lists, spills)) << "seed " << seed;
  }
}

TEST_F(GpuRankTest, SpillsWhereOthersAreFarDearer) {
  std::vector<GpuRanked> lists = {make(399), make(100), make(101)};
  lists[1].spills = lists[2].spills = true;
  lists[1].price.registers = 400;
  lists[2].price.registers = 300;
  lists[0].price.registers = 100;
  EXPECT_EQ(findBest(lists), 0u);
  lists[0].price.core = 401;
  EXPECT_EQ(findBest(lists), 2u);
}

TEST_F(GpuRankTest, DearListsChangeNothing) {
  for (int i = 0; i < 20000; ++i) {
    std::vector<GpuRanked> lists = drawLists(), more = lists;
    size_t best = findBest(lists);
    GpuRanked dear = drawLists().front();
    dear.spills = lists[best].spills;
    dear.price.core = 1.04 * cheapestOf(lists, dear.spills);
    size_t place = size_t(draw(0, double(lists.size() + 1)));
    more.insert(more.begin() + std::min(place, lists.size()), dear);
    EXPECT_EQ(findBest(more), place <= best ? best + 1 : best) << "seed " << seed;
  }
}

TEST_F(GpuRankTest, OrderDecidesBetweenEqualsAlone) {
  for (int i = 0; i < 20000; ++i) {
    // What is free leaves nothing to decide.
    std::vector<GpuRanked> lists = drawLists();
    for (GpuRanked &list : lists) {
      list.isFree = true;
      list.slots = 1;
    }
    double cycles = lists[findBest(lists)].price.cycles();
    std::ranges::shuffle(lists, engine);
    EXPECT_EQ(lists[findBest(lists)].price.cycles(), cycles) << "seed " << seed;
  }
}

// One by one each of these is as good as the one before it and has more slots, and the last one is
// dearer than the first by more than prices may be off.
TEST_F(GpuRankTest, RingsDoNotAddUp) {
  std::vector<GpuRanked> lists;
  for (int slots = 1; slots <= 8; ++slots)
    lists.push_back(make(100 * std::pow(1.008, slots), 9 * std::pow(0.9, slots), slots));
  EXPECT_LE(lists[findBest(lists)].slots, 2);
  std::ranges::reverse(lists);
  EXPECT_LE(lists[findBest(lists)].slots, 2);
}

TEST_F(GpuRankTest, OfEqualPricesTheFirstOrOneWithARing) {
  std::vector<GpuRanked> lists = {make(100.02, 50), make(100, 50), make(100.9, 40, 3),
                                  make(100.8, 40, 2), make(100.1, 49, 4)};
  EXPECT_EQ(findBest(lists), 2u);
  EXPECT_EQ(findBest(llvm::ArrayRef(lists).take_front(2)), 0u);
}
