// Building of tgraph ops: creation that reports instead of aborting, broadcasting, splats.
#pragma once

#include "tw/Dialect/Graph/Graph.h"

#include "mlir/IR/Builders.h"

namespace tw::graph {

/// Creates an op from operands and attributes that may not fit each other, as an importer has them.
/// The result type is inferred; on failure a diagnostic is emitted at `loc` and nothing is created.
/// (OpTy::create with an inferred type aborts the process in that case.)
template <typename OpTy>
mlir::FailureOr<OpTy> createChecked(mlir::OpBuilder &builder, mlir::Location loc,
                                    mlir::ValueRange operands,
                                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  mlir::OperationState state(loc, OpTy::getOperationName());
  state.addOperands(operands);
  state.addAttributes(attributes);
  auto emit = [&] { return mlir::emitError(loc); };
  mlir::OpaqueProperties properties = &state.getOrAddProperties<typename OpTy::Properties>();
  if (mlir::failed(state.name.setOpPropertiesFromAttribute(
          state.name, properties, state.attributes.getDictionary(builder.getContext()), emit)))
    return mlir::failure();
  state.attributes = {};
  if (mlir::failed(OpTy::inferReturnTypes(builder.getContext(), loc, operands, {}, properties, {},
                                          state.types)))
    return mlir::failure();
  return mlir::cast<OpTy>(builder.create(state));
}

/// `value` repeated to `type`: dimension i of `value` becomes dimension `dims[i]` of the result,
/// all others are new. `dims` ascends; sizes agree or are 1. A reshape and an expand, where needed.
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType type);

/// A tensor of `type` (floats or integers) with `value`, rounded to the element type, everywhere. A
/// symbolic shape is reached by an expand.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                  double value);

} // namespace tw::graph
