// The ttile dialect and its ops.
#pragma once

#include "tw/Dialect/View/View.h"
#include "tw/Layout/TileLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tw/Dialect/Tile/TileDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "tw/Dialect/Tile/TileAttrs.h.inc"
#include "tw/Dialect/Tile/TileOpClasses.h.inc"

namespace tw::tile {

/// Tiles are unrolled over registers: one with more elements is a mistake, and would take all memory.
inline constexpr int64_t maxTileElements = 65536;
/// Whether a tile of a static shape has at most that many.
bool isWithinLimit(mlir::ShapedType tile);

/// Whether memory is local to a program: in the workgroup space.
bool isLocal(mlir::MemRefType memory);

/// The loop around the op whose iterations the threads of a team share (`#ttile.team`); null
/// outside of such loops.
mlir::scf::ForallOp getTeamLoop(mlir::Operation *op);
/// Such a loop, with an empty body but for its terminator.
mlir::scf::ForallOp createTeamLoop(mlir::OpBuilder &builder, mlir::Location location,
                                   llvm::ArrayRef<mlir::OpFoldResult> lower,
                                   llvm::ArrayRef<mlir::OpFoldResult> upper,
                                   llvm::ArrayRef<mlir::OpFoldResult> step);

} // namespace tw::tile
