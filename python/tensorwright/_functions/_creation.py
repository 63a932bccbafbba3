"""Creation, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import DTypeLike, Operand, Tensor

__all__ = [
    "arange",
    "eye",
    "full",
    "full_like",
    "iota",
    "linspace",
    "ones",
    "ones_like",
    "shape_size",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def full(shape: int | Sequence[int], fill_value: Operand, dtype: DTypeLike = "float32") -> Tensor:
    """One number everywhere."""
    return one("full", "IvT", shape, fill_value, dtype)


def zeros(shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Zeros."""
    return one("zeros", "IT", shape, dtype)


def ones(shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Ones."""
    return one("ones", "IT", shape, dtype)


def full_like(x: Operand, fill_value: Operand) -> Tensor:
    """One number everywhere, of the shape and type of x."""
    return one("full_like", "vv", x, fill_value)


def zeros_like(x: Operand) -> Tensor:
    """Zeros of the shape and type of x."""
    return one("zeros_like", "v", x)


def ones_like(x: Operand) -> Tensor:
    """Ones of the shape and type of x."""
    return one("ones_like", "v", x)


def arange(start: int, stop: int, step: int = 1, dtype: DTypeLike = "int64") -> Tensor:
    """start, start + step ... below stop (above, with a negative step)."""
    return one("arange", "iiiT", start, stop, step, dtype)


def iota(shape: int | Sequence[int], axis: int, dtype: DTypeLike = "int64") -> Tensor:
    """Each element its own index along the axis."""
    return one("iota", "IiT", shape, axis, dtype)


def linspace(start: float, stop: float, num: int, endpoint: bool = True, dtype: DTypeLike = "float32") -> Tensor:
    """num numbers from start to stop at equal distances."""
    return one("linspace", "nnibT", start, stop, num, endpoint, dtype)


def eye(n_rows: int, n_cols: int = -1, k: int = 0, dtype: DTypeLike = "float32") -> Tensor:
    """Ones on diagonal k, else zeros; square without n_cols."""
    return one("eye", "iiiT", n_rows, n_cols, k, dtype)


def tril(x: Operand, k: int = 0) -> Tensor:
    """The last two dimensions with zeros above diagonal k."""
    return one("tril", "vi", x, k)


def triu(x: Operand, k: int = 0) -> Tensor:
    """The last two dimensions with zeros below diagonal k."""
    return one("triu", "vi", x, k)


def shape_size(x: Operand, axis: int, dtype: DTypeLike = "int64") -> Tensor:
    """The size along an axis as a scalar."""
    return one("shape_size", "viT", x, axis, dtype)
