// Axes: refinement of two shapes, splits, strides and vector widths.
#include "Naive.h"

#include "tw/Layout/Axes.h"

#include "gtest/gtest.h"

using namespace tw::layout;
using namespace tw::layout::test;

static Expr d(unsigned i) { return Expr::dim(i); }

using Indices = std::vector<unsigned>;

TEST(Axes, RefinementOfShapesWhoseStridesDivide) {
  Refinement r = refine(Coordinates{4, 8}, Coordinates{16, 2});
  EXPECT_TRUE(r.exact);
  EXPECT_EQ(r.extents, (Coordinates{4, 4, 2}));
  EXPECT_EQ(r.first, (Indices{0, 1, 3}));
  EXPECT_EQ(r.second, (Indices{0, 2, 3}));
  r = refine(Coordinates{32}, Coordinates{4, 1, 8});
  EXPECT_EQ(r.extents, (Coordinates{4, 8}));
  EXPECT_EQ(r.second, (Indices{0, 1, 1, 2}));
  EXPECT_TRUE(refine(Coordinates{}, Coordinates{1, 1}).extents.empty());
}

TEST(Axes, RefinementOfShapesWhoseStridesDoNot) {
  Refinement r = refine(Coordinates{5, 6, 4}, Coordinates{5, 8, 3});
  EXPECT_FALSE(r.exact);
  EXPECT_EQ(r.extents, (Coordinates{5, 6, 4}));
  EXPECT_EQ(r.first, (Indices{0, 1, 2, 3}));
  EXPECT_EQ(r.second.front(), 0u);
  EXPECT_EQ(r.second[1], 1u);
  EXPECT_EQ(r.second.back(), 3u);
}

TEST(Axes, SplitsRemoveDivisions) {
  IndexMap map = reshape(Coordinates{4, 8}, Coordinates{16, 2});
  std::vector<Coordinates> splits = splitsOf(map.exprs, map.resultExtents);
  EXPECT_EQ(splits, (std::vector<Coordinates>{{4, 4}, {2}}));
  IndexMap refined = compose(reshape(map.resultExtents, Coordinates{4, 4, 2}), map);
  EXPECT_EQ(toString(refined), "(d0, 2*d1 + d2)");
  map = reshape(Coordinates{2, 3, 4}, Coordinates{24});
  EXPECT_EQ(splitsOf(map.exprs, map.resultExtents), (std::vector<Coordinates>{{2, 3, 4}}));
  map = reshape(Coordinates{6, 4}, Coordinates{8, 3});
  EXPECT_EQ(splitsOf(map.exprs, map.resultExtents), (std::vector<Coordinates>{{8}, {3}}));
}

TEST(Axes, Strides) {
  EXPECT_EQ(rowMajorStrides(Coordinates{2, 3, 4}), (Coordinates{12, 4, 1}));
  EXPECT_TRUE(rowMajorStrides(Coordinates{}).empty());
  std::vector<Expr> coordinates = {d(1), d(0) * 2};
  Expr address = linearize(coordinates, Coordinates{10, 1});
  EXPECT_EQ(strideAlong(address, 0), 2);
  EXPECT_EQ(strideAlong(address, 1), 10);
  EXPECT_EQ(strideAlong(address, 2), 0);
  EXPECT_EQ(strideAlong(mod(d(0), 3), 0), std::nullopt);
}

TEST(Axes, VectorWidths) {
  EXPECT_EQ(vectorWidth(d(0) * 64 + d(1), 1, 64, 16, true), 16);
  EXPECT_EQ(vectorWidth(d(0) * 64 + d(1), 1, 24, 16, true), 8);
  EXPECT_EQ(vectorWidth(d(0) * 12 + d(1), 1, 64, 16, true), 4);
  EXPECT_EQ(vectorWidth(d(0) * 12 + d(1), 1, 64, 16, false), 16);
  EXPECT_EQ(vectorWidth(d(0) * 64 + d(1) - 1, 1, 64, 16, true), 1);
  EXPECT_EQ(vectorWidth(d(0) * 64 + d(1), 0, 64, 16, true), 1);
  // Rows of 8 that lie apart: no vector may cross from one to the next.
  EXPECT_EQ(vectorWidth(floorDiv(d(0), 8) * 32 + mod(d(0), 8), 0, 64, 16, true), 8);
  EXPECT_EQ(vectorWidth(floorDiv(d(0) + d(1), 8), 0, 64, 16, true), 1);
}

TEST(Axes, VectorWidthsAgreeWithEnumeration) {
  for (int64_t divisor : {1, 2, 4, 6, 8})
    for (int64_t apart : {8, 12, 16, 32})
      for (int64_t offset : {0, 2, 4})
        for (bool aligned : {false, true}) {
          Expr address = floorDiv(d(0), divisor) * apart + mod(d(0), divisor) + d(1) * 4 + offset;
          int64_t width = vectorWidth(address, 0, 48, 16, aligned);
          forEach(Coordinates{48, 3}, [&](const Coordinates &c) {
            Coordinates begin = {c[0] / width * width, c[1]};
            ASSERT_EQ(address.evaluate(c), address.evaluate(begin) + c[0] - begin[0])
                << toString(address);
            if (aligned) {
              ASSERT_EQ(address.evaluate(begin) % width, 0) << toString(address);
            }
          });
        }
}
