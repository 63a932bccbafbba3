// Sizes of symbolic dimensions: expressions in symbols, and what known sizes say of the symbols.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tw {

using SymbolSizes = std::map<std::string, int64_t>;

/// A polynomial in symbols with integer factors: `past + 1`, `2 * heads * width - pad`. A value.
class SizeExpression {
public:
  /// `factor` times the product of `symbols`, which are sorted.
  struct Term {
    std::vector<std::string> symbols;
    int64_t factor;
  };

  SizeExpression(int64_t constant = 0);
  static SizeExpression symbol(llvm::StringRef name);
  /// Reads sums, differences and products, with parentheses, of names and integers. Names hold
  /// letters, digits and `_ . : -`, so a minus of two names stands between spaces. Any other text
  /// ("batch size", "floor(n/2)") is the name of one symbol as it stands.
  static SizeExpression parse(llvm::StringRef text);

  /// Empty where factors exceed 64 bits or there would be more than 64 terms.
  std::optional<SizeExpression> plus(const SizeExpression &other) const;
  std::optional<SizeExpression> times(const SizeExpression &other) const;

  llvm::ArrayRef<Term> getTerms() const { return terms; }
  /// The one symbol that this is, or empty.
  llvm::StringRef getSymbol() const;
  /// In the order of the text, each once.
  std::vector<std::string> getSymbols() const;
  /// Empty if a symbol has no size, or the value exceeds 64 bits.
  std::optional<int64_t> evaluate(const SymbolSizes &sizes) const;

private:
  std::vector<Term> terms; // no two of equal symbols
};

/// What is known of a dimension: that `size` has this value.
struct SizeEquation {
  SizeExpression size;
  int64_t value;
};

/// Adds to `sizes` every symbol that an equation settles: the only one in it without a size, where
/// one size, not below zero, makes the equation true. Equations that contradict `sizes` are passed
/// over.
void settleSymbols(llvm::ArrayRef<SizeEquation> equations, SymbolSizes &sizes);

/// The sizes that a symbol may have: from min to max, multiples of step. Code is made for all of
/// them; `typical`, if it is not negative, is one that counts for more in what is chosen.
struct SizeRange {
  int64_t min = 0, max = 0, step = 1, typical = -1;

  bool operator==(const SizeRange &) const = default;
};

/// Reads "NAME=MIN..MAX", "NAME=MIN..MAX/STEP", and either with ":TYPICAL", into `ranges`; all
/// sizes are multiples of the step. False, with what is wrong, if it is malformed or the name has
/// another range.
bool parseSizeRange(llvm::StringRef entry, std::map<std::string, SizeRange> &ranges,
                    std::string &problem);

/// Reads "NAME=SIZE" into `sizes`; NAME may be an expression that a model has for a dimension.
/// False if it is malformed.
bool parseSymbolSize(llvm::StringRef entry, SymbolSizes &sizes);

} // namespace tw
