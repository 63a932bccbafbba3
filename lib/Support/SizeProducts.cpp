// Products and quotients of sizes, and the names that symbols have for them.
#include "tw/Support/SizeProducts.h"
#include "SizeNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;

/// How much of the text is a quotient in parentheses; 0 if it begins otherwise.
static size_t findEnd(StringRef text) {
  if (!text.starts_with("("))
    return 0;
  unsigned depth = 0;
  bool isQuoted = false;
  for (auto [i, c] : llvm::enumerate(text)) {
    isQuoted ^= c == '"';
    if (isQuoted)
      continue;
    depth += c == '(';
    depth -= c == ')';
    if (depth == 0)
      return i + 1;
  }
  return 0;
}

SizeName tw::takeApart(StringRef name) {
  SizeName parts;
  if (!name.contains(timesSign) && !name.contains(overSign)) {
    parts.factors.push_back(name);
    return parts;
  }
  StringRef rest = name;
  while (true) {
    size_t end = findEnd(rest);
    end = std::min(rest.find(timesSign, end), rest.find(overSign, end));
    parts.factors.push_back(rest.substr(0, end));
    rest = rest.substr(std::min(end, rest.size()));
    if (!rest.consume_front(timesSign))
      break;
  }
  if (rest.consume_front(overSign) &&
      (rest.getAsInteger(10, parts.divisor) || parts.divisor < 1 || parts.divisor > mostDivisor))
    return {{name}};
  return parts;
}

std::string tw::putTogether(const SizeName &name) {
  std::string text = llvm::join(name.factors, timesSign);
  return name.divisor == 1 ? text : text + overSign.str() + std::to_string(name.divisor);
}

std::optional<SizeQuotient> tw::getQuotient(StringAttr symbol) {
  StringRef text = symbol.getValue();
  MLIRContext *context = symbol.getContext();
  if (!text.contains(overSign) && !text.contains(downSign))
    return std::nullopt;
  SizeName parts = takeApart(text);
  if (parts.divisor != 1) {
    Dim product(1);
    for (StringRef factor : parts.factors)
      product = multiply(product, Dim::symbol(StringAttr::get(context, factor)));
    return SizeQuotient{product, parts.divisor, /*isExact=*/true};
  }
  // "((S + 1) floordiv 2)"
  if (parts.factors.size() != 1 || findEnd(text) != text.size())
    return std::nullopt;
  auto [numerator, divisor] = text.drop_front().drop_back().rsplit(downSign);
  int64_t number;
  if (divisor.getAsInteger(10, number) || number < 1 || number > mostDivisor)
    return std::nullopt;
  if (std::optional<Dim> dim = readDim(numerator, context))
    return SizeQuotient{*dim, number, /*isExact=*/false};
  return std::nullopt;
}

/// Where the sign stands in the text, outside of parentheses and quotes.
static size_t findOutside(StringRef text, StringRef sign) {
  unsigned depth = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    isQuoted ^= text[i] == '"';
    if (isQuoted)
      continue;
    if (depth == 0 && text.substr(i).starts_with(sign))
      return i;
    depth += text[i] == '(';
    depth -= text[i] == ')';
  }
  return StringRef::npos;
}

std::optional<SizeLeast> tw::getLeast(StringAttr symbol) {
  StringRef text = symbol.getValue();
  if (!text.contains(leastSign) || findEnd(text) != text.size())
    return std::nullopt;
  text = text.drop_front().drop_back();
  size_t at = findOutside(text, leastSign);
  if (at == StringRef::npos)
    return std::nullopt;
  std::optional<Dim> first = readDim(text.take_front(at), symbol.getContext()),
                     second = readDim(text.substr(at + leastSign.size()), symbol.getContext());
  return first && second ? std::optional(SizeLeast{*first, *second}) : std::nullopt;
}

SmallVector<StringAttr, 2> tw::getFactors(StringAttr symbol) {
  SizeName parts = takeApart(symbol.getValue());
  if (parts.factors.size() == 1 || parts.divisor != 1)
    return {symbol};
  SmallVector<StringAttr, 2> factors;
  for (StringRef name : parts.factors)
    factors.push_back(StringAttr::get(symbol.getContext(), name));
  return factors;
}

SmallVector<StringAttr, 2> tw::getBases(StringAttr symbol) {
  SmallVector<StringAttr, 2> bases;
  auto add = [&](StringAttr name) {
    for (StringAttr base : getBases(name))
      if (!llvm::is_contained(bases, base))
        bases.push_back(base);
  };
  if (std::optional<SizeQuotient> quotient = getQuotient(symbol)) {
    for (auto [name, factor] : quotient->numerator.getTerms())
      add(name);
    return bases;
  }
  if (std::optional<SizeLeast> least = getLeast(symbol)) {
    for (const Dim &each : {least->first, least->second})
      for (auto [name, factor] : each.getTerms())
        add(name);
    return bases;
  }
  SmallVector<StringAttr, 2> factors = getFactors(symbol);
  if (factors.size() == 1)
    return factors;
  llvm::for_each(factors, add);
  return bases;
}

/// The size that is the product of two symbols.
static Dim multiplyNames(StringAttr a, StringAttr b, int64_t factor) {
  SizeName product = takeApart(a.getValue()), other = takeApart(b.getValue());
  llvm::append_range(product.factors, other.factors);
  llvm::sort(product.factors);
  // Beyond what divides anything the product has no name of its own: 0 is refused as a divisor.
  product.divisor = llvm::MulOverflow(product.divisor, other.divisor, product.divisor) ||
                            product.divisor > mostDivisor
                        ? 0
                        : product.divisor;
  return Dim::symbol(StringAttr::get(a.getContext(), putTogether(product)), factor);
}

Dim tw::multiply(const Dim &a, const Dim &b) {
  Dim product = a * b.getConstant();
  for (auto [name, factor] : b.getTerms()) {
    product = product + Dim::symbol(name, wrapMul(a.getConstant(), factor));
    for (auto [own, value] : a.getTerms())
      product = product + multiplyNames(own, name, wrapMul(value, factor));
  }
  return product;
}

bool tw::haveEqualProducts(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  constexpr size_t mostTerms = 1024;
  Dim left(1), right(1);
  for (auto [product, dims] : {std::pair(&left, a), std::pair(&right, b)})
    for (const Dim &dim : dims)
      if (*product = multiply(*product, dim); product->getTerms().size() > mostTerms)
        return false;
  return left == right;
}

/// factor * name / divisor
static Dim getFraction(StringAttr name, int64_t factor, int64_t divisor) {
  if (factor % divisor == 0)
    return Dim::symbol(name, factor / divisor);
  SizeName parts = takeApart(name.getValue());
  int64_t common = std::gcd(factor % divisor, divisor);
  parts.divisor = wrapMul(parts.divisor, divisor / common);
  return Dim::symbol(StringAttr::get(name.getContext(), putTogether(parts)), factor / common);
}

std::optional<Dim> tw::divideExactly(const Dim &dim, int64_t divisor) {
  if (dim.getConstant() % divisor != 0)
    return std::nullopt;
  Dim quotient(dim.getConstant() / divisor);
  for (auto [name, factor] : dim.getTerms())
    quotient = quotient + getFraction(name, factor, divisor);
  return quotient;
}

/// (n floordiv d + k) floordiv c -> (n + k * d) floordiv (d * c)
static std::optional<Dim> divideTwice(const Dim &dim, int64_t divisor) {
  if (dim.getTerms().size() != 1 || dim.getTerms().front().second != 1)
    return std::nullopt;
  std::optional<SizeQuotient> inner = getQuotient(dim.getTerms().front().first);
  int64_t both, moved;
  if (!inner || inner->isExact || llvm::MulOverflow(inner->divisor, divisor, both) ||
      both > mostDivisor || llvm::MulOverflow(dim.getConstant(), inner->divisor, moved))
    return std::nullopt;
  return divideDown(inner->numerator + Dim(moved), both);
}

Dim tw::divideDown(const Dim &dim, int64_t divisor,
                   llvm::function_ref<int64_t(StringAttr)> stepOf) {
  Dim whole(0), rest(0);
  int64_t common = divisor;
  MLIRContext *context = nullptr;
  for (auto [name, factor] : dim.getTerms()) {
    context = name.getContext();
    int64_t reached;
    if (stepOf && !llvm::MulOverflow(factor, getStep(name, stepOf), reached) &&
        reached % divisor == 0) {
      whole = whole + getFraction(name, factor, divisor);
      continue;
    }
    int64_t times = llvm::divideFloorSigned(factor, divisor);
    whole = whole + Dim::symbol(name, times);
    rest = rest + Dim::symbol(name, factor - times * divisor);
    common = std::gcd(common, factor - times * divisor);
  }
  int64_t fixed = llvm::divideFloorSigned(dim.getConstant(), divisor);
  whole = whole + Dim(fixed);
  if (rest.isStatic())
    return whole;
  Dim numerator(llvm::divideFloorSigned(dim.getConstant() - fixed * divisor, common));
  for (auto [name, factor] : rest.getTerms())
    numerator = numerator + Dim::symbol(name, factor / common);
  divisor /= common;
  if (std::optional<Dim> once = divideTwice(numerator, divisor))
    return whole + *once;
  std::string text = toString(numerator);
  bool isSum = numerator.getTerms().size() > 1 || numerator.getConstant() != 0;
  text = (isSum ? "((" : "(") + text + (isSum ? ")" : "") + downSign.str() +
         std::to_string(divisor) + ")";
  return whole + Dim::symbol(StringAttr::get(context, text));
}

std::optional<Dim> tw::substitute(const Dim &dim,
                                  llvm::function_ref<std::optional<int64_t>(StringAttr)> valueOf) {
  auto change = [&](StringAttr name) -> std::optional<Dim> {
    if (std::optional<int64_t> value = valueOf(name))
      return Dim(*value);
    if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
      std::optional<Dim> numerator = substitute(quotient->numerator, valueOf);
      if (!numerator)
        return std::nullopt;
      return quotient->isExact ? divideExactly(*numerator, quotient->divisor)
                               : divideDown(*numerator, quotient->divisor);
    }
    if (std::optional<SizeLeast> least = getLeast(name)) {
      std::optional<Dim> first = substitute(least->first, valueOf),
                         second = substitute(least->second, valueOf);
      return first && second ? std::optional(takeLeast(*first, *second)) : std::nullopt;
    }
    SmallVector<StringAttr, 2> factors = getFactors(name);
    if (factors.size() == 1)
      return Dim::symbol(name);
    Dim product(1);
    for (StringAttr factor : factors) {
      std::optional<Dim> own = substitute(Dim::symbol(factor), valueOf);
      if (!own)
        return std::nullopt;
      product = multiply(product, *own);
    }
    return product;
  };
  Dim sum(dim.getConstant());
  for (auto [name, factor] : dim.getTerms()) {
    std::optional<Dim> own = change(name);
    if (!own)
      return std::nullopt;
    sum = sum + *own * factor;
  }
  return sum;
}

int64_t tw::getStep(StringAttr symbol, llvm::function_ref<int64_t(StringAttr)> stepOf) {
  SizeName parts = takeApart(symbol.getValue());
  int64_t step = 1;
  for (StringRef factor : parts.factors) {
    auto name = StringAttr::get(symbol.getContext(), factor);
    if (!getQuotient(name) && !getLeast(name) && llvm::MulOverflow(step, stepOf(name), step))
      return 1;
  }
  return step % parts.divisor == 0 ? std::max<int64_t>(step / parts.divisor, 1) : 1;
}

std::optional<SizeQuotient> tw::findInexact(StringAttr symbol,
                                            llvm::function_ref<int64_t(StringAttr)> stepOf) {
  if (std::optional<SizeQuotient> quotient = getQuotient(symbol)) {
    for (auto [name, factor] : quotient->numerator.getTerms()) {
      if (std::optional<SizeQuotient> inner = findInexact(name, stepOf))
        return inner;
      if (quotient->isExact && getStep(name, stepOf) % quotient->divisor != 0)
        return quotient;
    }
    return std::nullopt;
  }
  if (std::optional<SizeLeast> least = getLeast(symbol)) {
    for (const Dim &each : {least->first, least->second})
      for (auto [name, factor] : each.getTerms())
        if (std::optional<SizeQuotient> inner = findInexact(name, stepOf))
          return inner;
    return std::nullopt;
  }
  SmallVector<StringAttr, 2> factors = getFactors(symbol);
  for (StringAttr factor : factors)
    if (factors.size() > 1)
      if (std::optional<SizeQuotient> inner = findInexact(factor, stepOf))
        return inner;
  return std::nullopt;
}

/// The symbols that the size follows from, but for these.
static SmallVector<StringAttr> getUnknown(const Dim &dim,
                                          const llvm::SmallPtrSetImpl<StringAttr> &known) {
  SmallVector<StringAttr> unknown;
  for (auto [name, factor] : dim.getTerms())
    for (StringAttr base : getBases(name))
      if (!known.contains(base) && !llvm::is_contained(unknown, base))
        unknown.push_back(base);
  return unknown;
}

static bool isMadeOf(StringAttr name, StringAttr base) {
  return llvm::is_contained(getBases(name), base);
}

static bool isSolvable(const Dim &dim, StringAttr unknown);

/// Whether the symbol has one value where what it is named by has one.
static bool isSolvable(StringAttr name, StringAttr unknown) {
  if (name == unknown)
    return true;
  if (std::optional<SizeQuotient> quotient = getQuotient(name))
    return quotient->isExact && isSolvable(quotient->numerator, unknown);
  SmallVector<StringAttr, 2> factors = getFactors(name);
  auto has = [&](StringAttr factor) { return isMadeOf(factor, unknown); };
  return factors.size() > 1 && llvm::count_if(factors, has) == 1 &&
         isSolvable(*llvm::find_if(factors, has), unknown);
}

static bool isSolvable(const Dim &dim, StringAttr unknown) {
  auto has = [&](const Dim::Term &term) { return isMadeOf(term.first, unknown); };
  return llvm::count_if(dim.getTerms(), has) == 1 &&
         isSolvable(llvm::find_if(dim.getTerms(), has)->first, unknown);
}

SmallVector<SizeSolution> tw::findSolutions(ArrayRef<Dim> given,
                                            llvm::SmallPtrSetImpl<StringAttr> &known) {
  SmallVector<Dim> open;
  for (const Dim &size : given) {
    if (size.isStatic())
      continue;
    StringAttr name = size.getTerms().front().first;
    if (size == Dim::symbol(name) && getBases(name).front() == name)
      known.insert(name);
    else
      open.push_back(size);
  }
  SmallVector<SizeSolution> solutions;
  for (bool isChanged = true; std::exchange(isChanged, false);)
    for (const Dim &size : open) {
      SmallVector<StringAttr> unknown = getUnknown(size, known);
      if (unknown.size() != 1 || !isSolvable(size, unknown.front()))
        continue;
      solutions.push_back({size, unknown.front()});
      known.insert(unknown.front());
      isChanged = true;
    }
  return solutions;
}
