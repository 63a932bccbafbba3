// What importers ask of an op.
#include "OpImport.h"

#include "Importer.h"
#include "Quantized.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// Larger lists are no dimensions of anything.
static constexpr int64_t maxListed = 4096;

bool tw::stablehlo::isComplexType(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

bool tw::stablehlo::isTokenType(Type type) {
  auto opaque = dyn_cast<OpaqueType>(type);
  return opaque && opaque.getDialectNamespace() == "stablehlo" && opaque.getTypeData() == "token";
}

bool tw::stablehlo::isQuantizedType(Type type) {
  return isa<RankedTensorType>(type) &&
         isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType>(
             getElementTypeOrSelf(type));
}

Type tw::stablehlo::partTypeOf(Type type) {
  if (isQuantizedType(type)) {
    auto element = cast<quant::QuantizedType>(getElementTypeOrSelf(type));
    return cast<RankedTensorType>(type).clone(
        IntegerType::get(type.getContext(), element.getStorageTypeIntegralWidth(),
                         element.isSigned() ? IntegerType::Signless : IntegerType::Unsigned));
  }
  if (isTokenType(type))
    return RankedTensorType::get({}, IntegerType::get(type.getContext(), 1));
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isComplexType(type))
    return type;
  return tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType());
}

OpImport::OpImport(Operation &op, Importer &importer, uint64_t imaginary)
    : op(op), importer(importer), emit(importer.emit), results(op.getNumResults()),
      imaginaryResults(op.getNumResults()) {
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    bool isOther = i < 64 && imaginary >> i & 1 && isComplexType(operand.getType());
    operands.push_back(isOther ? importer.getImaginary(operand) : importer.get(operand));
  }
}

void OpImport::takeNumbers() {
  ofNumbers = true;
  for (auto [operand, given] : llvm::zip(operands, op.getOperands()))
    if (isQuantizedType(given.getType()))
      operand = dequantized(*this, operand, given.getType());
}

/// Which of these are complex.
template <typename Range> static SmallVector<size_t> complexOf(Range &&values) {
  SmallVector<size_t> found;
  for (auto [i, value] : llvm::enumerate(values))
    if (isComplexType(value.getType()))
      found.push_back(i);
  return found;
}

void OpImport::appendParts() {
  for (size_t i : complexOf(op.getOperands()))
    operands.push_back(importer.getImaginary(op.getOperand(unsigned(i))));
}

size_t OpImport::wholeOf(size_t i) const {
  size_t count = op.getNumOperands();
  return i < count ? i : complexOf(op.getOperands())[i - count];
}

void OpImport::resultOrPart(size_t i, Value value) {
  if (i < results.size())
    return result(i, value);
  SmallVector<size_t> parts = complexOf(op.getResults());
  if (i - results.size() < parts.size())
    imaginaryResults[parts[i - results.size()]] = value;
}

Value OpImport::imaginary(size_t i) {
  if (i < op.getNumOperands() && isComplexType(op.getOperand(unsigned(i)).getType()))
    return importer.getImaginary(op.getOperand(unsigned(i)));
  return emit.splatLike(operand(i), 0);
}

Value OpImport::operand(size_t i) {
  if (i < operands.size())
    return operands[i];
  error(Code::T0104) << "expected an operand " << i << ", found " << operands.size();
  return {};
}

static RankedTensorType tensorOf(OpImport &op, TypeRange types, size_t i, StringRef what,
                                 bool ofNumbers) {
  if (i < types.size() && ofNumbers && isQuantizedType(types[i])) {
    auto tensor = cast<RankedTensorType>(types[i]);
    return tensor.clone(cast<quant::QuantizedType>(tensor.getElementType()).getExpressedType());
  }
  if (i < types.size())
    if (auto tensor = dyn_cast<RankedTensorType>(partTypeOf(types[i])))
      return tensor;
  op.error(Code::T0107) << "expected a tensor as " << what << " " << i;
  return RankedTensorType::get({}, op.emit.f32());
}
RankedTensorType OpImport::type(size_t i) {
  return tensorOf(*this, op.getOperandTypes(), i, "operand", ofNumbers);
}
RankedTensorType OpImport::resultType(size_t i) {
  return tensorOf(*this, op.getResultTypes(), i, "result", ofNumbers);
}

Shape OpImport::resultShape(StringRef name, std::optional<int64_t> elements) {
  RankedTensorType declared = resultType();
  Shape shape(declared.getShape());
  if (declared.hasStaticShape())
    return shape;
  auto isRead = [&](const auto &from) { return from.first == name; };
  if (llvm::any_of(fromOperands, isRead)) {
    Shape given = integers(name);
    bool fits = given.size() == shape.size() || failed();
    for (auto [size, number] : llvm::zip(shape, given))
      fits &= ShapedType::isDynamic(size) || size == number;
    if (!fits)
      error(Code::T0111) << "expected a shape as in " << declared << ", found "
                         << importer::shapeText(given);
    if (!failed())
      return given;
  } else if (elements && llvm::count(shape, ShapedType::kDynamic) == 1) {
    int64_t known = 1;
    for (int64_t size : shape)
      known *= ShapedType::isDynamic(size) ? 1 : size;
    if (known && *elements % known == 0) {
      std::replace(shape.begin(), shape.end(), ShapedType::kDynamic, *elements / known);
      return shape;
    }
  }
  if (!failed())
    unsupported("sizes that are not known, of a result", "such sizes", "an op that is given them");
  return {};
}

DenseElementsAttr OpImport::known(Value value) { return importer.known(op, value); }
static std::optional<int64_t> integerOf(DenseElementsAttr known) {
  if (!known || known.getNumElements() != 1 || !isa<IntegerType>(known.getElementType()))
    return std::nullopt;
  APInt number = *known.getValues<APInt>().begin();
  bool isSigned = known.getElementType().isSignlessInteger() && number.getBitWidth() > 1;
  return isSigned ? number.getSExtValue()
                  : int64_t(std::min<uint64_t>(number.getZExtValue(), INT64_MAX));
}
std::optional<int64_t> OpImport::knownInteger(Value value) { return integerOf(known(value)); }
std::optional<int64_t> OpImport::knownWay(Value value) {
  return integerOf(importer.knownWay(op, value));
}

Attribute tw::stablehlo::attributeOf(Operation &op, StringRef name) {
  if (Attribute attribute = op.getAttr(name))
    return attribute;
  auto properties = dyn_cast_or_null<DictionaryAttr>(op.getPropertiesAsAttribute());
  return properties ? properties.get(name) : Attribute();
}

Attribute OpImport::find(StringRef name) const { return attributeOf(op, name); }

/// The numbers of an attribute; of a list of pairs all of them.
std::optional<Shape> OpImport::read(Attribute attribute, const Twine &name) {
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return Shape(list.asArrayRef());
  if (auto list = dyn_cast<DenseI32ArrayAttr>(attribute))
    return Shape(list.asArrayRef());
  if (auto list = dyn_cast<DenseBoolArrayAttr>(attribute))
    return Shape(list.asArrayRef());
  if (auto number = dyn_cast<IntegerAttr>(attribute);
      number && number.getValue().getSignificantBits() <= 64)
    return Shape{number.getType().isInteger(1) ? int64_t(number.getValue().getBoolValue())
                                               : number.getValue().getSExtValue()};
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  if (elements && elements.getNumElements() <= maxListed &&
      elements.getElementType().getIntOrFloatBitWidth() <= 64) {
    bool isBool = elements.getElementType().isInteger(1);
    Shape numbers;
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(isBool ? int64_t(number.getZExtValue()) : number.getSExtValue());
    return numbers;
  }
  error(Code::T0108) << "expected integers as '" << name << "', found " << attribute;
  return std::nullopt;
}

int64_t OpImport::integer(StringRef name, std::optional<int64_t> fallback) {
  Attribute attribute = find(name);
  if (!attribute) {
    if (!fallback)
      error(Code::T0108) << "expected the attribute '" << name << "'";
    return fallback.value_or(0);
  }
  std::optional<Shape> numbers = read(attribute, name);
  if (numbers && numbers->size() != 1)
    error(Code::T0108) << "expected one integer as '" << name << "', found " << attribute;
  return numbers && numbers->size() == 1 ? numbers->front() : 0;
}

double OpImport::number(StringRef name) {
  Attribute attribute = find(name);
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValueAsDouble();
  error(Code::T0108) << "expected a number as '" << name << "'";
  return 0;
}

StringRef OpImport::text(StringRef name, StringRef fallback) {
  Attribute attribute = find(name);
  if (!attribute)
    return fallback;
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue();
  error(Code::T0108) << "expected a name as '" << name << "', found " << attribute;
  return fallback;
}

Shape OpImport::integers(StringRef name, std::optional<Shape> fallback) {
  for (auto [given, i] : fromOperands)
    if (given == name) {
      if (DenseElementsAttr numbers = known(operand(i)))
        return read(numbers, name).value_or(Shape());
      unsupported("'" + name + "' that data decide", "sizes that data decide",
                  "sizes that are known when the function is lowered");
      return fallback.value_or(Shape());
    }
  Attribute attribute = find(name);
  if (!attribute) {
    if (!fallback)
      error(Code::T0108) << "expected the attribute '" << name << "'";
    return fallback.value_or(Shape());
  }
  return read(attribute, name).value_or(Shape());
}

Shape OpImport::integers(StringRef name, size_t count, int64_t missing) {
  Shape numbers = integers(name, Shape(count, missing));
  if (numbers.size() == count)
    return numbers;
  error(Code::T0108) << "expected " << count << " integers as '" << name << "', found "
                     << numbers.size();
  return Shape(count, missing);
}

Shape OpImport::field(StringRef name, StringRef entry) {
  auto fields = dyn_cast_or_null<DictionaryAttr>(find(name));
  if (!fields) {
    error(Code::T0108) << "expected dimension numbers as '" << name << "'";
    return {};
  }
  Attribute attribute = fields.get(entry);
  return attribute ? read(attribute, name + "." + entry).value_or(Shape()) : Shape();
}

int64_t OpImport::fieldInteger(StringRef name, StringRef entry, int64_t fallback) {
  Shape numbers = field(name, entry);
  return numbers.empty() ? fallback : numbers.front();
}

bool OpImport::areDims(ShapeRef dims, int64_t rank, StringRef what) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second) {
      error(Code::T0108) << "expected dimensions below " << rank << ", each once, as " << what
                         << ", found " << importer::shapeText(dims);
      return false;
    }
  return true;
}

bool OpImport::hasRegions(size_t count, std::optional<size_t> arguments) {
  bool fits = op.getNumRegions() >= count;
  for (Region &region : op.getRegions())
    fits &= region.hasOneBlock() && !region.front().empty() &&
            (!arguments || region.front().getNumArguments() == *arguments);
  if (fits)
    return true;
  auto diagnostic = error(Code::T0104);
  diagnostic << "expected " << count << " regions of one block";
  if (arguments)
    diagnostic << " with " << *arguments << " arguments";
  return false;
}

void OpImport::resume() { emit.begin(importer.placeOf(op), op.getName().getStringRef().str()); }

std::optional<Values> OpImport::enter(unsigned region, ArrayRef<Value> arguments) {
  Block &block = op.getRegion(region).front();
  SmallVector<size_t> parts = complexOf(block.getArguments());
  if (block.getNumArguments() + parts.size() != arguments.size()) {
    error(Code::T0104) << "expected a region with " << arguments.size() << " arguments, found "
                       << block.getNumArguments() + parts.size();
    return std::nullopt;
  }
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    importer.set(argument, value);
  for (auto [i, value] : llvm::zip(parts, arguments.drop_front(block.getNumArguments())))
    importer.setImaginary(block.getArgument(unsigned(i)), value);
  std::optional<Values> values = importer.importBlock(block);
  resume();
  if (!values)
    return std::nullopt;
  for (size_t i : complexOf(block.back().getOperands()))
    values->push_back(importer.getImaginary(block.back().getOperand(unsigned(i))));
  if (llvm::is_contained(*values, Value()))
    return std::nullopt;
  return values;
}

std::optional<Values> OpImport::apply(unsigned region, ArrayRef<Value> arguments) {
  Block &block = op.getRegion(region).front();
  SmallVector<size_t> parts = complexOf(block.getArguments());
  if (llvm::is_contained(arguments, Value()))
    return std::nullopt;
  if (block.getNumArguments() + parts.size() != arguments.size()) {
    error(Code::T0104) << "expected a region with " << arguments.size() << " arguments, found "
                       << block.getNumArguments() + parts.size();
    return std::nullopt;
  }
  Shape lanes;
  for (Value value : arguments)
    if (Emitter::rank(value))
      lanes = Shape(Emitter::shape(value));
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    importer.set(argument, value);
  for (auto [i, value] : llvm::zip(parts, arguments.drop_front(block.getNumArguments())))
    importer.setImaginary(block.getArgument(unsigned(i)), value);
  std::optional<Values> values = importer.importLanes(block, lanes);
  resume();
  if (!values)
    return std::nullopt;
  for (size_t i : complexOf(block.back().getOperands()))
    values->push_back(importer.getImaginary(block.back().getOperand(unsigned(i))));
  for (Value &value : *values)
    if (!(value = emit.expand(value, lanes)))
      return std::nullopt;
  return values;
}

std::optional<Values> OpImport::combine(ArrayRef<Value> a, ArrayRef<Value> b) {
  size_t count = op.getNumResults();
  Values arguments;
  for (ArrayRef<Value> side : {a, b})
    llvm::append_range(arguments, side.take_front(count));
  for (ArrayRef<Value> side : {a, b})
    llvm::append_range(arguments, side.drop_front(count));
  return apply(0, arguments);
}

std::pair<Values, Values> OpImport::inputsAndInits() {
  size_t count = op.getNumResults(), parts = operands.size() / 2 - count;
  Values inputs, inits;
  for (size_t i = 0; i < count + parts; ++i) {
    inputs.push_back(operand(i < count ? i : i + count));
    inits.push_back(operand(i < count ? i + count : i + count + parts));
  }
  return {inputs, inits};
}

void OpImport::unsupported(const Twine &form, const Twine &needed, const Twine &nearest) {
  if (!refused)
    importer.report.add(importer.placeOf(op), op.getName().getStringRef(), form, needed, nearest,
                        op.getName().getStringRef());
  refused = true;
}
