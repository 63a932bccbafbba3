// The tkernel dialect: what a kernel computes, point by point.
#ifndef TW_KERNEL_DIALECT_TD
#define TW_KERNEL_DIALECT_TD

include "mlir/IR/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "tkernel";
  let cppNamespace = "::tw::kernel";
  let summary = "Fused kernels over named axes, point by point: what is computed";
  let description = [{
    A `tkernel.kernel` is a region over named axes. Its body holds scalars: `load` reads a point of a
    tensor through an index map, arith and math compute, `reduce`, `contract` and `scan` work along
    axes, `store` writes each element of a result once. Which axes a value depends on (its axis set)
    is inferred. How the kernel runs is said by its schedule, an ordered list of primitives.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
                           "::tw::view::ViewDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

#endif
