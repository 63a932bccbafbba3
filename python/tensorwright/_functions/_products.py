"""Products, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import Operand, Tensor

__all__ = [
    "conv",
    "conv_transpose",
    "einsum",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "vecdot",
]


def matmul(x1: Operand, x2: Operand) -> Tensor:
    """The matrix product of [..., m, k] and [..., k, n], whose leading dimensions broadcast; vectors as numpy's."""
    return one("matmul", "vv", x1, x2)


def einsum(spec: str, operands: Sequence[Operand]) -> Tensor:
    """Einstein's sum of one or more operands: "bmk,bkn->bmn", a letter for a dimension, each once in an operand."""
    return one("einsum", "sV", spec, operands)


def tensordot(x1: Operand, x2: Operand, axes1: int | Sequence[int], axes2: int | Sequence[int]) -> Tensor:
    """Sums products over axes1 of x1 and axes2 of x2, in pairs; what is left of x1, then of x2."""
    return one("tensordot", "vvII", x1, x2, axes1, axes2)


def vecdot(x1: Operand, x2: Operand, axis: int = -1) -> Tensor:
    """The sum of products along an axis of both, which broadcast."""
    return one("vecdot", "vvi", x1, x2, axis)


def outer(x1: Operand, x2: Operand) -> Tensor:
    """All products of the elements of two vectors, [m] and [n] to [m, n]."""
    return one("outer", "vv", x1, x2)


def matrix_transpose(x: Operand) -> Tensor:
    """The last two dimensions exchanged."""
    return one("matrix_transpose", "v", x)


def conv(x: Operand, weights: Operand, bias: Operand | None = None, strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """Convolution of [n, c, spatial...] with [o, c / groups, spatial...]; padding is one number, one for each spatial dimension, or those before and then those behind."""
    return one("conv", "vvvIIIi", x, weights, bias, strides, padding, dilations, groups)


def conv_transpose(x: Operand, weights: Operand, bias: Operand | None = None, strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The transposed convolution of [n, c, spatial...] with [c, o / groups, spatial...]: sizes (x - 1) * stride - padding + dilation * (k - 1) + output_padding + 1."""
    return one("conv_transpose", "vvvIIIIi", x, weights, bias, strides, padding, output_padding, dilations, groups)
