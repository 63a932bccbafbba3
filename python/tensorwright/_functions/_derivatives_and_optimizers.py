"""Derivatives and optimizers, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import many, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import Operand, Tensor

__all__ = [
    "adagrad",
    "adam",
    "adamw",
    "clip_by_norm",
    "lion",
    "rmsprop",
    "sgd",
    "stop_gradient",
]


def stop_gradient(x: Operand) -> Tensor:
    """x, which grad takes for a constant."""
    return one("stop_gradient", "v", x)


def clip_by_norm(gradients: Sequence[Operand], max_norm: float) -> tuple[Tensor, ...]:
    """All of them times one factor, so that the norm of all together is at most max_norm."""
    return many("clip_by_norm", "Vn", gradients, max_norm)


def sgd(parameter: Operand, gradient: Operand, rate: Operand, velocity: Operand | None = None, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> tuple[Tensor, ...]:
    """Gradient descent: the next parameter and, if there is one, the next velocity = momentum * velocity + (1 - dampening) * gradient."""
    return many("sgd", "vvvvnnnb", parameter, gradient, rate, velocity, momentum, dampening, weight_decay, nesterov)


def adam(parameter: Operand, gradient: Operand, mean: Operand, variance: Operand, step: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, mean and variance; step counts from 1; decay is added to the gradient."""
    return many("adam", "vvvvvvnnnn", parameter, gradient, mean, variance, step, rate, beta1, beta2, eps, weight_decay)


def adamw(parameter: Operand, gradient: Operand, mean: Operand, variance: Operand, step: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01) -> tuple[Tensor, ...]:
    """adam whose decay shrinks the parameter by rate * weight_decay."""
    return many("adamw", "vvvvvvnnnn", parameter, gradient, mean, variance, step, rate, beta1, beta2, eps, weight_decay)


def rmsprop(parameter: Operand, gradient: Operand, variance: Operand, rate: Operand, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * gradient / (sqrt(variance) + eps), and the next variance."""
    return many("rmsprop", "vvvvnnn", parameter, gradient, variance, rate, alpha, eps, weight_decay)


def adagrad(parameter: Operand, gradient: Operand, total: Operand, rate: Operand, eps: float = 1e-10, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * gradient / (sqrt(total) + eps), and the next total of squares."""
    return many("adagrad", "vvvvnn", parameter, gradient, total, rate, eps, weight_decay)


def lion(parameter: Operand, gradient: Operand, mean: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * sign(beta1 * mean + (1 - beta1) * gradient), and the next mean."""
    return many("lion", "vvvvnnn", parameter, gradient, mean, rate, beta1, beta2, weight_decay)
