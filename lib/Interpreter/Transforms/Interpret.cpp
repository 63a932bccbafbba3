// The pass `interpret`: a program's numbers, at any stage, for tests.
//===---------------------------------------------------------------------------------------===//
#include "tw/Interpreter/Transforms/Passes.h"

#include <cmath>

#include "../TypeSwitch.h"

#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Interpreter/Inputs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

namespace tw {
#define GEN_PASS_DEF_INTERPRETPASS
#include "tw/Interpreter/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::interp;

namespace {

struct InterpretPass : tw::impl::InterpretPassBase<InterpretPass> {
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    Operation *program = findProgram();
    if (!program) {
      tw::emitError(getOperation().getLoc(), Code::T0701)
          << "expected a function of func, tlaunch or ttile named '" << entry << "', or only one";
      return signalPassFailure();
    }
    FileResolver resolver(files);
    interp::Options options;
    options.resolve = resolveFrom(resolver);
    FailureOr<SmallVector<Tensor>> results = runProgram(program, options);
    if (failed(results))
      return signalPassFailure();
    for (auto [i, result] : llvm::enumerate(*results))
      print(i, result);
    markAllAnalysesPreserved();
  }

private:
  Operation *findProgram() {
    SmallVector<Operation *> programs;
    for (Operation &op : *getOperation().getBody()) {
      if (!isa<func::FuncOp, launch::FuncOp, tile::FuncOp>(op))
        continue;
      if (SymbolTable::getSymbolName(&op) == entry)
        return &op;
      programs.push_back(&op);
    }
    return programs.size() == 1 ? programs[0] : nullptr;
  }

  // Inputs of the given types, or none with a report.
  FailureOr<SmallVector<Tensor>> makeInputs(Operation *op, ArrayRef<Type> types) {
    SmallVector<Tensor> inputs;
    for (Type type : types)
      if (!Tensor::isSupported(type))
        return tw::emitOpError(op, Code::T0702) << "takes " << type << ", which is not held";
    if (failed(Tensor::checkMemory(op, types)))
      return failure();
    for (auto [i, type] : llvm::enumerate(types)) {
      inputs.push_back(makeInput(cast<RankedTensorType>(type), seed, unsigned(i), integers));
    }
    return inputs;
  }

  FailureOr<SmallVector<Tensor>> runProgram(Operation *op, const interp::Options &options) {
    SmallVector<Type> types;
    if (auto func = dyn_cast<func::FuncOp>(op))
      llvm::append_range(types, func.getArgumentTypes());
    else if (auto host = dyn_cast<launch::FuncOp>(op))
      for (unsigned i = 0; i < host.getNumArguments(); ++i)
        types.push_back(cast<launch::BufferType>(host.getArgument(i).getType()).getTensor());
    else
      for (Type type : cast<tile::FuncOp>(op).getBufferTypes().getAsValueRange<TypeAttr>())
        types.push_back(memref::getTensorTypeFromMemRefType(type));
    FailureOr<SmallVector<Tensor>> inputs = makeInputs(op, types);
    if (failed(inputs))
      return failure();
    if (auto func = dyn_cast<func::FuncOp>(op))
      return evaluate(func, *inputs, options);
    if (auto host = dyn_cast<launch::FuncOp>(op))
      return evaluate(host, *inputs, options);
    // A tile program alone: what it does not write keeps its random value.
    auto program = cast<tile::FuncOp>(op);
    if (failed(run(program, *inputs, checkRaces)))
      return failure();
    return SmallVector<Tensor>(ArrayRef(*inputs).take_back(program.getNumOutputs()));
  }

  template <typename T> std::string toText(T value) {
    if constexpr (!isFloat<T>)
      return std::to_string(value);
    std::string text(64, '\0');
    // -0 prints as 0: which zero a sum gives may depend on its order.
    text.resize(std::snprintf(text.data(), text.size(), "%.*g", int(digits),
                              value == T(0) ? 0.0 : double(value)));
    return std::isnan(double(value)) ? "nan" : text;
  }

  void print(size_t number, const Tensor &result) {
    llvm::raw_ostream &os = llvm::outs();
    os << "result " << number << " : " << result.getType() << " =";
    visitStoredType(result.getElementType(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ArrayRef<T> values = result.elements<T>();
      bool isWhole = values.size() <= elements;
      for (T value : values.take_front(isWhole ? values.size() : 8))
        os << ' ' << toText(value);
      if (!isWhole) {
        // The weights keep a permutation of the elements from hiding.
        double sum = 0;
        for (auto [i, value] : llvm::enumerate(values))
          sum += double(value) * double(i % 251 + 1);
        os << " ... weighted sum " << toText(sum);
      }
    });
    os << '\n';
    os.flush();
  }
};

} // namespace
