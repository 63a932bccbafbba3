"""Elements at places that tensors hold."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import math

from tensorwright import _functions as tw
from tensorwright._trace import Tensor
from tensorwright.torch._graph import Unsupported
from tensorwright.torch._rules import axis, cast, greatest, line, lowest, rule, tensor, widened


def _from_end(places, size):
    return tw.where(places < 0, places + size, places)


def _long(places):
    return places if places.dtype in ("int64", "int32") else cast(places, "int64")


@rule("gather")
def gather(c, x, dim, places, sparse_grad=False):
    x, places, dim = line(x), line(places), axis(x, dim)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    for d in range(x.ndim):
        if d != dim and places.shape[d] != x.shape[d]:
            x = tw.slice(x, (0,), (places.shape[d],), (1,), (d,))
    return tw.reshape(tw.take_along_axis(x, places, dim), c.shape)


@rule("take_along_dim")
def take_along_dim(c, x, places, dim=None):
    if dim is None:
        return tw.take(tw.reshape(x, (x.size,)), tw.reshape(places, (places.size,)), 0)
    return tw.take_along_axis(x, places, axis(x, dim))


@rule("index_select")
def index_select(c, x, dim, places):
    x, places, dim = line(x), line(places), axis(x, dim)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    return tw.reshape(tw.take(x, places, dim), c.shape)


@rule("embedding")
def embedding(c, weight, places, *_):
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    return tw.take(weight, places, 0)


@rule("take")
def take(c, x, places):
    return tw.take(tw.reshape(x, (x.size,)), places, 0)


def _prepare(x, indices):
    """x with what is indexed in front and in one piece, indices of one shape, and where they go."""
    if any(one is not None and one.dtype in ("bool", "uint8") for one in indices):
        raise Unsupported("the size of what a mask chooses depends on data")
    indexed = [d for d, one in enumerate(indices) if one is not None]
    rest = [d for d in range(x.ndim) if d not in indexed]
    together = all(b - a == 1 for a, b in zip(indexed, indexed[1:]))
    at = indexed[0] if together else 0
    moved = x if indexed == list(range(len(indexed))) else tw.permute_dims(x, indexed + rest)
    places = [_from_end(_long(indices[d]), x.shape[d]) for d in indexed]
    shape = ()
    for one in places:
        shape = _broadcast(shape, one.shape)
    return moved, [tw.broadcast_to(one, shape) for one in places], shape, indexed + rest, at


def _broadcast(a, b):
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    return tuple(n if m == 1 else m for m, n in zip(a, b))


@rule("index.Tensor", "_unsafe_index.Tensor")
def index(c, x, indices):
    if all(one is None for one in indices):
        return x
    moved, places, shape, order, at = _prepare(x, indices)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    if len(places) == 1:
        # One index: its dimension stays where it is.
        return tw.take(x, places[0], order[0])
    found = tw.gather(moved, places, 0)
    if at:
        ranks = len(shape)
        found = tw.moveaxis(found, list(range(ranks)), list(range(at, at + ranks)))
    return found


@rule("index_put", "_unsafe_index_put")
def index_put(c, x, indices, values, accumulate=False):
    if all(one is None for one in indices):
        raise Unsupported("it has no indices")
    masks = [one for one in indices if one is not None and one.dtype in ("bool", "uint8")]
    if masks:
        return _put_masked(c, x, indices, values, accumulate)
    moved, places, shape, order, at = _prepare(x, indices)
    rest = moved.shape[len(places) :]
    # The values have the shape that indexing gives.
    target = (*rest[:at], *shape, *rest[at:])
    values = tw.broadcast_to(cast(values, c.dtype), target)
    if 0 in target:
        return x
    if at:
        ranks = len(shape)
        values = tw.moveaxis(values, list(range(at, at + ranks)), list(range(ranks)))
    count = math.prod(shape)
    places = [tw.reshape(one, (count,)) for one in places]
    values = tw.reshape(values, (count, *rest))
    kind = ("any" if c.dtype == "bool" else "add") if accumulate else "set"
    made = tw.scatter(moved, places, values, kind, 0)
    inverse = sorted(range(x.ndim), key=order.__getitem__)
    return made if order == list(range(x.ndim)) else tw.permute_dims(made, inverse)


def _put_masked(c, x, indices, values, accumulate):
    """Values in turn, or one for all, where a mask of leading dimensions holds."""
    given = [one for one in indices if one is not None]
    if len(given) != 1 or indices[0] is None:
        raise Unsupported("masks beside other indices are not compiled")
    mask = cast(given[0], "bool")
    rest = x.shape[mask.ndim :]
    values = cast(values, c.dtype)
    if 0 in x.shape or 0 in values.shape:
        return x
    wide = tw.reshape(mask, mask.shape + (1,) * len(rest))
    if values.ndim == len(rest) + 1 and values.shape[0] != 1:
        count = math.prod(mask.shape)
        turns = tw.cumulative_sum(tw.astype(tw.reshape(mask, (count,)), "int64"), 0) - 1
        turns = tw.clip(turns, 0, values.shape[0] - 1)
        values = tw.broadcast_to(values, (values.shape[0], *rest))
        values = tw.reshape(tw.take(values, turns, 0), x.shape)
    else:
        values = tw.reshape(values, values.shape[1:]) if values.ndim > len(rest) else values
        values = tw.broadcast_to(values, x.shape)
    if accumulate:
        values = tw.logical_or(x, values) if c.dtype == "bool" else x + values
    return tw.where(wide, values, x)


@rule("put")
def put(c, x, places, source, accumulate=False):
    count = math.prod(places.shape)
    if count == 0:
        return x
    kind = "set" if not accumulate else "any" if c.dtype == "bool" else "add"
    flat = tw.reshape(x, (x.size,))
    places = _from_end(_long(tw.reshape(places, (count,))), x.size)
    return tw.reshape(tw.scatter(flat, [places], tw.reshape(source, (count,)), kind, 0), x.shape)


def _places_along(x_shape, places, dim):
    """Indices for each dimension of elements at `places` along dim."""
    return [places if d == dim else tw.iota(places.shape, d, places.dtype) for d in range(len(x_shape))]


def _scatter(c, x, dim, places, source, kind):
    shape = c.shape
    x, places, dim = line(x), _long(line(places)), axis(x, dim)
    if 0 in places.shape:
        return tw.reshape(x, shape)
    if kind != "set":
        places = _from_end(places, x.shape[dim])
    source = tensor(source, c.dtype)
    if source.ndim == 0:
        source = tw.broadcast_to(source, places.shape)
    else:
        source = line(source)
        for d in range(source.ndim):
            if source.shape[d] != places.shape[d]:
                source = tw.slice(source, (0,), (places.shape[d],), (1,), (d,))
    count = math.prod(places.shape)
    flat = [tw.reshape(one, (count,)) for one in _places_along(x.shape, places, dim)]
    if x.ndim == 1:
        made = tw.scatter(x, [places], source, kind, 0)
    elif dim == x.ndim - 1 and places.shape[:-1] == x.shape[:-1]:
        made = tw.scatter(x, [places], source, kind, dim, dim)
    else:
        made = tw.scatter(x, flat, tw.reshape(source, (count,)), kind, 0)
    return tw.reshape(made, shape)


@rule("scatter.src", "scatter.value")
def scatter(c, x, dim, places, source):
    return _scatter(c, x, dim, places, source, "set")


@rule("scatter_add")
def scatter_add(c, x, dim, places, source):
    return _scatter(c, x, dim, places, source, "any" if c.dtype == "bool" else "add")


@rule("scatter.reduce", "scatter.value_reduce")
def scatter_old(c, x, dim, places, source, reduce):
    kinds = {"add": "add", "multiply": "mul"}
    if c.dtype == "bool":
        kinds = {"add": "any", "multiply": "all"}
    return _scatter(c, x, dim, places, source, kinds[reduce])


_KINDS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "mean": "add"}
_KINDS_OF_BOOLS = {"sum": "any", "prod": "all", "amax": "any", "amin": "all"}


@rule("scatter_reduce.two")
def scatter_reduce(c, x, dim, places, source, reduce, include_self=True):
    if c.dtype == "bool":
        if reduce not in _KINDS_OF_BOOLS:
            raise Unsupported("there is no mean of bools")
        kind = _KINDS_OF_BOOLS[reduce]
        neutral = kind == "all"
    else:
        kind = _KINDS[reduce]
        neutral = {"add": 0, "mul": 1, "max": lowest(c.dtype), "min": greatest(c.dtype)}[kind]
    wide = widened(c.dtype)
    x, source = cast(x, wide), cast(source, wide)
    start = x
    if not include_self:
        start = _scatter(_As(c, wide), x, dim, places, neutral, "set")
    made = _scatter(_As(c, wide), start, dim, places, source, kind)
    if reduce == "mean":
        ones = tw.full(x.shape, 1 if include_self else 0, "int64")
        count = _scatter(_As(c, "int64"), ones, dim, places, 1, "add")
        count = tw.maximum(count, 1)
        if "float" in wide:
            made = made / cast(count, wide)
        else:
            made = tw.floor_divide(made, cast(count, wide))
    return cast(made, c.dtype)


class _As:
    """A call that gives another type."""

    def __init__(self, c, dtype):
        self.dtype, self.shape = dtype, c.shape


@rule("index_add")
def index_add(c, x, dim, places, source, alpha=1):
    x0, dim = line(x), axis(x, dim)
    source = line(cast(source, c.dtype))
    if alpha != 1:
        source = source * cast(alpha, c.dtype)
    return _along(c, x0, dim, places, source, "any" if c.dtype == "bool" else "add")


def _along(c, x, dim, places, source, kind):
    """Slices of x at places along a dimension."""
    places = _from_end(_long(line(places)), x.shape[dim])
    if 0 in source.shape:
        return tw.reshape(x, c.shape)
    moved = tw.moveaxis(x, dim, 0)
    made = tw.scatter(moved, [places], tw.moveaxis(source, dim, 0), kind, 0)
    return tw.reshape(tw.moveaxis(made, 0, dim), c.shape)


@rule("index_copy")
def index_copy(c, x, dim, places, source):
    row, dim = line(x), axis(x, dim)
    return _along(c, row, dim, places, tw.reshape(cast(source, c.dtype), _slices(row, dim, places)), "set")


@rule("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(c, x, dim, places, value):
    row, dim = line(x), axis(x, dim)
    source = tw.broadcast_to(tensor(value, c.dtype), _slices(row, dim, places))
    return _along(c, row, dim, places, source, "set")


@rule("index_reduce")
def index_reduce(c, x, dim, places, source, reduce, include_self=True):
    row, dim = line(x), axis(x, dim)
    source = line(source)
    places = line(places)
    shape = [1] * row.ndim
    shape[dim] = places.shape[0]
    wide = tw.broadcast_to(tw.reshape(places, shape), source.shape)
    return scatter_reduce(c, x, dim, wide, source, reduce, include_self)


def _slices(x, dim, places):
    return (*x.shape[:dim], math.prod(places.shape), *x.shape[dim + 1 :])


@rule("masked_scatter")
def masked_scatter(c, x, mask, source):
    mask = tw.broadcast_to(cast(mask, "bool"), c.shape)
    x = tw.broadcast_to(x, c.shape)
    count = math.prod(c.shape)
    if count == 0 or source.size == 0:
        return x
    flat = tw.reshape(mask, (count,))
    places = tw.cumulative_sum(tw.astype(flat, "int64"), 0) - 1
    found = tw.take(tw.reshape(source, (source.size,)), tw.maximum(places, 0), 0)
    return tw.where(mask, tw.reshape(found, c.shape), x)


@rule("masked_scatter_backward")
def masked_scatter_backward(c, gradient, mask, sizes):
    mask = tw.broadcast_to(cast(mask, "bool"), gradient.shape)
    count, size = math.prod(gradient.shape), math.prod(c.shape)
    if 0 in (count, size):
        return tw.zeros(c.shape, c.dtype)
    flat = tw.reshape(mask, (count,))
    # What the mask leaves out lies outside and is dropped.
    places = tw.where(flat, tw.cumulative_sum(tw.astype(flat, "int64"), 0) - 1, size)
    made = tw.scatter(tw.zeros((size,), c.dtype), [places], tw.reshape(gradient, (count,)), "set", 0)
    return tw.reshape(made, c.shape)


@rule("embedding_dense_backward")
def embedding_dense_backward(c, gradient, places, count, padding, scales):
    if scales:
        raise Unsupported("gradients scaled by frequency are not compiled")
    width = gradient.shape[-1]
    rows = math.prod(places.shape)
    if rows == 0:
        return tw.zeros(c.shape, c.dtype)
    places = tw.reshape(_long(places), (rows,))
    if padding >= 0:
        # What lies outside is dropped.
        places = tw.where(places == padding, count, places)
    return tw.scatter(tw.zeros(c.shape, c.dtype), [places], tw.reshape(gradient, (rows, width)), "add", 0)


@rule("one_hot")
def one_hot(c, x, count=-1):
    return tw.one_hot(x, c.shape[-1], c.dtype)


def _count_below(c, edges, x, right):
    """How many of the sorted edges along the last dimension lie below each element."""
    if 0 in edges.shape or 0 in c.shape:
        return tw.zeros(c.shape, c.dtype)
    wide = tw.expand_dims(x, x.ndim)
    below = (edges <= wide) if right else (edges < wide)
    return tw.sum(cast(below, c.dtype), (x.ndim,))


@rule("bucketize.Tensor", "bucketize.Scalar")
def bucketize(c, x, edges, out_int32=False, right=False):
    return _count_below(c, edges, x if isinstance(x, Tensor) else tensor(x, edges.dtype), right)


@rule("searchsorted.Tensor", "searchsorted.Scalar")
def searchsorted(c, edges, x, out_int32=False, right=False, side=None, sorter=None):
    if not isinstance(x, Tensor):
        x = tensor(x, edges.dtype)
    if sorter is not None:
        edges = tw.take_along_axis(edges, sorter, edges.ndim - 1)
    right = right or side == "right"
    if edges.ndim > 1:
        edges = tw.expand_dims(edges, edges.ndim - 1)
    return _count_below(c, edges, x, right)


@rule("nonzero_static")
def nonzero_static(c, x, size=None, fill_value=-1):
    rows, count = c.shape[0], math.prod(x.shape)
    if count == 0 or 0 in c.shape:
        return tw.full(c.shape, fill_value, c.dtype)
    flat = tw.reshape(cast(x, "bool"), (count,))
    # What is zero, and what there is no room for, lies outside and is dropped.
    places = tw.where(flat, tw.cumulative_sum(tw.astype(flat, "int64"), 0) - 1, rows)
    coordinates = tw.stack([tw.reshape(tw.iota(x.shape, d, "int64"), (count,)) for d in range(x.ndim)], 1)
    return tw.scatter(tw.full(c.shape, fill_value, c.dtype), [places], coordinates, "set", 0)
