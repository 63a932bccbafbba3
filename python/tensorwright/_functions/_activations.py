"""Activations, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tensorwright._trace import Operand, Tensor

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softmax",
    "softplus",
]


def relu(x: Operand) -> Tensor:
    """maximum(x, 0)."""
    return one("relu", "v", x)


def relu6(x: Operand) -> Tensor:
    """x limited to the range from 0 to 6."""
    return one("relu6", "v", x)


def leaky_relu(x: Operand, negative_slope: float = 0.01) -> Tensor:
    """x, times negative_slope where it is negative."""
    return one("leaky_relu", "vn", x, negative_slope)


def prelu(x: Operand, weight: Operand) -> Tensor:
    """x, times weight where it is negative."""
    return one("prelu", "vv", x, weight)


def elu(x: Operand, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x) - 1) where it is negative."""
    return one("elu", "vn", x, alpha)


def celu(x: Operand, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x / alpha) - 1) where it is negative."""
    return one("celu", "vn", x, alpha)


def selu(x: Operand) -> Tensor:
    """elu with the constants of self-normalizing networks."""
    return one("selu", "v", x)


def gelu(x: Operand, approximate: bool = True) -> Tensor:
    """x * P(X <= x) of a standard normal X, by tanh where approximate, else by erf."""
    return one("gelu", "vb", x, approximate)


def sigmoid(x: Operand) -> Tensor:
    """1 / (1 + exp(-x))."""
    return one("sigmoid", "v", x)


def log_sigmoid(x: Operand) -> Tensor:
    """log(sigmoid(x)) without overflow."""
    return one("log_sigmoid", "v", x)


def silu(x: Operand) -> Tensor:
    """x * sigmoid(x)."""
    return one("silu", "v", x)


def mish(x: Operand) -> Tensor:
    """x * tanh(softplus(x))."""
    return one("mish", "v", x)


def softplus(x: Operand) -> Tensor:
    """log(1 + exp(x)) without overflow."""
    return one("softplus", "v", x)


def soft_sign(x: Operand) -> Tensor:
    """x / (1 + abs(x))."""
    return one("soft_sign", "v", x)


def hard_sigmoid(x: Operand) -> Tensor:
    """x / 6 + 1 / 2 limited to the range from 0 to 1."""
    return one("hard_sigmoid", "v", x)


def hard_silu(x: Operand) -> Tensor:
    """x * hard_sigmoid(x)."""
    return one("hard_silu", "v", x)


def hard_tanh(x: Operand) -> Tensor:
    """x limited to the range from -1 to 1."""
    return one("hard_tanh", "v", x)


def glu(x: Operand, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
    return one("glu", "vi", x, axis)


def softmax(x: Operand, axis: int = -1) -> Tensor:
    """Exponentials scaled to the sum 1 along an axis."""
    return one("softmax", "vi", x, axis)


def log_softmax(x: Operand, axis: int = -1) -> Tensor:
    """The logarithm of softmax."""
    return one("log_softmax", "vi", x, axis)
