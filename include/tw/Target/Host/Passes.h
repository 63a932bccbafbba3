// Passes of the host target.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tw {

namespace host {

/// The attribute (DenseI64ArrayAttr) that holds a kernel's grid once its ttile.func is gone.
inline constexpr llvm::StringLiteral gridAttribute = "tw.grid";
/// Where a call settles sizes: the attributes of the ttile.func that say which, and what the grid's
/// are, under its names for them (`symbols`, `grid_sizes`, `grid_steps`).
inline constexpr llvm::StringLiteral symbolsAttribute = "tw.symbols";
inline constexpr llvm::StringLiteral gridSizesAttribute = "tw.grid_sizes";
inline constexpr llvm::StringLiteral gridStepsAttribute = "tw.grid_steps";
/// The attribute of loops that upstream's lowerings carry to the branch back to the header.
inline constexpr llvm::StringLiteral loopAttribute = "llvm.loop_annotation";
/// Its value for a loop that the code generator does not unroll.
mlir::Attribute getRolled(mlir::MLIRContext *context);
/// The unit attribute of a kernel that takes the thread's scratch memory, behind its coordinates.
inline constexpr llvm::StringLiteral scratchAttribute = "tw.scratch";
/// The unit attributes of a kernel that a team runs, whose last argument is a `TwrtHostTeam`, and
/// of one that takes the team's scratch memory before it.
inline constexpr llvm::StringLiteral teamAttribute = "tw.team";
inline constexpr llvm::StringLiteral sharedAttribute = "tw.shared";

} // namespace host

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tw/Target/Host/Passes.h.inc"

} // namespace tw
