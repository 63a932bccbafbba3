// The interpreter: what programs of every level mean, as numbers.
//
// It is the oracle for the passes and targets, so it shares no code with them: tgraph ops have
// their semantics written out here, independently of their expansion to arith. Floats are computed
// in their own type op by op; sums and products over axes are accumulated in f64 and rounded once,
// so results are at least as exact as those of any schedule.
//
// Nothing here is thread-safe on one Tensor; separate calls on separate data may run in parallel.
// Errors are diagnostics with codes T07xx at the op; poison (an integer division by zero, a shift
// by the width or more, a conversion out of range) is an error, not a value.
#pragma once

#include "tw/Interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

#include <functional>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tw::graph {
class FileAttr;
} // namespace tw::graph
namespace tw::kernel {
class KernelOp;
} // namespace tw::kernel
namespace tw::launch {
class FuncOp;
} // namespace tw::launch
namespace tw::tile {
class FuncOp;
} // namespace tw::tile

namespace tw::interp {

/// Gives the bytes of a `#tgraph.file`, valid as long as the evaluation and its results. On failure
/// it may have reported why; the interpreter adds an error at the op.
using ConstantResolver = std::function<llvm::FailureOr<llvm::ArrayRef<char>>(graph::FileAttr)>;

struct Options {
  ConstantResolver resolve;
  /// Called after each op of a function that yields tensors, and after each launch with the tensors
  /// written.
  std::function<void(mlir::Operation *, llvm::ArrayRef<Tensor>)> observe;
};

/// Runs a function of tgraph, tview and tkernel ops in any mixture on inputs of its argument types.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluate(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> inputs, const Options &options = {});

/// Runs one kernel, point form.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluate(kernel::KernelOp kernel,
                                                    llvm::ArrayRef<Tensor> operands);

/// Runs a host program with its kernels and constants, which are symbols of the module around it.
llvm::FailureOr<llvm::SmallVector<Tensor>>
evaluate(launch::FuncOp func, llvm::ArrayRef<Tensor> inputs, const Options &options = {});

/// Runs a tile program over its whole grid, on buffers in place: first those read, then those
/// written, with the shapes and element types of its memrefs. With `checkRaces`, each element of
/// memory remembers which thread read and wrote it since the last barrier (threads follow from the
/// layouts of tiles, in which only the first of several copies is stored; a tile without a layout
/// belongs to thread 0), and a race is an error. `observe` is told of each access of memory that
/// runs: the op, and for each element that it touches the thread and the element's number.
using ObserveAccess = std::function<void(
    mlir::Operation *op, llvm::ArrayRef<std::pair<int64_t, int64_t>> threadsAndElements)>;
llvm::LogicalResult run(tile::FuncOp func, llvm::MutableArrayRef<Tensor> buffers,
                        bool checkRaces = false, const ObserveAccess &observe = nullptr);

/// The value of a tensor that depends on constants only, through tgraph, tview and tkernel ops;
/// failure without a diagnostic if it depends on anything else, or if it or a value on the way,
/// file constants included, is larger than `maxBytes`.
llvm::FailureOr<mlir::DenseElementsAttr>
evaluateConstant(mlir::Value value, const Options &options = {}, int64_t maxBytes = 1 << 20);

} // namespace tw::interp
