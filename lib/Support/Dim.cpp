// Arithmetic on sizes, and their text.
#include "tw/Support/Dim.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;

Dim Dim::symbol(StringAttr name, int64_t factor) {
  Dim dim;
  if (factor != 0)
    dim.terms.push_back({name, factor});
  return dim;
}

// Symbolic sizes come from text, so sums and products wrap instead of overflowing.
static int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

Dim Dim::operator+(const Dim &other) const {
  Dim sum(wrapAdd(constant, other.constant));
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
    if (int64_t scaled = wrapMul(value, factor))
      product.terms.push_back({name, scaled});
  return product;
}

/// Between the factors of a product's name.
static constexpr StringLiteral times = " * ";

SmallVector<StringAttr, 2> tw::getFactors(StringAttr symbol) {
  if (!symbol.getValue().contains(times))
    return {symbol};
  SmallVector<StringRef> names;
  symbol.getValue().split(names, times);
  SmallVector<StringAttr, 2> factors;
  for (StringRef name : names)
    factors.push_back(StringAttr::get(symbol.getContext(), name));
  return factors;
}

/// The symbol that is the product of two.
static StringAttr multiplyNames(StringAttr a, StringAttr b) {
  SmallVector<StringRef> names;
  for (StringAttr symbol : {a, b}) {
    SmallVector<StringRef> own;
    symbol.getValue().split(own, times);
    names.append(own);
  }
  llvm::sort(names);
  return StringAttr::get(a.getContext(), llvm::join(names, times));
}

Dim tw::multiply(const Dim &a, const Dim &b) {
  Dim product = a * b.getConstant();
  for (auto [name, factor] : b.getTerms()) {
    product = product + Dim::symbol(name, wrapMul(a.getConstant(), factor));
    for (auto [own, value] : a.getTerms())
      product = product + Dim::symbol(multiplyNames(own, name), wrapMul(value, factor));
  }
  return product;
}

bool tw::haveEqualProducts(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  Dim left(1), right(1);
  for (const Dim &dim : a)
    left = multiply(left, dim);
  for (const Dim &dim : b)
    right = multiply(right, dim);
  return left == right;
}

// Names that are no identifiers (ONNX has any string) are quoted.
static void printName(raw_ostream &os, StringRef name) {
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

std::optional<int64_t>
Dim::evaluate(llvm::function_ref<std::optional<int64_t>(StringAttr)> valueOf) const {
  int64_t sum = constant;
  for (auto [name, factor] : terms) {
    std::optional<int64_t> value = valueOf(name);
    SmallVector<StringAttr, 2> factors = getFactors(name);
    if (!value && factors.size() > 1) {
      value = 1;
      for (StringAttr each : factors) {
        std::optional<int64_t> own = valueOf(each);
        if (!own || llvm::MulOverflow(*value, *own, *value))
          return std::nullopt;
      }
    }
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
    llvm::interleave(
        getFactors(name), os, [&](StringAttr each) { printName(os, each.getValue()); }, times);
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

/// term ::= factor (`*` factor)*; factor ::= integer | name
static ParseResult parseTerm(AsmParser &parser, Dim &dim, bool negative) {
  Dim term(negative ? -1 : 1);
  do {
    int64_t factor = 1;
    std::string name;
    OptionalParseResult integer = parser.parseOptionalInteger(factor);
    if (integer.has_value()) {
      if (failed(*integer))
        return failure();
      term = term * factor;
      continue;
    }
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeywordOrString(&name)))
      return tw::emitError(parser.getEncodedSourceLoc(loc), Code::T0209)
             << "expected a symbol's name or an integer";
    term = multiply(term, Dim::symbol(StringAttr::get(parser.getContext(), name)));
  } while (succeeded(parser.parseOptionalStar()));
  dim = dim + term;
  return success();
}

ParseResult tw::parseDim(AsmParser &parser, Dim &dim) {
  bool negative = succeeded(parser.parseOptionalMinus());
  while (true) {
    if (failed(parseTerm(parser, dim, negative)))
      return failure();
    if (succeeded(parser.parseOptionalPlus()))
      negative = false;
    else if (succeeded(parser.parseOptionalMinus()))
      negative = true;
    else
      return success();
  }
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
