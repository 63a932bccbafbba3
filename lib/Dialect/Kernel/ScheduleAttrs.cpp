// Syntax of the primitives of a schedule.
#include "tw/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace tw::kernel;

namespace {

/// An axis or value name: a bare identifier.
ParseResult parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (failed(parser.parseKeywordOrString(&text)))
    return failure();
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

/// Of `keyword`, which is empty where something else than a word stands.
void emitUnknownWord(AsmParser &parser, SMLoc loc, StringRef expected, StringRef keyword) {
  InFlightDiagnostic error = parser.emitError(loc, "expected ") << expected << ", found ";
  if (keyword.empty())
    error << "no word";
  else
    error << "'" << keyword << "'";
}

void printName(AsmPrinter &printer, StringAttr name) {
  printer.printKeywordOrString(name.getValue());
}

ParseResult parseNames(AsmParser &parser, SmallVectorImpl<StringAttr> &names,
                       AsmParser::Delimiter delimiter = AsmParser::Delimiter::Square) {
  return parser.parseCommaSeparatedList(delimiter,
                                        [&] { return parseName(parser, names.emplace_back()); });
}

void printNames(AsmPrinter &printer, ArrayRef<StringAttr> names, StringRef brackets = "[]") {
  printer << brackets.front();
  llvm::interleaveComma(names, printer, [&](StringAttr name) { printName(printer, name); });
  printer << brackets.back();
}

/// `[a, b]` for a primitive that is a list of axes.
template <typename Primitive> Attribute parseAxes(AsmParser &parser) {
  SmallVector<StringAttr> names;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseNames(parser, names)))
    return {};
  if (names.empty()) {
    StringRef primitive = Primitive::getMnemonic();
    parser.emitError(loc, "expected at least one axis in '")
        << primitive << "', found none: name one, or leave '" << primitive << "' out";
    return {};
  }
  return Primitive::get(parser.getContext(), names);
}

/// `#tkernel.<mnemonic><body>`.
template <typename Primitive> Attribute parseAlone(AsmParser &parser) {
  if (failed(parser.parseLess()))
    return {};
  Attribute primitive = Primitive::parseBody(parser);
  if (!primitive || failed(parser.parseGreater()))
    return {};
  return primitive;
}

} // namespace

// p = [n, h, w]
Attribute MergeAttr::parseBody(AsmParser &parser) {
  StringAttr axis;
  SmallVector<StringAttr> parts;
  SMLoc loc = parser.getCurrentLocation();
  if (parseName(parser, axis) || parser.parseEqual() || parseNames(parser, parts))
    return {};
  if (parts.size() < 2) {
    parser.emitError(loc, "expected at least two axes to merge");
    return {};
  }
  return MergeAttr::get(parser.getContext(), axis, parts);
}

void MergeAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getAxis());
  printer << " = ";
  printNames(printer, getParts());
}

// s = [a, b]
Attribute WidenAttr::parseBody(AsmParser &parser) {
  StringAttr value, lhs, rhs;
  if (parseName(parser, value) || parser.parseEqual() || parser.parseLSquare() ||
      parseName(parser, lhs) || parser.parseComma() || parseName(parser, rhs) ||
      parser.parseRSquare())
    return {};
  return WidenAttr::get(parser.getContext(), value, lhs, rhs);
}

void WidenAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getValue());
  printer << " = ";
  printNames(printer, {getLhs(), getRhs()});
}

// s over k = [kp, ki 1024]
Attribute RfactorAttr::parseBody(AsmParser &parser) {
  StringAttr value, axis, part, inner;
  int64_t length;
  if (parseName(parser, value) || parser.parseKeyword("over") || parseName(parser, axis) ||
      parser.parseEqual() || parser.parseLSquare() || parseName(parser, part) ||
      parser.parseComma() || parseName(parser, inner))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(length) || parser.parseRSquare())
    return {};
  if (length < 1) {
    parser.emitError(loc, "expected parts of at least 1 point");
    return {};
  }
  return RfactorAttr::get(parser.getContext(), value, axis, part, inner, length);
}

void RfactorAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getValue());
  printer << " over ";
  printName(printer, getAxis());
  printer << " = [";
  printName(printer, getPart());
  printer << ", ";
  printName(printer, getInner());
  printer << ' ' << getLength() << ']';
}

// m = [mo, mi 8, mr 12]
Attribute SplitAttr::parseBody(AsmParser &parser) {
  StringAttr axis;
  SmallVector<StringAttr> parts;
  SmallVector<int64_t> factors;
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
  if (parseName(parser, axis) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePart))
    return {};
  if (parts.size() < 2 || llvm::any_of(factors, [](int64_t factor) { return factor < 1; })) {
    parser.emitError(loc, "expected a split into at least two parts with factors of at least 1");
    return {};
  }
  return SplitAttr::get(parser.getContext(), axis, parts, factors);
}

void SplitAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getAxis());
  printer << " = [";
  llvm::interleaveComma(llvm::enumerate(getParts()), printer, [&](auto it) {
    printName(printer, it.value());
    if (it.index())
      printer << ' ' << getFactors()[it.index() - 1];
  });
  printer << ']';
}

Attribute OrderAttr::parseBody(AsmParser &parser) { return parseAxes<OrderAttr>(parser); }
void OrderAttr::printBody(AsmPrinter &printer) const { printNames(printer, getAxes()); }
Attribute GridAttr::parseBody(AsmParser &parser) { return parseAxes<GridAttr>(parser); }
void GridAttr::printBody(AsmPrinter &printer) const { printNames(printer, getAxes()); }
Attribute TeamAttr::parseBody(AsmParser &parser) { return parseAxes<TeamAttr>(parser); }
void TeamAttr::printBody(AsmPrinter &printer) const { printNames(printer, getAxes()); }
Attribute TileAttr::parseBody(AsmParser &parser) { return parseAxes<TileAttr>(parser); }
void TileAttr::printBody(AsmPrinter &printer) const { printNames(printer, getAxes()); }

// 8
Attribute WarpsAttr::parseBody(AsmParser &parser) {
  int64_t count;
  if (parser.parseInteger(count))
    return {};
  return WarpsAttr::get(parser.getContext(), count);
}

void WarpsAttr::printBody(AsmPrinter &printer) const { printer << getCount(); }

// a at ko local   or   a as (mi, k, mr) at grid local   or   b as (no, k, nr) at kernel global   or
// x window at po local
Attribute StageAttr::parseBody(AsmParser &parser) {
  StringAttr value, loop;
  SmallVector<StringAttr> order;
  if (parseName(parser, value))
    return {};
  bool window = succeeded(parser.parseOptionalKeyword("window"));
  if (!window && succeeded(parser.parseOptionalKeyword("as"))) {
    SMLoc loc = parser.getCurrentLocation();
    if (parseNames(parser, order, AsmParser::Delimiter::Paren))
      return {};
    if (order.empty()) {
      parser.emitError(loc, "expected the axes of the buffer of '")
          << value.getValue() << "' in their order, found none: name them, or leave 'as' out";
      return {};
    }
  }
  if (parser.parseKeyword("at"))
    return {};
  bool global = !window && succeeded(parser.parseOptionalKeyword("kernel"));
  if (!global && failed(parser.parseOptionalKeyword("grid")) && parseName(parser, loop))
    return {};
  if (parser.parseKeyword(global ? "global" : "local"))
    return {};
  return StageAttr::get(parser.getContext(), value, order, loop, global, window);
}

void StageAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getValue());
  if (getWindow())
    printer << " window";
  if (!getOrder().empty()) {
    printer << " as ";
    printNames(printer, getOrder(), "()");
  }
  printer << " at ";
  if (getGlobal())
    printer << "kernel global";
  else if (getLoop())
    printName(printer, getLoop());
  else
    printer << "grid";
  if (!getGlobal())
    printer << " local";
}

// e result
Attribute KeepAttr::parseBody(AsmParser &parser) {
  StringAttr value;
  StringRef keyword;
  if (parseName(parser, value))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  (void)parser.parseOptionalKeyword(&keyword);
  auto place = symbolizeKeepPlace(keyword);
  if (!place) {
    emitUnknownWord(parser, loc, "'register', 'local', 'result' or 'recompute'", keyword);
    return {};
  }
  return KeepAttr::get(parser.getContext(), value, *place);
}

void KeepAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getValue());
  printer << ' ' << stringifyKeepPlace(getPlace());
}

/// The name of an axis alone.
template <typename Primitive> static Attribute parseAxis(AsmParser &parser) {
  StringAttr axis;
  if (parseName(parser, axis))
    return {};
  return Primitive::get(parser.getContext(), axis);
}

Attribute OnlineAttr::parseBody(AsmParser &parser) { return parseAxis<OnlineAttr>(parser); }
void OnlineAttr::printBody(AsmPrinter &printer) const { printName(printer, getAxis()); }
Attribute SkipAttr::parseBody(AsmParser &parser) { return parseAxis<SkipAttr>(parser); }
void SkipAttr::printBody(AsmPrinter &printer) const { printName(printer, getAxis()); }

// 0
Attribute StreamAttr::parseBody(AsmParser &parser) {
  int64_t result;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(result))
    return {};
  if (result < 0) {
    parser.emitError(loc, "expected the number of a result, found ") << result;
    return {};
  }
  return StreamAttr::get(parser.getContext(), result);
}

void StreamAttr::printBody(AsmPrinter &printer) const { printer << getResult(); }

// v 1024
Attribute PrefetchAttr::parseBody(AsmParser &parser) {
  StringAttr value;
  int64_t ahead = 0;
  if (parseName(parser, value))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  auto parsed = parser.parseOptionalInteger(ahead);
  if (parsed.has_value() && failed(*parsed))
    return {};
  if (ahead < 0 || (parsed.has_value() && ahead == 0)) {
    parser.emitError(loc, "expected to prefetch at least 1 element ahead, found ") << ahead;
    return {};
  }
  return PrefetchAttr::get(parser.getContext(), value, ahead);
}

void PrefetchAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getValue());
  if (getAhead())
    printer << ' ' << getAhead();
}

// kg dot
Attribute ContractAttr::parseBody(AsmParser &parser) {
  StringAttr axis;
  if (parseName(parser, axis) || parser.parseKeyword("dot"))
    return {};
  return ContractAttr::get(parser.getContext(), axis);
}

void ContractAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getAxis());
  printer << " dot";
}

// r 3   or   r
Attribute UnrollAttr::parseBody(AsmParser &parser) {
  StringAttr axis;
  int64_t factor = 0;
  if (parseName(parser, axis))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  auto parsed = parser.parseOptionalInteger(factor);
  if (parsed.has_value() && failed(*parsed))
    return {};
  if (parsed.has_value() && factor < 1) {
    parser.emitError(loc,
                     "expected an unroll factor of at least 1, or none to unroll fully, found ")
        << factor;
    return {};
  }
  return UnrollAttr::get(parser.getContext(), axis, factor);
}

void UnrollAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getAxis());
  if (getFactor())
    printer << ' ' << getFactor();
}

// j mask
Attribute EdgeAttr::parseBody(AsmParser &parser) {
  StringAttr axis;
  StringRef keyword;
  if (parseName(parser, axis))
    return {};
  SMLoc loc = parser.getCurrentLocation();
  (void)parser.parseOptionalKeyword(&keyword);
  auto mode = symbolizeEdgeMode(keyword);
  if (!mode) {
    emitUnknownWord(parser, loc, "'mask', 'peel' or 'pad'", keyword);
    return {};
  }
  return EdgeAttr::get(parser.getContext(), axis, *mode);
}

void EdgeAttr::printBody(AsmPrinter &printer) const {
  printName(printer, getAxis());
  printer << ' ' << stringifyEdgeMode(getMode());
}

#define TW_PRIMITIVE(Name)                                                                         \
  Attribute Name##Attr::parse(AsmParser &parser, Type) { return parseAlone<Name##Attr>(parser); }  \
  void Name##Attr::print(AsmPrinter &printer) const {                                              \
    printer << '<';                                                                                \
    printBody(printer);                                                                            \
    printer << '>';                                                                                \
  }
#include "tw/Dialect/Kernel/Primitives.def"
