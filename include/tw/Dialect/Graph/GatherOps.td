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

#endif // TW_DIALECT_GRAPH_GATHEROPS_TD
