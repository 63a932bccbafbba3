// Products: dot_general and convolution with all their dimension numbers.
#include "../Registry.h"
#include "../Syntax.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// The type that products are added in: of the result where it is wider than the operands.
static Type accumulatorOf(Value a, Value b, Type result) {
  Type widest = result;
  for (Type type : {Emitter::element(a), Emitter::element(b)})
    if (isa<FloatType>(type) && isa<FloatType>(widest) &&
        type.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth())
      widest = type;
  return widest;
}

static void emitProduct(OpImport &op, Value a, Value b, ShapeRef aBatch, ShapeRef bBatch,
                        ShapeRef aContracted, ShapeRef bContracted) {
  Emitter &e = op.emit;
  int64_t aRank = Emitter::rank(a), bRank = Emitter::rank(b);
  Shape aDims(aBatch), bDims(bBatch);
  aDims.append(aContracted.begin(), aContracted.end());
  bDims.append(bContracted.begin(), bContracted.end());
  if (!op.areDims(aDims, aRank, "dimensions of the left operand") ||
      !op.areDims(bDims, bRank, "dimensions of the right operand"))
    return;
  if (aBatch.size() != bBatch.size() || aContracted.size() != bContracted.size()) {
    op.error(Code::T0108) << "expected as many dimensions of the left operand as of the right one";
    return;
  }
  if (aRank + bRank > 50) {
    op.error(Code::T0103) << "expected at most 50 dimensions of both operands, found "
                          << aRank + bRank;
    return;
  }
  std::string left(size_t(aRank), 0), right(size_t(bRank), 0), result;
  unsigned used = 0;
  auto next = [&] {
    unsigned i = used++;
    return char(i < 26 ? 'a' + i : 'A' + (i - 26));
  };
  for (auto [x, y] : llvm::zip(aBatch, bBatch))
    result += left[x] = right[y] = next();
  for (auto [x, y] : llvm::zip(aContracted, bContracted))
    left[x] = right[y] = next();
  for (std::string *letters : {&left, &right})
    for (char &letter : *letters)
      if (!letter)
        result += letter = next();
  Type element = op.resultType().getElementType(), in = accumulatorOf(a, b, element);
  op.result(e.cast(e.contract(left + "," + right + "->" + result, e.cast(a, in), e.cast(b, in)),
                   element));
}

namespace {

/// Parts of a dimension, one after the other, whose sizes are data: one list of them, or one for
/// each element of some dimensions, the last dimension being that of parts.
struct RaggedParts {
  Emitter &e;
  Value sizes;

  int64_t count() const { return Emitter::size(sizes, Emitter::rank(sizes) - 1); }
  /// `x` for each part, along a dimension before the others, with zeros outside of the part; lists
  /// are those of the dimensions `prefix` of `x`, in this order.
  Value split(Value x, int64_t dim, ShapeRef prefix) const {
    int64_t lists = Emitter::rank(sizes) - 1;
    // Parts in front, then lists in the order of the dimensions of `x`.
    Shape order = importer::indices(lists), ends(size_t(Emitter::rank(x) + 1), 1), places(ends);
    llvm::sort(order, [&](int64_t i, int64_t j) { return prefix[i] < prefix[j]; });
    order.insert(order.begin(), lists);
    ends.front() = count();
    for (int64_t i = 0; i < lists; ++i)
      ends[size_t(prefix[i]) + 1] = Emitter::size(sizes, i);
    places[size_t(dim) + 1] = Emitter::size(x, dim);
    auto scan = [&](bool exclusive) {
      Value sums = e.scan(graph::CombineKind::Add, sizes, lists, exclusive, /*reverse=*/false);
      return e.reshape(e.permute(sums, order), ends);
    };
    Value place = e.reshape(e.iota({Emitter::size(x, dim)}, 0, Emitter::element(sizes)), places);
    using P = graph::ComparePredicate;
    Value isInside = e.binary<graph::AndOp>(e.compare(P::Le, scan(/*exclusive=*/true), place),
                                            e.compare(P::Lt, place, scan(/*exclusive=*/false)));
    Shape all{count()};
    llvm::append_range(all, Emitter::shape(x));
    Value each = e.expand(e.unsqueeze(x, 0), all);
    return e.select(e.expand(isInside, all), each, e.splatLike(each, 0));
  }
};

/// The dimensions of an operand that lists of sizes are for: batches, then those of the ragged kind
/// that stand before the ragged one.
Shape prefixOf(ShapeRef batch, ShapeRef contracted, bool isContracted, int64_t rank,
               int64_t ragged) {
  Shape prefix(batch), kind;
  if (isContracted)
    kind = Shape(contracted);
  else
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contracted, dim))
        kind.push_back(dim);
  for (int64_t dim : kind) {
    if (dim == ragged)
      break;
    prefix.push_back(dim);
  }
  return prefix;
}

} // namespace

/// Products of the parts of a dimension: rows of the left operand, each part with a matrix of its
/// own, or what is contracted, a result for each part. What lies in no part is zero.
static void importRaggedDot(OpImport &op) {
  StringRef numbers = "ragged_dot_dimension_numbers";
  Shape aBatch = op.field(numbers, "lhs_batching_dimensions"),
        bBatch = op.field(numbers, "rhs_batching_dimensions"),
        aContracted = op.field(numbers, "lhs_contracting_dimensions"),
        bContracted = op.field(numbers, "rhs_contracting_dimensions"),
        ragged = op.field(numbers, "lhs_ragged_dimensions"),
        groups = op.field(numbers, "rhs_group_dimensions");
  Value a = op.operand(0), b = op.operand(1), sizes = op.operand(2);
  if (op.failed() || !op.areDims(aBatch, Emitter::rank(a), "batches of the left operand") ||
      !op.areDims(aContracted, Emitter::rank(a), "what is contracted of the left operand") ||
      !op.areDims(ragged, Emitter::rank(a), "the ragged dimension") ||
      !op.areDims(bContracted, Emitter::rank(b), "what is contracted of the right operand") ||
      !op.areDims(groups, Emitter::rank(b), "the dimension of groups"))
    return;
  const auto *contracted = llvm::find(aContracted, ragged.empty() ? -1 : ragged.front());
  bool isContracted = contracted != aContracted.end();
  bool isBatch = !ragged.empty() && llvm::is_contained(aBatch, ragged.front());
  // Each element of a batch has a product of its own, whatever part it belongs to.
  if (isBatch && groups.empty())
    return emitProduct(op, a, b, aBatch, bBatch, aContracted, bContracted);
  if (ragged.size() != 1 || groups.size() != (isContracted ? 0 : 1) || Emitter::isFloat(sizes) ||
      isBatch || aContracted.size() != bContracted.size()) {
    op.error(Code::T0108)
        << "expected one ragged dimension, one of groups unless it is of a batch or "
           "contracted, and integers as sizes, found "
        << ragged.size() << " and " << groups.size() << " dimensions and " << sizes.getType();
    return;
  }
  RaggedParts parts{op.emit, sizes};
  Shape prefix;
  if (Emitter::rank(sizes) > 1)
    prefix = prefixOf(aBatch, aContracted, isContracted, Emitter::rank(a), ragged.front());
  bool fits = Emitter::rank(sizes) == int64_t(prefix.size()) + 1;
  for (size_t i = 0; fits && i < prefix.size(); ++i)
    fits = Emitter::size(sizes, int64_t(i)) == Emitter::size(a, prefix[i]);
  if (!fits) {
    op.error(Code::T0111) << "expected sizes of parts, or such a list for each element of the "
                             "dimensions before the ragged one, found "
                          << sizes.getType();
    return;
  }
  if (!isContracted && Emitter::size(b, groups.front()) != parts.count()) {
    op.error(Code::T0111) << "expected as many groups as sizes, found "
                          << Emitter::size(b, groups.front()) << " and " << parts.count();
    return;
  }
  auto behind = [](Shape dims) {
    for (int64_t &dim : dims)
      ++dim;
    return dims;
  };
  aBatch = behind(aBatch);
  Shape aDims = behind(aContracted);
  a = parts.split(a, ragged.front(), prefix);
  if (isContracted) {
    int64_t other = bContracted[size_t(contracted - aContracted.begin())];
    if (!prefix.empty())
      prefix = prefixOf(bBatch, bContracted, isContracted, Emitter::rank(b), other);
    b = parts.split(b, other, prefix);
    aBatch.insert(aBatch.begin(), 0);
    bBatch = behind(bBatch);
    bBatch.insert(bBatch.begin(), 0);
    bContracted = behind(bContracted);
  } else {
    aDims.push_back(0);
    bContracted.push_back(groups.front());
  }
  if (!op.failed())
    emitProduct(op, a, b, aBatch, bBatch, aDims, bContracted);
}

static void importDotGeneral(OpImport &op) {
  StringRef numbers = "dot_dimension_numbers";
  Shape aBatch = op.field(numbers, "lhs_batching_dimensions"),
        bBatch = op.field(numbers, "rhs_batching_dimensions"),
        aContracted = op.field(numbers, "lhs_contracting_dimensions"),
        bContracted = op.field(numbers, "rhs_contracting_dimensions");
  if (!op.failed())
    emitProduct(op, op.operand(0), op.operand(1), aBatch, bBatch, aContracted, bContracted);
}

/// Of a matrix or vector and another one.
static void importDot(OpImport &op) {
  Value a = op.operand(0), b = op.operand(1);
  if (Emitter::rank(a) && Emitter::rank(b))
    return emitProduct(op, a, b, {}, {}, {Emitter::rank(a) - 1}, {0});
  op.error(Code::T0111) << "expected vectors or matrices, found " << a.getType() << " and "
                        << b.getType();
}

/// The letters of "ab,bc->ac", which may have spaces, or nothing, which is reported: one for each
/// dimension of each operand, and of the result each once.
static std::optional<SmallVector<std::string>> readEinsum(OpImport &op) {
  std::string text = op.text("einsum_config").str();
  llvm::erase(text, ' ');
  auto [left, result] = StringRef(text).split("->");
  SmallVector<StringRef> operands;
  left.split(operands, ',');
  SmallVector<std::string> letters;
  bool fits = StringRef(text).contains("->") && operands.size() == op.count() &&
              int64_t(result.size()) == op.resultType().getRank();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    fits &= i < op.count() && int64_t(operand.size()) == Emitter::rank(op.operand(i));
    letters.push_back(operand.str());
  }
  letters.push_back(result.str());
  for (auto [i, letter] : llvm::enumerate(result))
    fits &= left.contains(letter) && !result.drop_front(i + 1).contains(letter);
  for (const std::string &all : letters)
    fits &= llvm::all_of(all, llvm::isAlpha);
  if (fits)
    return letters;
  op.error(Code::T0108) << "expected a letter for each dimension as in \"ab,bc->ac\", found \""
                        << text << "\"";
  return std::nullopt;
}

/// Leaves of `x` the dimensions whose letters are in `kept`, adding up the others.
static Value sumOthers(OpImport &op, Value x, std::string &letters, StringRef kept) {
  Shape dims;
  std::string left;
  for (auto [i, letter] : llvm::enumerate(letters)) {
    if (StringRef(letters).count(letter) > 1) {
      op.unsupported("a letter that stands twice", "a diagonal", "dot_general");
      return {};
    }
    if (kept.contains(letter))
      left += letter;
    else
      dims.push_back(int64_t(i));
  }
  letters = left;
  return dims.empty() ? x : op.emit.sum(x, dims);
}

static void importEinsum(OpImport &op) {
  std::optional<SmallVector<std::string>> letters = readEinsum(op);
  if (!letters)
    return;
  Emitter &e = op.emit;
  Type element = op.resultType().getElementType();
  std::string &left = (*letters)[0], &right = (*letters)[1], &result = (*letters)[2];
  Value a = op.operand(0), b = op.operand(1);
  Type in = accumulatorOf(a, b, element);
  // What one operand has alone is added up before.
  a = sumOthers(op, e.cast(a, in), left, right + result);
  b = sumOthers(op, e.cast(b, in), right, left + result);
  if (a && b)
    op.result(e.cast(e.contract(left + "," + right + "->" + result, a, b), element));
}

static void importUnaryEinsum(OpImport &op) {
  std::optional<SmallVector<std::string>> letters = readEinsum(op);
  if (!letters)
    return;
  std::string &left = (*letters)[0], &result = (*letters)[1];
  Value x = sumOthers(op, op.operand(0), left, result);
  Shape order;
  for (char letter : result)
    order.push_back(int64_t(left.find(letter)));
  if (x)
    op.result(op.emit.permute(x, order));
}

namespace {

/// Where the dimensions of an operand are.
struct Layout {
  int64_t batch = -1, feature = -1;
  Shape spatial;
};

} // namespace

static std::optional<Layout> readLayout(OpImport &op, StringRef which, int64_t rank) {
  Shape dims = op.field("dimension_numbers", which);
  Layout layout;
  layout.spatial.assign(size_t(std::max<int64_t>(rank - 2, 0)), -1);
  bool fits = int64_t(dims.size()) == rank && rank >= 2;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!fits)
      break;
    fits = dim >= FeatureDim && dim < rank - 2;
    if (!fits)
      break;
    int64_t &place = dim == BatchDim     ? layout.batch
                     : dim == FeatureDim ? layout.feature
                                         : layout.spatial[size_t(dim)];
    fits = place < 0;
    place = int64_t(i);
  }
  if (fits)
    return layout;
  op.error(Code::T0108) << "expected a batch, a feature and " << rank - 2
                        << " spatial dimensions of '" << which << "', each once";
  return std::nullopt;
}

/// In front of the others; `second` is the next one.
static Value bringForward(Emitter &e, Value x, int64_t first, int64_t second, ShapeRef spatial) {
  Shape order{first, second};
  order.append(spatial.begin(), spatial.end());
  return e.permute(x, order);
}

/// From batch, features and spatial dimensions, in this order.
static Shape toResult(const Layout &layout, int64_t rank) {
  Shape order(size_t(rank), 0);
  order[layout.batch] = 0;
  order[layout.feature] = 1;
  for (auto [i, dim] : llvm::enumerate(layout.spatial))
    order[dim] = int64_t(i) + 2;
  return order;
}

/// Outputs of groups become inputs of the same groups, and the reverse: [O, I / groups, k...] to
/// [I, O / groups, k...].
static Value transposeGroups(Emitter &e, Value w, int64_t groups) {
  if (!w || Emitter::size(w, 0) == 0 || Emitter::size(w, 0) % groups)
    return {};
  Shape split(Emitter::shape(w)), order = importer::indices(Emitter::rank(w) + 1), joined(split);
  split[0] /= groups;
  split.insert(split.begin(), groups);
  std::swap(order[1], order[2]);
  joined[0] = groups * joined[1];
  joined[1] = split[1];
  return e.reshape(e.permute(e.reshape(w, split), order), joined);
}

/// A convolution without strides of an operand with zeros in between, as the gradient of one with
/// strides is: the transpose of a convolution with strides, which multiplies no zeros. Null where
/// it is none.
static Value transposed(Emitter &e, Value x, Value w, ShapeRef steps, ShapeRef dilations,
                        ShapeRef padding, ShapeRef reversed, int64_t groups) {
  Shape sizes, low, flipped;
  for (size_t i = 0; i < steps.size(); ++i) {
    int64_t kernel = Emitter::size(w, int64_t(i) + 2), size = Emitter::size(x, int64_t(i) + 2);
    int64_t reach = dilations[i] * (kernel - 1);
    low.push_back(reach - padding[2 * i]);
    sizes.push_back((size - 1) * steps[i] + 1 + padding[2 * i] + padding[2 * i + 1] - reach);
    if (low.back() < 0 || sizes.back() < 1 || size < 1 || kernel < 1)
      return {};
    if (!reversed[i])
      flipped.push_back(int64_t(i) + 2);
  }
  w = transposeGroups(e, e.flip(w, flipped), groups);
  return w && Emitter::size(w, 0) == Emitter::size(x, 1)
             ? e.transposedConv(x, w, sizes, steps, dilations, low, groups)
             : Value();
}

static void importConvolution(OpImport &op) {
  Emitter &e = op.emit;
  Value x = op.operand(0), w = op.operand(1);
  int64_t rank = Emitter::rank(x);
  size_t spatial = size_t(std::max<int64_t>(rank - 2, 0));
  if (Emitter::rank(w) != rank || op.resultType().getRank() != rank || rank < 2) {
    op.error(Code::T0111) << "expected operands and a result of one rank of at least 2, found "
                          << x.getType() << ", " << w.getType() << " and " << op.resultType();
    return;
  }
  std::optional<Layout> in = readLayout(op, "lhs", rank), kernel = readLayout(op, "kernel", rank),
                        out = readLayout(op, "result", rank);
  Shape strides = op.integers("window_strides", spatial, 1),
        inDilation = op.integers("lhs_dilation", spatial, 1),
        dilations = op.integers("rhs_dilation", spatial, 1),
        reversed = op.integers("window_reversal", spatial, 0),
        padding = op.integers("padding", 2 * spatial, 0);
  int64_t groups = op.integer("feature_group_count", 1),
          batchGroups = op.integer("batch_group_count", 1);
  if (!in || !kernel || !out || op.failed())
    return;
  for (ShapeRef list : {ShapeRef(strides), ShapeRef(inDilation), ShapeRef(dilations)})
    if (llvm::any_of(list, [](int64_t n) { return n < 1 || n > INT32_MAX; })) {
      op.error(Code::T0108) << "expected strides and dilations of at least 1, found "
                            << importer::shapeText(list);
      return;
    }
  if (groups < 1 || batchGroups < 1 || (groups > 1 && batchGroups > 1)) {
    op.error(Code::T0108) << "expected groups of features or of the batch, found " << groups
                          << " and " << batchGroups;
    return;
  }
  Type element = op.resultType().getElementType(), accumulator = accumulatorOf(x, w, element);
  x = bringForward(e, e.cast(x, accumulator), in->batch, in->feature, in->spatial);
  // The kernel's "o" and "i".
  w = bringForward(e, e.cast(w, accumulator), kernel->batch, kernel->feature, kernel->spatial);
  if (!x || !w)
    return;
  if (batchGroups > 1) {
    // Images of one group see their own outputs alone: groups of features, side by side.
    int64_t batch = Emitter::size(x, 0), features = Emitter::size(x, 1);
    if (batch % batchGroups) {
      op.error(Code::T0111) << "expected a batch of a multiple of " << batchGroups << ", found "
                            << batch;
      return;
    }
    Shape split(Emitter::shape(x)), order = importer::indices(rank + 1), joined(split);
    split[0] = batchGroups;
    split.insert(split.begin() + 1, batch / batchGroups);
    std::swap(order[0], order[1]);
    joined[0] = batch / batchGroups;
    joined[1] = batchGroups * features;
    x = e.reshape(e.permute(e.reshape(x, split), order), joined);
    groups = batchGroups;
  }
  Shape low(size_t(rank), 0), high(size_t(rank), 0), interior(size_t(rank), 0), flipped, before,
      behind;
  bool isPadded = false;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t first = padding[2 * i], last = padding[2 * i + 1];
    interior[i + 2] = inDilation[i] - 1;
    // What tgraph.conv does not pad itself.
    if (inDilation[i] > 1 || first < 0 || last < 0) {
      low[i + 2] = first, high[i + 2] = last;
      first = last = 0;
      isPadded = true;
    }
    before.push_back(first);
    behind.push_back(last);
    if (reversed[i])
      flipped.push_back(int64_t(i) + 2);
  }
  auto isOne = [](int64_t n) { return n == 1; };
  Value whole;
  if (llvm::all_of(strides, isOne) && !llvm::all_of(inDilation, isOne))
    whole = transposed(e, x, w, inDilation, dilations, padding, reversed, groups);
  if (whole)
    return op.result(e.cast(e.permute(whole, toResult(*out, rank)), element));
  if (op.failed())
    return;
  if (isPadded)
    x = padded(op, x, e.splat({}, accumulator, 0), low, high, interior);
  w = e.flip(w, flipped);
  if (!x || !w)
    return;
  if (!spatial) {
    // One spatial dimension of size 1.
    x = e.unsqueeze(x, 2), w = e.unsqueeze(w, 2);
    strides = dilations = {1};
    before = behind = {0};
  }
  Value y = e.conv(x, w, strides, dilations, before, behind, groups);
  if (y && !spatial)
    y = e.squeeze(y, 2);
  op.result(e.cast(e.permute(y, toResult(*out, rank)), element));
}

static void importDynamicConvolution(OpImport &op) {
  op.readFrom("padding", 2);
  importConvolution(op);
}

void tw::stablehlo::addProducts(Registry &registry) {
  registry.add("stablehlo.dynamic_conv", importDynamicConvolution);
  registry.add("stablehlo.dot_general", importDotGeneral);
  registry.add("stablehlo.dot", importDot);
  registry.add("chlo.ragged_dot", importRaggedDot);
  registry.add("stablehlo.convolution", importConvolution);
  registry.add("stablehlo.einsum", importEinsum);
  registry.add("stablehlo.unary_einsum", importUnaryEinsum);
}
