// What is known of indices where an op of a tile program runs.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/Algebra.h"

#include "llvm/ADT/DenseMap.h"

namespace tw::tile {

/// `expr >= 0` for a point of a tile, over its coordinates and then the indices.
struct Comparison {
  mlir::AffineExpr expr;
  mlir::RankedTensorType tile;
  mlir::ValueRange indices;
};

/// What the op compares point by point: guards and, where they are not marked as proved, bounds of
/// a load or store; the set of `ttile.inside`; what `arith.cmpi` compares of two tiles of indices
/// by order. Equalities are left out.
void forEachComparison(mlir::Operation *op, llvm::function_ref<void(const Comparison &)> function);

/// The values that an index takes where an op runs, if they are bounded.
std::optional<view::DimRange> getIndexRange(mlir::Value index, mlir::Operation *at);

/// Ranges of indices, and inequalities between them: loops run from their lower bound to their
/// upper one, branches where their condition holds, a maximum is no less than its operands.
class IndexFacts {
public:
  explicit IndexFacts(mlir::Operation *at);

  /// A comparison as `scalar + lanes >= 0`: a sum of numbered indices, and the range of what
  /// depends on the tile's coordinates. Nothing if it does not come apart so.
  struct Form {
    layout::Expr scalar;
    layout::Range lanes;
  };
  std::optional<Form> getForm(const Comparison &comparison);

  /// Whether the comparison holds for all points of the tile, or for none.
  layout::Truth decide(const Comparison &comparison);

  /// Whether an index is known to be no more than another one.
  bool isAtMost(mlir::Value low, mlir::Value high);

  /// The number of an index in forms, and all indices in the order of their numbers.
  unsigned getNumber(mlir::Value index);
  mlir::ArrayRef<mlir::Value> getIndices() const { return indices; }
  static unsigned getFirstNumber();

private:
  layout::Expr resolve(mlir::Value index);
  std::optional<layout::Expr> resolve(mlir::AffineMap map, mlir::ValueRange operands);
  void addCondition(mlir::arith::CmpIOp condition, bool holds);
  void addRests();
  void addLowerBounds(const layout::Expr &value, mlir::Value bound);
  void addUpperBounds(const layout::Expr &value, mlir::Value bound);
  void add(layout::Expr expr);
  bool isKnown(layout::Expr expr);

  mlir::Operation *at;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<mlir::Value> indices;
  std::vector<layout::Range> ranges;
  /// Each is at least 0.
  llvm::SmallVector<layout::Expr> facts;
  /// Of these, as they were before they were simplified.
  llvm::SmallVector<layout::Expr> withQuotients;
};

} // namespace tw::tile
