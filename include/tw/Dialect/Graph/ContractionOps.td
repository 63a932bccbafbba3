// Sums of products: einsum-like contraction and convolution.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_CONTRACTIONOPS_TD
#define TW_DIALECT_GRAPH_CONTRACTIONOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_ContractOp : Graph_InferredOp<"contract"> {
  let summary = "einsum of two operands";
  let description = [{
    The spec names each dimension with one letter, operands before the arrow and result after it. A letter
    that occurs in several places has one size there; within one operand, and within the result, letters
    differ. The result sums the products over all letters that it does not have, also over a letter of one
    operand alone; over no element the sum is 0.

    Floats are accumulated in the element type in an order that the schedule chooses; bools as or of ands.
    Integers wrap. bf16 and f16 are accumulated in f32, as `tkernel.contract` says, and the sum is rounded
    once.

    ```mlir
    %r = tgraph.contract "bmk,bkn->bmn" %a, %b
        : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
    ```
  }];
  let arguments = (ins StrAttr:$spec, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    custom<Spec>($spec) $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The letters of each operand and of the result; the op verified.
    ::llvm::StringRef getLhsLetters() { return getSpec().split(',').first; }
    ::llvm::StringRef getRhsLetters() { return getSpec().split(',').second.split("->").first; }
    ::llvm::StringRef getResultLetters() { return getSpec().split("->").second; }
  }];
}

def Graph_ConvOp : Graph_InferredOp<"conv"> {
  let summary = "convolution";
  let description = [{
    Operand `[N, C, spatial...]`, weights `[O, C / groups, spatial...]`, result `[N, O, spatial...]`, of one
    element type, any number of spatial dimensions from 1. The weights are not flipped. With `g` the group
    of `o`:

    `r[n, o, p] = sum over c, k of x[n, g * C / groups + c, p * stride + k * dilation - pad_low] * w[o, c, k]`

    where elements outside `x` are 0, as if `tgraph.pad` had put them there, accumulated as in `contract`: they are
    multiplied as others are, so that a result next to the border is NaN where a weight that meets padding is an
    infinity or NaN. The size of a spatial dimension of the result is
    `(X + pad_low + pad_high - dilation * (K - 1) - 1) floordiv stride + 1`, at least 0.

    ```mlir
    %r = tgraph.conv %x, %w strides [2, 2] dilations [1, 1] pad_low [1, 1] pad_high [1, 1] groups 1
        : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$weights, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pad_low,
                       DenseI64ArrayAttr:$pad_high, I64Attr:$groups);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weights `strides` $strides `dilations` $dilations `pad_low` $pad_low `pad_high` $pad_high
    `groups` $groups attr-dict `:` type($input) `,` type($weights) `->` type($result)
  }];
}

#endif // TW_DIALECT_GRAPH_CONTRACTIONOPS_TD
