// Operators that make tensors from attributes and shapes.
#include "../Constants.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

static void importConstant(NodeImport &n) {
  Emitter &e = n.emit;
  if (n.hasAttribute("value"))
    return n.result(n.tensorConstant("value"));
  if (n.hasAttribute("value_float"))
    return n.result(e.splat({}, e.f32(), n.floating("value_float", 0)));
  if (n.hasAttribute("value_int")) {
    Value one = e.integers({n.integer("value_int", 0)});
    return n.result(e.reshape(one, {}));
  }
  if (std::optional<llvm::SmallVector<double>> values = n.floats("value_floats"))
    return n.result(e.vector(e.f32(), *values));
  if (std::optional<Shape> values = n.integers("value_ints"))
    return n.result(e.integers(*values));
  if (n.failed())
    return;
  if (n.hasAttribute("value_string") || n.hasAttribute("value_strings"))
    return n.unsupported("strings", "tensors of strings", "numbers");
  if (n.hasAttribute("sparse_value"))
    return n.unsupported("sparse_value", "sparse tensors", "value");
  n.missing("value");
}

static void importConstantOfShape(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<Shape> shape = n.constantIntegers(0);
  if (!shape || !e.checkShape(*shape))
    return;
  Value value = n.hasAttribute("value") ? n.tensorConstant("value") : e.splat({}, e.f32(), 0);
  if (!value)
    return;
  if (elementCount(e.shape(value)) != 1) {
    n.error(Code::T0108) << "attribute 'value' has " << elementCount(e.shape(value))
                         << " elements, expected one";
    return;
  }
  n.result(e.expand(e.reshape(value, {}), *shape));
}

static void importShape(NodeImport &n) {
  ShapeRef shape = Emitter::shape(n.input(0));
  int64_t rank = static_cast<int64_t>(shape.size());
  int64_t start = n.integer("start", 0), end = n.integer("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, start, rank);
  n.result(n.emit.integers(shape.slice(start, end - start)));
}

static void importSize(NodeImport &n) {
  Value count = n.emit.integers({elementCount(Emitter::shape(n.input(0)))});
  n.result(n.emit.reshape(count, {}));
}

static void importRange(NodeImport &n) {
  Emitter &e = n.emit;
  mlir::Type element = e.element(n.input(0));
  std::optional<double> start = n.constantFloat(0), limit = n.constantFloat(1),
                        step = n.constantFloat(2);
  if (!start || !limit || !step)
    return;
  double count = std::ceil((*limit - *start) / *step);
  if (*step == 0 || !(std::abs(count) < 1e12)) {
    n.error(Code::T0108) << "a range from " << *start << " to " << *limit << " by " << *step
                         << " has no finite number of elements";
    return;
  }
  if (n.isFollowed() && *step > 0 && element.isSignlessInteger()) {
    Value elements = e.maximum(e.sub(n.input(1), n.input(0)), 0.0);
    if (*step != 1)
      elements = e.div(e.add(elements, *step - 1), *step);
    n.known(elements);
  }
  Value i = e.iota({std::max<int64_t>(static_cast<int64_t>(count), 0)}, 0, element);
  n.result(e.add(e.mul(i, *step), *start));
}

static void importEyeLike(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  if (e.rank(x) != 2) {
    n.error(Code::T0111) << "the input has rank " << e.rank(x) << ", expected 2";
    return;
  }
  mlir::Type element = e.element(x);
  if (n.hasAttribute("dtype"))
    element = elementType(e.ops().getContext(), static_cast<int32_t>(n.integer("dtype", 1)));
  if (!element)
    return n.unsupported("dtype", "that element type", "a numeric type");
  Value row = e.iota(e.shape(x), 0, e.i64()), column = e.iota(e.shape(x), 1, e.i64());
  Value shifted = e.add(row, static_cast<double>(n.integer("k", 0)));
  n.result(e.cast(e.compare(ComparePredicate::Eq, column, shifted), element));
}

static void importOneHot(NodeImport &n) {
  Emitter &e = n.emit;
  Value at = n.input(0), values = n.input(2);
  std::optional<llvm::SmallVector<double>> depth = n.constantFloats(1);
  if (!depth)
    return;
  if (depth->size() != 1 || !(depth->front() >= 1) || depth->front() > 1e9) {
    n.error(Code::T0111) << "input 1 (the depth) is not one number of 1 or more";
    return;
  }
  if (e.rank(values) != 1 || e.size(values, 0) != 2) {
    n.error(Code::T0111) << "input 2 has the shape " << shapeText(e.shape(values))
                         << ", expected [2]";
    return;
  }
  int64_t size = static_cast<int64_t>(depth->front()), rank = e.rank(at) + 1;
  int64_t axis = n.axisAttribute("axis", -1, rank);
  if (n.failed())
    return;
  Shape shape(e.shape(at));
  shape.insert(shape.begin() + axis, size);
  Value hot = e.compare(ComparePredicate::Eq, e.iota(shape, axis, e.i64()),
                        e.unsqueeze(e.wrapIndices(e.cast(at, e.i64()), size), axis));
  Value off = e.reshape(e.sliceDim(values, 0, 0, 1), {});
  Value on = e.reshape(e.sliceDim(values, 0, 1, 1), {});
  n.result(e.select(hot, on, off));
}

void tw::onnx::addConstants(Registry &r) {
  r.add("Constant", 1, {0, 0}, importConstant);
  r.add("ConstantOfShape", 9, {1, 1}, importConstantOfShape);
  r.add("EyeLike", 9, {1, 1}, importEyeLike);
  r.add("OneHot", 9, {3, 3}, importOneHot);
  r.add("Range", 11, {3, 3}, importRange);
  r.add("Shape", 1, {1, 1}, importShape);
  r.add("Size", 1, {1, 1}, importSize);
}
