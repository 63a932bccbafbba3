"""Writes whole networks with random weights as ONNX models, each with inputs and its result in f64.

Run by a Python that has onnx: networks.py NAME FOLDER. ResNet-50, MobileNetV2, BERT of four layers on 128 tokens, and a step
of GPT-2 that decodes one token after 512. Normalisations of convolutions are folded, as exporters do.
"""
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

    def weight(self, *dims, scale=1.0):
        return self.constant(self.random.standard_normal(dims, numpy.float32) * numpy.float32(scale))

    def node(self, op, inputs, compute, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        self.values[name] = compute(*(self.values[value] for value in inputs))
        if op in ("Conv", "MatMul"):
            a, b = (self.values[value] for value in inputs[:2])
            self.flops += 2 * self.values[name].size * (b[0].size if op == "Conv" else a.shape[-1])
        return name

    def conv(self, x, filters, size, stride=1, depthwise=False, scale=1.0):
        channels, pad = self.values[x].shape[1], size // 2
        dims = (filters, 1 if depthwise else channels, size, size)
        w = self.weight(*dims, scale=scale * math.sqrt(2 / math.prod(dims[1:])))
        bias = self.weight(filters, scale=0.1)
        convolve = programs.convolve_channels if depthwise else programs.convolve
        return self.node("Conv", [x, w, bias], lambda x, w, b: convolve(x, w, stride, pad) + b[:, None, None],
                         strides=[stride] * 2, pads=[pad] * 4, group=channels if depthwise else 1)

    def relu(self, x):
        return self.node("Relu", [x], lambda x: numpy.maximum(x, 0))

    def relu6(self, x):
        bounds = [self.constant(numpy.array(bound, numpy.float32)) for bound in (0.0, 6.0)]
        return self.node("Clip", [x, *bounds], lambda x, low, high: numpy.clip(x, low, high))

    def add(self, a, b):
        return self.node("Add", [a, b], lambda a, b: a + b)

    def matmul(self, a, b):
        return self.node("MatMul", [a, b], lambda a, b: a @ b)

    def linear(self, x, columns, scale=1.0):
        rows = self.values[x].shape[-1]
        product = self.matmul(x, self.weight(rows, columns, scale=scale / math.sqrt(rows)))
        return self.add(product, self.weight(columns, scale=0.1))

    def reshape(self, x, *dims):
        return self.node("Reshape", [x, self.constant(numpy.array(dims, numpy.int64))], lambda x, d: x.reshape(d))

    def transpose(self, x, *order):
        return self.node("Transpose", [x], lambda x: x.transpose(order), perm=order)

    def norm(self, x):
        columns = self.values[x].shape[-1]
        scale = self.constant(1 + self.random.standard_normal(columns, numpy.float32) * numpy.float32(0.1))
        return self.node("LayerNormalization", [x, scale, self.weight(columns, scale=0.1)], programs.layer_norm, axis=-1, epsilon=1e-5)

    def heads(self, x, count):
        _, rows, columns = self.values[x].shape
        return self.transpose(self.reshape(x, 1, rows, count, columns // count), 0, 2, 1, 3)

    def attend(self, q, k, v):
        depth = self.values[q].shape[-1]
        scores = self.matmul(q, self.transpose(k, 0, 1, 3, 2))
        scaled = self.node("Mul", [scores, self.constant(numpy.array(depth ** -0.5, numpy.float32))], lambda s, f: s * f)
        mixed = self.matmul(self.node("Softmax", [scaled], programs.softmax, axis=-1), v)
        rows = self.values[mixed].shape[2]
        return self.reshape(self.transpose(mixed, 0, 2, 1, 3), 1, rows, -1)

    def gelu(self, x, tanh):
        if tanh:
            return self.node("Gelu", [x], programs.gelu_tanh, approximate="tanh")
        return self.node("Gelu", [x], lambda x: 0.5 * x * (1 + programs.erf(x * math.sqrt(0.5))))

    def classify(self, x, classes):
        pooled = self.node("GlobalAveragePool", [x], lambda x: x.mean((2, 3), keepdims=True))
        return self.linear(self.reshape(pooled, 1, -1), classes)


def resnet50(net):
    x = net.relu(net.conv(net.input("x", 1, 3, 224, 224), 64, 7, 2))
    x = net.node("MaxPool", [x], programs.pool, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            inner = net.relu(net.conv(x, width, 1))
            inner = net.conv(net.relu(net.conv(inner, width, 3, stride)), width * 4, 1, scale=0.3)
            x = net.relu(net.add(inner, x if block else net.conv(x, width * 4, 1, stride)))
    return net.classify(x, 1000)


def mobilenetv2(net):
    x = net.relu6(net.conv(net.input("x", 1, 3, 224, 224), 32, 3, 2))
    for expand, width, blocks, first in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            stride, channels = first if not block else 1, net.values[x].shape[1]
            inner = net.relu6(net.conv(x, channels * expand, 1)) if expand > 1 else x
            inner = net.relu6(net.conv(inner, channels * expand, 3, stride, depthwise=True))
            inner = net.conv(inner, width, 1, scale=0.7)
            x = net.add(inner, x) if stride == 1 and channels == width else inner
    return net.classify(net.relu6(net.conv(x, 1280, 1)), 1000)


def bert4_seq128(net):
    x = net.input("x", 1, 128, 768)
    for _ in range(4):
        q, k, v = (net.heads(net.linear(x, 768), 12) for _ in range(3))
        x = net.norm(net.add(x, net.linear(net.attend(q, k, v), 768)))
        x = net.norm(net.add(x, net.linear(net.gelu(net.linear(x, 3072), tanh=False), 768)))
    return x


def gpt2_decode512(net):
    x = net.input("x", 1, 1, 768)
    for layer in range(12):
        y = net.norm(x)
        q, k, v = (net.heads(net.linear(y, 768), 12) for _ in range(3))
        k, v = (net.node("Concat", [net.input(f"past_{name}{layer}", 1, 12, 512, 64), new], lambda a, b: numpy.concatenate([a, b], 2), axis=2)
                for name, new in (("k", k), ("v", v)))
        x = net.add(x, net.linear(net.attend(q, k, v), 768))
        x = net.add(x, net.linear(net.gelu(net.linear(net.norm(x), 3072), tanh=True), 768))
    return net.linear(net.norm(x), 50257)


def main():
    name, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    net = Net()
    result = globals()[name](net)
    output = helper.make_tensor_value_info(result, TensorProto.FLOAT, net.values[result].shape)
    graph = helper.make_graph(net.nodes, name, net.inputs, [output], net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, os.path.join(folder, "model.onnx"))
    for value, array in net.arrays.items():
        numpy.save(os.path.join(folder, value + ".npy"), array)
    numpy.save(os.path.join(folder, "reference.npy"), net.values[result])
    with open(os.path.join(folder, "done.json"), "w") as file:
        weights = os.path.getsize(os.path.join(folder, "model.onnx"))
        json.dump({"inputs": {value: array.shape for value, array in net.arrays.items()}, "result": net.values[result].shape,
                   "flops": net.flops, "bytes": weights + sum(array.nbytes for array in net.arrays.values())}, file)


if __name__ == "__main__":
    main()
