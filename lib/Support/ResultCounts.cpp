// Results whose sizes a call counts while it runs.
#include "tw/Support/ResultCounts.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tw;

unsigned tw::countVisible(ArrayRef<ArrayRef<int64_t>> counts) {
  unsigned visible = counts.size();
  for (ArrayRef<int64_t> own : counts)
    for (int64_t count : own)
      if (count >= 0 && uint64_t(count) < visible)
        visible = unsigned(count);
  return visible;
}

std::string tw::checkCounts(ArrayRef<ArrayRef<int64_t>> counts,
                            ArrayRef<RankedTensorType> results) {
  std::string text;
  llvm::raw_string_ostream os(text);
  unsigned visible = countVisible(counts);
  for (auto [i, own] : llvm::enumerate(counts)) {
    if (own.empty())
      continue;
    if (i >= visible) {
      os << "result " << i << " is counted and stands behind one that counts";
      return text;
    }
    if (!results[i] || int64_t(own.size()) != results[i].getRank()) {
      os << "expected one count for each dimension of result " << i << ", found " << own.size();
      return text;
    }
    for (int64_t count : own) {
      if (count == -1)
        continue;
      RankedTensorType type =
          count >= 0 && count < int64_t(results.size()) ? results[count] : RankedTensorType();
      if (!type || type.getRank() != 0 || !type.getElementType().isSignlessInteger(64)) {
        os << "expected result " << i << " to be counted by results of type tensor<i64>, found "
           << count;
        return text;
      }
    }
  }
  return text;
}
