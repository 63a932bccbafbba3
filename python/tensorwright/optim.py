"""Optimizers: what the next parameters are, from parameters and their derivatives.

An optimizer has two functions of trees: `init(params)` gives its state, zeros of the parameters'
types, and `update(params, grads, state)` the next parameters and state. They are part of a function
that is traced, or are called with arrays. The rate may be given to each update.

>>> import tensorwright as tw, numpy as np
>>> optimizer = tw.optim.Adam(0.1)
>>> @tw.jit
... def step(w, state):
...     loss, grads = tw.value_and_grad(lambda w: tw.sum((w - 3) ** 2))(w)
...     return loss, *optimizer.update(w, grads, state)
>>> w = np.zeros(2, "float32")
>>> state = optimizer.init(w)
>>> for _ in range(200):
...     loss, w, state = step(w, state)
>>> np.round(w, 2).tolist()
[3.0, 3.0]
"""

from __future__ import annotations

from tensorwright._jit import Jitted
from tensorwright._trace import Tensor, get_dtype, is_tracing, many, one
from tensorwright._tree import flatten, tree_map, unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tensorwright._trace import Operand

__all__ = ["SGD", "Adam", "AdamW"]


def _zeros(x: Any) -> Any:
    if isinstance(x, Tensor):
        return one("zeros_like", "v", x)
    import numpy

    dtype = getattr(x, "dtype", "float32")
    return numpy.zeros(getattr(x, "shape", ()), dtype if isinstance(dtype, numpy.dtype) else get_dtype(dtype))


def _apply(function: Callable[..., tuple[Any, ...]], params: Any, *trees: Any) -> tuple[Any, ...]:
    """Trees of what a function of leaves gives, one for each of its results."""
    rows: list[Any] = []
    leaves: list[Any] = []
    structure = flatten(params, leaves)
    # A row is a leaf for tree_map, whatever it is a tuple of.
    tree_map(lambda *row: rows.append(function(*row)), params, *trees)
    return tuple(unflatten(structure, iter(column)) for column in zip(*rows))


class _Optimizer:
    def __init__(self, rate: Operand) -> None:
        self.rate = rate
        self._update = Jitted(self._trace)

    def init(self, params: Any) -> dict[str, Any]:
        """The state to begin with."""
        raise NotImplementedError

    def update(self, params: Any, grads: Any, state: dict[str, Any], rate: Operand | None = None) -> tuple[Any, Any]:
        """The next parameters and the next state. `rate`, a number or a scalar, replaces the optimizer's."""
        result: tuple[Any, Any] = (self._trace if is_tracing() else self._update)(params, grads, state, rate)
        return result

    def _trace(self, params: Any, grads: Any, state: dict[str, Any], rate: Operand | None) -> tuple[Any, Any]:
        return self._step(params, grads, state, self.rate if rate is None else rate)

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: Operand) -> tuple[Any, Any]:
        raise NotImplementedError


class SGD(_Optimizer):
    """Gradient descent, with momentum where it is not 0; see the function `sgd`."""

    def __init__(
        self,
        rate: Operand,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(rate)
        self._options = (momentum, dampening, weight_decay, nesterov)

    def init(self, params: Any) -> dict[str, Any]:
        return {"velocity": tree_map(_zeros, params)} if self._options[0] else {}

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: Operand) -> tuple[Any, Any]:
        if not state:
            apply = lambda w, g: many("sgd", "vvvvnnnb", w, g, rate, None, *self._options)
            return _apply(apply, params, grads)[0], {}
        apply_kept = lambda w, g, v: many("sgd", "vvvvnnnb", w, g, rate, v, *self._options)
        params, velocity = _apply(apply_kept, params, grads, state["velocity"])
        return params, {"velocity": velocity}


class Adam(_Optimizer):
    """Adam; the decay is added to the derivatives; see the function `adam`."""

    _op = "adam"

    def __init__(
        self,
        rate: Operand = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(rate)
        self._options = (beta1, beta2, eps, weight_decay)

    def init(self, params: Any) -> dict[str, Any]:
        if is_tracing():
            step: Any = one("zeros", "IT", (), "int64")
        else:
            import numpy

            step = numpy.zeros((), "int64")
        return {"step": step, "mean": tree_map(_zeros, params), "variance": tree_map(_zeros, params)}

    def _step(self, params: Any, grads: Any, state: dict[str, Any], rate: Operand) -> tuple[Any, Any]:
        step = one("add", "vv", state["step"], 1)
        apply = lambda w, g, m, v: many(self._op, "vvvvvvnnnn", w, g, m, v, step, rate, *self._options)
        params, mean, variance = _apply(apply, params, grads, state["mean"], state["variance"])
        return params, {"step": step, "mean": mean, "variance": variance}


class AdamW(Adam):
    """Adam whose decay shrinks the parameters by rate * weight_decay; see the function `adamw`."""

    _op = "adamw"

    def __init__(
        self,
        rate: Operand = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(rate, beta1, beta2, eps, weight_decay)
