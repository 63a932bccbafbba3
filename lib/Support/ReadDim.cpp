// Reads sizes, from MLIR's text and from names of symbols.
#include "SizeNames.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tw;

namespace {

/// sum := [`-`] product ((`+` | `-`) product)*
/// product := factor (`*` factor | `/` integer | `floordiv` integer)*
/// factor := integer | name | `(` sum [`min` sum] `)`
/// What divides, divides the product so far.
template <typename Source> class DimReader {
public:
  explicit DimReader(Source source) : source(source) {}

  ParseResult readSum(Dim &dim, unsigned depth = 0) {
    bool negative = source.take('-');
    while (true) {
      Dim product;
      if (failed(readProduct(product, depth)))
        return failure();
      dim = dim + product * (negative ? -1 : 1);
      negative = false;
      if (source.take('+'))
        continue;
      if (!source.take('-'))
        return success();
      negative = true;
    }
  }

private:
  Source source;

  ParseResult readProduct(Dim &product, unsigned depth) {
    if (failed(readFactor(product, depth)))
      return failure();
    while (true) {
      if (source.take('*')) {
        Dim factor;
        if (failed(readFactor(factor, depth)))
          return failure();
        product = multiply(product, factor);
        continue;
      }
      bool isExact = source.take('/');
      if (!isExact && !source.takeDown())
        return success();
      int64_t divisor = 0;
      OptionalParseResult found = source.takeInteger(divisor);
      if (!found.has_value() || failed(*found) || divisor < 1 || divisor > mostDivisor)
        return source.fail("expected a divisor from 1 to 2147483647");
      std::optional<Dim> quotient =
          isExact ? divideExactly(product, divisor) : divideDown(product, divisor);
      if (!quotient)
        return source.fail("expected a multiple of the divisor");
      product = *quotient;
    }
  }

  ParseResult readFactor(Dim &factor, unsigned depth) {
    constexpr unsigned deepest = 32;
    int64_t number;
    if (OptionalParseResult found = source.takeInteger(number); found.has_value()) {
      factor = Dim(number);
      return *found;
    }
    if (source.take('(')) {
      if (depth == deepest)
        return source.fail("expected fewer parentheses");
      if (failed(readSum(factor, depth + 1)))
        return failure();
      if (source.takeLeast()) {
        Dim other;
        if (failed(readSum(other, depth + 1)))
          return failure();
        factor = tw::takeLeast(factor, other);
      }
      return source.take(')') ? success() : source.fail("expected ')'");
    }
    std::string name;
    if (!source.takeName(name))
      return source.fail("expected a symbol's name or an integer");
    factor = Dim::symbol(StringAttr::get(source.getContext(), name));
    return success();
  }
};

/// The text of a program.
struct Program {
  AsmParser &parser;

  MLIRContext *getContext() { return parser.getContext(); }
  bool take(char sign) {
    switch (sign) {
    case '+':
      return succeeded(parser.parseOptionalPlus());
    case '-':
      return succeeded(parser.parseOptionalMinus());
    case '*':
      return succeeded(parser.parseOptionalStar());
    case '/':
      return succeeded(parser.parseOptionalSlash());
    case '(':
      return succeeded(parser.parseOptionalLParen());
    default:
      return succeeded(parser.parseOptionalRParen());
    }
  }
  bool takeDown() { return succeeded(parser.parseOptionalKeyword("floordiv")); }
  bool takeLeast() { return succeeded(parser.parseOptionalKeyword("min")); }
  OptionalParseResult takeInteger(int64_t &number) { return parser.parseOptionalInteger(number); }
  bool takeName(std::string &name) { return succeeded(parser.parseOptionalKeywordOrString(&name)); }
  ParseResult fail(const Twine &what) {
    return tw::emitError(parser.getEncodedSourceLoc(parser.getCurrentLocation()), Code::T0209)
           << what.str();
  }
};

/// What `Dim::print` has written.
struct Name {
  StringRef rest;
  MLIRContext *context;

  MLIRContext *getContext() { return context; }
  bool take(char sign) { return (rest = rest.ltrim(' ')).consume_front(StringRef(&sign, 1)); }
  bool takeDown() { return (rest = rest.ltrim(' ')).consume_front("floordiv "); }
  bool takeLeast() { return (rest = rest.ltrim(' ')).consume_front("min "); }
  OptionalParseResult takeInteger(int64_t &number) {
    rest = rest.ltrim(' ');
    if (rest.empty() || !llvm::isDigit(rest.front()))
      return std::nullopt;
    return ParseResult(failure(rest.consumeInteger(10, number)));
  }
  bool takeName(std::string &name) {
    rest = rest.ltrim(' ');
    if (!rest.consume_front("\"")) {
      StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      rest = rest.drop_front(word.size());
      name = word.str();
      return !word.empty();
    }
    while (!rest.empty() && !rest.consume_front("\"")) {
      char next = rest.front();
      rest = rest.drop_front();
      if (next == '\\' && rest.consume_front("\\")) {
        // A backslash.
      } else if (uint8_t code; next == '\\' && rest.size() >= 2 &&
                               llvm::tryGetHexFromNibbles(rest[0], rest[1], code)) {
        next = char(code);
        rest = rest.drop_front(2);
      }
      name += next;
    }
    return !name.empty();
  }
  ParseResult fail(const Twine &) { return failure(); }
};

} // namespace

ParseResult tw::parseDim(AsmParser &parser, Dim &dim) {
  dim = Dim();
  return DimReader<Program>({parser}).readSum(dim);
}

std::optional<Dim> tw::readDim(StringRef text, MLIRContext *context) {
  Dim dim;
  Name name{text, context};
  DimReader<Name &> reader(name);
  if (failed(reader.readSum(dim)) || !name.rest.empty())
    return std::nullopt;
  return dim;
}
