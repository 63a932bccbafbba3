// Imports the ops of functions in their order.
#include "Importer.h"

#include "../ONNX/SizeTrace.h"
#include "Quantized.h"
#include "Registry.h"
#include "Sizes.h"
#include "tw/Support/ElementTypes.h"

#include "llvm/ADT/StringExtras.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

static constexpr unsigned maxErrors = 20;
/// Functions are imported where they are called, so calls in calls may be many.
static constexpr int64_t maxOps = int64_t(1) << 20;
static constexpr unsigned maxCalls = 200;
static constexpr int64_t maxElements = int64_t(1) << 40;

std::string tw::stablehlo::problemOf(Type type, bool isInside) {
  if (isInside)
    type = partTypeOf(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isElementType(tensor.getElementType())) {
    os << "the type " << (tensor ? tensor.getElementType() : type);
    return text;
  }
  if ((!isInside && !tensor.hasStaticShape()) || tensor.getEncoding()) {
    os << "sizes that are not known, as in " << type;
    return text;
  }
  int64_t count = 1;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size && count > maxElements / size) {
      os << "more than 2^40 elements, as in " << type;
      return text;
    }
    count *= std::max<int64_t>(size, 1);
  }
  return {};
}

Importer::Importer(OpBuilder &builder, ModuleOp module, bool isSample, onnx::CountedSizes *counted)
    : emit(builder), source(module), symbols(module), files(""), constants(files),
      counted(counted) {
  emit.keepsWholeSlices = isSample;
}

Importer::~Importer() {
  for (Operation *op : llvm::reverse(made))
    op->destroy();
}

Location Importer::placeOf(Operation &op) const {
  auto hasPlace = [](Location location) {
    WalkResult walked = location->walk([](Location part) {
      return isa<FileLineColRange>(part) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walked.wasInterrupted();
  };
  if (hasPlace(op.getLoc()))
    return op.getLoc();
  for (const Call &call : llvm::reverse(calls))
    if (hasPlace(call.place))
      return call.place;
  return op.getLoc();
}

/// Several ops of a line count one after the other, as those of a function that is called again.
std::string Importer::getKey(Operation &op) const {
  std::string key = op.getName().getStringRef().str();
  if (auto place = placeOf(op)->findInstanceOf<FileLineColRange>())
    key += " of line " + std::to_string(place.getStartLine());
  return key;
}

void Importer::noteResults(Operation &op) {
  if (counted && !lanes)
    for (Value result : op.getResults())
      if (Value value = values.lookup(result))
        onnx::noteResult(*counted, getKey(op), value, constants);
}

Value Importer::follow(Operation &op, StringRef name, int64_t number, Type element) {
  Value value = emit.splat({}, element, double(number));
  if (counted && !lanes)
    onnx::noteResult(*counted, (getKey(op) + "." + name).str(), value, constants);
  return value;
}

DenseElementsAttr Importer::known(Operation &op, Value value) {
  DenseElementsAttr found = value ? constants.get(value) : DenseElementsAttr();
  if (found && counted)
    onnx::noteReading(*counted, getKey(op), value, /*isWay=*/false, constants);
  return found;
}

DenseElementsAttr Importer::knownWay(Operation &op, Value value) {
  std::string key = getKey(op) + ".way";
  if (counted && counted->open.count(key))
    return {};
  DenseElementsAttr found = value ? constants.get(value) : DenseElementsAttr();
  if (!found || !counted)
    return found;
  onnx::noteReading(*counted, key, value, /*isWay=*/true, constants);
  counted->ways.insert(key);
  for (const APInt &number : found.getValues<APInt>())
    counted->decided[key].push_back(number.getSExtValue());
  return found;
}

/// Values that let importing go on after an error; the program is thrown away.
void Importer::standIn(Operation &op) {
  for (Value result : op.getResults())
    if (!values.lookup(result) && problemOf(result.getType()).empty()) {
      auto type = cast<RankedTensorType>(partTypeOf(result.getType()));
      emit.begin(op.getLoc(), "");
      Shape shape(lanes ? ShapeRef(*lanes) : type.getShape());
      std::replace(shape.begin(), shape.end(), ShapedType::kDynamic, int64_t(1));
      values[result] = imaginaries[result] = emit.splat(shape, type.getElementType(), 0);
    }
}

std::optional<Values> Importer::importCall(Operation &call, StringRef callee,
                                           ArrayRef<Value> arguments) {
  auto function = symbols.lookup<func::FuncOp>(callee);
  emit.begin(placeOf(call), call.getName().getStringRef().str());
  if (!function || !function.getBody().hasOneBlock() ||
      function.getNumArguments() != arguments.size()) {
    emit.error(Code::T0117) << "expected a function '" << callee << "' of one block with "
                            << arguments.size() << " arguments";
    ++errors;
    return std::nullopt;
  }
  auto isRunning = [&](const Call &running) { return running.function == function; };
  if (llvm::any_of(calls, isRunning) || calls.size() >= maxCalls) {
    emit.error(Code::T0117) << "the function '" << callee
                            << "' calls itself, or calls are nested deeper than " << maxCalls;
    ++errors;
    return std::nullopt;
  }
  calls.push_back({function, call.getLoc()});
  for (auto [argument, value] : llvm::zip(function.getArguments(), arguments))
    values[argument] = value;
  for (auto [argument, operand] : llvm::zip(function.getArguments(), call.getOperands()))
    imaginaries[argument] = imaginaries.lookup(operand);
  std::optional<Values> results = importBlock(function.getBody().front());
  for (auto [result, value] :
       llvm::zip(call.getResults(), function.getBody().front().back().getOperands()))
    imaginaries[result] = imaginaries.lookup(value);
  calls.pop_back();
  return results;
}

/// Whether it is of a type, which may leave sizes open.
static bool isOfType(Value value, Type type) {
  auto expected = dyn_cast<RankedTensorType>(type), found = Emitter::type(value);
  return value.getType() == type ||
         (expected && expected.getElementType() == found.getElementType() &&
          succeeded(verifyCompatibleShape(expected, found)));
}

/// Takes what an op gives, real parts of complex numbers.
void Importer::keep(Operation &op, ArrayRef<Value> results, bool hasFailed) {
  for (auto [result, value] : llvm::zip(op.getResults(), results)) {
    Type type = partTypeOf(result.getType());
    if (value && !lanes && !isOfType(value, type) && !emit.failed()) {
      emit.error(Code::T0111) << "the result has the type " << type << ", expected "
                              << value.getType();
      continue;
    }
    if (value && !hasFailed)
      values[result] = value;
    else
      values.erase(result);
  }
}

/// Tuples are lists of values, which nothing but ops on tuples sees.
bool Importer::importTuple(Operation &op) {
  StringRef name = op.getName().getStringRef();
  if (name == "stablehlo.tuple" && op.getNumResults() == 1) {
    tuples[op.getResult(0)] = llvm::to_vector<4>(op.getOperands());
    return true;
  }
  if (name != "stablehlo.get_tuple_element" || op.getNumResults() != 1 || op.getNumOperands() != 1)
    return false;
  emit.begin(placeOf(op), name.str());
  OpImport import(op, *this);
  auto found = tuples.find(op.getOperand(0));
  int64_t index = import.integer("index");
  if (emit.failed() || found == tuples.end() || index < 0 ||
      index >= int64_t(found->second.size()) ||
      found->second[size_t(index)].getType() != op.getResult(0).getType()) {
    emit.error(Code::T0108) << "expected the number of an element of that type of a tuple of the "
                               "program, found "
                            << index;
    ++errors;
    return true;
  }
  Value element = found->second[size_t(index)], result = op.getResult(0);
  if (auto inner = tuples.find(element); inner != tuples.end()) {
    SmallVector<Value, 4> elements = inner->second;
    tuples[result] = elements;
  }
  Value real = values.lookup(element), imaginary = imaginaries.lookup(element);
  values[result] = real;
  imaginaries[result] = imaginary;
  return true;
}

/// Sizes for which a program is not made are an error; an assertion that holds leaves nothing.
bool Importer::importAssertion(Operation &op) {
  if (!isAssertion(op))
    return false;
  Value condition = get(op.getOperand(0));
  DenseElementsAttr holds = known(op, condition);
  if (!holds || holds.getNumElements() != 1 || !holds.getElementType().isInteger(1))
    return !condition; // which has been reported
  if (holds.getValues<bool>()[0])
    return true;
  // The message names operands by their numbers.
  std::string text = messageOf(op).split(" Using the following").first.str();
  for (auto [i, operand] : llvm::enumerate(op.getOperands().drop_front())) {
    std::string mark = "{" + std::to_string(i) + "}";
    Value found = get(operand);
    DenseElementsAttr value = found ? constants.get(found) : DenseElementsAttr();
    for (size_t at; (at = text.find(mark)) != std::string::npos;) {
      std::string number = "?";
      if (value && value.getNumElements() == 1 && isa<IntegerType>(value.getElementType()))
        number = llvm::toString(*value.getValues<APInt>().begin(), 10, /*Signed=*/true);
      text.replace(at, mark.size(), number);
    }
  }
  emit.begin(placeOf(op), "");
  emit.error(Code::T0111) << "the program is not for these sizes: " << StringRef(text).rtrim(". ");
  ++errors;
  return true;
}

bool Importer::importSizedCall(Operation &op) {
  const SizedCall *call = findSizedCall(op);
  if (!call)
    return false;
  SmallVector<DenseElementsAttr> sizes;
  for (Value operand : op.getOperands().take_back(call->attributes.size())) {
    sizes.push_back(known(op, get(operand)));
    if (!sizes.back() || !sizes.back().getElementType().isIntOrIndex()) {
      report.add(placeOf(op), call->target, "sizes that data decide", "such sizes",
                 "sizes that are known when the function is lowered", call->target);
      return true;
    }
  }
  // Values of it have been imported, so it stays as long as what is known of them.
  Operation *sized = made.emplace_back(makeSized(op, *call, sizes, source));
  importOp(*sized);
  for (auto [result, own] : llvm::zip(op.getResults(), sized->getResults())) {
    Value real = values.lookup(own), imaginary = imaginaries.lookup(own);
    values[result] = real;
    imaginaries[result] = imaginary;
  }
  return true;
}

void Importer::importComplex(Operation &op, const Rule &rule) {
  StringRef name = op.getName().getStringRef();
  // On scalars in a region these move nothing.
  bool isMoved = name == "stablehlo.broadcast_in_dim" || name == "stablehlo.reshape";
  if (rule.form == ComplexForm::None ||
      (lanes && !rule.isElementwise && !isMoved && name != "stablehlo.constant") ||
      op.getNumOperands() > 64) {
    report.add(placeOf(op), name, "complex numbers", "a rule for them",
               "real and imaginary parts as real tensors", name);
    return;
  }
  if (lanes && isMoved) {
    values[op.getResult(0)] = Value(get(op.getOperand(0)));
    imaginaries[op.getResult(0)] = Value(getImaginary(op.getOperand(0)));
    return;
  }
  auto keepBoth = [&](ArrayRef<Value> real, ArrayRef<Value> imaginary, bool hasFailed) {
    keep(op, real, hasFailed);
    for (auto [result, value] : llvm::zip(op.getResults(), imaginary))
      if (value && isComplexType(result.getType()))
        imaginaries[result] = value;
  };
  if (rule.form == ComplexForm::Own) {
    OpImport import(op, *this);
    rule.onComplex(import);
    return keepBoth(import.allResults(), import.allImaginaryResults(), import.failed());
  }
  SmallVector<Values> parts;
  bool isProduct = rule.form == ComplexForm::Product, hasFailed = false;
  constexpr uint64_t pairs[] = {0, 3, 2, 1}, halves[] = {0, ~uint64_t(0)};
  for (uint64_t imaginary : isProduct ? ArrayRef<uint64_t>(pairs) : ArrayRef<uint64_t>(halves)) {
    OpImport import(op, *this, imaginary);
    rule.import(import);
    parts.push_back(Values(import.allResults()));
    hasFailed |= import.failed();
  }
  if (!isProduct)
    return keepBoth(parts[0], parts[1], hasFailed);
  // A real operand has no imaginary part: its products have been taken with itself.
  bool isLeft = isComplexType(op.getOperand(0).getType()),
       isRight = isComplexType(op.getOperand(1).getType());
  Value real = parts[0][0], imaginary = isRight ? parts[2][0] : parts[3][0];
  if (isLeft && isRight) {
    real = emit.sub(real, parts[1][0]);
    imaginary = emit.add(imaginary, parts[3][0]);
  }
  keepBoth(real, imaginary, hasFailed);
}

void Importer::importQuantized(Operation &op, const Rule &rule) {
  OpImport import(op, *this);
  bool ofNumbers = rule.quantized == QuantizedForm::Numbers;
  // Regions compute with numbers, which become integers behind the op.
  if (lanes && ofNumbers && rule.isElementwise) {
    import.areNumbers();
    rule.import(import);
    return keep(op, import.allResults(), import.failed());
  }
  if (rule.quantized == QuantizedForm::None || lanes) {
    import.unsupported("quantised types", "a rule for them",
                       "stablehlo.uniform_dequantize before it and stablehlo.uniform_quantize "
                       "behind it");
    return;
  }
  if (ofNumbers)
    import.takeNumbers();
  if (!import.failed())
    rule.import(import);
  Values results(import.allResults());
  for (auto [value, result] : llvm::zip(results, op.getResults()))
    if (ofNumbers && !import.failed() && isQuantizedType(result.getType()))
      value = quantized(import, value, result.getType());
  keep(op, results, import.failed());
}

void Importer::importOp(Operation &op) {
  StringRef name = op.getName().getStringRef();
  if (++imported > maxOps) {
    emit.begin(placeOf(op), "");
    emit.error(Code::T0103) << "the program has more than " << maxOps
                            << " ops, those of called functions counted at each call";
    errors = maxErrors;
    return;
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    Values arguments = llvm::map_to_vector(call.getOperands(), [&](Value v) { return get(v); });
    std::optional<Values> results = importCall(op, call.getCallee(), arguments);
    if (results && results->size() == op.getNumResults())
      for (auto [result, value] : llvm::zip(op.getResults(), *results))
        values[result] = value;
    return standIn(op);
  }
  if (importTuple(op) || importAssertion(op) || importSizedCall(op))
    return standIn(op);
  const Rule *rule = Registry::instance().find(name);
  bool isComplex = llvm::any_of(op.getOperandTypes(), isComplexType) ||
                   llvm::any_of(op.getResultTypes(), isComplexType);
  if (!rule) {
    report.add(placeOf(op), name, "", "an importer", "ops of stablehlo and chlo", name);
    return standIn(op);
  }
  if (!rule->import && (!isComplex || rule->form == ComplexForm::None)) {
    std::string form;
    if (auto target = dyn_cast_or_null<StringAttr>(attributeOf(op, "call_target_name")))
      form = ("the target '" + target.getValue() + "'").str();
    report.add(placeOf(op), name, form, rule->needed, rule->nearest, name);
    return standIn(op);
  }
  for (Type type : op.getResultTypes())
    if (std::string problem = problemOf(type); !problem.empty()) {
      report.add(placeOf(op), name, problem, "such tensors",
                 "real numbers and sizes that are known", name);
      return standIn(op);
    }
  if (llvm::any_of(op.getOperands(), [&](Value operand) { return !get(operand); })) {
    // An argument of such a type has been reported; so has what an op gives.
    return standIn(op);
  }
  emit.begin(placeOf(op), name.str());
  if (isComplex) {
    importComplex(op, *rule);
    errors += emit.failed();
    return standIn(op);
  }
  if (llvm::any_of(op.getOperandTypes(), isQuantizedType) ||
      llvm::any_of(op.getResultTypes(), isQuantizedType)) {
    importQuantized(op, *rule);
    errors += emit.failed();
    return standIn(op);
  }
  OpImport import(op, *this);
  if (lanes && !rule->isElementwise) {
    // On scalars these do nothing.
    if (name == "stablehlo.broadcast_in_dim" || name == "stablehlo.reshape") {
      values[op.getResult(0)] = import.operand(0);
      return;
    }
    if (name != "stablehlo.constant") {
      import.unsupported("scalars in a region", "one element at a time",
                         "elementwise ops in regions");
      return standIn(op);
    }
  }
  rule->import(import);
  keep(op, import.allResults(), import.failed());
  noteResults(op);
  if (emit.failed())
    ++errors;
  else if (report.empty() && !errors && llvm::is_contained(import.allResults(), Value())) {
    emit.error(Code::T0106) << "the op gave no value";
    ++errors;
  }
  standIn(op);
}

std::optional<Values> Importer::importBlock(Block &block) {
  // The terminator is an op that nobody registered.
  Operation *end = block.empty() ? nullptr : &block.back();
  for (Operation &op : block) {
    if (&op == end)
      break;
    importOp(op);
    if (errors >= maxErrors)
      return std::nullopt;
  }
  if (!end ||
      !llvm::is_contained({"stablehlo.return", "func.return"}, end->getName().getStringRef())) {
    ++errors;
    tw::emitError(end ? end->getLoc() : block.getParentOp()->getLoc(), Code::T0117)
        << "expected a block that ends with 'stablehlo.return' or 'return'";
    return std::nullopt;
  }
  return llvm::map_to_vector(end->getOperands(), [&](Value value) { return get(value); });
}

std::optional<Values> Importer::importLanes(Block &block, ShapeRef shape) {
  std::optional<Shape> around = std::exchange(lanes, Shape(shape));
  std::optional<Values> results = importBlock(block);
  lanes = std::move(around);
  return results;
}
