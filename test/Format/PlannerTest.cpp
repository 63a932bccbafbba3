// The arena planner: properties over random sets, and the quality of its plans.
#include "tw/Format/Planner.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tw::format;

namespace {

struct Planned {
  PlanResult result;
  PlanSummary summary;
  std::vector<Placement> placements;
  std::vector<uint64_t> slabs;
  uint32_t bad = 0;
};

Planned plan(const std::vector<PlanInterval> &intervals, PlanLimits limits = {}) {
  Planned planned;
  planned.placements.resize(intervals.size());
  planned.slabs.resize(intervals.size());
  planned.result =
      planArena(intervals, limits, planned.placements, planned.slabs, planned.summary, planned.bad);
  return planned;
}

void check(const std::vector<PlanInterval> &intervals, const Planned &planned,
           PlanLimits limits = {}) {
  ASSERT_EQ(planned.result, PlanResult::Ok);
  uint64_t sum = 0, total = 0;
  for (uint32_t i = 0; i < planned.summary.slabCount; ++i) {
    EXPECT_LE(planned.slabs[i], limits.maxSlabBytes);
    total += planned.slabs[i];
  }
  EXPECT_EQ(total, planned.summary.totalBytes);
  for (size_t i = 0; i < intervals.size(); ++i) {
    const PlanInterval &a = intervals[i];
    const Placement &at = planned.placements[i];
    sum += a.bytes + a.alignment;
    if (a.bytes == 0)
      continue;
    ASSERT_LT(at.slab, planned.summary.slabCount);
    EXPECT_EQ(at.offset % a.alignment, 0u);
    ASSERT_LE(at.offset + a.bytes, planned.slabs[at.slab]);
    for (size_t j = 0; j < i; ++j) {
      const PlanInterval &b = intervals[j];
      const Placement &bt = planned.placements[j];
      bool together = a.first <= b.last && b.first <= a.last;
      bool apart = at.slab != bt.slab || at.offset + a.bytes <= bt.offset ||
                   bt.offset + b.bytes <= at.offset;
      EXPECT_TRUE(!together || apart || b.bytes == 0) << i << " overlaps " << j;
    }
  }
  EXPECT_GE(planned.summary.totalBytes, planned.summary.peakLiveBytes);
  if (planned.summary.slabCount <= 1) {
    EXPECT_LE(planned.summary.totalBytes, sum);
  }
}

std::vector<PlanInterval> randomIntervals(std::mt19937 &random, uint32_t count) {
  std::vector<PlanInterval> intervals;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t first = random() % (2 * count),
             length = random() % 8 == 0 ? random() % count : random() % 4;
    intervals.push_back(
        {random() % 16 == 0 ? 0 : random() % 100000, uint64_t(64), first, first + length});
  }
  return intervals;
}

/// What a network asks for: each layer's result lives until the next, some until a later sum.
std::vector<PlanInterval> networkIntervals(std::mt19937 &random, uint32_t layers) {
  std::vector<PlanInterval> intervals;
  for (uint32_t i = 0; i < layers; ++i) {
    uint64_t scale = uint64_t(1) << (random() % 4);
    uint32_t length = i % 4 == 0 ? 4 : 1;
    intervals.push_back({scale * 100352, 64, i, i + length});
  }
  return intervals;
}

} // namespace

TEST(Planner, EmptySet) {
  Planned planned = plan({});
  EXPECT_EQ(planned.result, PlanResult::Ok);
  EXPECT_EQ(planned.summary.totalBytes, 0u);
  EXPECT_EQ(planned.summary.slabCount, 0u);
}

TEST(Planner, EmptyIntervalsLieInASlab) {
  Planned planned = plan({{0, 64, 0, 1}, {0, 64, 0, 1}});
  EXPECT_EQ(planned.summary.slabCount, 1u);
  EXPECT_EQ(planned.slabs[0], 0u);
  EXPECT_EQ(planned.placements[1].offset, 0u);
}

TEST(Planner, ChainNeedsTwo) {
  std::vector<PlanInterval> chain;
  for (uint32_t i = 0; i < 10; ++i)
    chain.push_back({1024, 64, i, i + 1});
  Planned planned = plan(chain);
  check(chain, planned);
  EXPECT_EQ(planned.summary.totalBytes, 2048u);
  EXPECT_EQ(planned.summary.peakLiveBytes, 2048u);
}

TEST(Planner, ManyIntervalsShareMemory) {
  std::vector<PlanInterval> chain;
  for (uint32_t i = 0; i < 40000; ++i)
    chain.push_back({1024, 64, i, i + 1});
  EXPECT_EQ(plan(chain).summary.totalBytes, 2048u);

  std::mt19937 random(6);
  std::vector<PlanInterval> network = networkIntervals(random, 40000);
  Planned planned = plan(network);
  EXPECT_LE(double(planned.summary.totalBytes), 1.5 * double(planned.summary.peakLiveBytes));
  for (uint32_t i = 0; i + 600 <= network.size(); i += 590) {
    Planned part = planned;
    part.placements = {planned.placements.begin() + i, planned.placements.begin() + i + 600};
    check({network.begin() + i, network.begin() + i + 600}, part);
  }
}

TEST(Planner, RandomSetsNeverOverlap) {
  std::mt19937 random(1);
  for (uint32_t round = 0; round < 150; ++round) {
    std::vector<PlanInterval> intervals = randomIntervals(random, 1 + random() % 60);
    for (PlanInterval &interval : intervals)
      interval.alignment = uint64_t(1) << (random() % 13);
    check(intervals, plan(intervals));
  }
}

TEST(Planner, SlabsStayBelowTheirLimit) {
  std::mt19937 random(2);
  for (uint32_t round = 0; round < 50; ++round) {
    std::vector<PlanInterval> intervals = randomIntervals(random, 40);
    PlanLimits limits{131072};
    check(intervals, plan(intervals, limits), limits);
  }
}

TEST(Planner, RandomSetsAreCloseToThePeak) {
  std::mt19937 random(3);
  double worst = 0, sum = 0;
  for (uint32_t round = 0; round < 100; ++round) {
    Planned planned = plan(randomIntervals(random, 60));
    double ratio = double(planned.summary.totalBytes) / double(planned.summary.peakLiveBytes);
    worst = std::max(worst, ratio);
    sum += ratio;
  }
  EXPECT_LT(sum / 100, 1.01);
  EXPECT_LT(worst, 1.10);
}

TEST(Planner, NetworksAreWithinTenPercent) {
  std::mt19937 random(4);
  for (uint32_t round = 0; round < 50; ++round) {
    std::vector<PlanInterval> intervals = networkIntervals(random, 80);
    Planned planned = plan(intervals);
    check(intervals, planned);
    EXPECT_LE(double(planned.summary.totalBytes), 1.10 * double(planned.summary.peakLiveBytes));
  }
}

TEST(Planner, SameArgumentsSamePlan) {
  std::mt19937 random(5);
  std::vector<PlanInterval> intervals = randomIntervals(random, 60);
  Planned a = plan(intervals), b = plan(intervals);
  for (size_t i = 0; i < intervals.size(); ++i) {
    EXPECT_EQ(a.placements[i].offset, b.placements[i].offset);
    EXPECT_EQ(a.placements[i].slab, b.placements[i].slab);
  }
}

TEST(Planner, NamesTheBadInterval) {
  EXPECT_EQ(plan({{64, 64, 0, 1}, {64, 64, 2, 1}}).bad, 1u);
  EXPECT_EQ(plan({{64, 64, 0, 1}, {64, 64, 2, 1}}).result, PlanResult::BadInterval);
  EXPECT_EQ(plan({{64, 3, 0, 1}}).result, PlanResult::BadInterval);
  EXPECT_EQ(plan({{UINT64_MAX, 64, 0, 1}}).result, PlanResult::BadInterval);
  EXPECT_EQ(plan({{uint64_t(1) << 62, 64, 0, 1}, {uint64_t(1) << 62, 64, 3, 4}}).result,
            PlanResult::BadInterval);
  EXPECT_EQ(plan({{256, 64, 0, 1}}, {128}).result, PlanResult::BadInterval);
}
