// Passes on the tgraph dialect.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphDecompose : Pass<"graph-decompose"> {
  let summary = "replaces composite ops by their parts";
  let description = [{
    Replaces every op with a decomposition (`CompositeOpInterface`) by the ops it stands for, also those
    that a decomposition contains.

    ```mlir
    %r = tgraph.relu %x : tensor<4xf32>
    ```
    becomes
    ```mlir
    %zero = tgraph.constant dense<0.000000e+00> : tensor<4xf32>
    %r = tgraph.maximum %x, %zero : tensor<4xf32>
    ```
  }];
  let options = [
    ListOption<"keep", "keep", "std::string",
               "Ops to keep whole, by name without the dialect: keep=softmax,gelu">];
  let statistics = [Statistic<"decomposed", "decomposed", "Composites replaced by their parts">];
}

def GraphVerifyStatic : Pass<"graph-verify-static"> {
  let summary = "checks the border of the graph stage: known ops on static shapes";
  let description = [{
    Reports every op in a function that is not of tgraph or a return, every composite, and every type
    with a dynamic dimension, each with what removes it. Runs after `graph-decompose`, before
    `graph-to-view`, which relies on it. Changes nothing.
  }];
}

#endif // TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
