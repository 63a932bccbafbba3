// Passes on the tgraph dialect.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphBoundCounts : Pass<"graph-bound-counts"> {
  let summary = "gives tensors of sizes that data decide the largest size";
  let description = [{
    A size that `tgraph.prefix` counts becomes the most that it comes to, and the count a value beside it: what lies
    behind the count means nothing. Ops that combine elements along such a dimension read what changes nothing in
    its place, and what takes the size as a number takes the count. The function returns the counts after
    its own results, for which `tgraph.counts` says which one counts which dimension. What is counted inside of a
    branch or a loop is a size there alone; a loop over slices of such a dimension runs as often as was counted.
    What cannot be done so is an error: parts of such a dimension, reshapes that join it with what lies before it.

    ```mlir
    func.func @main(%x: tensor<8xf32>, %n: tensor<i64>) -> (tensor<?xf32, #tgraph.dims<[N]>>, tensor<f32>)
        attributes {tgraph.symbols = {N = #tgraph.symbol<min = 0, max = 8, step = 1>}} {
      %y = tgraph.prefix %x, %n dim 0 : tensor<8xf32> -> tensor<?xf32, #tgraph.dims<[N]>>
      %s = tgraph.reduce add %y dims [0] : tensor<?xf32, #tgraph.dims<[N]>> -> tensor<f32>
      return %y, %s : tensor<?xf32, #tgraph.dims<[N]>>, tensor<f32>
    }
    ```
    becomes, with the count held between 0 and 8,
    ```mlir
    func.func @main(%x: tensor<8xf32>, %n: tensor<i64>)
        -> (tensor<8xf32> {tgraph.counts = array<i64: 2>}, tensor<f32>, tensor<i64> {tgraph.name = "N"}) {
      %i = tgraph.iota dim 0 : tensor<8xi64>
      %isThere = tgraph.compare lt, %i, %end : tensor<8xi64>
      %masked = tgraph.select %isThere, %x, %zeros : tensor<8xf32>
      %s = tgraph.reduce add %masked dims [0] : tensor<8xf32> -> tensor<f32>
      return %x, %s, %count : tensor<8xf32>, tensor<f32>, tensor<i64>
    }
    ```
  }];
}

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
}

def GraphDifferentiate : Pass<"graph-differentiate", "::mlir::ModuleOp"> {
  let summary = "adds the derivatives of a result to a function";
  let description = [{
    The function returns, after its own results, the derivatives of the result `of` by each of the arguments `wrt`, in
    their order and of their types, named `grad.NAME`. Results and arguments go by `tgraph.name`, or by number. A result of more
    than one element is weighted by a new last argument `seed.NAME` of its type: what comes out is the sum over its elements, each times its
    weight, differentiated. Applied again, it gives derivatives of derivatives.

    Reverse mode: the cotangents of each op's operands come from those of its results by a rule of the op
    (`tw/Dialect/Graph/Derivatives.h`). What the result does not depend on has a derivative of zeros, with a warning.

    With `mode=forward` there is one new argument `tangent.NAME` for each of `wrt`, of its type, and one new result
    `tangent.NAME` of the type of `of`: how that changes as the arguments move along their tangents.

    ```mlir
    func.func @main(%x: tensor<f32> {tgraph.name = "x"}) -> (tensor<f32> {tgraph.name = "y"}) {
      %y = tgraph.exp %x : tensor<f32>
      return %y : tensor<f32>
    }
    ```
    becomes, after canonicalization,
    ```mlir
    func.func @main(%x: tensor<f32> {tgraph.name = "x"}) -> (tensor<f32> {tgraph.name = "y"}, tensor<f32> {tgraph.name = "grad.x"}) {
      %y = tgraph.exp %x : tensor<f32>
      return %y, %y : tensor<f32>, tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"main\"", "The function">,
    Option<"of", "of", "std::string", "\"0\"", "The result that is differentiated">,
    Option<"mode", "mode", "std::string", "\"reverse\"", "reverse or forward">,
    ListOption<"wrt", "wrt", "std::string", "Arguments it is differentiated by; all floats without the option">];
}

def GraphFlatten : Pass<"graph-flatten"> {
  let summary = "replaces small loops and cheap branches by straight programs";
  let description = [{
    A loop whose number of iterations is known is unrolled if it runs at most once, or if the ops that
    compute in its region, times the iterations, are not above a limit: what iterations compute is fused
    then. A branch becomes a select where both sides move elements and combine those of one place, for
    at most 32 operations per element of the results. Runs when composites are their parts, which are
    what is counted.

    ```mlir
    %r = tgraph.for 2 carried(%s = %x : tensor<4xf32>) slices(%t = %y : tensor<2x4xf32>) -> tensor<4xf32> {
      %0 = tgraph.add %s, %t : tensor<4xf32>
      tgraph.yield %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    %0 = tgraph.slice %y offsets [0, 0] sizes [1, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<1x4xf32>
    %1 = tgraph.reshape %0 : tensor<1x4xf32> -> tensor<4xf32>
    %2 = tgraph.add %x, %1 : tensor<4xf32>
    %3 = tgraph.slice %y offsets [1, 0] sizes [1, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<1x4xf32>
    %4 = tgraph.reshape %3 : tensor<1x4xf32> -> tensor<4xf32>
    %r = tgraph.add %2, %4 : tensor<4xf32>
    ```
  }];
  let options = [Option<"mostOps", "most-ops", "int64_t", "1024",
                        "Ops, iterations times those of the region, up to which a loop is unrolled">];
}

def GraphSplitConstants : Pass<"graph-split-constants"> {
  let summary = "splits contractions with weights that are too large to bind";
  let description = [{
    Devices bind buffers of limited size. A contraction with a weight (`#tgraph.file`) above the limit
    becomes one for each part of the weight's first dimension. Where the result has that dimension the
    products are concatenated, else added. The parts are ranges of the same file.

    ```mlir
    %w = tgraph.constant #tgraph.file<"m.onnx", 0, 512> : tensor<16x8xf32>
    %r = tgraph.contract "mk,nk->mn" %x, %w : tensor<2x8xf32>, tensor<16x8xf32> -> tensor<2x16xf32>
    ```
    becomes, for max-bytes=256,
    ```mlir
    %w0 = tgraph.constant #tgraph.file<"m.onnx", 0, 256> : tensor<8x8xf32>
    %r0 = tgraph.contract "mk,nk->mn" %x, %w0 : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
    %w1 = tgraph.constant #tgraph.file<"m.onnx", 256, 256> : tensor<8x8xf32>
    %r1 = tgraph.contract "mk,nk->mn" %x, %w1 : tensor<2x8xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
    %r = tgraph.concat %r0, %r1 dim 1 : tensor<2x8xf32>, tensor<2x8xf32> -> tensor<2x16xf32>
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "uint64_t", "UINT64_MAX",
                        "Largest constant that stays whole">];
}

def GraphVerifyStatic : Pass<"graph-verify-static"> {
  let summary = "checks the border of the graph stage: known ops on static shapes";
  let description = [{
    Reports every op in a function that is not of tgraph or a return, every composite, and every type
    with a dynamic dimension, each with what removes it. Runs after `graph-decompose`, before
    `graph-to-view`, which relies on it. Changes nothing.
  }];
}

def GraphResolveGathers : Pass<"graph-resolve-gathers"> {
  let summary = "reads elements at known positions by movement";
  let description = [{
    A gather by one constant tensor of positions, all of them inside, becomes movement where they have a
    simple order: a progression is a slice, backwards a flipped one; positions that each stand k times in a row,
    or sequences that repeat, are a dimension along which nothing changes; at most four of these one after the other are
    concatenated. What exporters and importers write so: enlarging images by whole factors, reflected borders,
    one of several parts.

    ```mlir
    %i = tgraph.constant dense<[1, 1, 2, 2]> : tensor<4xi64>
    %r = tgraph.gather %x, %i {axis = 0 : i64} : tensor<8xf32>, tensor<4xi64> -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = tgraph.slice %x offsets [1] sizes [2] strides [1] : tensor<8xf32> -> tensor<2xf32>
    %1 = tgraph.reshape %0 : tensor<2xf32> -> tensor<2x1xf32>
    %2 = tgraph.expand %1 : tensor<2x1xf32> -> tensor<2x2xf32>
    %r = tgraph.reshape %2 : tensor<2x2xf32> -> tensor<4xf32>
    ```
  }];
}

#endif // TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
