// tgraph ops on tensors, by category; their semantics written out, sharing nothing with the
// expansion of the ops to arith.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "../TypeSwitch.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Interpreter.h"

#include <array>
#include <limits>

namespace tw::interp {

/// Each yields the result of an op of its category, and an empty tensor for any other op.
Tensor evaluateUnary(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateBinary(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateCompare(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateMovement(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateContraction(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateReduction(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateGather(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
Tensor evaluateComposite(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
/// arg_sort and random.
Tensor evaluateOrder(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
/// The elements of the source at the same coordinates of the result, as far as both reach.
void copyInto(const Tensor &source, Tensor &result);

/// Of the results of a function what callers see, each cut to as many elements as those that count
/// say; at least none, and at most all.
mlir::FailureOr<llvm::SmallVector<Tensor>>
takeCounted(mlir::Location loc, llvm::ArrayRef<Tensor> results,
            llvm::ArrayRef<llvm::ArrayRef<int64_t>> counts);

/// Constants and iota. Fails, with a report, where the bytes of a constant cannot be had.
llvm::FailureOr<Tensor> evaluateConstantOp(mlir::Operation *op, const Options &options);

/// The value of a constant of `op`: elements, or the bytes of a file.
llvm::FailureOr<Tensor> readConstant(mlir::Operation *op, mlir::Attribute value,
                                     mlir::RankedTensorType type, const Options &options);

/// Any op of tgraph. Operands are static and held; fails with a report.
llvm::FailureOr<Tensor> evaluateGraphOp(mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
                                        const Options &options);

/// Whether the op is a branch or a loop.
bool isControl(mlir::Operation *op);
/// A branch or a loop; `run` gives what a region yields for its arguments. Fails with a report.
llvm::FailureOr<llvm::SmallVector<Tensor>> evaluateControl(
    mlir::Operation *op, llvm::ArrayRef<Tensor> operands,
    llvm::function_ref<llvm::FailureOr<llvm::SmallVector<Tensor>>(mlir::Region &,
                                                                  llvm::ArrayRef<Tensor>)>
        run);

inline mlir::RankedTensorType resultType(mlir::Operation *op) {
  return mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
}

/// The result of `f` on the elements of the operands, elementwise.
template <typename R, typename F, typename... A>
Tensor mapElements(mlir::RankedTensorType type, F f, llvm::ArrayRef<A>... operands) {
  Tensor result = Tensor::allocate(type);
  llvm::MutableArrayRef<R> out = result.elements<R>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(operands[i]...);
  return result;
}

/// Calls `body` with K offsets for each point of `shape` in row-major order: offset k is
/// `starts[k]` plus the coordinates weighted by `strides[k]`.
template <size_t K, typename F>
void forEachPoint(llvm::ArrayRef<int64_t> shape,
                  const std::array<llvm::SmallVector<int64_t>, K> &strides,
                  std::array<int64_t, K> offsets, F &&body) {
  if (llvm::is_contained(shape, 0))
    return;
  if (shape.empty()) {
    body(offsets);
    return;
  }
  int64_t last = int64_t(shape.size()) - 1;
  llvm::SmallVector<int64_t> coordinates(shape.size(), 0);
  while (true) {
    std::array<int64_t, K> inner = offsets;
    for (int64_t i = 0; i < shape[last]; ++i) {
      body(inner);
      for (size_t k = 0; k < K; ++k)
        inner[k] += strides[k][last];
    }
    int64_t d = last - 1;
    for (; d >= 0; --d) {
      bool isInside = ++coordinates[d] < shape[d];
      for (size_t k = 0; k < K; ++k)
        offsets[k] += strides[k][d] * (isInside ? 1 : 1 - shape[d]);
      if (isInside)
        break;
      coordinates[d] = 0;
    }
    if (d < 0)
      return;
  }
}

/// Smaller and greater value: NaN where either is NaN, -0 below +0.
template <typename T> T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return std::numeric_limits<T>::quiet_NaN();
    if (a == 0 && b == 0)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <typename T> T greater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return std::numeric_limits<T>::quiet_NaN();
    if (a == 0 && b == 0)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

/// Sum and product: integers wrap; of bools exclusive or, and.
template <typename T> T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a != b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
template <typename T> T product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

/// What sums and products of many `T` are accumulated in.
template <typename T> using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;

} // namespace tw::interp
