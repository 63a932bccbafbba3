"""Layers: modules that hold parameters, named and laid out as PyTorch's.

A module is a tree: arrays, modules, lists and dicts that are its attributes are parts of it, and
numbers, text and functions are settled where it is traced. So a model goes into a function that
`jit` or `value_and_grad` traces as it is, and comes out as it is. Parameters are arrays of numpy
that `tensorwright.init` draws.

>>> import tensorwright as tw, numpy as np
>>> model = tw.nn.Sequential(tw.nn.Linear(2, 32), tw.tanh, tw.nn.Linear(32, 1))
>>> optimizer = tw.optim.Adam(0.02)
>>> @tw.jit
... def step(model, state, x, y):
...     loss, grads = tw.value_and_grad(lambda model: tw.mse_loss(model(x), y))(model)
...     return loss, *optimizer.update(model, grads, state)
>>> x = np.random.default_rng(0).uniform(-1, 1, (64, 2)).astype("float32")
>>> state = optimizer.init(model)
>>> for _ in range(200):
...     loss, model, state = step(model, state, x, x[:, :1] * x[:, 1:])
>>> bool(loss < 0.01)
True

Running statistics are buffers, which are not differentiated: `split` takes a model apart, and what
it computed them to be is in `buffers` after its call.

>>> def loss(params, buffers, x):
...     model = tw.nn.merge(params, buffers)
...     return tw.mean(model(x) ** 2), tw.nn.split(model)[1]
>>> params, buffers = tw.nn.split(tw.nn.BatchNorm(2))
>>> (value, buffers), grads = tw.value_and_grad(loss, has_aux=True)(params, buffers, x)
>>> bool(np.allclose(buffers.running_mean, 0.1 * x.mean(0), atol=1e-6))
True
"""

from __future__ import annotations

import threading
from math import prod, sqrt

from tensorwright import _errors, _functions as f, init
from tensorwright._trace import Tensor, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from tensorwright._trace import Operand

    T = TypeVar("T")

__all__ = [
    "BatchNorm",
    "Conv",
    "ConvTranspose",
    "Dropout",
    "Embedding",
    "GRU",
    "GraphConv",
    "GroupNorm",
    "InstanceNorm",
    "LSTM",
    "LayerNorm",
    "Linear",
    "Module",
    "MultiheadAttention",
    "RMSNorm",
    "RNN",
    "Sequential",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "merge",
    "random",
    "split",
]


def _is_part(value: Any) -> bool:
    """Whether an attribute is part of the tree: an array or something that may hold one."""
    if value is None or isinstance(value, (Module, Tensor, list, dict)):
        return True
    if isinstance(value, tuple):
        return any(_is_part(one) for one in value)
    return hasattr(value, "dtype") and hasattr(value, "shape")


class Module:
    """The base of layers and models. `training` says how dropout and batch norm behave."""

    training: bool = True
    # Names of attributes that are no parameters.
    _buffers: tuple[str, ...] = ()

    def _tree_parts(self) -> tuple[dict[str, Any], tuple[tuple[str, Any], ...]]:
        """Attributes that are parts of the tree, and the others, with `training` whether it was set or not."""
        parts: dict[str, Any] = {}
        settled: list[tuple[str, Any]] = []
        for name, value in self.__dict__.items():
            if _is_part(value):
                parts[name] = value
            elif name != "training":
                settled.append((name, value))
        return parts, (*settled, ("training", self.training))

    def train(self: T, mode: bool = True) -> T:
        """Sets `training` of this module and all in it; gives the module."""
        _visit(self, lambda module: setattr(module, "training", mode))
        return self

    def eval(self: T) -> T:
        """`train(False)`."""
        _visit(self, lambda module: setattr(module, "training", False))
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        parts, settled = self._tree_parts()
        shown = [f"{name}={value!r}" for name, value in settled if name != "training" or not value]
        shown += [
            f"{name}={value.dtype}{list(value.shape)}" if hasattr(value, "shape") else f"{name}={value!r}"
            for name, value in parts.items()
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def _children(tree: Any) -> list[Any]:
    if isinstance(tree, Module):
        return list(tree.__dict__.values())
    return list(tree.values()) if isinstance(tree, dict) else list(tree) if isinstance(tree, (list, tuple)) else []


def _visit(tree: Any, visit: Callable[[Module], None]) -> None:
    if isinstance(tree, Module):
        visit(tree)
    for one in _children(tree):
        _visit(one, visit)


def _rebuild(tree: Any, parts: Sequence[Any]) -> Any:
    """A tree like another, of other children."""
    if isinstance(tree, Module):
        made = object.__new__(type(tree))
        made.__dict__.update(zip(tree.__dict__, parts))
        return made
    if isinstance(tree, dict):
        return dict(zip(tree, parts))
    return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)


def split(tree: T) -> tuple[T, T]:
    """A model as two like it: the first has None for its buffers, the second for its parameters."""

    def take(tree: Any, is_buffer: bool, wanted: bool) -> Any:
        if not isinstance(tree, (Module, dict, list, tuple)):
            return tree if is_buffer == wanted or not _is_part(tree) else None
        names = tree._buffers if isinstance(tree, Module) else ()
        keys = list(tree.__dict__) if isinstance(tree, Module) else [""] * len(_children(tree))
        return _rebuild(tree, [take(one, is_buffer or key in names, wanted) for key, one in zip(keys, _children(tree))])

    return take(tree, False, False), take(tree, False, True)


def merge(params: T, buffers: T) -> T:
    """What `split` took apart."""

    def join(one: Any, other: Any) -> Any:
        if one is None:
            return other
        if not isinstance(one, (Module, dict, list, tuple)) or other is None:
            return one
        if isinstance(one, Module):
            return _rebuild(one, [join(value, other.__dict__[name]) for name, value in one.__dict__.items()])
        return _rebuild(one, [join(*pair) for pair in zip(_children(one), _children(other))])

    joined: T = join(params, buffers)
    return joined


class _Local(threading.local):
    def __init__(self) -> None:
        self.draws: list[list[Any]] = []


_local = _Local()


class random:
    """Gives the dropout within a with statement its random numbers: functions of the key, an integer
    or a scalar of one, and of the order of the calls. A step of training has a key of its own.

    >>> import tensorwright as tw, numpy as np
    >>> drop = tw.nn.Dropout(0.5)
    >>> @tw.jit
    ... def f(x, key):
    ...     with tw.nn.random(key):
    ...         return drop(x)
    >>> x = np.ones(1000, "float32")
    >>> bool(0.4 < np.mean(f(x, 7) == 0) < 0.6), bool(np.any(f(x, 7) != f(x, 8)))
    (True, True)
    """

    def __init__(self, key: Operand) -> None:
        self.key = key

    def __enter__(self) -> None:
        _local.draws.append([self.key, 0])

    def __exit__(self, *_: object) -> None:
        _local.draws.pop()


def _drop(x: Tensor, rate: float, training: bool) -> Tensor:
    if not training or rate == 0:
        return x
    if not _local.draws:
        fail(
            "dropout that trains has no random numbers",
            "T0507",
            "Call the model within `with tensorwright.nn.random(key):`, or model.eval() where it does not train.",
            _errors.ArgumentError,
        )
    key, counter = _local.draws[-1]
    # Four words of 32 bits for each count.
    _local.draws[-1][1] += -(-prod(x.shape) * (2 if x.dtype == "float64" else 1) // 4)
    return f.dropout(x, key, counter, rate)


class Dropout(Module):
    """Zeros with probability p, elsewhere x / (1 - p); x where it does not train. See `random`."""

    def __init__(self, p: float = 0.5) -> None:
        if not 0 <= p < 1:
            raise _errors.ArgumentError(
                f"p: expected a rate from 0 to below 1, found {p}", code="T0507", remedy="Give the part that is zeroed."
            )
        self.p = p

    def __call__(self, x: Tensor) -> Tensor:
        return _drop(x, self.p, self.training)


class Sequential(Module):
    """One module or function after the other."""

    def __init__(self, *layers: Callable[[Any], Any]) -> None:
        self.layers = [one if isinstance(one, Module) else _Function(one) for one in layers]

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x


class _Function(Module):
    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, x: Any) -> Any:
        return self.function(x)


class Linear(Module):
    """x @ weight.T + bias: [..., in_features] to [..., out_features]."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: str = "float32") -> None:
        bound = 1 / sqrt(max(in_features, 1))
        self.weight = init.uniform((out_features, in_features), -bound, bound, dtype)
        self.bias = init.uniform((out_features,), -bound, bound, dtype) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        return f.linear(x, self.weight, self.bias)


class Conv(Module):
    """Convolution of [n, in_channels, spatial...]; kernel_size has a number for each spatial dimension."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str = "float32",
    ) -> None:
        if isinstance(kernel_size, int):
            raise _errors.ArgumentError(
                f"kernel_size: expected a number for each spatial dimension, found {kernel_size}",
                code="T0507",
                remedy=f"Give ({kernel_size}, {kernel_size}) for pictures, ({kernel_size},) for sequences.",
            )
        shape = self._shape(in_channels, out_channels, groups) + tuple(kernel_size)
        bound = 1 / sqrt(max(prod(shape[1:]), 1))
        self.weight = init.uniform(shape, -bound, bound, dtype)
        self.bias = init.uniform((out_channels,), -bound, bound, dtype) if bias else None
        self.stride, self.padding, self.dilation = map(_settle, (stride, padding, dilation))
        self.groups = groups

    def _shape(self, inputs: int, outputs: int, groups: int) -> tuple[int, ...]:
        return (outputs, inputs // groups)

    def __call__(self, x: Tensor) -> Tensor:
        return f.conv(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class ConvTranspose(Conv):
    """The transposed convolution."""

    output_padding: int | tuple[int, ...] = 0

    def _shape(self, inputs: int, outputs: int, groups: int) -> tuple[int, ...]:
        return (inputs, outputs // groups)

    def __call__(self, x: Tensor) -> Tensor:
        options = (self.stride, self.padding, self.output_padding, self.dilation, self.groups)
        return f.conv_transpose(x, self.weight, self.bias, *options)


def _settle(value: int | Sequence[int]) -> int | tuple[int, ...]:
    return value if isinstance(value, int) else tuple(value)


class Embedding(Module):
    """Rows of weight [num_embeddings, embedding_dim] at integers [...]."""

    def __init__(self, num_embeddings: int, embedding_dim: int, dtype: str = "float32") -> None:
        self.weight = init.normal((num_embeddings, embedding_dim), dtype=dtype)

    def __call__(self, indices: Tensor) -> Tensor:
        return f.embedding(indices, self.weight)


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then a scale and a bias."""

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-5, affine: bool = True, dtype: str = "float32"
    ) -> None:
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.weight = init.ones(shape, dtype) if affine else None
        self.bias = init.zeros(shape, dtype) if affine else None
        self.axes, self.eps = tuple(range(-len(shape), 0)), eps

    def __call__(self, x: Tensor) -> Tensor:
        return f.layer_norm(x, self.weight, self.bias, self.axes, self.eps)


class RMSNorm(Module):
    """x / sqrt(mean(x * x) + eps) over the last dimension, times a scale."""

    def __init__(self, normalized_shape: int, eps: float = 1e-5, dtype: str = "float32") -> None:
        self.weight = init.ones((normalized_shape,), dtype)
        self.eps = eps

    def __call__(self, x: Tensor) -> Tensor:
        return f.rms_norm(x, self.weight, -1, self.eps)


class GroupNorm(Module):
    """Mean 0 and variance 1 within groups of the channels of [n, c, ...], then a scale and a bias."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, dtype: str = "float32") -> None:
        self.weight, self.bias = init.ones((num_channels,), dtype), init.zeros((num_channels,), dtype)
        self.num_groups, self.eps = num_groups, eps

    def __call__(self, x: Tensor) -> Tensor:
        return f.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)


class InstanceNorm(GroupNorm):
    """GroupNorm with a group for each channel."""

    def __init__(self, num_features: int, eps: float = 1e-5, dtype: str = "float32") -> None:
        super().__init__(num_features, num_features, eps, dtype)


class BatchNorm(Module):
    """Channels, dimension 1, by the statistics of the batch, or by the running ones where it does not
    train. The running ones are buffers: attributes that a call in training replaces (`split`)."""

    _buffers = ("running_mean", "running_var")

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, dtype: str = "float32") -> None:
        self.weight, self.bias = init.ones((num_features,), dtype), init.zeros((num_features,), dtype)
        self.running_mean, self.running_var = init.zeros((num_features,), dtype), init.ones((num_features,), dtype)
        self.eps, self.momentum = eps, momentum

    def __call__(self, x: Tensor) -> Tensor:
        known = (self.weight, self.bias, self.running_mean, self.running_var)
        if not self.training:
            return f.batch_norm(x, *known, self.eps)
        y, self.running_mean, self.running_var = f.batch_norm_training(x, *known, self.momentum, self.eps)
        return y


class MultiheadAttention(Module):
    """Attention of [b, s, embed_dim] and [b, t, embed_dim] in heads; masks as `tensorwright.attention`."""

    def __init__(self, embed_dim: int, num_heads: int, bias: bool = True, dtype: str = "float32") -> None:
        if num_heads < 1 or embed_dim % num_heads:
            raise _errors.ArgumentError(
                f"embed_dim: expected a multiple of {num_heads} heads, found {embed_dim}",
                code="T0507",
                remedy="Each head has a part of as many numbers.",
            )
        self.in_proj_weight = init.xavier_uniform((3 * embed_dim, embed_dim), dtype=dtype)
        self.in_proj_bias = init.zeros((3 * embed_dim,), dtype) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype)
        if bias:
            self.out_proj.bias = init.zeros((embed_dim,), dtype)
        self.num_heads = num_heads

    def __call__(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        mask: Operand | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        key = query if key is None else key
        if key is query and value is None:
            q, k, v = f.split(f.linear(query, self.in_proj_weight, self.in_proj_bias), 3, -1)
        else:
            size = query.shape[-1]
            inputs = (query, key, key if value is None else value)
            q, k, v = (
                f.linear(
                    x,
                    f.slice(self.in_proj_weight, i * size, (i + 1) * size),
                    None if self.in_proj_bias is None else f.slice(self.in_proj_bias, i * size, (i + 1) * size),
                )
                for i, x in enumerate(inputs)
            )
        return self.out_proj(f.multi_head_attention(q, k, v, self.num_heads, mask, is_causal))


class TransformerEncoderLayer(Module):
    """Attention and a network of two layers, each with a norm and a residual sum."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Callable[[Any], Any] = f.relu,
        norm_first: bool = False,
        dtype: str = "float32",
    ) -> None:
        self.self_attn = MultiheadAttention(d_model, nhead, dtype=dtype)
        self.linear1 = Linear(d_model, dim_feedforward, dtype=dtype)
        self.linear2 = Linear(dim_feedforward, d_model, dtype=dtype)
        self.norm1, self.norm2 = LayerNorm(d_model, dtype=dtype), LayerNorm(d_model, dtype=dtype)
        self.dropout, self.activation, self.norm_first = dropout, activation, norm_first

    def _drop(self, x: Tensor) -> Tensor:
        return _drop(x, self.dropout, self.training)

    def _add(self, x: Tensor, norm: LayerNorm, part: Callable[[Tensor], Tensor]) -> Tensor:
        if self.norm_first:
            return x + self._drop(part(norm(x)))
        return norm(x + self._drop(part(x)))

    def _feed(self, x: Tensor) -> Tensor:
        return self.linear2(self._drop(self.activation(self.linear1(x))))

    def __call__(self, x: Tensor, mask: Operand | None = None, is_causal: bool = False) -> Tensor:
        x = self._add(x, self.norm1, lambda x: self.self_attn(x, mask=mask, is_causal=is_causal))
        return self._add(x, self.norm2, self._feed)


class TransformerDecoderLayer(TransformerEncoderLayer):
    """The same with attention to a memory [b, t, d_model] between both."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Callable[[Any], Any] = f.relu,
        norm_first: bool = False,
        dtype: str = "float32",
    ) -> None:
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, norm_first, dtype)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dtype=dtype)
        self.norm3 = LayerNorm(d_model, dtype=dtype)

    def __call__(  # type: ignore[override]
        self,
        x: Tensor,
        memory: Tensor,
        mask: Operand | None = None,
        memory_mask: Operand | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        x = self._add(x, self.norm1, lambda x: self.self_attn(x, mask=mask, is_causal=is_causal))
        x = self._add(x, self.norm2, lambda x: self.multihead_attn(x, memory, memory, memory_mask))
        return self._add(x, self.norm3, self._feed)


class TransformerEncoder(Module):
    """Layers of their own parameters, each `layer()`, then a norm if there is one."""

    def __init__(self, layer: Callable[[], Module], num_layers: int, norm: Module | None = None) -> None:
        self.layers, self.norm = [layer() for _ in range(num_layers)], norm

    def __call__(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *args, **kwargs)
        return self.norm(x) if self.norm is not None else x


class TransformerDecoder(TransformerEncoder):
    """The same of decoder layers, which are called with (x, memory)."""


class Transformer(Module):
    """Encoder and decoder: sources [b, s, d_model] and targets [b, t, d_model] to [b, t, d_model].
    Targets see those before them."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Callable[[Any], Any] = f.relu,
        norm_first: bool = False,
        dtype: str = "float32",
    ) -> None:
        options = (d_model, nhead, dim_feedforward, dropout, activation, norm_first, dtype)
        self.encoder = TransformerEncoder(
            lambda: TransformerEncoderLayer(*options), num_encoder_layers, LayerNorm(d_model, dtype=dtype)
        )
        self.decoder = TransformerDecoder(
            lambda: TransformerDecoderLayer(*options), num_decoder_layers, LayerNorm(d_model, dtype=dtype)
        )

    def __call__(
        self, source: Tensor, target: Tensor, mask: Operand | None = None, memory_mask: Operand | None = None
    ) -> Tensor:
        memory = self.encoder(source, mask)
        return self.decoder(target, memory, memory_mask=memory_mask, is_causal=True)


class RNN(Module):
    """Recurrent layers over steps [t, b, input_size]: all of the last layer's states, [t, b, hidden_size]
    (twice as wide with both directions), and the last ones, [layers * directions, b, hidden_size]."""

    _gates = 1
    _states = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        bidirectional: bool = False,
        dtype: str = "float32",
    ) -> None:
        bound = 1 / sqrt(hidden_size)
        self.cells: list[dict[str, Any]] = []
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * (1 + bidirectional)
            for _ in range(1 + bidirectional):
                rows = self._gates * hidden_size
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size), "bias_ih": (rows,), "bias_hh": (rows,)}
                self.cells.append(
                    {
                        name: init.uniform(shape, -bound, bound, dtype) if bias or len(shape) == 2 else None
                        for name, shape in shapes.items()
                    }
                )
        self.hidden_size, self.bidirectional = hidden_size, bidirectional

    def _run(self, x: Tensor, states: tuple[Tensor, ...], cell: dict[str, Any], reverse: bool) -> tuple[Tensor, ...]:
        return f.rnn(x, states[0], **cell, reverse=reverse)

    def __call__(self, x: Tensor, states: Any = None) -> tuple[Tensor, Any]:
        directions = 1 + self.bidirectional
        if states is None:
            zeros = f.zeros((len(self.cells), x.shape[1], self.hidden_size), x.dtype)
            states = zeros if self._states == 1 else (zeros,) * self._states
        given = (states,) if self._states == 1 else tuple(states)
        ends: list[tuple[Tensor, ...]] = []
        for first in range(0, len(self.cells), directions):
            outputs = []
            for i in range(first, first + directions):
                everything, *last = self._run(x, tuple(one[i] for one in given), self.cells[i], i > first)
                outputs.append(everything)
                ends.append(tuple(last))
            x = outputs[0] if directions == 1 else f.concat(outputs, -1)
        stacked = tuple(f.stack(list(column), 0) for column in zip(*ends))
        return x, (stacked[0] if self._states == 1 else stacked)


class LSTM(RNN):
    """The same of LSTM cells, whose states are a pair (h, c)."""

    _gates = 4
    _states = 2

    def _run(self, x: Tensor, states: tuple[Tensor, ...], cell: dict[str, Any], reverse: bool) -> tuple[Tensor, ...]:
        return f.lstm(x, states[0], states[1], **cell, reverse=reverse)


class GRU(RNN):
    """The same of GRU cells."""

    _gates = 3

    def _run(self, x: Tensor, states: tuple[Tensor, ...], cell: dict[str, Any], reverse: bool) -> tuple[Tensor, ...]:
        return f.gru(x, states[0], **cell, reverse=reverse)


class GraphConv(Module):
    """Of nodes [n, in_features] and edges, integers [2, e] from and to: each node's own features by
    one weight, plus the mean of those that edges lead from by another."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, dtype: str = "float32") -> None:
        self.lin_root = Linear(in_features, out_features, bias, dtype)
        self.lin_rel = Linear(in_features, out_features, False, dtype)

    def __call__(self, nodes: Tensor, edges: Tensor) -> Tensor:
        along = f.take(nodes, edges[0], 0)
        return self.lin_root(nodes) + self.lin_rel(f.segment_mean(along, edges[1], nodes.shape[0]))
