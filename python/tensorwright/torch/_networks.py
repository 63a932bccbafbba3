"""Products, convolutions, pooling, norms, attention and their derivatives."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import itertools
import math

from tensorwright import _functions as tw
from tensorwright.torch._graph import DRAWS, Unsupported
from tensorwright.torch._rules import axis, cast, constant, gradients, lowest, repeat_to, rule, torch, widened


def _product(c, a, b):
    if a.dtype == "bool":
        raise Unsupported("there is no product of matrices of bools")
    return cast(tw.matmul(a, b), c.dtype)


@rule("mm", "bmm", "matmul", "dot", "mv", "vdot")
def product(c, a, b):
    if 0 in a.shape or 0 in b.shape:
        return tw.zeros(c.shape, c.dtype)
    return _product(c, a, b)


def _scaled(x, factor, dtype):
    return x if factor == 1 else x * cast(factor, dtype)


def _add_product(c, x, a, b, beta, alpha):
    small = c.dtype in ("float16", "bfloat16") and (beta != 1 or alpha != 1)
    dtype = "float32" if small else c.dtype
    shape = c.shape
    if beta == 0:
        x = None
    else:
        x = _scaled(cast(x, dtype), beta, dtype)
    if 0 in a.shape or 0 in b.shape:
        return tw.zeros(shape, c.dtype) if x is None else cast(tw.broadcast_to(x, shape), c.dtype)
    made = _scaled(tw.matmul(cast(a, dtype), cast(b, dtype)), alpha, dtype)
    return cast(made if x is None else made + x, c.dtype)


@rule("addmm", "addmv", "baddbmm")
def add_product(c, x, a, b, beta=1, alpha=1):
    return _add_product(c, x, a, b, beta, alpha)


@rule("addbmm")
def addbmm(c, x, a, b, beta=1, alpha=1):
    m, n, k = a.shape[1], b.shape[2], a.shape[0] * a.shape[2]
    return _add_product(
        c, x, tw.reshape(tw.permute_dims(a, (1, 0, 2)), (m, k)), tw.reshape(b, (k, n)), beta, alpha
    )


@rule("addr")
def addr(c, x, a, b, beta=1, alpha=1):
    if c.dtype == "bool":
        made = tw.logical_and(tw.logical_and(tw.expand_dims(a, 1), tw.expand_dims(b, 0)), bool(alpha))
        return tw.broadcast_to(tw.logical_or(made, tw.logical_and(x, True)) if beta else made, c.shape)
    made = _scaled(tw.expand_dims(a, 1) * tw.expand_dims(b, 0), alpha, c.dtype)
    made = cast(made, c.dtype)
    return made if beta == 0 else made + _scaled(cast(x, c.dtype), beta, c.dtype)


@rule("linear")
def linear(c, x, weight, bias=None):
    return tw.linear(x, weight, bias)


# ---------------------------------------------------------------------------------------------
# Convolutions.


def _convolve(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    spatial = weight.ndim - 2
    stride, padding, dilation = (repeat_to(one, spatial) for one in (stride, padding, dilation))
    if transposed:
        return tw.conv_transpose(
            x, weight, bias, stride, padding, repeat_to(output_padding, spatial), dilation, groups
        )
    return tw.conv(x, weight, bias, stride, padding, dilation, groups)


@rule("convolution")
def convolution(c, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    if 0 in x.shape or 0 in weight.shape:
        raise Unsupported("a convolution of nothing is not compiled")
    single = x.ndim == weight.ndim - 1
    if single:
        x = tw.expand_dims(x, 0)
    made = _convolve(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    return tw.squeeze(made, 0) if single else made


@rule("convolution_backward")
def convolution_backward(
    c, gradient, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, mask
):
    if 0 in x.shape or 0 in weight.shape:
        raise Unsupported("a convolution of nothing is not compiled")
    made = _convolve(x, weight, None, stride, padding, dilation, transposed, output_padding, groups)
    by = [one for one, wanted in zip((x, weight), mask) if wanted]
    found = iter(gradients(made, gradient, *by) if by else ())
    bias = tw.sum(gradient, [0, *range(2, gradient.ndim)]) if mask[2] else None
    return (next(found) if mask[0] else None), (next(found) if mask[1] else None), bias


# ---------------------------------------------------------------------------------------------
# Pooling. `spatial` dimensions come last; those before them are one or two.


def _batched(x, spatial):
    """With exactly two dimensions before the spatial ones."""
    return x if x.ndim == spatial + 2 else tw.reshape(x, (1,) * (spatial + 2 - x.ndim) + x.shape)


def _windows(window, stride, padding, dilation, spatial):
    window = repeat_to(window, spatial)
    stride = repeat_to(stride, spatial) if stride else window
    return window, stride, repeat_to(padding, spatial), repeat_to(dilation, spatial)


def _reach(sizes, outs, window, stride, padding, dilation):
    """How far windows go beyond the end."""
    return tuple(
        max(p, (out - 1) * s + d * (k - 1) + 1 - size - p)
        for size, out, k, s, p, d in zip(sizes, outs, window, stride, padding, dilation)
    )


def _cut(x, outs):
    """What a window behind the padding has made is left out."""
    for d, out in enumerate(outs):
        dim = x.ndim - len(outs) + d
        if x.shape[dim] != out:
            x = tw.slice(x, (0,), (out,), (1,), (dim,))
    return x


def _max_pool(x, outs, window, stride, padding, dilation):
    high = _reach(x.shape[2:], outs, window, stride, padding, dilation)
    return _cut(tw.max_pool(x, window, stride, (*padding, *high), dilation), outs)


def _place_in_window(x, outs, window, stride, padding, dilation):
    """Values of windows and where they lie in the flattened spatial dimensions, the first of several."""
    sizes = x.shape[2:]
    high = _reach(sizes, outs, window, stride, padding, dilation)
    padded = tw.pad(x, (0, 0, *padding), (0, 0, *high), lowest(x.dtype)) if any(padding) or any(high) else x
    shape = (*x.shape[:2], *outs)
    firsts = []
    for d, (out, s, p, dil) in enumerate(zip(outs, stride, padding, dilation)):
        start = tw.iota((out,), 0, "int64") * s - p
        # Of windows that begin before the first element: the first that is there.
        start = tw.where(start < 0, start + (-start + (dil - 1)) // dil * dil, start)
        firsts.append(tw.reshape(start, (out,) + (1,) * (len(outs) - 1 - d)))
    place = None
    for start, size in zip(firsts, sizes):
        place = start if place is None else place * size + start
    place = tw.broadcast_to(place, shape)
    best = tw.full(shape, lowest(x.dtype), x.dtype)
    axes = tuple(range(2, x.ndim))
    for offsets in itertools.product(*(range(k) for k in window)):
        starts = tuple(o * d for o, d in zip(offsets, dilation))
        stops = tuple(a + (out - 1) * s + 1 for a, out, s in zip(starts, outs, stride))
        value = tw.slice(padded, starts, stops, stride, axes)
        at = None
        for d, (a, out, s, p) in enumerate(zip(starts, outs, stride, padding)):
            along = tw.iota((out,), 0, "int64") * s + (a - p)
            along = tw.reshape(along, (out,) + (1,) * (len(outs) - 1 - d))
            at = along if at is None else at * sizes[d] + along
        better = value > best
        if "float" in x.dtype:
            better = tw.logical_or(better, tw.isnan(value))
        best = tw.where(better, value, best)
        place = tw.where(better, tw.broadcast_to(at, shape), place)
    return best, place


def _max_pool_with_indices(spatial):
    def apply(c, x, window, stride=(), padding=0, dilation=1, ceil_mode=False):
        if 0 in c.shape:
            return tw.zeros(c.shape, c.dtype), tw.zeros(c.shape, "int64")
        row = _batched(x, spatial)
        window, stride, padding, dilation = _windows(window, stride, padding, dilation, spatial)
        outs = c.shape[len(c.shape) - spatial :]
        if not c.is_used(1):
            return tw.reshape(_max_pool(row, outs, window, stride, padding, dilation), c.shape), None
        if math.prod(window) > 256:
            raise Unsupported("places in windows of more than 256 elements are not compiled")
        values, places = _place_in_window(row, outs, window, stride, padding, dilation)
        return tw.reshape(values, c.shape), tw.reshape(places, c.shape)

    return apply


for _spatial in (1, 2, 3):
    rule(f"max_pool{_spatial}d_with_indices")(_max_pool_with_indices(_spatial))


@rule("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(c, x, window, stride=(), padding=0, dilation=1, ceil_mode=False):
    spatial = int(c._node.target._opname[8])
    row = _batched(x, spatial)
    outs = c.shape[len(c.shape) - spatial :]
    made = _max_pool(row, outs, *_windows(window, stride, padding, dilation, spatial))
    return tw.reshape(made, c.shape)


def _add_at_places(c, gradient, places, spatial):
    """Gradients summed where the places in the flattened spatial dimensions say."""
    if 0 in gradient.shape:
        return tw.zeros(c.shape, c.dtype)
    lead, inner = c.shape[: len(c.shape) - spatial], math.prod(c.shape[len(c.shape) - spatial :])
    rows = math.prod(lead)
    flat = tw.reshape(gradient, (rows, gradient.size // rows))
    at = tw.reshape(places, flat.shape)
    made = tw.scatter(tw.zeros((rows, inner), c.dtype), [at], flat, "add", 1, 1)
    return tw.reshape(made, c.shape)


@rule("max_pool2d_with_indices_backward")
def max_pool2d_backward(c, gradient, x, window, stride, padding, dilation, ceil_mode, places):
    return _add_at_places(c, gradient, places, 2)


@rule("max_pool3d_with_indices_backward")
def max_pool3d_backward(c, gradient, x, window, stride, padding, dilation, ceil_mode, places):
    return _add_at_places(c, gradient, places, 3)


def _counts(sizes, outs, window, stride, padding, include, divisor):
    """By how much the sums of windows are divided: a number, or a tensor of the spatial sizes."""
    if divisor is not None:
        return float(divisor)
    along = []
    for size, out, k, s, p in zip(sizes, outs, window, stride, padding):
        counts = []
        for i in range(out):
            start = i * s - p
            stop = min(start + k, size + p)
            counts.append(stop - start if include else min(stop, size) - max(start, 0))
        along.append(counts)
    if all(len(set(counts)) == 1 for counts in along):
        return float(math.prod(counts[0] for counts in along))
    table = torch.ones(())
    for counts in along:
        table = table.unsqueeze(-1) * torch.tensor(counts, dtype=torch.float32)
    return table


def _avg_pool(c, x, outs, window, stride, padding, include, divisor, spatial):
    high = _reach(x.shape[2:], outs, window, stride, padding, (1,) * spatial)
    whole = lambda values, other: (other, other, *values)  # noqa: E731
    total = tw.reduce_window(
        x, "add", whole(window, 1), whole(stride, 1), (0, 0, *padding, 0, 0, *high), whole((1,) * spatial, 1)
    )
    total = _cut(total, outs)
    count = _counts(x.shape[2:], outs, window, stride, padding, include, divisor)
    if isinstance(count, float):
        table = int(count) if "float" not in x.dtype else count
    else:
        table = cast(constant(c, count), x.dtype)
    # Integers are cut off.
    return total / table if "float" in x.dtype else tw.floor_divide(total - tw.fmod(total, table), table)


def _avg(spatial):
    def apply(c, x, window, stride=(), padding=0, ceil_mode=False, include=True, divisor=None):
        if 0 in c.shape:
            return tw.zeros(c.shape, c.dtype)
        row = _batched(cast(x, widened(c.dtype)), spatial)
        window, stride, padding, _ = _windows(window, stride, padding, 1, spatial)
        outs = c.shape[len(c.shape) - spatial :]
        made = _avg_pool(c, row, outs, window, stride, padding, include, divisor, spatial)
        return cast(tw.reshape(made, c.shape), c.dtype)

    return apply


def _avg_backward(spatial):
    def apply(c, gradient, x, window, stride, padding, ceil_mode, include, divisor):
        if 0 in c.shape or 0 in gradient.shape:
            return tw.zeros(c.shape, c.dtype)
        row = _batched(cast(x, widened(c.dtype)), spatial)
        window, stride, padding, _ = _windows(window, stride, padding, 1, spatial)
        outs = gradient.shape[gradient.ndim - spatial :]
        made = _avg_pool(c, row, outs, window, stride, padding, include, divisor, spatial)
        (found,) = gradients(made, tw.reshape(cast(gradient, row.dtype), made.shape), row)
        return cast(tw.reshape(found, c.shape), c.dtype)

    return apply


for _spatial in (1, 2, 3):
    rule(f"avg_pool{_spatial}d")(_avg(_spatial))
    rule(f"avg_pool{_spatial}d_backward")(_avg_backward(_spatial))


def _means(c, x, outs, spatial):
    """Means of parts that overlap where sizes do not divide."""
    sizes = x.shape[2:]
    if all(out and size % out == 0 for size, out in zip(sizes, outs)):
        window = tuple(size // out for size, out in zip(sizes, outs))
        if all(out == 1 for out in outs):
            return tw.mean(x, tuple(range(2, x.ndim)), True)
        return tw.avg_pool(x, window)
    for d, (size, out) in enumerate(zip(sizes, outs)):
        if size == out:
            continue
        table = torch.zeros(out, size)
        for i in range(out):
            start, stop = i * size // out, -(-(i + 1) * size // out)
            table[i, start:stop] = 1.0 / (stop - start)
        dim = 2 + d
        x = tw.moveaxis(tw.matmul(tw.moveaxis(x, dim, x.ndim - 1), cast(constant(c, table.T), x.dtype)), x.ndim - 1, dim)
    return x


def _adaptive(spatial):
    def apply(c, x, size):
        if 0 in c.shape:
            return tw.zeros(c.shape, c.dtype)
        row = _batched(cast(x, widened(c.dtype)), spatial)
        return cast(tw.reshape(_means(c, row, c.shape[len(c.shape) - spatial :], spatial), c.shape), c.dtype)

    return apply


def _adaptive_backward(spatial):
    def apply(c, gradient, x):
        row = _batched(cast(x, widened(c.dtype)), spatial)
        made = _means(c, row, gradient.shape[gradient.ndim - spatial :], spatial)
        (found,) = gradients(made, tw.reshape(cast(gradient, row.dtype), made.shape), row)
        return cast(tw.reshape(found, c.shape), c.dtype)

    return apply


rule("adaptive_avg_pool1d")(_adaptive(1))
for _spatial in (2, 3):
    rule(f"_adaptive_avg_pool{_spatial}d", f"adaptive_avg_pool{_spatial}d")(_adaptive(_spatial))
    rule(f"_adaptive_avg_pool{_spatial}d_backward")(_adaptive_backward(_spatial))


def _uneven_parts(sizes, outs):
    """For each dimension a table [out, most]: where each part's elements lie, its last one repeated."""
    for size, out in zip(sizes, outs):
        parts = [range(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]
        most = max(len(part) for part in parts)
        yield torch.tensor([[part[min(j, len(part) - 1)] for j in range(most)] for part in parts])


def _adaptive_max(spatial):
    def apply(c, x, size):
        row = _batched(x, spatial)
        sizes, outs = row.shape[2:], c.shape[len(c.shape) - spatial :]
        if 0 in c.shape:
            return tw.zeros(c.shape, c.dtype), tw.zeros(c.shape, "int64")
        if not c.is_used(1) and not any(size % out for size, out in zip(sizes, outs)):
            return tw.reshape(tw.max_pool(row, tuple(size // out for size, out in zip(sizes, outs))), c.shape), None
        place = torch.zeros((), dtype=torch.int64)
        for d, (table, count) in enumerate(zip(_uneven_parts(sizes, outs), sizes)):
            row = tw.take(row, constant(c, table), 2 + 2 * d)
            place = place[..., None, None] * count + table
        order = [*range(0, 2 * spatial, 2), *range(1, 2 * spatial, 2)]
        most = math.prod(row.shape[3::2])
        row = tw.permute_dims(row, (0, 1, *(2 + d for d in order)))
        row = tw.reshape(row, (*row.shape[:2], *outs, most))
        values, places = tw.max(row, (row.ndim - 1,)), None
        if c.is_used(1):
            table = constant(c, place.permute(order).reshape(*outs, most))
            at = tw.expand_dims(tw.argmax(row, row.ndim - 1), row.ndim - 1)
            places = tw.take_along_axis(tw.broadcast_to(table, row.shape), at, row.ndim - 1)
            places = tw.reshape(places, c.shape)
        return tw.reshape(values, c.shape), places

    return apply


for _spatial in (1, 2, 3):
    rule(f"adaptive_max_pool{_spatial}d")(_adaptive_max(_spatial))
rule("adaptive_max_pool2d_backward")(lambda c, gradient, x, places: _add_at_places(c, gradient, places, 2))
rule("adaptive_max_pool3d_backward")(lambda c, gradient, x, places: _add_at_places(c, gradient, places, 3))


# ---------------------------------------------------------------------------------------------
# Softmax and norms.


def _soft(function):
    def apply(c, x, dim, *_):
        if x.ndim == 0 or 0 in x.shape:
            wide = cast(tw.reshape(x, (1,)) if x.ndim == 0 else x, widened(c.dtype))
            return cast(tw.reshape(function(wide, 0), c.shape) if x.ndim == 0 else wide, c.dtype)
        return cast(function(cast(x, widened(c.dtype)), axis(x, dim)), c.dtype)

    return apply


rule("_softmax", "softmax.int")(_soft(tw.softmax))
rule("_log_softmax", "log_softmax.int")(_soft(tw.log_softmax))


def _safe_softmax_of(x, dim):
    most = tw.max(x, (dim,), True)
    dead = tw.equal(most, -math.inf)
    return tw.where(dead, 0.0, tw.softmax(tw.where(dead, 0.0, x), dim))


@rule("_safe_softmax")
def safe_softmax(c, x, dim, dtype=None):
    x = cast(x, c.dtype)
    if x.ndim == 0 or 0 in x.shape:
        return _soft(tw.softmax)(c, x, dim)
    return _safe_softmax_of(x, axis(x, dim))


@rule("native_layer_norm")
def native_layer_norm(c, x, shape, weight, bias, eps):
    dims = tuple(range(x.ndim - len(shape), x.ndim))
    kinds = c.results
    wide = cast(x, widened(kinds[0].dtype))
    if 0 in x.shape:
        return tuple(tw.zeros(one.shape, one.dtype) for one in kinds)
    made = tw.layer_norm(
        wide, None if weight is None else cast(weight, wide.dtype), None if bias is None else cast(bias, wide.dtype), dims, eps
    )
    middle = scale = None
    if c.is_used(1) or c.is_used(2):
        middle = tw.mean(wide, dims, True)
        scale = tw.rsqrt(tw.mean(tw.square(wide - middle), dims, True) + eps)
        middle, scale = cast(middle, kinds[1].dtype), cast(scale, kinds[2].dtype)
    return cast(made, kinds[0].dtype), middle, scale


@rule("native_group_norm")
def native_group_norm(c, x, weight, bias, count, channels, inner, groups, eps):
    kinds = c.results
    if 0 in x.shape:
        return tuple(tw.zeros(one.shape, one.dtype) for one in kinds)
    wide = cast(x, widened(x.dtype))
    rows = tw.reshape(wide, (count, groups, channels // groups * inner))
    middle = tw.mean(rows, (2,), True)
    scale = tw.rsqrt(tw.mean(tw.square(rows - middle), (2,), True) + eps)
    made = tw.reshape((rows - middle) * scale, x.shape)
    shape = (channels,) + (1,) * (x.ndim - 2)
    if weight is not None:
        made = made * tw.reshape(cast(weight, wide.dtype), shape)
    if bias is not None:
        made = made + tw.reshape(cast(bias, wide.dtype), shape)
    return (
        cast(made, kinds[0].dtype),
        cast(tw.reshape(middle, kinds[1].shape), kinds[1].dtype),
        cast(tw.reshape(scale, kinds[2].shape), kinds[2].dtype),
    )


def _along_channels(x, rank):
    return tw.reshape(x, (x.shape[0],) + (1,) * (rank - 2))


def _batch_norm_given(c, x, weight, bias, mean, var, eps):
    wide = widened(x.dtype)
    channels = x.shape[1]
    one = lambda given, value: tw.full((channels,), value, wide) if given is None else cast(given, wide)  # noqa: E731
    made = tw.batch_norm(cast(x, wide), one(weight, 1), one(bias, 0), cast(mean, wide), cast(var, wide), eps)
    return cast(made, x.dtype)


def _nothing(c, first):
    """Results that have no elements here."""
    return [None if one is None else tw.zeros(one.shape, one.dtype) for one in c.results[first:]]


@rule("_native_batch_norm_legit_no_training")
def batch_norm_inference(c, x, weight, bias, mean, var, momentum, eps):
    return _batch_norm_given(c, x, weight, bias, mean, var, eps), *_nothing(c, 1)


def _batch_norm_training(c, x, weight, bias, mean, var, momentum, eps):
    """The result, the mean and the inverse deviation, and the next statistics."""
    wide = cast(x, widened(x.dtype))
    dims = (0, *range(2, x.ndim))
    count = math.prod(x.shape[d] for d in dims)
    middle = tw.mean(wide, dims, True)
    variance = tw.mean(tw.square(wide - middle), dims, True)
    scale = tw.rsqrt(variance + eps)
    made = (wide - middle) * scale
    if weight is not None:
        made = made * _along_channels(cast(weight, wide.dtype), x.ndim)
    if bias is not None:
        made = made + _along_channels(cast(bias, wide.dtype), x.ndim)
    channels = (x.shape[1],)
    middle, variance, scale = (tw.reshape(one, channels) for one in (middle, variance, scale))
    found = [cast(made, x.dtype), middle, scale]
    if mean is not None:
        unbiased = variance * (count / max(count - 1, 1))
        found.append(cast(middle * momentum + cast(mean, wide.dtype) * (1 - momentum), mean.dtype))
        found.append(cast(unbiased * momentum + cast(var, wide.dtype) * (1 - momentum), var.dtype))
    return found


@rule("_native_batch_norm_legit_functional")
def batch_norm_functional(c, x, weight, bias, mean, var, training, momentum, eps):
    if not training:
        return _batch_norm_given(c, x, weight, bias, mean, var, eps), *_nothing(c, 1)[:2], mean, var
    return _batch_norm_training(c, x, weight, bias, mean, var, momentum, eps)


@rule("_native_batch_norm_legit.no_stats")
def batch_norm_no_stats(c, x, weight, bias, training, momentum, eps):
    return _batch_norm_training(c, x, weight, bias, None, None, momentum, eps)


@rule("_batch_norm_with_update_functional")
def batch_norm_with_update(c, x, weight, bias, mean, var, momentum, eps):
    made, middle, scale, mean, var = _batch_norm_training(c, x, weight, bias, mean, var, momentum, eps)
    return made, middle, scale, tw.zeros((0,), "uint8"), mean, var


@rule("_batch_norm_no_update")
def batch_norm_no_update(c, x, weight, bias, mean, var, momentum, eps):
    return _batch_norm_given(c, x, weight, bias, mean, var, eps), *_nothing(c, 1)


# ---------------------------------------------------------------------------------------------
# Attention.


def _attend(query, key, value, mask, causal, scale):
    # Scale 0 stands for 1 / sqrt(d).
    return tw.attention(query, key, value, mask, causal, 0.0 if scale is None else float(scale))


@rule("_scaled_dot_product_flash_attention_for_cpu")
def flash_attention(c, query, key, value, dropout=0.0, causal=False, mask=None, scale=None):
    if dropout:
        raise Unsupported(DRAWS)
    made = _attend(query, key, value, mask, causal, scale)
    total = None
    if c.is_used(1):
        kind = c.results[1]
        wide = cast(query, "float32"), cast(key, "float32")
        scores = tw.matmul(wide[0], tw.matrix_transpose(wide[1])) * (
            1.0 / math.sqrt(query.shape[-1]) if scale is None else float(scale)
        )
        if mask is not None:
            scores = tw.where(mask, scores, -math.inf) if mask.dtype == "bool" else scores + cast(mask, "float32")
        if causal:
            rows = tw.iota(scores.shape[-2:], 0) >= tw.iota(scores.shape[-2:], 1)
            scores = tw.where(rows, scores, -math.inf)
        total = cast(tw.logsumexp(scores, (scores.ndim - 1,)), kind.dtype)
        if total.shape != kind.shape:
            total = tw.swapaxes(total, 1, 2)
    return made, total


@rule("_scaled_dot_product_flash_attention_for_cpu_backward")
def flash_attention_backward(
    c, gradient, query, key, value, out, total, dropout=0.0, causal=False, mask=None, scale=None
):
    if dropout:
        raise Unsupported(DRAWS)
    return gradients(_attend(query, key, value, mask, causal, scale), gradient, query, key, value)


@rule("_trilinear")
def trilinear(c, x, y, z, expand_x, expand_y, expand_z, summed, unroll=1):
    made = None
    for one, dims in ((x, expand_x), (y, expand_y), (z, expand_z)):
        for d in sorted(dims):
            one = tw.expand_dims(one, d)
        made = one if made is None else made * one
    return tw.sum(made, summed) if summed else made


# ---------------------------------------------------------------------------------------------


@rule("_cdist_forward")
def cdist(c, x, y, p, mode=None):
    if 0 in c.shape or x.shape[-1] == 0:
        return tw.zeros(c.shape, c.dtype)
    apart = tw.abs(tw.expand_dims(x, x.ndim - 1) - tw.expand_dims(y, y.ndim - 2))
    return _distance(apart, p)


def _distance(apart, p):
    dim = (apart.ndim - 1,)
    if p == 0:
        return tw.sum(cast(apart != 0, apart.dtype), dim)
    if p == 1:
        return tw.sum(apart, dim)
    if p == 2:
        return tw.sqrt(tw.sum(tw.square(apart), dim))
    if math.isinf(p):
        return tw.max(apart, dim)
    return tw.pow(tw.sum(tw.pow(apart, float(p)), dim), 1.0 / float(p))


@rule("_cdist_backward")
def cdist_backward(c, gradient, x, y, p, distance):
    if 0 in c.shape or 0 in y.shape:
        return tw.zeros(c.shape, c.dtype)
    apart = tw.expand_dims(x, x.ndim - 1) - tw.expand_dims(y, y.ndim - 2)
    far = tw.expand_dims(distance, distance.ndim)
    whole = tw.where(far == 0, 1.0, far)
    if p == 0:
        return tw.zeros(c.shape, c.dtype)
    if p == 1:
        slope = tw.sign(apart)
    elif p == 2:
        slope = apart / whole
    elif math.isinf(p):
        slope = tw.where(tw.abs(apart) == far, tw.sign(apart), 0.0)
    else:
        slope = tw.sign(apart) * tw.pow(tw.abs(apart) / whole, float(p) - 1.0)
    slope = tw.where(far == 0, 0.0, slope)
    made = tw.sum(slope * tw.expand_dims(gradient, gradient.ndim), (slope.ndim - 2,))
    return tw.broadcast_to(made, c.shape)


@rule("_pdist_forward")
def pdist(c, x, p=2):
    if 0 in c.shape or x.shape[-1] == 0:
        return tw.zeros(c.shape, c.dtype)
    count = x.shape[0]
    first, second = torch.triu_indices(count, count, 1)
    apart = tw.abs(tw.take(x, constant(c, first), 0) - tw.take(x, constant(c, second), 0))
    return _distance(apart, p)


del _spatial
