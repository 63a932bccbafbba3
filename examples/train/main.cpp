// Trains a network to read the digits of digits.csv (dataset.py says what they are): one function
// computes loss, gradients and the optimizer's step and keeps the parameters where they lie,
// another one tells digits apart.
//
// Usage: train [EPOCHS] [STEP.mlir]; with a path, the program is written there, to read.
#include <tw/Frontend/Frontend.h>
#include <twrt/Program.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

using namespace tw::fe;

namespace {

constexpr int64_t kBatch = 64, kPixels = 64, kHidden = 512, kClasses = 10;
constexpr size_t kTested = 360;

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

/// Pictures of 8 x 8 from 0 to 1, and the digits on them.
struct Pictures {
  std::vector<float> x;
  std::vector<int32_t> digits;

  size_t size() const { return digits.size(); }
  void append(const Pictures &from, size_t i) {
    x.insert(x.end(), from.x.begin() + long(i * kPixels), from.x.begin() + long((i + 1) * kPixels));
    digits.push_back(from.digits[i]);
  }
};

/// A line has 64 numbers of 0 to 16 and the digit.
Pictures readPictures(const char *path) {
  Pictures pictures;
  std::ifstream file(path);
  for (std::string line, cell; std::getline(file, line);) {
    std::istringstream cells(line);
    for (int64_t i = 0; i < kPixels && std::getline(cells, cell, ','); ++i)
      pictures.x.push_back(std::stof(cell) / 16);
    std::getline(cells, cell);
    pictures.digits.push_back(std::stoi(cell));
  }
  return pictures;
}

Value network(Value x, const Values &w, const Value *step) {
  // Random numbers are functions of a key, here the number of the step, and a counter.
  int64_t counter = 0;
  for (size_t i = 0; i < 4; i += 2) {
    x = gelu(linear(x, w[i], w[i + 1]));
    if (step)
      x = dropout(x, *step, counter);
    counter += kBatch * kHidden / 4;
  }
  return linear(x, w[4], w[5]);
}

/// A step of the training: parameters, their moments and the number of the step go in and come out
/// in the same memory.
void buildStep(Module &module, const std::vector<Parameter> &parameters) {
  Function f(module, "main");
  Value x = f.argument("x", f32, {kBatch, kPixels}), digits = f.argument("digits", i32, {kBatch});
  Values w, m, v;
  for (const Parameter &parameter : parameters) {
    w.push_back(f.argument(parameter.name, f32, parameter.shape));
    m.push_back(f.argument(parameter.name + ".mean", f32, parameter.shape));
    v.push_back(f.argument(parameter.name + ".variance", f32, parameter.shape));
  }
  Value step = f.argument("step", i64, {});

  // So few pictures are soon known by heart: noise, dropout and smoothed labels are against that.
  Value noisy = x + 0.15 * random_normal(step, int64_t(1) << 32, {kBatch, kPixels});
  Value loss = cross_entropy(network(noisy, w, &step), digits, -1, /*label_smoothing=*/0.1);
  Values gradients = grad(loss, w);

  Value next = step + 1;
  std::vector<Result> results{{"loss", loss}, {"step.next", next}};
  f.alias(step, 1, {});
  for (size_t i = 0; i < w.size(); ++i) {
    Values state = adamw(w[i], gradients[i], m[i], v[i], next, 0.001);
    const char *names[] = {".next", ".mean.next", ".variance.next"};
    const Value *old[] = {&w[i], &m[i], &v[i]};
    for (size_t k = 0; k < 3; ++k) {
      f.alias(*old[k], int64_t(results.size()), parameters[i].shape);
      results.push_back({parameters[i].name + names[k], state[k]});
    }
  }
  f.returns(results);
}

/// What the network reads on the pictures that are kept to test with.
void buildReader(Module &module, const std::vector<Parameter> &parameters) {
  Function f(module, "read");
  Value x = f.argument("x", f32, {int64_t(kTested), kPixels});
  Values w;
  for (const Parameter &parameter : parameters)
    w.push_back(f.argument(parameter.name, f32, parameter.shape));
  f.returns({{"read", astype(argmax(network(x, w, nullptr), -1), i32)}});
}

bool fail(const std::string &text) {
  fprintf(stderr, "error: %s\n", text.c_str());
  return false;
}

/// Trains, and says after each tenth of the epochs how many digits that it was not shown it tells.
bool train(const Bytes &bytes, std::vector<Parameter> &parameters, const Pictures &shown,
           const Pictures &tested, int epochs, std::mt19937 &random) {
  twrt::Program step(bytes, "host", "main"), reader(bytes, "host", "read");
  Pictures batch;
  batch.x.resize(size_t(kBatch * kPixels)), batch.digits.resize(size_t(kBatch));
  std::vector<float> loss(1);
  std::vector<int64_t> number(1);
  std::vector<int32_t> read(kTested);
  step.set("x", batch.x), step.set("digits", batch.digits);
  step.set("loss", loss), step.set("step", number);
  reader.set("x", tested.x), reader.set("read", read);
  for (Parameter &parameter : parameters) {
    step.set(parameter.name, parameter.value), reader.set(parameter.name, parameter.value);
    step.set(parameter.name + ".mean", parameter.mean);
    step.set(parameter.name + ".variance", parameter.variance);
  }
  std::vector<size_t> order(shown.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  double accuracy = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t first = 0; first + kBatch <= order.size(); first += kBatch) {
      for (size_t i = 0; i < kBatch; ++i) {
        std::copy_n(&shown.x[order[first + i] * kPixels], kPixels, &batch.x[i * kPixels]);
        batch.digits[i] = shown.digits[order[first + i]];
      }
      if (!step.run())
        return fail(step.error());
    }
    if (epoch % std::max(epochs / 10, 1) != 0)
      continue;
    if (!reader.run())
      return fail(reader.error());
    size_t right = 0;
    for (size_t i = 0; i < kTested; ++i)
      right += read[i] == tested.digits[i];
    accuracy = double(right) / kTested;
    printf("epoch %2d  loss %.4f  test accuracy %.4f\n", epoch, loss[0], accuracy);
  }
  return accuracy > 0.97 || fail("expected more than 97 % of the tested digits to be read");
}

} // namespace

int main(int argc, char **argv) {
  int epochs = argc > 1 ? atoi(argv[1]) : 30;
  std::mt19937 random(7);
  Pictures all = readPictures(DIGITS), shown, tested;
  std::vector<size_t> order(all.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i = 0; i < order.size(); ++i)
    (i < kTested ? tested : shown).append(all, order[i]);
  if (tested.size() < kTested)
    return fail("cannot read " DIGITS), 1;

  std::vector<Parameter> parameters;
  parameters.push_back(makeParameter("w1", kHidden, kPixels, random));
  parameters.push_back(makeParameter("b1", kHidden, 0, random));
  parameters.push_back(makeParameter("w2", kHidden, kHidden, random));
  parameters.push_back(makeParameter("b2", kHidden, 0, random));
  parameters.push_back(makeParameter("w3", kClasses, kHidden, random));
  parameters.push_back(makeParameter("b3", kClasses, 0, random));

  Module module;
  buildStep(module, parameters), buildReader(module, parameters);
  std::optional<Bytes> bytes = compile(module);
  if (!bytes) {
    fputs(module.errorText().c_str(), stderr);
    return 1;
  }
  if (argc > 2)
    std::ofstream(argv[2]) << module.str();
  return train(*bytes, parameters, shown, tested, epochs, random) ? 0 : 2;
}
