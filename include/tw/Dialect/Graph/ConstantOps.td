// Ops without operands.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_CONSTANTOPS_TD
#define TW_DIALECT_GRAPH_CONSTANTOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_ConstantOp : Graph_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    Small data is inline; weights stay in their file, which `#tgraph.file` names.

    ```mlir
    %a = tgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %w = tgraph.constant #tgraph.file<"model.onnx", 1234, 37632> : tensor<64x3x7x7xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_Op<"iota"> {
  let summary = "the index along a dimension";
  let description = [{
    Each element is its own index along `dim`, converted to the element type: integers wrap, floats round.

    ```mlir
    %r = tgraph.iota dim 1 : tensor<2x3xi64>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_SizeOp : Graph_Op<"size"> {
  let summary = "a size as a number";
  let description = [{
    The one size of its attribute, affine in symbols, converted to the element type of the scalar: integers wrap, floats
    round.

    ```mlir
    %r = tgraph.size <[P + 1]> : tensor<i64>
    ```
  }];
  let arguments = (ins Graph_DimsAttr:$size);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$size attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TW_DIALECT_GRAPH_CONSTANTOPS_TD
