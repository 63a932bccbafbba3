// Parts of graph-bound-counts: what stands behind a count, and who says that a call counts too few.
#pragma once

#include "../PartsBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::graph {

/// What stands behind the count, so that it does not change the result of an op.
enum class Fill { Zero, One, Least, Greatest, Last, Nowhere };

/// What changes nothing that is combined with it.
Fill getIdentity(CombineKind kind);

mlir::Value makeFill(PartsBuilder &p, llvm::ArrayRef<Dim> shape, mlir::Type element, Fill fill);

/// Whether both are one value, or are computed alike of such.
bool areEqual(mlir::Value a, mlir::Value b, unsigned depth = 0);

/// The first of the results that has a dimension, by which a call may say that there are too few
/// elements, and the dimension; an error where there is none.
mlir::FailureOr<std::pair<unsigned, int64_t>> findTeller(mlir::func::FuncOp function,
                                                         mlir::ValueRange results);

/// Says that an op counts fewer of a size in a branch or a loop than the program needs, where
/// nothing behind it can say so.
mlir::LogicalResult refuseInRegion(mlir::Operation *count, llvm::StringRef symbol, int64_t least);

} // namespace tw::graph
