// Arithmetic on sizes, and their text.
#include "tw/Support/Dim.h"
#include "SizeNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;

namespace {
/// factor * base / divisor, in lowest terms.
struct Fraction {
  StringAttr base;
  int64_t factor, divisor;
};
} // namespace

static Fraction toFraction(StringAttr name, int64_t factor) {
  if (!name.getValue().contains(overSign))
    return {name, factor, 1};
  SizeName parts = takeApart(name.getValue());
  int64_t divisor = parts.divisor;
  parts.divisor = 1;
  return {StringAttr::get(name.getContext(), putTogether(parts)), factor, divisor};
}

static Dim::Term toTerm(const Fraction &fraction) {
  int64_t common = std::gcd(fraction.factor % fraction.divisor, fraction.divisor);
  SizeName parts = takeApart(fraction.base.getValue());
  if (fraction.divisor == common)
    return {fraction.base, fraction.factor / common};
  parts.divisor = fraction.divisor / common;
  return {StringAttr::get(fraction.base.getContext(), putTogether(parts)),
          fraction.factor / common};
}

Dim Dim::symbol(StringAttr name, int64_t factor) {
  Dim dim;
  if (factor != 0)
    dim.terms.push_back(toTerm(toFraction(name, factor)));
  return dim;
}

static bool isFraction(const Dim::Term &term) { return term.first.getValue().contains(overSign); }

/// Terms of which some are quotients: those of one base become one.
static SmallVector<Dim::Term, 1> addFractions(ArrayRef<Dim::Term> a, ArrayRef<Dim::Term> b) {
  SmallVector<Fraction> sums;
  for (ArrayRef<Dim::Term> terms : {a, b})
    for (auto [name, factor] : terms) {
      Fraction term = toFraction(name, factor);
      auto *it = llvm::find_if(sums, [&](const Fraction &sum) {
        return sum.base == term.base && std::lcm(sum.divisor, term.divisor) <= mostDivisor;
      });
      if (it == sums.end()) {
        sums.push_back(term);
        continue;
      }
      int64_t both = std::lcm(it->divisor, term.divisor);
      it->factor = wrapAdd(wrapMul(it->factor, both / it->divisor),
                           wrapMul(term.factor, both / term.divisor));
      it->divisor = both;
    }
  SmallVector<Dim::Term, 1> terms;
  for (const Fraction &sum : sums)
    if (sum.factor != 0)
      terms.push_back(toTerm(sum));
  llvm::sort(terms, [](const Dim::Term &x, const Dim::Term &y) {
    return x.first.getValue() < y.first.getValue();
  });
  return terms;
}

Dim Dim::operator+(const Dim &other) const {
  Dim sum(wrapAdd(constant, other.constant));
  if (llvm::any_of(terms, isFraction) || llvm::any_of(other.terms, isFraction)) {
    sum.terms = addFractions(terms, other.terms);
    return sum;
  }
  const Term *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->first.getValue() < b->first.getValue())) {
      sum.terms.push_back(*a++);
    } else if (a == terms.end() || b->first.getValue() < a->first.getValue()) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t factor = wrapAdd(a->second, b->second))
        sum.terms.push_back({a->first, factor});
      ++a, ++b;
    }
  }
  return sum;
}

Dim Dim::operator*(int64_t factor) const {
  Dim product(wrapMul(constant, factor));
  for (auto [name, value] : terms)
    product = product + Dim::symbol(name, wrapMul(value, factor));
  return product;
}

// Names that are no identifiers (ONNX has any string) are quoted.
void tw::printName(raw_ostream &os, StringRef name) {
  bool bare = !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
              llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (bare) {
    os << name;
    return;
  }
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
}

static std::optional<int64_t>
evaluateSymbol(StringAttr name, llvm::function_ref<std::optional<int64_t>(StringAttr)> valueOf) {
  if (std::optional<int64_t> value = valueOf(name))
    return value;
  if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
    std::optional<int64_t> value = quotient->numerator.evaluate(valueOf);
    if (!value || (quotient->isExact && *value % quotient->divisor != 0))
      return std::nullopt;
    return llvm::divideFloorSigned(*value, quotient->divisor);
  }
  if (std::optional<SizeLeast> least = getLeast(name)) {
    std::optional<int64_t> first = least->first.evaluate(valueOf),
                           second = least->second.evaluate(valueOf);
    return first && second ? std::optional(std::min(*first, *second)) : std::nullopt;
  }
  SmallVector<StringAttr, 2> factors = getFactors(name);
  if (factors.size() == 1)
    return std::nullopt;
  int64_t product = 1;
  for (StringAttr each : factors) {
    std::optional<int64_t> own = evaluateSymbol(each, valueOf);
    if (!own || llvm::MulOverflow(product, *own, product))
      return std::nullopt;
  }
  return product;
}

std::optional<int64_t>
Dim::evaluate(llvm::function_ref<std::optional<int64_t>(StringAttr)> valueOf) const {
  int64_t sum = constant;
  for (auto [name, factor] : terms) {
    std::optional<int64_t> value = evaluateSymbol(name, valueOf);
    int64_t term;
    if (!value || llvm::MulOverflow(*value, factor, term) || llvm::AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return sum;
}

void Dim::print(raw_ostream &os) const {
  bool first = true;
  for (auto [name, factor] : terms) {
    os << (first ? "" : factor < 0 ? " - " : " + ");
    uint64_t magnitude = first || factor >= 0 ? uint64_t(factor) : -uint64_t(factor);
    if (magnitude != 1)
      first ? os << factor << " * " : os << magnitude << " * ";
    SizeName parts = takeApart(name.getValue());
    llvm::interleave(
        parts.factors, os,
        [&](StringRef each) {
          // The name of a quotient, and of the least of two, is its text.
          auto own = StringAttr::get(name.getContext(), each);
          getQuotient(own) || getLeast(own) ? void(os << each) : printName(os, each);
        },
        timesSign);
    if (parts.divisor != 1)
      os << overSign << parts.divisor;
    first = false;
  }
  if (first)
    os << constant;
  else if (constant != 0)
    os << (constant < 0 ? " - " : " + ")
       << (constant < 0 ? -uint64_t(constant) : uint64_t(constant));
}

std::string tw::toString(const Dim &dim) {
  std::string text;
  llvm::raw_string_ostream os(text);
  dim.print(os);
  return text;
}

ParseResult tw::parseDims(AsmParser &parser, SmallVectorImpl<Dim> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parseDim(parser, dims.emplace_back()); });
}

void tw::printDims(AsmPrinter &printer, ArrayRef<Dim> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer, [&](const Dim &dim) { dim.print(printer.getStream()); });
  printer << ']';
}

DimTable::DimTable(ArrayRef<Dim> dims) {
  for (const Dim &dim : dims)
    for (auto [name, factor] : dim.getTerms())
      symbols.push_back(name);
  llvm::sort(symbols, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  symbols.erase(llvm::unique(symbols), symbols.end());
  coefficients.resize(dims.size() * (symbols.size() + 1));
  for (auto [row, dim] : llvm::enumerate(dims)) {
    int64_t *entry = &coefficients[row * (symbols.size() + 1)];
    for (auto [name, factor] : dim.getTerms())
      entry[llvm::find(symbols, name) - symbols.begin()] = factor;
    entry[symbols.size()] = dim.getConstant();
  }
}

SmallVector<Dim, 4> DimTable::getDims(ArrayRef<StringAttr> symbols,
                                      ArrayRef<int64_t> coefficients) {
  SmallVector<Dim, 4> dims;
  size_t width = symbols.size() + 1;
  for (size_t row = 0; row != coefficients.size(); row += width) {
    Dim dim(coefficients[row + width - 1]);
    for (size_t i = 0; i + 1 != width; ++i)
      dim = dim + Dim::symbol(symbols[i], coefficients[row + i]);
    dims.push_back(dim);
  }
  return dims;
}
