// Which samples count, when rounds agree, and what made-up cycles say of a machine.
#include "../../../../lib/Target/Host/Measure/Samples.h"
#include "../../../../lib/Target/Host/Measure/Quantities.h"

#include <gtest/gtest.h>

using namespace tw::host::measure;

namespace {

TEST(SamplesTest, TheLeastCounts) {
  EXPECT_EQ(getLeastCycles({{30, 1, 1}, {20, 1, 1}, {25, 1, 1}}), 20);
  // A slower clock: as many cycles in more time.
  EXPECT_EQ(getLeastCycles({{40, 2, 2}, {21, 1, 1}}), 20);
}

TEST(SamplesTest, ADriftingClockDoesNotCount) {
  EXPECT_EQ(getLeastCycles({{10, 1, 1.03}, {10, 1.03, 1}, {30, 1, 1.01}}), 60 / 2.01);
  EXPECT_EQ(getLeastCycles({{10, 1, 1.03}}), std::nullopt);
  EXPECT_EQ(getLeastCycles({}), std::nullopt);
}

TEST(SamplesTest, TwoRoundsMustAgree) {
  EXPECT_EQ(settle({100, 104}), 102);
  EXPECT_EQ(settle({100, 106}), std::nullopt);
  EXPECT_EQ(settle({100}), std::nullopt);
  EXPECT_EQ(settle({0, 0}), std::nullopt);
  // The third decides, and of two pairs the closer one.
  EXPECT_EQ(settle({100, 110, 112}), 111);
  EXPECT_EQ(settle({100, 104, 103}), 103.5);
  EXPECT_EQ(settle({100, 110, 121}), std::nullopt);
}

TEST(SamplesTest, AFactorOfTwoFromTheTableIsRefused) {
  EXPECT_TRUE(isPlausible(2, 1));
  EXPECT_TRUE(isPlausible(1, 2));
  EXPECT_FALSE(isPlausible(2.1, 1));
  EXPECT_FALSE(isPlausible(1, 2.1));
  EXPECT_FALSE(isPlausible(0, 1));
  EXPECT_FALSE(isPlausible(-1, 1));
}

TEST(SamplesTest, RatesAreQuartersWhereTheyAreClose) {
  EXPECT_EQ(toQuarters(1.93), 2);
  EXPECT_EQ(toQuarters(0.49), 0.5);
  EXPECT_EQ(toQuarters(1.87), 1.87);
  EXPECT_EQ(toQuarters(0.1), 0.1);
}

TEST(SamplesTest, AStepLiesBehindTheLastSizeBelow) {
  EXPECT_EQ(findStep({{16, 0}, {64, 1}, {256, 9}}, 3), 64);
  EXPECT_EQ(findStep({{16, 0}, {64, 1}}, 3), std::nullopt);
  EXPECT_EQ(findStep({{16, 4}, {64, 9}}, 3), std::nullopt);
}

/// A machine with tables of 64 and 2048 pages: 8 cycles more, then 40.
TEST(TraitsTest, PagesAreReadFromSteps) {
  Cycles cycles;
  for (int64_t count : pageCounts) {
    std::string number = std::to_string(count);
    cycles["lines" + number] = 14;
    cycles["pages" + number] = 14 + (count > 2048 ? 48 : count > 64 ? 8 : 0);
  }
  cycles["linesAtRandom"] = 4;
  cycles["pagesAtRandom"] = 16;
  auto traits = toTraits(cycles, {});
  EXPECT_EQ(traits["nearPages"], 64);
  EXPECT_EQ(traits["farPageCycles"], 8);
  EXPECT_EQ(traits["farPages"], 2048);
  EXPECT_EQ(traits["pageWalkCycles"], 40);
  EXPECT_EQ(traits["pagesAtOnce"], 4);
}

TEST(TraitsTest, RatesAndLatencies) {
  auto traits = toTraits({{"fma", 0.51},
                          {"fmaChain", 4.03},
                          {"reload", 12},
                          {"branchAtRandom", 11},
                          {"branchForetold", 4},
                          {"memoryChase", 300},
                          {"memoryLines", 15},
                          {"l3AllRead", 1 / 40.0},
                          {"ahead32", 350},
                          {"ahead64", 300},
                          {"ahead256", 320},
                          {"ahead320", 590}},
                         {.threads = 2});
  EXPECT_EQ(traits["fmaPerCycle"], 2);
  EXPECT_EQ(traits["fmaLatency"], 4);
  EXPECT_EQ(traits["reloadCycles"], 8);
  EXPECT_EQ(traits["branchMissCycles"], 14);
  EXPECT_EQ(traits["missesAtOnce"], 20);
  EXPECT_EQ(traits["l3BusyBytesPerCycle"], 20);
  EXPECT_EQ(traits["instructionsAhead"], 256);
  // What was not timed says nothing.
  EXPECT_FALSE(traits.count("loadsPerCycle"));
  EXPECT_FALSE(traits.count("nearPages"));
}

} // namespace
