// Operands that matrix units read in local memory: which can be, and how they are laid out there.
#pragma once

#include "UnitLayouts.h"

#include "llvm/ADT/SetVector.h"

namespace tw::threads {

class LocalOperands {
public:
  /// Why a unit cannot read the product's operand where it was loaded from; empty if it can.
  /// `along`: the dimension that rows have to run along.
  static std::string check(tile::MmaOp op, mlir::Value operand, std::optional<unsigned> along);

  /// The unit is to read the operand, which was checked, in place: by a load of its own, which
  /// stands before the product.
  void add(mlir::OpOperand &operand, Components &components);

  /// Lays out the memory of what was added in runs, for all that access it; rings in rows whose
  /// runs trade places, where boxes of tensors can fill these and the chip copies such.
  void place(tile::FuncOp func, bool copiesBoxes);

private:
  llvm::SmallSetVector<mlir::Operation *, 4> allocations;
};

/// Memory of three dimensions or more, of which the last two are rows and columns, gets parts of so
/// many columns: `(.., column floordiv width, row, column mod width)`. For all that access it.
void accessParts(tile::AllocOp alloc, int64_t width);

/// Lets products that a loop over a ring adds to sums go on while its next step begins.
void openProducts(tile::FuncOp func);

/// Where subgroups are to load that do nothing else: has the others release slots, instead of
/// meeting before these are filled. Says on the program why not where it does not.
void releaseSlots(tile::FuncOp func);

} // namespace tw::threads
