"""Bits, comparison, choice, conversion, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tensorwright._trace import DTypeLike, Operand, Tensor

__all__ = [
    "astype",
    "bitcast",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "equal",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "where",
]


def bitwise_and(x1: Operand, x2: Operand) -> Tensor:
    """And of the bits of integers or bools."""
    return one("bitwise_and", "vv", x1, x2)


def bitwise_or(x1: Operand, x2: Operand) -> Tensor:
    """Or of the bits of integers or bools."""
    return one("bitwise_or", "vv", x1, x2)


def bitwise_xor(x1: Operand, x2: Operand) -> Tensor:
    """Exclusive or of the bits of integers or bools."""
    return one("bitwise_xor", "vv", x1, x2)


def bitwise_invert(x: Operand) -> Tensor:
    """The complement of the bits of integers or bools."""
    return one("bitwise_invert", "v", x)


def bitwise_left_shift(x1: Operand, x2: Operand) -> Tensor:
    """x1 shifted to the left by x2 bits; 0 at or above the width."""
    return one("bitwise_left_shift", "vv", x1, x2)


def bitwise_right_shift(x1: Operand, x2: Operand) -> Tensor:
    """x1 shifted to the right by x2 bits, with its sign where it has one."""
    return one("bitwise_right_shift", "vv", x1, x2)


def logical_and(x1: Operand, x2: Operand) -> Tensor:
    """Whether both are true (not 0)."""
    return one("logical_and", "vv", x1, x2)


def logical_or(x1: Operand, x2: Operand) -> Tensor:
    """Whether either is true (not 0)."""
    return one("logical_or", "vv", x1, x2)


def logical_xor(x1: Operand, x2: Operand) -> Tensor:
    """Whether one alone is true (not 0)."""
    return one("logical_xor", "vv", x1, x2)


def logical_not(x: Operand) -> Tensor:
    """Whether it is false (0)."""
    return one("logical_not", "v", x)


def equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 == x2 as bools."""
    return one("equal", "vv", x1, x2)


def not_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 != x2 as bools."""
    return one("not_equal", "vv", x1, x2)


def less(x1: Operand, x2: Operand) -> Tensor:
    """x1 < x2 as bools."""
    return one("less", "vv", x1, x2)


def less_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 <= x2 as bools."""
    return one("less_equal", "vv", x1, x2)


def greater(x1: Operand, x2: Operand) -> Tensor:
    """x1 > x2 as bools."""
    return one("greater", "vv", x1, x2)


def greater_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 >= x2 as bools."""
    return one("greater_equal", "vv", x1, x2)


def isnan(x: Operand) -> Tensor:
    """Whether it is NaN."""
    return one("isnan", "v", x)


def isinf(x: Operand) -> Tensor:
    """Whether it is an infinity."""
    return one("isinf", "v", x)


def isfinite(x: Operand) -> Tensor:
    """Whether it is neither NaN nor an infinity."""
    return one("isfinite", "v", x)


def where(condition: Operand, x1: Operand, x2: Operand) -> Tensor:
    """The element of x1 where the condition, bools, holds, else that of x2."""
    return one("where", "vvv", condition, x1, x2)


def astype(x: Operand, dtype: DTypeLike) -> Tensor:
    """Converted: floats to integers truncate and saturate, integers to integers wrap, to bool x != 0."""
    return one("astype", "vT", x, dtype)


def bitcast(x: Operand, dtype: DTypeLike) -> Tensor:
    """The same bits as another type of as many, which are 8 at least."""
    return one("bitcast", "vT", x, dtype)
