// What a program lets the compiler change of the numbers it computes: upstream's flags of floats,
// `#arith.fastmath<...>`, and no other notation.
//
// Flags stand on the operations of arith and math that kernels and tiles compute with, as upstream
// has them, and on reductions of kernels. Before there are kernels, `tgraph.fastmath` says them of
// an op of a tensor program, or of all that a function computes. Operations without flags are as
// exact as the documentation says.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace tw {

/// On ops of tensor programs, and on functions.
inline constexpr llvm::StringLiteral graphFastMathName = "tgraph.fastmath";

/// "none", "fast" (all of them), or some of "reassoc,nnan,ninf,nsz,arcp,contract,afn".
std::optional<mlir::arith::FastMathFlags> parseFastMath(llvm::StringRef text);

/// The flags of an operation of arith or math or of a reduction of a kernel; of an op of a tensor
/// program its own and those of the function it is in.
mlir::arith::FastMathFlags getFastMath(mlir::Operation *op);

/// Whether the operation has all of these flags.
bool allows(mlir::Operation *op, mlir::arith::FastMathFlags flags);

/// Adds flags to what the kernel or program below `root` computes of floats.
void addFastMath(mlir::Operation *root, mlir::arith::FastMathFlags flags);

/// Takes all flags back: nothing that `root` computes may be changed.
void removeFastMath(mlir::Operation *root);

} // namespace tw
