// Rows through layers of attention and gated products. Products take the checkpoint's type; norms,
// positions and weights of attention are computed in f32.
#include "Decoder.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <limits>

using namespace tw::fe;

namespace {

class DecoderBuilder {
public:
  DecoderBuilder(const Checkpoint &checkpoint, int64_t streams, int64_t capacity, int64_t chunk)
      : checkpoint(checkpoint), config(checkpoint.config), f(module, "main"), streams(streams),
        capacity(capacity), rows(f.symbol("S", 1, chunk)), past(f.symbol("P", 0, capacity - 1)) {
    // A prompt is read once; each token that is written is a call.
    f.setTypical("S", 1);
  }

  llvm::Expected<Module> build();

private:
  Value weight(const std::string &name, std::vector<int64_t> shape, int64_t firstRow = 0);
  /// x[b, s, k] * weights[n, k]
  Value project(Value x, Value weights) { return linear(x, weights); }
  Value norm(Value x, const std::string &name) {
    return rms_norm(x, weight(name, {config.width}), -1, config.epsilon);
  }
  /// Rows [b, s, g, d] behind those of the cache [b, g, p, d].
  Value append(Value cache, Value x) { return concat({cache, permute_dims(x, {0, 2, 1, 3})}, 2); }
  /// The number of the first row, as a scalar.
  Value begin(Value cache, DType dtype) { return shape_size(cache, 2, dtype); }
  void makeAngles(Value cache);
  Value rotate(Value x) {
    return rotary_embedding(x, expand_dims(cosine, 1), expand_dims(sine, 1));
  }
  Value attend(Value x, const std::string &layer, Value &keys, Value &values);
  Value feedForward(Value x, const std::string &layer);

  const Checkpoint &checkpoint;
  const Config &config;
  Module module;
  Function f;
  int64_t streams, capacity;
  Dim rows, past;
  std::optional<DType> element;
  Value cosine, sine;
  std::string problem;
};

} // namespace

/// Rows of a matrix of the checkpoint, or a vector; `shape` is what the network needs. Empty, with
/// a problem, where the checkpoint has it not; what it is used for is empty then, too.
Value DecoderBuilder::weight(const std::string &name, std::vector<int64_t> shape,
                             int64_t firstRow) {
  llvm::Expected<StoredTensor> found = checkpoint.find(name);
  if (!found) {
    std::string text = llvm::toString(found.takeError());
    problem = problem.empty() ? text : problem;
    return {};
  }
  auto stored = llvm::StringSwitch<std::optional<DType>>(found->dtype)
                    .Case("BF16", bf16)
                    .Case("F16", f16)
                    .Case("F32", f32)
                    .Default(std::nullopt);
  uint64_t rest = 1;
  for (int64_t dim : llvm::ArrayRef(shape).drop_front())
    rest *= uint64_t(dim);
  bool fits = stored && found->shape.size() == shape.size() &&
              llvm::ArrayRef(found->shape).drop_front() == llvm::ArrayRef(shape).drop_front() &&
              firstRow + shape[0] <= found->shape[0];
  if (!fits || (element && *stored != *element)) {
    if (problem.empty())
      problem =
          "tensor '" + name + "' is " + found->dtype + " of another shape or type than the others";
    return {};
  }
  element = stored;
  uint64_t row = rest * tw::format::elementBytes(*stored);
  return f.fileConstant(found->file, found->offset + uint64_t(firstRow) * row, *stored,
                        Shape(shape.begin(), shape.end()));
}

/// Angle i of position p is p * base^(-2i / head size).
void DecoderBuilder::makeAngles(Value cache) {
  int64_t half = config.headSize / 2;
  std::vector<float> rates;
  for (int64_t i = 0; i < half; ++i)
    rates.push_back(float(std::pow(config.ropeBase, -double(2 * i) / double(config.headSize))));
  Value position = iota(f, {rows, half}, 0, f32) + begin(cache, f32);
  Value angle = position * f.constant(rates, {half});
  cosine = cos(angle);
  sine = sin(angle);
}

Value DecoderBuilder::attend(Value x, const std::string &layer, Value &keys, Value &values) {
  int64_t d = config.headSize, groups = config.groups, shared = config.heads / groups;
  int64_t queries = config.heads * d, stored = groups * d, width = config.width;
  Value input = norm(x, layer + "input_layernorm.weight");
  bool isOne = config.architecture == "phi3";
  auto part = [&](const std::string &name, int64_t first, int64_t count) {
    return isOne ? weight(layer + "self_attn.qkv_proj.weight", {count, width}, first)
                 : weight(layer + "self_attn." + name + "_proj.weight", {count, width});
  };
  Value wq = part("q", 0, queries), wk = part("k", queries, stored),
        wv = part("v", queries + stored, stored);
  Value q = rotate(reshape(project(input, wq), {streams, rows, config.heads, d}));
  Value first = begin(keys, i32);
  keys = append(keys, rotate(reshape(project(input, wk), {streams, rows, groups, d})));
  values = append(values, reshape(project(input, wv), {streams, rows, groups, d}));

  Value scores =
      einsum("bsgrd,bgjd->bgrsj", {reshape(q, {streams, rows, groups, shared, d}), keys});
  scores = astype(scores, f32) * (1 / std::sqrt(double(d)));
  Shape seen{rows, past + rows};
  Value last = iota(f, seen, 0, i32) + first;
  scores = where(iota(f, seen, 1, i32) <= last, scores, -std::numeric_limits<double>::infinity());
  Value out = einsum("bgrsj,bgjd->bsgrd", {astype(softmax(scores), x.dtype()), values});
  return x + project(reshape(out, {streams, rows, queries}),
                     weight(layer + "self_attn.o_proj.weight", {width, queries}));
}

/// (silu(x * gate) * (x * up)) * down
Value DecoderBuilder::feedForward(Value x, const std::string &layer) {
  int64_t inner = config.inner, width = config.width;
  Value input = norm(x, layer + "post_attention_layernorm.weight");
  bool isOne = config.architecture == "phi3";
  Value wg = isOne ? weight(layer + "mlp.gate_up_proj.weight", {inner, width})
                   : weight(layer + "mlp.gate_proj.weight", {inner, width});
  Value wu = isOne ? weight(layer + "mlp.gate_up_proj.weight", {inner, width}, inner)
                   : weight(layer + "mlp.up_proj.weight", {inner, width});
  return x + project(silu(project(input, wg)) * project(input, wu),
                     weight(layer + "mlp.down_proj.weight", {width, inner}));
}

llvm::Expected<Module> DecoderBuilder::build() {
  Value tokens = f.argument("tokens", i64, {streams, rows});
  Value words = weight("model.embed_tokens.weight", {config.vocabulary, config.width});
  Value x = embedding(tokens, words);
  std::vector<Result> results{{"logits", Value()}};
  for (int64_t layer = 0; layer < config.layers && problem.empty(); ++layer) {
    std::string prefix = "model.layers." + std::to_string(layer) + ".";
    Value caches[2];
    for (int which : {0, 1}) {
      std::string name = (which ? "v" : "k") + std::to_string(layer);
      caches[which] =
          f.argument("past_" + name, *element, {streams, config.groups, past, config.headSize});
      f.alias(caches[which], 2 * layer + 1 + which,
              {streams, config.groups, capacity, config.headSize});
    }
    if (layer == 0)
      makeAngles(caches[0]);
    x = attend(x, prefix, caches[0], caches[1]);
    x = feedForward(x, prefix);
    for (int which : {0, 1})
      results.push_back(
          {(which ? "present_v" : "present_k") + std::to_string(layer), caches[which]});
  }
  x = select(norm(x, "model.norm.weight"), -1, 1);
  Value head = weight(config.tiesEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight",
                      {config.vocabulary, config.width});
  if (!problem.empty())
    return llvm::createStringError(problem);
  results[0].value = astype(project(x, head), f32);
  f.returns(results);
  return std::move(module);
}

llvm::Expected<Module> buildDecoder(const Checkpoint &checkpoint, int64_t streams, int64_t capacity,
                                    int64_t chunk) {
  return DecoderBuilder(checkpoint, streams, capacity, chunk).build();
}
