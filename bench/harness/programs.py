"""What each kernel file computes: the operation's name for the peers, its work, and a reference in f64."""
import math

import numpy as np


class Program:
    """`flops` counts from sizes (0: bound by memory); `reference` maps arrays in f64, by name, and sizes to the result."""

    def __init__(self, op, reference, flops=None, **attributes):
        self.op, self.reference, self.attributes = op, reference, attributes
        self.flops = flops or (lambda s: 0)


def product(*names):
    return lambda s: 2 * math.prod(s[name] for name in names)


def windows(x, rows, columns, stride, pad, fill):
    """x[n, c, h, w] as [n, c, p, q, r, s], a view of the padded image."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(padded, (rows, columns), axis=(2, 3))
    return view[:, :, ::stride, ::stride]


def convolve(x, w, stride, pad):
    view = windows(x, w.shape[2], w.shape[3], stride, pad, 0.0)
    return np.moveaxis(np.tensordot(view, w, ((1, 4, 5), (1, 2, 3))), 3, 1)


def convolve_channels(x, w, stride, pad):
    view = windows(x, w.shape[2], w.shape[3], stride, pad, 0.0)
    return np.einsum("ncpqrs,crs->ncpq", view, w[:, 0])


def channels_last(operation):
    """The operation on x[n, h, w, c], its result likewise."""
    return lambda x, *others: np.moveaxis(operation(np.moveaxis(x, 3, 1), *others), 1, 3)


def pool(x, stride=2, pad=1):
    return windows(x, 3, 3, stride, pad, -np.inf).max((4, 5))


def erf(x):
    """Of f64, to about 1e-15 near 0 and 1e-7 at worst where libraries have no vector form."""
    return np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x, scale, shift):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def attend(q, k, v, causal=False):
    """k and v have as many heads as q, or one for several of q."""
    groups = q.shape[1] // k.shape[1]
    out = np.empty(q.shape[:3] + v.shape[3:])
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            s = q[b, h] @ k[b, h // groups].T / math.sqrt(q.shape[3])
            if causal:
                s[np.arange(s.shape[1]) > np.arange(s.shape[0])[:, None] + s.shape[1] - s.shape[0]] = -np.inf
            out[b, h] = softmax(s) @ v[b, h // groups]
    return out


def pad_permute(x, b):
    return np.maximum(np.pad(x, ((1, 1), (0, 0))).T.reshape(-1, b), 0)


def pool_of_pad(x):
    return pool(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))))


MATMUL = product("m", "n", "k")
CONV3, CONV7 = (lambda s: 18 * s["n"] * s["f"] * s["p"] * s["q"] * s["c"]), (lambda s: 98 * s["n"] * s["f"] * s["p"] * s["q"] * s["c"])
ATTENTION = lambda s: 4 * s["b"] * s["h"] * s.get("g", 1) * s["i"] * s["j"] * s["d"]
HALF = lambda s: ATTENTION(s) / 2

PROGRAMS = {
    "gemm": Program("matmul", lambda t, s: t["a"] @ t["b"], MATMUL),
    "gemm_nt": Program("matmul", lambda t, s: t["a"] @ t["b"].T, MATMUL, transpose_b=True),
    "gemm_tn": Program("matmul", lambda t, s: t["a"].T @ t["b"], MATMUL, transpose_a=True),
    "gemm_constant": Program("matmul", lambda t, s: t["a"] @ t["w"], MATMUL),
    "gemm_batched": Program("matmul", lambda t, s: t["a"] @ t["b"], product("b", "m", "n", "k")),
    "gemv": Program("matmul", lambda t, s: t["a"] @ t["b"]),
    "gemm_gelu": Program("matmul_gelu", lambda t, s: gelu_tanh(t["a"] @ t["b"] + t["bias"]), MATMUL),
    "split_k": Program("matmul_relu", lambda t, s: np.maximum(t["a"] @ t["b"] + t["bias"], 0), product("m", "n", "k", "parts")),
    "gemm_bf16": Program("matmul", lambda t, s: t["a"] @ t["b"], MATMUL),
    "gemm_f16": Program("matmul", lambda t, s: t["a"] @ t["b"], MATMUL),
    "gemm_i8": Program("matmul", lambda t, s: t["a"] @ t["b"], MATMUL),
    "gemm_constant_bf16": Program("matmul", lambda t, s: t["a"] @ t["w"], MATMUL),
    "gemm_constant_i8": Program("matmul", lambda t, s: t["a"] @ t["w"], MATMUL),
    "softmax_bf16": Program("softmax", lambda t, s: softmax(t["x"])),
    "conv_k7s2": Program("conv", lambda t, s: convolve(t["x"], t["w"], 2, 3), CONV7, stride=2, pad=3),
    "conv_k3": Program("conv", lambda t, s: convolve(t["x"], t["w"], 1, 1), CONV3, stride=1, pad=1),
    "conv_k3s2": Program("conv", lambda t, s: convolve(t["x"], t["w"], 2, 1), CONV3, stride=2, pad=1),
    "conv_k1": Program("conv", lambda t, s: convolve(t["x"], t["w"], 1, 0), product("n", "f", "p", "q", "c"), stride=1, pad=0),
    "depthwise_k3": Program("conv", lambda t, s: convolve_channels(t["x"], t["w"], 1, 1), stride=1, pad=1, depthwise=True),
    "depthwise_k3s2": Program("conv", lambda t, s: convolve_channels(t["x"], t["w"], 2, 1), stride=2, pad=1, depthwise=True),
    "depthwise_k5": Program("conv", lambda t, s: convolve_channels(t["x"], t["w"], 1, 2), stride=1, pad=2, depthwise=True),
    "conv_k3_bf16": Program("conv", lambda t, s: convolve(t["x"], t["w"], 1, 1), CONV3, stride=1, pad=1),
    "conv_k3_f16": Program("conv", lambda t, s: convolve(t["x"], t["w"], 1, 1), CONV3, stride=1, pad=1),
    "conv_k3_nhwc": Program("conv", lambda t, s: channels_last(convolve)(t["x"], t["w"], 1, 1), CONV3, stride=1, pad=1, channels_last=True),
    "depthwise_k3_nhwc": Program("conv", lambda t, s: channels_last(convolve_channels)(t["x"], t["w"], 1, 1), stride=1, pad=1, depthwise=True,
                                 channels_last=True),
    "max_pool_nhwc": Program("max_pool", lambda t, s: channels_last(pool)(t["x"]), channels_last=True),
    "max_pool": Program("max_pool", lambda t, s: pool(t["x"])),
    "pool_of_conv": Program("pool_of_conv", lambda t, s: pool(convolve(t["x"], t["w"], 1, 1)),
                            lambda s: 18 * s["n"] * s["f"] * s["h"] * s["w"] * s["c"]),
    "pool_of_pad": Program("pool_of_pad", lambda t, s: pool_of_pad(t["x"])),
    "softmax": Program("softmax", lambda t, s: softmax(t["x"])),
    "layer_norm": Program("layer_norm", lambda t, s: layer_norm(t["x"], t["scale"], t["shift"])),
    "rms_norm": Program("rms_norm", lambda t, s: t["x"] / np.sqrt((t["x"] ** 2).mean(-1, keepdims=True) + 1e-5) * t["scale"]),
    "gelu": Program("gelu", lambda t, s: 0.5 * t["x"] * (1 + erf(t["x"] * math.sqrt(0.5)))),
    "sum_axis0": Program("sum", lambda t, s: t["x"].sum(0), axis=0),
    "sum_axis1": Program("sum", lambda t, s: t["x"].sum(1), axis=1),
    "sum_all": Program("sum", lambda t, s: t["x"].sum(0), axis=0),
    "bias_relu": Program("bias_relu", lambda t, s: np.maximum(t["x"] + t["bias"][:, None, None], 0)),
    "transpose": Program("transpose", lambda t, s: t["x"].T),
    "gather": Program("gather", lambda t, s: t["table"][t["rows"]]),
    "cumsum": Program("cumsum", lambda t, s: np.cumsum(t["x"], 1)),
    "argmax": Program("argmax", lambda t, s: t["x"].argmax(1)),
    "concat": Program("concat", lambda t, s: np.concatenate([t["a"], t["b"]], 1)),
    "pad_permute_reshape_relu": Program("pad_permute", lambda t, s: pad_permute(t["x"], s["b"])),
    "attention": Program("attention", lambda t, s: attend(t["q"], t["k"], t["v"]), ATTENTION),
    "attention_causal": Program("attention", lambda t, s: attend(t["q"], t["k"], t["v"], True), HALF, causal=True),
    "attention_grouped": Program("attention", lambda t, s: attend(t["q"], t["k"], t["v"], True), ATTENTION, causal=True, grouped=True),
}
