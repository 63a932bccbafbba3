// Ops that read elements at indices held in tensors.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GATHEROPS_TD
#define TW_DIALECT_GRAPH_GATHEROPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_GatherOp : Graph_InferredOp<"gather"> {
  let summary = "elements at indices";
  let description = [{
    `k` index tensors of one type index dimensions `axis` to `axis + k - 1` of the source. The first
    `batch_dims` dimensions of the source and of the indices are shared, `batch_dims <= axis`. With `s` the
    source's shape and `i` the indices', the result's shape is
    `s[0 : axis] ++ i[batch_dims :] ++ s[axis + k :]`.

    An index below 0 or at or above the dimension's size yields 0: negative indices do not count from the
    end.

    ```mlir
    %r = tgraph.gather %src, %i {axis = 0 : i64} : tensor<8x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$source, Variadic<Graph_Indices>:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $source `,` $indices attr-dict `:` type($source) `,` type($indices) `->` type($result)
  }];
}

def Graph_ScatterOp : Graph_InferredOp<"scatter"> {
  let summary = "writes elements at indices";
  let description = [{
    The operand with each element of `updates` at the place that `tgraph.gather` with the same indices, `axis` and
    `batch_dims` would read it from. Updates come in the order of their elements, the last dimension
    fastest: where several of them have one place the last one stays. With a kind (add, mul, max, min; all, any for
    bools) each is combined with what is there, in the type of the elements. What has an index below
    0 or at or above the dimension's size is dropped. NaN, overflow and bool as in the binary ops.

    Where the operand is an argument that the caller gives up (`tgraph.alias`) and nobody reads it afterwards,
    the updates alone are stored, in place.

    ```mlir
    %r = tgraph.scatter %x, %u at %i {axis = 0 : i64}
        : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
    %s = tgraph.scatter add %x, %u at %i {axis = 0 : i64}
        : tensor<8x4xf32>, tensor<2x3x4xf32> at tensor<2x3xi64> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins OptionalAttr<Graph_CombineKindAttr>:$kind, Graph_Tensor:$operand,
                       Graph_Tensor:$updates, Variadic<Graph_Indices>:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    custom<OptionalKind>($kind) $operand `,` $updates `at` $indices attr-dict
    `:` type($operand) `,` type($updates) `at` type($indices) `->` type($result)
  }];
}

#endif // TW_DIALECT_GRAPH_GATHEROPS_TD
