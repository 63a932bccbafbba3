"""Ops that make tensors of numbers, and those that move elements."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import math

from tensorwright import _functions as tw
from tensorwright._trace import Tensor
from tensorwright.torch._graph import Unsupported
from tensorwright.torch._rules import aten, axis, cast, convert, gradients, rule, tensor

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8")


def _same(c, x, *_):
    return x


rule(
    "alias",
    "clone",
    "contiguous",
    "detach",
    "lift_fresh",
    "lift_fresh_copy",
    "alias_copy",
    "detach_copy",
    "positive",
    "conj",
    "_conj",
    "resolve_conj",
    "resolve_neg",
    "_conj_physical",
    "conj_physical",
    "real",
)(_same)


@rule("copy")
def copy(c, x, source, *_):
    return tw.broadcast_to(cast(source, c.dtype), c.shape)


@rule("view", "reshape", "_unsafe_view", "view_copy", "_reshape_alias", "_reshape_copy", "unflatten.int", "flatten.using_ints")
def view(c, x, *_):
    return x if x.shape == c.shape else tw.reshape(x, c.shape)


@rule("unsqueeze", "unsqueeze_copy", "squeeze", "squeeze.dim", "squeeze.dims", "squeeze_copy", "squeeze_copy.dim", "squeeze_copy.dims")
def resqueeze(c, x, *_):
    return view(c, x)


@rule("view.dtype", "view_copy.dtype")
def view_as_type(c, x, *_):
    if x.shape != c.shape or x.dtype == "bool" or "8" in x.dtype or "8" in c.dtype:
        raise Unsupported(f"the bits of {x.dtype} are not those of as many {c.dtype}")
    return tw.bitcast(x, c.dtype)


@rule("permute", "permute_copy")
def permute(c, x, dims):
    return tw.permute_dims(x, [axis(x, d) for d in dims]) if x.ndim else x


@rule("t", "t_copy", "numpy_T")
def transpose_matrix(c, x):
    return x.T


@rule("transpose.int", "transpose_copy.int")
def transpose(c, x, first, second):
    return tw.swapaxes(x, axis(x, first), axis(x, second)) if x.ndim else x


@rule("expand", "expand_copy", "expand_as")
def expand(c, x, *_):
    return tw.broadcast_to(x, c.shape)


@rule("prims.broadcast_in_dim.default")
def broadcast_in_dim(c, x, shape, dims):
    sizes = [1] * len(shape)
    for size, d in zip(x.shape, dims):
        sizes[d] = size
    return tw.broadcast_to(tw.reshape(x, sizes), c.shape)


@rule("repeat")
def repeat(c, x, repeats):
    x = tw.reshape(x, (1,) * (len(repeats) - x.ndim) + x.shape)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    return tw.tile(x, repeats) if repeats else x


@rule("slice.Tensor", "slice_copy.Tensor")
def slice_op(c, x, dim=0, start=None, end=None, step=1):
    dim = axis(x, dim)
    start, end, _ = slice(start, end, 1).indices(x.shape[dim])
    return tw.slice(x, (start,), (max(start, end),), (step,), (dim,))


@rule("select.int", "select_copy.int")
def select(c, x, dim, index):
    return tw.select(x, index, axis(x, dim))


@rule("narrow")
def narrow(c, x, dim, start, length):
    return slice_op(c, x, dim, start, start + length)


def part(x, source, dim, start, end, step):
    """x with source in place of its slice."""
    dim = axis(x, dim)
    start, end, _ = slice(start, end, 1).indices(x.shape[dim])
    end = max(start, end)
    source = cast(source, x.dtype)
    count = len(range(start, end, step))
    shape = (*x.shape[:dim], count, *x.shape[dim + 1 :])
    source = tw.broadcast_to(source, shape)
    if 0 in shape:
        return x
    if step == 1:
        pieces = [tw.slice(x, (0,), (start,), (1,), (dim,)), source, tw.slice(x, (end,), (x.shape[dim],), (1,), (dim,))]
        pieces = [one for one in pieces if one.shape[dim]]
        return pieces[0] if len(pieces) == 1 else tw.concat(pieces, dim)
    places = tw.arange(start, end, step, "int64")
    moved = tw.scatter(tw.moveaxis(x, dim, 0), [places], tw.moveaxis(source, dim, 0), "set", 0)
    return tw.moveaxis(moved, 0, dim)


@rule("slice_scatter")
def slice_scatter(c, x, source, dim=0, start=None, end=None, step=1):
    return part(x, source, dim, start, end, step)


@rule("select_scatter")
def select_scatter(c, x, source, dim, index):
    dim = axis(x, dim)
    index = index + x.shape[dim] if index < 0 else index
    return part(x, tw.expand_dims(source, dim), dim, index, index + 1, 1)


@rule("slice_backward")
def slice_backward(c, gradient, sizes, dim, start, end, step):
    return part(tw.zeros(c.shape, c.dtype), gradient, dim, start, end, step)


@rule("select_backward")
def select_backward(c, gradient, sizes, dim, index):
    return select_scatter(c, tw.zeros(c.shape, c.dtype), gradient, dim, index)


def _diagonal(x, offset, first, second):
    """x with the two dimensions last and as one, and the slice of its diagonal."""
    first, second = axis(x, first), axis(x, second)
    rest = [i for i in range(x.ndim) if i not in (first, second)]
    moved = tw.permute_dims(x, [*rest, first, second])
    rows, columns = moved.shape[-2:]
    count = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    start = offset if offset >= 0 else -offset * columns
    flat = tw.reshape(moved, (*moved.shape[:-2], rows * columns))
    return moved, flat, rest + [first, second], (start, count, columns + 1)


@rule("diagonal", "diagonal_copy")
def diagonal(c, x, offset=0, first=0, second=1):
    _, flat, _, (start, count, step) = _diagonal(x, offset, first, second)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    return tw.slice(flat, (start,), (start + (count - 1) * step + 1,), (step,), (flat.ndim - 1,))


@rule("diagonal_scatter")
def diagonal_scatter(c, x, source, offset=0, first=0, second=1):
    moved, flat, order, (start, count, step) = _diagonal(x, offset, first, second)
    if count == 0:
        return x
    flat = part(flat, source, flat.ndim - 1, start, start + (count - 1) * step + 1, step)
    return tw.permute_dims(tw.reshape(flat, moved.shape), sorted(range(x.ndim), key=order.__getitem__))


@rule("cat", "concat", "concatenate")
def cat(c, tensors, dim=0):
    # Of old, tensors of the shape (0,) fit everywhere.
    kept = [cast(one, c.dtype) for one in tensors if one.shape != (0,) or len(c.shape) == 1]
    return tw.concat(kept, dim % max(len(c.shape), 1)) if len(kept) != 1 else kept[0]


@rule("stack")
def stack(c, tensors, dim=0):
    return tw.stack([cast(one, c.dtype) for one in tensors], dim % len(c.shape))


@rule("split_with_sizes", "unsafe_split_with_sizes", "split_with_sizes_copy")
def split_with_sizes(c, x, sizes, dim=0):
    dim, start, parts = axis(x, dim), 0, []
    for size in sizes:
        parts.append(tw.slice(x, (start,), (start + size,), (1,), (dim,)))
        start += size
    return parts


@rule("split.Tensor", "unsafe_split.Tensor", "chunk")
def split(c, x, *arguments):
    dim = axis(x, arguments[-1])
    return split_with_sizes(c, x, [meta.shape[dim] for meta in c.results], dim)


@rule("unbind.int", "unbind_copy.int")
def unbind(c, x, dim=0):
    dim = axis(x, dim)
    return [tw.select(x, i, dim) for i in range(x.shape[dim])]


@rule("flip")
def flip(c, x, dims):
    dims = [axis(x, d) for d in dims]
    return tw.flip(x, dims) if x.ndim and dims else x


@rule("roll")
def roll(c, x, shifts, dims=()):
    if x.ndim == 0 or 0 in x.shape:
        return x
    if not dims:
        return tw.reshape(tw.roll(tw.reshape(x, (x.size,)), shifts[0] % x.size, 0), x.shape)
    for shift, dim in zip(shifts, dims):
        dim = axis(x, dim)
        x = tw.roll(x, shift % x.shape[dim], dim)
    return x


@rule("constant_pad_nd")
def constant_pad_nd(c, x, pad, value=0):
    low, high = [0] * x.ndim, [0] * x.ndim
    for i in range(len(pad) // 2):
        low[x.ndim - 1 - i], high[x.ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    for d in range(x.ndim):
        start, stop = max(-low[d], 0), x.shape[d] - max(-high[d], 0)
        if (start, stop) != (0, x.shape[d]):
            x = tw.slice(x, (start,), (stop,), (1,), (d,))
    low, high = [max(one, 0) for one in low], [max(one, 0) for one in high]
    return tw.pad(x, low, high, cast(value, c.dtype)) if any(low + high) else x


@rule("tril")
def tril(c, x, diagonal=0):
    return tw.tril(x, diagonal)


@rule("triu")
def triu(c, x, diagonal=0):
    return tw.triu(x, diagonal)


# ---------------------------------------------------------------------------------------------


@rule("full", "full_like", "new_full")
def full(c, first, *rest):
    value = rest[0] if isinstance(first, (list, tuple)) or len(rest) < 2 or not isinstance(rest[0], (list, tuple)) else rest[1]
    return tw.full(c.shape, cast(value, c.dtype), c.dtype)


@rule("scalar_tensor")
def scalar_tensor(c, value, *_):
    return tw.full((), cast(value, c.dtype), c.dtype)


@rule("zeros", "zeros_like", "new_zeros", "empty.memory_format", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted")
def zeros(c, *_):
    return tw.zeros(c.shape, c.dtype)


@rule("ones", "ones_like", "new_ones")
def ones(c, *_):
    return tw.ones(c.shape, c.dtype)


@rule("arange.start_step", "arange.start", "arange")
def arange(c, *arguments):
    start, step = (arguments[0], arguments[2]) if c._node.target is aten.arange.start_step else (0, 1)
    if c._node.target is aten.arange.start:
        start = arguments[0]
    (count,) = c.shape
    if c.dtype in _INTEGERS:
        # Of integers torch cuts start and step off first, which may leave no step.
        start, step = int(start), int(step)
        if count == 0 or step == 0:
            return tw.full(c.shape, start, c.dtype)
        return tw.arange(start, start + count * step, step, c.dtype)
    places = tw.iota((count,), 0, "float64") * float(step) + float(start)
    return tw.astype(places, c.dtype)


@rule("linspace", "linspace.Tensor_Tensor", "linspace.Tensor_Scalar", "linspace.Scalar_Tensor")
def linspace(c, start, end, *_):
    (count,) = c.shape
    if c.dtype in _INTEGERS:
        start, end = (convert(one, c.dtype) if isinstance(one, Tensor) else int(one) for one in (start, end))
    start, end = tensor(start, "float64"), tensor(end, "float64")
    if count < 2:
        return convert(tw.broadcast_to(start, c.shape), c.dtype)
    # From both ends, as torch does.
    step = (end - start) / float(count - 1)
    place = tw.iota(c.shape, 0, "float64")
    made = tw.where(place < float(count // 2), start + step * place, end - step * (float(count - 1) - place))
    return convert(made, c.dtype)


@rule("prims.iota.default")
def iota(c, length, start, step, *_):
    return tw.arange(start, start + length * step, step, c.dtype) if length else tw.zeros((0,), c.dtype)


@rule("eye", "eye.m")
def eye(c, *_):
    return tw.eye(c.shape[0], c.shape[1], 0, c.dtype)


def strided_places(sizes, strides, offset):
    """Positions in a flat tensor."""
    places: Tensor | None = None
    for d, (size, stride) in enumerate(zip(sizes, strides)):
        if size != 1 and stride != 0:
            step = tw.iota(tuple(sizes), d, "int64") * int(stride)
            places = step if places is None else places + step
    if places is None:
        places = tw.zeros(tuple(sizes), "int64")
    return places + int(offset) if offset else places


def _flat(c, x, size, stride, offset):
    """All elements of the memory that x lies in, where they are those of x."""
    meta = c._node.args[0].meta["val"]
    if not meta.is_contiguous() or meta.storage_offset() or meta.untyped_storage().nbytes() != meta.nbytes:
        raise Unsupported("its operand is a part of its memory, or lies there in another order")
    return tw.reshape(x, (x.size,))


@rule("as_strided", "as_strided_copy")
def as_strided(c, x, size, stride, offset=None):
    flat = _flat(c, x, size, stride, offset)
    expected, dense = 1, True
    for one, step in zip(reversed(size), reversed(stride)):
        dense &= one == 1 or step == expected
        expected *= one
    offset = offset or 0
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    if dense:
        return tw.reshape(tw.slice(flat, (offset,), (offset + math.prod(size),), (1,), (0,)), c.shape)
    return tw.gather(flat, [strided_places(size, stride, offset)], 0)


@rule("as_strided_scatter")
def as_strided_scatter(c, x, source, size, stride, offset=None):
    flat = _flat(c, x, size, stride, offset)
    if 0 in source.shape:
        return x
    places = tw.reshape(strided_places(size, stride, offset or 0), (source.size,))
    return tw.reshape(tw.scatter(flat, [places], tw.reshape(source, (source.size,)), "set", 0), x.shape)


@rule("unfold", "unfold_copy")
def unfold(c, x, dim, size, step):
    if x.ndim == 0:
        return tw.reshape(x, c.shape)
    dim = axis(x, dim)
    count = c.shape[dim]
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    places = tw.iota((count, size), 0, "int64") * step + tw.iota((count, size), 1, "int64")
    return tw.moveaxis(tw.take(x, places, dim), dim + 1, x.ndim)


@rule("unfold_backward")
def unfold_backward(c, gradient, sizes, dim, size, step):
    dim = dim % max(len(c.shape), 1)
    if len(c.shape) == 0:
        return tw.reshape(gradient, ())
    count = gradient.shape[dim]
    moved = tw.moveaxis(gradient, (dim, gradient.ndim - 1), (0, 1))
    rest = moved.shape[2:]
    places = tw.iota((count, size), 0, "int64") * step + tw.iota((count, size), 1, "int64")
    total = tw.scatter(
        tw.zeros((c.shape[dim], *rest), c.dtype),
        [tw.reshape(places, (count * size,))],
        tw.reshape(moved, (count * size, *rest)),
        "add",
        0,
    )
    return tw.moveaxis(total, 0, dim)


def _edges(x, pad, mirror):
    """Indices along each padded dimension, of reflection or replication."""
    count = len(pad) // 2
    for i in range(count):
        dim = x.ndim - 1 - i
        low, high, size = pad[2 * i], pad[2 * i + 1], x.shape[dim]
        places = tw.arange(-low, size + high, 1, "int64")
        if mirror:
            places = tw.abs(places)
            last = size - 1
            places = last - tw.abs(last - places)
        else:
            places = tw.clip(places, 0, size - 1)
        x = tw.take(x, places, dim)
    return x


@rule("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def reflection_pad(c, x, pad):
    return _edges(x, pad, True)


@rule("replication_pad1d", "replication_pad2d", "replication_pad3d")
def replication_pad(c, x, pad):
    return _edges(x, pad, False)


@rule("replication_pad1d_backward", "replication_pad2d_backward", "replication_pad3d_backward")
def replication_pad_backward(c, gradient, x, pad):
    return gradients(_edges(x, pad, False), gradient, x)[0]


