// From the front end's handles to MLIR and back, for those who use both.
#pragma once

#include "tw/Frontend/Frontend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace tw::fe {

/// A module in a context that has the dialects loaded (tw::prepareContext) and outlives it. Errors
/// go to the context's handlers.
Module makeModule(mlir::MLIRContext &context);
/// The same of a program that is there; new functions are added to its end.
Module makeModule(mlir::OwningOpRef<mlir::ModuleOp> program);

/// The program, which stays the module's.
mlir::ModuleOp getModule(const Module &module);
/// Takes it away; the module and its values are not used afterwards.
mlir::OwningOpRef<mlir::ModuleOp> takeModule(Module &module);

mlir::func::FuncOp getFunction(const Function &function);
/// Null where the value is none.
mlir::Value unwrap(const Value &value);
/// A tensor of the function.
Value wrap(const Function &function, mlir::Value value);

} // namespace tw::fe
