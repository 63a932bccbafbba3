// Ops of StableHLO in the pretty form.
//
// Most print operands, then attributes by short names, then types. One reader takes any mixture of
// them; a table says what the short names stand for. Ops with a form of their own follow.
#include "Syntax.h"

#include "OpImport.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tw::stablehlo;

namespace {

struct ShortName {
  StringRef op, name, attribute;
};
constexpr ShortName shortNames[] = {
    {"broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"broadcast", "sizes", "broadcast_sizes"},
    {"dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"dynamic_iota", "dim", "iota_dimension"},
    {"transpose", "dims", "permutation"},
    {"reverse", "dims", "dimensions"},
    {"concatenate", "dim", "dimension"},
    {"iota", "dim", "iota_dimension"},
    {"get_dimension_size", "dim", "dimension"},
    {"set_dimension_size", "dim", "dimension"},
    {"dynamic_slice", "sizes", "slice_sizes"},
    {"pad", "low", "edge_padding_low"},
    {"pad", "high", "edge_padding_high"},
    {"pad", "interior", "interior_padding"},
    {"rng", "distribution", "rng_distribution"},
    {"rng_bit_generator", "algorithm", "rng_algorithm"},
    {"fft", "type", "fft_type"},
    {"fft", "length", "fft_length"},
    {"dot", "precision", "precision_config"},
    {"dot_general", "precision", "precision_config"},
};

class Reader {
public:
  Reader(OpAsmParser &parser, OperationState &state)
      : parser(parser), builder(parser.getBuilder()), state(state), op(state.name.stripDialect()) {}

  ParseResult read();

private:
  ParseResult readItems();
  ParseResult readItem();
  ParseResult readKeyword(StringRef word);
  ParseResult readValue(StringRef name);
  ParseResult readRanges();
  ParseResult readTypes();
  ParseResult resolve(ArrayRef<Type> types);
  ParseResult readConstant();
  ParseResult readReduce();
  ParseResult readWhile();
  ParseResult readWindow();
  ParseResult readMesh();
  ParseResult readSharding();
  void applyOp(StringRef name);

  /// `[1, 2]`, `[DEFAULT, HIGH]`, `[[0, 1], [2, 3]]`, `[true]`: numbers in one list, or words.
  struct List {
    SmallVector<int64_t> numbers;
    SmallVector<Attribute> words;
  };
  ParseResult readList(List &list);
  ParseResult readList(SmallVectorImpl<int64_t> &numbers) {
    List list;
    if (readList(list))
      return failure();
    numbers = std::move(list.numbers);
    return success();
  }
  /// What is given twice has its last value.
  ParseResult readDict() {
    NamedAttrList list;
    if (parser.parseOptionalAttrDict(list))
      return failure();
    for (NamedAttribute attribute : list)
      state.attributes.set(attribute.getName(), attribute.getValue());
    return success();
  }
  void add(StringRef name, ArrayRef<int64_t> numbers) {
    state.attributes.set(name, builder.getDenseI64ArrayAttr(numbers));
  }

  OpAsmParser &parser;
  Builder &builder;
  OperationState &state;
  StringRef op;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<NamedAttribute> dims; ///< of dot_general
};

ParseResult Reader::readList(List &list) {
  auto readOne = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalLSquare())) {
      if (succeeded(parser.parseOptionalRSquare()))
        return success();
      auto number = [&] { return parser.parseInteger(list.numbers.emplace_back()); };
      return failure(parser.parseCommaSeparatedList(number) || parser.parseRSquare());
    }
    int64_t number;
    if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
      list.numbers.push_back(number);
      return *found;
    }
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (word == "true" || word == "false")
      list.numbers.push_back(word == "true");
    else
      list.words.push_back(builder.getStringAttr(word));
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, readOne);
}

/// What stands behind `name =`.
ParseResult Reader::readValue(StringRef name) {
  std::string key = name.str();
  for (const ShortName &known : shortNames)
    if (known.op == op && known.name == name)
      key = known.attribute.str();
  if (op == "dot_general" && (name == "batching_dims" || name == "contracting_dims")) {
    SmallVector<int64_t> lhs, rhs;
    if (readList(lhs) || parser.parseKeyword("x") || readList(rhs))
      return failure();
    StringRef kind = name == "batching_dims" ? "batching_dimensions" : "contracting_dimensions";
    dims.push_back(builder.getNamedAttr(("lhs_" + kind).str(), builder.getDenseI64ArrayAttr(lhs)));
    dims.push_back(builder.getNamedAttr(("rhs_" + kind).str(), builder.getDenseI64ArrayAttr(rhs)));
    return success();
  }
  if (op == "convolution" && name == "dim_numbers") {
    FailureOr<DictionaryAttr> numbers = parseConvolutionDims(parser);
    if (failed(numbers))
      return failure();
    state.attributes.set("dimension_numbers", *numbers);
    return success();
  }
  if (op == "convolution" && name == "window")
    return readWindow();
  if (op == "reduce_precision" && name == "format") {
    SMLoc at = parser.getCurrentLocation();
    StringRef format;
    int64_t exponent, mantissa;
    if (parser.parseKeyword(&format))
      return failure();
    if (!format.consume_front("e") || format.consumeInteger(10, exponent) ||
        !format.consume_front("m") || format.getAsInteger(10, mantissa))
      return parser.emitError(at, "expected a format such as e5m10");
    state.attributes.set("exponent_bits", builder.getI64IntegerAttr(exponent));
    state.attributes.set("mantissa_bits", builder.getI64IntegerAttr(mantissa));
    return success();
  }
  // The algorithm of a product: `<lhs_precision_type = tf32, accumulation_type = f32, ...>`. Ours
  // are at least as exact.
  if (succeeded(parser.parseOptionalLess())) {
    auto readPart = [&]() -> ParseResult {
      StringRef part, word;
      Type type;
      int64_t number;
      if (parser.parseKeyword(&part) || parser.parseEqual())
        return failure();
      if (OptionalParseResult found = parser.parseOptionalType(type); found.has_value())
        return *found;
      if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value())
        return *found;
      return parser.parseKeyword(&word);
    };
    return failure(parser.parseCommaSeparatedList(readPart) || parser.parseGreater());
  }
  int64_t number;
  if (OptionalParseResult found = parser.parseOptionalInteger(number); found.has_value()) {
    state.attributes.set(key, builder.getI64IntegerAttr(number));
    return *found;
  }
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    state.attributes.set(key, builder.getStringAttr(word));
    return success();
  }
  List list;
  if (readList(list))
    return failure();
  if (list.words.empty())
    add(key, list.numbers);
  else
    state.attributes.set(key, builder.getArrayAttr(list.words));
  return success();
}

/// `{stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [..], rhs_dilate = [..], reverse =
/// [..]}`
ParseResult Reader::readWindow() {
  auto readPart = [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    StringRef part;
    SmallVector<int64_t> numbers;
    if (parser.parseKeyword(&part) || parser.parseEqual() || readList(numbers))
      return failure();
    StringRef name = llvm::StringSwitch<StringRef>(part)
                         .Case("stride", "window_strides")
                         .Case("pad", "padding")
                         .Case("lhs_dilate", "lhs_dilation")
                         .Case("rhs_dilate", "rhs_dilation")
                         .Case("reverse", "window_reversal")
                         .Default("");
    if (name.empty())
      return parser.emitError(at) << "'" << part << "' is no part of a window";
    add(name, numbers);
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, readPart);
}

/// `[1:3, 0:8:2]` of a slice.
ParseResult Reader::readRanges() {
  SmallVector<int64_t> starts, limits, strides;
  auto readRange = [&]() -> ParseResult {
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back()))
      return failure();
    strides.push_back(1);
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(strides.back())
                                                  : ParseResult(success());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, readRange))
    return failure();
  add("start_indices", starts);
  add("limit_indices", limits);
  add("strides", strides);
  return success();
}

/// A word by itself: the direction and the type of a comparison.
ParseResult Reader::readKeyword(StringRef word) {
  if (op != "compare")
    return parser.emitError(parser.getCurrentLocation())
           << "expected '=' behind '" << word << "' of " << state.name;
  state.attributes.set(operands.empty() ? "comparison_direction" : "compare_type",
                       builder.getStringAttr(word));
  return success();
}

ParseResult Reader::readItem() {
  OpAsmParser::UnresolvedOperand operand;
  if (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value()) {
    operands.push_back(operand);
    return *found;
  }
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  return succeeded(parser.parseOptionalEqual()) ? readValue(word) : readKeyword(word);
}

/// Operands and attributes up to the dictionary or the types, in parentheses or not.
ParseResult Reader::readItems() {
  OpAsmParser::UnresolvedOperand operand;
  StringRef word;
  if (succeeded(parser.parseOptionalLParen())) {
    if (failed(parser.parseOptionalRParen()) &&
        (parser.parseCommaSeparatedList([&] { return readItem(); }) || parser.parseRParen()))
      return failure();
    if (failed(parser.parseOptionalKeyword(&word)))
      return success();
    if (parser.parseEqual() || readValue(word))
      return failure();
  } else if (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value()) {
    if (failed(*found))
      return failure();
    operands.push_back(operand);
    if (op == "slice" && readRanges())
      return failure();
  } else if (succeeded(parser.parseOptionalKeyword(&word))) {
    if (succeeded(parser.parseOptionalEqual()) ? readValue(word) : readKeyword(word))
      return failure();
  } else {
    return success();
  }
  while (succeeded(parser.parseOptionalComma()))
    if (readItem())
      return failure();
  return success();
}

ParseResult Reader::resolve(ArrayRef<Type> types) {
  return parser.resolveOperands(operands, types, parser.getNameLoc(), state.operands);
}

/// `: (T, U) -> V`, `: T, U -> V`, or the types that others follow from.
ParseResult Reader::readTypes() {
  SmallVector<Type> types;
  if (parser.parseColon())
    return failure();
  if (parser.parseType(types.emplace_back()))
    return failure();
  if (auto function = dyn_cast<FunctionType>(types.front())) {
    state.addTypes(function.getResults());
    return resolve(function.getInputs());
  }
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseType(types.emplace_back()))
      return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    SmallVector<Type> results;
    if (succeeded(parser.parseOptionalLParen())) {
      if (failed(parser.parseOptionalRParen()) &&
          (parser.parseTypeList(results) || parser.parseRParen()))
        return failure();
    } else if (parser.parseType(results.emplace_back())) {
      return failure();
    }
    state.addTypes(results);
    return resolve(types);
  }
  if (op == "return")
    return resolve(types);
  if (op == "optimization_barrier" && types.size() > 1) {
    state.addTypes(types);
    return resolve(types);
  }
  if (op == "select" && types.size() == 2) {
    state.addTypes(types.back());
    types.push_back(types.back());
    return resolve(types);
  }
  if (types.size() != 1)
    return parser.emitError(parser.getNameLoc())
           << "expected one type, or those of operands and results with '->' between them, found "
           << types.size() << " types";
  state.addTypes(types.front());
  // Of parts.
  if (op == "complex")
    types.front() = partTypeOf(types.front());
  types.resize(operands.size(), types.front());
  return resolve(types);
}

ParseResult Reader::readConstant() {
  Attribute value;
  if (readDict() || parser.parseAttribute(value))
    return failure();
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return parser.emitError(parser.getNameLoc(), "expected a constant with a type");
  state.attributes.set("value", value);
  state.addTypes(typed.getType());
  return success();
}

/// The region of `applies stablehlo.add`.
void Reader::applyOp(StringRef name) {
  Block &block = state.addRegion()->emplaceBlock();
  OpBuilder inner(builder.getContext());
  inner.setInsertionPointToEnd(&block);
  Type element = state.types.front();
  if (auto tensor = dyn_cast<RankedTensorType>(element))
    element = RankedTensorType::get({}, tensor.getElementType());
  block.addArguments({element, element}, {state.location, state.location});
  OperationState combine(state.location, name), done(state.location, "stablehlo.return");
  combine.addOperands(block.getArguments());
  combine.addTypes(element);
  done.addOperands(inner.create(combine)->getResults());
  inner.create(done);
}

/// `(%x init: %c), (%y init: %d) applies stablehlo.add across dimensions = [0] : types`, or, in
/// place of `applies`, behind the types: `reducer(%a: T, %b: T) (%c: U, %d: U) { ... }`.
ParseResult Reader::readReduce() {
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  size_t count = inits.size();
  operands.append(inits);
  std::string applied;
  SMLoc at;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    StringRef name;
    at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    applied = name.str();
  }
  SmallVector<int64_t> along;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      readList(along) || readDict() || readTypes())
    return failure();
  add("dimensions", along);
  if (!applied.empty()) {
    if (count != 1 || state.types.size() != 1)
      return parser.emitError(at, "one op combines the elements of one operand, found ") << count;
    if (!StringRef(applied).starts_with("stablehlo."))
      return parser.emitError(at) << "expected an op of stablehlo, found '" << applied << "'";
    applyOp(applied);
    return success();
  }
  SmallVector<OpAsmParser::Argument> first(count), second(count);
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < count; ++i)
    if (parser.parseLParen() || parser.parseArgument(first[i], /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(second[i], /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(*state.addRegion(), first);
}

/// `(%x = %a, %y = %b) : T, U cond { ... } do { ... }`
ParseResult Reader::readWhile() {
  SmallVector<OpAsmParser::Argument> carried;
  auto readOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(carried.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, readOne) ||
      (!operands.empty() && parser.parseColonTypeList(types)) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || resolve(types))
    return failure();
  state.addTypes(types);
  for (auto [argument, type] : llvm::zip(carried, types))
    argument.type = type;
  return failure(parser.parseKeyword("cond") || parser.parseRegion(*state.addRegion(), carried) ||
                 parser.parseKeyword("do") || parser.parseRegion(*state.addRegion(), carried));
}

/// `@mesh = <["x"=2, "y"=4]>`
ParseResult Reader::readMesh() {
  StringAttr name;
  auto readAxis = [&]() -> ParseResult {
    std::string axis;
    int64_t size;
    if (parser.parseString(&axis) || parser.parseEqual() || parser.parseInteger(size))
      return failure();
    if (size != 1)
      state.attributes.set("axes", builder.getUnitAttr());
    return success();
  };
  return failure(parser.parseSymbolName(name) || parser.parseEqual() || parser.parseLess() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, readAxis) ||
                 parser.parseGreater() || readDict());
}

/// `%x <@mesh, [{"x"}, {}]> : T`
ParseResult Reader::readSharding() {
  StringAttr mesh;
  auto readAxis = [&]() -> ParseResult {
    std::string axis;
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    if (parser.parseString(&axis))
      return failure();
    state.attributes.set("axes", builder.getUnitAttr());
    return success();
  };
  auto readDim = [&]() -> ParseResult {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, readAxis);
  };
  if (parser.parseOperand(operands.emplace_back()) || parser.parseLess() ||
      parser.parseSymbolName(mesh) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, readDim) ||
      parser.parseGreater() || readDict())
    return failure();
  return readTypes();
}

ParseResult Reader::read() {
  if (op == "constant")
    return readConstant();
  if (op == "reduce")
    return readReduce();
  if (op == "while")
    return readWhile();
  if (state.name.getStringRef() == "sdy.mesh")
    return readMesh();
  if (state.name.getStringRef() == "sdy.sharding_constraint")
    return readSharding();
  if (op == "custom_call") {
    StringAttr target;
    if (parser.parseSymbolName(target))
      return failure();
    state.attributes.set("call_target_name", target);
  }
  if (op == "composite") {
    std::string name;
    if (parser.parseString(&name))
      return failure();
    state.attributes.set("name", builder.getStringAttr(name));
  }
  if (readItems() || readDict())
    return failure();
  if (op == "dot_general")
    state.attributes.set("dot_dimension_numbers", builder.getDictionaryAttr(dims));
  if (op == "return" && operands.empty())
    return success();
  return readTypes();
}

} // namespace

ParseResult tw::stablehlo::parsePretty(OpAsmParser &parser, OperationState &state) {
  return Reader(parser, state).read();
}
