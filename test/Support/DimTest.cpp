// Products and quotients of sizes: normal forms, names that are read back, values.
#include "tw/Support/SizeProducts.h"

#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tw;

namespace {

class DimTest : public ::testing::Test {
protected:
  MLIRContext context{MLIRContext::Threading::DISABLED};

  StringAttr name(StringRef text) { return StringAttr::get(&context, text); }
  Dim symbol(StringRef text) { return Dim::symbol(name(text)); }
  int64_t at(const Dim &dim, int64_t s, int64_t t = 0) {
    return dim
        .evaluate([&](StringAttr name) -> std::optional<int64_t> {
          return name == "S" ? std::optional(s) : name == "T" ? std::optional(t) : std::nullopt;
        })
        .value_or(-1000);
  }
};

TEST_F(DimTest, QuotientsRoundDown) {
  for (int64_t a : {-3, 1, 2, 5})
    for (int64_t b : {0, 1, 3})
      for (int64_t k = -7; k <= 7; ++k)
        for (int64_t c = 1; c <= 6; ++c) {
          Dim dim = symbol("S") * a + symbol("T") * b + Dim(k);
          Dim quotient = divideDown(dim, c), twice = divideDown(quotient + Dim(1), 2);
          for (int64_t s = 0; s < 8; ++s)
            for (int64_t t = 0; t < 3; ++t) {
              int64_t value = llvm::divideFloorSigned(at(dim, s, t), c);
              EXPECT_EQ(at(quotient, s, t), value) << toString(quotient);
              EXPECT_EQ(at(twice, s, t), llvm::divideFloorSigned(value + 1, 2)) << toString(twice);
            }
        }
}

TEST_F(DimTest, QuotientsHaveOneForm) {
  Dim s = symbol("S");
  EXPECT_EQ(toString(divideDown(s, 2)), "(S floordiv 2)");
  EXPECT_EQ(toString(divideDown(s - Dim(3), 2) + Dim(1)), "((S + 1) floordiv 2) - 1");
  EXPECT_EQ(toString(divideDown(s * 4 + Dim(2), 4)), "S");
  EXPECT_EQ(toString(divideDown(s * 2 + Dim(3), 4)), "((S + 1) floordiv 2)");
  EXPECT_EQ(toString(divideDown(divideDown(s + Dim(1), 2) + Dim(1), 2)), "((S + 3) floordiv 4)");
  EXPECT_EQ(divideDown(s + Dim(4), 4), divideDown(s, 4) + Dim(1));
}

TEST_F(DimTest, ExactQuotientsAreFractions) {
  Dim s = symbol("S"), t = symbol("T");
  Dim quarter = *divideExactly(s, 4);
  EXPECT_EQ(toString(quarter), "S / 4");
  EXPECT_EQ(quarter * 4, s);
  EXPECT_EQ(toString(quarter * 2), "S / 2");
  EXPECT_EQ(toString(s - quarter), "3 * S / 4");
  EXPECT_EQ(*divideExactly(s, 6) + *divideExactly(s, 3), *divideExactly(s, 2));
  EXPECT_TRUE((quarter - quarter).isStatic());
  EXPECT_EQ(toString(multiply(quarter, t)), "S * T / 4");
  EXPECT_TRUE(haveEqualProducts({quarter, Dim(4), t}, {t, s}));
  EXPECT_FALSE(haveEqualProducts({divideDown(s, 4), Dim(4)}, {s}));
  EXPECT_EQ(divideExactly(s + Dim(2), 4), std::nullopt);
  EXPECT_EQ(at(quarter, 8), 2);
  EXPECT_EQ(at(quarter, 9), -1000) << "not a multiple";
}

TEST_F(DimTest, NamesSayWhatTheyAre) {
  Dim odd = divideDown(symbol("batch (x) * \"y\" / 2?") + symbol("T") * 2 + Dim(1), 3);
  StringAttr made = odd.getTerms().front().first;
  std::optional<SizeQuotient> quotient = getQuotient(made);
  ASSERT_TRUE(quotient);
  EXPECT_EQ(quotient->divisor, 3);
  EXPECT_FALSE(quotient->isExact);
  EXPECT_EQ(quotient->numerator, symbol("T") * 2 + symbol("batch (x) * \"y\" / 2?") + Dim(1));
  Dim product = multiply(divideDown(symbol("S") + Dim(1), 2), symbol("T"));
  made = product.getTerms().front().first;
  EXPECT_EQ(getFactors(made).size(), 2u);
  EXPECT_EQ(getBases(made), (SmallVector<StringAttr, 2>{name("S"), name("T")}));
  EXPECT_FALSE(getQuotient(name("S")));
  EXPECT_FALSE(getQuotient(name("(S floordiv two)")));
  EXPECT_EQ(getBases(name("S / x")), (SmallVector<StringAttr, 2>{name("S / x")}));
}

TEST_F(DimTest, StepsMakeQuotientsExact) {
  auto stepOf = [&](StringAttr symbol) -> int64_t { return symbol == "S" ? 8 : 1; };
  EXPECT_EQ(toString(divideDown(symbol("S") - Dim(2), 2, stepOf) + Dim(1)), "S / 2");
  EXPECT_EQ(toString(divideDown(symbol("T") - Dim(2), 2, stepOf) + Dim(1)), "(T floordiv 2)");
  EXPECT_EQ(toString(divideDown(*divideExactly(symbol("S"), 2), 4, stepOf)), "S / 8");
  auto first = [](const Dim &dim) { return dim.getTerms().front().first; };
  EXPECT_FALSE(findInexact(first(*divideExactly(symbol("S"), 8)), stepOf));
  EXPECT_TRUE(findInexact(first(*divideExactly(symbol("S"), 16)), stepOf));
  EXPECT_TRUE(findInexact(first(*divideExactly(symbol("T"), 2)), stepOf));
}

TEST_F(DimTest, NumbersTakeTheSymbolsPlaces) {
  auto three = [&](StringAttr symbol) {
    return symbol == "S" ? std::optional<int64_t>(3) : std::nullopt;
  };
  Dim dim = divideDown(symbol("S") + symbol("T"), 2);
  EXPECT_EQ(toString(*substitute(dim, three)), "((T + 1) floordiv 2) + 1");
  EXPECT_EQ(*substitute(divideDown(symbol("S"), 2), three), Dim(1));
  EXPECT_EQ(substitute(*divideExactly(symbol("S"), 2), three), std::nullopt);
}

TEST_F(DimTest, ElementCounts) {
  Dim s = symbol("S"), t = symbol("T");
  EXPECT_TRUE(haveEqualProducts({s, t}, {t, s}));
  EXPECT_TRUE(haveEqualProducts({s + t, Dim(2)}, {(s + t) * 2}));
  EXPECT_TRUE(haveEqualProducts({s + Dim(1), s - Dim(1), Dim(1)}, {s - Dim(1), s + Dim(1)}));
  EXPECT_TRUE(haveEqualProducts({}, {Dim(1)}));
  EXPECT_FALSE(haveEqualProducts({s, s}, {s, t}));
  EXPECT_FALSE(haveEqualProducts({s, Dim(0)}, {s}));
  EXPECT_TRUE(haveEqualProducts({s, Dim(0)}, {Dim(0)}));
  // Too many terms to compare: refused, not computed for ever.
  SmallVector<Dim> many;
  for (int i = 0; i != 64; ++i)
    many.push_back(symbol("A" + std::to_string(i)) + Dim(1));
  EXPECT_FALSE(haveEqualProducts(many, many));
}

} // namespace
