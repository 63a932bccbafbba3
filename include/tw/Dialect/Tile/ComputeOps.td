// Ops on register tiles beyond arith and math.
#ifndef TW_TILE_COMPUTE_OPS_TD
#define TW_TILE_COMPUTE_OPS_TD

include "tw/Dialect/Tile/TileDialect.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along dimensions of extent 1";
  let description = [{
    Example:
    ```mlir
    %b = ttile.broadcast %a : tensor<4x1xf32> -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "combines the elements of a tile along dimensions, which become 1";
  let description = [{
    With a kind, one tile; with a region, several: (accumulators..., values...) as scalars, and
    `identities`. The order is a fixed tree: halves of the dimension are combined elementwise,
    element i with element i + n/2 (n rounded up to even by the identity), until one is left.

    `within = "thread"` combines only elements that one thread holds, `within = "subgroup"` those that
    one subgroup holds; the dimensions keep as many elements as threads (or subgroups) share them. The
    tiles have layouts, that of the result is the one of `TileLayout::fold`. On threads the order of
    the tree is: registers, then lanes, then warps.

    Example:
    ```mlir
    %m = ttile.reduce maximumf %t dims [1] : tensor<4x16xf32> -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$values, DenseI64ArrayAttr:$dims,
                       OptionalAttr<AtomicRMWKindAttr>:$kind, OptionalAttr<ArrayAttr>:$identities,
                       OptionalAttr<StrAttr>:$within);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region MaxSizedRegion<1>:$combine);
  let assemblyFormat = [{
    (custom<Kind>($kind)^)? $values `dims` $dims (`identities` $identities^)? attr-dict `:` type($values) `->` type($results)
    ($combine^)?
  }];
  let hasVerifier = 1;
}

def YieldOp : Tile_Op<"yield", [Pure, Terminator, HasParent<"ReduceOp">]> {
  let summary = "ends a combining region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def ScanOp : Tile_Op<"scan", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "running combination of the elements of a tile along a dimension";
  let description = [{
    Each element of the result is the combination of all elements up to and including it; `exclusive`
    leaves the element itself out (the first gets the identity), `reverse` runs from the end. `total`
    is the combination of all, its extent along the dimension 1. The elements are combined in an order
    of the target's.

    `before` says what comes in front. Where it has several elements along the dimension, the value is as
    many parts of neighbours, each of which is scanned by itself, from its own element; `total` has that
    of each part.

    Example:
    ```mlir
    %s, %t = ttile.scan addf %x dim 1 : tensor<4x16xf32> -> tensor<4x1xf32>
    %u, %v = ttile.scan addf %x from %b dim 1 : tensor<4x16xf32> from tensor<4x2xf32> -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, Optional<Tile_Tile>:$before, AtomicRMWKindAttr:$kind,
                       I64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Tile_Tile:$result, Tile_Tile:$total);
  let assemblyFormat = [{
    $kind $value (`from` $before^)? `dim` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
    `:` type($value) (`from` type($before)^)? `->` type($total)
  }];
  let hasVerifier = 1;
}

def MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator plus the product of two tiles, elementwise with broadcasting";
  let description = [{
    `c + a * b` where the extents of `a` and `b` are those of `c` or 1: an outer product when `a` varies
    along one dimension and `b` along the other. Floats are multiplied and added with one rounding.

    One dimension may be a *group*: `c` has extent 1 there and `a` and `b` the same larger extent. The
    products of a group are added to one element of `c`, in any order. It is not the last dimension.

    The operands have the elements of `c`, or bf16 or f16 for f32, or i8 for i32. Their products are exact:
    i8 counts as signed, or as unsigned where `lhs_unsigned` or `rhs_unsigned` says so; integers wrap. Sums of
    bf16 and f16 are f32 sums of one rounding each. On a group of bf16 a target may take dot instructions,
    which take an operand, a product or a sum below 2^-126 as 0.

    With `skips_zeros` products with an element that is known to be zero may be left out, whatever the other is.

    Example:
    ```mlir
    %d = ttile.mma %a, %b, %c : tensor<4x1xf32>, tensor<1x16xf32>, tensor<4x16xf32>
    %e = ttile.mma %p, %q, %c : tensor<2x4x1xbf16>, tensor<2x1x16xbf16>, tensor<1x4x16xf32>
    %f = ttile.mma %u, %s, %i lhs_unsigned : tensor<4x4x1xi8>, tensor<4x1x16xi8>, tensor<1x4x16xi32>
    ```
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, Tile_Tile:$accumulator, UnitAttr:$lhs_unsigned,
                       UnitAttr:$rhs_unsigned, UnitAttr:$skips_zeros);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator (`lhs_unsigned` $lhs_unsigned^)? (`rhs_unsigned` $rhs_unsigned^)?
    (`skips_zeros` $skips_zeros^)? attr-dict `:` type($lhs) `,` type($rhs) `,` type($accumulator)
  }];
  let extraClassDeclaration = [{
    /// The dimension of the group; none if no products are summed.
    std::optional<unsigned> getGroupDim();
  }];
  let hasVerifier = 1;
}

def ConvertOp : Tile_Op<"convert", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tile in another layout";
  let description = [{
    Example:
    ```mlir
    %b = ttile.convert %a : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

#endif
