"""Reductions, scans, sorts."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import math

from tensorwright import _functions as tw
from tensorwright.torch._graph import Unsupported
from tensorwright.torch._rules import axes, axis, cast, is_float, line, rule, widened


def _keep(x, made, dims, keepdim):
    if not keepdim:
        return made
    return tw.reshape(made, tuple(1 if i in dims else size for i, size in enumerate(x.shape)))


@rule("sum.dim_IntList")
def sum_op(c, x, dims=None, keepdim=False, dtype=None):
    x = cast(x, widened(c.dtype))
    dims = axes(x, dims)
    return cast(_keep(x, tw.sum(x, dims) if dims else x, dims, keepdim), c.dtype)


@rule("sum")
def sum_all(c, x, dtype=None):
    return sum_op(c, x)


@rule("nansum")
def nansum(c, x, dims=None, keepdim=False, dtype=None):
    return sum_op(c, tw.where(tw.isnan(x), 0.0, x) if is_float(x) else x, dims, keepdim)


@rule("prod.dim_int")
def prod(c, x, dim=None, keepdim=False, dtype=None):
    x = cast(x, widened(c.dtype))
    dims = axes(x, dim)
    return cast(_keep(x, tw.prod(x, dims) if dims else x, dims, keepdim), c.dtype)


@rule("prod")
def prod_all(c, x, dtype=None):
    return prod(c, x)


@rule("mean")
def mean_all(c, x, dtype=None):
    return mean(c, x)


@rule("mean.dim")
def mean(c, x, dims=None, keepdim=False, dtype=None):
    x = cast(x, widened(c.dtype))
    dims = axes(x, dims)
    return cast(_keep(x, tw.mean(x, dims) if dims else x, dims, keepdim), c.dtype)


def _moments(x, dims, correction):
    """Mean, with its dimensions, and variance, without them."""
    count = math.prod(x.shape[d] for d in dims)
    middle = tw.mean(x, dims, True) if dims else x
    total = tw.square(x - middle)
    total = tw.sum(total, dims) if dims else total
    less = max(float(count) - correction, 0.0)
    return middle, (total / less if less else total * math.inf)


@rule("var.correction", "std.correction", "var_mean.correction", "std_mean.correction")
def variance(c, x, dims=None, correction=None, keepdim=False):
    wide = cast(x, widened(c.dtype))
    dims = axes(x, dims)
    middle, made = _moments(wide, dims, 1.0 if correction is None else float(correction))
    name = c._node.target._opname
    if name.startswith("std"):
        made = tw.sqrt(made)
    made = cast(_keep(x, made, dims, keepdim), c.dtype)
    if not name.endswith("mean"):
        return made
    return made, cast(tw.reshape(middle, made.shape), c.dtype)


@rule("var.dim", "std.dim")
def variance_dim(c, x, dims=None, unbiased=True, keepdim=False):
    return variance(c, x, dims, 1 if unbiased else 0, keepdim)


def _extreme(function, of_bools):
    def apply(c, x, dims=None, keepdim=False):
        dims = axes(x, dims)
        if not dims:
            return x
        made = (of_bools if x.dtype == "bool" else function)(x, dims)
        return _keep(x, made, dims, keepdim)

    return apply


amax, amin = _extreme(tw.max, tw.any), _extreme(tw.min, tw.all)
rule("amax")(amax)
rule("amin")(amin)
rule("max")(lambda c, x: amax(c, x))
rule("min")(lambda c, x: amin(c, x))


def _truth(function):
    def apply(c, x, dims=None, keepdim=False):
        dims = axes(x, dims)
        made = cast(x, "bool")
        if dims:
            made = function(made, dims)
        return cast(_keep(x, made, dims, keepdim), c.dtype)

    return apply


rule("any", "any.dim", "any.dims")(_truth(tw.any))
rule("all", "all.dim", "all.dims")(_truth(tw.all))


def _numbers(x):
    """Bools as integers."""
    return cast(x, "uint8") if x.dtype == "bool" else x


def _arg(function):
    def apply(c, x, dim=None, keepdim=False):
        x = _numbers(x)
        if dim is None:
            found = function(tw.reshape(x, (x.size,)), 0)
            return tw.reshape(found, c.shape)
        x, dim = line(x), axis(x, dim)
        return tw.reshape(function(x, dim), c.shape)

    return apply


rule("argmax")(_arg(tw.argmax))
rule("argmin")(_arg(tw.argmin))


def _extreme_at(find, reduce, of_bools):
    def apply(c, x, dim, keepdim=False):
        row, dim = line(x), axis(x, dim)
        values = (of_bools if x.dtype == "bool" else reduce)(row, (dim,))
        places = find(_numbers(row), dim) if c.is_used(1) else None
        return tw.reshape(values, c.shape), places if places is None else tw.reshape(places, c.shape)

    return apply


rule("max.dim")(_extreme_at(tw.argmax, tw.max, tw.any))
rule("min.dim")(_extreme_at(tw.argmin, tw.min, tw.all))


@rule("cumsum")
def cumsum(c, x, dim, dtype=None):
    wide = line(cast(x, widened(c.dtype)))
    return tw.reshape(cast(tw.cumulative_sum(wide, axis(x, dim)), c.dtype), c.shape)


@rule("cumprod")
def cumprod(c, x, dim, dtype=None):
    wide = line(cast(x, widened(c.dtype)))
    return tw.reshape(cast(tw.cumulative_prod(wide, axis(x, dim)), c.dtype), c.shape)


def _running(scan, compare):
    def apply(c, x, dim):
        row, dim = line(x), axis(x, dim)
        numbers = _numbers(row)
        values = scan(numbers, dim)
        places = None
        if c.is_used(1):
            # The last place where the running one was met.
            met = numbers == values
            if is_float(x):
                met = tw.logical_or(met, tw.isnan(numbers))
            places = tw.cumulative_max(tw.where(met, tw.iota(row.shape, dim, "int64"), 0), dim)
            places = tw.reshape(places, c.shape)
        return tw.reshape(cast(values, c.dtype), c.shape), places

    return apply


rule("cummax")(_running(tw.cumulative_max, tw.greater_equal))
rule("cummin")(_running(tw.cumulative_min, tw.less_equal))


@rule("logcumsumexp")
def logcumsumexp(c, x, dim):
    row, dim = line(cast(x, widened(c.dtype))), axis(x, dim)
    # A maximum of all would lose what stands before it.
    size = row.shape[dim]
    at = tw.iota((size, size), 0, "int64") >= tw.iota((size, size), 1, "int64")
    moved = tw.moveaxis(row, dim, row.ndim - 1)
    wide = tw.where(at, tw.expand_dims(moved, moved.ndim - 1), -math.inf)
    made = tw.moveaxis(tw.logsumexp(wide, wide.ndim - 1), moved.ndim - 1, dim)
    return tw.reshape(cast(made, c.dtype), c.shape)


def sorted_of(x, dim, descending):
    """Values and places along a dimension."""
    places = tw.argsort(_numbers(x), dim, descending)
    return tw.take_along_axis(x, places, dim), places


@rule("sort", "sort.stable")
def sort(c, x, *arguments):
    dim, descending = arguments[-2:]
    row, dim = line(x), axis(x, dim)
    if row.shape[dim] == 0 or 0 in row.shape:
        return x, tw.zeros(c.shape, "int64")
    values, places = sorted_of(row, dim, descending)
    return tw.reshape(values, c.shape), tw.reshape(places, c.shape)


@rule("argsort", "argsort.stable")
def argsort(c, x, *arguments):
    dim, descending = arguments[-2:]
    row = line(x)
    return tw.reshape(tw.argsort(_numbers(row), axis(x, dim), descending), c.shape)


@rule("topk")
def topk(c, x, k, dim=-1, largest=True, ordered=True):
    row, dim = line(x), axis(x, dim)
    if 0 in c.shape:
        return tw.zeros(c.shape, c.dtype), tw.zeros(c.shape, "int64")
    places = tw.argsort(_numbers(row), dim, largest)
    places = tw.slice(places, (0,), (k,), (1,), (dim,))
    values = tw.take_along_axis(row, places, dim)
    return tw.reshape(values, c.shape), tw.reshape(places, c.shape)


@rule("kthvalue")
def kthvalue(c, x, k, dim=-1, keepdim=False):
    row, dim = line(x), axis(x, dim)
    values, places = sorted_of(row, dim, False)
    return tuple(tw.reshape(tw.slice(one, (k - 1,), (k,), (1,), (dim,)), c.shape) for one in (values, places))


def _median(ignores_nan):
    def apply(c, x, dim=None, keepdim=False):
        row = tw.reshape(x, (x.size,)) if dim is None else line(x)
        dim = 0 if dim is None else axis(x, dim)
        values, places = sorted_of(row, dim, False)
        size = row.shape[dim]
        if size == 0:
            raise Unsupported("there is no median of nothing")
        kept = tuple(1 if i == dim else n for i, n in enumerate(row.shape))
        if is_float(x):
            bad = tw.sum(tw.astype(tw.isnan(row), "int64"), (dim,), True)
            if ignores_nan:
                at = tw.maximum((size - bad - 1) // 2, 0)
            else:
                # NaN is the greatest: the first one, if there is one.
                at = tw.where(bad > 0, size - bad, (size - 1) // 2)
        else:
            at = tw.full(kept, (size - 1) // 2, "int64")
        found = tw.take_along_axis(values, at, dim)
        if len(c.results) == 1:
            return tw.reshape(found, c.shape)
        return tw.reshape(found, c.shape), tw.reshape(tw.take_along_axis(places, at, dim), c.shape)

    return apply


rule("median", "median.dim")(_median(False))
rule("nanmedian", "nanmedian.dim")(_median(True))


@rule("linalg_vector_norm")
def vector_norm(c, x, ord=2, dims=None, keepdim=False, dtype=None):
    x = tw.abs(cast(x, widened(c.dtype)))
    dims = axes(x, dims)
    if not dims:
        made = cast(x != 0, x.dtype) if ord == 0 else x
    elif math.isinf(ord):
        made = tw.max(x, dims) if ord > 0 else tw.min(x, dims)
    elif ord == 0:
        made = tw.sum(cast(x != 0, x.dtype), dims)
    elif ord == 1:
        made = tw.sum(x, dims)
    elif ord == 2:
        made = tw.sqrt(tw.sum(tw.square(x), dims))
    else:
        made = tw.pow(tw.sum(tw.pow(x, float(ord)), dims), 1.0 / float(ord))
    return cast(_keep(x, made, dims, keepdim), c.dtype)


@rule("logsumexp")
def logsumexp(c, x, dims, keepdim=False):
    x = cast(x, widened(c.dtype))
    dims = axes(x, dims)
    if not dims:
        return cast(x, c.dtype)
    return cast(_keep(x, tw.logsumexp(x, dims), dims, keepdim), c.dtype)


@rule("count_nonzero", "count_nonzero.dim_IntList")
def count_nonzero(c, x, dims=None):
    x = tw.astype(cast(x, "bool"), "int64")
    dims = axes(x, dims)
    return tw.sum(x, dims) if dims else x


