// Narrow floats (bf16, f16 and floats of 8 bits) on targets that store them and compute in f32.
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"

namespace tw {
struct SmallFloat;
} // namespace tw

namespace tw::narrow {

/// The float types that a target converts from and to f32 by instructions that round as the
/// arithmetic does: to nearest even, denormals kept.
struct Conversions {
  bool f16 = true, bf16 = false;
  llvm::ArrayRef<SmallFloat> smallFloats = {};
};

/// Whether some op below has a result or a block an argument of narrow floats.
bool hasAny(mlir::Operation *root);

/// Adds passes after which nothing but conversions computes with narrow floats: operands are
/// extended to f32, results rounded once.
void buildExtension(mlir::OpPassManager &passes, mlir::MLIRContext *context);

/// Conversions from and to narrow floats as arithmetic on integers and f32, but for those between
/// f32 and types with instructions. f64 goes through f32 rounded to odd, so that results are
/// rounded once.
void populateConversions(mlir::RewritePatternSet &patterns, Conversions native);

/// arith.extf f8 to f32, arith.truncf f32 to f8   ->   instructions of the chip for scalars, where
/// it has them, else arithmetic on integers and f32; the same arithmetic for f16 unless there are
/// instructions.
void populateSmallFloats(mlir::RewritePatternSet &patterns, Conversions native);

/// Replaces narrow floats by integers of their width in the types of a function's values, in memory
/// too; every operation that is left moves elements, but for conversions by instructions and
/// the operands and results of intrinsics. Values on their way there keep their type and come from,
/// or go into, a bitcast.
void storeAsIntegers(mlir::FunctionOpInterface function);

} // namespace tw::narrow
