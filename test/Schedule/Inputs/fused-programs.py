"""Programs that a person would write as few kernels, as graphs: how many kernels each becomes, and that it still
computes what the interpreter does.

usage: fused-programs.py FOLDER [NAME...]"""
import re
import subprocess
import sys


class Graph:
    """Writes a function of tgraph ops. A value is (name, shape), with its type of elements behind if that is not f32."""

    def __init__(self):
        self.lines, self.arguments = [], []

    @staticmethod
    def type(value):
        return "tensor<" + "".join(f"{extent}x" for extent in value[1]) + (value[2] if len(value) > 2 else "f32") + ">"

    def argument(self, *shape, of="f32"):
        self.arguments.append((f"%a{len(self.arguments)}", shape, of))
        return self.arguments[-1]

    def op(self, text, shape, of="f32"):
        value = (f"%v{len(self.lines)}", tuple(shape), of)
        self.lines.append(f"{value[0]} = tgraph.{text}")
        return value

    def unary(self, name, x):
        return self.op(f"{name} {x[0]} : {self.type(x)}", x[1])

    def binary(self, name, x, y):
        assert x[1] == y[1], (x, y)
        return self.op(f"{name} {x[0]}, {y[0]} : {self.type(x)}", x[1])

    def constant(self, number, shape):
        return self.op(f"constant dense<{number:.8e}> : {self.type(('', shape))}", shape)

    def scale(self, x, number):
        return self.binary("mul", x, self.constant(number, x[1]))

    def offset(self, x, number):
        return self.binary("add", x, self.constant(number, x[1]))

    def reshape(self, x, *shape):
        return self.op(f"reshape {x[0]} : {self.type(x)} -> {self.type(('', shape))}", shape)

    def expand(self, x, *shape):
        return self.op(f"expand {x[0]} : {self.type(x)} -> {self.type(('', shape))}", shape)

    def broadcast(self, x, *shape):
        """To the last dimensions of `shape`."""
        return self.expand(self.reshape(x, *[1] * (len(shape) - len(x[1])), *x[1]), *shape)

    def permute(self, x, *order):
        shape = [x[1][i] for i in order]
        return self.op(f"permute {x[0]} {list(order)} : {self.type(x)} -> {self.type(('', shape))}", shape)

    def reduce(self, kind, x, *dims):
        shape = [extent for i, extent in enumerate(x[1]) if i not in dims]
        return self.op(f"reduce {kind} {x[0]} dims {list(dims)} : {self.type(x)} -> {self.type(('', shape))}", shape)

    def along(self, x, like, *dims):
        """A reduction over `dims`, repeated along them."""
        return self.expand(self.reshape(x, *[1 if i in dims else n for i, n in enumerate(like[1])]), *like[1])

    def contract(self, spec, x, y):
        inputs, result = spec.split("->")
        extents = {}
        for letters, value in zip(inputs.split(","), (x, y)):
            extents.update(zip(letters, value[1]))
        shape = [extents[letter] for letter in result]
        return self.op(f'contract "{spec}" {x[0]}, {y[0]} : {self.type(x)}, {self.type(y)} -> {self.type(("", shape))}', shape)

    def concat(self, dim, *parts):
        shape = list(parts[0][1])
        shape[dim] = sum(part[1][dim] for part in parts)
        return self.op(f"concat {', '.join(p[0] for p in parts)} dim {dim} : {', '.join(self.type(p) for p in parts)} -> "
                       f"{self.type(('', shape))}", shape)

    def slice(self, x, dim, offset, size, stride=1):
        offsets, sizes, strides = [0] * len(x[1]), list(x[1]), [1] * len(x[1])
        offsets[dim], sizes[dim], strides[dim] = offset, size, stride
        return self.op(f"slice {x[0]} offsets {offsets} sizes {sizes} strides {strides} : {self.type(x)} -> "
                       f"{self.type(('', sizes))}", sizes)

    def pad(self, x, low, high, value):
        shape = [n + a + b for n, a, b in zip(x[1], low, high)]
        return self.op(f"pad {x[0]} low {low} high {high} value {value} : f32 : {self.type(x)} -> {self.type(('', shape))}", shape)

    def cast(self, x):
        return self.op(f"cast {x[0]} : {self.type(x)} to {self.type(('', x[1]))}", x[1])

    def causal(self, scores):
        """Scores of keys behind a query are minus infinity, by comparing positions."""
        shape, rows = scores[1], len(scores[1]) - 2
        positions = self.type(("", shape, "i64"))
        i, j = (self.op(f"iota dim {rows + n} : {positions}", shape, "i64") for n in (0, 1))
        seen = self.op(f"compare le, {j[0]}, {i[0]} : {positions}", shape, "i1")
        hidden = self.op(f"constant dense<0xFF800000> : {self.type(scores)}", shape)
        return self.op(f"select {seen[0]}, {scores[0]}, {hidden[0]} : {self.type(scores)}", shape)

    def conv(self, x, w, pad, stride=1):
        shape = (x[1][0], w[1][0], *((n + 2 * pad - k) // stride + 1 for n, k in zip(x[1][2:], w[1][2:])))
        return self.op(f"conv {x[0]}, {w[0]} strides [{stride}, {stride}] dilations [1, 1] pad_low [{pad}, {pad}] pad_high [{pad}, {pad}] "
                       f"groups {x[1][1] // w[1][1]} : {self.type(x)}, {self.type(w)} -> {self.type(('', shape))}", shape)

    def softmax(self, x, dim):
        return self.op(f"softmax {x[0]} dim {dim} : {self.type(x)}", x[1])

    def norm(self, x, *dims):
        return self.op(f"layer_norm {x[0]} dims {list(dims)} eps 1.0e-05 : {self.type(x)}", x[1])

    def text(self, results):
        arguments = ", ".join(f"{a[0]}: {self.type(a)}" for a in self.arguments)
        types = ", ".join(self.type(r) for r in results)
        return (f"func.func @main({arguments}) -> ({types}) {{\n  " + "\n  ".join(self.lines) +
                f"\n  return {', '.join(r[0] for r in results)} : {types}\n}}\n")


PROGRAMS = []


def program(kernels):
    """A function of a graph that returns its result, or several; `kernels` on the host."""
    def add(function):
        PROGRAMS.append((function.__name__, function, kernels))
        return function
    return add


@program(1)
def softmax(g):
    return g.softmax(g.argument(48, 200), 1)


@program(1)
def softmax_of_columns(g):
    return g.softmax(g.argument(48, 200), 0)


@program(1)
def log_softmax(g):
    x = g.argument(48, 200)
    return g.op(f"log_softmax {x[0]} dim 1 : {g.type(x)}", x[1])


@program(1)
def softmax_twice(g):
    return g.softmax(g.softmax(g.argument(48, 200), 1), 1)


@program(1)
def log_sum_exp(g):
    x = g.argument(48, 200)
    m = g.reduce("max", x, 1)
    s = g.reduce("add", g.unary("exp", g.binary("sub", x, g.along(m, x, 1))), 1)
    return g.binary("add", g.unary("log", s), m)


@program(1)
def cross_entropy_of_rows(g):
    x, t = g.argument(48, 200), g.argument(48, 200)
    y = g.op(f"log_softmax {x[0]} dim 1 : {g.type(x)}", x[1])
    return g.reduce("add", g.binary("mul", y, t), 1)


def rows_at_labels(g):
    """The logarithm of softmax where labels say, some of which are no class."""
    x, t = g.argument(48, 200), g.scale(g.argument(48), 300)
    y = g.op(f"log_softmax {x[0]} dim 1 : {g.type(x)}", x[1])
    at = g.op(f"cast {t[0]} : {g.type(t)} to tensor<48xi32>", (48,), "i32")
    return g.op(f"gather {y[0]}, {at[0]} {{axis = 1 : i64, batch_dims = 1 : i64}} : {g.type(y)}, {g.type(at)} -> tensor<48xf32>", (48,))


@program(1)
def cross_entropy_of_labels(g):
    return g.unary("neg", rows_at_labels(g))


@program(2)
def mean_cross_entropy_of_labels(g):
    return g.scale(g.reduce("add", rows_at_labels(g), 0), -1 / 48)


@program(1)
def layer_norm(g):
    x, s, b = g.argument(48, 200), g.argument(200), g.argument(200)
    return g.binary("add", g.binary("mul", g.norm(x, 1), g.broadcast(s, 48, 200)), g.broadcast(b, 48, 200))


@program(1)
def rms_norm(g):
    x, w = g.argument(48, 200), g.argument(200)
    m = g.scale(g.reduce("add", g.binary("mul", x, x), 1), 1 / 200)
    r = g.along(g.unary("rsqrt", g.offset(m, 1e-5)), x, 1)
    return g.binary("mul", g.binary("mul", x, r), g.broadcast(w, 48, 200))


@program(1)
def unit_vectors(g):
    x = g.argument(48, 200)
    s = g.unary("sqrt", g.reduce("add", g.binary("mul", x, x), 1))
    return g.binary("div", x, g.along(g.offset(s, 1e-6), x, 1))


@program(1)
def group_norm(g):
    x, w = g.argument(2, 16, 7, 9), g.argument(16)
    y = g.reshape(g.norm(g.reshape(x, 2, 4, 4 * 63), 2), 2, 16, 7, 9)
    return g.binary("mul", y, g.expand(g.reshape(w, 1, 16, 1, 1), 2, 16, 7, 9))


@program(1)
def instance_norm(g):
    return g.norm(g.argument(2, 16, 7, 9), 2, 3)


@program(1)
def quantise_by_the_maximum_of_rows(g):
    x = g.argument(48, 200)
    m = g.scale(g.reduce("max", g.unary("abs", x), 1), 1 / 127)
    return [g.unary("round", g.binary("div", x, g.along(g.offset(m, 1e-8), x, 1))), m]


@program(1)
def residual_and_norm(g):
    s = g.binary("add", g.argument(48, 200), g.argument(48, 200))
    return [s, g.norm(s, 1)]


@program(1)
def mean_and_variance(g):
    x = g.argument(48, 200)
    m = g.scale(g.reduce("add", x, 1), 1 / 200)
    d = g.binary("sub", x, g.along(m, x, 1))
    return [m, g.scale(g.reduce("add", g.binary("mul", d, d), 1), 1 / 200)]


@program(1)
def minimum_and_maximum(g):
    x = g.argument(48, 200)
    return [g.reduce("min", x, 1), g.reduce("max", x, 1)]


@program(1)
def maximum_and_position(g):
    x = g.argument(48, 200)
    p = g.op(f"arg_reduce max {x[0]} dim 1 : {g.type(x)} -> tensor<48xi64>", (48,), "i64")
    return [g.reduce("max", x, 1), p]


@program(1)
def first_of_an_order(g):
    x = g.argument(48, 200)
    p = g.op(f"arg_sort {x[0]} dim 1 descending first 1 : {g.type(x)} -> tensor<48x1xi64>", (48, 1), "i64")
    return [g.op(f"gather {x[0]}, {p[0]} {{axis = 1 : i64, batch_dims = 1 : i64}} : {g.type(x)}, {g.type(p)} -> tensor<48x1xf32>", (48, 1)), p]


def heads(g, tokens=40, count=2, width=16):
    return g.permute(g.reshape(g.argument(tokens, count * width), tokens, count, width), 1, 0, 2)


def join_heads(g, x):
    return g.reshape(g.permute(x, 1, 0, 2), x[1][1], x[1][0] * x[1][2])


@program(1)
def attention(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.scale(g.contract("hid,hjd->hij", q, k), 0.25)
    return join_heads(g, g.contract("hij,hjd->hid", g.softmax(s, 2), v))


@program(2)
def attention_of_values_made_last(g):
    q, k, x, w = heads(g), heads(g), g.argument(40, 32), g.argument(2, 32, 16)
    p = g.softmax(g.scale(g.contract("hid,hjd->hij", q, k), 0.25), 2)
    return g.contract("hij,hjd->hid", p, g.contract("jc,hcd->hjd", x, w))


@program(1)
def attention_scaled_before(g):
    q, k, v = g.scale(heads(g), 0.25), heads(g), heads(g)
    return g.contract("hij,hjd->hid", g.softmax(g.contract("hid,hjd->hij", q, k), 2), v)


@program(1)
def attention_transposed_keys(g):
    q, k, v = heads(g), g.permute(heads(g), 0, 2, 1), heads(g)
    s = g.scale(g.contract("hid,hdj->hij", q, k), 0.25)
    return g.contract("hij,hjd->hid", g.softmax(s, 2), v)


@program(1)
def attention_with_mask(g):
    q, k, v, m = heads(g), heads(g), heads(g), g.argument(40, 40)
    s = g.binary("add", g.scale(g.contract("hid,hjd->hij", q, k), 0.25), g.broadcast(m, 2, 40, 40))
    return join_heads(g, g.contract("hij,hjd->hid", g.softmax(s, 2), v))


@program(1)
def attention_with_soft_cap(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.scale(g.unary("tanh", g.scale(g.contract("hid,hjd->hij", q, k), 0.125)), 2.0)
    return g.contract("hij,hjd->hid", g.softmax(s, 2), v)


@program(1)
def attention_of_values_that_are_keys(g):
    q, k = heads(g), heads(g)
    s = g.scale(g.contract("hid,hjd->hij", q, k), 0.25)
    return g.contract("hij,hjd->hid", g.softmax(s, 2), k)


@program(1)
def attention_to_other_tokens(g):
    q, k, v = heads(g, 24), heads(g), heads(g)
    s = g.scale(g.contract("hid,hjd->hij", q, k), 0.25)
    return join_heads(g, g.contract("hij,hjd->hid", g.softmax(s, 2), v))


@program(1)
def attention_written_out(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.scale(g.contract("hid,hjd->hij", q, k), 0.25)
    p = g.unary("exp", g.binary("sub", s, g.along(g.reduce("max", s, 2), s, 2)))
    o = g.contract("hij,hjd->hid", p, v)
    return g.binary("div", o, g.along(g.reduce("add", p, 2), o, 2))


@program(1)
def attention_of_grouped_heads(g):
    q, k, v = g.argument(2, 4, 40, 16), heads(g), heads(g)
    s = g.scale(g.contract("hgid,hjd->hgij", q, k), 0.25)
    return g.contract("hgij,hjd->hgid", g.softmax(s, 3), v)


@program(1)
def attention_to_tokens_before(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.causal(g.scale(g.contract("hid,hjd->hij", q, k), 0.25))
    return join_heads(g, g.contract("hij,hjd->hid", g.softmax(s, 2), v))


@program(1)
def attention_of_one_query(g):
    q, k, v = g.argument(2, 16), heads(g, 200), heads(g, 200)
    s = g.scale(g.contract("hd,hjd->hj", q, k), 0.25)
    return g.contract("hj,hjd->hd", g.softmax(s, 1), v)


@program(1)
def attention_by_sigmoid(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.unary("sigmoid", g.scale(g.contract("hid,hjd->hij", q, k), 0.25))
    return join_heads(g, g.contract("hij,hjd->hid", s, v))


@program(1)
def attention_with_relative_shift(g):
    """A bias for each distance, [heads, 40, 79], whose rows a padding and two reshapes shift by one element each."""
    q, k, v, b = heads(g), heads(g), heads(g), g.argument(2, 40, 79)
    b = g.slice(g.reshape(g.pad(b, [0, 0, 0], [0, 0, 1], 0.0), 2, 3200), 1, 39, 3160)
    b = g.slice(g.reshape(b, 2, 40, 79), 2, 0, 40)
    s = g.scale(g.binary("add", g.contract("hid,hjd->hij", q, k), b), 0.25)
    return join_heads(g, g.contract("hij,hjd->hid", g.softmax(s, 2), v))


@program(1)
def attention_by_squares(g):
    q, k, v = heads(g), heads(g), heads(g)
    s = g.scale(g.contract("hid,hjd->hij", q, k), 0.25)
    s = g.op(f"relu {s[0]} : {g.type(s)}", s[1])
    return join_heads(g, g.contract("hij,hjd->hid", g.scale(g.binary("mul", s, s), 1 / 40), v))


@program(1)
def attention_masked_behind_the_softmax(g):
    q, k, v, m = heads(g), heads(g), heads(g), g.argument(40, 40)
    s = g.softmax(g.scale(g.contract("hid,hjd->hij", q, k), 0.25), 2)
    s = g.binary("mul", s, g.broadcast(g.unary("sigmoid", m), 2, 40, 40))
    s = g.binary("div", s, g.along(g.reduce("add", s, 2), s, 2))
    return join_heads(g, g.contract("hij,hjd->hid", s, v))


@program(2)
def attention_by_cosines(g):
    def unit(x):
        n = g.unary("rsqrt", g.offset(g.reduce("add", g.binary("mul", x, x), 2), 1e-6))
        return g.binary("mul", x, g.along(n, x, 2))
    q, k, v = unit(heads(g)), unit(heads(g)), heads(g)
    return g.contract("hij,hjd->hid", g.softmax(g.scale(g.contract("hid,hjd->hij", q, k), 10), 2), v)


@program(5)
def attention_without_softmax(g):
    q, k, v = g.unary("exp", heads(g)), g.unary("exp", heads(g)), heads(g)
    states = g.contract("hjd,hje->hde", k, v)
    o = g.contract("hid,hde->hie", q, states)
    z = g.contract("hid,hd->hi", q, g.reduce("add", k, 1))
    return g.binary("div", o, g.along(z, o, 2))


@program(1)
def queries_keys_and_values(g):
    x = g.argument(48, 64)
    return [g.contract("ik,kj->ij", x, g.argument(64, 64)) for _ in range(3)]


@program(1)
def gated_products(g):
    x = g.argument(48, 64)
    a, b = (g.contract("ik,kj->ij", x, g.argument(64, 96)) for _ in range(2))
    return g.binary("mul", g.binary("mul", a, g.unary("sigmoid", a)), b)


def lstm_of_gates(g, gates, n):
    c = g.argument(4, n)
    i, f, m, o = (g.slice(gates, 1, n * part, n) for part in range(4))
    i, f, o = (g.unary("sigmoid", gate) for gate in (i, f, o))
    c = g.binary("add", g.binary("mul", f, c), g.binary("mul", i, g.unary("tanh", m)))
    return [g.binary("mul", o, g.unary("tanh", c)), c]


@program(1)
def step_of_an_lstm(g):
    return lstm_of_gates(g, g.binary("add", g.argument(4, 128), g.contract("bk,jk->bj", g.argument(4, 32), g.argument(128, 32))), 32)


@program(1)
def step_of_an_lstm_of_two_products(g):
    x, h = (g.contract("bk,jk->bj", g.argument(4, k), g.argument(128, k)) for k in (48, 32))
    return lstm_of_gates(g, g.binary("add", g.binary("add", x, h), g.broadcast(g.argument(128), 4, 128)), 32)


@program(1)
def step_of_a_gru(g):
    state = g.argument(4, 32)
    x, h = (g.binary("add", g.contract("bk,jk->bj", a, g.argument(96, a[1][1])), g.broadcast(g.argument(96), 4, 96))
            for a in (g.argument(4, 48), state))
    (xz, xr, xm), (hz, hr, hm) = ([g.slice(gates, 1, 32 * part, 32) for part in range(3)] for gates in (x, h))
    z, r = (g.unary("sigmoid", g.binary("add", a, b)) for a, b in ((xz, hz), (xr, hr)))
    m = g.unary("tanh", g.binary("add", xm, g.binary("mul", r, hm)))
    return g.binary("add", m, g.binary("mul", z, g.binary("sub", state, m)))


@program(1)
def relu_before_a_convolution(g):
    x = g.argument(1, 16, 56, 56)
    return g.conv(g.op(f"relu {x[0]} : {g.type(x)}", x[1]), g.argument(32, 16, 3, 3), 1)


@program(1)
def product_of_dequantised_weights(g):
    x, w, s = g.argument(48, 64), g.argument(64, 96, of="i8"), g.argument(96)
    return g.contract("ik,kj->ij", x, g.binary("mul", g.cast(w), g.broadcast(s, 64, 96)))


@program(2)
def product_of_quantised_rows(g):
    x = g.argument(48, 64)
    m = g.offset(g.scale(g.reduce("max", g.unary("abs", x), 1), 1 / 127), 1e-8)
    return g.contract("ik,kj->ij", g.unary("round", g.binary("div", x, g.along(m, x, 1))), g.argument(64, 96))


@program(2)
def product_of_a_norm(g):
    return g.contract("ik,kj->ij", g.norm(g.argument(48, 64), 1), g.argument(64, 96))


@program(1)
def product_and_norm_of_rows(g):
    s = g.binary("add", g.contract("ik,kj->ij", g.argument(48, 64), g.argument(64, 96)), g.argument(48, 96))
    return g.norm(s, 1)


@program(1)
def product_and_softmax_of_rows(g):
    return g.softmax(g.contract("ik,kj->ij", g.argument(48, 64), g.argument(64, 96)), 1)


@program(2)
def two_large_products(g):
    h = g.contract("ik,kj->ij", g.argument(256, 256), g.argument(256, 256))
    h = g.op(f"gelu erf {h[0]} : {g.type(h)}", h[1])
    return g.contract("ik,kj->ij", h, g.argument(256, 256))


@program(2)
def reduction_before_a_large_kernel(g):
    x, y = g.argument(1024, 1024), g.argument(1024, 1024)
    return g.binary("sub", y, g.expand(g.reshape(g.reduce("max", x, 0, 1), 1, 1), 1024, 1024))


@program(2)
def softmax_of_columns_then_rows(g):
    return g.softmax(g.softmax(g.argument(256, 256), 0), 1)


@program(1)
def concatenation_of_functions(g):
    x, y, z = g.argument(48, 64), g.argument(48, 64), g.argument(48, 64)
    return g.concat(1, g.unary("exp", x), g.unary("tanh", y), g.unary("sigmoid", z))


@program(1)
def concatenation_of_unequal_functions(g):
    return g.concat(1, g.unary("exp", g.argument(48, 40)), g.unary("tanh", g.argument(48, 100)))


@program(1)
def concatenation_of_softmaxes(g):
    return g.concat(1, g.softmax(g.argument(48, 64), 1), g.softmax(g.argument(48, 64), 1))


@program(2)
def softmax_within_a_border(g):
    return g.pad(g.softmax(g.argument(48, 200), 1), [1, 2], [1, 2], 7.0)


def turn(g, x, y, c, s):
    return (g.binary("sub", g.binary("mul", x, c), g.binary("mul", y, s)),
            g.binary("add", g.binary("mul", y, c), g.binary("mul", x, s)))


@program(1)
def rotary_embedding_of_halves(g):
    x, c, s = g.argument(4, 40, 32), g.argument(40, 16), g.argument(40, 16)
    c, s = g.broadcast(c, 4, 40, 16), g.broadcast(s, 4, 40, 16)
    return g.concat(2, *turn(g, g.slice(x, 2, 0, 16), g.slice(x, 2, 16, 16), c, s))


@program(1)
def rotary_embedding_of_neighbours(g):
    x, c, s = g.argument(4, 40, 32), g.argument(40, 16), g.argument(40, 16)
    c, s = g.broadcast(c, 4, 40, 16), g.broadcast(s, 4, 40, 16)
    parts = turn(g, g.slice(x, 2, 0, 16, 2), g.slice(x, 2, 1, 16, 2), c, s)
    return g.reshape(g.concat(3, *(g.reshape(p, 4, 40, 16, 1) for p in parts)), 4, 40, 32)


@program(1)
def rotary_embedding_by_turned_halves(g):
    x, c, s = g.argument(4, 40, 32), g.argument(40, 32), g.argument(40, 32)
    turned = g.concat(2, g.unary("neg", g.slice(x, 2, 16, 16)), g.slice(x, 2, 0, 16))
    return g.binary("add", g.binary("mul", x, g.broadcast(c, 4, 40, 32)),
                    g.binary("mul", turned, g.broadcast(s, 4, 40, 32)))


@program(2)
def product_appended_to_a_cache(g):
    return g.concat(0, g.argument(100, 64), g.contract("ik,kj->ij", g.argument(1, 64), g.argument(64, 64)))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main(folder, names):
    failed = False
    for name, function, expected in PROGRAMS:
        if names and name not in names:
            continue
        graph = Graph()
        results = function(graph)
        path = f"{folder}/{name}.mlir"
        with open(path, "w") as file:
            file.write(graph.text(results if isinstance(results, list) else [results]))
        target = ("--target=host:x86-64-v3", "--option=threads=2")
        text = run("tensor-compile", path, *target, "--to=schedule")
        # Packing and parts of a reduction are what schedules make.
        kernels = len(re.findall(r"= tkernel.kernel @\w+?(?<!_pack)(?<!_parts) \(", text))
        run("tensor-run", path, "--compare=interpreter")
        print(f"{name}: {kernels} kernels, expected {expected}")
        failed |= kernels != expected
    sys.exit(failed)


main(sys.argv[1], sys.argv[2:])
