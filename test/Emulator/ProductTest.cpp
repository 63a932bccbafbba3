// A product with asynchronous copies and matrix units, and each fault that can be planted in it.
#include "Harness.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace tw::test;

namespace {

constexpr uint32_t M = 128, N = 128, K = 96;

std::string source() {
  std::ifstream file(TW_TEST_SOURCE_DIR "/Emulator/Inputs/gemm-sm80.ptx");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

float valueA(uint32_t i, uint32_t k) { return float(int(i * 5 + k * 3) % 9 - 4); }
float valueB(uint32_t k, uint32_t j) { return float(int(k * 7 + j * 5) % 11 - 5); }

struct Result {
  std::string fault;
  /// Elements that are wrong.
  uint32_t wrong = 0;
  uint64_t conflicts = 0;
};

Result multiply(const std::string &text) {
  // The last copies run into what lies behind the operands.
  Machine machine(M * N + 4096);
  machine.threads = 128;
  machine.blocks = 4;
  auto *a = reinterpret_cast<uint16_t *>(machine.a.data()),
       *b = reinterpret_cast<uint16_t *>(machine.b.data());
  auto brain = [](float value) { return uint16_t(std::bit_cast<uint32_t>(value) >> 16); };
  for (uint32_t k = 0; k < K; ++k) {
    for (uint32_t i = 0; i < M; ++i)
      a[i * K + k] = brain(valueA(i, k));
    for (uint32_t j = 0; j < N; ++j)
      b[k * N + j] = brain(valueB(k, j));
  }
  Result result;
  result.fault = machine.run(text, "gemm");
  for (uint32_t i = 0; i < M; ++i)
    for (uint32_t j = 0; j < N; ++j) {
      float expected = 0;
      for (uint32_t k = 0; k < K; ++k)
        expected += valueA(i, k) * valueB(k, j);
      result.wrong += std::bit_cast<float>(machine.c[i * N + j]) != expected;
    }
  for (const ptx::Counters &counters : machine.counters)
    result.conflicts += counters.conflicts;
  return result;
}

} // namespace

TEST(Product, IsRight) {
  Result result = multiply(source());
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(result.wrong, 0u);
  EXPECT_EQ(result.conflicts, 0u);
}

TEST(Product, CopiesThatNobodyWaitsForAreFound) {
  for (size_t nth = 0; nth < 3; ++nth) {
    EXPECT_FAULT(multiply(edit(source(), "cp.async.wait_group 1;", "", nth)).fault,
                 "was not waited for");
    EXPECT_FAULT(
        multiply(edit(source(), "cp.async.wait_group 1;", "cp.async.wait_group 2;", nth)).fault,
        "was not waited for");
  }
}

TEST(Product, MissingBarriersAreFound) {
  for (size_t nth = 0; nth < 3; ++nth)
    EXPECT_NE(multiply(edit(source(), "bar.sync 0;", "", nth)).fault, "") << nth;
}

TEST(Product, MissingCommitsAreFound) {
  for (size_t nth = 0; nth < 2; ++nth)
    EXPECT_NE(multiply(edit(source(), "cp.async.commit_group;", "", nth)).fault, "") << nth;
}

TEST(Product, WrongLanesGiveWrongValues) {
  std::string text = source();
  // Registers 1 and 2 of an A operand swapped: rows 8 and columns 8 trade places.
  size_t at = text.find("mma.sync"), a = text.find("{", text.find("}", at)),
         comma = text.find(", ", a) + 2;
  size_t second = text.find(", ", comma), third = second + 2, end = text.find(", ", third);
  std::string swapped = text.substr(0, comma) + text.substr(third, end - third) + ", " +
                        text.substr(comma, second - comma) + text.substr(end);
  EXPECT_EQ(multiply(swapped).fault, "");
  EXPECT_GT(multiply(swapped).wrong, 0u);
  EXPECT_GT(multiply(edit(text, "x4.trans.shared", "x4.shared")).wrong, 0u);
}
