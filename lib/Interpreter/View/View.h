// tview ops on tensors.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Dialect/View/View.h"
#include "tw/Interpreter/Tensor.h"

namespace tw::interp {

int64_t evaluate(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> dims);
bool holds(mlir::IntegerSet set, llvm::ArrayRef<int64_t> dims);
/// The tensor read through a map, as `#tview.map` says.
Tensor readThrough(const Tensor &source, view::MapAttr map, mlir::RankedTensorType type);

} // namespace tw::interp
