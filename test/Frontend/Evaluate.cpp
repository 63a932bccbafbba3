// Functions of the front end evaluated by the interpreter, and by the runtime.
#include "Evaluate.h"

#include "tw/Frontend/Bridge.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Support/ElementTypes.h"

#include <twrt/Program.h>

#include <random>

namespace tw::fe::test {

static size_t countOf(const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t size : shape)
    count *= size_t(size);
  return count;
}

Array counting(std::vector<int64_t> shape, double step, double first, DType dtype) {
  Array array{shape, {}, dtype};
  for (size_t i = 0; i != countOf(shape); ++i)
    array.data.push_back(first + step * double(i));
  return array;
}

Array scattered(std::vector<int64_t> shape, unsigned seed, DType dtype) {
  Array array{shape, {}, dtype};
  std::mt19937 random(seed);
  for (size_t i = 0; i != countOf(shape); ++i)
    array.data.push_back(float(double(random() % 4001) / 1000 - 2));
  return array;
}

static std::vector<char> toBytes(const Array &array) {
  std::vector<char> bytes(array.data.size() * format::elementBytes(array.dtype));
  format::visitElement(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i != array.data.size(); ++i) {
      T element = T(array.data[i]);
      memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

static Array fromBytes(std::vector<int64_t> shape, DType dtype, const char *bytes) {
  Array array{shape, {}, dtype};
  format::visitElement(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (size_t i = 0; i != countOf(shape); ++i) {
      T element;
      memcpy(&element, bytes + i * sizeof(T), sizeof(T));
      array.data.push_back(double(element));
    }
  });
  return array;
}

static void fill(Module &module, const std::vector<Array> &inputs, const Build &build) {
  Function f(module, "main");
  Values arguments;
  for (const Array &input : inputs)
    arguments.push_back(f.argument("", input.dtype, Shape(input.shape.begin(), input.shape.end())));
  Values results = build(f, arguments);
  f.returns(std::vector<Result>(results.begin(), results.end()));
}

std::vector<Array> evaluateAll(const std::vector<Array> &inputs, const Build &build) {
  Module module;
  fill(module, inputs, build);
  EXPECT_EQ(module.errorText(), "");
  if (!module.ok())
    return {};
  auto function = *getModule(module).getOps<mlir::func::FuncOp>().begin();
  std::vector<std::vector<char>> bytes;
  llvm::SmallVector<interp::Tensor> tensors;
  for (size_t i = 0; i != inputs.size(); ++i) {
    bytes.push_back(toBytes(inputs[i]));
    tensors.push_back(
        interp::Tensor::borrow(mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]),
                               static_cast<const void *>(bytes.back().data())));
  }
  mlir::FailureOr<llvm::SmallVector<interp::Tensor>> values = interp::evaluate(function, tensors);
  EXPECT_TRUE(mlir::succeeded(values)) << module.errorText() << module.str();
  std::vector<Array> results;
  if (mlir::succeeded(values))
    for (interp::Tensor &value : *values)
      results.push_back(
          fromBytes(value.getShape().vec(), *getElement(value.getElementType()), value.bytes()));
  return results;
}

Array evaluate(const std::vector<Array> &inputs,
               const std::function<Value(Function &, Values &)> &build) {
  auto results =
      evaluateAll(inputs, [&](Function &f, Values &v) -> Values { return {build(f, v)}; });
  return results.empty() ? Array() : results.front();
}

std::string errorsOf(const std::vector<Array> &inputs,
                     const std::function<Value(Function &, Values &)> &build) {
  Module module;
  fill(module, inputs, [&](Function &f, Values &v) -> Values { return {build(f, v)}; });
  return module.errorText();
}

std::vector<Array> compileAndRun(const std::vector<Array> &inputs, const Build &build) {
  Module module;
  fill(module, inputs, build);
  std::optional<Bytes> module_ = compile(module);
  EXPECT_TRUE(module_) << module.errorText();
  if (!module_)
    return {};
  twrt::Program program(*module_, "host", "", "", 1);
  EXPECT_TRUE(program.ok()) << program.error();
  std::vector<std::vector<char>> bytes;
  for (const Array &input : inputs)
    bytes.push_back(toBytes(input));
  std::vector<Array> results;
  for (size_t i = 0; i != program.resultCount(); ++i) {
    const TwrtValueInfo &info = program.result(i);
    results.push_back({{info.dims, info.dims + info.rank}, {}, DType(info.element)});
    bytes.emplace_back(countOf(results.back().shape) * twrtElementBytes(info.element));
  }
  for (size_t i = 0; i != bytes.size(); ++i)
    program.set(i, std::span<char>(bytes[i]));
  EXPECT_TRUE(program.run()) << program.error();
  for (size_t i = 0; i != results.size(); ++i)
    results[i] = fromBytes(results[i].shape, results[i].dtype, bytes[inputs.size() + i].data());
  return results;
}

void expectNear(const Array &found, const std::vector<int64_t> &shape,
                const std::vector<double> &expected, double tolerance) {
  EXPECT_EQ(found.shape, shape);
  ASSERT_EQ(found.data.size(), expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i])) {
      EXPECT_TRUE(found.data[i] == expected[i] ||
                  (std::isnan(found.data[i]) && std::isnan(expected[i])))
          << "element " << i << ": expected " << expected[i] << ", found " << found.data[i];
      continue;
    }
    EXPECT_NEAR(found.data[i], expected[i], tolerance * std::max(1.0, std::fabs(expected[i])))
        << "element " << i;
  }
}

Array matmul(const Array &a, const Array &b) {
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  Array c{{m, n}, std::vector<double>(size_t(m * n), 0)};
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j)
      for (int64_t l = 0; l != k; ++l)
        c.data[size_t(i * n + j)] += a.data[size_t(i * k + l)] * b.data[size_t(l * n + j)];
  return c;
}

} // namespace tw::fe::test
