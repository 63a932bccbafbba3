// Attention and what belongs to it, as products, sums and a softmax: kernels are formed of these
// later, whatever they are called here.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;

namespace {

/// Queries, keys and values as [batch, heads of keys, group of queries, tokens, width].
struct Heads {
  Value q, k, v; ///< keys and values without the group
  bool areJoined = false;
  int64_t batch = 0, heads = 0, group = 0, queries = 0, keys = 0;
};

} // namespace

/// [batch, tokens, heads * width] -> [batch, heads, tokens, width]; null, and an error, if the heads
/// do not divide it.
static Value splitHeads(NodeImport &n, Value x, int64_t heads, llvm::StringRef attribute) {
  Emitter &e = n.emit;
  if (heads < 1 || e.size(x, 2) % heads) {
    n.error(Code::T0108) << "attribute '" << attribute << "' is " << heads
                         << ", expected a divisor of " << e.size(x, 2) << ", the size of dimension 2";
    return {};
  }
  return e.permute(e.reshape(x, {e.size(x, 0), e.size(x, 1), heads, e.size(x, 2) / heads}),
                   {0, 2, 1, 3});
}

/// Fills in all but what a cache adds; false, and an error, for other shapes.
static bool readHeads(NodeImport &n, Heads &of) {
  Emitter &e = n.emit;
  of.q = n.input(0), of.k = n.input(1), of.v = n.input(2);
  int64_t rank = e.rank(of.q);
  if ((rank != 3 && rank != 4) || e.rank(of.k) != rank || e.rank(of.v) != rank) {
    n.error(Code::T0111) << "queries, keys and values have " << rank << ", " << e.rank(of.k)
                         << " and " << e.rank(of.v) << " dimensions, expected 3 of each or 4";
    return false;
  }
  of.areJoined = rank == 3;
  if (of.areJoined) {
    int64_t keyHeads = n.integer("kv_num_heads", 0);
    of.q = splitHeads(n, of.q, n.integer("q_num_heads", 0), "q_num_heads");
    of.k = splitHeads(n, of.k, keyHeads, "kv_num_heads");
    of.v = splitHeads(n, of.v, keyHeads, "kv_num_heads");
    if (!of.q || !of.k || !of.v)
      return false;
  }
  of.batch = e.size(of.q, 0), of.heads = e.size(of.k, 1), of.queries = e.size(of.q, 2);
  bool fits = e.size(of.k, 0) == of.batch && e.size(of.v, 0) == of.batch && of.heads > 0 &&
              e.size(of.v, 1) == of.heads && e.size(of.q, 1) % of.heads == 0 &&
              e.size(of.k, 2) == e.size(of.v, 2) && e.size(of.q, 3) == e.size(of.k, 3);
  if (!fits) {
    n.error(Code::T0111) << "queries " << shapeText(e.shape(of.q)) << ", keys "
                         << shapeText(e.shape(of.k)) << " and values " << shapeText(e.shape(of.v))
                         << " do not fit, expected [batch, heads, tokens, width] of one batch, "
                            "queries of a multiple of the heads of keys, and as many values as keys";
    return false;
  }
  of.group = e.size(of.q, 1) / of.heads;
  of.q = e.reshape(of.q, {of.batch, of.heads, of.group, of.queries, e.size(of.q, 3)});
  return true;
}

/// Puts the cache before keys and values, which are results too.
static void addPast(NodeImport &n, Heads &of) {
  Emitter &e = n.emit;
  if (n.has(4) != n.has(5)) {
    n.error(Code::T0111) << "there is one of past_key and past_value, expected both or none";
    return;
  }
  if (n.has(4)) {
    of.k = e.concat({n.input(4), of.k}, 2);
    of.v = e.concat({n.input(5), of.v}, 2);
  }
  of.keys = e.size(of.k, 2);
  n.result(1, of.k);
  n.result(2, of.v);
}

/// Where a query may look at a key: a condition [batch or 1, 1, 1, queries, keys], null for all.
static Value findAllowed(NodeImport &n, const Heads &of) {
  Emitter &e = n.emit;
  Shape shape{1, 1, 1, of.queries, of.keys};
  Value query = e.iota(shape, 3, e.i64()), key = e.iota(shape, 4, e.i64()), allowed;
  auto restrict = [&](Value condition) {
    allowed = allowed ? e.binary<graph::AndOp>(allowed, condition) : condition;
  };
  Value lengths;
  if (n.has(6)) {
    if (!e.checkDims({0}, e.rank(n.input(6))) || e.size(n.input(6), 0) != of.batch) {
      n.error(Code::T0111) << "nonpad_kv_seqlen has the shape " << shapeText(e.shape(n.input(6)))
                           << ", expected [" << of.batch << "]";
      return {};
    }
    lengths = e.reshape(e.cast(n.input(6), e.i64()), {of.batch, 1, 1, 1, 1});
    restrict(e.compare(graph::ComparePredicate::Lt, key, lengths));
  }
  if (n.integer("is_causal", 0)) {
    // The last query sees the last key: those before the block are all there.
    int64_t past = n.has(4) ? e.size(n.input(4), 2) : 0;
    Value last = lengths && !n.has(4) ? e.add(query, e.sub(lengths, double(of.queries)))
                                      : e.add(query, double(past));
    restrict(e.compare(graph::ComparePredicate::Le, key, last));
  }
  return allowed;
}

/// The mask [..., queries, keys or fewer] as [batch, heads, group, queries, keys], or dimensions of 1.
static Value readMask(NodeImport &n, const Heads &of) {
  Emitter &e = n.emit;
  Value mask = n.input(3);
  int64_t rank = e.rank(mask), missing = of.keys - e.size(mask, rank - 1);
  if (rank < 2 || rank > 4 || missing < 0) {
    n.error(Code::T0111) << "attn_mask has the shape " << shapeText(e.shape(mask))
                         << ", expected 2 to 4 dimensions, the last two of " << of.queries
                         << " queries and at most " << of.keys << " keys";
    return {};
  }
  if (missing > 0 && e.size(mask, rank - 1) > 1) {
    // Keys that it does not tell of are masked.
    Shape low(rank, 0), high(rank, 0);
    high.back() = missing;
    if (e.isBool(mask)) {
      mask = e.pad(mask, low, high);
    } else {
      Shape tail(e.shape(mask));
      tail.back() = missing;
      mask = e.concat({mask, e.limit(tail, e.element(mask), /*greatest=*/false)}, rank - 1);
    }
  }
  while (e.rank(mask) < 4 && mask)
    mask = e.unsqueeze(mask, 0);
  Shape shape(e.shape(mask));
  if (shape.size() != 4)
    return {};
  int64_t heads = shape[1];
  if (heads != 1 && heads != of.heads * of.group) {
    n.error(Code::T0111) << "attn_mask has " << heads << " heads, expected 1 or "
                         << of.heads * of.group;
    return {};
  }
  return e.reshape(mask, {shape[0], heads == 1 ? 1 : of.heads, heads == 1 ? 1 : of.group, shape[2],
                          shape[3]});
}

/// The scores with what forbids to look; null after an error.
static Value addMasks(NodeImport &n, const Heads &of, Value scores) {
  Emitter &e = n.emit;
  Value least = e.limit({}, e.element(scores), /*greatest=*/false);
  if (n.has(3)) {
    Value mask = readMask(n, of);
    if (!mask)
      return {};
    scores = e.isBool(mask) ? e.select(mask, scores, least)
                            : e.add(scores, e.cast(mask, e.element(scores)));
  }
  Value allowed = findAllowed(n, of);
  return allowed ? e.select(allowed, scores, least) : scores;
}

static Value softmaxOf(NodeImport &n, Value scores) {
  Emitter &e = n.emit;
  mlir::Type element = e.element(scores), precise = element;
  constexpr int64_t kFloat = 1, kHalf = 10, kDouble = 11, kBrain = 16;
  switch (n.integer("softmax_precision", 0)) {
  case kFloat:
    precise = e.f32();
    break;
  case kHalf:
    precise = e.ops().getF16Type();
    break;
  case kDouble:
    precise = e.ops().getF64Type();
    break;
  case kBrain:
    precise = e.ops().getBF16Type();
    break;
  default:
    break;
  }
  return e.cast(e.softmax(e.cast(scores, precise), 4), element);
}

static void importAttention(NodeImport &n) {
  Emitter &e = n.emit;
  Heads of;
  if (!readHeads(n, of))
    return;
  addPast(n, of);
  if (n.failed())
    return;
  double scale = n.floating("scale", 1 / std::sqrt(double(e.size(of.q, 4))));
  double cap = n.floating("softcap", 0);
  int64_t mode = n.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    n.error(Code::T0108) << "attribute 'qk_matmul_output_mode' is " << mode << ", expected 0 to 3";
    return;
  }
  Value stages[4];
  stages[0] = e.mul(e.contract("bhgid,bhjd->bhgij", of.q, of.k), scale);
  stages[1] = cap > 0 ? e.mul(e.tanh(e.div(stages[0], cap)), cap) : stages[0];
  stages[2] = addMasks(n, of, stages[1]);
  stages[3] = softmaxOf(n, stages[2]);
  if (n.failed())
    return;
  Value y = e.contract("bhgij,bhjd->bhgid", stages[3], of.v);
  int64_t heads = of.heads * of.group;
  n.result(3, e.reshape(stages[mode], {of.batch, heads, of.queries, of.keys}));
  y = e.reshape(y, {of.batch, heads, of.queries, e.size(of.v, 3)});
  if (of.areJoined)
    y = e.reshape(e.permute(y, {0, 2, 1, 3}), {of.batch, of.queries, heads * e.size(of.v, 3)});
  n.result(y);
}

/// The angles' cosines or sines, [batch, tokens, half], from rows of a table or as they are.
static Value readAngles(NodeImport &n, size_t input, int64_t half) {
  Emitter &e = n.emit;
  Value table = n.input(input);
  if (n.has(3))
    table = e.gather(table, {n.positions(n.input(3), e.size(table, 0))}, 0);
  if (!n.failed() && (e.rank(table) != 3 || e.size(table, 2) != half))
    n.error(Code::T0111) << "angles have the shape " << shapeText(e.shape(table))
                         << ", expected [batch, tokens, " << half << "]";
  return table;
}

static void importRotaryEmbedding(NodeImport &n) {
  Emitter &e = n.emit;
  Value x = n.input(0);
  Shape before(e.shape(x));
  int64_t heads = n.integer("num_heads", 0), rank = e.rank(x);
  if (rank == 3) {
    x = splitHeads(n, x, heads, "num_heads");
  } else if (rank != 4) {
    n.error(Code::T0111) << "the input has the shape " << shapeText(before)
                         << ", expected 3 or 4 dimensions";
    return;
  }
  int64_t width = e.size(x, 3), rotated = n.integer("rotary_embedding_dim", 0);
  if (rotated == 0)
    rotated = width;
  if (n.failed())
    return;
  if (rotated < 2 || rotated % 2 || rotated > width) {
    n.error(Code::T0108) << "attribute 'rotary_embedding_dim' is " << rotated
                         << ", expected an even number of at most " << width;
    return;
  }
  int64_t half = rotated / 2;
  Value cosine = readAngles(n, 1, half), sine = readAngles(n, 2, half);
  if (n.failed())
    return;
  cosine = e.unsqueeze(cosine, 1), sine = e.unsqueeze(sine, 1);
  bool pairs = n.integer("interleaved", 0);
  Value a = pairs ? e.sliceDim(x, 3, 0, half, 2) : e.sliceDim(x, 3, 0, half);
  Value b = pairs ? e.sliceDim(x, 3, 1, half, 2) : e.sliceDim(x, 3, half, half);
  Value real = e.sub(e.mul(a, cosine), e.mul(b, sine));
  Value imaginary = e.add(e.mul(a, sine), e.mul(b, cosine));
  Value y = pairs ? e.concat({e.unsqueeze(real, 4), e.unsqueeze(imaginary, 4)}, 4)
                  : e.concat({real, imaginary}, 3);
  if (n.failed())
    return;
  if (pairs)
    y = e.reshape(y, {e.size(x, 0), e.size(x, 1), e.size(x, 2), rotated});
  if (rotated < width)
    y = e.concat({y, e.sliceDim(x, 3, rotated, width - rotated)}, 3);
  n.result(rank == 3 ? e.reshape(e.permute(y, {0, 2, 1, 3}), before) : y);
}

void tw::onnx::addAttention(Registry &r) {
  r.add("Attention", 23, {3, 7}, importAttention, {1, 4});
  r.add("RotaryEmbedding", 23, {3, 4}, importRotaryEmbedding);
}
