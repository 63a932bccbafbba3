"""Initialisers: arrays of numpy that parameters begin as.

Shapes are as PyTorch's, [out, in, ...]: a parameter sums over fan_in = in * ... numbers. What is
drawn is a function of `manual_seed` and of the order of the calls alone.

>>> import tensorwright as tw
>>> tw.init.manual_seed(1)
>>> w = tw.init.kaiming_normal((64, 100))
>>> w.shape, str(w.dtype), bool(abs(w.std() - (2 / 100) ** 0.5) < 0.01)
((64, 100), 'float32', True)
"""

from __future__ import annotations

from math import prod, sqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = [
    "constant",
    "kaiming_normal",
    "kaiming_uniform",
    "manual_seed",
    "normal",
    "ones",
    "orthogonal",
    "trunc_normal",
    "uniform",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

_generator: Any = None


def manual_seed(seed: int) -> None:
    """What is drawn from here on begins anew."""
    global _generator
    import numpy

    _generator = numpy.random.default_rng(seed)


def _get() -> Any:
    if _generator is None:
        manual_seed(0)
    return _generator


def _align(array: Any) -> Any:
    """The array, a large one in memory that begins at a line of a cache: kernels that update it in place then
    write past the caches."""
    import numpy

    line = 64
    if array.nbytes < 1 << 20 or array.ctypes.data % line == 0:
        return array
    memory = numpy.empty(array.nbytes + line, "uint8")
    begin = -memory.ctypes.data % line
    found = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


def constant(shape: Sequence[int], value: float, dtype: str = "float32") -> Any:
    """One number everywhere."""
    import numpy

    return _align(numpy.full(tuple(shape), value, dtype))


def zeros(shape: Sequence[int], dtype: str = "float32") -> Any:
    """Zeros."""
    return constant(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: str = "float32") -> Any:
    """Ones."""
    return constant(shape, 1, dtype)


def uniform(shape: Sequence[int], low: float = 0.0, high: float = 1.0, dtype: str = "float32") -> Any:
    """From `low` up to `high`."""
    return _align(_get().uniform(low, high, tuple(shape)).astype(dtype))


def normal(shape: Sequence[int], mean: float = 0.0, std: float = 1.0, dtype: str = "float32") -> Any:
    """Of that mean and deviation."""
    return _align(_get().normal(mean, std, tuple(shape)).astype(dtype))


def trunc_normal(
    shape: Sequence[int], mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, dtype: str = "float32"
) -> Any:
    """normal, drawn again until it lies from `a` to `b`."""
    import numpy

    found = _get().normal(mean, std, tuple(shape))
    while (outside := (found < a) | (found > b)).any():
        found = numpy.where(outside, _get().normal(mean, std, tuple(shape)), found)
    return _align(found.astype(dtype))


def _fans(shape: Sequence[int]) -> tuple[int, int]:
    field = prod(shape[2:])
    return shape[1] * field, shape[0] * field


def xavier_uniform(shape: Sequence[int], gain: float = 1.0, dtype: str = "float32") -> Any:
    """Uniform, of the variance 2 * gain ** 2 / (fan_in + fan_out)."""
    bound = gain * sqrt(6 / sum(_fans(shape)))
    return uniform(shape, -bound, bound, dtype)


def xavier_normal(shape: Sequence[int], gain: float = 1.0, dtype: str = "float32") -> Any:
    """Normal, of the variance 2 * gain ** 2 / (fan_in + fan_out)."""
    return normal(shape, 0, gain * sqrt(2 / sum(_fans(shape))), dtype)


def kaiming_uniform(shape: Sequence[int], gain: float = 2**0.5, dtype: str = "float32") -> Any:
    """Uniform, of the variance gain ** 2 / fan_in; the gain is that of relu."""
    bound = gain * sqrt(3 / _fans(shape)[0])
    return uniform(shape, -bound, bound, dtype)


def kaiming_normal(shape: Sequence[int], gain: float = 2**0.5, dtype: str = "float32") -> Any:
    """Normal, of the variance gain ** 2 / fan_in; the gain is that of relu."""
    return normal(shape, 0, gain / sqrt(_fans(shape)[0]), dtype)


def orthogonal(shape: Sequence[int], gain: float = 1.0, dtype: str = "float32") -> Any:
    """Rows, or columns where there are fewer, are of length `gain` and at right angles; further
    dimensions are part of a row."""
    import numpy

    rows, columns = shape[0], prod(shape[1:])
    q, r = numpy.linalg.qr(_get().normal(size=(max(rows, columns), min(rows, columns))))
    q = q * numpy.sign(numpy.diag(r))
    return _align((gain * (q if rows >= columns else q.T)).reshape(tuple(shape)).astype(dtype))
