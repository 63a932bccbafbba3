// Parsing and printing what the formats of primitives are made of.
#include "ScheduleSyntax.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// Of `keyword`, which is empty where something else than a word stands.
static ParseResult emitUnknownWord(AsmParser &parser, SMLoc loc, StringRef expected,
                                   StringRef keyword) {
  InFlightDiagnostic error = parser.emitError(loc, "expected ") << expected << ", found ";
  if (keyword.empty())
    return error << "no word";
  return error << "'" << keyword << "'";
}

static ParseResult parseNames(AsmParser &parser, Names &names,
                              AsmParser::Delimiter delimiter = AsmParser::Delimiter::Square) {
  return parser.parseCommaSeparatedList(delimiter,
                                        [&] { return parseName(parser, names.emplace_back()); });
}

static void printNames(AsmPrinter &printer, NamesRef names, StringRef brackets = "[]") {
  printer << brackets.front();
  llvm::interleaveComma(names, printer, [&](StringAttr name) { printName(printer, name); });
  printer << brackets.back();
}

ParseResult kernel::parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (failed(parser.parseKeywordOrString(&text)))
    return failure();
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

void kernel::printName(AsmPrinter &printer, StringAttr name) {
  printer.printKeywordOrString(name.getValue());
}

ParseResult kernel::parseAxes(AsmParser &parser, Names &axes, StringRef keyword) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseNames(parser, axes)))
    return failure();
  if (axes.empty())
    return parser.emitError(loc, "expected at least one axis in '")
           << keyword << "', found none: name one, or leave '" << keyword << "' out";
  return success();
}

void kernel::printAxes(AsmPrinter &printer, NamesRef axes, StringRef) { printNames(printer, axes); }

ParseResult kernel::parseMergedAxes(AsmParser &parser, Names &axes) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseNames(parser, axes)))
    return failure();
  if (axes.size() < 2)
    return parser.emitError(loc, "expected at least two axes to merge");
  return success();
}

void kernel::printMergedAxes(AsmPrinter &printer, NamesRef axes) { printNames(printer, axes); }

ParseResult kernel::parseSplitParts(AsmParser &parser, Names &parts,
                                    SmallVector<int64_t> &factors) {
  SMLoc loc = parser.getCurrentLocation();
  auto parsePart = [&]() -> ParseResult {
    if (parseName(parser, parts.emplace_back()))
      return failure();
    SMLoc next = parser.getCurrentLocation();
    auto factor = parser.parseOptionalInteger(factors.emplace_back());
    if (parts.size() == 1) {
      factors.clear();
      if (factor.has_value())
        return parser.emitError(next, "expected no factor of the first part, '")
               << parts[0].getValue() << "', which takes what is left";
      return success();
    }
    if (!factor.has_value())
      return parser.emitError(next, "expected the factor of part '")
             << parts.back().getValue() << "'";
    return *factor;
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePart)))
    return failure();
  if (parts.size() < 2 || llvm::any_of(factors, [](int64_t factor) { return factor < 1; }))
    return parser.emitError(loc,
                            "expected a split into at least two parts with factors of at least 1");
  return success();
}

void kernel::printSplitParts(AsmPrinter &printer, NamesRef parts, ArrayRef<int64_t> factors) {
  printer << '[';
  llvm::interleaveComma(llvm::enumerate(parts), printer, [&](auto it) {
    printName(printer, it.value());
    if (it.index())
      printer << ' ' << factors[it.index() - 1];
  });
  printer << ']';
}

ParseResult kernel::parsePartLength(AsmParser &parser, int64_t &length) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(length))
    return failure();
  if (length < 1)
    return parser.emitError(loc, "expected parts of at least 1 point");
  return success();
}

void kernel::printPartLength(AsmPrinter &printer, int64_t length) { printer << length; }

ParseResult kernel::parseCount(AsmParser &parser, int64_t &count) {
  return parser.parseInteger(count);
}

void kernel::printCount(AsmPrinter &printer, int64_t count) { printer << count; }

ParseResult kernel::parseWarps(AsmParser &parser, int64_t &count, int64_t &loading,
                               int64_t &walking) {
  loading = walking = 0;
  if (parser.parseInteger(count))
    return failure();
  if (failed(parser.parseOptionalKeyword("loading")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(loading))
    return failure();
  if (loading < 1)
    return parser.emitError(loc, "expected at least 1 subgroup that loads, found ") << loading;
  if (failed(parser.parseOptionalKeyword("walking")))
    return success();
  loc = parser.getCurrentLocation();
  if (parser.parseInteger(walking))
    return failure();
  if (walking < 1)
    return parser.emitError(loc, "expected at least 1 program that walks, found ") << walking;
  return success();
}

void kernel::printWarps(AsmPrinter &printer, int64_t count, int64_t loading, int64_t walking) {
  printer << count;
  if (loading != 0)
    printer << " loading " << loading;
  if (walking != 0)
    printer << " walking " << walking;
}

ParseResult kernel::parseStreamed(AsmParser &parser, int64_t &result, int64_t &from) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(result))
    return failure();
  if (result < 0)
    return parser.emitError(loc, "expected the number of a result, found ") << result;
  from = 0;
  if (failed(parser.parseOptionalKeyword("from")))
    return success();
  loc = parser.getCurrentLocation();
  if (parser.parseInteger(from))
    return failure();
  if (from < 1)
    return parser.emitError(loc, "expected to stream from 1 byte on, found ") << from;
  return success();
}

void kernel::printStreamed(AsmPrinter &printer, int64_t result, int64_t from) {
  printer << result;
  if (from)
    printer << " from " << from;
}

ParseResult kernel::parseStaged(AsmParser &parser, StringAttr &value, Names &order,
                                StringAttr &loop, bool &global, bool &window) {
  if (parseName(parser, value))
    return failure();
  window = succeeded(parser.parseOptionalKeyword("window"));
  if (succeeded(parser.parseOptionalKeyword("as"))) {
    SMLoc loc = parser.getCurrentLocation();
    if (parseNames(parser, order, AsmParser::Delimiter::Paren))
      return failure();
    if (order.empty())
      return parser.emitError(loc, "expected the axes of the buffer of '")
             << value.getValue() << "' in their order, found none: name them, or leave 'as' out";
  }
  if (parser.parseKeyword("at"))
    return failure();
  global = !window && succeeded(parser.parseOptionalKeyword("kernel"));
  if (!global && failed(parser.parseOptionalKeyword("grid")) && parseName(parser, loop))
    return failure();
  return parser.parseKeyword(global ? "global" : "local");
}

void kernel::printStaged(AsmPrinter &printer, StringAttr value, NamesRef order, StringAttr loop,
                         bool global, bool window) {
  printName(printer, value);
  if (window)
    printer << " window";
  if (!order.empty()) {
    printer << " as ";
    printNames(printer, order, "()");
  }
  printer << " at ";
  if (global)
    printer << "kernel global";
  else if (loop)
    printName(printer, loop);
  else
    printer << "grid";
  if (!global)
    printer << " local";
}

ParseResult kernel::parsePlace(AsmParser &parser, KeepPlace &place) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<KeepPlace> known = symbolizeKeepPlace(keyword);
  if (!known)
    return emitUnknownWord(parser, loc, "'register', 'local', 'result' or 'recompute'", keyword);
  place = *known;
  return success();
}

void kernel::printPlace(AsmPrinter &printer, KeepPlace place) {
  printer << stringifyKeepPlace(place);
}

ParseResult kernel::parseMode(AsmParser &parser, EdgeMode &mode) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  (void)parser.parseOptionalKeyword(&keyword);
  std::optional<EdgeMode> known = symbolizeEdgeMode(keyword);
  if (!known)
    return emitUnknownWord(parser, loc, "'mask', 'peel' or 'pad'", keyword);
  mode = *known;
  return success();
}

void kernel::printMode(AsmPrinter &printer, EdgeMode mode) { printer << stringifyEdgeMode(mode); }

/// A name and a number from 1 on, or the name alone; `expected` says what the number is.
static ParseResult parseNameAndNumber(AsmParser &parser, StringAttr &name, int64_t &number,
                                      StringRef expected) {
  if (parseName(parser, name))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  number = 0;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (!parsed.has_value())
    return success();
  if (failed(*parsed))
    return failure();
  if (number < 1)
    return parser.emitError(loc, "expected ") << expected << ", found " << number;
  return success();
}

static void printNameAndNumber(AsmPrinter &printer, StringAttr name, int64_t number) {
  printName(printer, name);
  if (number)
    printer << ' ' << number;
}

ParseResult kernel::parsePrefetched(AsmParser &parser, StringAttr &value, int64_t &ahead) {
  return parseNameAndNumber(parser, value, ahead, "to prefetch at least 1 element ahead");
}

void kernel::printPrefetched(AsmPrinter &printer, StringAttr value, int64_t ahead) {
  printNameAndNumber(printer, value, ahead);
}

ParseResult kernel::parseUnrolled(AsmParser &parser, StringAttr &axis, int64_t &factor) {
  return parseNameAndNumber(parser, axis, factor,
                            "an unroll factor of at least 1, or none to unroll fully");
}

void kernel::printUnrolled(AsmPrinter &printer, StringAttr axis, int64_t factor) {
  printNameAndNumber(printer, axis, factor);
}
