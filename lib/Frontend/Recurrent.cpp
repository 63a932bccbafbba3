// Recurrent cells, and loops of them over steps.
#include "State.h"

using namespace tw::fe;
namespace fe = tw::fe;

/// x @ weight.T + bias
static Value gates(const Value &x, const Arg &weight, const Arg &bias) {
  return linear(x, weight, bias);
}

/// `count` equal parts of the last dimension.
static Values parts(const Value &x, int64_t count) { return split(x, count, -1); }

Value fe::rnn_cell(Arg x, Arg h, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh) {
  Scope s("rnn_cell", x, h, weight_ih, weight_hh, bias_ih, bias_hh);
  return tanh(gates(s.done(s.get(x)), weight_ih, bias_ih) +
              gates(s.done(s.get(h)), weight_hh, bias_hh));
}

/// What a cell does with the product of its input, of all gates.
static Values lstmStep(const Value &input, const Value &h, const Value &c, const Arg &weight,
                       const Arg &bias) {
  Values g = parts(input + gates(h, weight, bias), 4);
  Value cell = sigmoid(g[1]) * c + sigmoid(g[0]) * tanh(g[2]);
  return {sigmoid(g[3]) * tanh(cell), cell};
}

static Value gruStep(const Value &input, const Value &h, const Arg &weight, const Arg &bias) {
  Values i = parts(input, 3), r = parts(gates(h, weight, bias), 3);
  Value reset = sigmoid(i[0] + r[0]), update = sigmoid(i[1] + r[1]),
        fresh = tanh(i[2] + reset * r[2]);
  return (1.0 - update) * fresh + update * h;
}

Values fe::lstm_cell(Arg x, Arg h, Arg c, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh) {
  Scope s("lstm_cell", x, h, c, weight_ih, weight_hh, bias_ih, bias_hh);
  return lstmStep(gates(s.done(s.get(x)), weight_ih, bias_ih), s.done(s.get(h)), s.done(s.get(c)),
                  weight_hh, bias_hh);
}

Value fe::gru_cell(Arg x, Arg h, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh) {
  Scope s("gru_cell", x, h, weight_ih, weight_hh, bias_ih, bias_hh);
  return gruStep(gates(s.done(s.get(x)), weight_ih, bias_ih), s.done(s.get(h)), weight_hh, bias_hh);
}

/// Inputs of all steps are multiplied at once. Gives all of the first state, then each last one.
template <typename Step>
static Values overSteps(Scope &s, const Arg &x, Values init, const Arg &weight, const Arg &bias,
                        bool reverse, Step step) {
  Value steps = s.done(s.get(x));
  if (s && steps.rank() != 3)
    s.error(Code::T0208, "expected steps [t, b, i], found " + fe::str(steps.shape()));
  if (!s)
    return s.poison(init.size() + 1);
  Value inputs = gates(steps, weight, bias);
  Values results = scan(
      [&](const Values &carried, const Values &slices) -> fe::Step {
        Values next = step(slices[0], carried);
        return {next, {next[0]}};
      },
      init, {inputs}, steps.size(0), reverse);
  if (results.size() != init.size() + 1)
    return s.poison(init.size() + 1);
  std::rotate(results.begin(), results.end() - 1, results.end());
  return results;
}

Values fe::rnn(Arg x, Arg h0, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh,
               bool reverse) {
  Scope s("rnn", x, h0, weight_ih, weight_hh, bias_ih, bias_hh);
  return overSteps(s, x, {s.done(s.get(h0))}, weight_ih, bias_ih, reverse,
                   [&](const Value &input, const Values &state) -> Values {
                     return {tanh(input + gates(state[0], weight_hh, bias_hh))};
                   });
}

Values fe::lstm(Arg x, Arg h0, Arg c0, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh,
                bool reverse) {
  Scope s("lstm", x, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh);
  return overSteps(s, x, {s.done(s.get(h0)), s.done(s.get(c0))}, weight_ih, bias_ih, reverse,
                   [&](const Value &input, const Values &state) {
                     return lstmStep(input, state[0], state[1], weight_hh, bias_hh);
                   });
}

Values fe::gru(Arg x, Arg h0, Arg weight_ih, Arg weight_hh, Arg bias_ih, Arg bias_hh,
               bool reverse) {
  Scope s("gru", x, h0, weight_ih, weight_hh, bias_ih, bias_hh);
  return overSteps(s, x, {s.done(s.get(h0))}, weight_ih, bias_ih, reverse,
                   [&](const Value &input, const Values &state) -> Values {
                     return {gruStep(input, state[0], weight_hh, bias_hh)};
                   });
}
