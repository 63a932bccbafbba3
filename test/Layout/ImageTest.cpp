// Images against the elements that are written, counted one by one.
#include "tw/Layout/Image.h"
#include "Naive.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tw::layout;
using namespace tw::layout::test;

static Expr d(unsigned i) { return Expr::dim(i); }

static std::optional<std::vector<NumberSet>> image(std::vector<Expr> exprs, Coordinates extents,
                                                   Coordinates shape) {
  return imageOf(exprs, extents, shape);
}

TEST(Image, IsAProductOfSetsOfNumbers) {
  using Image = std::vector<NumberSet>;
  EXPECT_EQ(image({d(0), d(1) + 64}, {4, 64}, {4, 128}), (Image{{0, {{1, 4}}}, {64, {{1, 64}}}}));
  EXPECT_EQ(image({d(0) * 2 + 1}, {8}, {16}), (Image{{1, {{2, 8}}}}));
  EXPECT_EQ(image({d(0) * 8 + d(1)}, {4, 8}, {32}), (Image{{0, {{1, 8}, {8, 4}}}}));
  EXPECT_EQ(image({-d(0) + 7}, {8}, {8}), (Image{{0, {{1, 8}}}}));
  EXPECT_EQ(image({Expr(3)}, {}, {4}), (Image{{3, {}}}));
  EXPECT_EQ(image({d(0)}, {0}, {4}), (Image{{0, {{1, 0}}}}));
  EXPECT_EQ(image({}, {}, {}), Image());
  std::vector<Range> ranges = rangesOfExtents(Coordinates{32});
  EXPECT_EQ(image({floorDiv(d(0), 8, ranges), mod(d(0), 8, ranges) + 8}, {32}, {4, 16}),
            (Image{{0, {{1, 4}}}, {8, {{1, 8}}}})); // of two dims that are merged
}

TEST(Image, IsNoneOfWhatMayBeWrittenTwiceOrOutside) {
  EXPECT_FALSE(image({d(0) + d(1)}, {4, 4}, {8}));      // twice
  EXPECT_FALSE(image({d(0) * 3 + d(1)}, {4, 4}, {16})); // twice: 3 and 3
  EXPECT_FALSE(image({d(0), d(0)}, {4}, {4, 4}));       // one dim in two coordinates
  EXPECT_FALSE(image({d(0)}, {4, 2}, {4}));             // along a dim that it does not depend on
  EXPECT_FALSE(image({d(0) + 1}, {4}, {4}));            // outside
  EXPECT_FALSE(image({d(0) - 1}, {4}, {4}));
  EXPECT_FALSE(image({floorDiv(d(0), 2)}, {4}, {4}));
  EXPECT_FALSE(image({mod(d(0), 3)}, {4}, {4}));
  EXPECT_FALSE(image({mod(d(0), 4), floorDiv(d(0), 2)}, {8}, {4, 4}));
  EXPECT_FALSE(image({d(0) * INT64_MAX}, {4}, {4}));
  EXPECT_FALSE(image({d(0)}, {INT64_MAX}, {INT64_MAX}));
}

/// The numbers one by one.
static std::set<int64_t> list(const NumberSet &set) {
  std::set<int64_t> numbers{set.first};
  for (auto [step, count] : set.parts) {
    std::set<int64_t> sums;
    for (int64_t number : numbers)
      for (int64_t k = 0; k < count; ++k)
        sums.insert(number + k * step);
    numbers = sums;
  }
  return numbers;
}

static bool meet(const NumberSet &a, const NumberSet &b) {
  std::set<int64_t> left = list(a), right = list(b);
  return std::any_of(left.begin(), left.end(), [&](int64_t number) { return right.count(number); });
}

TEST(Image, ProgressionsAreDisjointWhereNoNumberIsInBoth) {
  for (int64_t first = 0; first < 9; ++first)
    for (int64_t step = 1; step < 7; ++step)
      for (int64_t count : {0, 2, 3, 4, 5})
        for (int64_t otherStep = 1; otherStep < 9; ++otherStep)
          for (int64_t otherCount = 2; otherCount < 6; ++otherCount) {
            NumberSet a{first, {{step, count}}}, b{4, {{otherStep, otherCount}}}, one{first, {}};
            ASSERT_EQ(areDisjoint(a, b), !meet(a, b))
                << first << ' ' << step << ' ' << count << ' ' << otherStep << ' ' << otherCount;
            ASSERT_EQ(areDisjoint(b, a), !meet(a, b));
            ASSERT_EQ(areDisjoint(one, b), !meet(one, b));
          }
}

TEST(Image, DigitsAreComparedOneByOne) {
  NumberSet low{0, {{1, 32}, {64, 4}}}, high{32, {{1, 32}, {64, 4}}}, wide{16, {{1, 32}, {64, 4}}};
  EXPECT_TRUE(areDisjoint(low, high)); // halves of heads
  EXPECT_FALSE(areDisjoint(low, wide));
  EXPECT_FALSE(areDisjoint(high, wide));
  EXPECT_TRUE(areDisjoint(low, NumberSet{256, {{1, 32}, {64, 4}}}));
  EXPECT_TRUE(areDisjoint(NumberSet{0, {{2, 4}, {16, 4}}}, NumberSet{8, {{1, 8}, {16, 4}}}));
}

TEST(Image, RandomSetsAreDisjointIfSaidSo) {
  std::mt19937 random(11);
  auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  auto drawSet = [&] {
    NumberSet set{draw(0, 12), {}};
    for (int64_t step = draw(1, 3), parts = draw(0, 3); parts > 0; --parts) {
      int64_t count = draw(2, 4);
      set.parts.push_back({step, count});
      step *= count + draw(0, 3);
    }
    return set;
  };
  int found = 0, missed = 0;
  for (int i = 0; i < 20000; ++i) {
    NumberSet a = drawSet(), b = drawSet();
    bool apart = !meet(a, b);
    if (areDisjoint(a, b))
      ASSERT_TRUE(apart);
    found += areDisjoint(a, b);
    missed += apart && !areDisjoint(a, b);
  }
  EXPECT_GT(found, 3000);
  EXPECT_LT(missed, found);
}

TEST(Image, OfRandomMapsHoldsWhatTheyWrite) {
  std::mt19937 random(7);
  auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  int known = 0;
  for (int i = 0; i < 20000; ++i) {
    Coordinates extents{draw(1, 4), draw(1, 4), draw(0, 3)}, shape{draw(4, 24), draw(2, 12)};
    std::vector<Expr> exprs(2);
    for (Expr &expr : exprs) {
      expr = Expr(draw(-1, 4));
      for (unsigned dim = 0; dim < 3; ++dim)
        if (draw(0, 2) == 0)
          expr = expr + d(dim) * draw(-3, 6);
        else if (draw(0, 4) == 0)
          expr = expr + (draw(0, 1) ? mod(d(dim), draw(2, 3)) : floorDiv(d(dim), 2)) * draw(-3, 6);
    }
    auto result = imageOf(exprs, extents, shape);
    if (!result)
      continue;
    ++known;
    std::set<Coordinates> written;
    for (int64_t a = 0; a < extents[0]; ++a)
      for (int64_t b = 0; b < extents[1]; ++b)
        for (int64_t c = 0; c < extents[2]; ++c) {
          Coordinates point{a, b, c}, at;
          for (size_t k = 0; k < 2; ++k) {
            at.push_back(exprs[k].evaluate(point));
            ASSERT_TRUE(at[k] >= 0 && at[k] < shape[k]);
            ASSERT_TRUE(list((*result)[k]).count(at[k]));
          }
          ASSERT_TRUE(written.insert(at).second) << "written twice";
        }
  }
  EXPECT_GT(known, 500);
}
