// Index maps of the IR as algebra: simplification by extents, composition, ranges.
//
// The mathematics is lib/Layout; these functions carry affine maps, sets and #tview.map over and
// back. An extent below 0 means that nothing is known of the dim. Whatever the algebra cannot
// express (symbols, products of dims, divisors that are not positive constants, coefficients beyond
// 2^40) is left as it is.
#pragma once

#include "tw/Dialect/View/View.h"
#include "tw/Layout/IndexMap.h"

namespace tw::view {

/// An equal map where each dim i is in [0, extents[i]): divisions and remainders that the extents
/// decide are gone.
mlir::AffineMap simplify(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents);

/// The place in a tensor of this shape, by rows, that the coordinates are: two equal expressions,
/// of which one may be a sum of dims times constants where the other is not. Coordinates may be
/// quotients and remainders of one dim, which the place puts together again.
mlir::AffineMap getAddress(mlir::AffineMap coordinates, llvm::ArrayRef<int64_t> shape);

/// An equal set where each dim i is in [0, extents[i]). What always holds is dropped; `(0 eq 0)` is
/// left of a set that always holds, `(1 eq 0)` of one that never does.
mlir::IntegerSet simplify(mlir::IntegerSet set, llvm::ArrayRef<int64_t> extents);

/// An equal map: result coordinates in `extents`, source coordinates in `sourceExtents`.
/// Expressions and guards are simplified; guards that always hold are dropped, equal fills merged,
/// a last guard that the source's extents imply becomes the `else`. `fillType` is the type of its
/// fills.
MapAttr simplify(MapAttr map, llvm::ArrayRef<int64_t> extents,
                 llvm::ArrayRef<int64_t> sourceExtents, mlir::Type fillType);

/// One map for `outer` read through `inner`, simplified: guards of outer first. Null if an extent
/// is not known or the algebra cannot express it.
MapAttr compose(MapAttr outer, llvm::ArrayRef<int64_t> extents, MapAttr inner,
                llvm::ArrayRef<int64_t> middleExtents, llvm::ArrayRef<int64_t> sourceExtents,
                mlir::Type fillType);

/// The values min, min + step, ... that are at most max; step > 0.
struct DimRange {
  int64_t min = 0;
  int64_t max = 0;
  int64_t step = 1;
};

/// Bounds of the expression's value over the dims' ranges: every value lies in them. Nothing if a
/// side is unbounded or the algebra cannot express it.
std::optional<layout::Range> getRange(mlir::AffineExpr expr, llvm::ArrayRef<DimRange> dims);

/// Says that 0 <= expr < end.
struct Between {
  mlir::AffineExpr expr;
  int64_t end;
};

/// The same condition without the quotients that can be multiplied out: a + x floordiv c is in
/// [0, n) where c a + x is in [0, c n). `expr` has dims below `numDims` and no symbols.
Between multiplyOut(Between condition, unsigned numDims);

//===-- Conversion to and from lib/Layout ---------------------------------===//

/// Nothing if the algebra cannot express it.
std::optional<layout::Expr> toLayout(mlir::AffineExpr expr);

/// The ranges help to find mods.
mlir::AffineExpr toAffine(const layout::Expr &expr, mlir::MLIRContext *context,
                          layout::DimRanges ranges = {});

/// Fills as numbers: 0 is zero of the fill type, which a map without `else` has outside.
class Fills {
public:
  explicit Fills(mlir::Type type);
  int getNumber(mlir::TypedAttr fill);
  mlir::TypedAttr getFill(int number) const { return fills[number]; }

private:
  llvm::SmallVector<mlir::TypedAttr> fills;
};

std::optional<layout::IndexMap> toLayout(MapAttr map, llvm::ArrayRef<int64_t> extents,
                                         llvm::ArrayRef<int64_t> sourceExtents, Fills &fills);
MapAttr toAttr(const layout::IndexMap &map, mlir::MLIRContext *context, const Fills &fills);

} // namespace tw::view
