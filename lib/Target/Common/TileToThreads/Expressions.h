// Index expressions over scalars of a program and the number of the thread, and their code.
#pragma once

#include "tw/Layout/IndexMap.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <optional>
#include <vector>

namespace tw::threads {

/// What stands for the dims of expressions: values of type index with their ranges.
struct Dims {
  std::vector<layout::Range> ranges;
  llvm::SmallVector<mlir::Value> values;
  /// How many loops a value changes in: what is computed outside of loops is added first.
  llvm::SmallVector<unsigned> depths;

  unsigned add(mlir::Value value, layout::Range range, unsigned depth);
};

/// Conditions of which all must hold, simplified: those that always hold are left out.
struct Mask {
  bool never = false;
  std::vector<layout::Constraint> constraints;

  bool always() const { return !never && constraints.empty(); }
  bool operator==(const Mask &) const = default;
  void require(layout::Constraint constraint, layout::DimRanges ranges);
  void require(const Mask &other);
  /// 0 <= expr < extent.
  void requireInside(const layout::Expr &expr, int64_t extent, layout::DimRanges ranges);
};

/// The largest power of two, at most `limit`, that divides every value of the expression.
int64_t getAlignment(const layout::Expr &expr, layout::DimRanges ranges, int64_t limit);

/// Emits expressions at the builder's place. What was emitted once is used again, so one emitter
/// serves one place.
class ExprEmitter {
public:
  ExprEmitter(mlir::OpBuilder &builder, mlir::Location location, const Dims &dims)
      : builder(builder), location(location), dims(dims) {}

  mlir::Value emit(const layout::Expr &expr);
  /// An i1.
  mlir::Value emit(const layout::Constraint &constraint);
  /// An i1, or null for a mask that always holds.
  mlir::Value emit(const Mask &mask);
  mlir::Value constant(int64_t value);

private:
  struct Less {
    bool operator()(const layout::Expr &a, const layout::Expr &b) const {
      return compare(a, b) < 0;
    }
  };

  mlir::OpBuilder &builder;
  mlir::Location location;
  const Dims &dims;
  std::map<layout::Expr, mlir::Value, Less> known;
  llvm::SmallVector<std::pair<Mask, mlir::Value>> masks;

  mlir::Value emitPiece(const layout::Piece &piece);
  /// floor(operand / divisor), or operand mod divisor.
  mlir::Value divide(mlir::Value operand, int64_t divisor, bool isNatural, bool remainder);
  unsigned depthOf(const layout::Expr &expr) const;
};

} // namespace tw::threads
