// Ops that stand for a graph of simpler ones.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_COMPOSITEOPS_TD
#define TW_DIALECT_GRAPH_COMPOSITEOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

class Graph_CompositeOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<CompositeOpInterface>])>;

def Graph_ReluOp : Graph_CompositeOp<"relu", [Graph_EqualTypes, SameOperandsAndResultType]> {
  let summary = "the value where positive, else zero";
  let description = [{
    `maximum(x, 0)`: NaN gives NaN, -0 gives +0.

    ```mlir
    %r = tgraph.relu %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Graph_GeluOp : Graph_CompositeOp<"gelu", [Graph_EqualTypes, SameOperandsAndResultType]> {
  let summary = "gaussian error linear unit";
  let description = [{
    `erf`: `x / 2 * (1 + erf(x / sqrt(2)))`; `tanh`: `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`.

    ```mlir
    %r = tgraph.gelu erf %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_GeluKindAttr:$kind, Graph_Floats:$input);
  let results = (outs Graph_Floats:$result);
  let assemblyFormat = "$kind $input attr-dict `:` type($result)";
}

class Graph_SoftmaxLikeOp<string mnemonic>
    : Graph_CompositeOp<mnemonic, [Graph_EqualTypes, SameOperandsAndResultType]> {
  let arguments = (ins Graph_Floats:$input, I64Attr:$dim);
  let results = (outs Graph_Floats:$result);
  let assemblyFormat = "$input `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax"> {
  let summary = "exponentials scaled to sum to 1 along a dimension";
  let description = [{
    `e / sum(e)` with `e = exp(x - max(x))`, so finite inputs never overflow. A NaN, an inf, or nothing but
    -inf along the dimension gives NaN along it.

    ```mlir
    %r = tgraph.softmax %x dim 1 : tensor<4x8xf32>
    ```
  }];
}

def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax"> {
  let summary = "logarithm of softmax";
  let description = [{
    `y - log(sum(exp(y)))` with `y = x - max(x)`. NaN as in `tgraph.softmax`.

    ```mlir
    %r = tgraph.log_softmax %x dim 1 : tensor<4x8xf32>
    ```
  }];
}

def Graph_LayerNormOp : Graph_CompositeOp<"layer_norm", [AttrSizedOperandSegments,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "scales to mean 0 and variance 1 over dimensions";
  let description = [{
    `(x - mean) * rsqrt(variance + eps) * scale + bias`, mean and (biased) variance over `dims`, computed in
    two passes: the variance is the mean of `(x - mean)^2`. The reciprocal root is taken once for all that it
    scales. `scale` and `bias` have the dimensions of `dims` in their order, which is ascending.

    ```mlir
    %r = tgraph.layer_norm %x scale %s : tensor<8xf32> bias %b : tensor<8xf32> dims [1] eps 1.0e-05
        : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_Floats:$input, Optional<Graph_Floats>:$scale,
                       Optional<Graph_Floats>:$bias, DenseI64ArrayAttr:$dims, F64Attr:$eps);
  let results = (outs Graph_Floats:$result);
  let assemblyFormat = [{
    $input (`scale` $scale^ `:` type($scale))? (`bias` $bias^ `:` type($bias))?
    `dims` $dims `eps` $eps attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_BatchNormOp : Graph_CompositeOp<"batch_norm", [AllTypesMatch<["input", "result"]>,
    AllTypesMatch<["scale", "bias", "mean", "variance"]>]> {
  let summary = "scales channels by given statistics";
  let description = [{
    `x * a + (bias - mean * a)` with `a = scale / sqrt(variance + eps)`; one scale, bias, mean and
    variance per element of dimension 1.

    ```mlir
    %r = tgraph.batch_norm %x, %scale, %bias, %mean, %variance eps 1.0e-05
        : tensor<1x4x8x8xf32>, tensor<4xf32>
    ```
  }];
  let arguments = (ins Graph_Floats:$input, Graph_Floats:$scale, Graph_Floats:$bias,
                       Graph_Floats:$mean, Graph_Floats:$variance, F64Attr:$eps);
  let results = (outs Graph_Floats:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `eps` $eps attr-dict
    `:` type($input) `,` type($scale)
  }];
  let hasVerifier = 1;
}

def Graph_ArgSortOp : Graph_InferredOp<"arg_sort", [DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "where the elements that come first in an order are";
  let description = [{
    The positions along `dim` of its first `first` elements in ascending, or `descending`, order, as i64; all
    of a dimension's elements, or -1 however many those are, sort it. Of equal elements the one at the lower position comes first. NaN
    counts as greater than all else, -0 equals +0. What lies there is read with `tgraph.gather`.

    Compared in pairs where they are few, and by digits where they are many.

    ```mlir
    %p = tgraph.arg_sort %x dim 1 first 8 : tensor<4x8xf32> -> tensor<4x8xi64>
    %q = tgraph.arg_sort %x dim 1 descending first 3 : tensor<4x8xf32> -> tensor<4x3xi64>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, I64Attr:$dim, UnitAttr:$descending, I64Attr:$first);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $input `dim` $dim (`descending` $descending^)? `first` $first attr-dict
    `:` type($input) `->` type($result)
  }];
}

def Graph_RandomOp : Graph_CompositeOp<"random", [AllTypesMatch<["key", "counter"]>]> {
  let summary = "random numbers of a counter";
  let description = [{
    Words of Philox 4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011) with the
    64 bits of `key` and the counter `counter + i`, i = 0, 1 ...: four words for each i, one after the other, are
    the elements of the result, the last dimension fastest; an f64 takes two, the first the low one. The same on
    all targets; a later call continues at `counter` plus a fourth of the words, rounded up.

    `bits`: the words. `uniform`: from 0 up to 1, the high 24 (of f64 the high 53) bits, scaled. `normal`: of mean 0 and
    deviation 1, by pairs of uniform numbers u, v (Box and Muller): `sqrt(-2 log(1 - u))` times
    `cos(2 pi v)` and `sin(2 pi v)`.

    ```mlir
    %b = tgraph.random bits %key, %counter : tensor<ui64> -> tensor<4x8xui32>
    %u = tgraph.random uniform %key, %counter : tensor<ui64> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_RandomKindAttr:$kind, 0DTensorOf<[UI64]>:$key, 0DTensorOf<[UI64]>:$counter);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$kind $key `,` $counter attr-dict `:` type($key) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TW_DIALECT_GRAPH_COMPOSITEOPS_TD
