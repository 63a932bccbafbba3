"""What the programs of part `speed` compute, in f64, one piece after the other: with numpy, or with torch on the GPU."""
import math

import networks


class Numpy:
    def __init__(self):
        import numpy
        self.numpy, self.exp, self.sqrt, self.sin = numpy, numpy.exp, numpy.sqrt, numpy.sin
        self.erf, self.tanh, self.where = numpy.vectorize(math.erf), numpy.tanh, numpy.where

    def max(self, x):
        return x.max(-1, keepdims=True)

    def sum(self, x):
        return x.sum(-1, keepdims=True)

    def range(self, count):
        return self.numpy.arange(count)

    def totals(self, x, axes):
        return x.sum(tuple(axes))

    def last_two_swapped(self, x):
        return self.numpy.swapaxes(x, -1, -2)

    def network(self, flat, x):
        return networks.Numpy(self.numpy, flat, x)


class Torch:
    def __init__(self):
        import torch
        self.torch, self.exp, self.sqrt, self.sin = torch, torch.exp, torch.sqrt, torch.sin
        self.erf, self.tanh, self.where = torch.erf, torch.tanh, torch.where

    def max(self, x):
        return x.amax(-1, keepdim=True)

    def sum(self, x):
        return x.sum(-1, keepdim=True)

    def range(self, count):
        return self.torch.arange(count, device="cuda")

    def totals(self, x, axes):
        return x.sum(tuple(axes))

    def last_two_swapped(self, x):
        return x.transpose(-1, -2)

    def network(self, flat, x):
        return networks.Torch(self.torch, flat, x)


def product(m, a, b):
    yield ..., a @ b


def product_nt(m, a, b):
    yield ..., a @ m.last_two_swapped(b)


def product_gelu(m, a, b, c):
    x = a @ b + c
    yield ..., 0.5 * x * (1 + m.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def softmax_of(m, x):
    e = m.exp(x - m.max(x))
    return e / m.sum(e)


def attention(m, q, k, v, causal=False):
    """A head at a time: the scores of all would not fit."""
    batch, heads, positions, width = q.shape
    seen = m.range(positions)[:, None] >= m.range(positions)[None, :]
    for b in range(batch):
        for h in range(heads):
            group = h * k.shape[1] // heads
            scores = q[b, h] @ m.last_two_swapped(k[b, group]) * width ** -0.5
            if causal:
                scores = m.where(seen, scores, -math.inf)
            yield (b, h), softmax_of(m, scores) @ v[b, group]


def softmax(m, x):
    yield ..., softmax_of(m, x)


def layer_norm(m, x, scale, shift):
    d = x - m.sum(x) / x.shape[-1]
    yield ..., d / m.sqrt(m.sum(d * d) / x.shape[-1] + 1e-5) * scale + shift


def rms_norm(m, x, scale):
    yield ..., x / m.sqrt(m.sum(x * x) / x.shape[-1] + 1e-5) * scale


def sum(m, x, axes):
    yield ..., m.totals(x, axes)


def transpose(m, x):
    yield ..., m.last_two_swapped(x)


def relu(m, x):
    yield ..., m.where(x > 0, x, 0 * x)


def gelu(m, x):
    yield ..., 0.5 * x * (1 + m.erf(x * math.sqrt(0.5)))


def add(m, x, z):
    yield ..., x + z


def chain(m, x, count):
    for _ in range(count):
        x = m.sin(x)
    yield ..., x


def network(m, x, flat, network, sizes):
    yield ..., networks.NETWORKS[network](m.network(flat, x), *sizes)


def pieces(machine, name, arrays, arguments):
    """(place, values) of the result of a reference."""
    return globals()[name](machine, *arrays, **arguments)
