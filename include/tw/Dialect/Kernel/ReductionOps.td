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
    must be associative. The results do not depend on the reduced axes any more. bf16 and f16 are
    combined in f32: they are extended before, and the result is rounded.

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

def ContractOp : Kernel_Op<"contract", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "sum of products over axes";
  let description = [{
    The sum over the axes of `a * b`, accumulated in the type of the result; matrix instructions and
    register tiles match it.

    | operands | result | numerics |
    |---|---|---|
    | f32, f64 | the same | sums in the type, in an order that the schedule chooses; a product and its sum may be fused (one rounding) |
    | bf16, f16 | f32 | products are exact; sums in f32, in an order that the schedule chooses. Where the schedule takes dot instructions, an operand, a product or a partial sum below 2^-126 may count as 0 |
    | integers | the same | wraps |
    | i8 | i32 | exact products of 8-bit integers, `lhs_unsigned` and `rhs_unsigned` ones from 0 to 255, the others from -128 to 127; sums wrap |

    A contraction of integers that were extended from 8 to 32 bits canonicalizes to one of 8-bit operands.
    Sums are never in bf16 or f16.

    Example:
    ```mlir
    %c = tkernel.contract %a, %b over (%k) : f32
    %d = tkernel.contract %p, %q over (%k) : bf16, bf16 -> f32
    %e = tkernel.contract %u, %s over (%k) lhs_unsigned : i8, i8 -> i32
    ```
  }];
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, Variadic<Index>:$axes, UnitAttr:$lhs_unsigned,
                       UnitAttr:$rhs_unsigned, OptionalAttr<StrAttr>:$name);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `over` `(` $axes `)` (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)?
    attr-dict `:` custom<ProductTypes>(type($lhs), type($rhs), type($result))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                   "::mlir::ValueRange":$axes, "::mlir::StringAttr":$name), [{
      build($_builder, $_state, result, lhs, rhs, axes, /*lhs_unsigned=*/nullptr,
            /*rhs_unsigned=*/nullptr, name);
    }]>
  ];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def ScanOp : Kernel_Op<"scan", [Pure, IsolatedFromAbove]> {
  let summary = "running combination along an axis";
  let description = [{
    `tkernel.scan addf %v over %j : f32`: at each point of the axis, the combination of all values up to
    and including it. The axis stays in the axis set of the result. `exclusive` leaves the point itself
    out (the first gets the identity), `reverse` runs from the end.

    Without a kind the region combines (accumulators..., values...), as that of `tkernel.reduce` does, and
    `identities` says what accumulators begin with. It sees nothing but its arguments. Such a scan runs
    along its axis in order: the axis is a loop.

    Example:
    ```mlir
    %s = tkernel.scan addf %v over %j : f32
    %t:2 = tkernel.scan %a, %b over %j identities [1.0 : f32, 0.0 : f32] : f32, f32 {
    ^bb0(%a0: f32, %b0: f32, %a1: f32, %b1: f32):
      %0 = arith.mulf %a1, %a0 : f32
      %1 = arith.mulf %a1, %b0 : f32
      %2 = arith.addf %1, %b1 : f32
      tkernel.yield %0, %2 : f32, f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, Index:$axis, OptionalAttr<AtomicRMWKindAttr>:$kind,
                       OptionalAttr<ArrayAttr>:$identities, UnitAttr:$exclusive, UnitAttr:$reverse,
                       OptionalAttr<StrAttr>:$name);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region MaxSizedRegion<1>:$combine);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$axis,
                   "::mlir::arith::AtomicRMWKindAttr":$kind, "::mlir::UnitAttr":$exclusive,
                   "::mlir::UnitAttr":$reverse)>
  ];
  let extraClassDeclaration = [{
    ::mlir::Value getValue() { return getValues().front(); }
    ::mlir::OpResult getResult(unsigned i = 0) { return getOperation()->getResult(i); }
    ::mlir::Type getType() { return getResult().getType(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
