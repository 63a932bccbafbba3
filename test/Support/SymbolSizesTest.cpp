// Expressions in the symbols of dimensions.
#include "tw/Support/SymbolSizes.h"

#include <gtest/gtest.h>

using namespace tw;

static std::optional<int64_t> evaluate(llvm::StringRef text, const SymbolSizes &sizes) {
  return SizeExpression::parse(text).evaluate(sizes);
}

TEST(SymbolSizes, ReadsExpressions) {
  SymbolSizes sizes = {{"past", 16}, {"s0", 3}, {"s1", 5}, {"batch-size", 7}, {"x.0", 2}};
  EXPECT_EQ(evaluate("past + 1", sizes), 17);
  EXPECT_EQ(evaluate("past+1", sizes), 17);
  EXPECT_EQ(evaluate("2*s0*s1 - past", sizes), 14);
  EXPECT_EQ(evaluate("-s0 + 5", sizes), 2);
  EXPECT_EQ(evaluate("4*(s0 + s1)", sizes), 32);
  EXPECT_EQ(evaluate("(s0 - 1) * (s1 - 1)", sizes), 8);
  EXPECT_EQ(evaluate("batch-size", sizes), 7);
  EXPECT_EQ(evaluate("x.0", sizes), 2);
  EXPECT_EQ(evaluate("12", sizes), 12);
  EXPECT_EQ(evaluate("s0 - s0", {}), 0);
  EXPECT_EQ(evaluate("past + other", sizes), std::nullopt);
}

TEST(SymbolSizes, TakesOtherTextAsAName) {
  for (llvm::StringRef text : {"batch size", "floor(n/2)", "s0//2", "", "+", "a +", "(a", "2 b",
                               "?", "a + 9223372036854775808"})
    EXPECT_EQ(SizeExpression::parse(text).getSymbol(), text);
  std::string deep = std::string(100000, '(') + "a" + std::string(100000, ')');
  EXPECT_EQ(SizeExpression::parse(deep).getSymbol(), deep);
  std::string wide = "(a + b + c + d + e + f)";
  EXPECT_EQ(SizeExpression::parse(wide + "*" + wide + "*" + wide + "*" + wide).getSymbols().size(),
            1u);
}

TEST(SymbolSizes, RefusesOverflow) {
  EXPECT_EQ(evaluate("a * a", {{"a", INT64_MAX}}), std::nullopt);
  EXPECT_EQ(evaluate("a + 1", {{"a", INT64_MAX}}), std::nullopt);
}

TEST(SymbolSizes, SettlesWhatIsLinear) {
  auto settle = [](std::vector<std::pair<std::string, int64_t>> known, SymbolSizes sizes = {}) {
    std::vector<SizeEquation> equations;
    for (auto &[text, value] : known)
      equations.push_back({SizeExpression::parse(text), value});
    settleSymbols(equations, sizes);
    return sizes;
  };
  EXPECT_EQ(settle({{"past + 1", 17}}), (SymbolSizes{{"past", 16}}));
  EXPECT_EQ(settle({{"b * s", 12}, {"b", 3}}), (SymbolSizes{{"b", 3}, {"s", 4}}));
  EXPECT_EQ(settle({{"b", 4}}, {{"b", 2}}), (SymbolSizes{{"b", 2}}));
  EXPECT_EQ(settle({{"8 - n", 3}}), (SymbolSizes{{"n", 5}}));
  for (const char *text : {"2 * n", "n + 8", "n * n", "n * m", "0 * n"})
    EXPECT_EQ(settle({{text, 7}}), SymbolSizes{}) << text;
  EXPECT_EQ(settle({{"n - 9223372036854775807", INT64_MAX}}), SymbolSizes{});
}
