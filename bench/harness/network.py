"""Networks as a user would write them, with random weights: nodes of an ONNX model and their values in f64."""
import json
import math
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import programs


class Net:
    """Nodes with their values: a value is a name in the model and its array in f64."""

    def __init__(self):
        self.nodes, self.weights, self.inputs, self.arrays, self.values = [], [], [], {}, {}
        self.random, self.flops = numpy.random.default_rng(7), 0

    def input(self, name, *dims):
        array = self.random.standard_normal(dims, numpy.float32)
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, dims))
        self.arrays[name], self.values[name] = array, array.astype(numpy.float64)
        return name

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        self.values[name] = array.astype(numpy.float64) if array.dtype == numpy.float32 else array
        return name

    def number(self, value):
        return self.constant(numpy.array(value, numpy.float32))

    def integers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def weight(self, *dims, scale=1.0):
        return self.constant(self.random.standard_normal(dims, numpy.float32) * numpy.float32(scale))

    def dims(self, x):
        return self.values[x].shape

    def node(self, op, inputs, compute, results=1, **attributes):
        """The result's name, or a list of `results` names where there are several."""
        names = [f"v{len(self.nodes)}" + (f"_{i}" if i else "") for i in range(results)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        computed = compute(*(self.values[value] for value in inputs if value))
        self.values.update(zip(names, [computed] if results == 1 else computed))
        if op in ("Conv", "ConvTranspose", "MatMul"):
            a, b = (self.values[value] for value in inputs[:2])
            self.flops += 2 * self.values[names[0]].size * (a.shape[-1] if op == "MatMul" else b[0].size if op == "Conv" else b.shape[0])
        return names[0] if results == 1 else names

    # Convolutional networks: images are [batch, channels, rows, columns].

    def conv(self, x, filters, size, stride=1, depthwise=False, scale=1.0, pad=None):
        channels, pad = self.dims(x)[1], size // 2 if pad is None else pad
        dims = (filters, 1 if depthwise else channels, size, size)
        w = self.weight(*dims, scale=scale * math.sqrt(2 / math.prod(dims[1:])))
        bias = self.weight(filters, scale=0.1)
        convolve = programs.convolve_channels if depthwise else programs.convolve
        return self.node("Conv", [x, w, bias], lambda x, w, b: convolve(x, w, stride, pad) + b[:, None, None],
                         strides=[stride] * 2, pads=[pad] * 4, group=channels if depthwise else 1)

    def conv_rows(self, x, filters, stride=1):
        """A convolution of three points along the last of [batch, channels, columns]."""
        channels = self.dims(x)[1]
        w, bias = self.weight(filters, channels, 3, scale=math.sqrt(2 / (3 * channels))), self.weight(filters, scale=0.1)

        def compute(x, w, b):
            view = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(x, ((0, 0), (0, 0), (1, 1))), 3, axis=2)[:, :, ::stride]
            return numpy.einsum("ncqs,fcs->nfq", view, w, optimize=True) + b[:, None]

        return self.node("Conv", [x, w, bias], compute, strides=[stride], pads=[1, 1])

    def upsample(self, x, filters):
        """A transposed convolution of 2 x 2 with stride 2."""
        channels = self.dims(x)[1]
        w, bias = self.weight(channels, filters, 2, 2, scale=math.sqrt(1 / channels)), self.weight(filters, scale=0.1)

        def compute(x, w, b):
            n, _, rows, columns = x.shape
            return numpy.einsum("ncij,cfab->nfiajb", x, w, optimize=True).reshape(n, filters, 2 * rows, 2 * columns) + b[:, None, None]

        return self.node("ConvTranspose", [x, w, bias], compute, strides=[2, 2])

    def max_pool(self, x, size, stride, pad):
        pooled = lambda x: programs.windows(x, size, size, stride, pad, -numpy.inf).max((4, 5))
        return self.node("MaxPool", [x], pooled, kernel_shape=[size] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def mean_of_image(self, x):
        return self.node("GlobalAveragePool", [x], lambda x: x.mean((2, 3), keepdims=True))

    def squeeze_excite(self, x, width, activate, gate):
        """The image times a gate for each channel, made from the means of all channels."""
        inner = activate(self.conv(self.mean_of_image(x), width, 1))
        return self.mul(x, gate(self.conv(inner, self.dims(x)[1], 1)))

    def classify(self, x, classes):
        return self.linear(self.reshape(self.mean_of_image(x), 1, -1), classes)

    # Functions of elements.

    def relu(self, x):
        return self.node("Relu", [x], lambda x: numpy.maximum(x, 0))

    def relu6(self, x):
        return self.node("Clip", [x, self.number(0.0), self.number(6.0)], lambda x, low, high: numpy.clip(x, low, high))

    def sigmoid(self, x):
        return self.node("Sigmoid", [x], lambda x: 1 / (1 + numpy.exp(-x)))

    def silu(self, x):
        return self.mul(x, self.sigmoid(x))

    def hard_sigmoid(self, x):
        return self.node("HardSigmoid", [x], lambda x: numpy.clip(x / 6 + 0.5, 0, 1), alpha=1 / 6, beta=0.5)

    def hard_swish(self, x):
        return self.node("HardSwish", [x], lambda x: x * numpy.clip(x / 6 + 0.5, 0, 1))

    def gelu(self, x, tanh=False):
        if tanh:
            return self.node("Gelu", [x], programs.gelu_tanh, approximate="tanh")
        return self.node("Gelu", [x], lambda x: 0.5 * x * (1 + programs.erf(x * math.sqrt(0.5))))

    def add(self, a, b):
        return self.node("Add", [a, b], lambda a, b: a + b)

    def mul(self, a, b):
        return self.node("Mul", [a, b], lambda a, b: a * b)

    # Movement.

    def reshape(self, x, *dims):
        return self.node("Reshape", [x, self.integers(*dims)], lambda x, d: x.reshape(d))

    def transpose(self, x, *order):
        return self.node("Transpose", [x], lambda x: x.transpose(order), perm=order)

    def slice(self, x, axis, start, stop, step=1):
        piece = lambda x, *_: x[(slice(None),) * (axis % x.ndim) + (slice(start, stop, step),)]
        return self.node("Slice", [x, *(self.integers(value) for value in (start, stop, axis, step))], piece)

    def concat(self, axis, *parts):
        return self.node("Concat", list(parts), lambda *parts: numpy.concatenate(parts, axis), axis=axis)

    def take(self, x, index):
        """The part of the first dimension at an index, without that dimension."""
        return self.node("Gather", [x, self.constant(numpy.array(index, numpy.int64))], lambda x, i: x[i], axis=0)

    # Transformers: rows are [batch, positions, columns].

    def matmul(self, a, b):
        return self.node("MatMul", [a, b], lambda a, b: a @ b)

    def linear(self, x, columns, scale=1.0, bias=True):
        rows = self.dims(x)[-1]
        product = self.matmul(x, self.weight(rows, columns, scale=scale / math.sqrt(rows)))
        return self.add(product, self.weight(columns, scale=0.1)) if bias else product

    def scale(self, columns):
        return self.constant(1 + self.random.standard_normal(columns, numpy.float32) * numpy.float32(0.1))

    def norm(self, x):
        columns = self.dims(x)[-1]
        return self.node("LayerNormalization", [x, self.scale(columns), self.weight(columns, scale=0.1)], programs.layer_norm, axis=-1,
                         epsilon=1e-5)

    def rms_norm(self, x):
        """Written out, as exporters do."""
        squares = self.node("Pow", [x, self.number(2.0)], lambda x, p: x ** p)
        mean = self.node("ReduceMean", [squares, self.integers(-1)], lambda x, _: x.mean(-1, keepdims=True), keepdims=1)
        root = self.node("Sqrt", [self.add(mean, self.number(1e-5))], numpy.sqrt)
        return self.mul(self.node("Div", [x, root], lambda x, r: x / r), self.scale(self.dims(x)[-1]))

    def softmax(self, x):
        return self.node("Softmax", [x], programs.softmax, axis=-1)

    def heads(self, x, count):
        batch, rows, columns = self.dims(x)
        return self.transpose(self.reshape(x, batch, rows, count, columns // count), 0, 2, 1, 3)

    def rotate(self, x, first):
        """Rotary embedding of heads whose positions begin at `first`."""
        rows, half = self.dims(x)[2], self.dims(x)[3] // 2
        angles = numpy.outer(numpy.arange(first, first + rows), 10000.0 ** (-numpy.arange(half) / half))
        cosines, sines = (self.constant(numpy.concatenate([f(angles)] * 2, 1).astype(numpy.float32)) for f in (numpy.cos, numpy.sin))
        negative = self.node("Neg", [self.slice(x, -1, half, 2 * half)], lambda x: -x)
        return self.add(self.mul(x, cosines), self.mul(self.concat(-1, negative, self.slice(x, -1, 0, half)), sines))

    def repeat_heads(self, x, times):
        """Each head of keys or values for as many heads of queries."""
        batch, count, rows, depth = self.dims(x)
        one = self.reshape(x, batch, count, 1, rows, depth)
        all = self.node("Expand", [one, self.integers(batch, count, times, rows, depth)], lambda x, d: numpy.broadcast_to(x, d))
        return self.reshape(all, batch, count * times, rows, depth)

    def causal(self, rows):
        return self.constant(numpy.triu(numpy.full((rows, rows), -3.4e38, numpy.float32), 1))

    def attend(self, q, k, v, *added):
        """The mixed values of all heads, side by side; `added` to the scores, one after the other."""
        batch, count, rows, depth = self.dims(q)
        scores = self.mul(self.matmul(q, self.transpose(k, 0, 1, 3, 2)), self.number(depth ** -0.5))
        for term in added:
            scores = term(scores) if callable(term) else self.add(scores, term)
        mixed = self.matmul(self.softmax(scores), v)
        return self.reshape(self.transpose(mixed, 0, 2, 1, 3), batch, rows, count * depth)

    def lstm(self, x, width):
        """A layer from [steps, batch, columns] to [steps, batch, width]."""
        steps, batch, columns = self.dims(x)
        w, r = self.weight(1, 4 * width, columns, scale=columns ** -0.5), self.weight(1, 4 * width, width, scale=width ** -0.5)
        bias = self.weight(1, 8 * width, scale=0.1)

        def compute(x, w, r, b):
            sigmoid = lambda x: 1 / (1 + numpy.exp(-x))
            h, c, out = numpy.zeros((batch, width)), numpy.zeros((batch, width)), []
            for row in x:
                i, o, f, g = numpy.split(row @ w[0].T + h @ r[0].T + b[0, :4 * width] + b[0, 4 * width:], 4, 1)
                c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
                h = sigmoid(o) * numpy.tanh(c)
                out.append(h[None])
            return numpy.stack(out)

        self.flops += 8 * steps * batch * width * (columns + width)
        return self.reshape(self.node("LSTM", [x, w, r, bias], compute, hidden_size=width), steps, batch, width)

    def write(self, name, result, folder):
        """The model, its inputs, its result and what is counted, as files; `done.json` last."""
        os.makedirs(folder, exist_ok=True)
        output = helper.make_tensor_value_info(result, TensorProto.FLOAT, self.dims(result))
        graph = helper.make_graph(self.nodes, name, self.inputs, [output], self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9), os.path.join(folder, "model.onnx"))
        for value, array in self.arrays.items():
            numpy.save(os.path.join(folder, value + ".npy"), array)
        numpy.save(os.path.join(folder, "reference.npy"), self.values[result])
        with open(os.path.join(folder, "done.json"), "w") as file:
            weights = os.path.getsize(os.path.join(folder, "model.onnx"))
            json.dump({"inputs": {value: array.shape for value, array in self.arrays.items()}, "result": self.dims(result),
                       "flops": self.flops, "bytes": weights + sum(array.nbytes for array in self.arrays.values())}, file)
