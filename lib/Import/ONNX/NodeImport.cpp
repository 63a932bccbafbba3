// Inputs and attributes of one node.
#include "NodeImport.h"

#include "Constants.h"
#include "SizeTrace.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

std::string tw::onnx::displayName(const Node &node) {
  if (node.domain.empty() || node.domain == "ai.onnx")
    return node.op.str();
  return (node.domain + "." + node.op).str();
}

std::string tw::onnx::displaySubject(const Node &node, size_t index) {
  std::string name = node.name.empty() ? std::to_string(index) : ("'" + node.name + "'").str();
  return "node " + name + " (" + displayName(node) + ")";
}
using llvm::StringRef;

DenseElementsAttr NodeImport::peek(Value value) {
  return value ? constants.get(value) : DenseElementsAttr();
}

DenseElementsAttr NodeImport::known(Value value) {
  DenseElementsAttr found = peek(value);
  if (found)
    traces(value, /*isWay=*/false);
  return found;
}

DenseElementsAttr NodeImport::knownWay(Value value) {
  DenseElementsAttr found = peek(value);
  if (found)
    traces(value, /*isWay=*/true);
  return found;
}

/// A single integer, or what one is computed from, may have a range.
static std::string getRangeRemedy(NodeImport &n, size_t i) {
  mlir::RankedTensorType type = Emitter::type(n.input(i));
  bool isSize = isa<IntegerType>(type.getElementType()) && !type.getElementType().isInteger(1) &&
                type.getNumElements() == 1;
  return isSize ? (", --dim=" + n.node.inputs[i] + "=MIN..MAX the values that it may have").str()
                : "";
}

static DenseElementsAttr required(NodeImport &n, size_t i) {
  DenseElementsAttr value = n.known(n.input(i));
  if (!value && n.has(i))
    n.error(Code::T0112) << "input " << i << " ('" << n.node.inputs[i]
                         << "') must be known when the model is imported, and it depends on the "
                            "model's inputs; --assume=NAME=tensor.pb gives one of them a value"
                         << getRangeRemedy(n, i);
  else if (!value)
    n.error(Code::T0104) << "input " << i << " is missing";
  return value;
}

Value NodeImport::alignedOperand() {
  if (opset >= 7 || !hasAttribute("axis"))
    return input(1);
  int64_t rank = Emitter::rank(input(0)), axis = axisAttribute("axis", 0, rank);
  Shape shape(Emitter::shape(input(1)));
  while (axis + static_cast<int64_t>(shape.size()) < rank)
    shape.push_back(1);
  return emit.reshape(input(1), shape);
}

void NodeImport::requireBool(size_t i) {
  if (!Emitter::isBool(input(i)))
    error(Code::T0107) << "input " << i << " has the element type " << Emitter::element(input(i))
                       << ", expected bool";
}

Value NodeImport::positions(Value indices, int64_t size) {
  DenseElementsAttr value = peek(indices);
  if (!value || !isa<IntegerType>(value.getElementType()))
    return emit.wrapIndices(indices, size);
  SmallVector<int64_t> plain;
  bool isPlain = true;
  for (const APInt &element : value.getValues<APInt>()) {
    int64_t index = element.getSExtValue();
    if (index < -size || index >= size) {
      error(Code::T0111) << "index " << index << " is outside a dimension of " << size
                         << " elements";
      return {};
    }
    isPlain &= index >= 0;
    plain.push_back(index < 0 ? index + size : index);
  }
  // What is computed from constants stays as it is: it costs nothing when the program runs.
  if (!indices.getDefiningOp<graph::ConstantOp>())
    return emit.wrapIndices(indices, size);
  Type element = value.getElementType();
  if (isPlain && (element.isSignlessInteger(32) || element.isSignlessInteger(64)))
    return indices;
  return emit.reshape(emit.integers(plain), Emitter::shape(indices));
}

std::optional<Shape> NodeImport::constantIntegers(size_t i) {
  DenseElementsAttr value = required(*this, i);
  if (!value)
    return std::nullopt;
  auto type = dyn_cast<IntegerType>(value.getElementType());
  if (!type) {
    error(Code::T0107) << "input " << i << " has the element type " << value.getElementType()
                       << ", expected an integer";
    return std::nullopt;
  }
  Shape result;
  for (const APInt &element : value.getValues<APInt>())
    result.push_back(type.isUnsigned() || type.getWidth() == 1
                         ? static_cast<int64_t>(element.getZExtValue())
                         : element.getSExtValue());
  return result;
}

std::optional<llvm::SmallVector<double>> NodeImport::constantFloats(size_t i) {
  DenseElementsAttr value = required(*this, i);
  if (!value)
    return std::nullopt;
  llvm::SmallVector<double> result;
  if (isa<FloatType>(value.getElementType())) {
    for (APFloat element : value.getValues<APFloat>()) {
      bool ignored;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &ignored);
      result.push_back(element.convertToDouble());
    }
    return result;
  }
  std::optional<Shape> integers = constantIntegers(i);
  if (!integers)
    return std::nullopt;
  llvm::append_range(result, *integers);
  return result;
}

/// The only element of input `i`, whose values these are if they are known.
template <typename Values>
static std::optional<typename Values::value_type> takeOne(NodeImport &node, size_t i,
                                                          const std::optional<Values> &values) {
  if (!values)
    return std::nullopt;
  if (values->size() != 1) {
    node.error(Code::T0111) << "input " << i << " has " << values->size()
                            << " elements, expected one";
    return std::nullopt;
  }
  return values->front();
}

std::optional<int64_t> NodeImport::constantInteger(size_t i) {
  return takeOne(*this, i, constantIntegers(i));
}

std::optional<double> NodeImport::constantFloat(size_t i) {
  return takeOne(*this, i, constantFloats(i));
}

const onnx::Attribute *NodeImport::find(StringRef name) const {
  for (const Attribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

const onnx::Attribute *NodeImport::find(StringRef name, Attribute::Kind kind, const char *what) {
  const Attribute *attribute = find(name);
  if (!attribute || attribute->kind == kind)
    return attribute;
  error(Code::T0108) << "attribute '" << name << "' is not " << what;
  return nullptr;
}

int64_t NodeImport::integer(StringRef name, int64_t fallback) {
  const Attribute *attribute = find(name, Attribute::Int, "an integer");
  return attribute ? attribute->i : fallback;
}

double NodeImport::floating(StringRef name, double fallback) {
  const Attribute *attribute = find(name, Attribute::Float, "a float");
  return attribute ? static_cast<double>(attribute->f) : fallback;
}

StringRef NodeImport::text(StringRef name, StringRef fallback) {
  const Attribute *attribute = find(name, Attribute::String, "a string");
  return attribute ? attribute->s : fallback;
}

StringRef NodeImport::choice(StringRef name, StringRef fallback, ArrayRef<StringRef> options) {
  StringRef value = text(name, fallback);
  if (llvm::is_contained(options, value))
    return value;
  std::string known;
  for (auto [i, option] : llvm::enumerate(options))
    known += (i == 0 ? "" : i + 1 == options.size() ? " or " : ", ") + option.str();
  error(Code::T0108) << "attribute '" << name << "' is '" << value << "', expected " << known;
  return fallback;
}

std::optional<Shape> NodeImport::integers(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Ints, "a list of integers");
  if (!attribute)
    return std::nullopt;
  return Shape(attribute->ints.begin(), attribute->ints.end());
}

std::optional<llvm::SmallVector<double>> NodeImport::floats(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Floats, "a list of floats");
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<double>(attribute->floats.begin(), attribute->floats.end());
}

std::optional<std::vector<StringRef>> NodeImport::texts(StringRef name) {
  const Attribute *attribute = find(name, Attribute::Strings, "a list of strings");
  if (!attribute)
    return std::nullopt;
  return attribute->strings;
}

const Tensor *NodeImport::tensor(StringRef name) {
  const Attribute *attribute = find(name, Attribute::TensorKind, "a tensor");
  return attribute ? &attribute->tensors.front() : nullptr;
}

const Graph *NodeImport::graph(StringRef name) {
  const Attribute *attribute = find(name, Attribute::GraphKind, "a graph");
  return attribute && !attribute->graphs.empty() ? attribute->graphs.front().get() : nullptr;
}

Value NodeImport::tensorConstant(StringRef name) {
  const Tensor *value = tensor(name);
  return value ? constants.materialize(*value, emit) : Value();
}

void NodeImport::missing(StringRef name) {
  error(Code::T0108) << "attribute '" << name << "' is missing";
}

int64_t NodeImport::axis(int64_t axis, int64_t rank) {
  int64_t result = axis < 0 ? axis + rank : axis;
  if (result >= 0 && result < rank)
    return result;
  error(Code::T0108) << "axis " << axis << " is outside a tensor of rank " << rank;
  return 0;
}

Shape NodeImport::axes(ShapeRef list, int64_t rank) {
  Shape result;
  for (int64_t entry : list) {
    int64_t axis = this->axis(entry, rank);
    if (failed())
      return {};
    if (llvm::is_contained(result, axis)) {
      error(Code::T0108) << "axis " << entry << " occurs twice";
      return {};
    }
    result.push_back(axis);
  }
  return result;
}

std::optional<Shape> NodeImport::axesOperand(size_t i, int64_t sinceInput, int64_t rank) {
  std::optional<Shape> list;
  if (opset < sinceInput)
    list = integers("axes");
  else if (has(i))
    list = constantIntegers(i);
  if (!list || failed())
    return std::nullopt;
  return axes(*list, rank);
}

std::string NodeImport::getKey() const {
  auto output = llvm::find_if(node.outputs, [](StringRef name) { return !name.empty(); });
  return output == node.outputs.end() ? (node.op + " " + node.name).str() : output->str();
}

/// Apart from numbers that the node decides by.
std::string NodeImport::getWayKey() const { return getKey() + ".way"; }

void NodeImport::decides(int64_t value) {
  if (counted)
    counted->decided[getKey()].push_back(value);
}

void NodeImport::notesResults() {
  if (!counted)
    return;
  for (auto [name, value] : llvm::zip(node.outputs, results)) {
    auto type = value ? dyn_cast<mlir::RankedTensorType>(value.getType()) : nullptr;
    if (name.empty() || !type)
      continue;
    noteResult(*counted, (name + counted->place).str(), value, constants);
  }
}

void NodeImport::traces(Value value, bool isWay) {
  if (counted)
    noteReading(*counted, isWay ? getWayKey() : getKey(), value, isWay, constants);
}

void NodeImport::tracesSize(Value value, int64_t dim,
                            llvm::function_ref<bool(ShapeRef, int64_t)> isAlike) {
  if (counted)
    noteSizes(*counted, getKey(), value, dim, isAlike);
}

Value NodeImport::followSize(Value value, int64_t dim) {
  Value size = emit.reshape(emit.integers({Emitter::size(value, dim)}), {});
  if (counted && size)
    noteResult(*counted, (getKey() + counted->place + ".size" + Twine(dim)).str(), size, constants);
  return size;
}

void NodeImport::notesDifference() {
  DenseElementsAttr lhs = peek(input(0)), rhs = peek(input(1));
  if (!counted || !lhs || !rhs || !lhs.getElementType().isInteger(64) ||
      !rhs.getElementType().isInteger(64))
    return;
  auto at = [](DenseElementsAttr all, int64_t i) {
    return all.getValues<int64_t>()[all.getNumElements() == 1 ? 0 : uint64_t(i)];
  };
  int64_t count = std::max(lhs.getNumElements(), rhs.getNumElements());
  if (std::min(lhs.getNumElements(), rhs.getNumElements()) != count && lhs.getNumElements() != 1 &&
      rhs.getNumElements() != 1)
    return;
  if (lhs.getNumElements() == 0 || rhs.getNumElements() == 0)
    return;
  for (int64_t i = 0; i < count; ++i) {
    int64_t a = at(lhs, i), b = at(rhs, i);
    counted->differences[getKey()].push_back(a < b ? -1 : a > b ? 1 : 0);
  }
}

std::string NodeImport::getCountName() const {
  return getKey() + (counted ? counted->place : "") + ".count";
}

bool NodeImport::isOpen() const { return counted && counted->open.count(getWayKey()); }

void NodeImport::decidesWay(int64_t way) {
  if (!counted)
    return;
  counted->ways.insert(getWayKey());
  counted->decided[getWayKey()].push_back(way);
}

SmallVector<std::pair<int64_t, CountedSizes::Side>> NodeImport::findSides(size_t i, ShapeRef onTrue,
                                                                          ShapeRef onFalse) {
  SmallVector<std::pair<int64_t, CountedSizes::Side>> found;
  if (!counted || i >= node.outputs.size() || onTrue.size() != onFalse.size())
    return found;
  for (auto [d, sizes] : llvm::enumerate(llvm::zip_equal(onTrue, onFalse))) {
    auto [own, other] = sizes;
    std::string key = (node.outputs[i] + counted->place + "." + Twine(d)).str();
    if (own != other) {
      auto &side = counted->sides.try_emplace(key).first->second;
      if (side.name.empty())
        side = {key + ".count", getKey(), 0};
      // An axis as long as a size of a range is at most would be taken for one of that size.
      side.room = std::max(side.room, std::max(own, other) + (counted->hasRanges ? 1 : 0));
    }
    auto side = counted->sides.find(key);
    if (side == counted->sides.end())
      continue;
    counted->sideSizes[key] = {own, other};
    found.emplace_back(int64_t(d), side->second);
  }
  return found;
}

std::optional<CountedSizes::Part> NodeImport::takesFirst(int64_t dim, int64_t size, int64_t taken) {
  if (!counted)
    return std::nullopt;
  std::string key = getKey() + counted->place + "." + std::to_string(dim);
  auto [first, isNew] = counted->firsts.try_emplace(key, size, taken);
  // Of iterations that take different ones none is a part: no size below 1 is 1.
  if (!isNew && first->second != std::pair(size, taken))
    first->second = {0, 1};
  auto found = counted->parts.find(key);
  return found == counted->parts.end() ? std::nullopt : std::optional(found->second);
}

bool NodeImport::resizesOpen(int64_t dim, int64_t in, int64_t out, bool keeps) {
  if (!counted)
    return false;
  std::string key = getKey() + counted->place + "." + std::to_string(dim);
  counted->resized[key].push_back({in, out, keeps});
  return counted->openResized.count(key) != 0;
}

Value NodeImport::countFirst(const CountedSizes::Part &part, Value rows, int64_t dim,
                             int64_t size) {
  Value count = emit.minimum(emit.splat({}, emit.i64(), double(size)), double(part.most));
  std::optional<int64_t> taken = countedSize(part.name, part.most);
  return taken ? emit.prefix(rows, count, dim, *taken) : Value();
}

std::optional<int64_t> NodeImport::countedSize(const std::string &name, int64_t most) {
  if (failed())
    return std::nullopt;
  if (!counted) {
    unsupported("inside of a loop or a branch", "shapes that depend on values in each iteration",
                "the operator outside of it");
    return std::nullopt;
  }
  return counted->take(name, most);
}

void NodeImport::unsupported(const llvm::Twine &form, const llvm::Twine &needed,
                             const llvm::Twine &nearest) {
  refused = true;
  report.add(emit.location(), displayName(node), form, needed, nearest, emit.name());
}
