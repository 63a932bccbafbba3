// Inverses by hand; ChainTest inverts what it can of random chains.
#include "Naive.h"

#include "gtest/gtest.h"

using namespace tw::layout;
using namespace tw::layout::test;

static std::string inverse(const IndexMap &map) {
  std::optional<IndexMap> result = invert(map);
  if (!result)
    return "none";
  EXPECT_TRUE(compose(*result, map).isIdentity()) << toString(*result);
  EXPECT_TRUE(compose(map, *result).isIdentity()) << toString(*result);
  return toString(*result);
}

TEST(Inverse, Permute) {
  EXPECT_EQ(inverse(permute(Coordinates{2, 3, 4}, Coordinates{2, 0, 1})), "(d2, d0, d1)");
}

TEST(Inverse, SplitAndMerge) {
  EXPECT_EQ(inverse(reshape(Coordinates{32}, Coordinates{4, 8})), "((d0 floordiv 8), (d0 mod 8))");
  EXPECT_EQ(inverse(reshape(Coordinates{4, 8}, Coordinates{32})), "(8*d0 + d1)");
  EXPECT_EQ(inverse(reshape(Coordinates{4, 8}, Coordinates{16, 2})),
            "(4*d0 + (d1 floordiv 2), (d1 mod 2))");
}

TEST(Inverse, ReshapeWhoseStridesDoNotDivide) {
  EXPECT_EQ(inverse(reshape(Coordinates{6, 4}, Coordinates{8, 3})),
            "(d0 + ((d0 + d1) floordiv 3), ((d0 + d1) mod 3))");
}

TEST(Inverse, Flip) {
  EXPECT_EQ(inverse(flip(Coordinates{6, 4}, Coordinates{0})), "(-d0 + 5, d1)");
  IndexMap map =
      compose(reshape(Coordinates{6, 4}, Coordinates{24}), flip(Coordinates{6, 4}, Coordinates{1}));
  EXPECT_EQ(inverse(map), "(4*d0 - d1 + 3)");
}

TEST(Inverse, WhatIsNoBijectionHasNone) {
  EXPECT_EQ(inverse(expand(Coordinates{1}, Coordinates{4})), "none");
  EXPECT_EQ(inverse(pad(Coordinates{4}, Coordinates{1}, Coordinates{0}, 1)), "none");
  EXPECT_EQ(inverse(slice(Coordinates{4}, Coordinates{1}, Coordinates{2}, Coordinates{1})), "none");
  EXPECT_EQ(inverse(window(Coordinates{8}, 0, 2, 1, 1)), "none");
  EXPECT_EQ(inverse(diagonal(Coordinates{3, 3}, 0, 1)), "none");
}
