// tview ops on tensors.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Dialect/View/View.h"
#include "tw/Interpreter/Tensor.h"

namespace tw::interp {

/// The tensor read through a map, as `#tview.map` says.
Tensor readThrough(const Tensor &source, view::MapAttr map, mlir::RankedTensorType type);

} // namespace tw::interp
