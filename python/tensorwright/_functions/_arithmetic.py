"""Arithmetic, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tensorwright._trace import Operand, Tensor

__all__ = [
    "abs",
    "add",
    "clip",
    "divide",
    "floor_divide",
    "fmod",
    "logaddexp",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "pow",
    "reciprocal",
    "remainder",
    "sign",
    "square",
    "subtract",
]


def add(x1: Operand, x2: Operand) -> Tensor:
    """x1 + x2; integers wrap."""
    return one("add", "vv", x1, x2)


def subtract(x1: Operand, x2: Operand) -> Tensor:
    """x1 - x2; integers wrap."""
    return one("subtract", "vv", x1, x2)


def multiply(x1: Operand, x2: Operand) -> Tensor:
    """x1 * x2; integers wrap."""
    return one("multiply", "vv", x1, x2)


def divide(x1: Operand, x2: Operand) -> Tensor:
    """x1 / x2, of integers as f32."""
    return one("divide", "vv", x1, x2)


def floor_divide(x1: Operand, x2: Operand) -> Tensor:
    """The largest integer not above x1 / x2; of integers -1 (the greatest, unsigned) by 0."""
    return one("floor_divide", "vv", x1, x2)


def remainder(x1: Operand, x2: Operand) -> Tensor:
    """What floor_divide leaves, of x2's sign; x1 for integers by 0."""
    return one("remainder", "vv", x1, x2)


def fmod(x1: Operand, x2: Operand) -> Tensor:
    """What the truncated quotient leaves, of x1's sign, as fmod of C."""
    return one("fmod", "vv", x1, x2)


def pow(x1: Operand, x2: Operand) -> Tensor:
    """x1 to the power of x2."""
    return one("pow", "vv", x1, x2)


def minimum(x1: Operand, x2: Operand) -> Tensor:
    """The smaller element; NaN where either is."""
    return one("minimum", "vv", x1, x2)


def maximum(x1: Operand, x2: Operand) -> Tensor:
    """The greater element; NaN where either is."""
    return one("maximum", "vv", x1, x2)


def logaddexp(x1: Operand, x2: Operand) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow."""
    return one("logaddexp", "vv", x1, x2)


def negative(x: Operand) -> Tensor:
    """-x."""
    return one("negative", "v", x)


def abs(x: Operand) -> Tensor:
    """The absolute value."""
    return one("abs", "v", x)


def sign(x: Operand) -> Tensor:
    """-1, 0 or 1 as x is below, at or above 0."""
    return one("sign", "v", x)


def square(x: Operand) -> Tensor:
    """x * x."""
    return one("square", "v", x)


def reciprocal(x: Operand) -> Tensor:
    """1 / x."""
    return one("reciprocal", "v", x)


def clip(x: Operand, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Limited to the range from min to max, each of which may be left out."""
    return one("clip", "vvv", x, min, max)
