// Ops that combine elements: windows, reductions, scans.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_REDUCTIONOPS_TD
#define TW_DIALECT_GRAPH_REDUCTIONOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_WindowOp : Graph_InferredOp<"window"> {
  let summary = "combines the elements of sliding windows";
  let description = [{
    `window`, `strides`, `dilations`, `pad_low`, `pad_high` have one entry per dimension (1, 1, 1, 0, 0 for
    a dimension that takes no part). The kind is add, mul, max or min; elements of a window outside the
    operand contribute the kind's identity (0, 1, the least and the greatest value; -inf and inf for
    floats that have them). Sizes of the result as in `tgraph.conv`. NaN, overflow and bool as in the binary ops.

    ```mlir
    %r = tgraph.window max %x window [1, 2] strides [1, 2] dilations [1, 1] pad_low [0, 0] pad_high [0, 1]
        : tensor<4x5xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Graph_CombineKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `window` $window `strides` $strides `dilations` $dilations `pad_low` $pad_low
    `pad_high` $pad_high attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Graph_ReduceOp : Graph_InferredOp<"reduce"> {
  let summary = "combines the elements along dimensions";
  let description = [{
    Kinds: add, mul, max, min; all, any for bools. The dimensions of `dims` are removed. Over no element the
    result is the kind's identity: 0, 1, the least and the greatest value (-inf and inf for floats that have them), true,
    false. Floats are combined in an order that the schedule chooses; NaN, overflow and bool as in the
    binary ops.

    ```mlir
    %r = tgraph.reduce add %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_CombineKindAttr:$kind, Graph_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input `dims` $dims attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ArgReduceOp : Graph_InferredOp<"arg_reduce"> {
  let summary = "where along a dimension the greatest or smallest element is";
  let description = [{
    The kind is max or min. The result holds, as i64, the first index of the winning element along `dim`,
    which is removed and has at least one element. NaN wins over all else; -0 equals +0.

    ```mlir
    %r = tgraph.arg_reduce max %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Graph_CombineKindAttr:$kind, Graph_Tensor:$input, I64Attr:$dim);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$kind $input `dim` $dim attr-dict `:` type($input) `->` type($result)";
}

def Graph_ScanOp : Graph_Op<"scan", [Graph_EqualTypes, SameOperandsAndResultType]> {
  let summary = "running combination along a dimension";
  let description = [{
    Each element of the result combines the operand's elements from the start of `dim` up to its own index;
    without its own with `exclusive`, which makes the first the kind's identity; from the end with
    `reverse`. The kind is add, mul, max or min. The order of combination is that of the indices.

    ```mlir
    %r = tgraph.scan add %x dim 1 {exclusive, reverse} : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_CombineKindAttr:$kind, Graph_Tensor:$input, I64Attr:$dim,
                       UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $input `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_AssociativeScanOp : Graph_Op<"associative_scan", [IsolatedFromAbove, SingleBlock]> {
  let summary = "running combination along a dimension, by a region";
  let description = [{
    Each element of a result combines the elements of the operands from the start of `dim` up to its own
    index; with `reverse`, from the end. The operands have one shape, and there is a result of each. The
    region takes what has been combined, one scalar per operand, then the next elements, and yields what
    both together are. It is made of elementwise ops and constants, sees nothing from outside, and must be
    associative: the order of combination is that of the indices, but a target may put parts together.
    No identity is needed: the first element is its own. bf16, f16 and floats of 8 bits are combined as
    f32, which is what the region takes and yields for them, and rounded at the end.

    A recurrence `h = a * h + b`:

    ```mlir
    %p, %h = tgraph.associative_scan %a, %b dim 1 : tensor<4x8xf32>, tensor<4x8xf32> {
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
      %0 = tgraph.mul %a1, %a0 : tensor<f32>
      %1 = tgraph.mul %a1, %b0 : tensor<f32>
      %2 = tgraph.add %1, %b1 : tensor<f32>
      tgraph.yield %0, %2 : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim, UnitAttr:$reverse);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$dim, "bool":$reverse)>];
  let extraClassDeclaration = [{
    /// The scalar type that the region takes for an operand.
    static ::mlir::RankedTensorType getScalarType(::mlir::Type operand);
    /// Makes scalar constants from around a region again in it; false if it uses something else.
    static bool takeConstants(::mlir::Region &region);
    /// Whether a region that uses nothing from around it is made of what may combine.
    static bool isOfScalars(::mlir::Region &region);
    /// Emits the region for tensors of one shape, of the region's element types.
    ::llvm::SmallVector<::mlir::Value> emitCombined(::mlir::OpBuilder &builder, ::mlir::ValueRange before,
                                                    ::mlir::ValueRange next);
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // TW_DIALECT_GRAPH_REDUCTIONOPS_TD
