// A network in twenty lines of C++, run in ten more.
//
// Usage: network [MODULE.twm]; with a path, the module is written there too.
#include <tw/Frontend/Frontend.h>
#include <twrt/Program.h>

#include <cstdio>
#include <fstream>

using namespace tw::fe;

static std::vector<float> numbers(size_t count, float step) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(step * float(int(i % 7) - 3));
  return values;
}

int main(int argc, char **argv) {
  Module module;
  Function f(module, "main");
  Value x = f.argument("x", f32, {8, 64});
  Value w1 = f.argument("w1", f32, {128, 64}), b1 = f.argument("b1", f32, {128});
  Value w2 = f.argument("w2", f32, {10, 128});
  Value h = relu(matmul(x, w1.t()) + b1); // shapes are known, and broadcast as numpy's
  Value y = softmax(linear(h, w2));
  f.returns({{"y", y}});
  std::optional<Bytes> bytes = compile(module);
  if (!bytes) {
    fputs(module.errorText().c_str(), stderr); // every error, with the place in this file
    return 1;
  }
  if (argc > 1)
    std::ofstream(argv[1], std::ios::binary)
        .write(reinterpret_cast<char *>(bytes->data()), std::streamsize(bytes->size()));

  twrt::Program program(*bytes, "host");
  std::vector<float> in = numbers(8 * 64, 0.1f), weights1 = numbers(128 * 64, 0.02f),
                     bias1 = numbers(128, 0.5f), weights2 = numbers(10 * 128, 0.03f), out(8 * 10);
  program.set("x", in), program.set("w1", weights1), program.set("b1", bias1),
      program.set("w2", weights2);
  program.set("y", out);
  if (!program.run()) {
    fprintf(stderr, "error: %s\n", program.error().c_str());
    return 1;
  }
  float sum = 0;
  for (int i = 0; i < 10; ++i)
    sum += out[size_t(i)];
  printf("%s of shape %s; the first row sums to %.4f\n", y.ok() ? "f32" : "?",
         str(y.shape()).c_str(), sum);
  return 0;
}
