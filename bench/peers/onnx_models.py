"""The programs as ONNX models, for the peers that read those."""
import numpy
import onnx
from onnx import helper, numpy_helper

TYPES = {"f32": onnx.TensorProto.FLOAT, "bf16": onnx.TensorProto.BFLOAT16, "f16": onnx.TensorProto.FLOAT16,
         "f64": onnx.TensorProto.DOUBLE, "i64": onnx.TensorProto.INT64, "i32": onnx.TensorProto.INT32,
         "i8": onnx.TensorProto.INT8, "ui8": onnx.TensorProto.UINT8}


class Graph:
    """Nodes in order; `node` gives the name of the one output."""

    def __init__(self):
        self.nodes, self.constants, self.count = [], [], 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def node(self, op, inputs, **attributes):
        output = self.name()
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def constant(self, array, element=None):
        name = self.name()
        if element == "bf16":
            self.constants.append(helper.make_tensor(name, TYPES[element], array.shape, array.tobytes(), raw=True))
        else:
            self.constants.append(numpy_helper.from_array(numpy.ascontiguousarray(array), name))
        return name

    def ints(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def scalar(self, value):
        return self.constant(numpy.array(value, numpy.float32))


def product(g, work, a, b):
    if work.attributes.get("transpose_a"):
        a = g.node("Transpose", [a], perm=[1, 0])
    if work.attributes.get("transpose_b"):
        b = g.node("Transpose", [b], perm=[1, 0])
    return g.node("MatMulInteger" if work.element() in ("i8", "ui8") else "MatMul", [a, b])


def channels_last(g, work, x, emit):
    """What `emit` gives for NCHW; ONNX has no other layout."""
    if not work.attributes.get("channels_last"):
        return emit(x)
    return g.node("Transpose", [emit(g.node("Transpose", [x], perm=[0, 3, 1, 2]))], perm=[0, 2, 3, 1])


def convolution(g, work, x, w):
    stride, pad = work.attributes["stride"], work.attributes["pad"]
    return channels_last(g, work, x, lambda x: g.node("Conv", [x, w], strides=[stride] * 2, pads=[pad] * 4, group=work.sizes["c"] if work.attributes.get("depthwise") else 1))


def pool(g, x):
    return g.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)


def attention(g, work, q, k, v):
    """The decomposition; runtimes recognise it."""
    s = work.sizes
    if work.attributes.get("grouped"):
        return None
    transposed = g.node("Transpose", [k], perm=[0, 1, 3, 2])
    scores = g.node("Mul", [g.node("MatMul", [q, transposed]), g.scalar(s["d"] ** -0.5)])
    if work.attributes.get("causal"):
        mask = numpy.triu(numpy.full((s["i"], s["j"]), -numpy.inf, numpy.float32), 1 + s["j"] - s["i"])
        scores = g.node("Add", [scores, g.constant(mask)])
    return g.node("MatMul", [g.node("Softmax", [scores], axis=-1), v])


def rms_norm(g, work, x, scale):
    if work.attributes.get("own_operation"):
        return g.node("RMSNormalization", [x, scale], axis=-1, epsilon=1e-5)
    mean = g.node("ReduceMean", [g.node("Mul", [x, x]), g.ints(-1)], keepdims=1)
    root = g.node("Sqrt", [g.node("Add", [mean, g.scalar(1e-5)])])
    return g.node("Mul", [g.node("Div", [x, root]), scale])


def pad_permute(g, work, x):
    padded = g.node("Pad", [x, g.ints(1, 0, 1, 0)])
    turned = g.node("Reshape", [g.node("Transpose", [padded], perm=[1, 0]), g.ints(-1, work.sizes["b"])])
    return g.node("Relu", [turned])


TABLE = {
    "matmul": product,
    "matmul_gelu": lambda g, w, a, b, bias: g.node("Gelu", [g.node("Add", [g.node("MatMul", [a, b]), bias])], approximate="tanh"),
    "matmul_relu": lambda g, w, a, b, bias: g.node("Relu", [g.node("Add", [g.node("MatMul", [a, b]), bias])]),
    "conv": convolution,
    "max_pool": lambda g, w, x: channels_last(g, w, x, lambda x: pool(g, x)),
    "pool_of_conv": lambda g, w, x, k: pool(g, g.node("Conv", [x, k], pads=[1] * 4)),
    "pool_of_pad": lambda g, w, x: pool(g, g.node("Pad", [x, g.ints(0, 0, 1, 1, 0, 0, 1, 1)])),
    "softmax": lambda g, w, x: g.node("Softmax", [x], axis=-1),
    "layer_norm": lambda g, w, x, scale, shift: g.node("LayerNormalization", [x, scale, shift], axis=-1, epsilon=1e-5),
    "rms_norm": rms_norm,
    "gelu": lambda g, w, x: g.node("Gelu", [x]),
    "sum": lambda g, w, x: g.node("ReduceSum", [x, g.ints(w.attributes["axis"])], keepdims=0),
    "bias_relu": lambda g, w, x, bias: g.node("Relu", [g.node("Add", [x, g.node("Reshape", [bias, g.ints(-1, 1, 1)])])]),
    "transpose": lambda g, w, x: g.node("Transpose", [x], perm=[1, 0]),
    "gather": lambda g, w, t, rows: g.node("Gather", [t, rows], axis=0),
    "cumsum": lambda g, w, x: g.node("CumSum", [x, g.constant(numpy.array(1, numpy.int64))]),
    "argmax": lambda g, w, x: g.node("ArgMax", [x], axis=1, keepdims=0),
    "concat": lambda g, w, a, b: g.node("Concat", [a, b], axis=1),
    "pad_permute": pad_permute,
    "attention": attention,
}


def build(work, opset=20):
    """The model's bytes and the names of its inputs; None: not to be said in ONNX, or here."""
    if work.op == "network":
        with open(work.data["model"], "rb") as file:
            return file.read(), [tensor["name"] for tensor in work.inputs]
    if work.op not in TABLE:
        return None
    g, inputs, names = Graph(), [], []
    for tensor in work.inputs:
        if tensor["constant"]:
            names.append(g.constant(work.arrays[tensor["name"]], tensor["element"]))
        else:
            names.append(tensor["name"])
            inputs.append(helper.make_tensor_value_info(tensor["name"], TYPES[tensor["element"]], tensor["dims"]))
    made = TABLE[work.op](g, work, *names)
    if made is None:
        return None
    result = work.results[0]
    output = helper.make_tensor_value_info(made, TYPES[result["element"]], result["dims"])
    graph = helper.make_graph(g.nodes, work.op, inputs, [output], g.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    return model.SerializeToString(), [info.name for info in inputs]
