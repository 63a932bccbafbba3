// What counts as a level of a text, and what does not.
#include "tw/Support/Nesting.h"

#include "gtest/gtest.h"

using tw::findDeepNesting;
using tw::maxNesting;

static std::string repeat(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(Nesting, BracketsCountUntilTheyAreClosed) {
  for (const char *pair : {"{}", "()", "[]", "<>"}) {
    std::string open(maxNesting, pair[0]), close(maxNesting, pair[1]);
    EXPECT_FALSE(findDeepNesting(open + close + open + close));
    EXPECT_EQ(findDeepNesting(open + pair[0]), maxNesting);
  }
}

TEST(Nesting, StringsAndCommentsHaveNoLevels) {
  EXPECT_FALSE(findDeepNesting("\"" + repeat("[", 1000) + "\" [] // " + repeat("(", 1000)));
  EXPECT_FALSE(findDeepNesting("\"a\\\"" + repeat("[", 1000) + "\""));
  EXPECT_TRUE(findDeepNesting("\"a\"" + repeat("[", 1000)));
}

TEST(Nesting, ArrowsAndComparisonsAreNoBrackets) {
  EXPECT_FALSE(findDeepNesting("(" + repeat("() -> () >= 0 <= 1 ", 1000) + ")"));
  EXPECT_FALSE(findDeepNesting("{" + repeat("(%a < %b) ", 1000) + "}"));
}

TEST(Nesting, OperatorsCountInOneExpression) {
  EXPECT_TRUE(findDeepNesting("affine_map<(d0) -> (d0" + repeat(" + d0", 1000) + ")>"));
  EXPECT_TRUE(findDeepNesting("affine_map<(d0) -> (d0" + repeat(" mod 3", 1000) + ")>"));
  EXPECT_TRUE(findDeepNesting("(" + repeat("- ", 1000) + "d0)"));
  EXPECT_FALSE(findDeepNesting("dense<[" + repeat("-1, ", 1000) + "-1]>"));
  EXPECT_FALSE(findDeepNesting("{" + repeat("%a-1 = arith.constant -1 : i32\n", 1000) + "}"));
  EXPECT_FALSE(findDeepNesting("({" + repeat("\"use\"(%a-1) : (i32) -> ()\n", 1000) + "})"));
}

TEST(Nesting, AliasesCountAsWhatTheyStandFor) {
  std::string chain = "!a0 = i32\n", flat = "#b0 = 1\n";
  for (unsigned i = 1; i <= 1000; ++i) {
    chain += "!a" + std::to_string(i) + " = tuple<!a" + std::to_string(i - 1) + ">\n";
    flat += "#b" + std::to_string(i) + " = [#b0]\n";
  }
  EXPECT_TRUE(findDeepNesting(chain));
  EXPECT_FALSE(findDeepNesting(flat + "module {" + repeat("use {a = #b7}\n", 1000) + "}"));
}
