// Rows through layers of attention and gated products. Products take the checkpoint's type; norms,
// positions and weights of attention are computed in f32.
#include "Decoder.h"

#include "tw/Dialect/Graph/Create.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>
#include <limits>

using namespace mlir;
namespace graph = tw::graph;
using graph::Dim;
using graph::Shape;

namespace {

class DecoderBuilder {
public:
  DecoderBuilder(MLIRContext &context, const Checkpoint &checkpoint, int64_t capacity,
                 int64_t chunk)
      : checkpoint(checkpoint), config(checkpoint.config),
        builder(UnknownLoc::get(&context), &context), capacity(capacity), chunk(chunk),
        rows(Dim::symbol(builder.getStringAttr("S"))),
        past(Dim::symbol(builder.getStringAttr("P"))) {}

  OwningOpRef<ModuleOp> build();

private:
  RankedTensorType type(ArrayRef<Dim> shape, Type element) {
    return graph::getTensorType(shape, element);
  }
  Shape shapeOf(Value value) { return *graph::getShape(value.getType()); }
  Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

  template <typename Op> Value unary(Value x) { return Op::create(builder, x.getType(), x); }
  template <typename Op> Value binary(Value a, Value b) {
    return Op::create(builder, a.getType(), a, b);
  }
  Value cast(Value x, Type element) {
    if (elementOf(x) == element)
      return x;
    return graph::CastOp::create(builder, type(shapeOf(x), element), x);
  }
  Value reshape(Value x, ArrayRef<Dim> shape) {
    return graph::ReshapeOp::create(builder, type(shape, elementOf(x)), x);
  }
  /// Dimension i of `x` becomes dimension `dims[i]` of a tensor like `like`.
  Value spread(Value x, ArrayRef<int64_t> dims, Value like) {
    return graph::broadcast(builder, builder.getLoc(), x, dims, type(shapeOf(like), elementOf(x)));
  }
  Value number(double value, Value like) {
    return graph::splat(builder, builder.getLoc(), mlir::cast<RankedTensorType>(like.getType()),
                        value);
  }
  Value contract(StringRef letters, Value a, Value b, ArrayRef<Dim> shape) {
    return graph::ContractOp::create(builder, type(shape, elementOf(a)), letters, a, b);
  }
  Value reduce(Value x, int64_t dim) {
    Shape shape = shapeOf(x);
    shape.erase(shape.begin() + dim);
    return graph::ReduceOp::create(builder, type(shape, elementOf(x)), graph::CombineKind::Add, x,
                                   ArrayRef<int64_t>(dim));
  }
  Value size(const Dim &dim, Type element) {
    return graph::SizeOp::create(builder, type({}, element),
                                 graph::DimsAttr::get(builder.getContext(), dim));
  }
  /// Part of a dimension, from `begin` on.
  Value slice(Value x, int64_t dim, int64_t begin, int64_t count);

  Value weight(const Twine &name, ArrayRef<int64_t> shape, int64_t firstRow = 0);
  Value norm(Value x, const Twine &name);
  Value project(Value x, Value weights);
  void makeAngles();
  Value rotate(Value x);
  Value append(Value cache, Value x);
  Value attend(Value x, const Twine &layer, Value &keys, Value &values);
  Value feedForward(Value x, const Twine &layer);

  const Checkpoint &checkpoint;
  const Config &config;
  ImplicitLocOpBuilder builder;
  int64_t capacity, chunk;
  Dim rows, past;
  Type element;
  Value cosine, sine;
  std::string problem;
};

} // namespace

/// Rows of a matrix of the checkpoint, or a vector; `shape` is what the network needs.
Value DecoderBuilder::weight(const Twine &name, ArrayRef<int64_t> shape, int64_t firstRow) {
  llvm::Expected<StoredTensor> found = checkpoint.find(name.str());
  if (!found) {
    problem = llvm::toString(found.takeError());
    return {};
  }
  Type stored = llvm::StringSwitch<Type>(found->dtype)
                    .Case("BF16", builder.getBF16Type())
                    .Case("F16", builder.getF16Type())
                    .Case("F32", builder.getF32Type())
                    .Default({});
  int64_t rest = 1;
  for (int64_t dim : shape.drop_front())
    rest *= dim;
  bool fits = stored && found->shape.size() == shape.size() &&
              ArrayRef(found->shape).drop_front() == shape.drop_front() &&
              firstRow + shape[0] <= found->shape[0];
  if (!fits || (element && stored != element)) {
    problem =
        ("tensor '" + name + "' is " + found->dtype + " of another shape or type than the others")
            .str();
    return {};
  }
  element = stored;
  uint64_t row = uint64_t(rest) * stored.getIntOrFloatBitWidth() / 8;
  auto tensor = RankedTensorType::get(shape, stored);
  auto bytes =
      graph::FileAttr::get(builder.getContext(), tensor, found->file,
                           found->offset + uint64_t(firstRow) * row, uint64_t(shape[0]) * row);
  return graph::ConstantOp::create(builder, bytes);
}

Value DecoderBuilder::slice(Value x, int64_t dim, int64_t begin, int64_t count) {
  Shape shape = shapeOf(x);
  SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  SmallVector<int64_t> sizes(shape.size(), graph::SliceOp::whole);
  offsets[dim] = begin;
  sizes[dim] = count;
  shape[dim] = count;
  return graph::SliceOp::create(builder, type(shape, elementOf(x)), x, offsets, sizes, strides);
}

/// x / sqrt(mean(x^2) + epsilon) * weights
Value DecoderBuilder::norm(Value x, const Twine &name) {
  Value weights = weight(name, {config.width});
  if (!weights)
    return {};
  Value wide = cast(x, builder.getF32Type());
  Value mean = reduce(binary<graph::MulOp>(wide, wide), 1);
  mean = binary<graph::MulOp>(mean, number(1.0 / double(config.width), mean));
  mean = binary<graph::AddOp>(mean, number(config.epsilon, mean));
  Value scaled = binary<graph::MulOp>(wide, spread(unary<graph::RsqrtOp>(mean), {0}, wide));
  return binary<graph::MulOp>(cast(scaled, elementOf(x)), spread(weights, {1}, x));
}

/// x[s, k] * weights[n, k]
Value DecoderBuilder::project(Value x, Value weights) {
  return contract("sk,nk->sn", x, weights, {shapeOf(x)[0], shapeOf(weights)[0]});
}

/// Angle i of position p is p * base^(-2i / head size).
void DecoderBuilder::makeAngles() {
  Type f32 = builder.getF32Type();
  int64_t half = config.headSize / 2;
  SmallVector<float> rates;
  for (int64_t i = 0; i < half; ++i)
    rates.push_back(float(std::pow(config.ropeBase, -double(2 * i) / double(config.headSize))));
  auto rate = graph::ConstantOp::create(
      builder, DenseElementsAttr::get(RankedTensorType::get({half}, f32), ArrayRef<float>(rates)));
  Value position = graph::IotaOp::create(builder, type({rows, half}, f32), 0);
  position = binary<graph::AddOp>(position, spread(size(past, f32), {}, position));
  Value angle = binary<graph::MulOp>(position, spread(rate, {1}, position));
  cosine = unary<graph::CosOp>(angle);
  sine = unary<graph::SinOp>(angle);
}

/// The two halves of each head as coordinates of points that are turned.
Value DecoderBuilder::rotate(Value x) {
  int64_t half = config.headSize / 2;
  Value a = cast(slice(x, 2, 0, half), builder.getF32Type()),
        b = cast(slice(x, 2, half, half), builder.getF32Type());
  Value c = spread(cosine, {0, 2}, a), s = spread(sine, {0, 2}, a);
  Value first = binary<graph::SubOp>(binary<graph::MulOp>(a, c), binary<graph::MulOp>(b, s));
  Value second = binary<graph::AddOp>(binary<graph::MulOp>(b, c), binary<graph::MulOp>(a, s));
  Value turned = graph::ConcatOp::create(builder, type(shapeOf(x), builder.getF32Type()),
                                         ValueRange{first, second}, 2);
  return cast(turned, elementOf(x));
}

/// Rows [s, g, d] behind those of the cache [g, p, d].
Value DecoderBuilder::append(Value cache, Value x) {
  Value moved =
      graph::PermuteOp::create(builder, type({config.groups, rows, config.headSize}, elementOf(x)),
                               x, ArrayRef<int64_t>{1, 0, 2});
  return graph::ConcatOp::create(builder,
                                 type({config.groups, past + rows, config.headSize}, elementOf(x)),
                                 ValueRange{cache, moved}, 1);
}

Value DecoderBuilder::attend(Value x, const Twine &layer, Value &keys, Value &values) {
  int64_t d = config.headSize, groups = config.groups, shared = config.heads / groups;
  int64_t queries = config.heads * d, stored = groups * d, width = config.width;
  Value input = norm(x, layer + "input_layernorm.weight");
  bool isOne = config.architecture == "phi3";
  auto part = [&](StringRef name, int64_t first, int64_t count) {
    return isOne ? weight(layer + "self_attn.qkv_proj.weight", {count, width}, first)
                 : weight(layer + "self_attn." + name + "_proj.weight", {count, width});
  };
  Value wq = part("q", 0, queries), wk = part("k", queries, stored),
        wv = part("v", queries + stored, stored);
  Value wo = weight(layer + "self_attn.o_proj.weight", {width, queries});
  if (!input || !wq || !wk || !wv || !wo)
    return {};
  Value q = rotate(reshape(project(input, wq), {rows, config.heads, d}));
  keys = append(keys, rotate(reshape(project(input, wk), {rows, groups, d})));
  values = append(values, reshape(project(input, wv), {rows, groups, d}));

  Shape scored{groups, shared, rows, past + rows};
  q = reshape(q, {rows, groups, shared, d});
  Value scores = cast(contract("sgrd,gjd->grsj", q, keys, scored), builder.getF32Type());
  scores = binary<graph::MulOp>(scores, number(1 / std::sqrt(double(d)), scores));
  Type index = builder.getI32Type();
  Value i = graph::IotaOp::create(builder, type(scored, index), 2);
  Value j = graph::IotaOp::create(builder, type(scored, index), 3);
  Value last = binary<graph::AddOp>(i, spread(size(past, index), {}, i));
  Value seen = graph::CompareOp::create(builder, type(scored, builder.getI1Type()),
                                        graph::ComparePredicate::Le, j, last);
  scores = graph::SelectOp::create(builder, scores.getType(), seen, scores,
                                   number(-std::numeric_limits<double>::infinity(), scores));
  Value weights = graph::SoftmaxOp::create(builder, scores.getType(), scores, 3);
  Value out =
      contract("grsj,gjd->sgrd", cast(weights, elementOf(x)), values, {rows, groups, shared, d});
  return binary<graph::AddOp>(x, project(reshape(out, {rows, queries}), wo));
}

/// (silu(x * gate) * (x * up)) * down
Value DecoderBuilder::feedForward(Value x, const Twine &layer) {
  int64_t inner = config.inner, width = config.width;
  Value input = norm(x, layer + "post_attention_layernorm.weight");
  bool isOne = config.architecture == "phi3";
  Value wg = isOne ? weight(layer + "mlp.gate_up_proj.weight", {inner, width})
                   : weight(layer + "mlp.gate_proj.weight", {inner, width});
  Value wu = isOne ? weight(layer + "mlp.gate_up_proj.weight", {inner, width}, inner)
                   : weight(layer + "mlp.up_proj.weight", {inner, width});
  Value wd = weight(layer + "mlp.down_proj.weight", {width, inner});
  if (!input || !wg || !wu || !wd)
    return {};
  Value gate = project(input, wg), up = project(input, wu);
  Value active = binary<graph::MulOp>(gate, unary<graph::SigmoidOp>(gate));
  return binary<graph::AddOp>(x, project(binary<graph::MulOp>(active, up), wd));
}

OwningOpRef<ModuleOp> DecoderBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, "main", builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  auto fail = [&]() -> OwningOpRef<ModuleOp> {
    emitError(builder.getLoc(), problem);
    return {};
  };

  SmallVector<Attribute> arguments, results;
  auto name = [&](const Twine &text) {
    return builder.getNamedAttr("tgraph.name", builder.getStringAttr(text));
  };
  Value tokens = body->addArgument(type({rows}, builder.getI64Type()), builder.getLoc());
  arguments.push_back(builder.getDictionaryAttr(name("tokens")));
  results.push_back(builder.getDictionaryAttr(name("logits")));
  Value embedding = weight("model.embed_tokens.weight", {config.vocabulary, config.width});
  if (!embedding)
    return fail();
  Value x =
      graph::GatherOp::create(builder, type({rows, config.width}, element), embedding, tokens, 0);
  makeAngles();
  SmallVector<Value> returned(1);
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::string prefix = "model.layers." + std::to_string(layer) + ".";
    Value caches[2];
    for (int which : {0, 1}) {
      std::string stem = (which ? "v" : "k") + std::to_string(layer);
      caches[which] = body->addArgument(type({config.groups, past, config.headSize}, element),
                                        builder.getLoc());
      Dim room[] = {config.groups, capacity, config.headSize};
      arguments.push_back(builder.getDictionaryAttr(
          {name("past_" + stem),
           builder.getNamedAttr(graph::aliasName, builder.getI64IntegerAttr(2 * layer + 1 + which)),
           builder.getNamedAttr(graph::storageName,
                                graph::DimsAttr::get(builder.getContext(), room))}));
      results.push_back(builder.getDictionaryAttr(name("present_" + stem)));
    }
    x = attend(x, prefix, caches[0], caches[1]);
    x = x ? feedForward(x, prefix) : x;
    if (!x)
      return fail();
    returned.append({caches[0], caches[1]});
  }
  x = norm(x, "model.norm.weight");
  Value head = weight(config.tiesEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight",
                      {config.vocabulary, config.width});
  if (!x || !head)
    return fail();
  Value last = reshape(size(rows - 1, builder.getI64Type()), {1});
  last = graph::GatherOp::create(builder, type({1, config.width}, element), x, last, 0);
  Value logits =
      cast(contract("sk,nk->sn", last, head, {1, config.vocabulary}), builder.getF32Type());
  returned[0] = reshape(logits, {config.vocabulary});
  func::ReturnOp::create(builder, returned);

  function.setType(
      builder.getFunctionType(body->getArgumentTypes(), ValueRange(returned).getTypes()));
  function.setAllArgAttrs(
      llvm::map_to_vector(arguments, [](Attribute a) { return mlir::cast<DictionaryAttr>(a); }));
  function.setAllResultAttrs(
      llvm::map_to_vector(results, [](Attribute a) { return mlir::cast<DictionaryAttr>(a); }));
  function->setAttr(
      "tgraph.symbols",
      builder.getDictionaryAttr(
          {builder.getNamedAttr("P",
                                graph::SymbolAttr::get(builder.getContext(), 0, capacity - 1, 1)),
           builder.getNamedAttr("S", graph::SymbolAttr::get(builder.getContext(), 1, chunk, 1))}));
  return module;
}

OwningOpRef<ModuleOp> buildDecoder(MLIRContext &context, const Checkpoint &checkpoint,
                                   int64_t capacity, int64_t chunk) {
  return DecoderBuilder(context, checkpoint, capacity, chunk).build();
}
