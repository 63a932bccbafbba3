"""Optimizers: what the next parameters are, from parameters and their derivatives.

An optimizer has two functions of trees: `init(params)` gives its state, zeros of the parameters'
types, and `update(params, grads, state)` the next parameters and state. They are part of a function
that is traced, or are called with arrays. The rate, `lr`, is a number, a scalar, or a function of the step,
a float32 scalar that counts from 0: a schedule. It may be given to each update.

>>> import tensorwright as tw, numpy as np
>>> optimizer = tw.optim.Adam(tw.optim.cosine_decay(0.1, 400))
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

from tensorwright import _errors, _functions as f
from tensorwright._jit import Jitted
from tensorwright._trace import Tensor, fail, get_dtype, is_tracing, many
from tensorwright._tree import flatten, names, tree_map, unflatten
from tensorwright.init import _align

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from tensorwright._trace import Operand

    # A number, a scalar, or a function of the step that gives one.
    Rate: TypeAlias = Any

__all__ = [
    "Accumulate",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "LossScale",
    "RMSprop",
    "SGD",
    "clip_by_norm",
    "cosine_decay",
    "exponential_decay",
    "linear",
    "moving_average",
    "piecewise_constant",
]


_NARROW = (
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
)


def _zeros(x: Any) -> Any:
    """Zeros like a parameter: of float32 where that is narrower, since squares of derivatives and what
    is added to an average are below what such a type has."""
    if isinstance(x, Tensor):
        return f.zeros(x.shape, "float32" if x.dtype in _NARROW else x.dtype)
    import numpy

    dtype = getattr(x, "dtype", "float32")
    if str(dtype) in _NARROW or not isinstance(dtype, numpy.dtype) and get_dtype(dtype) in _NARROW:
        dtype = numpy.dtype("float32")
    zeros = numpy.zeros(getattr(x, "shape", ()), dtype if isinstance(dtype, numpy.dtype) else get_dtype(dtype))
    return _align(zeros)


def _check(params: Any, grads: Any, state: dict[str, Any], needed: Sequence[str]) -> None:
    """Derivatives have their parameters' shapes, and the state what `init` puts there."""
    for name in needed:
        if name not in state:
            fail(
                f"the optimizer's state has no '{name}', found {sorted(state)}",
                "T0507",
                "Begin with what its init(params) gives.",
                _errors.ArgumentError,
            )

    def compare(name: str, w: Any, g: Any) -> None:
        if tuple(getattr(w, "shape", ())) != tuple(getattr(g, "shape", ())):
            fail(
                f"the derivative of '{name}' has shape {list(g.shape)}, expected {list(w.shape)}, the parameter's",
                "T0507",
                "Give derivatives by the same parameters.",
                _errors.ArgumentError,
            )

    row = iter(list(names(params, "params")))
    tree_map(lambda w, g: compare(next(row), w, g), params, grads)


def _scalar(value: float, dtype: str) -> Any:
    if is_tracing():
        return f.full((), value, dtype)
    import numpy

    return numpy.full((), value, dtype)


def _apply(function: Callable[..., tuple[Any, ...]], params: Any, *trees: Any) -> tuple[Any, ...]:
    """Trees of what a function of leaves gives, one for each of its results."""
    rows: list[Any] = []
    leaves: list[Any] = []
    structure = flatten(params, leaves)
    # A row is a leaf for tree_map, whatever it is a tuple of.
    tree_map(lambda *row: rows.append(function(*row)), params, *trees)
    return tuple(unflatten(structure, iter(column)) for column in zip(*rows))


def _choose(condition: Any, then: Any, otherwise: Any) -> Any:
    return tree_map(lambda a, b: f.where(condition, a, b), then, otherwise)


class _Optimizer:
    """Each leaf is updated by a function of the front end: `_op`, of parameter, gradient, the trees of
    the state that `_kept` names, the step where `_counts`, and the rate; `_options` are its others."""

    _op = ""
    _kept: tuple[str, ...] = ()
    _counts = False

    def __init__(self, lr: Rate, *options: Any) -> None:
        self.lr = lr
        self._options = options
        self._update = Jitted(self._trace)

    def init(self, params: Any) -> dict[str, Any]:
        """The state to begin with."""
        state = {"step": _scalar(0, "int64")} if self._counts or callable(self.lr) else {}
        return state | {name: tree_map(_zeros, params) for name in self._kept}

    def update(self, params: Any, grads: Any, state: dict[str, Any], lr: Operand | None = None) -> tuple[Any, Any]:
        """The next parameters and the next state. `lr`, a number or a scalar, replaces the optimizer's."""
        result: tuple[Any, Any] = (self._trace if is_tracing() else self._update)(params, grads, state, lr)
        return result

    def _trace(self, params: Any, grads: Any, state: dict[str, Any], lr: Operand | None) -> tuple[Any, Any]:
        own = self.lr if lr is None else lr
        counts = self._counts or callable(own)
        _check(params, grads, state, (*self._kept, "step") if counts else self._kept)
        next_state: dict[str, Any] = {}
        if "step" in state:
            if callable(own):
                own = own(f.astype(state["step"], "float32"))
            next_state["step"] = f.add(state["step"], 1)
        counted = (next_state["step"],) if self._counts else ()

        def apply(w: Any, g: Any, *kept: Any) -> tuple[Any, ...]:
            # A parameter of a narrow type moves in float32, which what is kept of it has, too.
            dtype = get_dtype(getattr(w, "dtype", "float32"))
            wide = "float32" if dtype in _NARROW else dtype
            moved, *others = self._step(f.astype(w, wide), f.astype(g, wide), kept, counted, own)
            return f.astype(moved, dtype), *others

        params, *trees = _apply(apply, params, grads, *(state[name] for name in self._kept))
        return params, next_state | dict(zip(self._kept, trees))

    def _step(self, w: Any, g: Any, kept: tuple[Any, ...], counted: tuple[Any, ...], rate: Operand) -> tuple[Any, ...]:
        kinds = "v" * (3 + len(kept) + len(counted)) + "n" * len(self._options)
        return many(self._op, kinds, w, g, *kept, *counted, rate, *self._options)


class SGD(_Optimizer):
    """Gradient descent, with momentum where it is not 0; see the function `sgd`."""

    def __init__(
        self,
        lr: Rate,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(lr, momentum, dampening, weight_decay, nesterov)
        self._kept = ("velocity",) if momentum else ()
        self._counts = bool(momentum and dampening)
        self._first = dampening / momentum if momentum else 0.0
        self._decay = weight_decay

    def _step(self, w: Any, g: Any, kept: tuple[Any, ...], counted: tuple[Any, ...], rate: Operand) -> tuple[Any, ...]:
        velocity = kept[0] if kept else None
        if counted:
            # The first derivative is not dampened: momentum * velocity makes up for it.
            whole = (g + w * self._decay) * self._first
            velocity = f.where(f.equal(counted[0], 1), whole, velocity)
        return many("sgd", "vvvvnnnb", w, g, rate, velocity, *self._options)


class Adam(_Optimizer):
    """Adam; the decay is added to the derivatives; see the function `adam`."""

    _op = "adam"
    _kept = ("mean", "variance")
    _counts = True

    def __init__(
        self,
        lr: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(lr, beta1, beta2, eps, weight_decay)


class AdamW(Adam):
    """Adam whose decay shrinks the parameters by rate * weight_decay; see the function `adamw`."""

    _op = "adamw"

    def __init__(
        self,
        lr: Rate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(lr, beta1, beta2, eps, weight_decay)


class RMSprop(_Optimizer):
    """RMSprop; see the function `rmsprop`."""

    _op = "rmsprop"
    _kept = ("variance",)

    def __init__(self, lr: Rate = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0) -> None:
        super().__init__(lr, alpha, eps, weight_decay)


class Adagrad(_Optimizer):
    """Adagrad; see the function `adagrad`."""

    _op = "adagrad"
    _kept = ("total",)

    def __init__(self, lr: Rate = 1e-2, eps: float = 1e-10, weight_decay: float = 0.0) -> None:
        super().__init__(lr, eps, weight_decay)


class Lion(_Optimizer):
    """Lion; see the function `lion`."""

    _op = "lion"
    _kept = ("mean",)

    def __init__(
        self, lr: Rate = 1e-4, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0.0
    ) -> None:
        super().__init__(lr, beta1, beta2, weight_decay)


# Schedules: functions of the step, a float32 scalar that counts from 0, of a function that is traced.


def linear(start: float, end: float, steps: int) -> Callable[[Any], Any]:
    """From `start` to `end` in so many steps, and `end` from there on; a warm-up begins at 0."""
    return lambda step: start + (end - start) * f.minimum(step / steps, 1.0)


def exponential_decay(rate: float, steps: int, factor: float) -> Callable[[Any], Any]:
    """rate * factor ** (step / steps)."""
    return lambda step: rate * f.pow(factor, step / steps)


def cosine_decay(rate: float, steps: int, warmup: int = 0, end: float = 0.0) -> Callable[[Any], Any]:
    """Up from 0 in `warmup` steps, then down to `end` along half a cosine until `steps`."""
    from math import pi

    def at(step: Any) -> Any:
        part = f.clip((step - warmup) / max(steps - warmup, 1), 0.0, 1.0)
        down = end + (rate - end) * 0.5 * (1.0 + f.cos(pi * part))
        return f.where(step < warmup, rate * step / warmup, down) if warmup else down

    return at


def piecewise_constant(rate: float, factors: dict[int, float]) -> Callable[[Any], Any]:
    """The rate, times each factor from its step on."""

    def at(step: Any) -> Any:
        now: Any = rate
        for first, factor in factors.items():
            now = now * f.where(step < first, 1.0, factor)
        return now

    return at


def clip_by_norm(grads: Any, max_norm: float) -> Any:
    """All derivatives times one factor, so that the norm of all together is at most `max_norm`; see the
    function `clip_by_norm`."""
    leaves: list[Any] = []
    structure = flatten(grads, leaves)
    return unflatten(structure, iter(many("clip_by_norm", "Vn", leaves, max_norm)))


def moving_average(average: Any, params: Any, decay: float = 0.999) -> Any:
    """decay * average + (1 - decay) * params of two like trees: of a model that is evaluated instead."""
    return tree_map(lambda a, w: a + (w - a) * (1 - decay), average, params)


class Accumulate:
    """An optimizer that moves at every `every`-th update, by the mean of the derivatives until then.

    >>> import tensorwright as tw, numpy as np
    >>> optimizer = tw.optim.Accumulate(tw.optim.SGD(1.0), every=2)
    >>> w, state = np.float32([0.0]), optimizer.init(np.float32([0.0]))
    >>> for g in ([1.0], [3.0], [5.0]):
    ...     w, state = optimizer.update(w, np.float32(g), state)
    >>> w.tolist()
    [-2.0]
    """

    def __init__(self, optimizer: Any, every: int) -> None:
        if every < 1:
            raise _errors.ArgumentError(
                f"every: expected 1 or more, found {every}", code="T0507", remedy="Give the updates that make one step."
            )
        self.optimizer, self.every = optimizer, every
        self._update = Jitted(self._trace)

    def init(self, params: Any) -> dict[str, Any]:
        """The optimizer's state, sums of derivatives, and how many there are."""
        inner = self.optimizer.init(params)
        return {"count": _scalar(0, "int64"), "sum": tree_map(_zeros, params), "inner": inner}

    def update(self, params: Any, grads: Any, state: dict[str, Any], lr: Operand | None = None) -> tuple[Any, Any]:
        """As an optimizer's."""
        result: tuple[Any, Any] = (self._trace if is_tracing() else self._update)(params, grads, state, lr)
        return result

    def _trace(self, params: Any, grads: Any, state: dict[str, Any], lr: Operand | None) -> tuple[Any, Any]:
        _check(params, grads, state, ("count", "sum", "inner"))
        sums = tree_map(lambda total, g: total + f.astype(g, total.dtype), state["sum"], grads)
        mean = tree_map(lambda g: g * (1 / self.every), sums)
        moved, inner = self.optimizer.update(params, mean, state["inner"], lr)
        is_due = f.equal(state["count"], self.every - 1)
        next_state = {
            "count": f.where(is_due, 0, state["count"] + 1),
            "sum": tree_map(lambda g: f.where(is_due, f.zeros_like(g), g), sums),
            "inner": _choose(is_due, inner, state["inner"]),
        }
        return _choose(is_due, moved, params), next_state


class LossScale:
    """Scales a loss so that its derivatives of float16 do not vanish: `scale(loss, state)` is what is
    differentiated, and `update(optimizer, params, grads, state)` moves by the derivatives over the
    scale, in float32. Where one is not finite nothing moves and the scale halves; it doubles after
    `interval` steps without. The state has the optimizer's under "inner".

    >>> import tensorwright as tw, numpy as np
    >>> scaling, optimizer = tw.optim.LossScale(1024.0), tw.optim.SGD(0.5)
    >>> @tw.jit
    ... def step(w, state, x):
    ...     grads = tw.grad(lambda w: scaling.scale(tw.sum(w * x), state))(w)
    ...     return scaling.update(optimizer, w, grads, state)
    >>> w = np.float32([1.0])
    >>> state = scaling.init(optimizer, w)
    >>> w, state = step(w, state, np.float32([2.0]))
    >>> w, state = step(w, state, np.float32([np.inf]))
    >>> w.tolist(), float(state["scale"])
    ([0.0], 512.0)
    """

    def __init__(self, initial: float = 65536.0, interval: int = 2000) -> None:
        self.initial, self.interval = initial, interval

    def init(self, optimizer: Any, params: Any) -> dict[str, Any]:
        """The state to begin with."""
        scale, good = _scalar(self.initial, "float32"), _scalar(0, "int64")
        return {"scale": scale, "good": good, "inner": optimizer.init(params)}

    def scale(self, loss: Any, state: dict[str, Any]) -> Any:
        """The loss, in float32, times the scale."""
        return f.astype(loss, "float32") * state["scale"]

    def update(self, optimizer: Any, params: Any, grads: Any, state: dict[str, Any]) -> tuple[Any, Any]:
        """The next parameters and state, of a function that is traced."""
        leaves: list[Any] = []
        flatten(grads, leaves)
        finite: Any = None
        for one in leaves:
            own = f.all(f.isfinite(one))
            finite = own if finite is None else f.logical_and(finite, own)

        def unscale(g: Any) -> Any:
            # In float32 also where parameters are narrower: the optimizer makes its step in that.
            wide = "float64" if g.dtype == "float64" else "float32"
            return f.astype(g, wide) / f.astype(state["scale"], wide)

        plain = tree_map(unscale, grads)
        moved, inner = optimizer.update(params, plain, state["inner"])
        is_long = f.equal(state["good"], self.interval - 1)
        grown = f.where(is_long, state["scale"] * 2.0, state["scale"])
        next_state = {
            "scale": f.where(finite, grown, state["scale"] * 0.5),
            "good": f.where(finite & ~is_long, state["good"] + 1, 0),
            "inner": _choose(finite, inner, state["inner"]),
        }
        return _choose(finite, moved, params), next_state
