// Components: tiles that meet in operations and so share one layout.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace tw::threads {

using Shape = llvm::SmallVector<int64_t>;

/// One component: its tiles and the smallest shape into which all of them fit, their frame.
struct Component {
  Shape frame;
  llvm::SmallVector<mlir::Value> tiles;
};

/// Finds the components of a program. Constants, coordinates and masks that are used several times
/// are cloned for each use; where a tile of extent 1 would join tiles of unequal extents, or give
/// the sums of a matrix unit a larger frame than they fill, a `ttile.convert` is put between.
class Components {
public:
  explicit Components(tile::FuncOp func);

  llvm::SmallVector<Component> &all() { return components; }
  Component &of(mlir::Value tile) { return components[numbers.lookup(tile)]; }
  /// A value is in the component of another one; a value goes.
  void addCopy(mlir::Value copy, mlir::Value tile);
  void remove(mlir::Value tile);

private:
  llvm::DenseMap<mlir::Value, unsigned> nodes;
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<unsigned> parents;
  llvm::SmallVector<Shape> frames;
  /// Those whose frames stay as they are.
  llvm::SmallDenseSet<unsigned> closed;
  llvm::SmallVector<Component> components;
  llvm::DenseMap<mlir::Value, unsigned> numbers;

  unsigned add(mlir::Value tile);
  unsigned find(unsigned node);
  /// False if the frames do not fit.
  bool join(mlir::Value a, mlir::Value b);
  /// Joins what an operation reads with `with`, through a conversion if need be.
  void joinOperand(mlir::OpOperand &operand, mlir::Value with);
  void visit(mlir::Operation *op);
};

} // namespace tw::threads
