// Layouts of what matrix units multiply.
#pragma once

#include "BaseLayout.h"
#include "tw/Target/Common/Instructions.h"

namespace tw::threads {

/// The dimensions of tiles that a unit's rows, columns and depth are. Columns are the later one of
/// the two that the operands vary along, where neighbours in memory are: those of most units are in
/// neighbouring lanes.
struct UnitDims {
  unsigned rows, columns, depth;
  /// The right operand has the rows.
  bool isSwapped = false;
};

/// Nothing if the operands do not vary along one dimension each beside the group.
std::optional<UnitDims> findUnitDims(tile::MmaOp op);

/// A fragment repeated over a tile. `rows` and `columns` are dimensions of the tile, the fragment
/// being one of `fragmentRows` by `fragmentColumns`; subgroups that number one of them get blocks
/// of it, and copies along other dimensions.
layout::TileLayout makeUnitLayout(llvm::ArrayRef<int64_t> shape, const MatrixFragment &fragment,
                                  std::pair<unsigned, int64_t> rows,
                                  std::pair<unsigned, int64_t> columns,
                                  llvm::ArrayRef<std::optional<unsigned>> warpDims);

/// The units of a program's products, and the layouts that components must have for them.
class UnitAssignment {
public:
  UnitAssignment(Components &components, llvm::StringRef chip, const ThreadShape &threads)
      : components(components), chip(chip), threads(threads) {}

  /// Names the units. Operands that cannot have the layout of a fragment are converted to it.
  mlir::LogicalResult run(tile::FuncOp func);

  /// The layout that the component must have; null if it may have any.
  const layout::TileLayout *find(const Component &component) const;
  /// Results of conversions, which are in no component.
  llvm::ArrayRef<std::pair<mlir::Value, layout::TileLayout>> getConverted() const {
    return converted;
  }

private:
  Components &components;
  llvm::StringRef chip;
  const ThreadShape &threads;
  llvm::SmallVector<std::pair<const Component *, layout::TileLayout>> required;
  llvm::SmallVector<std::pair<mlir::Value, layout::TileLayout>> converted;

  mlir::LogicalResult assign(tile::MmaOp op);
  /// Whether the component of the tile has the layout from now on.
  bool require(mlir::Value tile, const layout::TileLayout &layout);
};

} // namespace tw::threads
