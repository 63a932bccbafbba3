// Dimensions that are affine in named symbols, and the tensor types that carry them.
//
// A tensor type with static dimensions only has no encoding; with a dynamic dimension it has a
// #tgraph.dims encoding with one entry per dimension. Shape rules compute with Dim for both.
#pragma once

#include "tw/Support/Dim.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tw::graph {

using tw::Dim;
class DimsAttr;
using Shape = llvm::SmallVector<Dim, 4>;

/// The dimensions of `type`; empty optional if one is dynamic without a symbol.
std::optional<Shape> getShape(mlir::Type type);

/// The tensor type of `shape`, with a #tgraph.dims encoding if a dimension is not static.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<Dim> shape, mlir::Type elementType);

/// `type` with another element type; shape and encoding stay. `type` itself if it is no tensor.
mlir::Type withElementType(mlir::Type type, mlir::Type elementType);

using tw::toString;
/// "4x(S + 1)xT", "scalar" for rank 0; for messages.
std::string toString(llvm::ArrayRef<Dim> shape);

/// The most, and the least, that the size comes to for the ranges that the function declares in
/// `tgraph.symbols`; nothing where a symbol has no range, or beyond 64 bits.
std::optional<int64_t> getMost(const Dim &dim, mlir::Operation *function);
std::optional<int64_t> getLeast(const Dim &dim, mlir::Operation *function);

/// On an argument: the number of the result that takes its memory. With it, its dimensions in
/// memory, a #tgraph.dims, where there is room for more.
inline constexpr llvm::StringLiteral aliasName = "tgraph.alias";
inline constexpr llvm::StringLiteral storageName = "tgraph.storage";

/// The most that the size comes to because arguments and results that have it lie in memory of a
/// fixed size; nothing if none does.
std::optional<int64_t> getRoom(const Dim &dim, mlir::Operation *function);

/// Whether a function that declares these symbols, or none, has those of the shape, in steps that
/// its exact quotients need; reports at `op`.
llvm::LogicalResult checkDeclared(mlir::Operation *op, mlir::DictionaryAttr declared,
                                  mlir::Type type, DimsAttr dims);

/// Gives the sizes in types and attributes of the op, and of what it holds, the value that `change`
/// has for each.
void changeSizes(mlir::Operation *op, llvm::function_ref<Dim(const Dim &)> change);

/// The shape of a tensor's type with each dimension at its most, -1 where that is not known.
llvm::SmallVector<int64_t> getMostShape(mlir::Type type, mlir::Operation *function);

/// Bytes of the elements of a static tensor type in a file or in memory: a bool takes one byte,
/// four-bit types half of one. Empty if the number exceeds 64 bits.
std::optional<uint64_t> getByteLength(mlir::RankedTensorType type);

} // namespace tw::graph
