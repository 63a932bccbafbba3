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
}

def GraphFoldConstants : Pass<"graph-fold-constants"> {
  let summary = "evaluates small subgraphs of constants";
  let description = [{
    Asks the interpreter for every value that depends on constants only and is read by something that
    does not, and puts an inline constant in its place if it is small. Constants in files take part
    when `folder` is given and they are small, so the parameters of a batch normalisation become one
    factor and one offset; weights are never read. What only repeats a value (`tgraph.expand`,
    `tgraph.iota`, a splat) stays as it is: reading it repeatedly is cheaper than a bigger constant. Runs
    after `graph-decompose` and `canonicalize`, whose folders leave to it what is not exact.

    ```mlir
    %a = tgraph.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %r = tgraph.rsqrt %a : tensor<2xf32>
    ```
    becomes
    ```mlir
    %r = tgraph.constant dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>
    ```
  }];
  let options = [
    Option<"folder", "folder", "std::string", "\"\"",
           "Folder beneath which #tgraph.file constants lie (the model's); none: they stay untouched">,
    Option<"named", "named", "std::string", "\"\"",
           "File of the folder that may be a link to elsewhere: the one that the user has named">,
    Option<"followLinks", "follow-links", "bool", "false",
           "Let other files be links to elsewhere, too">,
    Option<"maxResult", "max-result", "int64_t", "65536",
           "Largest constant to put into the program, in bytes">,
    Option<"maxOperand", "max-operand", "int64_t", "1048576",
           "Largest constant to read, and largest value on the way, in bytes">];
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

#endif // TW_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
