// The tgraph dialect: what the user means, on values.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GRAPHDIALECT_TD
#define TW_DIALECT_GRAPH_GRAPHDIALECT_TD

include "mlir/IR/DialectBase.td"

def Graph_Dialect : Dialect {
  let name = "tgraph";
  let cppNamespace = "::tw::graph";
  let summary = "Tensor programs as the user means them";
  let description = [{
    Tensors are builtin ranked tensors with value semantics: no strides, no memory. Every op is pure
    and total: for any input it has a defined result, also for x / 0, integer overflow, shifts past
    the width and indices out of range. Broadcasting and casting are ops of their own.

    **Element types.** Signless integers are signed (`i8` ... `i64`), except `i1`, which is a bool that
    counts as an unsigned number of one bit; unsigned integers are `ui8` ... `ui64`. Integers wrap.
    Floats are rounded to nearest even after each op; which NaN an op returns is not defined, that it
    returns a NaN is. bf16 and f16 are formats of storage: an elementwise op computes in f32 and rounds its
    result once, and so do composites as a whole; sums and products over dimensions are kept in f32.

    **Dynamic dimensions** are symbols. A tensor type with a dynamic dimension carries its symbolic
    shape as its encoding, whose symbols the function declares once, with a range and what they are multiples of:

    ```mlir
    func.func @f(%x: tensor<?x4xf32, #tgraph.dims<[S, 4]>>) -> tensor<?x4xf32, #tgraph.dims<[S, 4]>>
        attributes {tgraph.symbols = {S = #tgraph.symbol<min = 8, max = 32768, step = 8>}}
    ```

    **Attributes on functions.** `tgraph.symbols` as above; `tgraph.name` (a string) on an argument or
    a result is the name under which a caller finds it; `tgraph.complex` (without a value) says that the caller
    sees complex numbers where a tensor of f32 or f64 has real and imaginary parts along a last dimension of 2;
    `tgraph.assumed` (a dense constant of its type) on an argument is the only value that it may have;
    `tgraph.step` (an f64) on a result says that its
    numbers are quantised in steps of this size, so that programs may differ by one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerUnaryOps();
    void registerBinaryOps();
    void registerCompareOps();
    void registerConstantOps();
    void registerMovementOps();
    void registerContractionOps();
    void registerReductionOps();
    void registerGatherOps();
    void registerCompositeOps();
    void registerControlOps();
  }];
}

#endif // TW_DIALECT_GRAPH_GRAPHDIALECT_TD
