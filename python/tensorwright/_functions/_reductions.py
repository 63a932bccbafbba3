"""Reductions, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import Operand, Tensor

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "avg_pool",
    "cumulative_max",
    "cumulative_min",
    "cumulative_prod",
    "cumulative_sum",
    "global_avg_pool",
    "logsumexp",
    "max",
    "max_pool",
    "mean",
    "min",
    "norm",
    "prod",
    "reduce_window",
    "std",
    "sum",
    "var",
]


def sum(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes, or all; of the operand's type."""
    return one("sum", "vIb", x, axis, keepdims)


def prod(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The product over axes, or all; of the operand's type."""
    return one("prod", "vIb", x, axis, keepdims)


def max(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The greatest element over axes, or all; NaN if there is one."""
    return one("max", "vIb", x, axis, keepdims)


def min(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The smallest element over axes, or all; NaN if there is one."""
    return one("min", "vIb", x, axis, keepdims)


def all(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements over axes, or all, are true (not 0)."""
    return one("all", "vIb", x, axis, keepdims)


def any(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether an element over axes, or all, is true (not 0)."""
    return one("any", "vIb", x, axis, keepdims)


def mean(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The mean over axes, or all."""
    return one("mean", "vIb", x, axis, keepdims)


def var(x: Operand, axis: int | Sequence[int] | None = None, correction: float = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes, or all: squares of differences from the mean over their number less the correction."""
    return one("var", "vInb", x, axis, correction, keepdims)


def std(x: Operand, axis: int | Sequence[int] | None = None, correction: float = 0, keepdims: bool = False) -> Tensor:
    """The square root of var."""
    return one("std", "vInb", x, axis, correction, keepdims)


def logsumexp(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes, or all, without overflow."""
    return one("logsumexp", "vIb", x, axis, keepdims)


def norm(x: Operand, axis: int | Sequence[int] | None = None, ord: float = 2, keepdims: bool = False) -> Tensor:
    """The vector norm over axes, or all: 1, 2 or inf."""
    return one("norm", "vInb", x, axis, ord, keepdims)


def argmax(x: Operand, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The first index, i64, of the greatest element along an axis; NaN wins."""
    return one("argmax", "vib", x, axis, keepdims)


def argmin(x: Operand, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The first index, i64, of the smallest element along an axis; NaN wins."""
    return one("argmin", "vib", x, axis, keepdims)


def cumulative_sum(x: Operand, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Sums up to each element, with it, or without it where exclusive; from the end with reverse."""
    return one("cumulative_sum", "vibb", x, axis, exclusive, reverse)


def cumulative_prod(x: Operand, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Products up to each element."""
    return one("cumulative_prod", "vibb", x, axis, exclusive, reverse)


def cumulative_max(x: Operand, axis: int = -1, reverse: bool = False) -> Tensor:
    """The greatest element up to each."""
    return one("cumulative_max", "vib", x, axis, reverse)


def cumulative_min(x: Operand, axis: int = -1, reverse: bool = False) -> Tensor:
    """The smallest element up to each."""
    return one("cumulative_min", "vib", x, axis, reverse)


def reduce_window(x: Operand, kind: str, window: int | Sequence[int], strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1) -> Tensor:
    """"add", "mul", "max" or "min" of sliding windows, one number for each dimension; what lies outside has no influence."""
    return one("reduce_window", "vsIIII", x, kind, window, strides, padding, dilations)


def max_pool(x: Operand, window: int | Sequence[int], strides: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1) -> Tensor:
    """The greatest element of windows of the spatial dimensions of [n, c, spatial...]; windows side by side without strides."""
    return one("max_pool", "vIIII", x, window, strides, padding, dilations)


def avg_pool(x: Operand, window: int | Sequence[int], strides: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, count_include_pad: bool = True) -> Tensor:
    """The mean of windows of the spatial dimensions of [n, c, spatial...]; padding counts as zeros, or not at all."""
    return one("avg_pool", "vIIIb", x, window, strides, padding, count_include_pad)


def global_avg_pool(x: Operand) -> Tensor:
    """The mean over the spatial dimensions of [n, c, spatial...], which stay with size 1."""
    return one("global_avg_pool", "v", x)
