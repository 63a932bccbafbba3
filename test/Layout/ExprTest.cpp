// Index expressions: normal form, simplification by ranges, ranges.
#include "Naive.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace tw::layout;
using namespace tw::layout::test;

static Expr d(unsigned i) { return Expr::dim(i); }

static std::string simplified(const Expr &expr, Coordinates extents) {
  return toString(simplify(expr, rangesOfExtents(extents)));
}

TEST(Expr, SumsAreInNormalForm) {
  EXPECT_EQ(d(0) + d(1) * 4 - d(0), d(1) * 4);
  EXPECT_TRUE((d(2) - d(2)).isConstant(0));
  EXPECT_TRUE((d(1) * 0 + d(3)).isDim(3));
  EXPECT_TRUE(floorDiv(d(0) + d(1), 3).uses(1));
  EXPECT_FALSE(floorDiv(d(0) + d(1), 3).uses(2));
}

TEST(Expr, DivisionsCancelWithoutRanges) {
  EXPECT_EQ(d(0) - mod(d(0), 4), floorDiv(d(0), 4) * 4);
  EXPECT_EQ(floorDiv(d(0), 4) * 4 + mod(d(0), 4), d(0));
  EXPECT_EQ(mod(mod(d(0), 64), 64), mod(d(0), 64));
  EXPECT_EQ(mod(mod(d(0), 8), 4), mod(d(0), 4));
  EXPECT_EQ(floorDiv(floorDiv(d(0), 4), 3), floorDiv(d(0), 12));
  EXPECT_EQ(floorDiv(d(0) * 6 + 4, 2), d(0) * 3 + 2);
  EXPECT_EQ(floorDiv(d(0) * 4 + 3, 8), floorDiv(d(0), 2));
  EXPECT_EQ(mod(d(0) * 64 + d(1), 48), mod(d(0) * 16 + d(1), 48));
  EXPECT_EQ(mod(d(0) - 1, 8), mod(d(0) + 7, 8));
}

TEST(Expr, RangesRemoveDivisions) {
  EXPECT_EQ(simplified(floorDiv(d(0) * 64 + d(1), 64), {5, 64}), "d0");
  EXPECT_EQ(simplified(mod(d(0) * 64 + d(1), 64), {5, 64}), "d1");
  EXPECT_EQ(simplified(floorDiv(d(0) * 64 + d(1), 64), {5, 65}), "d0 + (d1 floordiv 64)");
  EXPECT_EQ(simplified(mod(d(0) * 2 + d(1), 8), {16, 2}), "d1 + 2*(d0 mod 4)");
  EXPECT_EQ(simplified(floorDiv(d(0) * 2 + d(1), 8), {16, 2}), "(d0 floordiv 4)");
  EXPECT_EQ(simplified(floorDiv(mod(d(0), 8), 4), {32}), "((d0 floordiv 4) mod 2)");
  EXPECT_EQ(simplified(floorDiv(mod(d(0), 8), 4), {8}), "(d0 floordiv 4)");
  EXPECT_EQ(simplified(floorDiv(d(0) * 4 + mod(d(1), 4), 4), {3, 100}), "d0");
  EXPECT_EQ(simplified(d(0) + d(1), {1, 7}), "d1");
  // A row less one element for each: the shift of relative positions.
  EXPECT_EQ(simplified(floorDiv(d(0) * 255 + d(1) + 127, 256), {128, 128}), "d0");
  EXPECT_EQ(simplified(mod(d(0) * 255 + d(1) + 127, 256), {128, 128}), "-d0 + d1 + 127");
  EXPECT_EQ(simplified(floorDiv(d(0) * -7 + d(1), 8), {4, 5}), "-d0");
  EXPECT_EQ(simplified(floorDiv(d(0) * 255 + d(1) + 127, 256), {129, 128}),
            "((255*d0 + d1 + 127) floordiv 256)");
  // Strides that do not divide one another: nothing to simplify.
  EXPECT_EQ(simplified(floorDiv(d(0) * 3 + d(1), 4), {8, 3}), "((3*d0 + d1) floordiv 4)");
}

TEST(Expr, Text) {
  EXPECT_EQ(toString(Expr()), "0");
  EXPECT_EQ(toString(Expr(-3)), "-3");
  EXPECT_EQ(toString(-d(0) - 1), "-d0 - 1");
  EXPECT_EQ(toString(mod(d(0) * 4 + d(1), 6) * -2 + 9), "-2*((4*d0 + d1) mod 6) + 9");
}

TEST(Expr, RangesAreExactForIndependentParts) {
  std::vector<Range> ranges = rangesOfExtents(Coordinates{5, 64});
  EXPECT_EQ(rangeOf(d(0) * 64 + d(1), ranges), (Range{0, 319}));
  EXPECT_EQ(rangeOf(d(0) * -2 + 3, ranges), (Range{-5, 3}));
  EXPECT_EQ(rangeOf(mod(d(1), 48), ranges), (Range{0, 47}));
  EXPECT_EQ(rangeOf(mod(d(1) * 4 + 1, 48), ranges), (Range{1, 45}));
  EXPECT_EQ(rangeOf(floorDiv(d(1), 48) + 1, ranges), (Range{1, 2}));
  // The remainder by 3 of what the floor is divided by once more, which the extents simplify.
  std::vector<Range> merged = rangesOfExtents(Coordinates{64, 9});
  Expr outer = floorDiv(d(0) * 9 + d(1), 96, merged), whole = floorDiv(outer, 3, merged);
  EXPECT_EQ(toString(whole), "(d0 floordiv 32)");
  EXPECT_EQ(rangeOf(outer - whole * 3 + 1, merged), (Range{1, 3}));
}

TEST(Expr, RangesDoNotOverflow) {
  EXPECT_EQ(rangeOf(d(0), {}), Range());
  std::vector<Range> ranges = {{0, INT64_MAX}, {INT64_MIN, 5}, {0, INT64_MAX - 1}};
  EXPECT_EQ(rangeOf(d(0) - 7, ranges), (Range{-7, INT64_MAX}));
  EXPECT_EQ(rangeOf(d(0) + d(1), ranges), Range());
  EXPECT_EQ(rangeOf(d(1) * -1, ranges), (Range{-5, INT64_MAX}));
  EXPECT_EQ(rangeOf(d(2) * 8 + 1, ranges), (Range{1, INT64_MAX}));
  EXPECT_EQ(rangeOf(d(2) * 8 - d(2) * 7, ranges), (Range{0, INT64_MAX - 1}));
}

TEST(Expr, SimplifyAndRangeOfAgreeWithEnumeration) {
  std::mt19937 random(20260102);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  // The plain form, evaluated without any rule.
  std::function<std::pair<Expr, std::function<int64_t(const Coordinates &)>>(int)> make =
      [&](int depth) -> std::pair<Expr, std::function<int64_t(const Coordinates &)>> {
    int64_t kind = depth == 0 ? 0 : pick(0, 4);
    if (kind == 0) {
      unsigned i = pick(0, 2);
      return {d(i), [i](const Coordinates &c) { return c[i]; }};
    }
    auto [a, fa] = make(depth - 1);
    int64_t k = pick(2, 12);
    if (kind == 1)
      return {a * k - 3, [=](const Coordinates &c) { return fa(c) * k - 3; }};
    if (kind == 2)
      return {floorDiv(a, k), [=](const Coordinates &c) {
                int64_t v = fa(c);
                return v >= 0 ? v / k : -((-v + k - 1) / k);
              }};
    if (kind == 3)
      return {mod(a, k), [=](const Coordinates &c) { return ((fa(c) % k) + k) % k; }};
    auto [b, fb] = make(depth - 1);
    return {a - b * k, [=](const Coordinates &c) { return fa(c) - fb(c) * k; }};
  };
  for (int i = 0; i < 5000; ++i) {
    Coordinates extents = {pick(1, 6), pick(1, 5), pick(1, 7)};
    auto [expr, value] = make(5);
    std::vector<Range> ranges = rangesOfExtents(extents);
    Expr simple = simplify(expr, ranges);
    Range range = rangeOf(expr, ranges);
    forEach(extents, [&](const Coordinates &c) {
      int64_t expected = value(c);
      ASSERT_EQ(expr.evaluate(c), expected) << toString(expr);
      ASSERT_EQ(simple.evaluate(c), expected) << toString(expr) << "  ->  " << toString(simple);
      ASSERT_LE(range.min, expected) << toString(expr);
      ASSERT_GE(range.max, expected) << toString(expr);
    });
    Pieces parts = pieces(simple, ranges);
    Expr sum(parts.constant);
    for (const Piece &piece : parts.summands)
      sum = sum + piece.value() * piece.coefficient;
    forEach(extents, [&](const Coordinates &c) { ASSERT_EQ(sum.evaluate(c), value(c)); });
  }
}
