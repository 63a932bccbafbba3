"""Random numbers: functions of a key that each run of a program takes from torch's generator."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

from tensorwright import _functions as tw
from tensorwright.torch._graph import Unsupported
from tensorwright.torch._rules import cast, rule, tensor, widened

# Bits of the fraction of what torch draws from 0 up to 1.
_BITS = {"float16": 11, "bfloat16": 8}


def _uniform(c, shape, dtype):
    """From 0 up to 1."""
    if "float" not in dtype:
        raise Unsupported(f"uniform numbers of {dtype} are not compiled")
    key, counter = c.draw()
    made = tw.random_uniform(key, counter, shape, widened(dtype))
    if dtype in _BITS:
        # Rounding would come to 1.
        scale = 2.0 ** _BITS[dtype]
        made = cast(tw.floor(made * scale) * (1 / scale), dtype)
    return made


def _normal(c, shape, dtype):
    if "float" not in dtype:
        raise Unsupported(f"normal numbers of {dtype} are not compiled")
    key, counter = c.draw()
    return cast(tw.random_normal(key, counter, shape, widened(dtype)), dtype)


def _integers(c, low, high, shape, dtype):
    """From low up to high; as in torch, a remainder of a word that is wide enough."""
    count = high - low
    if not 0 < count < 1 << 63:
        raise Unsupported(f"integers from {low} up to {high} are not compiled")
    key, counter = c.draw()
    if count <= 1 << 32:
        words = cast(tw.random_bits(key, counter, shape), "int64")
    else:
        halves = cast(tw.random_bits(key, counter, (*shape, 2)), "int64")
        # 63 bits, so that a remainder of integers with a sign is one.
        upper, lower = tw.unstack(halves, -1)
        words = tw.bitwise_or(tw.bitwise_left_shift(tw.bitwise_and(upper, 0x7FFFFFFF), 32), lower)
    return cast(tw.remainder(words, count) + low, dtype)


def _below(c, shape, chance, dtype):
    """True with that probability, a number or a tensor."""
    wide = "float64" if dtype == "float64" else "float32"
    return _uniform(c, shape, wide) < (chance if isinstance(chance, float) else cast(chance, wide))


def _check(generator):
    if generator is not None:
        raise Unsupported("it draws random numbers of a generator of its own")


@rule("rand")
def rand(c, size, *_):
    return _uniform(c, c.shape, c.dtype)


@rule("rand_like")
def rand_like(c, x, *_):
    return _uniform(c, c.shape, c.dtype)


@rule("randn")
def randn(c, size, *_):
    return _normal(c, c.shape, c.dtype)


@rule("randn_like")
def randn_like(c, x, *_):
    return _normal(c, c.shape, c.dtype)


@rule("randint")
def randint(c, high, *_):
    return _integers(c, 0, high, c.shape, c.dtype)


@rule("randint.low")
def randint_low(c, low, high, *_):
    return _integers(c, low, high, c.shape, c.dtype)


@rule("randint_like")
def randint_like(c, x, high, *_):
    return _integers(c, 0, high, c.shape, c.dtype)


@rule("randint_like.low_dtype")
def randint_like_low(c, x, low, high, *_):
    return _integers(c, low, high, c.shape, c.dtype)


@rule("randperm")
def randperm(c, n, *_):
    # Of 53 bits each, few are equal.
    return cast(tw.argsort(_uniform(c, c.shape, "float64"), 0), c.dtype)


@rule("bernoulli")
def bernoulli(c, x, generator=None):
    _check(generator)
    return cast(_below(c, c.shape, x, x.dtype), c.dtype)


@rule("bernoulli.p")
def bernoulli_p(c, x, p=0.5, generator=None):
    _check(generator)
    return cast(_below(c, c.shape, float(p), c.dtype), c.dtype)


@rule("multinomial")
def multinomial(c, x, samples, replacement=False, generator=None):
    """Each class comes first in a race of exponential times with the chance that its weight is of all."""
    _check(generator)
    wide = widened(x.dtype)
    classes = x.shape[-1]
    shape = (*x.shape[:-1], samples, classes) if replacement else x.shape
    key, counter = c.draw()
    drawn = tw.random_uniform(key, counter, shape, wide)
    rates = tw.log(cast(x, wide))
    if replacement:
        rates = tw.reshape(rates, (*x.shape[:-1], 1, classes))
    scores = rates - tw.log(-tw.log(drawn))
    if replacement:
        return cast(tw.argmax(scores, -1), c.dtype)
    return cast(tw.top_k(scores, samples, -1)[1], c.dtype)


@rule("uniform")
def uniform(c, x, low=0.0, high=1.0, generator=None):
    _check(generator)
    return cast(_uniform(c, c.shape, c.dtype) * float(high - low) + float(low), c.dtype)


@rule("normal_functional")
def normal(c, x, mean=0.0, deviation=1.0, generator=None):
    _check(generator)
    return cast(_normal(c, c.shape, c.dtype) * float(deviation) + float(mean), c.dtype)


@rule("normal.float_float")
def normal_of_size(c, mean, deviation, size, generator=None, *_):
    _check(generator)
    return cast(_normal(c, c.shape, c.dtype) * float(deviation) + float(mean), c.dtype)


@rule("exponential")
def exponential(c, x, rate=1.0, generator=None):
    _check(generator)
    wide = widened(c.dtype)
    drawn = _uniform(c, c.shape, wide)
    least = 2.0**-54 if wide == "float64" else 2.0**-25
    # Not 0, as in torch.
    return cast(tw.maximum(-tw.log1p(-drawn), least) * (1.0 / float(rate)), c.dtype)


@rule("native_dropout")
def native_dropout(c, x, p, train=None):
    if train is False:
        return x, tw.full(x.shape, True, "bool")
    dropped = _below(c, x.shape, float(p), x.dtype)
    kept = tw.logical_not(dropped)
    wide = widened(x.dtype)
    # As in eager mode what is dropped is multiplied by zero.
    factor = tw.where(dropped, tensor(0.0, wide), 0.0 if p >= 1 else 1.0 / (1.0 - p))
    return cast(cast(x, wide) * factor, x.dtype), kept
