"""What the rules of tools/dev/onnx-differential draw with: cases, seeded choices, tensors."""
import hashlib
import random

import numpy as np
from onnx import TensorProto, defs, helper, numpy_helper

RULES = {}  # operator -> function from a Draw to a Case
NEWEST = 22  # of the default domain: what onnxruntime 1.23 implements throughout
ELEMENTS = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "i32": np.int32, "i64": np.int64,
            "u8": np.uint8, "bool": np.bool_}
EXTENTS = [1, 1, 2, 2, 3, 3, 4, 5, 7]


def rule(*operators):
    """Makes a function the rule that draws these operators."""
    def add(function):
        RULES.update({operator: function for operator in operators})
        return function
    return add


class Input:
    """An input: its value, and whether the operator wants it constant."""
    def __init__(self, value, constant=False):
        self.value, self.constant = np.asarray(value), constant


class Case:
    """One node. `explained` is why onnxruntime may differ, as docs/rationale/onnx.md calls it, or a
    function from its results to that; empty if it may not. `results` are what the rule computes
    itself, of operators that onnxruntime does not have."""
    def __init__(self, draw, inputs, attributes=None, outputs=1, explained="", results=None):
        self.op, self.opset, self.explained, self.results = draw.op, draw.opset, explained, results
        self.inputs = [i if isinstance(i, Input) or i is None else Input(i) for i in inputs]
        while self.inputs and self.inputs[-1] is None:
            self.inputs.pop()
        self.attributes = {k: v for k, v in (attributes or {}).items() if v is not None and v != []}
        self.outputs = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
        self.initializers = [i is not None and (i.constant or draw.chance(0.25)) for i in self.inputs]

    def arguments(self):
        """(name, value) of what is no initializer."""
        return [(f"x{i}", x.value) for i, x in enumerate(self.inputs) if x is not None and not self.initializers[i]]

    def model(self, results=None):
        """The model; with the types of `results` once they are known."""
        names = ["" if x is None else f"x{i}" for i, x in enumerate(self.inputs)]
        node = helper.make_node(self.op, names, self.outputs, name="node", **self.attributes)
        weights = [numpy_helper.from_array(x.value, f"x{i}")
                   for i, x in enumerate(self.inputs) if x is not None and self.initializers[i]]
        wanted = [name for name in self.outputs if name]
        infos = [info(n, r) for n, r in zip(wanted, results)] if results else [helper.make_empty_tensor_value_info(n) for n in wanted]
        graph = helper.make_graph([node], "case", [info(n, v) for n, v in self.arguments()], infos, weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        return model

    def __str__(self):
        shapes = ", ".join("-" if x is None else f"{x.value.dtype}{list(x.value.shape)}" +
                           (f"={x.value.tolist()}" if x.constant and x.value.size < 9 else "") for x in self.inputs)
        return f"{self.op}-{self.opset}({shapes}) {self.attributes}"


def info(name, value):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype), np.shape(value))


class Draw:
    """Choices of the case `index` of an operator; the same for the same seed."""
    def __init__(self, op, seed, index):
        digest = hashlib.sha256(f"{op} {seed} {index}".encode()).digest()
        self.random = random.Random(digest)
        self.op, self.index = op, index
        versions = {s.since_version for s in defs.get_all_schemas_with_history() if s.name == op and s.domain == ""}
        # Versions before 7 are those of other rules of broadcasting, which onnxruntime does not have.
        known = sorted({max(v, 7) for v in versions if v <= NEWEST}) or [min(versions)]
        self.opset = self.among(*known, *[max(NEWEST, known[-1])] * 2)
        self.schema = defs.get_schema(op, self.opset, "")

    def chance(self, probability):
        return self.random.random() < probability

    def among(self, *options):
        return self.random.choice(options)

    def maybe(self, *options):
        """One of the options, or None so that the default counts."""
        return self.among(*options) if self.chance(0.6) else None

    def between(self, low, high):
        return self.random.randint(low, high)

    def shape(self, least=0, most=4):
        shape = [self.among(*EXTENTS) for _ in range(self.between(least, most))]
        if shape and self.chance(0.03):
            shape[self.between(0, len(shape) - 1)] = 0
        return shape

    def axis(self, rank):
        return self.between(-rank, rank - 1)

    def axes(self, rank, least=0, most=None):
        """Distinct axes in any order, some counted from the end."""
        axes = self.random.sample(range(rank), self.between(least, rank if most is None else most))
        return [a - rank if self.chance(0.3) else a for a in axes]

    def element(self, *elements):
        """One of these element types (names of ELEMENTS); the first half of the time."""
        return elements[0] if self.chance(0.5) else self.among(*elements)

    def allowed(self, position=0):
        """An element type that the schema allows for an input."""
        formal = self.schema.inputs[min(position, len(self.schema.inputs) - 1)]
        types = {helper.tensor_dtype_to_np_dtype(helper_type(t)) for t in formal.types if helper_type(t)}
        names = [name for name, kind in ELEMENTS.items() if np.dtype(kind) in types and name != "f16"]
        return self.element(*names)

    def tensor(self, shape, element="f32", low=-4, high=4):
        """Multiples of 1/4, whose sums and products are exact, or whole numbers."""
        kind, count = np.dtype(ELEMENTS[element]), int(np.prod(shape))
        if kind == np.bool_:
            values = [self.chance(0.5) for _ in range(count)]
        elif kind.kind == "f":
            values = [self.between(int(low * 4), int(high * 4)) / 4 for _ in range(count)]
        else:
            values = [self.between(max(int(low), 0 if kind.kind == "u" else int(low)), int(high)) for _ in range(count)]
        return np.array(values, kind).reshape(shape)

    def nonzero(self, shape, element="f32"):
        value = self.tensor(shape, element)
        return np.where(value == 0, np.ones_like(value), value)

    def broadcast(self, shape):
        """A shape that broadcasts to this one."""
        part = [1 if self.chance(0.3) else s for s in shape]
        return part[self.between(0, len(part)):] if self.chance(0.4) else part

    def pair(self, least=0, most=4):
        """Two shapes that broadcast to each other."""
        shape = self.shape(least, most)
        pair = [shape, self.broadcast(shape)]
        self.random.shuffle(pair)
        return pair


def helper_type(text):
    """The TensorProto type of "tensor(float)"; None of anything else."""
    names = {"float": TensorProto.FLOAT, "double": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
             "int8": TensorProto.INT8, "int32": TensorProto.INT32, "int64": TensorProto.INT64,
             "uint8": TensorProto.UINT8, "bool": TensorProto.BOOL}
    return names.get(text[7:-1]) if text.startswith("tensor(") else None


def integers(*values):
    """A constant input of int64."""
    return Input(np.array(values, np.int64), constant=True)


def scalar(value, element="i64"):
    return Input(np.array(value, ELEMENTS[element]), constant=True)
