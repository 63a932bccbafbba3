// State of a model: inputs that are given up, and the outputs that take their memory.
#pragma once

#include "tw/Import/ONNX/ONNX.h"

namespace tw::onnx {

/// Gives inputs of @main away to outputs as `options.aliases` says, with room for all that these
/// come to. Names that the model does not have, and sizes without a largest one, are errors.
mlir::LogicalResult shareState(mlir::ModuleOp module, const ImportOptions &options);

} // namespace tw::onnx
