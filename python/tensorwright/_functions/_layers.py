"""Layers, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import many, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import Operand, Tensor

__all__ = [
    "attention",
    "batch_norm",
    "batch_norm_training",
    "embedding",
    "group_norm",
    "gru",
    "gru_cell",
    "instance_norm",
    "l2_normalize",
    "layer_norm",
    "linear",
    "local_response_norm",
    "lstm",
    "lstm_cell",
    "multi_head_attention",
    "rms_norm",
    "rnn",
    "rnn_cell",
    "rotary_embedding",
]


def linear(x: Operand, weight: Operand, bias: Operand | None = None) -> Tensor:
    """[..., k] by a weight [n, k] to [..., n], plus a bias [n]."""
    return one("linear", "vvv", x, weight, bias)


def embedding(indices: Operand, weight: Operand) -> Tensor:
    """Rows of [rows, width] at integer indices [...]: [..., width]; 0 outside."""
    return one("embedding", "vv", indices, weight)


def layer_norm(x: Operand, scale: Operand | None = None, bias: Operand | None = None, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over axes, then a scale and a bias of their shape."""
    return one("layer_norm", "vvvIn", x, scale, bias, axis, eps)


def rms_norm(x: Operand, scale: Operand | None = None, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> Tensor:
    """x / sqrt(mean(x * x) + eps) over axes, then a scale of their shape; f16 and bf16 in f32."""
    return one("rms_norm", "vvIn", x, scale, axis, eps)


def batch_norm(x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand, eps: float = 1e-5) -> Tensor:
    """Channels, dimension 1, by given statistics [c]."""
    return one("batch_norm", "vvvvvn", x, scale, bias, mean, variance, eps)


def batch_norm_training(x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand, momentum: float = 0.1, eps: float = 1e-5) -> tuple[Tensor, ...]:
    """batch_norm by the statistics of this batch, and the next running mean and variance: momentum of this one's (the variance by n - 1), the rest of the last."""
    return many("batch_norm_training", "vvvvvnn", x, scale, bias, mean, variance, momentum, eps)


def group_norm(x: Operand, num_groups: int, scale: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 within groups of the channels of [n, c, ...], then a scale and a bias [c]."""
    return one("group_norm", "vivvn", x, num_groups, scale, bias, eps)


def instance_norm(x: Operand, scale: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 within each channel of [n, c, ...], then a scale and a bias [c]."""
    return one("instance_norm", "vvvn", x, scale, bias, eps)


def local_response_norm(x: Operand, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha * mean of squares of size channels around) ** beta, of [n, c, ...]."""
    return one("local_response_norm", "vinnn", x, size, alpha, beta, k)


def l2_normalize(x: Operand, axis: int = -1, eps: float = 1e-12) -> Tensor:
    """x / maximum(norm(x), eps) along an axis."""
    return one("l2_normalize", "vin", x, axis, eps)


def attention(query: Operand, key: Operand, value: Operand, mask: Operand | None = None, is_causal: bool = False, scale: float = 0.0) -> Tensor:
    """softmax(query @ key.T * scale) @ value of [..., h, s, d] and [..., g, t, d], g dividing h; a mask broadcasts to [..., h, s, t], bools say what is seen, numbers are added; causal: query i sees keys up to i. Scale 0: 1 / sqrt(d)."""
    return one("attention", "vvvvbn", query, key, value, mask, is_causal, scale)


def multi_head_attention(query: Operand, key: Operand, value: Operand, num_heads: int, mask: Operand | None = None, is_causal: bool = False) -> Tensor:
    """attention of [b, s, e] and [b, t, e] cut into heads, and joined again."""
    return one("multi_head_attention", "vvvivb", query, key, value, num_heads, mask, is_causal)


def rotary_embedding(x: Operand, cos: Operand, sin: Operand) -> Tensor:
    """The two halves of the last dimension as coordinates of points, turned by angles whose cosines and sines broadcast to one half."""
    return one("rotary_embedding", "vvv", x, cos, sin)


def rnn_cell(x: Operand, h: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> Tensor:
    """tanh(x @ weight_ih.T + h @ weight_hh.T + biases): x [b, i], h [b, n], weights [n, i], [n, n]."""
    return one("rnn_cell", "vvvvvv", x, h, weight_ih, weight_hh, bias_ih, bias_hh)


def lstm_cell(x: Operand, h: Operand, c: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> tuple[Tensor, ...]:
    """The next h and c, [b, n], of x [b, i]; weights [4 n, i], [4 n, n] with the gates i, f, g, o in this order."""
    return many("lstm_cell", "vvvvvvv", x, h, c, weight_ih, weight_hh, bias_ih, bias_hh)


def gru_cell(x: Operand, h: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> Tensor:
    """The next h, [b, n], of x [b, i]; weights [3 n, i], [3 n, n] with the gates r, z, n in this order."""
    return one("gru_cell", "vvvvvv", x, h, weight_ih, weight_hh, bias_ih, bias_hh)


def rnn(x: Operand, h0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """rnn_cell over the steps of x [t, b, i]: all h, [t, b, n], and the last one."""
    return many("rnn", "vvvvvvb", x, h0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)


def lstm(x: Operand, h0: Operand, c0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """lstm_cell over the steps of x [t, b, i]: all h, [t, b, n], the last h and the last c."""
    return many("lstm", "vvvvvvvb", x, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)


def gru(x: Operand, h0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """gru_cell over the steps of x [t, b, i]: all h, [t, b, n], and the last one."""
    return many("gru", "vvvvvvb", x, h0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)
