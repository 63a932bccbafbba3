"""Random numbers, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import DTypeLike, Operand, Tensor

__all__ = [
    "dropout",
    "random_bits",
    "random_normal",
    "random_uniform",
]


def random_bits(key: Operand, counter: Operand, shape: int | Sequence[int]) -> Tensor:
    """u32 words of Philox 4x32-10 with a 64-bit key, from a counter on; later calls continue at the counter plus a fourth of the words."""
    return one("random_bits", "vvI", key, counter, shape)


def random_uniform(key: Operand, counter: Operand, shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """From 0 up to 1, of the words of random_bits."""
    return one("random_uniform", "vvIT", key, counter, shape, dtype)


def random_normal(key: Operand, counter: Operand, shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Of mean 0 and deviation 1, of the words of random_bits."""
    return one("random_normal", "vvIT", key, counter, shape, dtype)


def dropout(x: Operand, key: Operand, counter: Operand, rate: float = 0.5) -> Tensor:
    """Zeros where a uniform number is below the rate, elsewhere x / (1 - rate)."""
    return one("dropout", "vvvn", x, key, counter, rate)
