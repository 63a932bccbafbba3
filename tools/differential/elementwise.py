"""Draws of operators that work element by element."""
import numpy as np
from onnx import TensorProto

from draws import ELEMENTS, Case, Input, rule

RANGES = {"Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-0.75, 0.75), "Acosh": (1, 8), "Log": (0.25, 8), "Sqrt": (0, 8), "Tan": (-1.5, 1.5),
          "Sinh": (-2, 2), "Cosh": (-2, 2)}
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 1e30, -1e-30]


@rule("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "BitwiseNot", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "HardSwish",
      "Identity", "IsInf", "IsNaN", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu", "Round", "Sigmoid", "Sign", "Sin", "Sinh",
      "Softplus", "Softsign", "Sqrt", "Swish", "Tan", "Tanh")
def unary(d):
    element = d.allowed()
    x = d.tensor(d.shape(), element, *RANGES.get(d.op, (-4, 4)))
    special = d.op in ("Abs", "Ceil", "Floor", "Identity", "IsInf", "IsNaN", "Neg", "Relu", "Round", "Sqrt", "Exp", "Tanh", "Sigmoid")
    if x.dtype.kind == "f" and (d.op in ("IsInf", "IsNaN") or special and d.chance(0.3)):
        x = np.where(np.array([d.chance(0.4) for _ in range(x.size)], bool).reshape(x.shape), d.among(*SPECIAL), x).astype(x.dtype)
    if d.op in ("Sqrt", "Reciprocal"):
        x = np.where(x == 0, np.ones_like(x), x)
    return Case(d, [x], {"detect_positive": d.maybe(0, 1), "detect_negative": d.maybe(0, 1)} if d.op == "IsInf" else
                {"alpha": d.maybe(0.5, 2.0)} if d.op == "Swish" else {})


ACTIVATIONS = {"Celu": ["alpha"], "Elu": ["alpha"], "HardSigmoid": ["alpha", "beta"], "LeakyRelu": ["alpha"], "Selu": ["alpha", "gamma"],
               "Shrink": ["lambd", "bias"], "ThresholdedRelu": ["alpha"], "Gelu": []}


@rule(*ACTIVATIONS)
def activation(d):
    attributes = {name: d.maybe(0.25, 0.5, 1.0, 1.5, 2.0) for name in ACTIVATIONS[d.op]}
    if d.op == "Gelu":
        attributes = {"approximate": d.maybe("none", "tanh")}
    return Case(d, [d.tensor(d.shape(), "f32" if d.op == "Celu" else d.element("f32", "f64"))], attributes)


@rule("Softmax", "LogSoftmax", "Hardmax")
def along_axis(d):
    shape = d.shape(1)
    return Case(d, [d.tensor(shape, d.element("f32", "f64"))], {"axis": d.maybe(d.axis(len(shape)))})


@rule("Dropout")
def dropout(d):
    x = d.tensor(d.shape(1))
    if d.opset < 12:
        return Case(d, [x], {"ratio": d.maybe(0.25)})
    ratio = Input(np.array(0.25, np.float32), True) if d.chance(0.5) else None
    training = Input(np.array(False), True) if d.chance(0.5) else None
    return Case(d, [x, ratio, training], outputs=d.among(1, 2))


@rule("Add", "Sub", "Mul", "Div", "Pow", "Mod", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift", "Equal",
      "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
def binary(d):
    a, b = d.pair()
    element = d.allowed()
    x, y, attributes = d.tensor(a, element), d.tensor(b, element), {}
    if d.op in ("Div", "Mod"):
        y = d.nonzero(b, element)
    if d.op == "Mod":
        attributes["fmod"] = 1 if x.dtype.kind == "f" else d.maybe(0, 1)
    if d.op == "BitShift":
        attributes["direction"] = d.among("LEFT", "RIGHT")
        y = d.tensor(b, element, 0, 7)
    if d.op == "Pow":
        other = d.allowed(1) if d.opset >= 12 else element
        x, y = d.tensor(a, element, 1, 3), d.tensor(b, other, 0, 3)
        if d.chance(0.3):
            y = np.full(b, d.among(0, 1, 2, 3, 2), y.dtype)
    return Case(d, [x, y], attributes)


@rule("PRelu")
def prelu(d):
    shape = d.shape(1)
    return Case(d, [d.tensor(shape), d.tensor(d.broadcast(shape))])


@rule("Max", "Min", "Sum", "Mean")
def variadic(d):
    shape, element = d.shape(), d.allowed()
    inputs = [d.tensor(shape if i == 0 else d.broadcast(shape), element) for i in range(d.between(1, 4))]
    if d.op in ("Max", "Min") and element in ("f32", "f64") and inputs[0].size and d.chance(0.2):
        inputs[0].flat[0] = np.nan
    d.random.shuffle(inputs)
    return Case(d, inputs)


@rule("Clip")
def clip(d):
    element = "f32" if d.opset < 12 else d.allowed()
    x, low, high = d.tensor(d.shape(), element), -1, 2
    if d.opset < 11:
        return Case(d, [x], {"min": d.maybe(-1.0, 0.5), "max": d.maybe(1.0, 2.0)})
    bounds = [np.array(v, x.dtype) if d.chance(0.6) else None for v in (0 if x.dtype.kind == "u" else low, high)]
    return Case(d, [x, *bounds])


TO = {"f32": TensorProto.FLOAT, "f64": TensorProto.DOUBLE, "i8": TensorProto.INT8, "i32": TensorProto.INT32, "i64": TensorProto.INT64,
      "u8": TensorProto.UINT8, "bool": TensorProto.BOOL, "f16": TensorProto.FLOAT16}


@rule("Cast", "CastLike")
def cast(d):
    to = d.among(*TO)
    x = d.tensor(d.shape(), d.allowed(), 0 if to in ("u8",) else -4, 4)
    if d.op == "CastLike":
        return Case(d, [x, np.zeros([2], ELEMENTS[to])])
    return Case(d, [x], {"to": TO[to]})


@rule("Where")
def where(d):
    shape, element = d.shape(), d.among("f32", "f32", "i64", "i32", "u8")
    return Case(d, [d.tensor(d.broadcast(shape), "bool"), d.tensor(shape, element), d.tensor(d.broadcast(shape), element)])
