// Recurrent networks: a loop over their steps, for each direction.
//
// All layers share the frame: inputs of all steps are multiplied at once, then each step adds what
// comes from the state before it. Steps past a sequence's length keep the state and give zeros.
#include "../Registry.h"

using namespace tw;
using namespace tw::onnx;
using graph::ComparePredicate;

namespace {

using Activation = std::function<Value(Value)>;

/// One layer: the attributes and inputs that LSTM, GRU and RNN share.
struct Layer {
  int64_t steps, batch, hidden, directions;
  bool batchFirst;
  double clip;
  std::vector<llvm::StringRef> activations;
  std::vector<double> alpha, beta;
};

/// The parameters of one direction, without the leading dimension of directions.
struct Direction {
  Value weights, recurrence, inputBias, recurrentBias, peepholes;
  llvm::SmallVector<Activation, 3> activations;
  bool backward;
};

/// hidden and (LSTM) cell state [batch, hidden].
struct State {
  Value hidden, cell;
};

} // namespace

/// One activation function; reports an unknown name.
static Activation activation(NodeImport &n, llvm::StringRef name, double alpha, double beta) {
  Emitter &e = n.emit;
  std::string lower = name.lower();
  if (lower == "sigmoid")
    return [&e](Value x) { return e.sigmoid(x); };
  if (lower == "tanh")
    return [&e](Value x) { return e.tanh(x); };
  if (lower == "relu")
    return [&e](Value x) { return e.relu(x); };
  if (lower == "affine")
    return [&e, alpha, beta](Value x) { return e.add(e.mul(x, alpha), beta); };
  if (lower == "leakyrelu")
    return [&e, alpha](Value x) {
      return e.select(e.compare(ComparePredicate::Lt, x, 0), e.mul(x, alpha), x);
    };
  if (lower == "thresholdedrelu")
    return [&e, alpha](Value x) {
      return e.select(e.compare(ComparePredicate::Gt, x, alpha), x, e.splatLike(x, 0));
    };
  if (lower == "scaledtanh")
    return [&e, alpha, beta](Value x) { return e.mul(e.tanh(e.mul(x, beta)), alpha); };
  if (lower == "hardsigmoid")
    return [&e, alpha, beta](Value x) { return e.clamp(e.add(e.mul(x, alpha), beta), 0, 1); };
  if (lower == "elu")
    return [&e, alpha](Value x) {
      return e.select(e.compare(ComparePredicate::Gt, x, 0), x, e.mul(e.sub(e.exp(x), 1), alpha));
    };
  if (lower == "softsign")
    return [&e](Value x) { return e.div(x, e.add(e.abs(x), 1)); };
  if (lower == "softplus")
    return
        [&e](Value x) { return e.add(e.maximum(x, 0), e.log(e.add(e.exp(e.neg(e.abs(x))), 1))); };
  n.error(Code::T0108) << "activation '" << name << "' is not known";
  return {};
}

/// What an activation takes for alpha and beta if the node gives none.
static std::pair<double, double> activationDefaults(llvm::StringRef name) {
  std::string lower = name.lower();
  if (lower == "affine" || lower == "scaledtanh" || lower == "elu" || lower == "thresholdedrelu")
    return {1, lower == "scaledtanh" ? 1 : 0};
  if (lower == "hardsigmoid")
    return {0.2f, 0.5};
  return {0.01f, 0};
}

static std::optional<Layer> readLayer(NodeImport &n, int64_t gates,
                                      std::vector<llvm::StringRef> defaults) {
  Emitter &e = n.emit;
  Value x = n.input(0), w = n.input(1), r = n.input(2);
  llvm::StringRef direction =
      n.choice("direction", "forward", {"forward", "reverse", "bidirectional"});
  Layer layer;
  layer.directions = direction == "bidirectional" ? 2 : 1;
  layer.batchFirst = n.integer("layout", 0);
  layer.clip = n.floating("clip", 0);
  if (e.rank(x) != 3 || e.rank(w) != 3 || e.rank(r) != 3) {
    n.error(Code::T0111) << "input, weights and recurrence have the shapes "
                         << shapeText(e.shape(x)) << ", " << shapeText(e.shape(w)) << " and "
                         << shapeText(e.shape(r)) << ", expected rank 3";
    return std::nullopt;
  }
  layer.steps = e.size(x, layer.batchFirst ? 1 : 0);
  layer.batch = e.size(x, layer.batchFirst ? 0 : 1);
  layer.hidden = e.size(r, 2);
  Shape wantW{layer.directions, gates * layer.hidden, e.size(x, 2)};
  Shape wantR{layer.directions, gates * layer.hidden, layer.hidden};
  if (e.shape(w) != ShapeRef(wantW) || e.shape(r) != ShapeRef(wantR))
    n.error(Code::T0111) << "weights and recurrence have the shapes " << shapeText(e.shape(w))
                         << " and " << shapeText(e.shape(r)) << ", expected " << shapeText(wantW)
                         << " and " << shapeText(wantR);
  if (n.integer("hidden_size", layer.hidden) != layer.hidden)
    n.error(Code::T0108) << "attribute 'hidden_size' is " << n.integer("hidden_size", 0)
                         << ", the recurrence has " << layer.hidden << " columns";
  layer.activations = defaults;
  if (layer.directions == 2)
    llvm::append_range(layer.activations, defaults);
  if (auto given = n.texts("activations")) {
    if (given->size() != layer.activations.size())
      n.error(Code::T0108) << "attribute 'activations' has " << given->size()
                           << " entries, expected " << layer.activations.size();
    layer.activations = *given;
  }
  auto alpha = n.floats("activation_alpha"), beta = n.floats("activation_beta");
  // Values are listed for those activations that take them, in order.
  size_t usedAlpha = 0, usedBeta = 0;
  for (llvm::StringRef name : layer.activations) {
    std::string lower = name.lower();
    auto [a, b] = activationDefaults(name);
    bool takesBeta = lower == "affine" || lower == "scaledtanh" || lower == "hardsigmoid";
    bool takesAlpha =
        takesBeta || lower == "leakyrelu" || lower == "thresholdedrelu" || lower == "elu";
    if (takesAlpha && alpha && usedAlpha < alpha->size())
      a = (*alpha)[usedAlpha++];
    if (takesBeta && beta && usedBeta < beta->size())
      b = (*beta)[usedBeta++];
    layer.alpha.push_back(a);
    layer.beta.push_back(b);
  }
  if (n.failed())
    return std::nullopt;
  return layer;
}

static Direction readDirection(NodeImport &n, const Layer &layer, int64_t d, int64_t gates,
                               size_t functions) {
  Emitter &e = n.emit;
  auto part = [&](Value v) { return v ? e.squeeze(e.sliceDim(v, 0, d, 1), 0) : v; };
  Direction direction;
  direction.weights = part(n.input(1));
  direction.recurrence = part(n.input(2));
  if (Value bias = part(n.input(3))) {
    direction.inputBias = e.sliceDim(bias, 0, 0, gates * layer.hidden);
    direction.recurrentBias = e.sliceDim(bias, 0, gates * layer.hidden, gates * layer.hidden);
  }
  direction.peepholes = part(n.input(7));
  direction.backward = d == 1 || n.text("direction", "forward") == "reverse";
  for (size_t i = 0; i < functions; ++i) {
    size_t at = static_cast<size_t>(d) * functions + i;
    direction.activations.push_back(
        activation(n, layer.activations[at], layer.alpha[at], layer.beta[at]));
  }
  return direction;
}

/// The initial state of one direction: input `i`, or zeros.
static Value initialState(NodeImport &n, const Layer &layer, size_t i, int64_t d) {
  Emitter &e = n.emit;
  if (!n.has(i))
    return e.splat({layer.batch, layer.hidden}, e.element(n.input(0)), 0);
  int64_t dim = layer.batchFirst ? 1 : 0;
  return e.squeeze(e.sliceDim(n.input(i), dim, d, 1), dim);
}

/// A step: from the gates' share of the input [batch, gates * hidden] and the state to the next
/// state.
using Step = std::function<State(const Direction &, Value gates, const State &)>;

/// The loop of one direction: the last state, and after it the outputs of all steps if they are
/// wanted.
static Emitter::Values runDirection(NodeImport &n, const Layer &layer, const Direction &direction,
                                    Value projected, const State &initial, const Step &step) {
  Emitter &e = n.emit;
  Value lengths = n.input(4);
  llvm::SmallVector<Value, 2> carried{initial.hidden}, slices{projected};
  if (initial.cell)
    carried.push_back(initial.cell);
  if (lengths)
    slices.push_back(e.iota({layer.steps}, 0, e.element(lengths)));
  return e.repeat(layer.steps, direction.backward, carried, slices,
                  [&](llvm::ArrayRef<Value> before, llvm::ArrayRef<Value> parts) {
                    State state{before[0], initial.cell ? before[1] : Value()};
                    State next = step(direction, parts[0], state);
                    Value output = next.hidden;
                    if (lengths) {
                      Value active =
                          e.unsqueeze(e.compare(ComparePredicate::Gt, lengths, parts[1]), 1);
                      output = e.select(active, next.hidden, e.splatLike(next.hidden, 0));
                      next.hidden = e.select(active, next.hidden, state.hidden);
                      if (initial.cell)
                        next.cell = e.select(active, next.cell, state.cell);
                    }
                    Emitter::Values values{next.hidden};
                    if (initial.cell)
                      values.push_back(next.cell);
                    if (n.wants(0))
                      values.push_back(output);
                    return values;
                  });
}

/// Runs all directions and gives the results Y, Y_h and Y_c.
static void run(NodeImport &n, const Layer &layer, int64_t gates, size_t functions, bool hasCell,
                bool biasWithInput, const Step &step) {
  Emitter &e = n.emit;
  Value x = layer.batchFirst ? e.permute(n.input(0), {1, 0, 2}) : n.input(0);
  llvm::SmallVector<Value, 2> sequences, hiddens, cells;
  for (int64_t d = 0; d < layer.directions; ++d) {
    Direction direction = readDirection(n, layer, d, gates, functions);
    if (n.failed())
      return;
    Value projected = e.contract("tbi,gi->tbg", x, direction.weights);
    if (direction.inputBias) {
      projected = e.add(projected, direction.inputBias);
      if (biasWithInput)
        projected = e.add(projected, direction.recurrentBias);
    }
    State state{initialState(n, layer, 5, d), hasCell ? initialState(n, layer, 6, d) : Value()};
    Emitter::Values results = runDirection(n, layer, direction, projected, state, step);
    if (n.failed() || results.empty())
      return;
    hiddens.push_back(e.unsqueeze(results[0], 0));
    if (hasCell)
      cells.push_back(e.unsqueeze(results[1], 0));
    if (n.wants(0))
      sequences.push_back(e.unsqueeze(results.back(), 1));
  }
  // [steps, directions, batch, hidden] and [directions, batch, hidden]; layout 1 has the batch
  // first.
  auto placed = [&](Value v, ShapeRef order) { return layer.batchFirst ? e.permute(v, order) : v; };
  if (n.wants(0))
    n.result(0, placed(e.concat(sequences, 1), {2, 0, 1, 3}));
  n.result(1, placed(e.concat(hiddens, 0), {1, 0, 2}));
  if (hasCell)
    n.result(2, placed(e.concat(cells, 0), {1, 0, 2}));
}

/// Gate `i` of [batch, gates * hidden].
static Value gate(Emitter &e, const Layer &layer, Value gates, int64_t i) {
  return e.sliceDim(gates, 1, i * layer.hidden, layer.hidden);
}

static Value clipped(Emitter &e, const Layer &layer, Value x) {
  return layer.clip > 0 ? e.clamp(x, -layer.clip, layer.clip) : x;
}

static Value recurrent(Emitter &e, Value hidden, Value recurrence) {
  return e.contract("bh,gh->bg", hidden, recurrence);
}

static void importLstm(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<Layer> layer = readLayer(n, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (!layer)
    return;
  bool coupled = n.integer("input_forget", 0);
  run(n, *layer, 4, 3, true, true, [&](const Direction &d, Value x, const State &before) {
    const Activation &f = d.activations[0], &g = d.activations[1], &h = d.activations[2];
    Value sum = e.add(x, recurrent(e, before.hidden, d.recurrence));
    // Gates lie in the order input, output, forget, cell; peepholes input, output, forget.
    auto peep = [&](Value v, Value cell, int64_t i) {
      if (!d.peepholes)
        return v;
      return e.add(v, e.mul(cell, e.sliceDim(d.peepholes, 0, i * layer->hidden, layer->hidden)));
    };
    auto part = [&](int64_t i) { return gate(e, *layer, sum, i); };
    Value in = f(clipped(e, *layer, peep(part(0), before.cell, 0)));
    Value forget = coupled ? e.sub(e.splatLike(in, 1), in)
                           : f(clipped(e, *layer, peep(part(2), before.cell, 2)));
    Value candidate = g(clipped(e, *layer, part(3)));
    Value cell = e.add(e.mul(forget, before.cell), e.mul(in, candidate));
    Value out = f(clipped(e, *layer, peep(part(1), cell, 1)));
    return State{e.mul(out, h(cell)), cell};
  });
}

static void importGru(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<Layer> layer = readLayer(n, 3, {"Sigmoid", "Tanh"});
  if (!layer)
    return;
  bool resetAfter = n.integer("linear_before_reset", 0);
  run(n, *layer, 3, 2, false, false, [&](const Direction &d, Value x, const State &before) {
    // Gates lie in the order update, reset, hidden.
    const Activation &f = d.activations[0], &g = d.activations[1];
    auto rows = [&](Value v, int64_t i) {
      return v ? e.sliceDim(v, 0, i * layer->hidden, layer->hidden) : v;
    };
    auto share = [&](Value hidden, int64_t i) {
      Value sum = recurrent(e, hidden, rows(d.recurrence, i));
      return d.recurrentBias ? e.add(sum, rows(d.recurrentBias, i)) : sum;
    };
    auto part = [&](int64_t i) { return gate(e, *layer, x, i); };
    Value update = f(clipped(e, *layer, e.add(part(0), share(before.hidden, 0))));
    Value reset = f(clipped(e, *layer, e.add(part(1), share(before.hidden, 1))));
    Value inner =
        resetAfter ? e.mul(reset, share(before.hidden, 2)) : share(e.mul(reset, before.hidden), 2);
    Value candidate = g(clipped(e, *layer, e.add(part(2), inner)));
    Value keep = e.sub(e.splatLike(update, 1), update);
    return State{e.add(e.mul(keep, candidate), e.mul(update, before.hidden)), {}};
  });
}

static void importRnn(NodeImport &n) {
  Emitter &e = n.emit;
  std::optional<Layer> layer = readLayer(n, 1, {"Tanh"});
  if (!layer)
    return;
  run(n, *layer, 1, 1, false, true, [&](const Direction &d, Value x, const State &before) {
    Value sum = e.add(x, recurrent(e, before.hidden, d.recurrence));
    return State{d.activations[0](clipped(e, *layer, sum)), {}};
  });
}

void tw::onnx::addRecurrent(Registry &r) {
  r.add("GRU", 1, {3, 6}, importGru, {0, 2});
  r.add("LSTM", 1, {3, 8}, importLstm, {0, 3});
  r.add("RNN", 1, {3, 6}, importRnn, {0, 2});
}
