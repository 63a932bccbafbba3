// Comparison, choice, limits and conversion, elementwise.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_COMPAREOPS_TD
#define TW_DIALECT_GRAPH_COMPAREOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

def Graph_CompareOp : Graph_InferredOp<"compare", [
    AllTypesMatch<["lhs", "rhs"]>, DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "comparison to a bool tensor";
  let description = [{
    Predicates: eq, ne, lt, le, gt, ge. Floats: -0 equals +0; with a NaN, `ne` is true and all others
    are false. Signless integers compare as signed, unsigned and bool as unsigned.

    ```mlir
    %r = tgraph.compare lt, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_ComparePredicateAttr:$predicate, Graph_Tensor:$lhs, Graph_Tensor:$rhs);
  let results = (outs Graph_Bool:$result);
  let assemblyFormat = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_SelectOp : Graph_Op<"select", [
    AllTypesMatch<["on_true", "on_false", "result"]>,
    TypesMatchWith<"the condition has the operands' shape", "result", "condition",
                   "::tw::graph::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">,
    DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "choice by a bool tensor";
  let description = [{
    The element of the second operand where the condition is true, else that of the third. The element
    that is not chosen has no influence, NaN included.

    ```mlir
    %r = tgraph.select %c, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Bool:$condition, Graph_Tensor:$on_true, Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ClampOp : Graph_ElementwiseOp<"clamp"> {
  let summary = "limits to a range";
  let description = [{
    `minimum(maximum(x, low), high)`: `high` wins where the limits cross, NaN in any operand gives NaN.

    ```mlir
    %r = tgraph.clamp %x, %low, %high : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, Graph_Tensor:$low, Graph_Tensor:$high);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input `,` $low `,` $high attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Graph_CastOp : Graph_Op<"cast", [DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "conversion to another element type";
  let description = [{
    Integer to integer: wraps (keeps the low bits; a signed source extends its sign, an unsigned one and
    bool extend by zeros). Integer to float: rounds to nearest even (64-bit integers to bf16 and f16 by way
    of f64), overflow gives an infinity. Float to
    integer: truncates towards zero, saturates at the limits of the result's type, NaN gives 0. Float to
    float: rounds to nearest even; overflow gives an infinity, or NaN where a type has none (f8E4M3FN,
    f8E4M3FNUZ, f8E5M2FNUZ: `tgraph.clamp` before it saturates). To bool: `x != 0`, so NaN gives true.
    From bool: 0 or 1.

    ```mlir
    %r = tgraph.cast %x : tensor<4xf32> to tensor<4xi8>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType)>];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_BitcastOp : Graph_Op<"bitcast", [DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let summary = "the same bits as another element type";
  let description = [{
    Both types have as many bits, and 8 of them at least. The bits of a NaN stay as they are.

    ```mlir
    %r = tgraph.bitcast %x : tensor<4xf32> to tensor<4xui32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType)>];
  let hasFolder = 1;
}

#endif // TW_DIALECT_GRAPH_COMPAREOPS_TD
