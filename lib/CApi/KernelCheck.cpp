// Runs of kernels beside the interpreter's of their point forms.
#include "Context.h"

#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Kernel/PointForm.h"
#include "tw/Dialect/View/View.h"
#include "tw/Format/Element.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Support/ElementTypes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace mlir;
using namespace tw;

namespace {

/// The largest difference over all elements, NaN against a number counting as infinite.
template <typename T>
void findWorst(ArrayRef<T> found, ArrayRef<T> expected, TwcKernelCheck &check) {
  for (size_t i = 0; i < found.size(); ++i) {
    double f = double(found[i]), e = double(expected[i]);
    double error = f == e || (std::isnan(f) && std::isnan(e)) ? 0 : std::fabs(f - e);
    if (std::is_integral_v<T> && found[i] != expected[i])
      error = std::max(error, 1.0); // f64 does not tell all of 64 bits apart
    if (std::isnan(error))
      error = HUGE_VAL;
    if (std::isfinite(e))
      check.maxReference = std::max(check.maxReference, std::fabs(e));
    if (error > check.maxError) {
      check.maxError = error;
      check.worstElement = i;
      check.expected = e;
      check.found = f;
    }
  }
}

void findWorst(const interp::Tensor &found, const interp::Tensor &expected, TwcKernelCheck &check) {
  format::visitElement(*getElement(found.getElementType()), [&](auto tag) {
    using Held = typename decltype(tag)::type;
    using T = std::conditional_t<std::is_same_v<Held, bool>, uint8_t, Held>; // any byte is compared
    findWorst<T>(found.elements<T>(), expected.elements<T>(), check);
  });
}

/// A run, and the function that is to have given the same.
class Run {
public:
  Run(ModuleOp program, const TwcKernelRun &run, TwcSink sink)
      : program(program), function(*program.getOps<func::FuncOp>().begin()), run(run), sink(sink) {}

  /// Takes what the kernel updates as all that is in memory: what lies behind the end stays, too.
  void updateWhole();
  /// Gives the kernel's sizes the values that they had.
  LogicalResult settleSizes();
  /// What the kernel read, what it left in the memory of its results.
  LogicalResult take(SmallVectorImpl<interp::Tensor> &inputs,
                     SmallVectorImpl<interp::Tensor> &outputs);

private:
  FailureOr<interp::Tensor> takeOne(Type type, bool hasRoom, const TwcTensor &given,
                                    StringRef what);

  ModuleOp program;
  func::FuncOp function;
  const TwcKernelRun &run;
  TwcSink sink;
  /// By argument, then result: whether its memory holds more than the tensor.
  SmallVector<bool> room;
};

} // namespace

void Run::updateWhole() {
  auto kernels = function.getOps<kernel::KernelOp>();
  for (unsigned i = 0; !kernels.empty() && i < function.getNumResults(); ++i) {
    kernel::KernelOp kernel = *kernels.begin();
    std::optional<unsigned> updated = kernel.findUpdated(i);
    auto type = cast<RankedTensorType>(kernel->getResult(i).getType());
    if (!updated || !view::hasRoom(type))
      continue;
    type = view::getTensorType(view::getStorageShape(type), view::getStorageSizes(type),
                               type.getElementType());
    kernel->getResult(i).setType(type);
    kernel.getOperandArgument(*updated).setType(type);
    function.getArgument(*updated).setType(type);
  }
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

LogicalResult Run::settleSizes() {
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    room.push_back(view::hasRoom(cast<RankedTensorType>(type)));
  auto scalars = program->getAttrOfType<view::SizesAttr>(kernel::scalarsAttrName);
  size_t count = scalars ? scalars.getSizes().size() : 0;
  if (count != run.scalarCount) {
    report(sink, "T0507",
           llvm::formatv("expected {0} scalars, found {1}", count, run.scalarCount).str());
    return failure();
  }
  if (count == 0)
    return success();
  SettleSizesPassOptions options;
  for (auto [size, value] : llvm::zip(scalars.getSizes(), ArrayRef(run.scalars, count)))
    if (size.getConstant() == 0 && size.getTerms().size() == 1 &&
        size.getTerms().front().second == 1)
      options.sizes.push_back(
          (size.getTerms().front().first.getValue() + "=" + Twine(value)).str());
  PassManager passes(program.getContext());
  passes.addPass(createSettleSizesPass(options));
  return passes.run(program);
}

/// The first elements along each dimension of one that lies in memory as `dims` say.
static interp::Tensor takePart(RankedTensorType type, ArrayRef<int64_t> dims, const char *data) {
  interp::Tensor part = interp::Tensor::allocate(type);
  int64_t width = interp::getElementBytes(type.getElementType());
  SmallVector<int64_t> strides = interp::getRowMajorStrides(dims);
  for (int64_t i = 0; i < part.getNumElements(); ++i) {
    int64_t place = 0, rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= type.getDimSize(d))
      place += rest % type.getDimSize(d) * strides[d];
    std::copy_n(data + place * width, width, part.bytes() + i * width);
  }
  return part;
}

FailureOr<interp::Tensor> Run::takeOne(Type type, bool hasRoom, const TwcTensor &given,
                                       StringRef what) {
  TwcTensor tensor = given;
  auto known = cast<RankedTensorType>(type);
  ArrayRef<int64_t> dims(given.dims, given.rank);
  interp::Tensor part;
  if (hasRoom && dims.size() == size_t(known.getRank()) &&
      llvm::all_of(llvm::zip(known.getShape(), dims),
                   [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); })) {
    part = takePart(known, dims, static_cast<const char *>(given.data));
    tensor.dims = known.getShape().data();
    tensor.data = part.bytes();
  }
  SmallVector<interp::Tensor> taken;
  auto isComplex = [](unsigned) { return false; };
  if (failed(borrow({type}, isComplex, &tensor, 1, what, sink, taken)))
    return failure();
  return part ? part : taken.front();
}

LogicalResult Run::take(SmallVectorImpl<interp::Tensor> &inputs,
                        SmallVectorImpl<interp::Tensor> &outputs) {
  auto kernels = function.getOps<kernel::KernelOp>();
  unsigned arguments = function.getNumArguments(), results = function.getNumResults();
  SmallVector<int64_t> updating(arguments, -1);
  for (unsigned i = 0; !kernels.empty() && i < results; ++i)
    if (std::optional<unsigned> updated = (*kernels.begin()).findUpdated(i))
      updating[*updated] = i;
  size_t read = size_t(llvm::count(updating, -1));
  if (run.inputCount != read || run.bindingCount != read + results) {
    report(sink, "T0507",
           llvm::formatv("expected {0} inputs and {1} results, found {2} and {3}", read, results,
                         run.inputCount, run.bindingCount - run.inputCount)
               .str());
    return failure();
  }
  for (unsigned i = 0, next = 0; i < arguments; ++i) {
    TwcTensor given;
    if (updating[i] < 0) {
      given = run.bindings[next++];
    } else {
      given = run.bindings[read + size_t(updating[i])];
      given.data = run.before ? const_cast<void *>(run.before[updating[i]]) : nullptr;
      if (!given.data) {
        report(sink, "T0507",
               llvm::formatv("expected what result {0} held before the kernel updated it, "
                             "found nothing",
                             updating[i])
                   .str());
        return failure();
      }
    }
    FailureOr<interp::Tensor> input =
        takeOne(function.getArgumentTypes()[i], room[i], given, "input");
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  for (unsigned i = 0; i < results; ++i) {
    FailureOr<interp::Tensor> output = takeOne(function.getResultTypes()[i], room[arguments + i],
                                               run.bindings[read + i], "output");
    if (failed(output))
      return failure();
    outputs.push_back(*output);
  }
  return success();
}

TwcCode tw::checkKernel(TwcContext *context, const TwcKernelRun *run, TwcSink sink,
                        TwcKernelCheck *checks) {
  if (!context || !run || !checks || failed(checkSize(*run, "TwcKernelRun", sink)) ||
      !run->source.data || (run->bindingCount && !run->bindings) ||
      run->inputCount > run->bindingCount || (run->scalarCount && !run->scalars))
    return TWC_INVALID_ARGUMENT;
  for (size_t i = run->inputCount; i < run->bindingCount; ++i)
    if (failed(checkSize(checks[i - run->inputCount], "TwcKernelCheck", sink)))
      return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(context->mlir, sink);
  OwningOpRef<ModuleOp> program =
      parseProgram(&context->mlir, StringRef(run->source.data, run->source.size), "kernel");
  if (!program)
    return forwarder.getFailure();
  if (program->getOps<func::FuncOp>().empty()) {
    report(sink, "T0507", "expected a function to check a kernel by, found none");
    return TWC_FAILED;
  }
  Run own(*program, *run, sink);
  SmallVector<interp::Tensor> inputs, outputs;
  own.updateWhole();
  if (failed(own.settleSizes()))
    return forwarder.hasFailed() ? forwarder.getFailure() : TWC_INVALID_ARGUMENT;
  if (failed(own.take(inputs, outputs)))
    return TWC_INVALID_ARGUMENT;
  func::FuncOp function = *program->getOps<func::FuncOp>().begin();
  FailureOr<SmallVector<interp::Tensor>> expected = interp::evaluate(function, inputs);
  if (failed(expected))
    return forwarder.getFailure();
  for (auto [i, output] : llvm::enumerate(outputs)) {
    TwcKernelCheck found = {};
    findWorst(output, (*expected)[i], found);
    writeSized(checks[i], found);
  }
  return TWC_OK;
}
