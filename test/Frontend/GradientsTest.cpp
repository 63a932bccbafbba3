// Derivatives, and steps of optimizers, beside plain loops.
#include "Evaluate.h"

#include "tw/Frontend/Bridge.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

using Numbers = std::vector<double>;

/// What `advance` makes of a parameter and its state in three steps, with the gradients given.
std::vector<Numbers>
run(size_t states, const std::function<void(double g, std::vector<double *> &, int t)> &advance,
    const Array &w, const std::vector<Array> &gradients) {
  std::vector<Numbers> all(states + 1, Numbers(w.data.size(), 0));
  all[0] = w.data;
  for (size_t step = 0; step < gradients.size(); ++step)
    for (size_t i = 0; i < w.data.size(); ++i) {
      std::vector<double *> own;
      for (Numbers &numbers : all)
        own.push_back(&numbers[i]);
      advance(gradients[step].data[i], own, int(step) + 1);
    }
  return all;
}

/// The same by the front end.
void expectSteps(size_t states, const std::function<Values(Values, Value g, int t)> &advance,
                 const std::function<void(double, std::vector<double *> &, int)> &expected) {
  Array w = scattered({3, 4}, 1, f64);
  std::vector<Array> gradients;
  for (unsigned i = 0; i < 3; ++i)
    gradients.push_back(scattered({3, 4}, 5 + i, f64));
  std::vector<Array> inputs{w};
  inputs.insert(inputs.end(), gradients.begin(), gradients.end());
  std::vector<Array> found = evaluateAll(inputs, [&](Function &, Values &v) {
    Values state{v[0]};
    for (size_t i = 0; i < states; ++i)
      state.push_back(zeros_like(v[0]));
    for (int step = 1; step <= 3; ++step)
      state = advance(state, v[size_t(step)], step);
    return state;
  });
  std::vector<Numbers> wanted = run(states, expected, w, gradients);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i)
    expectNear(found[i], {3, 4}, wanted[i], 1e-6);
}

} // namespace

TEST(Gradients, OfAScalar) {
  Array x = scattered({4, 3}, 1), w = scattered({3, 2}, 2);
  std::vector<Array> found = evaluateAll({x, w}, [](Function &, Values &v) {
    return grad(sum(tanh(matmul(v[0], v[1]))), {v[1], v[0]});
  });
  Array y = matmul(x, w);
  Numbers byW(6), byX(12);
  for (size_t m = 0; m < 4; ++m)
    for (size_t n = 0; n < 2; ++n) {
      double slope = 1 - std::pow(std::tanh(y.data[m * 2 + n]), 2);
      for (size_t k = 0; k < 3; ++k) {
        byW[k * 2 + n] += slope * x.data[m * 3 + k];
        byX[m * 3 + k] += slope * w.data[k * 2 + n];
      }
    }
  ASSERT_EQ(found.size(), 2u);
  expectNear(found[0], {3, 2}, byW);
  expectNear(found[1], {4, 3}, byX);
}

TEST(Gradients, OfGradients) {
  Array x = scattered({5}, 3);
  std::vector<Array> found = evaluateAll({x}, [](Function &, Values &v) {
    Value first = grad(sum(v[0] * v[0] * v[0]), {v[0]})[0];
    return Values{grad(first, {v[0]}, ones_like(first))[0],
                  grad(sum(stop_gradient(v[0]) * v[0]), {v[0]})[0]};
  });
  Numbers second = x.data;
  for (double &number : second)
    number *= 6;
  expectNear(found[0], {5}, second);
  expectNear(found[1], {5}, x.data);
}

TEST(Gradients, Errors) {
  auto message = [](const std::function<Value(Function &, Values &)> &build) {
    return errorsOf({scattered({4}), counting({4}, 1, 0, i32)}, build);
  };
  EXPECT_NE(message([](Function &, Values &v) {
              return grad(v[0], {v[0]})[0];
            }).find("grad: expected a scalar"),
            std::string::npos);
  EXPECT_NE(message([](Function &, Values &v) {
              return grad(sum(v[0]), {v[1]})[0];
            }).find("expected floats"),
            std::string::npos);
  EXPECT_NE(message([](Function &, Values &v) {
              Value rows = reshape(broadcast_to(v[0], {512, 4}), {2048});
              return grad(sum(reduce_window(rows, "max", 2000)), {v[0]})[0];
            }).find("T0220"),
            std::string::npos);
  EXPECT_NE(message([](Function &, Values &v) {
              Values loop = fori_loop(3,
                                      [&](const Value &, const Values &c) {
                                        return Values{c[0] + grad(sum(v[0]), {v[0]})[0]};
                                      },
                                      {v[0]});
              return loop[0];
            }).find("T0223"),
            std::string::npos);
}

TEST(Gradients, WarnOfWhatDoesNotMatter) {
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {4}), w = f.argument("w", f32, {4});
  f.returns({grad(sum(x), {x, w})[1]});
  EXPECT_TRUE(module.ok());
  ASSERT_EQ(module.errors().size(), 1u);
  EXPECT_TRUE(module.errors()[0].isWarning);
  EXPECT_EQ(module.errors()[0].code, "T0222");
  EXPECT_NE(module.errors()[0].message.find("does not depend on 'w'"), std::string::npos);
}

TEST(Gradients, LeaveNoSecondLoop) {
  // What a derivative replaces is named by handles that are older.
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {4});
  Value y = fori_loop(3, [&](const Value &, const Values &c) { return Values{c[0] * x}; }, {x})[0];
  Value first = grad(sum(y), {x})[0], again = grad(sum(y), {x})[0];
  f.returns({y, first, again});
  ASSERT_TRUE(module.ok()) << module.errorText();
  int forward = 0;
  getModule(module).walk([&](mlir::Operation *op) {
    if (op->getName().getStringRef() == "tgraph.for" && !op->use_empty())
      forward += !op->hasAttr("reverse");
  });
  EXPECT_EQ(forward, 1);
}

TEST(Gradients, Forward) {
  Array x = scattered({4, 3}, 1, f64), w = scattered({3, 2}, 2, f64), t = scattered({3, 2}, 3, f64);
  std::vector<Array> found = evaluateAll({x, w, t}, [](Function &, Values &v) {
    Value y = tanh(matmul(v[0], v[1]));
    Values moved = jvp({y, v[0]}, {v[1]}, {v[2]});
    // Forward over reverse beside reverse over forward: both are the Hessian times t.
    Value slope = grad(sum(y * y), {v[1]})[0];
    Value byForward = jvp({slope}, {v[1]}, {v[2]})[0];
    Value along = jvp({sum(y * y)}, {v[1]}, {v[2]})[0];
    return Values{moved[0], moved[1], byForward, grad(along, {v[1]})[0]};
  });
  Array y = matmul(x, w), d = matmul(x, t);
  Numbers expected;
  for (size_t i = 0; i < 8; ++i)
    expected.push_back((1 - std::pow(std::tanh(y.data[i]), 2)) * d.data[i]);
  expectNear(found[0], {4, 2}, expected);
  expectNear(found[1], {4, 3}, Numbers(12, 0));
  expectNear(found[2], {3, 2}, found[3].data, 1e-9);
}

TEST(Gradients, Clipping) {
  Array a = scattered({4}, 1), b = scattered({2, 3}, 2);
  std::vector<Array> found = evaluateAll({a, b}, [](Function &, Values &v) {
    return clip_by_norm({v[0], v[1]}, 0.5);
  });
  double squares = 0;
  for (const Array *array : {&a, &b})
    for (double number : array->data)
      squares += number * number;
  for (Array *array : {&a, &b})
    for (double &number : array->data)
      number *= 0.5 / (std::sqrt(squares) + 1e-6);
  expectNear(found[0], {4}, a.data);
  expectNear(found[1], {2, 3}, b.data);
}

TEST(Optimizers, Steps) {
  constexpr double rate = 0.1;
  expectSteps(
      0, [](Values s, Value g, int) { return sgd(s[0], g, rate); },
      [](double g, std::vector<double *> &s, int) { *s[0] -= rate * g; });
  expectSteps(
      1, [](Values s, Value g, int) { return sgd(s[0], g, rate, s[1], 0.9, 0.0, 0.01, true); },
      [](double g, std::vector<double *> &s, int) {
        g += 0.01 * *s[0];
        *s[1] = 0.9 * *s[1] + g;
        *s[0] -= rate * (g + 0.9 * *s[1]);
      });
  for (double decay : {0.0, 0.02})
    for (bool decoupled : {false, true})
      expectSteps(
          2,
          [&](Values s, Value g, int t) {
            auto *step = decoupled ? adamw : adam;
            return step(s[0], g, s[1], s[2], t, rate, 0.9, 0.999, 1e-8, decay);
          },
          [&](double g, std::vector<double *> &s, int t) {
            if (decoupled)
              *s[0] *= 1 - rate * decay;
            else
              g += decay * *s[0];
            *s[1] += 0.1 * (g - *s[1]);
            *s[2] = 0.999 * *s[2] + 0.001 * g * g;
            double size = std::sqrt(*s[2]) / std::sqrt(1 - std::pow(0.999, t)) + 1e-8;
            *s[0] -= rate / (1 - std::pow(0.9, t)) * *s[1] / size;
          });
  expectSteps(
      1, [](Values s, Value g, int) { return rmsprop(s[0], g, s[1], rate); },
      [](double g, std::vector<double *> &s, int) {
        *s[1] = 0.99 * *s[1] + 0.01 * g * g;
        *s[0] -= rate * g / (std::sqrt(*s[1]) + 1e-8);
      });
  expectSteps(
      1, [](Values s, Value g, int) { return adagrad(s[0], g, s[1], rate); },
      [](double g, std::vector<double *> &s, int) {
        *s[1] += g * g;
        *s[0] -= rate * g / (std::sqrt(*s[1]) + 1e-10);
      });
  expectSteps(
      1, [](Values s, Value g, int) { return lion(s[0], g, s[1], rate, 0.9, 0.99, 0.1); },
      [](double g, std::vector<double *> &s, int) {
        double direction = 0.9 * *s[1] + 0.1 * g;
        *s[0] = *s[0] * (1 - rate * 0.1) - rate * ((direction > 0) - (direction < 0));
        *s[1] = 0.99 * *s[1] + 0.01 * g;
      });
}

TEST(Gradients, ThroughTime) {
  // What a recurrent network gives for its weights, beside differences.
  Array x = scattered({5, 2, 3}, 1, f64), h = scattered({2, 4}, 2, f64),
        c = scattered({2, 4}, 3, f64);
  Array wi = scattered({16, 3}, 4, f64), wh = scattered({16, 4}, 5, f64);
  auto loss = [](Values &v) {
    Values all = lstm(v[0], v[1], v[2], v[3], v[4]);
    return sum(all[0] * all[0]) + sum(all[2]);
  };
  std::vector<Array> inputs{x, h, c, wi, wh};
  std::vector<Array> found = evaluateAll(inputs, [&](Function &, Values &v) {
    return grad(loss(v), {v[0], v[3], v[4], v[2]});
  });
  const size_t of[] = {0, 3, 4, 2};
  for (size_t k = 0; k < 4; ++k)
    for (size_t element : {size_t(0), inputs[of[k]].data.size() / 2}) {
      double values[2];
      constexpr double h2 = 1e-5;
      for (int side : {0, 1}) {
        std::vector<Array> moved = inputs;
        moved[of[k]].data[element] += side ? h2 : -h2;
        values[side] = evaluate(moved, [&](Function &, Values &v) { return loss(v); }).data[0];
      }
      EXPECT_NEAR(found[k].data[element], (values[1] - values[0]) / (2 * h2), 1e-6);
    }
}

TEST(Gradients, OfWhatIsCarriedInAndUsed) {
  Array w = scattered({4}, 1, f64);
  std::vector<Array> found = evaluateAll({w}, [](Function &, Values &v) {
    Values power =
        fori_loop(3, [&](const Value &, const Values &y) { return Values{y[0] * v[0]}; }, {v[0]});
    return grad(sum(power[0]), {v[0]});
  });
  Numbers cubes;
  for (double x : w.data)
    cubes.push_back(4 * x * x * x);
  expectNear(found[0], {4}, cubes, 1e-12);
}
