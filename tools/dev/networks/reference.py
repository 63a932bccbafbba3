"""Evaluates the op kinds of the light networks in float64 with numpy, one node after another.

Written against the text of the ONNX specification, with no code in common with the compiler, so
that a reference from here is independent of what it judges.
"""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def attributes(node):
    """The attributes of a node as Python values."""
    import onnx.helper
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def pool_geometry(x, attrs, kernel):
    """Strides and the (before, after) padding of each spatial dimension."""
    rank = len(kernel)
    if attrs.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise NotImplementedError(f"auto_pad {attrs['auto_pad']}")
    strides = attrs.get("strides", [1] * rank)
    pads = attrs.get("pads", [0] * (2 * rank))
    return strides, [(pads[d], pads[d + rank]) for d in range(rank)]


def windows(x, attrs, kernel, fill):
    """Padded x as [N, C, spatial out..., kernel...]."""
    strides, pads = pool_geometry(x, attrs, kernel)
    padded = np.pad(x, [(0, 0), (0, 0)] + pads, constant_values=fill)
    view = sliding_window_view(padded, tuple(kernel), axis=tuple(range(2, x.ndim)))
    return view[(slice(None), slice(None)) + tuple(slice(None, None, s) for s in strides)]


def conv(attrs, x, w):
    """Convolution without bias: one matrix product per group."""
    if any(d != 1 for d in attrs.get("dilations", [])):
        raise NotImplementedError("dilations")
    groups = attrs.get("group", 1)
    view = windows(x, attrs, w.shape[2:], 0.0)
    n, out_shape, rank = x.shape[0], view.shape[2:2 + x.ndim - 2], x.ndim - 2
    order = (0, 1) + tuple(range(2 + rank, 2 + 2 * rank)) + tuple(range(2, 2 + rank))
    columns = view.transpose(order).reshape(n, groups, -1, int(np.prod(out_shape)))
    weights = w.reshape(1, groups, w.shape[0] // groups, -1)
    return np.matmul(weights, columns).reshape((n, w.shape[0]) + out_shape)


def max_pool(attrs, x):
    kernel = attrs["kernel_shape"]
    return windows(x, attrs, kernel, -np.inf).max(axis=tuple(range(-len(kernel), 0)))


def average_pool(attrs, x):
    kernel = attrs["kernel_shape"]
    axes = tuple(range(-len(kernel), 0))
    total = windows(x, attrs, kernel, 0.0).sum(axis=axes)
    if attrs.get("count_include_pad", 0):
        return total / np.prod(kernel)
    return total / windows(np.ones_like(x), attrs, kernel, 0.0).sum(axis=axes)


def lrn(attrs, x):
    size = attrs["size"]
    before = (size - 1) // 2
    padded = np.pad(x * x, [(0, 0), (before, size - 1 - before)] + [(0, 0)] * (x.ndim - 2))
    squares = sliding_window_view(padded, size, axis=1).sum(axis=-1)
    alpha, beta, bias = attrs.get("alpha", 1e-4), attrs.get("beta", 0.75), attrs.get("bias", 1.0)
    return x / (bias + alpha / size * squares) ** beta


def batch_norm(attrs, x, scale, bias, mean, variance):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    inverse = scale / np.sqrt(variance + attrs.get("epsilon", 1e-5))
    return (x - mean.reshape(shape)) * inverse.reshape(shape) + bias.reshape(shape)


def gemm(attrs, a, b):
    """The product of Gemm without its third operand."""
    if attrs.get("alpha", 1.0) != 1.0 or attrs.get("beta", 1.0) != 1.0:
        raise NotImplementedError("alpha, beta")
    return (a.T if attrs.get("transA") else a) @ (b.T if attrs.get("transB") else b)


def softmax(attrs, x):
    """Softmax of opset 12 and older: everything from `axis` on is one dimension."""
    flat = x.reshape(int(np.prod(x.shape[:attrs.get("axis", 1)])), -1)
    e = np.exp(flat - flat.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).reshape(x.shape)


def reshape(x, shape):
    sizes = [x.shape[d] if size == 0 else int(size) for d, size in enumerate(shape)]
    return x.reshape(sizes)


def unsqueeze(attrs, x):
    for axis in sorted(attrs["axes"]):
        x = np.expand_dims(x, axis)
    return x


def evaluate_node(node, inputs):
    """The first output of a node. Conv and Gemm add their bias here."""
    attrs = attributes(node)
    kind = node.op_type
    if kind == "Conv":
        y = conv(attrs, inputs[0], inputs[1])
        if len(inputs) > 2:
            y += inputs[2].reshape((1, -1) + (1,) * (y.ndim - 2))
        return y
    if kind == "Gemm":
        return gemm(attrs, inputs[0], inputs[1]) + inputs[2]
    table = {
        "Relu": lambda: np.maximum(inputs[0], 0.0),
        "Add": lambda: inputs[0] + inputs[1],
        "Mul": lambda: inputs[0] * inputs[1],
        "Sum": lambda: sum(inputs[1:], inputs[0]),
        "Concat": lambda: np.concatenate(inputs, axis=attrs["axis"]),
        "Reshape": lambda: reshape(*inputs),
        "Transpose": lambda: inputs[0].transpose(attrs["perm"]),
        "Unsqueeze": lambda: unsqueeze(attrs, inputs[0]),
        "Dropout": lambda: inputs[0],
        "Softmax": lambda: softmax(attrs, inputs[0]),
        "LRN": lambda: lrn(attrs, inputs[0]),
        "MaxPool": lambda: max_pool(attrs, inputs[0]),
        "AveragePool": lambda: average_pool(attrs, inputs[0]),
        "GlobalAveragePool": lambda: inputs[0].mean(axis=tuple(range(2, inputs[0].ndim)), keepdims=True),
        "BatchNormalization": lambda: batch_norm(attrs, *inputs),
    }
    if kind not in table:
        raise NotImplementedError(f"no reference for op {kind}")
    return table[kind]()


def evaluate(graph, values, before=None):
    """Runs the nodes in order over `values` (name -> array), floats as float64, freeing as it goes.

    `before(node, inputs)` may return other inputs for a node. Returns the graph's outputs.
    """
    values = {n: v.astype(np.float64) if v.dtype == np.float32 else v for n, v in values.items()}
    uses = {}
    for node in graph.node:
        for name in node.input:
            uses[name] = uses.get(name, 0) + 1
    for output in graph.output:
        uses[output.name] = uses.get(output.name, 0) + 1
    for node in graph.node:
        inputs = [values[name] for name in node.input]
        if before is not None:
            inputs = before(node, inputs)
        values[node.output[0]] = evaluate_node(node, inputs)
        for name in node.input:
            uses[name] -= 1
            if uses[name] == 0:
                values.pop(name, None)
    return [values[output.name] for output in graph.output]
