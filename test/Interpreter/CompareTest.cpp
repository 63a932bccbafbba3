// Comparison of tensors.
//===---------------------------------------------------------------------------------------===//
#include "Support.h"

#include "tw/Interpreter/Compare.h"

using namespace mlir;
using namespace tw::interp;

struct CompareTest : InterpreterTest {
  Comparison compareFloats(std::vector<float> got, std::vector<float> reference) {
    auto type = floats({int64_t(got.size()) / 2, 2});
    return compare(Tensor::borrow(type, got.data()), Tensor::borrow(type, reference.data()));
  }
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float inf = std::numeric_limits<float>::infinity();
};

TEST_F(CompareTest, EqualTensorsAreWithinZero) {
  Comparison same = compareFloats({1, -0.0f, nan, inf}, {1, 0.0f, nan, inf});
  EXPECT_TRUE(same.within(0));
  EXPECT_EQ(same.differing, 0);
  EXPECT_EQ(same.maxAbsoluteReference, 1);
}

TEST_F(CompareTest, FindsTheFirstAndTheWorst) {
  Comparison result = compareFloats({1, 2.5, 3, 10}, {1, 2, 3, 8});
  EXPECT_EQ(result.maxAbsoluteError, 2);
  EXPECT_EQ(result.relativeError(), 0.25);
  EXPECT_EQ(result.differing, 2);
  EXPECT_EQ(result.firstDiffering, (SmallVector<int64_t>{0, 1}));
  EXPECT_EQ(result.worst, (SmallVector<int64_t>{1, 1}));
  EXPECT_FALSE(result.within(0.2));
  EXPECT_TRUE(result.within(0.25));
}

TEST_F(CompareTest, NanAndInfinitiesMustAgree) {
  EXPECT_EQ(compareFloats({nan, 1}, {1, 1}).nanMismatches, 1);
  EXPECT_EQ(compareFloats({1, 1}, {nan, 1}).nanMismatches, 1);
  EXPECT_EQ(compareFloats({inf, 1}, {-inf, 1}).infMismatches, 1);
  EXPECT_FALSE(compareFloats({inf, 1}, {1, 1}).within(100));
}

TEST_F(CompareTest, PrintsOneLine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  compareFloats({1, 2.5, 3, nan}, {1, 2, 3, 8}).print(os);
  EXPECT_EQ(text, "max error 0.5 of 8 (relative 0.0625), 2 of 4 differ, NaN mismatches 1, infinity "
                  "mismatches 0, "
                  "worst at [0, 1], first at [0, 1]: 2.5 against 2");
}
