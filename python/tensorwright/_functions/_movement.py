"""Movement, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import many, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import Operand, Tensor

__all__ = [
    "broadcast_to",
    "concat",
    "dynamic_slice",
    "expand_dims",
    "flatten",
    "flip",
    "moveaxis",
    "pad",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "select",
    "slice",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "unstack",
    "update_slice",
]


def permute_dims(x: Operand, axes: int | Sequence[int]) -> Tensor:
    """Dimension i of the result is dimension axes[i]."""
    return one("permute_dims", "vI", x, axes)


def moveaxis(x: Operand, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dimensions moved, the others in their order."""
    return one("moveaxis", "vII", x, source, destination)


def swapaxes(x: Operand, axis1: int, axis2: int) -> Tensor:
    """Two dimensions exchanged."""
    return one("swapaxes", "vii", x, axis1, axis2)


def reshape(x: Operand, shape: int | Sequence[int]) -> Tensor:
    """The same elements in row-major order; one size may be -1, what is left."""
    return one("reshape", "vI", x, shape)


def flatten(x: Operand, start: int = 0, stop: int = -1) -> Tensor:
    """Dimensions from start to stop, both included, as one."""
    return one("flatten", "vii", x, start, stop)


def expand_dims(x: Operand, axis: int | Sequence[int]) -> Tensor:
    """New dimensions of size 1 at these places of the result."""
    return one("expand_dims", "vI", x, axis)


def squeeze(x: Operand, axis: int | Sequence[int] | None = None) -> Tensor:
    """Without these dimensions of size 1, or without all."""
    return one("squeeze", "vI", x, axis)


def broadcast_to(x: Operand, shape: int | Sequence[int]) -> Tensor:
    """Repeated along dimensions of size 1 and new ones in front."""
    return one("broadcast_to", "vI", x, shape)


def concat(arrays: Sequence[Operand], axis: int = 0) -> Tensor:
    """One behind the other along an axis."""
    return one("concat", "Vi", arrays, axis)


def stack(arrays: Sequence[Operand], axis: int = 0) -> Tensor:
    """Side by side along a new axis."""
    return one("stack", "Vi", arrays, axis)


def split(x: Operand, sizes: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Parts along an axis: of the sizes listed, or that many equal ones."""
    return many("split", "vIi", x, sizes, axis)


def unstack(x: Operand, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, which is removed."""
    return many("unstack", "vi", x, axis)


def slice(x: Operand, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] = 1, axes: int | Sequence[int] | None = None) -> Tensor:
    """x[start:stop:step] along the axes (the first ones), as Python's slices; a stop beyond the size is the end."""
    return one("slice", "vIIII", x, start, stop, step, axes)


def select(x: Operand, index: int, axis: int = 0) -> Tensor:
    """The slice of one index, which counts from the end where negative; the axis is removed."""
    return one("select", "vii", x, index, axis)


def dynamic_slice(x: Operand, start: Operand, size: int, axis: int = 0) -> Tensor:
    """size elements from start, an integer scalar, on; 0 for what lies outside."""
    return one("dynamic_slice", "vvii", x, start, size, axis)


def update_slice(x: Operand, update: Operand, start: int | Sequence[int], position: Operand | None = None, axis: int = 0) -> Tensor:
    """x with the elements of update from start on, along the axis from position, an integer scalar, on; what would lie outside is dropped."""
    return one("update_slice", "vvIvi", x, update, start, position, axis)


def pad(x: Operand, low: int | Sequence[int], high: int | Sequence[int], constant_value: Operand = 0) -> Tensor:
    """low[i] elements before and high[i] behind dimension i."""
    return one("pad", "vIIv", x, low, high, constant_value)


def flip(x: Operand, axis: int | Sequence[int] | None = None) -> Tensor:
    """Reversed along these axes, or all."""
    return one("flip", "vI", x, axis)


def roll(x: Operand, shift: int, axis: int) -> Tensor:
    """Moved by shift along an axis, what leaves on one side returning on the other."""
    return one("roll", "vii", x, shift, axis)


def tile(x: Operand, repetitions: int | Sequence[int]) -> Tensor:
    """The whole repeated, along each dimension so many times."""
    return one("tile", "vI", x, repetitions)


def repeat(x: Operand, repeats: int, axis: int) -> Tensor:
    """Each element repeated along an axis."""
    return one("repeat", "vii", x, repeats, axis)
