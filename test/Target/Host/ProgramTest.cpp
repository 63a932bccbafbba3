// Whole graphs, through every stage to host code, against the interpreter.
#include "Loader.h"

#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using tw::interp::Tensor;

namespace {

/// Runs the commands of a host program on kernels in memory.
class Machine {
public:
  Machine(ModuleOp module, const tw::Artefact &artefact) : module(module), artefact(artefact) {
    image.bytes = artefact.bytes;
    for (const tw::ArtefactEntry &entry : artefact.entries)
      image.entries.push_back({entry.name, entry.offset});
    loaded.emplace(image);
  }

  SmallVector<Tensor> run(tw::launch::FuncOp program, ArrayRef<Tensor> inputs) {
    SmallVector<Tensor> results;
    for (unsigned i = 0; i < program.getNumArguments(); ++i)
      buffers[program.getArgument(i)] = inputs[i];
    for (unsigned i = 0; i < program.getNumOutputs(); ++i) {
      BlockArgument argument = program.getResultBuffer(i);
      results.push_back(Tensor::allocate(typeOf(argument)));
      buffers[argument] = results.back();
    }
    for (Operation &op : program.getBody().front())
      execute(op);
    return results;
  }

private:
  ModuleOp module;
  const tw::Artefact &artefact;
  tw::host::Image image;
  std::optional<tw::test::LoadedImage> loaded;
  llvm::DenseMap<Value, Tensor> buffers;

  static RankedTensorType typeOf(Value buffer) {
    return cast<tw::launch::BufferType>(buffer.getType()).getTensor();
  }

  void execute(Operation &op) {
    if (auto reserve = dyn_cast<tw::launch::ReserveOp>(op)) {
      buffers[reserve.getResult()] = Tensor::allocate(typeOf(reserve.getResult()));
    } else if (auto get = dyn_cast<tw::launch::GetConstantOp>(op)) {
      auto constant = module.lookupSymbol<tw::launch::ConstantOp>(get.getConstant());
      buffers[get.getResult()] = Tensor::fromAttr(cast<DenseElementsAttr>(constant.getValue()));
    } else if (auto copy = dyn_cast<tw::launch::CopyOp>(op)) {
      Tensor &to = buffers[copy.getDestination()];
      std::memcpy(to.bytes(), buffers[copy.getSource()].bytes(), to.getBytes());
    } else if (auto launch = dyn_cast<tw::launch::LaunchOp>(op)) {
      std::vector<void *> bindings;
      for (Value buffer : llvm::concat<Value>(launch.getReads(), launch.getWrites()))
        bindings.push_back(buffers[buffer].bytes());
      for (auto [i, entry] : llvm::enumerate(artefact.entries)) {
        if (entry.name != launch.getKernel())
          continue;
        uint32_t programs = entry.programs;
        tw::test::Launch arguments{bindings.data(), nullptr, {programs, 1, 1}};
        // A cache line of alignment, as the runtime gives.
        std::vector<std::array<char, 64>> memory(entry.scratchBytes / 64 + 2);
        uintptr_t start = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
        void *scratch = reinterpret_cast<void *>(start);
        loaded->kernel(i)(&arguments, programs / 2, programs, scratch);
        loaded->kernel(i)(&arguments, 0, programs / 2, scratch);
      }
    }
  }
};

double valueAt(const Tensor &tensor, int64_t i) {
  Type type = tensor.getElementType();
  if (type.isF32())
    return tensor.elements<float>()[i];
  if (type.isF64())
    return tensor.elements<double>()[i];
  switch (tensor.getBytes() / tensor.getNumElements()) {
  case 1:
    return type.isUnsignedInteger() ? double(tensor.elements<uint8_t>()[i])
                                    : double(tensor.elements<int8_t>()[i]);
  case 4:
    return tensor.elements<int32_t>()[i];
  default:
    return double(tensor.elements<int64_t>()[i]);
  }
}

class ProgramTest : public testing::TestWithParam<const char *> {
protected:
  ProgramTest() : context(makeRegistry()) { tw::registerPasses(); }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  /// Compares each element: relative to its own magnitude (`elementwise`) or to the largest one.
  void check(StringRef source, bool specials, bool elementwise) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    auto graph = *module->getOps<func::FuncOp>().begin();
    std::string name = graph.getSymName().str();
    SmallVector<Tensor> inputs;
    for (auto [i, type] : llvm::enumerate(graph.getArgumentTypes())) {
      inputs.push_back(tw::interp::makeInput(cast<RankedTensorType>(type), 7, i));
      if (specials)
        addSpecials(inputs.back(), i);
    }
    auto expected = tw::interp::evaluate(graph, inputs);
    ASSERT_TRUE(succeeded(expected)) << name;

    PassManager passes(&context);
    ASSERT_TRUE(succeeded(parsePassPipeline(
        "func.func(graph-decompose,graph-to-view,view-to-kernel,cse,kernel-fuse,kernel-verify,"
        "kernel-schedule,kernel-stage-global,kernel-schedule),kernel-to-launch,"
        "kernel-to-tile",
        passes)));
    ASSERT_TRUE(succeeded(passes.run(*module))) << name;
    auto artefacts = tw::findTarget("host")->compile(*module, {GetParam(), elementwise ? 1u : 3u});
    ASSERT_TRUE(succeeded(artefacts)) << name;
    Machine machine(*module, artefacts->front());
    auto program = *module->getOps<tw::launch::FuncOp>().begin();
    SmallVector<Tensor> found = machine.run(program, inputs);
    ASSERT_EQ(found.size(), expected->size());
    for (size_t i = 0; i < found.size(); ++i)
      compare(name + " result " + std::to_string(i), found[i], (*expected)[i], elementwise);
  }

  static void compare(const std::string &name, const Tensor &found, const Tensor &expected,
                      bool elementwise) {
    double largest = 0;
    for (int64_t i = 0; i < expected.getNumElements(); ++i)
      if (std::isfinite(valueAt(expected, i)))
        largest = std::max(largest, std::fabs(valueAt(expected, i)));
    double tolerance = expected.getElementType().isF32()   ? 2e-6
                       : expected.getElementType().isF64() ? 1e-14
                                                           : 0;
    int failures = 0;
    for (int64_t i = 0; i < expected.getNumElements() && failures < 3; ++i) {
      double got = valueAt(found, i), want = valueAt(expected, i);
      bool same = std::isnan(want)   ? std::isnan(got)
                  : std::isinf(want) ? got == want
                                     : std::fabs(got - want) <=
                                           tolerance * (elementwise ? std::fabs(want) : largest) +
                                               (elementwise && tolerance != 0 ? 1e-44 : 0);
      if (!same) {
        ADD_FAILURE() << name << " at " << i << ": found " << got << ", expected " << want;
        ++failures;
      }
    }
  }

  /// Puts every pair of special values at the same places of the first two inputs.
  static void addSpecials(Tensor &tensor, unsigned number) {
    auto put = [&](auto values) {
      using T = typename decltype(values)::value_type;
      for (int64_t i = 0; i < tensor.getNumElements(); ++i) {
        size_t pick = number == 0 ? i % values.size() : i / values.size();
        if (pick < values.size())
          tensor.elements<T>()[i] = values[pick];
      }
    };
    auto integers = [&](auto one) {
      using T = decltype(one);
      using Limits = std::numeric_limits<T>;
      put(std::vector<T>{0, 1, 2, T(-1), T(-3), 7, Limits::min(), Limits::max(), 31, 64});
    };
    auto floats = [&](auto one) {
      using T = decltype(one);
      using Limits = std::numeric_limits<T>;
      put(std::vector<T>{0, T(-0.0), 1, -1, T(0.5), T(-2.5), 3, Limits::infinity(),
                         -Limits::infinity(), Limits::quiet_NaN(), T(1e30), T(-1e10), T(1e-30)});
    };
    Type type = tensor.getElementType();
    if (type.isF32())
      floats(float());
    else if (type.isF64())
      floats(double());
    else if (type.isUnsignedInteger(8))
      integers(uint8_t());
    else if (type.isSignlessInteger(8))
      integers(int8_t());
    else if (type.isSignlessInteger(32))
      integers(int32_t());
    else if (type.isSignlessInteger(64))
      integers(int64_t());
  }

  /// One function whose results are every op of `unary`, `binary` and `compare` on one type.
  std::string sweep(const std::string &element, ArrayRef<const char *> unary,
                    ArrayRef<const char *> binary, ArrayRef<const char *> casts) {
    std::string type = "tensor<203x" + element + ">", bools = "tensor<203xi1>", body, names, types;
    unsigned next = 0;
    auto add = [&](const std::string &op, const std::string &operation, const std::string &result) {
      std::string name = "%r" + std::to_string(next);
      body += "  " + name + " = tgraph." + op + " " + operation + "\n";
      names += (next ? ", " : "") + name;
      types += (next ? ", " : "") + result;
      ++next;
    };
    for (const char *op : unary)
      add(op, "%a : " + type, type);
    for (const char *op : binary)
      add(op, "%a, %b : " + type, type);
    for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"})
      add("compare", std::string(predicate) + ", %a, %b : " + type, bools);
    for (const char *to : casts) {
      std::string result = "tensor<203x" + std::string(to) + ">";
      add("cast", "%a : " + type + " to " + result, result);
    }
    return "func.func @" + element + "(%a: " + type + ", %b: " + type + ") -> (" + types + ") {\n" +
           body + "  return " + names + " : " + types + "\n}";
  }

  MLIRContext context;
};

TEST_P(ProgramTest, Programs) {
  auto file = llvm::MemoryBuffer::getFile(TW_TEST_SOURCE_DIR "/Target/Host/Inputs/programs.mlir");
  ASSERT_TRUE(bool(file));
  SmallVector<StringRef> sources;
  (*file)->getBuffer().split(sources, "// -----");
  for (StringRef source : sources)
    check(source, /*specials=*/false, /*elementwise=*/false);
}

TEST_P(ProgramTest, ElementwiseOnFloats) {
  for (const char *type : {"f32", "f64"})
    check(sweep(type, {"neg",        "abs",     "sign",  "exp",  "log",   "sqrt", "rsqrt",
                       "reciprocal", "sigmoid", "tanh",  "erf",  "floor", "ceil", "round",
                       "sin",        "cos",     "tan",   "asin", "acos",  "atan", "sinh",
                       "cosh",       "asinh",   "acosh", "atanh"},
                {"add", "sub", "mul", "div", "rem", "mod", "pow", "minimum", "maximum"},
                {"f32", "f64", "i1", "i8", "i32", "i64", "ui8"}),
          /*specials=*/true, /*elementwise=*/true);
}

TEST_P(ProgramTest, ElementwiseOnIntegers) {
  for (const char *type : {"i8", "i32", "i64", "ui8"})
    check(sweep(type, {"neg", "abs", "sign", "not"},
                {"add", "sub", "mul", "div", "rem", "mod", "pow", "minimum", "maximum", "and", "or",
                 "xor", "shl", "shr"},
                {"f32", "f64", "i1", "i8", "i32", "i64", "ui8"}),
          /*specials=*/true, /*elementwise=*/true);
}

TEST_P(ProgramTest, ElementwiseOnBooleans) {
  check(sweep("i1", {"not"}, {"and", "or", "xor"}, {"f32", "f64", "i8", "i32", "i64", "ui8"}),
        /*specials=*/false, /*elementwise=*/true);
}

INSTANTIATE_TEST_SUITE_P(Cpus, ProgramTest, testing::Values("native", "x86-64-v3"));

} // namespace
