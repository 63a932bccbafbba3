// Plans for less memory: chains, what may not move, and random programs, which compute the same.
#include "MemoryPlan.h"

#include "gtest/gtest.h"

#include <random>

using namespace tw::schedule;

namespace {

using Step = MemoryPlan::Step;

/// A step that makes one value of so many bytes.
unsigned add(MemoryPlan &plan, std::vector<unsigned> reads, int64_t bytes, double cycles = 1,
             bool mayRepeat = true) {
  Step step;
  step.number = plan.getSteps().size();
  step.reads.assign(reads.begin(), reads.end());
  unsigned made = plan.addValue(bytes);
  step.makes.push_back(made);
  step.cycles = cycles;
  step.mayMove = step.mayRepeat = mayRepeat;
  plan.addStep(std::move(step));
  return made;
}

/// What a value is: made by which op of what.
size_t combine(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

/// What the last step reads, if every step reads what was made before.
std::vector<size_t> evaluate(const MemoryPlan &plan, unsigned arguments) {
  std::vector<size_t> values(plan.getNumValues(), 0), last;
  for (unsigned i = 0; i < arguments; ++i)
    values[i] = i + 1;
  for (const Step &step : plan.getSteps()) {
    size_t all = step.number + 1000;
    last.clear();
    for (unsigned value : step.reads) {
      EXPECT_NE(values[value], 0u) << "read before it is made";
      all = combine(all, values[value]);
      last.push_back(values[value]);
    }
    for (unsigned value : step.makes)
      values[value] = all = combine(all, 1);
  }
  return last;
}

double getCycles(const MemoryPlan &plan) {
  double cycles = 0;
  for (const Step &step : plan.getSteps())
    cycles += step.cycles;
  return cycles;
}

/// A chain of equal layers there and back, each step back reading what its layer read.
MemoryPlan makeChain(unsigned layers) {
  MemoryPlan plan;
  std::vector<unsigned> values = {plan.addValue(0)};
  for (unsigned i = 0; i < layers; ++i)
    values.push_back(add(plan, {values.back()}, 100));
  unsigned gradient = values.back();
  for (unsigned i = layers; i-- > 0;)
    gradient = add(plan, {values[i], gradient}, 100);
  add(plan, {gradient}, 0, 0, false);
  return plan;
}

TEST(MemoryPlan, KeepsEveryFewLayersOfAChain) {
  for (unsigned layers : {16u, 64u}) {
    MemoryPlan plan = makeChain(layers);
    std::vector<size_t> expected = evaluate(plan, 1);
    double cycles = getCycles(plan);
    int64_t peak = plan.getPeak().first;
    MemoryPlan half = plan;
    EXPECT_TRUE(half.fit(peak / 2));
    EXPECT_LE(half.getPeak().first, peak / 2);
    EXPECT_EQ(evaluate(half, 1), expected);
    // Every second layer runs again, and no more than that: layers there and back cost the same.
    EXPECT_LE(getCycles(half), 1.35 * cycles);
    EXPECT_FALSE(plan.fit(0));
    // About the root of the layers are kept, and as many live at a time.
    EXPECT_LE(plan.getPeak().first, int64_t(100 * (2.5 * std::sqrt(layers) + 2)));
    EXPECT_EQ(evaluate(plan, 1), expected);
  }
}

TEST(MemoryPlan, KeepsAgainWhatThereIsRoomFor) {
  MemoryPlan plan = makeChain(16), all = plan;
  int64_t peak = plan.getPeak().first;
  std::vector<size_t> expected = evaluate(plan, 1);
  ASSERT_TRUE(plan.fit(peak / 2));
  MemoryPlan half = plan;
  plan.keepAgain(peak / 2);
  EXPECT_EQ(getCycles(plan), getCycles(half));
  plan.keepAgain(peak * 3 / 4);
  EXPECT_LT(getCycles(plan), getCycles(half));
  EXPECT_LE(plan.getPeak().first, peak * 3 / 4);
  EXPECT_EQ(evaluate(plan, 1), expected);
  plan.keepAgain(peak);
  EXPECT_EQ(getCycles(plan), getCycles(all));
}

TEST(MemoryPlan, LeavesAloneWhatFits) {
  MemoryPlan plan = makeChain(4);
  EXPECT_TRUE(plan.fit(plan.getPeak().first));
  EXPECT_EQ(getCycles(plan), getCycles(makeChain(4)));
}

TEST(MemoryPlan, MovesWhatIsReadLate) {
  MemoryPlan plan;
  unsigned x = plan.addValue(0);
  unsigned early = add(plan, {x}, 100);
  unsigned large = add(plan, {x}, 1000);
  unsigned small = add(plan, {large}, 10);
  add(plan, {early, small}, 0, 0, false);
  EXPECT_TRUE(plan.fit(1010));
  // Nothing runs twice.
  EXPECT_EQ(getCycles(plan), 3);
  EXPECT_EQ(plan.getSteps()[0].number, 1u);
}

/// Derivatives of all layers before any weight is updated by one: an update per value of 1000.
MemoryPlan makeUpdates(bool areReadLate) {
  MemoryPlan plan;
  std::vector<unsigned> weights = {plan.addValue(0), plan.addValue(0), plan.addValue(0)};
  std::vector<unsigned> gradients, updated;
  unsigned cotangent = add(plan, {weights[0]}, 10);
  for (unsigned weight : weights) {
    gradients.push_back(add(plan, {weight, cotangent}, 1000));
    cotangent = add(plan, {weight, cotangent}, 10);
  }
  unsigned last =
      areReadLate ? add(plan, {weights[0], weights[1], weights[2], cotangent}, 10) : cotangent;
  for (unsigned i = 0; i < 3; ++i) {
    Step step;
    step.number = plan.getSteps().size();
    step.reads = {weights[i], gradients[i]};
    step.makes = {plan.addValue(0)};
    step.mayMove = true;
    plan.endAt(weights[i], step.number);
    updated.push_back(step.makes.front());
    plan.addStep(step);
  }
  updated.push_back(last);
  add(plan, updated, 0, 0, false);
  return plan;
}

TEST(MemoryPlan, UpdatesWhatNobodyReadsAnyMore) {
  MemoryPlan plan = makeUpdates(false);
  std::vector<size_t> expected = evaluate(plan, 3);
  EXPECT_GT(plan.getPeak().first, 3000);
  EXPECT_TRUE(plan.fit(1040));
  EXPECT_EQ(evaluate(plan, 3), expected);
  for (const Step &step : plan.getSteps())
    EXPECT_EQ(
        llvm::count_if(plan.getSteps(), [&](auto &other) { return other.number == step.number; }),
        1);
  // Where the weights are read behind the derivatives, these wait.
  MemoryPlan late = makeUpdates(true);
  late.fit(1040);
  std::vector<unsigned> order;
  for (const Step &step : late.getSteps())
    order.push_back(step.number);
  for (unsigned update : {8u, 9u, 10u})
    EXPECT_LT(std::find(order.begin(), order.end(), 7u),
              std::find(order.begin(), order.end(), update));
}

TEST(MemoryPlan, ReadsNothingThatWasWrittenTo) {
  MemoryPlan plan;
  unsigned x = plan.addValue(0);
  unsigned early = add(plan, {x}, 100);
  unsigned large = add(plan, {early}, 1000);
  unsigned small = add(plan, {large}, 10);
  unsigned written = add(plan, {small}, 0, 1, false); // where x lies
  add(plan, {early, written}, 0, 0, false);
  plan.endAt(x, 3);
  EXPECT_FALSE(plan.fit(1010));
  EXPECT_EQ(plan.getPeak().first, 1110);
}

TEST(MemoryPlan, OfRandomProgramsComputeTheSame) {
  unsigned fitted = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto draw = [&](unsigned end) { return unsigned(random() % end); };
    MemoryPlan plan;
    std::vector<unsigned> values = {plan.addValue(0), plan.addValue(0)};
    unsigned count = 4 + draw(30);
    for (unsigned i = 0; i < count; ++i) {
      std::vector<unsigned> reads;
      for (unsigned j = 0; j < 1 + draw(3); ++j)
        reads.push_back(values[values.size() - 1 - draw(std::min<size_t>(values.size(), 12))]);
      values.push_back(add(plan, reads, 64 * draw(5), 1 + draw(9), draw(8) != 0));
    }
    add(plan, {values.back(), values[values.size() - 2], values[2 + draw(count)]}, 0, 0, false);
    std::vector<size_t> expected = evaluate(plan, 2);
    int64_t before = plan.getPeak().first, most = before * (3 + draw(7)) / 10;
    bool fits = plan.fit(most);
    fitted += fits && before > most;
    EXPECT_EQ(evaluate(plan, 2), expected) << seed;
    EXPECT_LE(plan.getPeak().first, fits ? most : before) << seed;
    MemoryPlan least = plan;
    least.fit(0);
    EXPECT_LE(least.getPeak().first, plan.getPeak().first) << seed;
  }
  EXPECT_GT(fitted, 30u);
}

} // namespace
