// Reads which sizes a program leaves open.
//
// In types they are `?`. What they are to each other, jax.export says in the assertions that it
// puts in front of a program, in words:
//   Using the following polymorphic shapes specifications: args[0].shape = (b, 2*s),args[1].shape =
//   (b,). Obtained dimension variables: ...
// which lists the arguments that have such sizes, in order.
#include "Sizes.h"

#include "OpImport.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

bool tw::stablehlo::isAssertion(Operation &op) {
  if (op.getName().getStringRef() != "stablehlo.custom_call" || op.getNumResults() != 0 ||
      op.getNumOperands() == 0)
    return false;
  auto target = dyn_cast_or_null<StringAttr>(attributeOf(op, "call_target_name"));
  return target && target.getValue() == "shape_assertion";
}

StringRef tw::stablehlo::messageOf(Operation &assertion) {
  auto text = dyn_cast_or_null<StringAttr>(attributeOf(assertion, "error_message"));
  return text ? text.getValue() : StringRef();
}

static constexpr StringLiteral windowAttributes[] = {
    "window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"};
static constexpr StringLiteral topAttributes[] = {"k"};
static constexpr SizedCall sizedCalls[] = {
    {"stablehlo.dynamic_reduce_window", "stablehlo.reduce_window", windowAttributes},
    {"stablehlo.dynamic_top_k", "chlo.top_k", topAttributes}};

const SizedCall *tw::stablehlo::findSizedCall(Operation &op) {
  if (op.getName().getStringRef() != "stablehlo.custom_call")
    return nullptr;
  auto target = dyn_cast_or_null<StringAttr>(attributeOf(op, "call_target_name"));
  for (const SizedCall &call : sizedCalls)
    if (target && target.getValue() == call.target && op.getNumOperands() > call.attributes.size())
      return &call;
  return nullptr;
}

Operation *tw::stablehlo::makeSized(Operation &call, const SizedCall &as,
                                    ArrayRef<DenseElementsAttr> known, ModuleOp module) {
  OperationState state(call.getLoc(), as.op);
  state.addOperands(call.getOperands().drop_back(known.size()));
  state.addTypes(call.getResultTypes());
  Builder builder(call.getContext());
  for (auto [name, value] : llvm::zip(as.attributes, known)) {
    SmallVector<int64_t> numbers;
    for (const APInt &number : value.getValues<APInt>())
      numbers.push_back(number.getSExtValue());
    if (value.getType().getRank() == 0)
      state.addAttribute(name, builder.getI64IntegerAttr(numbers.front()));
    else
      state.addAttribute(name, builder.getDenseI64ArrayAttr(numbers));
  }
  auto called = dyn_cast_or_null<ArrayAttr>(attributeOf(call, "called_computations"));
  for (Attribute name : called ? called.getValue() : ArrayRef<Attribute>())
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(name))
      if (auto function = module.lookupSymbol<func::FuncOp>(symbol.getValue())) {
        IRMapping mapping;
        function.getBody().cloneInto(state.addRegion(), mapping);
      }
  return Operation::create(state);
}

/// The lists between parentheses behind ".shape = ", of sizes that are written with nested ones.
static SmallVector<SmallVector<StringRef>> readSpecifications(StringRef message) {
  SmallVector<SmallVector<StringRef>> all;
  StringRef rest = message.split("polymorphic shapes specifications: ").second;
  rest = rest.split(". Obtained").first;
  constexpr StringLiteral sign = ".shape = (";
  for (size_t at; (at = rest.find(sign)) != StringRef::npos;) {
    rest = rest.drop_front(at + sign.size());
    SmallVector<StringRef> &sizes = all.emplace_back();
    size_t begin = 0, end = 0;
    for (unsigned depth = 1; end < rest.size(); ++end) {
      char c = rest[end];
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth > 1 || (depth == 1 && c != ','))
        continue;
      if (StringRef size = rest.slice(begin, end).trim(); !size.empty())
        sizes.push_back(size);
      begin = end + 1;
      if (depth == 0)
        break;
    }
    rest = rest.drop_front(end);
  }
  return all;
}

static bool fits(ArrayRef<StringRef> sizes, RankedTensorType type) {
  if (int64_t(sizes.size()) != type.getRank())
    return false;
  for (auto [text, size] : llvm::zip(sizes, type.getShape())) {
    int64_t number;
    bool isNumber = !text.getAsInteger(10, number);
    if (ShapedType::isDynamic(size) == isNumber || (isNumber && number != size))
      return false;
  }
  return true;
}

std::vector<onnx::InputSizes> tw::stablehlo::readSizes(func::FuncOp main,
                                                       ArrayRef<StringRef> names) {
  SmallVector<SmallVector<StringRef>> said;
  for (Operation &op : main.getBody().front())
    if (said.empty() && isAssertion(op))
      said = readSpecifications(messageOf(op));
  std::vector<onnx::InputSizes> inputs;
  size_t next = 0;
  for (auto [type, name] : llvm::zip(main.getArgumentTypes(), names)) {
    onnx::InputSizes &input = inputs.emplace_back();
    input.name = name.str();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    ArrayRef<StringRef> words;
    if (!tensor.hasStaticShape() && next < said.size() && fits(said[next], tensor))
      words = said[next];
    next += !tensor.hasStaticShape();
    for (auto [i, size] : llvm::enumerate(tensor.getShape()))
      input.dims.push_back(!ShapedType::isDynamic(size) ? SizeExpression(size)
                           : words.empty() ? SizeExpression::symbol((name + "." + Twine(i)).str())
                                           : SizeExpression::parse(words[i]));
  }
  return inputs;
}
