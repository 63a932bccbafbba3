// The dialects that StableHLO programs are parsed with: any op is allowed, attributes become
// builtin ones.
#include "Syntax.h"

#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tw;

namespace {

/// `<offset_dims = [1], index_vector_dim = 1>`: lists and numbers by name.
FailureOr<DictionaryAttr> parseFields(AsmParser &parser) {
  Builder &builder = parser.getBuilder();
  SmallVector<NamedAttribute> fields;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    SmallVector<int64_t> numbers;
    auto parseNumber = [&] { return parser.parseInteger(numbers.emplace_back()); };
    if (succeeded(parser.parseOptionalLSquare())) {
      if (failed(parser.parseOptionalRSquare()) &&
          (parser.parseCommaSeparatedList(parseNumber) || parser.parseRSquare()))
        return failure();
      fields.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers)));
      return success();
    }
    if (parseNumber())
      return failure();
    fields.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(numbers.front())));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return failure();
  return builder.getDictionaryAttr(fields);
}

/// `[b, 0, 1, f]`
FailureOr<DenseI64ArrayAttr> parseDims(AsmParser &parser, StringRef batch, StringRef feature) {
  SmallVector<int64_t> dims;
  auto parseDim = [&]() -> ParseResult {
    int64_t number;
    if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
      dims.push_back(number);
      return *found;
    }
    SMLoc at = parser.getCurrentLocation();
    StringRef letter;
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter != batch && letter != feature)
      return parser.emitError(at) << "expected a number, '" << batch << "' or '" << feature
                                  << "', found '" << letter << "'";
    dims.push_back(letter == batch ? stablehlo::BatchDim : stablehlo::FeatureDim);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  return parser.getBuilder().getDenseI64ArrayAttr(dims);
}

} // namespace

FailureOr<DictionaryAttr> stablehlo::parseConvolutionDims(AsmParser &parser) {
  FailureOr<DenseI64ArrayAttr> lhs = parseDims(parser, "b", "f"), kernel, result;
  if (failed(lhs) || parser.parseKeyword("x") || failed(kernel = parseDims(parser, "o", "i")) ||
      parser.parseArrow() || failed(result = parseDims(parser, "b", "f")))
    return failure();
  Builder &builder = parser.getBuilder();
  return builder.getDictionaryAttr({builder.getNamedAttr("lhs", *lhs),
                                    builder.getNamedAttr("kernel", *kernel),
                                    builder.getNamedAttr("result", *result)});
}

namespace {

constexpr llvm::StringLiteral names[] = {"stablehlo", "chlo", "mhlo", "sdy"};

/// `number` is the place of its name.
template <unsigned number> class ForeignDialect : public Dialect {
public:
  explicit ForeignDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<ForeignDialect>()) {
    allowUnknownOperations();
    allowUnknownTypes();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return names[number]; }

  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return ParseOpHook(stablehlo::parsePretty);
  }

  /// A choice is its name, dimension numbers are lists by name, and what nobody reads is its text.
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    StringRef text = parser.getFullSymbolSpec(), kind;
    if (succeeded(parser.parseOptionalKeyword(&kind))) {
      if (kind == "dot" || kind == "gather" || kind == "scatter" || kind == "ragged_dot") {
        FailureOr<DictionaryAttr> fields = parseFields(parser);
        return succeeded(fields) ? *fields : Attribute();
      }
      if (kind == "conv") {
        if (parser.parseLess())
          return {};
        FailureOr<DictionaryAttr> dims = stablehlo::parseConvolutionDims(parser);
        return succeeded(dims) && succeeded(parser.parseGreater()) ? *dims : Attribute();
      }
      StringRef choice;
      if (succeeded(parser.parseOptionalKeyword(&choice)))
        return parser.getBuilder().getStringAttr(choice);
    }
    return parser.getBuilder().getStringAttr(text);
  }
  void printAttribute(Attribute, DialectAsmPrinter &) const override {}

  /// Tokens and the like, which no op that is imported has.
  Type parseType(DialectAsmParser &parser) const override {
    return OpaqueType::get(parser.getBuilder().getStringAttr(getDialectNamespace()),
                           parser.getFullSymbolSpec());
  }
  void printType(Type, DialectAsmPrinter &) const override {}
};

template <unsigned number> LogicalResult load(MLIRContext &context) {
  Dialect *known = context.getLoadedDialect(names[number]);
  if (known && known->getTypeID() != TypeID::get<ForeignDialect<number>>())
    return emitError(UnknownLoc::get(&context), Code::T0514)
           << "the context has a dialect '" << names[number]
           << "' of its own, expected none: the importer parses with a small one";
  context.loadDialect<ForeignDialect<number>>();
  return success();
}

} // namespace

LogicalResult stablehlo::loadDialects(MLIRContext &context) {
  return success(succeeded(load<0>(context)) && succeeded(load<1>(context)) &&
                 succeeded(load<2>(context)) && succeeded(load<3>(context)));
}
