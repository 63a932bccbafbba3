// Elementwise ops of two operands of one type.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_BINARYOPS_TD
#define TW_DIALECT_GRAPH_BINARYOPS_TD

include "tw/Dialect/Graph/GraphBase.td"

class Graph_BinaryOp<string mnemonic, Type tensor, list<Trait> traits = []>
    : Graph_ElementwiseOp<mnemonic, traits> {
  let arguments = (ins tensor:$lhs, tensor:$rhs);
  let results = (outs tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Graph_AddOp : Graph_BinaryOp<"add", Graph_Tensor, [Commutative]> {
  let summary = "sum";
  let description = [{
    Floats: rounded to nearest even; inf + -inf = NaN. Integers wrap; on bools it is exclusive or.

    ```mlir
    %r = tgraph.add %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_SubOp : Graph_BinaryOp<"sub", Graph_Tensor> {
  let summary = "difference";
  let description = [{
    Floats: rounded to nearest even; inf - inf = NaN. Integers wrap; on bools it is exclusive or.

    ```mlir
    %r = tgraph.sub %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_MulOp : Graph_BinaryOp<"mul", Graph_Tensor, [Commutative]> {
  let summary = "product";
  let description = [{
    Floats: rounded to nearest even; 0 * ±inf = NaN. Integers wrap; on bools it is and.

    ```mlir
    %r = tgraph.mul %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_DivOp : Graph_BinaryOp<"div", Graph_Tensor> {
  let summary = "quotient";
  let description = [{
    Floats: rounded to nearest even; x / ±0 is an infinity, 0 / 0 = NaN. Integers: truncates towards
    zero; x / 0 has all bits set (-1, or the greatest unsigned value), the least value / -1 is the least
    value.

    ```mlir
    %r = tgraph.div %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_RemOp : Graph_BinaryOp<"rem", Graph_Tensor> {
  let summary = "remainder of the truncating quotient";
  let description = [{
    Has the sign of `a`. Integers: rem(x, 0) = x, rem(least, -1) = 0. Floats: exact, as fmod of C:
    rem(x, ±0) = NaN, rem(±inf, y) = NaN, rem(x, ±inf) = x.

    ```mlir
    %r = tgraph.rem %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ModOp : Graph_BinaryOp<"mod", Graph_Tensor> {
  let summary = "remainder of the flooring quotient";
  let description = [{
    Has the sign of `b`: rem(a, b), plus `b` where that is not zero and its sign differs from `b`'s.
    Integers: mod(x, 0) = x. Floats: a zero result has the sign of `b`; mod(x, ±0) = NaN, mod(±inf, y) =
    NaN; mod(x, ±inf) is `x` where signs agree and `b` where they differ.

    ```mlir
    %r = tgraph.mod %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_PowOp : Graph_BinaryOp<"pow", Graph_Tensor> {
  let summary = "power";
  let description = [{
    Floats: as pow of C, so pow(x, 0) = 1 also for NaN, pow(1, y) = 1, pow(x < 0, y not an integer) =
    NaN. Integers: wraps; a negative exponent gives 1 for 1, ±1 for -1 (as the exponent is even or odd)
    and 0 otherwise.

    ```mlir
    %r = tgraph.pow %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_MinimumOp : Graph_BinaryOp<"minimum", Graph_Tensor, [Commutative]> {
  let summary = "smaller value";
  let description = [{
    Floats: NaN where either is NaN; -0 is below +0. Bool: and.

    ```mlir
    %r = tgraph.minimum %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_MaximumOp : Graph_BinaryOp<"maximum", Graph_Tensor, [Commutative]> {
  let summary = "greater value";
  let description = [{
    Floats: NaN where either is NaN; +0 is above -0. Bool: or.

    ```mlir
    %r = tgraph.maximum %a, %b : tensor<4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_AndOp : Graph_BinaryOp<"and", Graph_Integers, [Commutative]> {
  let summary = "bitwise and";
  let description = [{
    On a bool, logical and.

    ```mlir
    %r = tgraph.and %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_OrOp : Graph_BinaryOp<"or", Graph_Integers, [Commutative]> {
  let summary = "bitwise or";
  let description = [{
    On a bool, logical or.

    ```mlir
    %r = tgraph.or %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_XorOp : Graph_BinaryOp<"xor", Graph_Integers, [Commutative]> {
  let summary = "bitwise exclusive or";
  let description = [{
    On a bool, logical exclusive or.

    ```mlir
    %r = tgraph.xor %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Graph_ShlOp : Graph_BinaryOp<"shl", Graph_Integers> {
  let summary = "shift to the left";
  let description = [{
    The amount counts as an unsigned number; at or above the width the result is 0.

    ```mlir
    %r = tgraph.shl %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

def Graph_ShrOp : Graph_BinaryOp<"shr", Graph_Integers> {
  let summary = "shift to the right";
  let description = [{
    Arithmetic for signed integers, logical for unsigned ones and bool. The amount counts as an unsigned
    number; at or above the width the result is 0, or the sign in every bit for signed integers.

    ```mlir
    %r = tgraph.shr %a, %b : tensor<4xi32>
    ```
  }];
  let hasFolder = 1;
}

#endif // TW_DIALECT_GRAPH_BINARYOPS_TD
