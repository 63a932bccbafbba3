"""Draws of operators that make tensors from attributes, shapes and few numbers."""
import numpy as np
from onnx import TensorProto, numpy_helper

from draws import Case, Input, integers, rule, scalar
from elementwise import TO


@rule("Constant")
def constant(d):
    value = d.among("value", "value_float", "value_int", "value_floats", "value_ints") if d.opset >= 12 else "value"
    return Case(d, [], {value: {"value": numpy_helper.from_array(d.tensor(d.shape(), d.among("f32", "i64", "bool", "i8"))), "value_float": 0.5,
                                "value_int": -3, "value_floats": [0.5, 2.0], "value_ints": [1, 2, 3]}[value]})


@rule("ConstantOfShape")
def constant_of_shape(d):
    value = numpy_helper.from_array(d.tensor([1], d.among("f32", "f64", "i64", "i32", "bool", "u8")))
    return Case(d, [integers(*d.shape())], {"value": value if d.chance(0.7) else None})


@rule("EyeLike")
def eye_like(d):
    shape = [d.between(1, 5), d.between(1, 5)]
    return Case(d, [d.tensor(shape, d.among("f32", "i32", "f64"))],
                {"k": d.maybe(-6, -2, -1, 0, 1, 3), "dtype": d.maybe(TO["f32"], TO["i64"], TO["f64"], TO["i32"])})


@rule("OneHot")
def one_hot(d):
    shape, depth = d.shape(0, 3), d.between(1, 5)
    at = d.tensor(shape, d.among("i64", "i32", "f32"), -depth - 1, depth)
    if at.dtype.kind == "f":
        at = np.floor(at)
    values = d.tensor([2], d.among("f32", "i64", "i32"))
    return Case(d, [at, scalar(depth) if d.chance(0.5) else integers(depth), values], {"axis": d.maybe(d.axis(len(shape) + 1))})


@rule("Range")
def range_(d):
    element = d.among("f32", "i64", "i32", "f64")
    step = d.among(1, 2, -1, -3) if element[0] == "i" else d.among(0.5, 1, -0.75, 2)
    return Case(d, [scalar(v, element) for v in (d.between(-5, 5), d.between(-5, 5), step)])


@rule("Shape", "Size")
def shape(d):
    attributes = {}
    if d.op == "Shape" and d.opset >= 15:
        attributes = {"start": d.maybe(-6, -2, 0, 1, 2, 6), "end": d.maybe(-6, -1, 1, 2, 6)}
    return Case(d, [d.tensor(d.shape(), d.allowed())], attributes)


@rule("HannWindow", "HammingWindow", "BlackmanWindow")
def window(d):
    return Case(d, [scalar(d.between(2, 12))], {"periodic": d.maybe(0, 1), "output_datatype": d.maybe(TensorProto.FLOAT, TensorProto.DOUBLE)})


@rule("MelWeightMatrix")
def mel(d):
    rate, length = d.among(8000, 16000), d.among(16, 32, 64)
    upper = d.among(rate / 2, rate / 4)
    return Case(d, [scalar(d.between(2, 8)), scalar(length), scalar(rate), scalar(d.among(0.0, 100.0), "f32"), scalar(upper, "f32")])


@rule("DFT")
def dft(d):
    shape = [d.between(1, 3), d.between(1, 9), *[d.between(1, 5) for _ in range(d.between(0, 1))]]
    axis = d.between(0, len(shape) - 1)
    one_sided, inverse = d.maybe(0, 1), d.maybe(0, 1)
    parts = 1 if one_sided or d.chance(0.5) else 2
    if one_sided:
        inverse = None
    length = scalar(d.between(1, 10)) if d.chance(0.4) else None
    attributes = {"onesided": one_sided, "inverse": inverse}
    x = d.tensor([*shape, parts], d.among("f32", "f64"))
    if d.opset < 20:
        return Case(d, [x, length], {**attributes, "axis": axis})
    return Case(d, [x, length, scalar(axis)], attributes)


@rule("STFT")
def stft(d):
    length, frame = d.between(8, 20), d.between(2, 8)
    # Small: onnxruntime's sums in f32 are off by a share of the largest.
    window = Input(np.abs(d.tensor([frame])) / 16 + np.float32(0.25)) if d.chance(0.6) else None
    given = scalar(frame) if window is None or d.chance(0.4) else None
    return Case(d, [d.tensor([d.between(1, 2), length, 1]), scalar(d.between(1, 4)), window, given], {"onesided": d.maybe(0, 1)})


@rule("Trilu")
def trilu(d):
    k = d.maybe(-7, -2, -1, 0, 1, 2, 7)
    x = d.tensor(d.shape(2), d.allowed())
    return Case(d, [x, None if k is None else scalar(k)], {"upper": d.maybe(0, 1)})


@rule("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss")
def loss(d):
    n, c, rest = d.between(1, 4), d.between(1, 5), [d.between(1, 3) for _ in range(d.between(0, 2))]
    labels = d.tensor([n, *rest], d.among("i64", "i32"), 0, c - 1)
    ignored = d.maybe(-1, 0, 1, 100)
    if ignored is not None and not 0 <= ignored < c:
        labels = np.where(d.tensor(labels.shape, "bool") & (labels == 0), np.array(ignored, labels.dtype), labels)
        labels.flat[0] = 0  # a mean over nothing is no number
    elif ignored is not None:
        labels.flat[0] = c - 1 if ignored != c - 1 else 0
        if (labels == ignored).all():
            ignored = None
    weights = Input(np.abs(d.tensor([c])) + np.float32(0.25)) if d.chance(0.5) else None
    outputs = d.among(1, 2) if d.op == "SoftmaxCrossEntropyLoss" else 1
    return Case(d, [d.tensor([n, c, *rest]), labels, weights], {"reduction": d.maybe("none", "sum", "mean"), "ignore_index": ignored}, outputs)


