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

/// A side of a unit along a dimension of a tile, and how repetitions share the dimension out. Of
/// `turns` repetitions each has `together` neighbours in turn, so that a thread, which holds as
/// many of every repetition, reads them at once; turns of 1 are blocks of the unit's extent one
/// behind the other. All are powers of two. Sums run over all of the depth, and rows and columns of
/// the sums are shared out as the operands' are: the order is free.
struct UnitSide {
  unsigned dim;
  int64_t extent;
  int64_t together = 1, turns = 1;

  /// Where in the tile the point is that the units, one behind the other, have there. Linear over
  /// bits.
  int64_t place(int64_t point) const {
    int64_t own = point % extent, unit = point / extent;
    return own % together +
           together *
               (unit % turns + turns * (own / together + extent / together * (unit / turns)));
  }
};

/// The block of a unit that begins at a row and a column of a tile.
struct UnitBlock {
  UnitSide rows, columns;
  int64_t row, column;
};

/// How many neighbours along its rows or its columns a thread has of a fragment.
int64_t countTogether(const MatrixFragment &fragment, bool alongRows);

/// The side that the operand with this layout was given.
UnitSide findUnitSide(const layout::TileLayout &layout, const MatrixFragment &fragment,
                      unsigned dim, int64_t extent, bool alongRows);

/// A fragment repeated over a tile. `rows` and `columns` are those of the fragment; subgroups that
/// number one of their dimensions get blocks of it, and copies along other dimensions.
layout::TileLayout makeUnitLayout(llvm::ArrayRef<int64_t> shape, const MatrixFragment &fragment,
                                  const UnitSide &rows, const UnitSide &columns,
                                  llvm::ArrayRef<std::optional<unsigned>> warpDims);

class LocalOperands;

/// The units of a program's products, and the layouts that components must have for them.
class UnitAssignment {
public:
  UnitAssignment(Components &components, llvm::StringRef chip, const ThreadShape &threads)
      : components(components), chip(chip), threads(threads) {}

  /// Names the units. Operands that cannot have the layout of a fragment are converted to it; those
  /// of units that read local memory are laid out there.
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
  /// The products that units take.
  llvm::SmallVector<tile::MmaOp> products;

  /// A unit that reads local memory, and the layouts of what is in registers: the sums and, where
  /// it is not in local memory, the left operand.
  struct LocalPlan {
    const MatrixUnit *unit;
    layout::TileLayout sums;
    std::optional<layout::TileLayout> left;
  };

  mlir::LogicalResult assign(tile::MmaOp op, LocalOperands &operands);
  /// The products whose operand is what is computed of the sums, or the other way round.
  llvm::SmallVector<tile::MmaOp> findChained(tile::MmaOp op, const UnitDims &dims);
  /// A plan, if a unit can have the product; else why not, or nothing if the chip has none.
  std::optional<LocalPlan> planLocal(tile::MmaOp op, const UnitDims &dims, std::string &why);
  bool assignLocal(tile::MmaOp op, const UnitDims &dims, LocalOperands &operands, std::string &why);
  /// Whether the component of the tile can have the layout, and has it from now on.
  bool allows(mlir::Value tile, const layout::TileLayout &layout);
  bool require(mlir::Value tile, const layout::TileLayout &layout);
};

} // namespace tw::threads
