// What a rule works with: the cotangents of an op's results, and those of its operands as they
// come.
#pragma once

#include "../PartsBuilder.h"
#include "tw/Dialect/Graph/Derivatives.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/MapVector.h"

namespace tw::graph {

/// A null cotangent is zero everywhere.
class Adjoint : public PartsBuilder {
public:
  /// The cotangents of values that the outputs, in the block of the builder, depend on by way of
  /// it.
  using PullBack = llvm::function_ref<llvm::FailureOr<llvm::SmallVector<mlir::Value>>(
      llvm::ArrayRef<mlir::Value> outputs, llvm::ArrayRef<mlir::Value> cotangents,
      llvm::ArrayRef<mlir::Value> inputs)>;

  Adjoint(mlir::OpBuilder &builder, mlir::Operation *op, llvm::ArrayRef<mlir::Value> cotangents,
          llvm::function_ref<bool(mlir::Value)> isActive, PullBack pullBack, Replaced replaced)
      : PartsBuilder{builder, op->getLoc()}, isActive(isActive), pullBack(pullBack),
        replaced(replaced), op(op), results(cotangents) {}

  /// The cotangent of the only result, which is not zero.
  mlir::Value g() const { return results.front(); }
  /// Those of all results.
  llvm::ArrayRef<mlir::Value> getCotangents() const { return results; }
  /// Whether anybody asks for the operand's cotangent.
  bool needs(unsigned operand) const { return isActive(op->getOperand(operand)); }
  /// Adds to the operand's cotangent, of the operand's type.
  void give(unsigned operand, mlir::Value cotangent) { giveTo(op->getOperand(operand), cotangent); }
  /// The same for a value that a region of the op uses.
  void giveTo(mlir::Value value, mlir::Value cotangent) {
    mlir::Value &sum = given[value];
    sum = sum ? add(sum, cotangent) : cotangent;
  }
  const llvm::MapVector<mlir::Value, mlir::Value> &getGiven() const { return given; }

  llvm::function_ref<bool(mlir::Value)> isActive;
  PullBack pullBack;
  Replaced replaced;

  /// Values before an op take the place of its results.
  void replace(mlir::Operation *old, mlir::ValueRange values) {
    replaced(old, values);
    old->replaceAllUsesWith(values);
  }

  /// Reports what a rule cannot do.
  llvm::LogicalResult fail(const llvm::Twine &why) {
    return tw::emitOpError(op, Code::T0220) << "has no derivative that is known: " << why;
  }

  // Of tensors of one type.

  mlir::Value add(mlir::Value a, mlir::Value b) { return same<AddOp>({a, b}); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return same<SubOp>({a, b}); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return same<MulOp>({a, b}); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return same<DivOp>({a, b}); }
  mlir::Value neg(mlir::Value a) { return same<NegOp>({a}); }
  mlir::Value constant(mlir::Value beside, double value) {
    return real(shapeOf(beside), elementOf(beside), value);
  }
  mlir::Value scaled(mlir::Value a, double factor) { return mul(a, constant(a, factor)); }
  mlir::Value zero(mlir::Value beside) { return constant(beside, 0); }
  /// 1 - a * a, without the cancellation near 1.
  mlir::Value oneMinusSquare(mlir::Value a) {
    mlir::Value one = constant(a, 1);
    return mul(sub(one, a), add(one, a));
  }
  /// `a` where the predicate holds between x and y, else 0.
  mlir::Value where(ComparePredicate predicate, mlir::Value x, mlir::Value y, mlir::Value a) {
    return select(compare(predicate, x, y), a, zero(a));
  }

  // Shapes.

  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dims) {
    return dims.empty() ? x : ReduceOp::create(builder, loc, CombineKind::Add, x, dims).getResult();
  }
  /// `x`, which lacks `dims` of `shape`, repeated along them.
  mlir::Value repeatAlong(mlir::Value x, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<Dim> shape);
  /// `stride - 1` zeros between the elements of a dimension of known size.
  mlir::Value dilate(mlir::Value x, int64_t dim, int64_t stride);

private:
  mlir::Operation *op;
  llvm::SmallVector<mlir::Value> results;
  llvm::MapVector<mlir::Value, mlir::Value> given;
};

void addUnaryDerivatives(DerivativeRules &rules);
void addBinaryDerivatives(DerivativeRules &rules);
void addCompositeDerivatives(DerivativeRules &rules);
void addContractionDerivatives(DerivativeRules &rules);
void addMovementDerivatives(DerivativeRules &rules);
void addReductionDerivatives(DerivativeRules &rules);
void addGatherDerivatives(DerivativeRules &rules);
void addControlDerivatives(DerivativeRules &rules);
void addAssociativeScanDerivatives(DerivativeRules &rules);

} // namespace tw::graph
