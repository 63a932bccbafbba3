// Sizes of main's arguments that a program leaves open.
#pragma once

#include "tw/Import/ONNX/Generalize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::stablehlo {

/// The arguments of main, called `names`, and their dimensions. Open ones are what jax.export says
/// of them, as far as it does; others are symbols of their own, "x.0" and so on.
std::vector<onnx::InputSizes> readSizes(mlir::func::FuncOp main,
                                        llvm::ArrayRef<llvm::StringRef> names);

/// Whether an op is an assertion about sizes, which gives nothing: its operand 0 has to be true.
bool isAssertion(mlir::Operation &op);
/// What it says where it does not hold.
llvm::StringRef messageOf(mlir::Operation &assertion);

/// Which operands of a call stand for which attributes of an op: jax.export calls ops that
/// StableHLO has for known sizes alone by the name of a target, with those sizes behind the other
/// operands.
struct SizedCall {
  llvm::StringLiteral target, op;
  llvm::ArrayRef<llvm::StringLiteral> attributes;
};
/// The one that an op is, or null.
const SizedCall *findSizedCall(mlir::Operation &op);
/// The op that such a call stands for, without a place in a block: its caller destroys it. `known`
/// are the values of its last operands. Its region is the function that the call names, if any.
mlir::Operation *makeSized(mlir::Operation &call, const SizedCall &as,
                           llvm::ArrayRef<mlir::DenseElementsAttr> known, mlir::ModuleOp module);

} // namespace tw::stablehlo
