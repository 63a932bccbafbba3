// Functions of the front end evaluated by the interpreter, on numbers as doubles.
#pragma once

#include "tw/Frontend/Frontend.h"

#include "gtest/gtest.h"

#include <cmath>

namespace tw::fe::test {

struct Array {
  std::vector<int64_t> shape;
  std::vector<double> data;
  DType dtype = f32;
};

/// Elements 0, 1, 2 ... times `step`, plus `first`.
Array counting(std::vector<int64_t> shape, double step = 1, double first = 0, DType dtype = f32);
/// Elements without a pattern, from -2 to 2.
Array scattered(std::vector<int64_t> shape, unsigned seed = 1, DType dtype = f32);

using Build = std::function<Values(Function &, Values &)>;
/// What the interpreter gives; empty, with a failure of the test, where there are errors.
std::vector<Array> evaluateAll(const std::vector<Array> &inputs, const Build &build);
Array evaluate(const std::vector<Array> &inputs,
               const std::function<Value(Function &, Values &)> &build);
/// The same, compiled and run by the runtime.
std::vector<Array> compileAndRun(const std::vector<Array> &inputs, const Build &build);
/// All errors of building.
std::string errorsOf(const std::vector<Array> &inputs,
                     const std::function<Value(Function &, Values &)> &build);

void expectNear(const Array &found, const std::vector<int64_t> &shape,
                const std::vector<double> &expected, double tolerance = 1e-5);
/// As PyTorch and NumPy do it, of plain loops.
Array matmul(const Array &a, const Array &b);

} // namespace tw::fe::test
