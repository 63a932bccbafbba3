"""Draws of reductions, running sums, norms, and matrix products."""
import numpy as np

from draws import Case, integers, rule, scalar


@rule("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
      "ReduceSumSquare")
def reduce(d):
    shape = d.shape()
    if d.op not in ("ReduceSum", "ReduceL1", "ReduceSumSquare"):  # of nothing: no number, or the limit
        shape = [max(s, 1) for s in shape]
    axes = d.axes(len(shape), 1) if shape and d.chance(0.7) else None
    if axes and d.opset < 11:
        axes = [a % len(shape) for a in axes]
    low, high = {"ReduceLogSum": (0.25, 4), "ReduceProd": (-2, 2)}.get(d.op, (-4, 4))
    x, attributes = d.tensor(shape, d.among("f32", "f32", "f64", "i32", "i64"), low, high), {"keepdims": d.maybe(0, 1)}
    if d.op == "ReduceLogSum" and x.dtype.kind == "i":
        x = np.maximum(x, 1)
    why = "logarithms of integers" if d.op.startswith("ReduceLog") and x.dtype.kind == "i" else ""
    if not x.size and any(a < 0 for a in axes or []):
        why = "reduction of nothing"
    as_input = d.opset >= (13 if d.op == "ReduceSum" else 18)
    if not as_input:
        return Case(d, [x], {**attributes, "axes": axes}, explained=why)
    attributes["noop_with_empty_axes"] = d.maybe(0, 1)
    empty = axes is None and d.chance(0.3)
    if attributes["noop_with_empty_axes"] and not axes and d.op not in ("ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"):
        why = "reduction over no axes"
    return Case(d, [x, integers(*(axes or [])) if axes or empty else None], attributes, explained=why)


@rule("ArgMax", "ArgMin")
def arg(d):
    shape = [max(s, 1) for s in d.shape(1)]
    axis = d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1)
    last = d.maybe(0, 1) if d.opset >= 12 else None
    return Case(d, [d.tensor(shape, d.among("f32", "f32", "i32", "f64", "u8", "i8"))], {"axis": axis, "keepdims": d.maybe(0, 1), "select_last_index": last})


@rule("CumSum")
def cumsum(d):
    shape = d.shape(1)
    axis = scalar(d.axis(len(shape)), d.among("i64", "i32"))
    return Case(d, [d.tensor(shape, d.among("f32", "f64", "i32", "i64")), axis], {"exclusive": d.maybe(0, 1), "reverse": d.maybe(0, 1)})


def channels(d):
    n, c = d.between(1, 3), d.between(1, 5)
    return [n, c, *[d.between(1, 4) for _ in range(d.between(1, 3))]]


def positive(d, shape):
    return np.abs(d.tensor(shape)) + np.float32(0.25)


@rule("BatchNormalization")
def batch_normalization(d):
    shape = channels(d) if d.chance(0.8) else [d.between(1, 3), d.between(1, 5)]
    c = [shape[1]]
    training = d.opset >= 14 and d.chance(0.25)
    attributes = {"epsilon": d.maybe(1e-3, 0.5), "momentum": d.maybe(0.5, 0.9), "training_mode": 1 if training else None}
    return Case(d, [d.tensor(shape), d.tensor(c), d.tensor(c), d.tensor(c), positive(d, c)], attributes, 3 if training else 1)


@rule("InstanceNormalization")
def instance_normalization(d):
    shape = channels(d)
    return Case(d, [d.tensor(shape), d.tensor([shape[1]]), d.tensor([shape[1]])], {"epsilon": d.maybe(1e-3, 0.5)})


@rule("GroupNormalization")
def group_normalization(d):
    shape, groups = channels(d), d.between(1, 3)
    shape[1] *= groups
    c = [groups if d.opset < 21 else shape[1]]
    return Case(d, [d.tensor(shape), d.tensor(c), d.tensor(c)], {"num_groups": groups, "epsilon": d.maybe(1e-3, 0.5)})


@rule("LayerNormalization", "RMSNormalization")
def layer_normalization(d):
    if d.op == "RMSNormalization":
        d.opset = 23
    shape = [max(s, 1) for s in d.shape(1)]
    axis = d.maybe(d.axis(len(shape)))
    inner = shape[-1 if axis is None else axis:]
    attributes = {"axis": axis, "epsilon": d.maybe(1e-3, 0.5)}
    if d.op == "RMSNormalization":
        return Case(d, [d.tensor(shape), d.tensor(inner)], attributes)
    return Case(d, [d.tensor(shape), d.tensor(inner), d.tensor(inner) if d.chance(0.5) else None], attributes, d.among(1, 1, 2, 3))


@rule("LpNormalization")
def lp_normalization(d):
    shape = [max(s, 1) for s in d.shape(1)]
    x = d.tensor(shape, d.among("f32", "f64"))
    if d.chance(0.3):
        x[0] = 0
    return Case(d, [x], {"axis": d.maybe(d.axis(len(shape))), "p": d.maybe(1, 2)})


@rule("MeanVarianceNormalization")
def mean_variance_normalization(d):
    shape = [d.between(1, 3) for _ in range(4)]
    axes = d.maybe([0, 2, 3], [0, 1, 2, 3], [-1, 2], [1])
    constant = lambda results: "variance of equal elements" if np.isnan(results[0]).any() else ""
    return Case(d, [d.tensor(shape)], {"axes": axes}, explained=constant)


@rule("LRN")
def lrn(d):
    shape = channels(d)
    return Case(d, [d.tensor(shape)], {"size": d.among(1, 3, 5, 7) if d.chance(0.9) else d.among(2, 4), "alpha": d.maybe(0.5, 1e-3), "beta": d.maybe(0.5, 1.0), "bias": d.maybe(2.0)})


@rule("MatMul")
def matmul(d):
    batch, m, k, n = d.pair(0, 2), d.between(1, 5), d.between(1, 6), d.between(1, 5)
    a, b = [*batch[0], m, k], [*batch[1], k, n]
    if d.chance(0.15):
        a = [k]
    elif d.chance(0.15):
        b = [k]
    element = d.among("f32", "f32", "f64", "i32", "i64")
    return Case(d, [d.tensor(a, element), d.tensor(b, element)])


@rule("Gemm")
def gemm(d):
    m, k, n = d.between(1, 5), d.between(1, 6), d.between(1, 5)
    left, right = d.maybe(0, 1), d.maybe(0, 1)
    a, b = ([k, m] if left else [m, k]), ([n, k] if right else [k, n])
    c = d.tensor(d.broadcast([m, n])) if d.opset < 11 or d.chance(0.7) else None
    return Case(d, [d.tensor(a), d.tensor(b), c], {"transA": left, "transB": right, "alpha": d.maybe(0.5, 2.0), "beta": d.maybe(0.0, 0.5, 2.0)})


@rule("Einsum")
def einsum(d):
    sizes = {c: d.between(1, 4) for c in "abcd"}
    terms = ["".join(d.random.sample("abcd", d.between(1, 3))) for _ in range(d.between(1, 3))]
    if d.chance(0.2):
        terms[0] += terms[0][0]  # a diagonal
    used = sorted(set("".join(terms)))
    dots = d.chance(0.3)
    right = "".join(d.random.sample(used, d.between(0, len(used))))
    texts = [("..." if dots else "") + t for t in terms]
    equation = (", " if d.chance(0.3) else ",").join(texts)
    if d.chance(0.8):
        equation += "->" + ("..." if dots else "") + right
    batch = d.shape(0, 2) if dots else []
    inputs = [d.tensor([*batch, *[sizes[c] for c in t]]) for t in terms]
    return Case(d, inputs, {"equation": equation})


def byte(d, shape, element):
    return d.tensor(shape, element, 0 if element == "u8" else -128, 255 if element == "u8" else 127)


def weight(d, shape, element):
    """Bytes so small that two products of u8 and i8 fit 16 bits: without VNNI onnxruntime saturates their sum."""
    return byte(d, shape, "u8") if element == "u8" else d.tensor(shape, "i8", -64, 63)


def zero_point(d, element, shape=()):
    return byte(d, list(shape), element)


@rule("MatMulInteger")
def matmul_integer(d):
    a, b = d.among("u8", "i8"), d.among("u8", "i8")
    m, k, n = d.between(1, 5), d.between(1, 6), d.between(1, 5)
    batch = d.shape(0, 1)
    za = zero_point(d, a) if d.chance(0.6) else None
    zb = zero_point(d, b, [n] if d.chance(0.4) else []) if d.chance(0.6) else None
    return Case(d, [byte(d, [*batch, m, k], a), weight(d, [*batch, k, n], b), za, zb])


def step(d, shape=()):
    return d.among(0.25, 0.5, 0.125) * np.ones(shape, np.float32) if not shape or d.chance(0.5) else \
        np.array([d.among(0.25, 0.5, 0.125) for _ in range(shape[0])], np.float32)


@rule("QLinearMatMul")
def qlinear_matmul(d):
    a = d.among("u8", "i8")
    m, k, n = d.between(1, 5), d.between(1, 6), d.between(1, 5)
    return Case(d, [byte(d, [m, k], a), step(d), zero_point(d, a), weight(d, [k, n], a), step(d), zero_point(d, a), np.float32(d.among(16.0, 32.0, 128.0)),
                    zero_point(d, a)])


@rule("QuantizeLinear", "DequantizeLinear")
def quantize(d):
    shape, element = [max(s, 1) for s in d.shape(0 if d.chance(0.1) else 1)], d.among("u8", "i8")
    axis = d.axis(len(shape)) if shape else 0
    per_axis = shape and d.opset >= 13 and d.chance(0.5)
    parameter = [shape[axis]] if per_axis else []
    attributes = {"axis": axis} if per_axis else {}
    scale, zero = step(d, parameter), zero_point(d, element, parameter) if d.chance(0.7) else None
    if d.opset >= 21 and len(shape) > 1 and d.chance(0.4):
        block = d.among(1, 2, 3)
        blocks = [*shape]
        blocks[axis] = -(-shape[axis] // block)
        scale = np.array([d.among(0.25, 0.5) for _ in range(int(np.prod(blocks)))], np.float32).reshape(blocks)
        zero = byte(d, blocks, element) if zero is not None else None
        attributes = {"axis": axis, "block_size": block}
    if d.op == "QuantizeLinear":
        x = d.tensor(shape, d.among("f32", "f32", "i32"), -60, 60)
        return Case(d, [x, scale, zero], attributes)
    x = d.tensor(shape, "i32", -1000, 1000) if zero is None and d.chance(0.3) else byte(d, shape, element if zero is not None else "u8")
    return Case(d, [x, scale, zero], attributes)


@rule("DynamicQuantizeLinear")
def dynamic_quantize(d):
    def constant(results):
        return "scale of no range" if results[1] == 1 and results[0].min() == results[0].max() else ""
    return Case(d, [d.tensor([max(s, 1) for s in d.shape(1)])], outputs=3, explained=constant)


