// What may have been meant by a name that MLIR does not know.
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tw {

/// Appends "; did you mean 'tgraph.softmax'?" to MLIR's own errors of unknown ops, dialects,
/// attributes and types, passes, and options of passes, where a name is near. Others stay as they
/// are.
void suggest(mlir::Diagnostic &diagnostic);

} // namespace tw
