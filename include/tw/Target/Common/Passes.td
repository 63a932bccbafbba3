// Passes that several targets share.
#ifndef TW_TARGET_COMMON_PASSES_TD
#define TW_TARGET_COMMON_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"expand-math"> {
  let summary = "replaces elementary functions by polynomials of our own";
  let description = [{
    Operations of `math` that no instruction computes, and `arith.remf`, on f32 and f64, scalars and 1-D
    vectors, become arithmetic, `math.fma` and a few other operations that every target has. The bounds
    on the error are in `tw/Target/Common/Math.h` and are tested. No contraction or reassociation is
    assumed or allowed: results do not depend on the target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif
