// Fragments of matrix units among the registers of a thread.
#pragma once

#include "Emitter.h"
#include "UnitLayouts.h"

namespace tw::threads {

/// The numbers of the registers that are the fragment whose first element is at a row and a column
/// of the tile; nothing if the thread does not have all of it.
std::optional<llvm::SmallVector<unsigned>>
locateFragment(const ThreadTile &tile, const MatrixFragment &fragment, const UnitSide &rows,
               const UnitSide &columns, int64_t row, int64_t column);

/// Registers that are a fragment, one behind the other, as the arguments of an instruction.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &builder, mlir::Location location,
                                         const MatrixFragment &fragment, mlir::Type element,
                                         mlir::ValueRange registers);

} // namespace tw::threads
