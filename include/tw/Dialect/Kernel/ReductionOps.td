// Ops that work along axes: reduce, contract, scan.
#ifndef TW_KERNEL_REDUCTION_OPS_TD
#define TW_KERNEL_REDUCTION_OPS_TD

include "tw/Dialect/Kernel/KernelDialect.td"
include "mlir/IR/OpBase.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ReduceOp : Kernel_Op<"reduce", [Pure, AttrSizedOperandSegments]> {
  let summary = "combines values over axes";
  let description = [{
    With a kind (an upstream atomic kind with an identity: addf, mulf, maximumf, minimumf, addi, muli,
    maxs, maxu, mins, minu, ori, andi) one value is combined. Without, the region combines
    (accumulators..., values...) and `identities` gives one neutral element per value; the combination
    must be associative. The results do not depend on the reduced axes any more.

    Example:
    ```mlir
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %b:2 = tkernel.reduce %v, %p over (%j) identities [0xFF800000 : f32, 9223372036854775807 : i64] : f32, i64 {
    ^bb0(%a0: f32, %a1: i64, %v0: f32, %v1: i64):
      ...
      tkernel.yield %r0, %r1 : f32, i64
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, Variadic<Index>:$axes,
                       OptionalAttr<AtomicRMWKindAttr>:$kind, OptionalAttr<ArrayAttr>:$identities,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MaxSizedRegion<1>:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def ContractOp : Kernel_Op<"contract", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "sum of products over axes";
  let description = [{
    `tkernel.contract %a, %b over (%k) : f32` is the sum over the axes of `a * b`, accumulated in the
    type of the operands; matrix instructions and register tiles match it. On floats the product and
    the sum may be fused (one rounding).
  }];
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, Variadic<Index>:$axes, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs `over` `(` $axes `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ScanOp : Kernel_Op<"scan", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "running combination along an axis";
  let description = [{
    `tkernel.scan addf %v over %j : f32`: at each point of the axis, the combination of all values up to
    and including it. The axis stays in the axis set of the result. `exclusive` leaves the point itself
    out (the first gets the identity), `reverse` runs from the end.
  }];
  let arguments = (ins AnyType:$value, Index:$axis, AtomicRMWKindAttr:$kind, UnitAttr:$exclusive,
                       UnitAttr:$reverse, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $value `over` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
