// Elementwise ops of one operand.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_UNARYOPS_TD
#define TW_DIALECT_GRAPH_UNARYOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

class Graph_UnaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, traits> {
  let arguments = (ins tensor:$input);
  let results = (outs tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Graph_NegOp : Graph_UnaryOp<"neg", Graph_Tensor> {
  let summary = "negation";
  let description = [{
    Floats: flips the sign, also of zeros, infinities and NaN. Integers: `0 - x`, wrapping, so the least
    value is its own negative.

    ```mlir
    %r = tgraph.neg %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_AbsOp : Graph_UnaryOp<"abs", Graph_Tensor> {
  let summary = "absolute value";
  let description = [{
    Floats: clears the sign; a NaN stays NaN. Integers: `x < 0 ? 0 - x : x`, wrapping, so the least
    value stays. Unsigned and bool: the identity.

    ```mlir
    %r = tgraph.abs %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_SignOp : Graph_UnaryOp<"sign", Graph_Tensor> {
  let summary = "sign";
  let description = [{
    -1, 0 or 1 as `x` is below, at or above zero. Floats: a zero keeps its sign, NaN gives NaN. Unsigned
    and bool: `x != 0`.

    ```mlir
    %r = tgraph.sign %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ExpOp : Graph_UnaryOp<"exp", Graph_Floats> {
  let summary = "exponential";
  let description = [{
    `e^x`. exp(-inf) = 0, exp(inf) = inf, NaN gives NaN. Overflow gives inf, underflow a subnormal or 0.

    ```mlir
    %r = tgraph.exp %x : tensor<4xf32>
    ```
  }];
}

def Graph_LogOp : Graph_UnaryOp<"log", Graph_Floats> {
  let summary = "natural logarithm";
  let description = [{
    log(±0) = -inf, log(x < 0) = NaN, log(inf) = inf, NaN gives NaN.

    ```mlir
    %r = tgraph.log %x : tensor<4xf32>
    ```
  }];
}

def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Graph_Floats> {
  let summary = "square root";
  let description = [{
    Correctly rounded. sqrt(-0) = -0, sqrt(x < 0) = NaN, sqrt(inf) = inf, NaN gives NaN.

    ```mlir
    %r = tgraph.sqrt %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", Graph_Floats> {
  let summary = "reciprocal of the square root";
  let description = [{
    Within 2 units in the last place of `1 / sqrt(x)`. rsqrt(±0) = ±inf, rsqrt(x < 0) = NaN, rsqrt(inf) = 0.

    ```mlir
    %r = tgraph.rsqrt %x : tensor<4xf32>
    ```
  }];
}

def Graph_ReciprocalOp : Graph_UnaryOp<"reciprocal", Graph_Floats> {
  let summary = "reciprocal";
  let description = [{
    `1 / x`, correctly rounded. reciprocal(±0) = ±inf, reciprocal(±inf) = ±0, NaN gives NaN.

    ```mlir
    %r = tgraph.reciprocal %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", Graph_Floats, [DeclareOpInterfaceMethods<CompositeOpInterface>]> {
  let summary = "logistic function";
  let description = [{
    `1 / (1 + exp(-x))`, which saturates: sigmoid(-inf) = 0, sigmoid(inf) = 1, and no finite input gives
    NaN.

    ```mlir
    %r = tgraph.sigmoid %x : tensor<4xf32>
    ```
  }];
}

def Graph_TanhOp : Graph_UnaryOp<"tanh", Graph_Floats> {
  let summary = "hyperbolic tangent";
  let description = [{
    tanh(±0) = ±0, tanh(±inf) = ±1, NaN gives NaN.

    ```mlir
    %r = tgraph.tanh %x : tensor<4xf32>
    ```
  }];
}

def Graph_ErfOp : Graph_UnaryOp<"erf", Graph_Floats> {
  let summary = "error function";
  let description = [{
    erf(±0) = ±0, erf(±inf) = ±1, NaN gives NaN.

    ```mlir
    %r = tgraph.erf %x : tensor<4xf32>
    ```
  }];
}

def Graph_FloorOp : Graph_UnaryOp<"floor", Graph_Floats> {
  let summary = "largest integer not above";
  let description = [{
    Exact. Zeros, infinities and NaN stay as they are.

    ```mlir
    %r = tgraph.floor %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_CeilOp : Graph_UnaryOp<"ceil", Graph_Floats> {
  let summary = "smallest integer not below";
  let description = [{
    Exact. Zeros, infinities and NaN stay as they are; ceil(-0.5) = -0.

    ```mlir
    %r = tgraph.ceil %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_RoundOp : Graph_UnaryOp<"round", Graph_Floats> {
  let summary = "nearest integer, halves to even";
  let description = [{
    Exact. round(0.5) = 0, round(1.5) = 2, round(-0.5) = -0. Zeros, infinities and NaN stay.

    ```mlir
    %r = tgraph.round %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_SinOp : Graph_UnaryOp<"sin", Graph_Floats> {
  let summary = "sine";
  let description = [{
    Of radians. sin(±0) = ±0, sin(±inf) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.sin %x : tensor<4xf32>
    ```
  }];
}

def Graph_CosOp : Graph_UnaryOp<"cos", Graph_Floats> {
  let summary = "cosine";
  let description = [{
    Of radians. cos(±inf) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.cos %x : tensor<4xf32>
    ```
  }];
}

def Graph_TanOp : Graph_UnaryOp<"tan", Graph_Floats> {
  let summary = "tangent";
  let description = [{
    Of radians. tan(±0) = ±0, tan(±inf) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.tan %x : tensor<4xf32>
    ```
  }];
}

def Graph_AsinOp : Graph_UnaryOp<"asin", Graph_Floats> {
  let summary = "arc sine";
  let description = [{
    In radians, from -pi/2 to pi/2. asin(±0) = ±0, asin(|x| > 1) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.asin %x : tensor<4xf32>
    ```
  }];
}

def Graph_AcosOp : Graph_UnaryOp<"acos", Graph_Floats> {
  let summary = "arc cosine";
  let description = [{
    In radians, from 0 to pi. acos(|x| > 1) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.acos %x : tensor<4xf32>
    ```
  }];
}

def Graph_AtanOp : Graph_UnaryOp<"atan", Graph_Floats> {
  let summary = "arc tangent";
  let description = [{
    In radians, from -pi/2 to pi/2. atan(±0) = ±0, atan(±inf) = ±pi/2, NaN gives NaN.

    ```mlir
    %r = tgraph.atan %x : tensor<4xf32>
    ```
  }];
}

def Graph_SinhOp : Graph_UnaryOp<"sinh", Graph_Floats> {
  let summary = "hyperbolic sine";
  let description = [{
    sinh(±0) = ±0, sinh(±inf) = ±inf, NaN gives NaN. Overflow gives an infinity.

    ```mlir
    %r = tgraph.sinh %x : tensor<4xf32>
    ```
  }];
}

def Graph_CoshOp : Graph_UnaryOp<"cosh", Graph_Floats> {
  let summary = "hyperbolic cosine";
  let description = [{
    cosh(±inf) = inf, NaN gives NaN. Overflow gives inf.

    ```mlir
    %r = tgraph.cosh %x : tensor<4xf32>
    ```
  }];
}

def Graph_AsinhOp : Graph_UnaryOp<"asinh", Graph_Floats> {
  let summary = "inverse hyperbolic sine";
  let description = [{
    asinh(±0) = ±0, asinh(±inf) = ±inf, NaN gives NaN.

    ```mlir
    %r = tgraph.asinh %x : tensor<4xf32>
    ```
  }];
}

def Graph_AcoshOp : Graph_UnaryOp<"acosh", Graph_Floats> {
  let summary = "inverse hyperbolic cosine";
  let description = [{
    acosh(1) = 0, acosh(x < 1) = NaN, acosh(inf) = inf, NaN gives NaN.

    ```mlir
    %r = tgraph.acosh %x : tensor<4xf32>
    ```
  }];
}

def Graph_AtanhOp : Graph_UnaryOp<"atanh", Graph_Floats> {
  let summary = "inverse hyperbolic tangent";
  let description = [{
    atanh(±0) = ±0, atanh(±1) = ±inf, atanh(|x| > 1) = NaN, NaN gives NaN.

    ```mlir
    %r = tgraph.atanh %x : tensor<4xf32>
    ```
  }];
}

def Graph_NotOp : Graph_UnaryOp<"not", Graph_Integers> {
  let summary = "bitwise complement";
  let description = [{
    Flips every bit; on a bool, logical negation.

    ```mlir
    %r = tgraph.not %x : tensor<4xi1>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

// The result is a bool tensor of the operand's shape.
class Graph_ClassifyOp<string mnemonic> : Graph_InferredOp<mnemonic, [
    DeclareOpInterfaceMethods<ElementwiseOpInterface>]> {
  let arguments = (ins Graph_Floats:$input);
  let results = (outs Graph_Bool:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Graph_IsNanOp : Graph_ClassifyOp<"is_nan"> {
  let summary = "whether elements are NaN";
  let description = [{
    True for every NaN, false for all else.

    ```mlir
    %r = tgraph.is_nan %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_IsInfOp : Graph_ClassifyOp<"is_inf"> {
  let summary = "whether elements are infinite";
  let description = [{
    True for both infinities, false for all else, also for NaN.

    ```mlir
    %r = tgraph.is_inf %x : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

#endif // TW_DIALECT_GRAPH_UNARYOPS_TD
