// The two ops of the tview dialect.
#ifndef TW_DIALECT_VIEW_VIEWOPS_TD
#define TW_DIALECT_VIEW_VIEWOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tw/Dialect/View/ViewAttrs.td"

def View_ViewOp : Op<View_Dialect, "view", [Pure]> {
  let summary = "a tensor read through an index map";
  let description = [{
    Each element of the result is an element of the source or a fill, as `#tview.map` says.

    - C1: the map has as many dims as the result and as many results as the source has dimensions.
    - C2: source and result have the same element type.
    - C3: the fills of the map are of that element type.

    ```mlir
    %t = tview.view %x through <affine_map<(d0, d1) -> (d1, d0)>> : tensor<6x4xf32> -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, View_MapAttr:$map);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `through` $map attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::Type getElementType() { return getType().getElementType(); }
  }];
}

def View_MaterializeOp : Op<View_Dialect, "materialize", [Pure, SameOperandsAndResultType]> {
  let summary = "a tensor that must exist in memory";
  let description = [{
    The result equals the source. The kernel that computes the source ends here: nothing is read
    through this op, so a view's movement becomes a copy. It is the only op of the dialect that
    means memory.

    ```mlir
    %m = tview.materialize %t : tensor<4x6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
  let hasCanonicalizer = 1;
}

#endif // TW_DIALECT_VIEW_VIEWOPS_TD
