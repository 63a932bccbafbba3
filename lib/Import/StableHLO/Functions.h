// Elementary functions that importers of several files use.
#pragma once

#include "../Common/Emitter.h"

namespace tw::stablehlo {

/// The angle of the point (x, y), with the signs of zeros.
mlir::Value emitAtan2(importer::Emitter &e, mlir::Value y, mlir::Value x);
/// Whether the bit of the sign is set, of -0 and NaN too.
mlir::Value emitIsNegative(importer::Emitter &e, mlir::Value x);
/// log(1 + x) and exp(x) - 1, exact near 0.
mlir::Value emitLog1p(importer::Emitter &e, mlir::Value x);
mlir::Value emitExpm1(importer::Emitter &e, mlir::Value x);

} // namespace tw::stablehlo
