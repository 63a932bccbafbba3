// Expressions in the symbols of dimensions: reading, arithmetic, and solving for one symbol.
#include "tw/Support/SymbolSizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tw;
using llvm::StringRef;

SizeExpression::SizeExpression(int64_t constant) {
  if (constant != 0)
    terms.push_back({{}, constant});
}

SizeExpression SizeExpression::symbol(StringRef name) {
  SizeExpression expression;
  expression.terms.push_back({{name.str()}, 1});
  return expression;
}

std::optional<SizeExpression> SizeExpression::plus(const SizeExpression &other) const {
  constexpr size_t mostTerms = 64;
  SizeExpression sum = *this;
  for (const Term &term : other.terms) {
    auto same = llvm::find_if(sum.terms, [&](const Term &t) { return t.symbols == term.symbols; });
    if (same == sum.terms.end())
      sum.terms.push_back(term);
    else if (llvm::AddOverflow(same->factor, term.factor, same->factor))
      return std::nullopt;
  }
  llvm::erase_if(sum.terms, [](const Term &term) { return term.factor == 0; });
  if (sum.terms.size() > mostTerms)
    return std::nullopt;
  return sum;
}

std::optional<SizeExpression> SizeExpression::times(const SizeExpression &other) const {
  std::optional<SizeExpression> product = SizeExpression();
  for (const Term &a : terms)
    for (const Term &b : other.terms) {
      SizeExpression part;
      Term &term = part.terms.emplace_back(a);
      llvm::append_range(term.symbols, b.symbols);
      llvm::sort(term.symbols);
      if (llvm::MulOverflow(a.factor, b.factor, term.factor) || !(product = product->plus(part)))
        return std::nullopt;
    }
  return product;
}

StringRef SizeExpression::getSymbol() const {
  bool isSymbol = terms.size() == 1 && terms[0].factor == 1 && terms[0].symbols.size() == 1;
  return isSymbol ? StringRef(terms[0].symbols[0]) : StringRef();
}

std::vector<std::string> SizeExpression::getSymbols() const {
  std::vector<std::string> symbols;
  for (const Term &term : terms)
    for (const std::string &symbol : term.symbols)
      if (!llvm::is_contained(symbols, symbol))
        symbols.push_back(symbol);
  return symbols;
}

std::optional<int64_t> SizeExpression::evaluate(const SymbolSizes &sizes) const {
  int64_t sum = 0;
  for (const Term &term : terms) {
    int64_t product = term.factor;
    for (const std::string &symbol : term.symbols) {
      auto size = sizes.find(symbol);
      if (size == sizes.end() || llvm::MulOverflow(product, size->second, product))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

namespace {

/// sum := product (("+" | "-") product)*; product := ["-"] factor ("*" factor)*;
/// factor := integer | name | "(" sum ")". Methods give nothing for any other text.
class Parser {
public:
  explicit Parser(StringRef text) : rest(text) {}

  std::optional<SizeExpression> parse() {
    std::optional<SizeExpression> result = parseSum(0);
    rest = rest.ltrim();
    return rest.empty() ? result : std::nullopt;
  }

private:
  std::optional<SizeExpression> parseSum(unsigned depth) {
    std::optional<SizeExpression> sum = parseProduct(depth);
    while (sum) {
      rest = rest.ltrim();
      bool negative = rest.starts_with("-");
      if (!negative && !rest.starts_with("+"))
        return sum;
      rest = rest.drop_front();
      std::optional<SizeExpression> next = parseProduct(depth);
      if (next && negative)
        next = next->times(-1);
      sum = next ? sum->plus(*next) : std::nullopt;
    }
    return sum;
  }

  std::optional<SizeExpression> parseProduct(unsigned depth) {
    rest = rest.ltrim();
    bool negative = rest.consume_front("-");
    std::optional<SizeExpression> product = parseFactor(depth);
    while (product && (rest = rest.ltrim()).consume_front("*")) {
      std::optional<SizeExpression> next = parseFactor(depth);
      product = next ? product->times(*next) : std::nullopt;
    }
    return product && negative ? product->times(-1) : product;
  }

  std::optional<SizeExpression> parseFactor(unsigned depth) {
    constexpr unsigned deepest = 32;
    rest = rest.ltrim();
    if (rest.consume_front("(")) {
      std::optional<SizeExpression> sum = depth < deepest ? parseSum(depth + 1) : std::nullopt;
      rest = rest.ltrim();
      return sum && rest.consume_front(")") ? sum : std::nullopt;
    }
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || StringRef("_.:-").contains(c); });
    rest = rest.drop_front(word.size());
    int64_t value;
    if (!word.empty() && llvm::isDigit(word.front()))
      return word.getAsInteger(10, value) ? std::nullopt : std::optional(SizeExpression(value));
    bool isName = !word.empty() && (llvm::isAlpha(word.front()) || word.front() == '_');
    return isName ? std::optional(SizeExpression::symbol(word)) : std::nullopt;
  }

  StringRef rest;
};

} // namespace

SizeExpression SizeExpression::parse(StringRef text) {
  return Parser(text).parse().value_or(symbol(text));
}

/// Settles the one symbol of `equation` that has no size yet.
static bool settle(const SizeEquation &equation, SymbolSizes &sizes) {
  std::string unknown;
  for (const std::string &symbol : equation.size.getSymbols())
    if (!sizes.contains(symbol)) {
      if (!unknown.empty())
        return false;
      unknown = symbol;
    }
  if (unknown.empty())
    return false;
  for (const SizeExpression::Term &term : equation.size.getTerms())
    if (llvm::count(term.symbols, unknown) > 1)
      return false; // not linear
  auto at = [&](int64_t size) {
    SymbolSizes trial = sizes;
    trial[unknown] = size;
    return equation.size.evaluate(trial);
  };
  std::optional<int64_t> atZero = at(0), atOne = at(1);
  int64_t slope, rise;
  if (!atZero || !atOne || llvm::SubOverflow(*atOne, *atZero, slope) ||
      llvm::SubOverflow(equation.value, *atZero, rise) || slope == 0 || rise == INT64_MIN ||
      rise % slope != 0 || rise / slope < 0)
    return false;
  sizes[unknown] = rise / slope;
  return true;
}

void tw::settleSymbols(llvm::ArrayRef<SizeEquation> equations, SymbolSizes &sizes) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const SizeEquation &equation : equations)
      changed |= settle(equation, sizes);
  }
}

/// What is wrong with the sizes of a range, or empty.
static std::string checkRange(const SizeRange &range, bool hasTypical) {
  auto text = [](int64_t number) { return std::to_string(number); };
  if (range.step < 1)
    return "expected a step from 1 on, found " + text(range.step);
  if (range.min < 0 || range.max < range.min)
    return "expected 0 <= MIN <= MAX, found " + text(range.min) + " and " + text(range.max);
  if (range.min % range.step != 0 || range.max % range.step != 0)
    return "expected multiples of the step " + text(range.step) + ", found " + text(range.min) +
           " and " + text(range.max);
  if (hasTypical &&
      (range.typical < range.min || range.typical > range.max || range.typical % range.step != 0))
    return "the typical size is " + text(range.typical) + ", expected a multiple of " +
           text(range.step) + " from " + text(range.min) + " to " + text(range.max);
  return {};
}

bool tw::parseSizeRange(StringRef entry, std::map<std::string, SizeRange> &ranges,
                        std::string &problem) {
  auto [name, text] = entry.rsplit('=');
  auto [steps, typical] = text.split(':');
  auto [limits, step] = steps.split('/');
  auto [min, max] = limits.split("..");
  bool hasTypical = steps.size() != text.size(), hasStep = limits.size() != steps.size();
  if (name.empty() || min.size() == limits.size()) {
    problem = "expected NAME=MIN..MAX, with /STEP and :TYPICAL where wanted";
    return false;
  }
  SizeRange range;
  auto read = [&](bool isThere, StringRef number, int64_t &value) {
    if (problem.empty() && isThere && number.getAsInteger(10, value))
      problem = "expected an integer of 64 bits, found '" + number.str() + "'";
  };
  read(true, min, range.min);
  read(true, max, range.max);
  read(hasStep, step, range.step);
  read(hasTypical, typical, range.typical);
  if (problem.empty())
    problem = checkRange(range, hasTypical);
  if (!problem.empty())
    return false;
  auto [known, isNew] = ranges.try_emplace(name.str(), range);
  if (!isNew && known->second != range)
    problem = "'" + name.str() + "' has another range already: give one of them";
  return problem.empty();
}

bool tw::parseSymbolSize(StringRef entry, SymbolSizes &sizes) {
  auto [name, value] = entry.rsplit('=');
  int64_t size;
  if (name.empty() || value.getAsInteger(10, size) || size < 0)
    return false;
  sizes[name.str()] = size;
  return true;
}
