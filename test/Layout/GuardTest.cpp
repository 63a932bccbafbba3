// Index maps by hand: the guards and expressions that the design's examples must give.
#include "Naive.h"

#include "gtest/gtest.h"

using namespace tw::layout;
using namespace tw::layout::test;

static Expr d(unsigned i) { return Expr::dim(i); }

TEST(Guard, PadPermuteReshapeNeedsNone) {
  // kernel-ir example (a): pad rows of 6x4 by 1, permute, reshape to 16x2.
  IndexMap map = compose(permute(Coordinates{8, 4}, Coordinates{1, 0}),
                         pad(Coordinates{6, 4}, Coordinates{1, 0}, Coordinates{1, 0}, 1));
  map = compose(reshape(Coordinates{4, 8}, Coordinates{16, 2}), map);
  EXPECT_EQ(toString(map), "(d1 + 2*(d0 mod 4) - 1, (d0 floordiv 4)) outside #1");
  // The same over the axes a0, a1, b with a = 4 * a0 + a1 divides nothing.
  IndexMap refined = compose(reshape(Coordinates{16, 2}, Coordinates{4, 4, 2}), map);
  EXPECT_EQ(toString(refined), "(2*d1 + d2 - 1, d0) outside #1");
}

TEST(Guard, SliceReshapePadNeedsOneThatIsNoBoxOfTheSource) {
  IndexMap map = slice(Coordinates{8}, Coordinates{0}, Coordinates{6}, Coordinates{1});
  map = compose(reshape(Coordinates{6}, Coordinates{2, 3}), map);
  map = compose(pad(Coordinates{2, 3}, Coordinates{0, 0}, Coordinates{0, 1}, 2), map);
  EXPECT_EQ(toString(map), "(3*d0 + d1) if -d1 + 2 >= 0 else #2");
}

TEST(Guard, PoolPaddingOverConvPaddingKeepsBothFills) {
  IndexMap conv = pad(Coordinates{8}, Coordinates{1}, Coordinates{1}, 0);
  IndexMap pool = pad(Coordinates{10}, Coordinates{1}, Coordinates{1}, 1);
  IndexMap map = compose(pool, conv);
  EXPECT_EQ(toString(map), "(d0 - 2) if d0 - 1 >= 0, -d0 + 10 >= 0 else #1");
  IndexMap windows = compose(window(Coordinates{12}, 0, 3, 2, 1), map);
  EXPECT_EQ(toString(windows), "(2*d0 + d1 - 2) if 2*d0 + d1 - 1 >= 0 else #1");
  // Equal fills are one padding.
  pool.outside = 0;
  EXPECT_EQ(toString(compose(pool, conv)), "(d0 - 2)");
}

TEST(Guard, PaddingLargerThanABlock) {
  // Rows of 2 padded by 5, then split into blocks of 3: whole blocks are padding.
  IndexMap map = pad(Coordinates{2}, Coordinates{5}, Coordinates{5}, 3);
  map = compose(reshape(Coordinates{12}, Coordinates{4, 3}), map);
  EXPECT_EQ(toString(map), "(3*d0 + d1 - 5) outside #3");
  IndexMap first = compose(
      slice(Coordinates{4, 3}, Coordinates{0, 0}, Coordinates{1, 3}, Coordinates{1, 1}), map);
  EXPECT_EQ(toString(first), "(0) if -1 >= 0 else #3");
  EXPECT_EQ(readThrough(first).elements, (Coordinates{-4, -4, -4}));
}

TEST(Guard, ThatAlwaysHoldsIsDropped) {
  IndexMap map = compose(slice(Coordinates{10}, Coordinates{1}, Coordinates{8}, Coordinates{1}),
                         pad(Coordinates{8}, Coordinates{1}, Coordinates{1}, 5));
  EXPECT_TRUE(map.isIdentity()) << toString(map);
}

TEST(Guard, DoublePermuteIsIdentity) {
  IndexMap map = compose(permute(Coordinates{4, 2, 3}, Coordinates{1, 2, 0}),
                         permute(Coordinates{2, 3, 4}, Coordinates{2, 0, 1}));
  EXPECT_TRUE(map.isIdentity());
}

TEST(Guard, ImpliedConstraintsAreDropped) {
  IndexMap map = identity(Coordinates{10, 10});
  map.guards = {{{{d(0) - 3}, {d(0) - 1}, {d(0) * 4 + d(1) - 2}}, 1}, {{{d(0) - 2}}, 2}};
  normalize(map);
  EXPECT_EQ(toString(map), "(d0, d1) if d0 - 3 >= 0 else #1");
}

TEST(Guard, KnowledgeOfEarlierGuardsSimplifiesTheRest) {
  IndexMap map;
  map.resultExtents = {8};
  map.sourceExtents = {4, 6};
  map.exprs = {floorDiv(d(0), 4), mod(d(0), 4)};
  map.guards = {{{{-d(0) + 3}}, 1}};
  normalize(map);
  EXPECT_EQ(toString(map), "(0, d0) if -d0 + 3 >= 0 else #1");
}

TEST(Guard, ContradictionsMakeAConstant) {
  IndexMap map = identity(Coordinates{10});
  map.guards = {{{{d(0) - 5}}, 1}, {{{-d(0) + 4}}, 2}, {{{d(0) - 7}}, 3}};
  normalize(map);
  EXPECT_EQ(toString(map), "(0) if d0 - 5 >= 0 else #1 if -1 >= 0 else #2");
  IndexMap outside = identity(Coordinates{4});
  outside.exprs = {d(0) + 4};
  outside.outside = 7;
  normalize(outside);
  EXPECT_EQ(toString(outside), "(0) if -1 >= 0 else #7");
}

TEST(Guard, ConstraintsLoseTheirDivisions) {
  auto check = [](Expr expr, Coordinates extents, const char *expected) {
    Constraint constraint{expr};
    ASSERT_EQ(simplify(constraint, rangesOfExtents(extents)), Truth::Maybe);
    EXPECT_EQ(toString(constraint.expr), expected);
  };
  check(floorDiv(d(0), 4) - 2, {100}, "d0 - 8");
  check(-floorDiv(d(0), 4) + 2, {100}, "-d0 + 11");
  check(d(0) * 64 + d(1) - 64, {5, 64}, "d0 - 1");
  check(d(0) * 64 + d(1) - 63, {5, 64}, "64*d0 + d1 - 63");
  check(floorDiv(d(0), 4) - d(1), {100, 100}, "d0 - 4*d1");
  check(d(0) * 6 - 3, {100}, "d0 - 1");
}

TEST(Guard, Equalities) {
  std::vector<Range> ranges = rangesOfExtents(Coordinates{10});
  Constraint odd{d(0) * 2 - 3, true}, even{d(0) * -2 + 4, true}, far{d(0) - 10, true};
  EXPECT_EQ(simplify(odd, ranges), Truth::Never);
  EXPECT_EQ(simplify(far, ranges), Truth::Never);
  ASSERT_EQ(simplify(even, ranges), Truth::Maybe);
  EXPECT_EQ(toString(even.expr), "d0 - 2");
  IndexMap map = identity(Coordinates{10});
  map.guards = {{{{d(0) - 2, true}}, 1}, {{{d(0) - 1}}, 2}};
  normalize(map);
  EXPECT_EQ(map.guards.size(), 1u) << toString(map);
}

TEST(Guard, ScalarsAndEmptyTensors) {
  IndexMap scalar =
      compose(expand(Coordinates{1}, Coordinates{3}), reshape(Coordinates{}, Coordinates{1}));
  EXPECT_EQ(toString(scalar), "()");
  EXPECT_EQ(readThrough(scalar).elements, (Coordinates{0, 0, 0}));
  IndexMap empty = compose(permute(Coordinates{0, 2}, Coordinates{1, 0}),
                           reshape(Coordinates{4, 0}, Coordinates{0, 2}));
  EXPECT_TRUE(readThrough(empty).elements.empty());
  IndexMap padded =
      compose(pad(Coordinates{0}, Coordinates{1}, Coordinates{1}, 4), identity(Coordinates{0}));
  EXPECT_EQ(readThrough(padded).elements, (Coordinates{-5, -5}));
}

TEST(Guard, ChainsThatDivideTooOftenDoNotCollapse) {
  // No two of these shapes divide one another; every link adds divisions.
  IndexMap map = identity(Coordinates{6, 10, 15, 4});
  int apart = 0;
  for (int i = 0; i < 12; ++i) {
    Coordinates to = i % 2 ? Coordinates{6, 10, 15, 4} : Coordinates{25, 12, 12};
    Coordinates order = i % 2 ? Coordinates{2, 0, 3, 1} : Coordinates{1, 2, 0};
    IndexMap next = reshape(map.resultExtents, to);
    next = compose(permute(to, order), next);
    std::optional<IndexMap> both = collapse(next, map);
    apart += !both;
    map = both ? *both : next;
    ASSERT_LE(countDivisions(map), 48);
  }
  EXPECT_GT(apart, 0);
  // Shapes that do divide one another collapse however long the chain is.
  map = identity(Coordinates{8, 16, 32});
  for (int i = 0; i < 12; ++i) {
    IndexMap next =
        reshape(map.resultExtents, i % 2 ? Coordinates{8, 16, 32} : Coordinates{64, 4, 16});
    next = compose(permute(next.resultExtents, Coordinates{2, 0, 1}), next);
    std::optional<IndexMap> both = collapse(next, map);
    ASSERT_TRUE(both);
    map = *both;
  }
}
