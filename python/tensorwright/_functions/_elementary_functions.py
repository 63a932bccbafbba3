"""Elementary functions, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tensorwright._trace import Operand, Tensor

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "log",
    "log10",
    "log1p",
    "log2",
    "round",
    "rsqrt",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]


def exp(x: Operand) -> Tensor:
    """The exponential."""
    return one("exp", "v", x)


def exp2(x: Operand) -> Tensor:
    """2 to the power of x."""
    return one("exp2", "v", x)


def expm1(x: Operand) -> Tensor:
    """exp(x) - 1, accurate near 0."""
    return one("expm1", "v", x)


def log(x: Operand) -> Tensor:
    """The natural logarithm."""
    return one("log", "v", x)


def log1p(x: Operand) -> Tensor:
    """log(1 + x), accurate near 0."""
    return one("log1p", "v", x)


def log2(x: Operand) -> Tensor:
    """The logarithm to the base 2."""
    return one("log2", "v", x)


def log10(x: Operand) -> Tensor:
    """The logarithm to the base 10."""
    return one("log10", "v", x)


def sqrt(x: Operand) -> Tensor:
    """The square root."""
    return one("sqrt", "v", x)


def rsqrt(x: Operand) -> Tensor:
    """1 / sqrt(x)."""
    return one("rsqrt", "v", x)


def sin(x: Operand) -> Tensor:
    """The sine of radians."""
    return one("sin", "v", x)


def cos(x: Operand) -> Tensor:
    """The cosine of radians."""
    return one("cos", "v", x)


def tan(x: Operand) -> Tensor:
    """The tangent of radians."""
    return one("tan", "v", x)


def asin(x: Operand) -> Tensor:
    """The arc sine in radians."""
    return one("asin", "v", x)


def acos(x: Operand) -> Tensor:
    """The arc cosine in radians."""
    return one("acos", "v", x)


def atan(x: Operand) -> Tensor:
    """The arc tangent in radians."""
    return one("atan", "v", x)


def sinh(x: Operand) -> Tensor:
    """The hyperbolic sine."""
    return one("sinh", "v", x)


def cosh(x: Operand) -> Tensor:
    """The hyperbolic cosine."""
    return one("cosh", "v", x)


def tanh(x: Operand) -> Tensor:
    """The hyperbolic tangent."""
    return one("tanh", "v", x)


def asinh(x: Operand) -> Tensor:
    """The inverse hyperbolic sine."""
    return one("asinh", "v", x)


def acosh(x: Operand) -> Tensor:
    """The inverse hyperbolic cosine."""
    return one("acosh", "v", x)


def atanh(x: Operand) -> Tensor:
    """The inverse hyperbolic tangent."""
    return one("atanh", "v", x)


def erf(x: Operand) -> Tensor:
    """The error function."""
    return one("erf", "v", x)


def floor(x: Operand) -> Tensor:
    """The largest integer not above; integers stay."""
    return one("floor", "v", x)


def ceil(x: Operand) -> Tensor:
    """The smallest integer not below; integers stay."""
    return one("ceil", "v", x)


def trunc(x: Operand) -> Tensor:
    """The integer next to it towards 0; integers stay."""
    return one("trunc", "v", x)


def round(x: Operand) -> Tensor:
    """The nearest integer, halves to even; integers stay."""
    return one("round", "v", x)
