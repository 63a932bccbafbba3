// Emits tgraph ops; see Emitter.h for the rules about null values.
#include "EmitterInfer.h"

#include "llvm/ADT/STLExtras.h"

using namespace tw;
using namespace tw::importer;
using namespace mlir;

/// Larger tensors are refused: no machine holds them, and sizes in bytes stay far from overflow.
static constexpr int64_t maxElements = int64_t(1) << 40;

std::string tw::importer::shapeText(ShapeRef shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os);
  return text + "]";
}

int64_t tw::importer::elementCount(ShapeRef shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Shape tw::importer::indices(int64_t n) { return llvm::to_vector<4>(llvm::seq<int64_t>(0, n)); }

void Emitter::begin(Location location, std::string name) {
  loc = location;
  subject = std::move(name);
  hasFailed = false;
}

CodedDiagnostic Emitter::error(Code code) {
  CodedDiagnostic diagnostic = emitError(loc, code);
  if (hasFailed)
    diagnostic.abandon();
  hasFailed = true;
  if (!subject.empty())
    diagnostic << subject << ": ";
  return diagnostic;
}

bool Emitter::accepted(llvm::function_ref<LogicalResult()> check) {
  std::string text;
  {
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      if (text.empty())
        text = diagnostic.str();
    });
    if (succeeded(check()))
      return true;
  }
  // An op's own errors have codes; of those that its definition gives, types are the only ones that
  // a model can cause.
  llvm::StringRef message = text;
  Code code = Code::T0107;
  if (message.consume_back("]"))
    if (size_t at = message.rfind(" ["); at != llvm::StringRef::npos) {
      code = findCode(message.drop_front(at + 2)).value_or(code);
      message = message.take_front(at);
    }
  error(code) << message;
  return false;
}

Value Emitter::done(Operation *op) {
  if (accepted([&] { return op->getName().verifyInvariants(op); }))
    return op->getResult(0);
  op->erase();
  return {};
}

RankedTensorType Emitter::type(Value x) {
  return x ? cast<RankedTensorType>(x.getType()) : RankedTensorType();
}
ShapeRef Emitter::shape(Value x) { return x ? type(x).getShape() : ShapeRef(); }
Type Emitter::element(Value x) { return x ? type(x).getElementType() : Type(); }

bool Emitter::checkShape(ShapeRef shape) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0) {
      error(Code::T0111) << "shape " << shapeText(shape) << " has a negative dimension";
      return false;
    }
    if (dim && count > maxElements / dim) {
      error(Code::T0103) << "shape " << shapeText(shape) << " has more than 2^40 elements";
      return false;
    }
    count *= std::max<int64_t>(dim, 1);
  }
  return true;
}

bool Emitter::checkDims(ShapeRef dims, int64_t rank) {
  for (int64_t dim : dims)
    if (dim < 0 || dim >= rank) {
      error(Code::T0108) << "axis " << dim << " is outside a tensor of rank " << rank;
      return false;
    }
  return true;
}

bool Emitter::sameElement(Value a, Value b) {
  if (!a || !b)
    return false;
  if (element(a) == element(b))
    return true;
  error(Code::T0107) << "operands have the element types " << element(a) << " and " << element(b)
                     << ", expected equal ones";
  return false;
}

bool Emitter::broadcast(llvm::ArrayRef<Value *> values) {
  Shape common;
  for (Value *value : values) {
    if (!*value)
      return false;
    ShapeRef shape = Emitter::shape(*value);
    if (shape.size() > common.size())
      common.insert(common.begin(), shape.size() - common.size(), 1);
    size_t lead = common.size() - shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t &dim = common[lead + i];
      if (dim == 1)
        dim = size;
      else if (size != 1 && size != dim) {
        std::string text;
        for (Value *other : values)
          text += (text.empty() ? "" : " and ") + shapeText(Emitter::shape(*other));
        error(Code::T0111) << "shapes " << text << " do not broadcast to one shape";
        return false;
      }
    }
  }
  for (Value *value : values)
    *value = expand(*value, common);
  return llvm::all_of(values, [](Value *value) { return static_cast<bool>(*value); });
}

Value Emitter::constant(DenseElementsAttr value) { return make<graph::ConstantOp>(value); }

static Attribute scalarAttr(Type element, double value) {
  if (auto floating = dyn_cast<FloatType>(element))
    return FloatAttr::get(floating, value);
  auto integer = cast<IntegerType>(element);
  APSInt bits(integer.getWidth(), integer.isUnsigned());
  bool exact;
  APFloat(value).convertToInteger(bits, APFloat::rmTowardZero, &exact);
  if (integer.getWidth() == 1)
    bits = APSInt(APInt(1, value != 0), true);
  return IntegerAttr::get(integer, bits);
}

Value Emitter::splat(ShapeRef shape, Type element, double value) {
  if (!element || !checkShape(shape))
    return {};
  return constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), scalarAttr(element, value)));
}

Value Emitter::vector(Type element, llvm::ArrayRef<double> values) {
  if (!element)
    return {};
  auto attrs = llvm::map_to_vector(values, [&](double v) { return scalarAttr(element, v); });
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element), attrs));
}

Value Emitter::floats(ShapeRef shape, Type element, llvm::ArrayRef<double> values) {
  auto floating = dyn_cast_or_null<FloatType>(element);
  if (!floating) {
    error(Code::T0107) << "found the element type " << element << ", expected a float";
    return {};
  }
  auto numbers = llvm::map_to_vector(values, [&](double value) {
    APFloat number(value);
    bool ignored;
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven, &ignored);
    return number;
  });
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), numbers));
}

Value Emitter::integers(ShapeRef values) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(values.size())}, i64()), values));
}

Value Emitter::iota(ShapeRef shape, int64_t dim, Type element) {
  if (!element || !checkShape(shape) || !checkDims(dim, static_cast<int64_t>(shape.size())))
    return {};
  return make<graph::IotaOp>(RankedTensorType::get(shape, element), dim);
}

Value Emitter::limit(ShapeRef shape, Type element, bool greatest) {
  if (!element)
    return {};
  auto type = RankedTensorType::get(shape, element);
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return constant(DenseElementsAttr::get(
        type, hasInfinities(element) ? APFloat::getInf(semantics, /*Negative=*/!greatest)
                                     : APFloat::getLargest(semantics, /*Negative=*/!greatest)));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt bits = greatest
                   ? (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width))
                   : (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width));
  return constant(DenseElementsAttr::get(type, bits));
}

/// The constant that `x` is. What is marked is one for some sizes only, of which its mark tells:
/// ops on it stay as they are, so that they can be followed.
static graph::ConstantOp findConstant(Value x) {
  auto constant = x.getDefiningOp<graph::ConstantOp>();
  return constant && constant->getDiscardableAttrs().empty() ? constant : graph::ConstantOp();
}

/// The constant that `x` is, with another shape of the same number of elements.
static TypedAttr retype(Value x, RankedTensorType type) {
  graph::ConstantOp constant = findConstant(x);
  if (!constant)
    return {};
  if (auto file = dyn_cast<graph::FileAttr>(constant.getValue()))
    return graph::FileAttr::get(type.getContext(), type, file.getName(), file.getOffset(),
                                file.getLength());
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return dense.reshape(type);
  return {};
}

Value Emitter::reshape(Value x, ShapeRef shape) {
  if (!x || shape == Emitter::shape(x))
    return x;
  if (!checkShape(shape))
    return {};
  if (elementCount(shape) != elementCount(Emitter::shape(x))) {
    error(Code::T0111) << "cannot reshape " << shapeText(Emitter::shape(x)) << " to "
                       << shapeText(shape) << ": the numbers of elements differ";
    return {};
  }
  auto type = RankedTensorType::get(shape, element(x));
  if (TypedAttr value = retype(x, type))
    return done(graph::ConstantOp::create(builder, x.getLoc(), value));
  return make<graph::ReshapeOp>(type, x);
}

Value Emitter::expand(Value x, ShapeRef shape) {
  if (!x || shape == Emitter::shape(x))
    return x;
  Shape lifted(Emitter::shape(x));
  if (lifted.size() < shape.size())
    lifted.insert(lifted.begin(), shape.size() - lifted.size(), 1);
  bool fits = lifted.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = lifted[i] == 1 || lifted[i] == shape[i];
  if (!fits) {
    error(Code::T0111) << "shape " << shapeText(Emitter::shape(x)) << " does not broadcast to "
                       << shapeText(shape);
    return {};
  }
  if (!checkShape(shape))
    return {};
  auto type = RankedTensorType::get(shape, element(x));
  if (graph::ConstantOp constant = findConstant(x))
    if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()); dense && dense.isSplat())
      return Emitter::constant(DenseElementsAttr::get(type, dense.getSplatValue<Attribute>()));
  x = reshape(x, lifted);
  if (shape == ShapeRef(lifted))
    return x;
  return make<graph::ExpandOp>(type, x);
}

Value Emitter::permute(Value x, ShapeRef permutation) {
  if (!x || permutation == ShapeRef(indices(rank(x))))
    return x;
  return infer<graph::PermuteOp>(x.getType(), x, permutation);
}

Value Emitter::slice(Value x, ShapeRef offsets, ShapeRef sizes, ShapeRef strides) {
  if (!x || (!keepsWholeSlices && sizes == shape(x) &&
             llvm::all_of(offsets, [](int64_t o) { return o == 0; })))
    return x;
  return infer<graph::SliceOp>(x.getType(), x, offsets, sizes, strides);
}

Value Emitter::sliceDim(Value x, int64_t dim, int64_t offset, int64_t size, int64_t stride) {
  if (!x || !hasDims(x, dim))
    return {};
  Shape offsets(rank(x), 0), sizes(shape(x)), strides(rank(x), 1);
  offsets[dim] = offset;
  sizes[dim] = size;
  strides[dim] = stride;
  return slice(x, offsets, sizes, strides);
}

Value Emitter::flip(Value x, ShapeRef dims) {
  if (!x || dims.empty())
    return x;
  if (!hasDims(x, dims))
    return {};
  return make<graph::FlipOp>(x.getType(), x, dims);
}

Value Emitter::pad(Value x, ShapeRef low, ShapeRef high, double value) {
  auto isZero = [](int64_t n) { return n == 0; };
  bool isNothing = llvm::all_of(low, isZero) && llvm::all_of(high, isZero);
  // At another size there may be some.
  if (!x || (isNothing && !keepsWholeSlices))
    return x;
  Shape result(shape(x));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] += low[i] + high[i];
  if (!checkShape(result))
    return {};
  return infer<graph::PadOp>(x.getType(), x, low, high,
                             cast<TypedAttr>(scalarAttr(element(x), value)));
}

Value Emitter::concat(llvm::ArrayRef<Value> values, int64_t dim) {
  if (values.empty()) {
    error(Code::T0104) << "there is nothing to join";
    return {};
  }
  if (llvm::any_of(values, [](Value value) { return !value; }) || !hasDims(values.front(), dim))
    return {};
  if (values.size() == 1)
    return values.front();
  for (Value value : values.drop_front()) {
    Shape a(shape(values.front())), b(shape(value));
    if (a.size() == b.size())
      a[dim] = b[dim] = 0;
    if (a != b) {
      error(Code::T0111) << "cannot join " << shapeText(shape(values.front())) << " and "
                         << shapeText(shape(value)) << " along dimension " << dim;
      return {};
    }
    if (!sameElement(values.front(), value))
      return {};
  }
  return infer<graph::ConcatOp>(values.front().getType(), ValueRange(values), dim);
}

Value Emitter::prefix(Value x, Value count, int64_t dim, int64_t size, bool isChecked) {
  if (!x || !count || !hasDims(x, dim))
    return {};
  Shape result(shape(x));
  result[dim] = size;
  return make<graph::PrefixOp>(RankedTensorType::get(result, element(x)), x, count, dim, isChecked);
}

Value Emitter::unsqueeze(Value x, int64_t dim) {
  if (!x || !checkDims(dim, rank(x) + 1))
    return {};
  Shape result(shape(x));
  result.insert(result.begin() + dim, 1);
  return reshape(x, result);
}

Value Emitter::squeeze(Value x, int64_t dim) {
  if (!x || !hasDims(x, dim))
    return {};
  Shape result(shape(x));
  result.erase(result.begin() + dim);
  return reshape(x, result);
}

Value Emitter::along(Value vector, int64_t dim, int64_t rank) {
  if (!vector || !checkDims(dim, rank))
    return {};
  Shape result(rank, 1);
  result[dim] = elementCount(shape(vector));
  return reshape(vector, result);
}

Value Emitter::compare(graph::ComparePredicate predicate, Value a, Value b) {
  if (!broadcast({&a, &b}) || !sameElement(a, b))
    return {};
  return infer<graph::CompareOp>(a.getType(), predicate, a, b);
}

Value Emitter::select(Value condition, Value a, Value b) {
  if (!broadcast({&condition, &a, &b}) || !sameElement(a, b))
    return {};
  if (!isBool(condition)) {
    error(Code::T0107) << "the condition has the element type " << element(condition)
                       << ", expected bool";
    return {};
  }
  return make<graph::SelectOp>(a.getType(), condition, a, b);
}

Value Emitter::clamp(Value x, Value low, Value high) {
  if (!x || !low || !high || !sameElement(x, low) || !sameElement(x, high))
    return {};
  low = expand(low, shape(x));
  high = expand(high, shape(x));
  if (!low || !high)
    return {};
  return make<graph::ClampOp>(x.getType(), x, low, high);
}

Value Emitter::cast(Value x, Type element) {
  if (!x || !element)
    return {};
  if (Emitter::element(x) == element)
    return x;
  return make<graph::CastOp>(RankedTensorType::get(shape(x), element), x);
}
