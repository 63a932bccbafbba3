// Operators that regroup, reorder and repeat elements.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

static void importReshape(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Shape> target = n.opset < 5 ? n.integers("shape") : n.constantIntegers(1);
  if (!target)
    return n.opset < 5 && !n.failed() ? n.missing("shape") : void();
  bool allowZero = n.opset >= 14 && n.integer("allowzero", 0);
  int64_t known = 1, inferred = -1;
  for (auto [i, dim] : llvm::enumerate(*target)) {
    if (dim == 0 && !allowZero) {
      if (static_cast<int64_t>(i) >= e.rank(x)) {
        n.error(Code::T0111) << "shape " << shapeText(*target) << " copies dimension " << i
                             << " of an input of rank " << e.rank(x);
        return;
      }
      dim = e.size(x, i);
    }
    if (dim == -1 && inferred < 0) {
      inferred = i;
      continue;
    }
    if (dim < 0) {
      n.error(Code::T0111) << "shape " << shapeText(*target)
                           << " has more than one dimension to be inferred";
      return;
    }
    known = dim && known > (int64_t(1) << 40) / dim ? 0 : known * dim;
  }
  if (inferred >= 0) {
    int64_t count = elementCount(e.shape(x));
    if (known == 0 || count % known) {
      n.error(Code::T0111) << "cannot reshape " << shapeText(e.shape(x)) << " to "
                           << shapeText(*target);
      return;
    }
    (*target)[inferred] = count / known;
  }
  n.result(e.reshape(x, *target));
}

static void importFlatten(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  int64_t axis = n.integer("axis", 1);
  if (axis != e.rank(x))
    axis = n.axis(axis, e.rank(x));
  if (n.failed())
    return;
  ShapeRef shape = e.shape(x);
  n.result(
      e.reshape(x, {elementCount(shape.take_front(axis)), elementCount(shape.drop_front(axis))}));
}

static void importTranspose(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape permutation = indices(e.rank(x));
  std::reverse(permutation.begin(), permutation.end());
  if (std::optional<Shape> given = n.integers("perm")) {
    Shape sorted(*given);
    llvm::sort(sorted);
    if (sorted != indices(e.rank(x))) {
      n.error(Code::T0108) << "attribute 'perm' is " << shapeText(*given)
                           << ", expected a permutation of the " << e.rank(x) << " dimensions";
      return;
    }
    permutation = *given;
  }
  n.result(e.permute(x, permutation));
}

static void importSqueeze(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Shape> axes = n.axesOperand(1, 13, e.rank(x));
  if (n.failed())
    return;
  Shape result;
  for (auto [i, size] : llvm::enumerate(e.shape(x))) {
    bool drop = axes ? llvm::is_contained(*axes, static_cast<int64_t>(i)) : size == 1;
    if (!drop) {
      result.push_back(size);
    } else if (size != 1) {
      n.error(Code::T0111) << "dimension " << i << " of " << shapeText(e.shape(x))
                           << " cannot be removed: its size is not 1";
      return;
    }
  }
  n.result(e.reshape(x, result));
}

static void importUnsqueeze(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  std::optional<Shape> list = n.opset < 13 ? n.integers("axes") : n.constantIntegers(1);
  if (!list)
    return n.failed() ? void() : n.missing("axes");
  Shape axes = n.axes(*list, e.rank(x) + static_cast<int64_t>(list->size()));
  if (n.failed())
    return;
  llvm::sort(axes);
  Shape result(e.shape(x));
  for (int64_t axis : axes)
    result.insert(result.begin() + axis, 1);
  n.result(e.reshape(x, result));
}

static void importConcat(NodeImport &n) {
  if (n.opset >= 4 && !n.hasAttribute("axis"))
    return n.missing("axis");
  int64_t axis = n.axisAttribute("axis", 1, Emitter::rank(n.input(0)));
  if (!n.failed())
    n.result(n.emit.concat(n.allInputs(), axis));
}

static void importExpand(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<Shape> target = n.constantIntegers(1);
  if (!target)
    return;
  // Broadcasting goes both ways: sizes of 1 in the target leave the input's.
  Value x = n.input(0);
  ShapeRef shape = e.shape(x);
  while (target->size() < shape.size())
    target->insert(target->begin(), 1);
  size_t lead = target->size() - shape.size();
  for (auto [i, size] : llvm::enumerate(shape))
    if ((*target)[lead + i] == 1)
      (*target)[lead + i] = size;
  n.result(e.expand(x, *target));
}

static void importTile(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape repeats(e.rank(x), 1);
  if (n.opset < 6) {
    std::optional<int64_t> tiles = n.constantInteger(1), axis = n.constantInteger(2);
    if (!tiles || !axis)
      return;
    int64_t dim = n.axis(*axis, e.rank(x));
    if (n.failed())
      return;
    repeats[dim] = *tiles;
  } else {
    std::optional<Shape> given = n.constantIntegers(1);
    if (!given)
      return;
    if (given->size() != repeats.size()) {
      n.error(Code::T0111) << "found " << given->size() << " repeats, expected " << repeats.size();
      return;
    }
    repeats = *given;
  }
  // [a, b] -> [1, a, 1, b] -> [m, a, n, b] -> [m a, n b]
  Shape apart, repeated, result;
  for (auto [size, repeat] : llvm::zip_equal(e.shape(x), repeats)) {
    apart.append({1, size});
    repeated.append({repeat, size});
    if (repeat < 0 || !e.checkShape(repeated)) {
      n.error(Code::T0111) << "repeats " << shapeText(repeats) << " are out of range";
      return;
    }
    result.push_back(repeat * size);
  }
  n.result(e.reshape(e.expand(e.reshape(x, apart), repeated), result));
}

/// The block size of a 4-D input; 0 after an error.
static int64_t blockSize(NodeImport &n) {
  if (Emitter::rank(n.input(0)) != 4) {
    n.error(Code::T0111) << "the input has rank " << Emitter::rank(n.input(0)) << ", expected 4";
    return 0;
  }
  int64_t block = n.integer("blocksize", 0);
  if (block < 1 || block > (1 << 20)) {
    n.error(Code::T0108) << "attribute 'blocksize' is " << block << ", expected 1 or more";
    return 0;
  }
  return block;
}

static void importDepthToSpace(NodeImport &n) {
  Emitter &e = n.emit;
  int64_t b = blockSize(n);
  if (!b)
    return;
  ShapeRef s = e.shape(n.input(0));
  int64_t c = s[1] / (b * b);
  bool columnFirst = n.choice("mode", "DCR", {"DCR", "CRD"}) == "CRD";
  Value x = columnFirst
                ? e.permute(e.reshape(n.input(0), {s[0], c, b, b, s[2], s[3]}), {0, 1, 4, 2, 5, 3})
                : e.permute(e.reshape(n.input(0), {s[0], b, b, c, s[2], s[3]}), {0, 3, 4, 1, 5, 2});
  n.result(e.reshape(x, {s[0], c, s[2] * b, s[3] * b}));
}

static void importSpaceToDepth(NodeImport &n) {
  Emitter &e = n.emit;
  int64_t b = blockSize(n);
  if (!b)
    return;
  ShapeRef s = e.shape(n.input(0));
  int64_t h = s[2] / b, w = s[3] / b;
  Value x = e.permute(e.reshape(n.input(0), {s[0], s[1], h, b, w, b}), {0, 3, 5, 1, 2, 4});
  n.result(e.reshape(x, {s[0], s[1] * b * b, h, w}));
}

void tw::onnx::addMovement(Registry &r) {
  r.add("Concat", 1, {1, anyNumber}, importConcat);
  r.add("DepthToSpace", 1, {1, 1}, importDepthToSpace);
  r.add("Expand", 8, {2, 2}, importExpand);
  r.add("Flatten", 1, {1, 1}, importFlatten);
  r.add("Reshape", 1, {1, 1}, importReshape);
  r.add("Reshape", 5, {2, 2}, importReshape);
  r.add("SpaceToDepth", 1, {1, 1}, importSpaceToDepth);
  r.add("Squeeze", 1, {1, 1}, importSqueeze);
  r.add("Squeeze", 13, {1, 2}, importSqueeze);
  r.add("Tile", 1, {3, 3}, importTile);
  r.add("Tile", 6, {2, 2}, importTile);
  r.add("Transpose", 1, {1, 1}, importTranspose);
  r.add("Unsqueeze", 1, {1, 1}, importUnsqueeze);
  r.add("Unsqueeze", 13, {2, 2}, importUnsqueeze);
}
