// Windows: the part of a tensor that a stage reads, copied as it lies there, borders included.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Tile/Tile.h"

namespace tw {

/// Copies the part of a tensor that a window sees, borders included: loops over all dimensions of
/// the buffer but the last one, vectors along that. What lies outside of the tensor is in loops of
/// its own, so that nothing is compared inside; but where the last dimension begins is known to the
/// program only, rows have guards. Where a dimension is in groups, the rows of a group are
/// interleaved.
class WindowCopy {
public:
  /// One dimension: its extent in the buffer and in the tensor, and the coordinate in the tensor of
  /// its first element, between `least` and `most`, on operands that follow the tile's dimension.
  /// `group` elements of it lie together at the end of the buffer, which are all inside or may be
  /// outside one by one.
  struct Dim {
    int64_t extent, whole, least, most;
    mlir::AffineExpr corner;
    int64_t group = 1;
  };

  /// Copies `value`, which is the load or what it is extended to.
  WindowCopy(mlir::OpBuilder &builder, kernel::LoadOp load, mlir::Value value, mlir::Value source,
             mlir::Value buffer, llvm::ArrayRef<Dim> dims, mlir::ValueRange operands, bool isShared)
      : builder(builder), load(load), value(value), location(load.getLoc()), source(source),
        buffer(buffer), dims(dims), operands(operands), isShareLeft(isShared) {}

  void emit() { emit(0, /*inside=*/true); }

private:
  mlir::OpBuilder &builder;
  kernel::LoadOp load;
  mlir::Value value;
  mlir::Location location;
  mlir::Value source, buffer;
  llvm::ArrayRef<Dim> dims;
  mlir::ValueRange operands;
  llvm::SmallVector<mlir::Value> indices;
  bool hasWholeGroups = true;
  /// A team copies, and none of the loops so far is shared.
  bool isShareLeft;

  mlir::Value constant(int64_t number);

  static bool isInside(const Dim &dim);

  /// The first element inside of the tensor, or the first one behind it.
  mlir::Value getBound(const Dim &dim, int64_t coordinate);

  /// Maps are over the tile's dimension as well.
  llvm::SmallVector<mlir::Value> withLane(mlir::ValueRange values);

  /// The loop of a row is the last that a team can share.
  void emitLoop(mlir::Value lower, mlir::Value upper, int64_t step,
                llvm::function_ref<void(mlir::Value)> emitBody, bool isOfRow = false);

  void emit(unsigned d, bool inside);

  /// First the groups that are inside as a whole, then the others under guards.
  void emitGroups(unsigned d, bool inside);

  /// Rows of a group are interleaved in whole vectors: what is left of kRow is in powers of two.
  static int64_t getChunk(int64_t elements, bool isGrouped);

  void emitRow(const Dim &dim, bool inside);

  void move(mlir::Value first, int64_t elements, bool inside);

  /// Of a tensor whose first size a call settles the coordinates are one address, and what may be
  /// outside has guards.
  view::MapAttr linearize(mlir::AffineMap map, mlir::ArrayRef<bool> inBounds);
};

} // namespace tw
