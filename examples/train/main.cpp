// Trains a classifier of points on three spirals: one module computes loss, gradients and the
// optimizer's step, and keeps the parameters where they lie.
//
// Usage: train [STEPS] [STEP.mlir]; with a path, the program of a step is written there, to read.
#include <tw/Frontend/Frontend.h>
#include <twrt/Program.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

using namespace tw::fe;

namespace {

constexpr int64_t kPoints = 300, kClasses = 3, kHidden = 64;

/// A parameter of the network, and what the optimizer keeps beside it.
struct Parameter {
  std::string name;
  Shape shape;
  std::vector<float> value, mean, variance;
};

Parameter makeParameter(const char *name, int64_t out, int64_t in, std::mt19937 &random) {
  Parameter made{name, in ? Shape{out, in} : Shape{out}, {}, {}, {}};
  size_t count = size_t(out * std::max<int64_t>(in, 1));
  std::normal_distribution<float> draw(0, in ? std::sqrt(2.0f / float(in)) : 0);
  for (size_t i = 0; i < count; ++i)
    made.value.push_back(draw(random));
  made.mean.resize(count);
  made.variance.resize(count);
  return made;
}

/// Arms of a spiral, one a class, with some noise.
void makePoints(std::vector<float> &points, std::vector<int32_t> &labels, std::mt19937 &random) {
  std::normal_distribution<float> noise(0, 0.1f);
  for (int64_t i = 0; i < kPoints; ++i) {
    float radius = float(i / kClasses) / float(kPoints / kClasses);
    float angle = 4 * radius + 2.1f * float(i % kClasses) + noise(random);
    points.push_back(radius * std::sin(angle));
    points.push_back(radius * std::cos(angle));
    labels.push_back(int32_t(i % kClasses));
  }
}

/// The module of one step: parameters, their moments and the number of the step go in and come out
/// in the same memory.
std::optional<Bytes> compileStep(Module &module, const std::vector<Parameter> &parameters) {
  Function f(module, "main");
  Value x = f.argument("x", f32, {kPoints, 2}), labels = f.argument("labels", i32, {kPoints});
  Values w, m, v;
  for (const Parameter &parameter : parameters) {
    w.push_back(f.argument(parameter.name, f32, parameter.shape));
    m.push_back(f.argument(parameter.name + ".mean", f32, parameter.shape));
    v.push_back(f.argument(parameter.name + ".variance", f32, parameter.shape));
  }
  Value step = f.argument("step", i64, {});

  Value h = relu(linear(x, w[0], w[1]));
  h = relu(linear(h, w[2], w[3]));
  Value logits = linear(h, w[4], w[5]);
  Value loss = cross_entropy(logits, labels);
  Values gradients = grad(loss, w);

  Value next = step + 1;
  std::vector<Result> results{
      {"loss", loss},
      {"accuracy", mean(astype(astype(argmax(logits, -1), i32) == labels, f32))},
      {"step.next", next}};
  f.alias(step, 2, {});
  for (size_t i = 0; i < w.size(); ++i) {
    Values state = adamw(w[i], gradients[i], m[i], v[i], next, 0.01);
    const char *names[] = {".next", ".mean.next", ".variance.next"};
    const Value *old[] = {&w[i], &m[i], &v[i]};
    for (size_t k = 0; k < 3; ++k) {
      f.alias(*old[k], int64_t(results.size()), parameters[i].shape);
      results.push_back({parameters[i].name + names[k], state[k]});
    }
  }
  f.returns(results);
  return compile(module);
}

} // namespace

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 300;
  std::mt19937 random(7);
  std::vector<float> points;
  std::vector<int32_t> labels;
  makePoints(points, labels, random);
  std::vector<Parameter> parameters;
  parameters.push_back(makeParameter("w1", kHidden, 2, random));
  parameters.push_back(makeParameter("b1", kHidden, 0, random));
  parameters.push_back(makeParameter("w2", kHidden, kHidden, random));
  parameters.push_back(makeParameter("b2", kHidden, 0, random));
  parameters.push_back(makeParameter("w3", kClasses, kHidden, random));
  parameters.push_back(makeParameter("b3", kClasses, 0, random));

  Module module;
  std::optional<Bytes> bytes = compileStep(module, parameters);
  if (!bytes) {
    fputs(module.errorText().c_str(), stderr);
    return 1;
  }
  if (argc > 2)
    std::ofstream(argv[2]) << module.str();

  twrt::Program program(*bytes, "host");
  std::vector<float> loss(1), accuracy(1);
  std::vector<int64_t> step(1);
  program.set("x", points), program.set("labels", labels), program.set("step", step);
  for (Parameter &parameter : parameters) {
    program.set(parameter.name, parameter.value);
    program.set(parameter.name + ".mean", parameter.mean);
    program.set(parameter.name + ".variance", parameter.variance);
  }
  program.set("loss", loss), program.set("accuracy", accuracy);
  for (int i = 0; i < steps; ++i) {
    if (!program.run()) {
      fprintf(stderr, "error: %s\n", program.error().c_str());
      return 1;
    }
    if (i % 50 == 0 || i + 1 == steps)
      printf("step %3lld  loss %.4f  accuracy %.3f\n", static_cast<long long>(step[0]), loss[0],
             accuracy[0]);
  }
  return accuracy[0] > 0.97f ? 0 : 2;
}
