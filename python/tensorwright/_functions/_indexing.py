"""Indexing, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import many, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import DTypeLike, Operand, Tensor

__all__ = [
    "argsort",
    "gather",
    "one_hot",
    "scatter",
    "segment_max",
    "segment_mean",
    "segment_sum",
    "sort",
    "take",
    "take_along_axis",
    "top_k",
]


def take(x: Operand, indices: Operand, axis: int = 0) -> Tensor:
    """The slices at integer indices along an axis, for which the dimensions of the indices stand; negative ones count from the end, 0 outside."""
    return one("take", "vvi", x, indices, axis)


def take_along_axis(x: Operand, indices: Operand, axis: int = -1) -> Tensor:
    """result[.., j, ..] = x[.., indices[.., j, ..], ..]: one element for each index; negative ones count from the end, 0 outside."""
    return one("take_along_axis", "vvi", x, indices, axis)


def gather(x: Operand, indices: Sequence[Operand], axis: int = 0, batch_dims: int = 0) -> Tensor:
    """Index tensors of one shape for the dimensions from axis on; the first batch_dims dimensions are shared. 0 outside, negative ones too."""
    return one("gather", "vVii", x, indices, axis, batch_dims)


def one_hot(x: Operand, num_classes: int, dtype: DTypeLike = "float32") -> Tensor:
    """[...] of integers to [..., num_classes]: 1 at the index, else 0."""
    return one("one_hot", "viT", x, num_classes, dtype)


def scatter(x: Operand, indices: Sequence[Operand], updates: Operand, kind: str = "set", axis: int = 0, batch_dims: int = 0) -> Tensor:
    """x with updates where gather with the same indices would read: "set" (the last one stays), "add", "mul", "max", "min", "all", "any"; what lies outside is dropped."""
    return one("scatter", "vVvsii", x, indices, updates, kind, axis, batch_dims)


def segment_sum(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """Sums of the slices along dimension 0 that have one number of segments, integers [n], each."""
    return one("segment_sum", "vvi", x, segments, num_segments)


def segment_mean(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """Means of the same, 0 of none."""
    return one("segment_mean", "vvi", x, segments, num_segments)


def segment_max(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """The greatest elements of the same, the lowest number (of floats that have infinities -inf) of none."""
    return one("segment_max", "vvi", x, segments, num_segments)


def argsort(x: Operand, axis: int = -1, descending: bool = False) -> Tensor:
    """The positions, i64, of the elements along an axis in order; equal ones as they stand, NaN as the greatest."""
    return one("argsort", "vib", x, axis, descending)


def sort(x: Operand, axis: int = -1, descending: bool = False) -> Tensor:
    """The elements along an axis in order."""
    return one("sort", "vib", x, axis, descending)


def top_k(x: Operand, k: int, axis: int = -1) -> tuple[Tensor, ...]:
    """The k greatest elements along an axis, the greatest first, and their positions, i64."""
    return many("top_k", "vii", x, k, axis)
