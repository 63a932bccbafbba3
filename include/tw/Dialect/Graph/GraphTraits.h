// Traits that verify what tgraph ops have in common, with the types in the message.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace tw::graph {

namespace detail {
llvm::LogicalResult verifyDeclaredSymbols(mlir::Operation *op);
llvm::LogicalResult verifyEqualTypes(mlir::Operation *op);
llvm::LogicalResult verifyInferredResult(mlir::Operation *op);
} // namespace detail

/// Every dynamic dimension of the op's tensors is symbolic, and the enclosing function declares the
/// symbols.
template <typename ConcreteOp>
struct DeclaredSymbols : mlir::OpTrait::TraitBase<ConcreteOp, DeclaredSymbols> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyDeclaredSymbols(op);
  }
};

/// All operands have the type of the one result.
template <typename ConcreteOp>
struct EqualTypes : mlir::OpTrait::TraitBase<ConcreteOp, EqualTypes> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyEqualTypes(op);
  }
};

/// The one result has the type that the op's InferTypeOpInterface gives.
template <typename ConcreteOp>
struct InferredResult : mlir::OpTrait::TraitBase<ConcreteOp, InferredResult> {
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return detail::verifyInferredResult(op);
  }
};

} // namespace tw::graph
