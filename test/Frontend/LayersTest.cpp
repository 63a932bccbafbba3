// Norms, attention, recurrent cells, losses, beside plain loops.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

using Numbers = std::vector<double>;

/// Rows of `width` numbers to mean 0 and variance 1.
Numbers normalized(Numbers x, size_t width, double eps) {
  for (size_t row = 0; row < x.size(); row += width) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < width; ++i)
      mean += x[row + i] / double(width);
    for (size_t i = 0; i < width; ++i)
      variance += (x[row + i] - mean) * (x[row + i] - mean) / double(width);
    for (size_t i = 0; i < width; ++i)
      x[row + i] = (x[row + i] - mean) / std::sqrt(variance + eps);
  }
  return x;
}

double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

/// x[b, i] * w[n, i] + bias
double gate(const Numbers &x, const Numbers &w, const Numbers &bias, size_t b, size_t n,
            size_t width) {
  double sum = bias[n];
  for (size_t i = 0; i < width; ++i)
    sum += x[b * width + i] * w[n * width + i];
  return sum;
}

} // namespace

TEST(Layers, Norms) {
  Array x = scattered({2, 4, 6}, 1), scale = scattered({6}, 2), bias = scattered({6}, 3);
  Numbers plain = normalized(x.data, 6, 1e-5), scaled = plain;
  for (size_t i = 0; i < scaled.size(); ++i)
    scaled[i] = plain[i] * scale.data[i % 6] + bias.data[i % 6];
  expectNear(evaluate({x}, [](Function &, Values &v) { return layer_norm(v[0]); }), {2, 4, 6},
             plain);
  expectNear(evaluate({x, scale, bias},
                      [](Function &, Values &v) { return layer_norm(v[0], v[1], v[2]); }),
             {2, 4, 6}, scaled);
  expectNear(evaluate({x},
                      [](Function &, Values &v) {
                        return layer_norm(v[0], {}, {}, {-1, -2});
                      }),
             {2, 4, 6}, normalized(x.data, 24, 1e-5));
  Numbers rms = x.data;
  for (size_t row = 0; row < rms.size(); row += 6) {
    double squares = 0;
    for (size_t i = 0; i < 6; ++i)
      squares += rms[row + i] * rms[row + i] / 6;
    for (size_t i = 0; i < 6; ++i)
      rms[row + i] *= scale.data[i] / std::sqrt(squares + 1e-5);
  }
  expectNear(evaluate({x, scale}, [](Function &, Values &v) { return rms_norm(v[0], v[1]); }),
             {2, 4, 6}, rms);

  // Channels are dimension 1.
  Array c = scattered({4}, 4), d = scattered({4}, 5), m = scattered({4}, 6),
        variance{{4}, {1, 2, 0.5, 3}};
  Numbers group = normalized(x.data, 12, 1e-5), instance = plain, batch = x.data;
  for (size_t i = 0; i < batch.size(); ++i) {
    size_t channel = i / 6 % 4;
    group[i] = group[i] * c.data[channel] + d.data[channel];
    instance[i] = instance[i] * c.data[channel] + d.data[channel];
    batch[i] =
        (batch[i] - m.data[channel]) / std::sqrt(variance.data[channel] + 1e-5) * c.data[channel] +
        d.data[channel];
  }
  expectNear(
      evaluate({x, c, d}, [](Function &, Values &v) { return group_norm(v[0], 2, v[1], v[2]); }),
      {2, 4, 6}, group);
  expectNear(
      evaluate({x, c, d}, [](Function &, Values &v) { return instance_norm(v[0], v[1], v[2]); }),
      {2, 4, 6}, instance);
  expectNear(
      evaluate({x, c, d, m, variance},
               [](Function &, Values &v) { return batch_norm(v[0], v[1], v[2], v[3], v[4]); }),
      {2, 4, 6}, batch);
  expectNear(evaluate({{{1, 3, 1}, {1, 2, 3}}},
                      [](Function &, Values &v) { return local_response_norm(v[0], 3, 3.0, 0.5); }),
             {1, 3, 1}, {1 / std::sqrt(1 + 5), 2 / std::sqrt(1 + 14), 3 / std::sqrt(1 + 13)});
  expectNear(
      evaluate({{{2, 2}, {3, 4, 0, 0}}}, [](Function &, Values &v) { return l2_normalize(v[0]); }),
      {2, 2}, {0.6, 0.8, 0, 0});
}

TEST(Layers, Softmax) {
  Array x = scattered({2, 3}, 1);
  Numbers expected, logarithms;
  for (size_t row = 0; row < 6; row += 3) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i)
      sum += std::exp(x.data[row + i]);
    for (size_t i = 0; i < 3; ++i) {
      expected.push_back(std::exp(x.data[row + i]) / sum);
      logarithms.push_back(x.data[row + i] - std::log(sum));
    }
  }
  expectNear(evaluate({x}, [](Function &, Values &v) { return softmax(v[0]); }), {2, 3}, expected);
  expectNear(evaluate({x}, [](Function &, Values &v) { return log_softmax(v[0]); }), {2, 3},
             logarithms);
  expectNear(evaluate({x}, [](Function &, Values &v) { return softmax(v[0].t(), 0).t(); }), {2, 3},
             expected);
  expectNear(evaluate({{{1, 4}, {1, 2, 0, 100}}}, [](Function &, Values &v) { return glu(v[0]); }),
             {1, 2}, {0.5, 2});
}

TEST(Layers, Attention) {
  // 4 heads in 2 groups, 3 queries, 5 keys.
  Array q = scattered({2, 4, 3, 6}, 1), k = scattered({2, 2, 5, 6}, 2),
        v = scattered({2, 2, 5, 7}, 3), mask = scattered({3, 5}, 4);
  auto expected = [&](bool causal, bool masked) {
    Numbers out;
    for (size_t b = 0; b < 2; ++b)
      for (size_t h = 0; h < 4; ++h)
        for (size_t s = 0; s < 3; ++s) {
          double weights[5], sum = 0;
          for (size_t t = 0; t < 5; ++t) {
            double dot = 0;
            for (size_t d = 0; d < 6; ++d)
              dot +=
                  q.data[((b * 4 + h) * 3 + s) * 6 + d] * k.data[((b * 2 + h / 2) * 5 + t) * 6 + d];
            dot = dot / std::sqrt(6.0) + (masked ? mask.data[s * 5 + t] : 0);
            weights[t] = causal && t > s ? 0 : std::exp(dot);
            sum += weights[t];
          }
          for (size_t e = 0; e < 7; ++e) {
            double value = 0;
            for (size_t t = 0; t < 5; ++t)
              value += weights[t] / sum * v.data[((b * 2 + h / 2) * 5 + t) * 7 + e];
            out.push_back(value);
          }
        }
    return out;
  };
  expectNear(evaluate({q, k, v}, [](Function &, Values &a) { return attention(a[0], a[1], a[2]); }),
             {2, 4, 3, 7}, expected(false, false));
  expectNear(evaluate({q, k, v},
                      [](Function &, Values &a) { return attention(a[0], a[1], a[2], {}, true); }),
             {2, 4, 3, 7}, expected(true, false));
  expectNear(evaluate({q, k, v, mask},
                      [](Function &, Values &a) { return attention(a[0], a[1], a[2], a[3]); }),
             {2, 4, 3, 7}, expected(false, true));
  // The same by a mask of bools.
  expectNear(evaluate({q, k, v},
                      [](Function &f, Values &a) {
                        return attention(a[0], a[1], a[2], tril(ones(f, {3, 5})) == 1);
                      }),
             {2, 4, 3, 7}, expected(true, false));
}

TEST(Layers, Heads) {
  Array x = scattered({2, 3, 8}, 1);
  auto found = evaluateAll({x}, [](Function &, Values &v) -> Values {
    Value cut = permute_dims(reshape(v[0], {2, 3, 2, 4}), {0, 2, 1, 3});
    Value byHand = reshape(permute_dims(attention(cut, cut, cut), {0, 2, 1, 3}), {2, 3, 8});
    return {multi_head_attention(v[0], v[0], v[0], 2), byHand};
  });
  ASSERT_EQ(found.size(), 2u);
  expectNear(found[0], {2, 3, 8}, found[1].data);
  // A quarter turn.
  expectNear(evaluate({{{1, 4}, {1, 2, 3, 4}}},
                      [](Function &f, Values &v) {
                        return rotary_embedding(v[0], zeros(f, {2}), ones(f, {2}));
                      }),
             {1, 4}, {-3, -4, 1, 2});
}

TEST(Layers, Recurrent) {
  const size_t t = 3, b = 2, in = 3, n = 4;
  Array x = scattered({3, 2, 3}, 1), h = scattered({2, 4}, 2), c = scattered({2, 4}, 3);
  auto weights = [&](size_t gates) {
    return std::vector<Array>{x,
                              h,
                              c,
                              scattered({int64_t(gates * n), 3}, 4),
                              scattered({int64_t(gates * n), 4}, 5),
                              scattered({int64_t(gates * n)}, 6),
                              scattered({int64_t(gates * n)}, 7)};
  };
  auto part = [&](size_t step) {
    return Numbers(x.data.begin() + long(step * b * in),
                   x.data.begin() + long((step + 1) * b * in));
  };

  // LSTM: gates i, f, g, o.
  auto args = weights(4);
  Numbers hidden = h.data, cell = c.data, all;
  for (size_t step = 0; step < t; ++step) {
    Numbers input = part(step), nextHidden = hidden;
    for (size_t row = 0; row < b; ++row)
      for (size_t i = 0; i < n; ++i) {
        double g[4];
        for (size_t k = 0; k < 4; ++k)
          g[k] = gate(input, args[3].data, args[5].data, row, k * n + i, in) +
                 gate(hidden, args[4].data, args[6].data, row, k * n + i, n);
        double &state = cell[row * n + i];
        state = sigmoidOf(g[1]) * state + sigmoidOf(g[0]) * std::tanh(g[2]);
        nextHidden[row * n + i] = sigmoidOf(g[3]) * std::tanh(state);
      }
    hidden = nextHidden;
    all.insert(all.end(), hidden.begin(), hidden.end());
  }
  auto found = evaluateAll(
      args, [](Function &, Values &v) { return lstm(v[0], v[1], v[2], v[3], v[4], v[5], v[6]); });
  ASSERT_EQ(found.size(), 3u);
  expectNear(found[0], {3, 2, 4}, all);
  expectNear(found[1], {2, 4}, hidden);
  expectNear(found[2], {2, 4}, cell);
  auto compiled = compileAndRun(
      args, [](Function &, Values &v) { return lstm(v[0], v[1], v[2], v[3], v[4], v[5], v[6]); });
  ASSERT_EQ(compiled.size(), 3u);
  expectNear(compiled[0], {3, 2, 4}, all);
  // One step of the cell.
  auto cells = evaluateAll(args, [](Function &, Values &v) {
    return lstm_cell(select(v[0], 0), v[1], v[2], v[3], v[4], v[5], v[6]);
  });
  expectNear(cells[0], {2, 4}, Numbers(all.begin(), all.begin() + 8));

  // GRU: gates r, z, n.
  args = weights(3);
  hidden = h.data, all.clear();
  for (size_t step = 0; step < t; ++step) {
    Numbers input = part(step), next = hidden;
    for (size_t row = 0; row < b; ++row)
      for (size_t i = 0; i < n; ++i) {
        double fromInput[3], fromHidden[3];
        for (size_t k = 0; k < 3; ++k) {
          fromInput[k] = gate(input, args[3].data, args[5].data, row, k * n + i, in);
          fromHidden[k] = gate(hidden, args[4].data, args[6].data, row, k * n + i, n);
        }
        double r = sigmoidOf(fromInput[0] + fromHidden[0]),
               z = sigmoidOf(fromInput[1] + fromHidden[1]);
        next[row * n + i] =
            (1 - z) * std::tanh(fromInput[2] + r * fromHidden[2]) + z * hidden[row * n + i];
      }
    hidden = next;
    all.insert(all.end(), hidden.begin(), hidden.end());
  }
  found = evaluateAll(
      args, [](Function &, Values &v) { return gru(v[0], v[1], v[3], v[4], v[5], v[6]); });
  expectNear(found[0], {3, 2, 4}, all);
  expectNear(found[1], {2, 4}, hidden);
  expectNear(evaluate(args,
                      [](Function &, Values &v) {
                        return gru_cell(select(v[0], 0), v[1], v[3], v[4], v[5], v[6]);
                      }),
             {2, 4}, Numbers(all.begin(), all.begin() + 8));

  // RNN, from the last step to the first one, without biases.
  args = weights(1);
  Numbers zero(n, 0);
  hidden = h.data, all.clear();
  for (size_t step = t; step-- > 0;) {
    Numbers input = part(step), next = hidden;
    for (size_t row = 0; row < b; ++row)
      for (size_t i = 0; i < n; ++i)
        next[row * n + i] = std::tanh(gate(input, args[3].data, zero, row, i, in) +
                                      gate(hidden, args[4].data, zero, row, i, n));
    hidden = next;
    all.insert(all.begin(), hidden.begin(), hidden.end());
  }
  found = evaluateAll(
      args, [](Function &, Values &v) { return rnn(v[0], v[1], v[3], v[4], {}, {}, true); });
  expectNear(found[0], {3, 2, 4}, all);
  expectNear(found[1], {2, 4}, hidden);
  expectNear(evaluate(args, [](Function &,
                               Values &v) { return rnn_cell(select(v[0], -1), v[1], v[3], v[4]); }),
             {2, 4}, Numbers(all.end() - 8, all.end()));
}

TEST(Layers, Losses) {
  Array p{{2, 2}, {0.5, -1, 2, 3}}, t{{2, 2}, {1, 1, 2, 1}};
  auto loss = [&](const std::function<Value(Value, Value)> &build) {
    return evaluate({p, t}, [&](Function &, Values &v) { return build(v[0], v[1]); });
  };
  expectNear(loss([](Value p, Value t) { return mse_loss(p, t); }), {}, {(0.25 + 4 + 0 + 4) / 4});
  expectNear(loss([](Value p, Value t) { return mse_loss(p, t, "sum"); }), {}, {8.25});
  expectNear(loss([](Value p, Value t) { return mse_loss(p, t, "none"); }), {2, 2},
             {0.25, 4, 0, 4});
  expectNear(loss([](Value p, Value t) { return l1_loss(p, t); }), {}, {4.5 / 4});
  expectNear(loss([](Value p, Value t) { return huber_loss(p, t, 1.0, "none"); }), {2, 2},
             {0.125, 1.5, 0, 1.5});
  expectNear(loss([](Value p, Value t) { return hinge_loss(p, t, "none"); }), {2, 2},
             {0.5, 2, 0, 0});
  expectNear(loss([](Value p, Value t) { return cosine_similarity(p, t); }), {2},
             {-0.5 / std::sqrt(1.25 * 2), 7 / std::sqrt(13.0 * 5)});

  Array logits = scattered({2, 3}, 1), classes{{2}, {2, 0}, i64};
  double log[6];
  for (size_t row : {0, 3}) {
    double sum = 0;
    for (size_t i = 0; i < 3; ++i)
      sum += std::exp(logits.data[row + i]);
    for (size_t i = 0; i < 3; ++i)
      log[row + i] = logits.data[row + i] - std::log(sum);
  }
  expectNear(
      evaluate({logits, classes}, [](Function &, Values &v) { return cross_entropy(v[0], v[1]); }),
      {}, {-(log[2] + log[3]) / 2});
  double smooth = (log[0] + log[1] + log[2]) / 3;
  expectNear(
      evaluate({logits, classes},
               [](Function &, Values &v) { return cross_entropy(v[0], v[1], -1, 0.1, "none"); }),
      {2},
      {-(0.9 * log[2] + 0.1 * smooth), -(0.9 * log[3] + 0.1 * (log[3] + log[4] + log[5]) / 3)});
  expectNear(evaluate({logits, classes},
                      [](Function &, Values &v) { return nll_loss(v[0], v[1], -1, "sum"); }),
             {}, {-(logits.data[2] + logits.data[3])});
  Array soft{{2, 3}, {0.2, 0.3, 0.5, 1, 0, 0}};
  expectNear(
      evaluate({logits, soft},
               [](Function &, Values &v) { return cross_entropy(v[0], v[1], 1, 0, "none"); }),
      {2}, {-(0.2 * log[0] + 0.3 * log[1] + 0.5 * log[2]), -log[3]});
  expectNear(
      evaluate({logits, soft},
               [](Function &, Values &v) { return kl_divergence(log_softmax(v[0]), v[1], "sum"); }),
      {},
      {0.2 * (std::log(0.2) - log[0]) + 0.3 * (std::log(0.3) - log[1]) +
       0.5 * (std::log(0.5) - log[2]) - log[3]});
  Array zeroOne{{2, 3}, {0, 1, 1, 0, 0.5, 1}};
  Numbers bce;
  for (size_t i = 0; i < 6; ++i) {
    double s = sigmoidOf(logits.data[i]);
    bce.push_back(-(zeroOne.data[i] * std::log(s) + (1 - zeroOne.data[i]) * std::log(1 - s)));
  }
  expectNear(
      evaluate({logits, zeroOne},
               [](Function &, Values &v) { return binary_cross_entropy(v[0], v[1], "none"); }),
      {2, 3}, bce);
}
