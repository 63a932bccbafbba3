// Simplification and ranges of affine expressions, as passes on kernels and tiles call them.
#include "tw/Dialect/View/Algebra.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tw::view;

namespace {

class Algebra : public testing::Test {
protected:
  Algebra() { context.loadDialect<ViewDialect>(); }

  AffineMap map(StringRef text) {
    return cast<AffineMapAttr>(parseAttribute(("affine_map<" + text + ">").str(), &context))
        .getValue();
  }
  IntegerSet set(StringRef text) {
    return cast<IntegerSetAttr>(parseAttribute(("affine_set<" + text + ">").str(), &context))
        .getValue();
  }
  MapAttr attr(StringRef text) {
    return cast<MapAttr>(parseAttribute(("#tview.map<" + text + ">").str(), &context));
  }
  template <typename T> static std::string text(T value) {
    std::string result;
    llvm::raw_string_ostream(result) << value;
    return result;
  }
  static std::string text(IntegerSet set) {
    std::string result;
    llvm::raw_string_ostream os(result);
    set.print(os);
    return result;
  }
  std::optional<tw::layout::Range> range(StringRef expr, ArrayRef<DimRange> dims) {
    return getRange(map(("(d0, d1, d2) -> (" + expr + ")").str()).getResult(0), dims);
  }

  MLIRContext context;
};

using tw::layout::Range;

} // namespace

TEST_F(Algebra, SimplifiesMapsByExtents) {
  EXPECT_EQ(text(simplify(map("(d0, d1) -> ((d0 * 64 + d1) floordiv 64, (d0 * 64 + d1) mod 64)"),
                          {5, 64})),
            "(d0, d1) -> (d0, d1)");
  EXPECT_EQ(text(simplify(map("(d0, d1) -> ((d0 * 2 + d1) mod 8 - 1)"), {16, 2})),
            "(d0, d1) -> (d1 + (d0 mod 4) * 2 - 1)");
  EXPECT_EQ(text(simplify(map("(d0) -> (d0 ceildiv 4)"), {64})), "(d0) -> ((d0 + 3) floordiv 4)");
  // An unknown extent decides nothing; one known beside it still does.
  EXPECT_EQ(text(simplify(map("(d0, d1) -> ((d0 * 4 + d1) floordiv 4, d0 mod 4)"), {-1, 4})),
            "(d0, d1) -> (d0, d0 mod 4)");
}

TEST_F(Algebra, LeavesWhatItCannotExpress) {
  AffineExpr d0 = getAffineDimExpr(0, &context), d1 = getAffineDimExpr(1, &context);
  AffineMap product = AffineMap::get(2, 0, d0 * d1);
  EXPECT_EQ(simplify(product, {4, 4}), product);
  AffineMap symbols = map("(d0)[s0] -> (d0 + s0, (d0 * 4) floordiv 4)");
  EXPECT_EQ(text(simplify(symbols, {4})), "(d0)[s0] -> (d0 + s0, d0)");
  AffineMap huge = map("(d0) -> (d0 * 4611686018427387904)");
  EXPECT_EQ(simplify(huge, {4}), huge);
  EXPECT_FALSE(getRange(huge.getResult(0), {{0, 3}}));
  AffineExpr deep = d0;
  for (int i = 0; i < 8; ++i)
    deep = (deep * 3 + deep.floorDiv(7) + d1).floorDiv(5);
  AffineMap nested = AffineMap::get(2, 0, deep);
  EXPECT_EQ(simplify(nested, {1 << 30, 4}), nested);
}

TEST_F(Algebra, SimplifiesSetsByExtents) {
  EXPECT_EQ(text(simplify(set("(d0, d1) : (d0 * 64 + d1 - 64 >= 0, d1 >= 0)"), {5, 64})),
            "(d0, d1) : (d0 - 1 >= 0)");
  EXPECT_EQ(text(simplify(set("(d0) : (d0 >= 0, 7 - d0 >= 0)"), {8})), "(d0) : (0 == 0)");
  EXPECT_EQ(text(simplify(set("(d0) : (d0 - 8 >= 0)"), {8})), "(d0) : (1 == 0)");
  EXPECT_EQ(text(simplify(set("(d0) : (d0 * 2 - 6 == 0)"), {8})), "(d0) : (d0 - 3 == 0)");
}

TEST_F(Algebra, SimplifiesMapsWithGuards) {
  Type f32 = Float32Type::get(&context);
  MapAttr padded = attr("affine_map<(d0) -> (d0 - 1)>, [(d0) : (d0 ge 1, d0 le 6) else 2.0 : f32]");
  EXPECT_EQ(text(simplify(padded, {8}, {6}, f32)),
            "#tview.map<affine_map<(d0) -> (d0 - 1)>, else 2.000000e+00 : f32>");
  // The guard says more than the extents.
  EXPECT_EQ(simplify(padded, {8}, {10}, f32), padded);
  // Zero written out is zero left out.
  EXPECT_EQ(simplify(attr("affine_map<(d0) -> (d0 - 1)>, else 0.0 : f32"), {8}, {6}, f32),
            attr("affine_map<(d0) -> (d0 - 1)>"));
  // Of a dim without bounds, as an index that was loaded, nothing is dropped.
  MapAttr loaded = attr("affine_map<(d0) -> (d0)>, else 1.0 : f32");
  EXPECT_EQ(simplify(loaded, {-1}, {6}, f32), loaded);
  EXPECT_EQ(simplify(loaded, {6}, {6}, f32), attr("affine_map<(d0) -> (d0)>"));
}

TEST_F(Algebra, AddressesPutQuotientsTogether) {
  EXPECT_EQ(text(getAddress(map("(d0, d1) -> (d1, d0 floordiv 7, d0 mod 7)"), {3, 5, 7})),
            "(d0, d1) -> (d0 + d1 * 35, d0 + d1 * 35)");
  // By the algebra alone.
  AffineMap both = getAddress(
      map("(d0, d1, d2) -> (d0 floordiv 35, (d0 mod 35) floordiv 7, d0 mod 7)"), {3, 5, 7});
  EXPECT_EQ(text(both.getResult(1)), "d0");
}

TEST_F(Algebra, RangesOverStepsAreExact) {
  EXPECT_EQ(range("d0 + d1", {{0, 90, 32}, {0, 31}, {}}), (Range{0, 95}));
  EXPECT_EQ(range("d0 * 2 + d1 - 1", {{0, 7}, {0, 2}, {}}), (Range{-1, 15}));
  EXPECT_EQ(range("(d0 + d1) mod 32", {{0, 90, 32}, {3, 7}, {}}), (Range{3, 7}));
  EXPECT_EQ(range("(d0 + d1) floordiv 32", {{64, 96, 32}, {0, 31}, {}}), (Range{2, 3}));
  EXPECT_EQ(range("(d0 + d1 - 5) mod 8", {{0, 12, 4}, {0, 0}, {}}), (Range{3, 7}));
  EXPECT_EQ(range("(d0 * 9 + d1) mod 8", {{0, 1}, {1, 4}, {}}), (Range{1, 5}));
  EXPECT_EQ(range("(d0 * 8 - d1) floordiv 8", {{0, 3}, {0, 9}, {}}), (Range{-2, 3}));
  EXPECT_EQ(range("d0 floordiv 4 - (d1 mod 3) * 2 + d2 * 7 + 1", {{0, 9}, {0, 9}, {1, 2}}),
            (Range{4, 17}));
  // Of one dim twice.
  EXPECT_EQ(range("(d0 floordiv 4) * 4 + d0 mod 4 - d1 floordiv 2", {{3, 9}, {0, 1}, {}}),
            (Range{3, 9}));
  EXPECT_EQ(range("5", {{}, {}, {}}), (Range{5, 5}));
}

TEST_F(Algebra, MultipliesOutWhatIsBelowAnEnd) {
  auto multiplied = [&](StringRef expr, int64_t end) {
    Between between =
        multiplyOut({map(("(d0, d1, d2) -> (" + expr + ")").str()).getResult(0), end}, 3);
    return text(between.expr) + " < " + std::to_string(between.end);
  };
  EXPECT_EQ(multiplied("d0 + (d0 * 10 + d1) floordiv 14", 14), "d0 * 24 + d1 < 196");
  EXPECT_EQ(multiplied("(d0 floordiv 4 + d1) floordiv 2", 3), "d0 + d1 * 4 < 24");
  EXPECT_EQ(multiplied("d1 - 2 + (d0 + 1) floordiv 3", 5), "d0 + d1 * 3 - 5 < 15");
  // Two quotients, a remainder, and a quotient times a number are no sum over one number.
  EXPECT_EQ(multiplied("d0 floordiv 4 + d1 floordiv 2", 3), "d0 floordiv 4 + d1 floordiv 2 < 3");
  EXPECT_EQ(multiplied("d0 mod 4 + d1", 3), "d0 mod 4 + d1 < 3");
  EXPECT_EQ(multiplied("(d0 floordiv 4) * 2 + d1", 9), "(d0 floordiv 4) * 2 + d1 < 9");
  for (int64_t a = -9; a < 20; ++a)
    for (int64_t b = -9; b < 20; ++b) {
      AffineExpr expr = map("(d0, d1) -> (d1 - 2 + (d0 + d1 * 5 + 1) floordiv 3)").getResult(0);
      Between between = multiplyOut({expr, 5}, 2);
      auto valueOf = [&](AffineExpr each) {
        AffineExpr at[] = {getAffineConstantExpr(a, &context), getAffineConstantExpr(b, &context)};
        return cast<AffineConstantExpr>(each.replaceDims(at)).getValue();
      };
      int64_t given = valueOf(expr), value = valueOf(between.expr);
      EXPECT_EQ(given >= 0 && given < 5, value >= 0 && value < between.end) << a << " " << b;
    }
}
