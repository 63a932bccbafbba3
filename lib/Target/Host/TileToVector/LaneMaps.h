// Affine expressions over the lanes of one part: what is the same in all lanes, what grows by a
// constant from lane to lane, and masks.
#pragma once

#include "Parts.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/IntegerSet.h"

#include <optional>

namespace tw::host {

/// Which lanes of a part take part: the conjunction of a condition for all lanes and one per lane.
struct LaneMask {
  /// No lane does.
  bool never = false;
  /// i1, or null for true.
  mlir::Value uniform;
  /// A vector of i1, or null for all lanes.
  mlir::Value varying;
  /// That vector lets through the lanes before each of these, over the bound dimensions; with
  /// `isOther` it is more than that.
  llvm::SmallVector<mlir::AffineExpr, 1> ends;
  bool isOther = false;

  bool always() const { return !never && !uniform && !varying; }
};

/// Evaluates expressions over (tile coordinates, index operands) for one part.
class LaneMaps {
public:
  /// `indices` are values of type index or vectors of as many lanes as the part has.
  /// Of the points along the last dimension of the tile, `sureLanes` from the first one are inside
  /// whatever a mask asks of them.
  LaneMaps(mlir::OpBuilder &builder, mlir::Location location, const Part &part,
           llvm::ArrayRef<mlir::Value> indices, int64_t sureLanes = 0);

  /// A value per lane: coefficient * lane + rest, rest the same in all lanes.
  struct Linear {
    int64_t coefficient = 0;
    /// Over the bound dimensions, without the lane.
    mlir::AffineExpr rest;
  };

  /// Replaces tile coordinates by what this part knows of them: dimension 0 of the result is the
  /// lane, dimension 1 + i index operand i.
  mlir::AffineExpr bind(mlir::AffineExpr expression) const;
  /// The linear form of a bound expression; none if it needs a value per lane.
  std::optional<Linear> linear(mlir::AffineExpr bound) const;
  /// The value (type index) of a bound expression without lanes.
  mlir::Value scalar(mlir::AffineExpr bound);
  /// The value of a bound expression in every lane (a scalar index if the part is one).
  mlir::Value perLane(mlir::AffineExpr bound);

  /// Adds to `mask` that a bound expression is >= 0 or == 0.
  void require(LaneMask &mask, mlir::AffineExpr bound, bool equality);
  /// Adds that 0 <= bound < extent.
  void requireInside(LaneMask &mask, mlir::AffineExpr bound, int64_t extent);
  /// Adds every constraint of an unbound set.
  void require(LaneMask &mask, mlir::IntegerSet set);
  void require(LaneMask &mask, const LaneMask &other);
  /// Adds that the lane is inside the tile.
  void requireValid(LaneMask &mask);
  /// The mask as one value: i1 for a scalar part, else a vector.
  mlir::Value materialize(const LaneMask &mask);

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  const Part &part;
  llvm::ArrayRef<mlir::Value> indices;
  bool isSure;

  mlir::Value laneConstants(int64_t coefficient, mlir::Type element);
  void addUniform(LaneMask &mask, mlir::Value condition);
  /// With an end, the condition is that a lane is before it.
  void addVarying(LaneMask &mask, mlir::Value condition, mlir::AffineExpr end = {});
};

} // namespace tw::host
