// Accesses of kernels: building loads in normal form, ranges and inverses of index maps.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// The values that a dim of an index map takes: [0, extent) for an axis, unknown for other values.
using Extents = llvm::ArrayRef<std::optional<Extent>>;

/// On a SizeOp whose value is from 0 to below another size at all sizes of a call: that size, a
/// #tview.sizes. It stands for one point of an axis of that size then.
constexpr llvm::StringLiteral belowAttrName = "tkernel.below";

/// The extents of index values in a kernel's body.
llvm::SmallVector<std::optional<Extent>> getExtents(KernelOp kernel, mlir::ValueRange indices);

/// An equal expression, simplified by what the dims' extents make true.
mlir::AffineExpr simplify(mlir::AffineExpr expr, Extents extents);

/// Whether an index of a load is an axis, not a value that is computed.
inline bool isAxis(mlir::Value index) { return mlir::isa<mlir::BlockArgument>(index); }

/// Whether computing the expression takes divisions or remainders.
bool hasDivisions(mlir::AffineExpr expr);

/// Bounds of an expression, both included; none when an unbounded dim occurs.
std::optional<std::pair<int64_t, int64_t>> getBounds(mlir::AffineExpr expr, Extents extents);

/// An equal map, simplified: guards that always hold are gone, as is the fill for outside
/// coordinates where there are none.
view::MapAttr simplify(view::MapAttr map, Extents extents, mlir::RankedTensorType source);

/// Whether no coordinate that the map gives is outside the source and no guard ever fails.
bool isTotal(view::MapAttr map, Extents extents, mlir::RankedTensorType source);

/// Fills in the type of scalars: those of unsigned elements become signless.
view::MapAttr withScalarFills(view::MapAttr map);

/// The normal form of a load: its map, which is simplified, and whose dims are the indices that it
/// uses, axes in the order of the kernel first. Affine indices (`affine.apply` of axes) are folded
/// into the map.
view::MapAttr normalizeAccess(KernelOp kernel, mlir::Value source, view::MapAttr map,
                              llvm::SmallVectorImpl<mlir::Value> &indices);

/// A load in normal form.
LoadOp createLoad(mlir::OpBuilder &builder, mlir::Location loc, KernelOp kernel, mlir::Value source,
                  view::MapAttr map, mlir::ValueRange indices);

/// `expr` over `indices` as a value of type index: an axis itself or an `affine.apply`.
mlir::Value createIndex(mlir::OpBuilder &builder, mlir::Location loc, KernelOp kernel,
                        mlir::AffineExpr expr, mlir::ValueRange indices);

/// The guards of a map, the extents of its source as the last one unless they always hold; nothing
/// where those would have to compare with a size that a call settles.
std::optional<llvm::SmallVector<view::GuardAttr>> getAllGuards(view::MapAttr map, Extents extents,
                                                               mlir::RankedTensorType source);

/// Whether createGuarded can say where the guards hold: where data is an index, a guard is a bound
/// of that alone.
bool canSelect(llvm::ArrayRef<view::GuardAttr> guards, mlir::ValueRange indices);

/// `value` where all guards hold at the indices, else the fill of the first that does not.
mlir::Value createGuarded(mlir::OpBuilder &builder, mlir::Location loc, KernelOp kernel,
                          mlir::Value value, llvm::ArrayRef<view::GuardAttr> guards,
                          mlir::ValueRange indices);

/// The scalar that every element of a constant tensor has, none for other values.
mlir::TypedAttr getSplatScalar(mlir::Value tensor);

/// The inverse of a map whose results are mixed-radix sums of its dims (`8 * d0 + d1` with d1 below
/// 8): one expression over the coordinates per dim. None when the map is not of that form or is no
/// bijection between the points of the dims and those of `shape`.
std::optional<llvm::SmallVector<mlir::AffineExpr>>
invert(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> shape);

} // namespace tw::kernel
