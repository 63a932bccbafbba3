// Writing a schedule for a program of one thread, primitive by primitive.
#pragma once

#include "tw/Schedule/AxisGroups.h"

namespace tw::schedule::host {

/// Collects the parts of a schedule; `finish` puts them in an order that is legal.
class ListBuilder {
public:
  explicit ListBuilder(kernel::KernelOp kernel) : kernel(kernel) {}

  llvm::SmallVector<mlir::StringAttr> grid, order, tile;

  /// The run as one axis; returns its name.
  mlir::StringAttr merge(const AxisGroup &run);
  /// Splits an axis of `extent` points; returns the names of the parts, the outer one first. Where
  /// the factors do not divide it, the last, partial iteration is peeled off.
  llvm::SmallVector<mlir::StringAttr> split(mlir::StringAttr axis, int64_t extent,
                                            llvm::ArrayRef<int64_t> factors);
  /// Puts the axis into the tile: all of it, or a part of `width` points with a loop over the
  /// parts.
  void tileBy(mlir::StringAttr axis, int64_t extent, int64_t width);
  /// Splits an axis by named parts, the outer one first; one part that covers the axis, or none,
  /// leaves it whole, unless it is padded to that part. Returns the names of what is there now.
  /// `edge` says what happens at the end of an axis that they do not divide.
  llvm::SmallVector<mlir::StringAttr>
  divide(unsigned axis, llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> inner,
         kernel::EdgeMode edge = kernel::EdgeMode::Peel);
  /// Copies the op's value, for every program (`global`) or in each of them, with these dimensions
  /// or as the window of memory that a program sees; in each iteration of `loop` if there is one.
  /// The op is given a name if it has none.
  void stage(mlir::Operation *op, llvm::StringRef base, llvm::ArrayRef<mlir::StringAttr> dims,
             bool global, bool window = false, mlir::StringAttr loop = {});
  /// Extends the operands of the contraction, which is given a name if it has none.
  void widen(kernel::ContractOp contract);
  /// The part of a reduced axis is the group of dot instructions.
  void contract(mlir::StringAttr group);
  /// The axis by its own name.
  mlir::StringAttr name(unsigned axis) const;
  /// Keeps the op's value at the place; the op is given a name if it has none.
  void keep(mlir::Operation *op, kernel::KeepPlace place, llvm::StringRef base = "kept");
  /// Lets reductions over the loop's axis advance together; leaves out what is masked of an axis.
  void online(mlir::StringAttr loop);
  void skip(mlir::StringAttr axis);
  /// Computes the reduction in parts of the axis; it is given a name if it has none.
  void factor(mlir::Operation *reduction, mlir::StringAttr axis, int64_t length);
  void stream(kernel::StreamAttr stream);
  /// Fetches what the next program loads, or elements so far ahead; the load is given a name if it
  /// has none.
  void prefetch(mlir::Operation *load, int64_t ahead = 0);
  void unroll(mlir::StringAttr loop);

  kernel::ScheduleAttr finish();

private:
  mlir::StringAttr nameValue(mlir::Operation *op, llvm::StringRef base);
  mlir::StringAttr makeName(llvm::StringRef base);

  kernel::KernelOp kernel;
  llvm::SmallVector<mlir::Attribute> merges, splits, rest, edges;
  /// Names that the primitives give.
  llvm::SmallVector<mlir::StringAttr> given;
};

} // namespace tw::schedule::host
