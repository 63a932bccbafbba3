// Ops that move elements without changing them.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_MOVEMENTOPS_TD
#define TW_DIALECT_GRAPH_MOVEMENTOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_PermuteOp : Graph_InferredOp<"permute"> {
  let summary = "reorders dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.

    ```mlir
    %r = tgraph.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ReshapeOp : Graph_Op<"reshape"> {
  let summary = "regroups elements in row-major order";
  let description = [{
    The result has the operand's elements in the same row-major order; the number of elements is equal,
    for symbolic shapes as a polynomial in the symbols.

    ```mlir
    %r = tgraph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ExpandOp : Graph_Op<"expand"> {
  let summary = "repeats dimensions of size 1";
  let description = [{
    Ranks are equal; each dimension of the result is the operand's, or the operand's is 1 and is repeated.

    ```mlir
    %r = tgraph.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$shape)>];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_PadOp : Graph_InferredOp<"pad"> {
  let summary = "adds elements at the ends of dimensions";
  let description = [{
    `low[i]` elements of the fill value before and `high[i]` after the operand's along dimension `i`. Both
    are at least 0; cropping is `tgraph.slice`.

    ```mlir
    %r = tgraph.pad %x low [0, 1] high [2, 0] value 0.0 : f32 : tensor<4x4xf32> -> tensor<6x5xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `low` $low `high` $high `value` $value attr-dict `:` type($input) `->` type($result)
  }];
  // Fills with zeros.
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$low,
                                 "::llvm::ArrayRef<int64_t>":$high)>];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_SliceOp : Graph_InferredOp<"slice"> {
  let summary = "takes a regular part";
  let description = [{
    Element `i` of the result along dimension `d` is element `offsets[d] + i * strides[d]` of the operand.
    All of them lie inside; strides are at least 1 (a negative step is a `tgraph.flip` before). Size -1 takes
    all of a dimension, which may be dynamic, with offset 0 and stride 1.

    ```mlir
    %r = tgraph.slice %x offsets [0, 1] sizes [4, 2] strides [1, 2] : tensor<4x5xf32> -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
                       DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `offsets` $offsets `sizes` $sizes `strides` $strides attr-dict
    `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The size of a dimension of which all is taken.
    static constexpr int64_t whole = -1;
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_FlipOp : Graph_Op<"flip", [Graph_EqualTypes, SameOperandsAndResultType]> {
  let summary = "reverses dimensions";
  let description = [{
    Each dimension of `dims` is reversed.

    ```mlir
    %r = tgraph.flip %x dims [1] : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ConcatOp : Graph_InferredOp<"concat"> {
  let summary = "joins tensors along a dimension";
  let description = [{
    The operands follow each other along `dim`; all other dimensions and the element types are equal. At
    least one operand.

    ```mlir
    %r = tgraph.concat %a, %b dim 1 : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_UpdateSliceOp : Graph_InferredOp<"update_slice"> {
  let summary = "replaces a part";
  let description = [{
    The operand with the elements of `update` from `offsets` on. Offsets are sizes, one per dimension; `positions` are
    scalars of integers, each added to the offset along the dimension that `along` names for it. What would lie
    outside of the operand is dropped.

    Where the operand is an argument that the caller gives up (`tgraph.alias`) and nobody reads it afterwards,
    the part alone is stored, in place.

    ```mlir
    %r = tgraph.update_slice %x, %u at <[0, 1]> : tensor<4x5xf32>, tensor<4x2xf32> -> tensor<4x5xf32>
    %s = tgraph.update_slice %x, %u at <[0, 1]> plus %p along [1] : tensor<4x5xf32>, tensor<4x2xf32>, tensor<i64> -> tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$operand, Graph_Tensor:$update, Variadic<Graph_Indices>:$positions,
                       Graph_DimsAttr:$offsets, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$along);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $update `at` $offsets (`plus` $positions^ `along` $along)? attr-dict
    `:` type($operand) `,` type($update) (`,` type($positions)^)? `->` type($result)
  }];
}

def Graph_PrefixOp : Graph_Op<"prefix"> {
  let summary = "the first elements, as many as data say";
  let description = [{
    The first `count` elements along `dim`: none where the count is below 0, all where it is above their number. The size of the
    result along `dim` is a symbol that the function declares, and that no argument has: its value is the count. All ops
    of a function that make tensors of such a size by one symbol have one count. A number in its place says what the count is in
    each call. A `checked` count is to be in the range that the function declares: a call where it is not is an error.

    ```mlir
    %r = tgraph.prefix %x, %n dim 1 : tensor<2x8xi64> -> tensor<2x?xi64, #tgraph.dims<[2, N]>>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Amount:$count, I64Attr:$dim, UnitAttr:$checked);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $count `dim` $dim (`checked` $checked^)? attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The symbol that stands for the count; null where that is a number.
    ::mlir::StringAttr getSymbol();
  }];
}

#endif // TW_DIALECT_GRAPH_MOVEMENTOPS_TD
