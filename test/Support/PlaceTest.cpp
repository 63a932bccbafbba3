// Quoted lines.
#include "tw/Support/Place.h"

#include "gtest/gtest.h"

static tw::Place at(unsigned line, unsigned column) { return {"f.mlir", line, column, ""}; }

TEST(Place, QuotesTheLineWithACaret) {
  EXPECT_EQ(tw::quote(at(2, 3), "one\nabcd\nthree"), "abcd\n  ^\n");
  EXPECT_EQ(tw::quote(at(2, 5), "one\r\nabcd\r\n"), "abcd\n    ^\n"); // behind the end
  EXPECT_EQ(tw::quote(at(1, 3), "\tab"), "\tab\n\t ^\n");
  EXPECT_EQ(tw::quote(at(1, 3), "\xc3\xa4"
                                "b"),
            "\xc3\xa4"
            "b\n ^\n");
  EXPECT_EQ(tw::quote(at(1, 2), "a\x1b[0m"), "a?[0m\n ^\n");
}

TEST(Place, QuotesWhatIsNearInLongLines) {
  std::string line(1000, 'a');
  line[500] = 'b';
  std::string quoted = tw::quote(at(1, 501), line);
  size_t end = quoted.find('\n');
  EXPECT_EQ(end, 120u);
  EXPECT_EQ(quoted[quoted.find('^') - end - 1], 'b');
}

TEST(Place, QuotesNothingWithoutAPlace) {
  EXPECT_EQ(tw::quote(at(0, 0), "one"), "");
  EXPECT_EQ(tw::quote(at(2, 1), "one"), "");
  EXPECT_EQ(tw::quote(at(1, 9), "one"), "");
  EXPECT_EQ(tw::quote({"m.onnx", 1, 1, "node"}, "one"), "");
  EXPECT_EQ(tw::quoteFile({"/dev/zero", 1, 1, ""}), "");
}
