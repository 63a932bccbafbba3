"""Heads of object detectors as exporters write them, with random weights: compiled, and compared with onnxruntime.

Usage: detection-heads.py FOLDER [OPTION FOR tensor-compile]...

Each head runs where its threshold leaves nothing, some and nearly all. What differs first of each is printed.
"""
import itertools
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import tensorwright
from onnx import TensorProto, helper, numpy_helper

I64, BOOL, FAR = TensorProto.INT64, TensorProto.BOOL, 1 << 40
HEADS = []


def head(function):
    """A function that makes the graph and returns what draws its inputs, given numbers and which threshold of three."""
    HEADS.append(function)
    return function


class Graph:
    """`graph.Relu(x)` adds a node and gives its result; numbers become constants."""

    def __init__(self, prefix=""):
        self.prefix, self.nodes, self.constants, self.inputs, self.outputs = prefix, [], [], [], []

    def name(self):
        return f"{self.prefix}v{len(self.nodes)}_{len(self.constants)}"

    def constant(self, value):
        array = np.array(value)
        array = array.astype("int64") if array.dtype.kind == "i" else array
        self.constants.append(numpy_helper.from_array(array.astype("float32") if array.dtype.kind == "f" else array, self.name() + "c"))
        return self.constants[-1].name

    def add(self, kind, *inputs, results=1, **attributes):
        inputs = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        names = [f"{self.name()}_{i}" for i in range(results)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if results == 1 else names

    def __getattr__(self, kind):
        return lambda *inputs, **attributes: self.add(kind, *inputs, **attributes)

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, value, shape, kind=TensorProto.FLOAT):
        shape = [f"{name}{i}" for i in range(shape)] if isinstance(shape, int) else shape
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def make(self):
        return helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, self.constants)

    # What exporters write for a line of Python.
    def size(self, x, dim):
        return self.Gather(self.Shape(x), dim, axis=0)

    def column(self, x, i):
        return self.Slice(x, [i], [i + 1], [1])

    def where(self, mask):
        return self.Squeeze(self.NonZero(mask), [0])

    def take(self, rows, *values):
        return [self.Gather(value, rows, axis=0) for value in values]

    def suppress(self, boxes, scores, overlap, most=100000, **attributes):
        found = self.NonMaxSuppression(self.Unsqueeze(boxes, [0]), self.Unsqueeze(scores, [0, 1]), [most], overlap, **attributes)
        return self.Squeeze(self.column(found, 2), [1])


def draw_boxes(numbers, count):
    corner = numbers.uniform(0, 50, (count, 2))
    return np.concatenate([corner, corner + numbers.uniform(2, 26, (count, 2))], 1).astype("float32")


def draw(numbers, *shape, scale=1.0):
    return (numbers.standard_normal(shape) * scale).astype("float32")


def weights(graph, *shape):
    return graph.constant(draw(np.random.default_rng(sum(shape)), *shape, scale=0.5))


def decode(g, anchors, deltas):
    """Corners of anchors [n, 4] moved by [n, 4 * classes]: [n * classes, 4]."""
    width, height = g.Sub(g.column(anchors, 2), g.column(anchors, 0)), g.Sub(g.column(anchors, 3), g.column(anchors, 1))
    x, y = g.Add(g.column(anchors, 0), g.Mul(width, 0.5)), g.Add(g.column(anchors, 1), g.Mul(height, 0.5))
    dx, dy, dw, dh = [g.Slice(deltas, [i], [FAR], [1], [4]) for i in range(4)]
    x, y = g.Add(g.Mul(dx, width), x), g.Add(g.Mul(dy, height), y)
    half = [g.Mul(g.Mul(g.Exp(g.Clip(d, "", 4.125)), size), 0.5) for d, size in ((dw, width), (dh, height))]
    sides = [g.Sub(x, half[0]), g.Sub(y, half[1]), g.Add(x, half[0]), g.Add(y, half[1])]
    return g.Clip(g.Reshape(g.Concat(*[g.Unsqueeze(side, [2]) for side in sides], axis=2), [-1, 4]), 0.0, 64.0)


def large(g, boxes, least):
    width, height = g.Sub(g.column(boxes, 2), g.column(boxes, 0)), g.Sub(g.column(boxes, 3), g.column(boxes, 1))
    return g.where(g.Squeeze(g.And(g.GreaterOrEqual(width, least), g.GreaterOrEqual(height, least)), [1]))


def propose(g):
    """Faster R-CNN's proposals of two levels."""
    boxes, scores, levels = [], [], []
    for level, count in enumerate((40, 12)):
        objects, deltas, anchors = g.input(f"o{level}", [count]), g.input(f"d{level}", [count, 4]), g.input(f"a{level}", [count, 4])
        best, places = g.TopK(objects, g.Unsqueeze(g.Min(30, g.size(objects, 0)), [0]), results=2, axis=0)
        boxes += g.take(places, decode(g, anchors, deltas))
        scores.append(g.Sigmoid(best))
        levels.append(g.Expand(g.constant([level]), g.Shape(best)))
    found = [g.Concat(*values, axis=0) for values in (boxes, scores, levels)]
    found = g.take(large(g, found[0], 1.0), *found)
    return g.take(g.where(g.GreaterOrEqual(found[1], 0.0625)), *found)


def draw_proposals(numbers, which):
    given = {}
    for level, count in enumerate((40, 12)):
        given[f"o{level}"] = draw(numbers, count, scale=(1, 2, 1)[which]) - np.float32((30, 0, 0)[which])
        given[f"d{level}"], given[f"a{level}"] = draw(numbers, count, 4, scale=0.2), draw_boxes(numbers, count)
    return given


def pool_levels(g, maps, boxes, room):
    """RoiAlign of each box in the map of its size, put together by a scatter."""
    area = g.Mul(g.Sub(g.column(boxes, 2), g.column(boxes, 0)), g.Sub(g.column(boxes, 3), g.column(boxes, 1)))
    level = g.Floor(g.Add(g.Log(g.Add(g.Div(g.Sqrt(g.Squeeze(area, [1])), 16.0), 1e-6)), 1.0))
    level = g.Cast(g.Clip(level, 0.0, 1.0), to=I64)
    zero = helper.make_tensor("zero", TensorProto.FLOAT, [1], [0.0])
    found = g.ConstantOfShape(g.Concat(g.Unsqueeze(g.size(boxes, 0), [0]), [2, room, room], axis=0), value=zero)
    for i, (features, scale) in enumerate(maps):
        rows = g.where(g.Equal(level, i))
        own = g.Gather(boxes, rows, axis=0)
        images = g.ConstantOfShape(g.Unsqueeze(g.size(own, 0), [0]), value=helper.make_tensor("none", I64, [1], [0]))
        pooled = g.RoiAlign(features, own, images, output_height=room, output_width=room, sampling_ratio=2, spatial_scale=scale)
        shape = g.Concat(g.Unsqueeze(g.size(rows, 0), [0]), [2, room, room], axis=0)
        found = g.ScatterElements(found, g.Expand(g.Unsqueeze(rows, [1, 2, 3]), shape), pooled, axis=0)
    return found


def maps(g):
    return [(g.input("f0", [1, 2, 32, 32]), 0.5), (g.input("f1", [1, 2, 16, 16]), 0.25)]


def draw_maps(numbers):
    return {"f0": draw(numbers, 1, 2, 32, 32), "f1": draw(numbers, 1, 2, 16, 16)}


@head
def ssd_padded(g):
    """SSD's boxes of several classes, the best 20 of them, padded to 20 as TensorFlow's are, and how many."""
    scores, boxes = g.input("scores", [1, 60, 5]), g.input("boxes", [1, 60, 4])
    scores = g.Transpose(g.Softmax(scores, axis=2), perm=[0, 2, 1])
    rows = g.NonMaxSuppression(boxes, scores, 20, 0.5, 0.25)
    found = g.GatherND(scores, rows)
    count = g.Unsqueeze(g.Min(g.size(found, 0), 20), [0])
    best, places = g.TopK(found, count, results=2, axis=0)
    own = g.Gather(rows, places, axis=0)
    own = g.Gather(g.Squeeze(boxes, [0]), g.Squeeze(g.column(own, 2), [1]), axis=0)
    behind = g.Sub([20], count)
    g.output("best", g.Pad(best, g.Concat([0], behind, axis=0), 0.0), [20])
    g.output("own", g.Pad(own, g.Concat([0, 0], behind, [0], axis=0), 0.0), [20, 4])
    g.output("count", count, [1], I64)
    return lambda numbers, which: {"scores": draw(numbers, 1, 60, 5, scale=(0.1, 1, 3)[which]), "boxes": draw_boxes(numbers, 60)[None]}


@head
def yolo(g):
    """Confident boxes alone, apart by class, at most 30, of which 20 are kept; as many boxes as a call has."""
    rows = g.Squeeze(g.Transpose(g.input("p", [1, 9, "N"]), perm=[0, 2, 1]), [0])
    classes = g.Slice(rows, [4], [9], [1])
    best, label = g.ReduceMax(classes, axes=[1], keepdims=0), g.ArgMax(classes, axis=1, keepdims=0)
    rows, best, label = g.take(g.where(g.Greater(best, 0.6)), rows, best, label)
    half = g.Mul(g.Slice(rows, [2], [4], [1]), 0.5)
    boxes = g.Concat(g.Sub(g.Slice(rows, [0], [2], [1]), half), g.Add(g.Slice(rows, [0], [2], [1]), half), axis=1)
    apart = g.Unsqueeze(g.Mul(g.Cast(label, to=1), 4096.0), [1])
    kept = g.Slice(g.suppress(g.Add(boxes, apart), best, 0.45, most=30), [0], [20], [0])
    boxes, best, label = g.take(kept, boxes, best, label)
    g.output("found", g.Concat(boxes, g.Unsqueeze(best, [1]), g.Cast(g.Unsqueeze(label, [1]), to=1), axis=1), 2)
    places, sizes = ((0, 64), (2, 20))

    def give(numbers, which, count):
        parts = [numbers.uniform(*range_, (1, 2, count)) for range_ in (places, sizes)]
        parts.append(numbers.uniform(0, (0.5, 0.8, 1)[which], (1, 5, count)))
        return {"p": np.concatenate(parts, 1).astype("float32")}

    return lambda numbers, which: give(numbers, which, int(numbers.choice([1, 2, 37, 90])))


yolo.options = ["--dim=N=1..90"]


@head
def per_class(g):
    """A suppression for each class, and the best of all of them."""
    scores, boxes = g.input("scores", [40, 4]), g.input("boxes", [40, 4])
    rows, labels = [], []
    for label in range(1, 4):
        own = g.Squeeze(g.column(scores, label), [1])
        own, candidates = g.take(g.where(g.Greater(own, 0.4)), own, boxes)
        own, candidates = g.take(g.suppress(candidates, own, 0.5, most=20), own, candidates)
        rows.append(g.Concat(candidates, g.Unsqueeze(own, [1]), axis=1))
        labels.append(g.Expand(g.constant([label]), g.Shape(own)))
    rows, labels = g.Concat(*rows, axis=0), g.Concat(*labels, axis=0)
    best = g.Squeeze(g.column(rows, 4), [1])
    _, places = g.TopK(best, g.Unsqueeze(g.Min(g.size(best, 0), 15), [0]), results=2, axis=0)
    rows, labels = g.take(places, rows, labels)
    g.output("rows", rows, 2)
    g.output("labels", labels, 1, I64)
    return lambda numbers, which: {
        "scores": numbers.uniform(0, (0.3, 0.7, 1)[which], (40, 4)).astype("float32"),
        "boxes": draw_boxes(numbers, 40),
    }


@head
def proposals(g):
    """Boxes of each level apart, unless there are none: a branch."""
    boxes, scores, levels = propose(g)
    none, some = Graph("none"), Graph("some")
    none.output("nothing", none.constant(np.zeros(0, "int64")), 1, I64)
    apart = some.Mul(some.Cast(levels, to=1), some.Add(some.ReduceMax(boxes, keepdims=0), 1.0))
    some.output("kept", some.suppress(some.Add(boxes, some.Unsqueeze(apart, [1])), scores, 0.7), 1, I64)
    kept = g.If(g.Equal(g.Size(boxes), 0), then_branch=none.make(), else_branch=some.make())
    boxes, scores = g.take(g.Slice(kept, [0], [20], [0]), boxes, scores)
    g.output("boxes", boxes, 2)
    g.output("scores", scores, 1)
    return draw_proposals


@head
def boxes_of_regions(g):
    """Faster R-CNN behind its backbone: regions, their features, and boxes for each class."""
    boxes, scores, _ = propose(g)
    (regions,) = g.take(g.Slice(g.suppress(boxes, scores, 0.7), [0], [20], [0]), boxes)
    hidden = g.Flatten(pool_levels(g, maps(g), regions, 3), axis=1)
    hidden = g.Relu(g.Gemm(hidden, weights(g, 18, 8), weights(g, 8)))
    classes = g.Softmax(g.Gemm(hidden, weights(g, 8, 4), weights(g, 4)), axis=1)
    moved = g.Mul(g.Gemm(hidden, weights(g, 8, 16), weights(g, 16)), 0.125)
    boxes = g.Reshape(decode(g, regions, moved), [-1, 4, 4])
    boxes, scores = g.Reshape(g.Slice(boxes, [1], [FAR], [1]), [-1, 4]), g.Reshape(g.Slice(classes, [1], [FAR], [1]), [-1])
    labels = g.Expand(g.constant(np.arange(4)[None]), g.Concat(g.Unsqueeze(g.size(classes, 0), [0]), [4], axis=0))
    labels = g.Reshape(g.Slice(labels, [1], [FAR], [1]), [-1])
    found = g.take(g.where(g.Greater(scores, 0.2)), boxes, scores, labels)
    found = g.take(large(g, found[0], 0.01), *found)
    apart = g.Unsqueeze(g.Mul(g.Cast(found[2], to=1), 65.0), [1])
    boxes, scores, labels = g.take(g.Slice(g.suppress(g.Add(found[0], apart), found[1], 0.5), [0], [10], [0]), *found)
    g.output("boxes", boxes, 2)
    g.output("scores", scores, 1)
    g.output("labels", labels, 1, I64)
    return lambda numbers, which: {**draw_proposals(numbers, which), **draw_maps(numbers)}


@head
def masks(g):
    """Mask R-CNN's: convolutions of what was found, the channel of each one's label, and images of where its box is."""
    boxes, scores, labels = g.input("boxes", [40, 4]), g.input("scores", [40]), g.input("labels", [40], I64)
    boxes, labels = g.take(g.Slice(g.suppress(boxes, g.Where(g.Greater(scores, 0.3), scores, 0.0), 0.5), [0], [10], [0]), boxes, labels)
    x = pool_levels(g, maps(g), boxes, 4)
    x = g.Relu(g.Conv(x, weights(g, 3, 2, 3, 3), weights(g, 3), pads=[1] * 4))
    x = g.Relu(g.ConvTranspose(x, weights(g, 3, 3, 2, 2), weights(g, 3), strides=[2, 2]))
    x = g.Sigmoid(g.Conv(x, weights(g, 5, 3, 1, 1), weights(g, 5)))
    rows = g.Unsqueeze(g.Range(0, g.size(x, 0), 1), [1])
    g.output("masks", g.Unsqueeze(g.GatherND(x, g.Concat(rows, g.Unsqueeze(labels, [1]), axis=1)), [1]), 4)
    body = Graph("body")
    number, more = body.input("number", [], I64), body.input("more", [], BOOL)
    x0, y0, x1, y1 = [body.Gather(body.Gather(boxes, number, axis=0), i, axis=0) for i in range(4)]
    places = body.constant(np.arange(16) * 4.0)
    columns = body.And(body.GreaterOrEqual(places, x0), body.Less(places, x1))
    lines = body.And(body.GreaterOrEqual(places, y0), body.Less(places, y1))
    body.output("on", more, [], BOOL)
    body.output("image", body.Cast(body.And(body.Unsqueeze(lines, [1]), body.Unsqueeze(columns, [0])), to=1), [16, 16])
    g.output("images", g.Loop(g.size(boxes, 0), g.constant(True), body=body.make()), 3)
    return lambda numbers, which: {
        "boxes": draw_boxes(numbers, 40),
        "scores": numbers.uniform(0, (0.2, 0.6, 1)[which], 40).astype("float32"),
        "labels": numbers.integers(0, 5, 40),
        **draw_maps(numbers),
    }


@head
def counted_by_data(g):
    """As many of the best as data say, and a part of an image whose corners are data."""
    scores, count, image, corners = g.input("s", [30]), g.input("k", [1], I64), g.input("image", [3, 32, 32]), g.input("c", [4], I64)
    best, places = g.TopK(scores, count, results=2, axis=0)
    g.output("best", best, 1)
    g.output("places", places, 1, I64)
    g.output("part", g.Relu(g.Slice(image, g.Slice(corners, [0], [2]), g.Slice(corners, [2], [4]), [1, 2])), 3)
    return lambda numbers, which: {
        "s": draw(numbers, 30),
        "k": np.array([(0, 7, 30)[which]]),
        "image": draw(numbers, 3, 32, 32),
        "c": np.concatenate([numbers.integers(-40, 20, 2), numbers.integers(0, 40, 2)]),
    }


def check(function, folder, options):
    """Nothing, or what is wrong."""
    graph = Graph()
    give = function(graph)
    path = os.path.join(folder, function.__name__)
    model = helper.make_model(graph.make(), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path + ".onnx")
    command = ["tensor-compile", path + ".onnx", *getattr(function, "options", []), *options, "-o", path + ".twm"]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        return made.stderr
    session = onnxruntime.InferenceSession(path + ".onnx", providers=["CPUExecutionProvider"])
    module = tensorwright.load(path + ".twm")
    for which, seed in itertools.product(range(3), range(3)):
        given = give(np.random.default_rng(10 * seed + which), which)
        found = module(**given)
        found = found if isinstance(found, (tuple, list)) else [found]
        for output, own, other in zip(session.get_outputs(), found, session.run(None, given)):
            own = np.asarray(own)
            if own.shape != other.shape or not np.allclose(own, other, rtol=1e-4, atol=1e-4):
                return f"threshold {which}, seed {seed}: {output.name} {own.shape} is not that of onnxruntime, {other.shape}"
    return None


def main(folder, *options):
    onnxruntime.set_default_logger_severity(4)
    os.makedirs(folder, exist_ok=True)
    wrong = {function.__name__: check(function, folder, options) for function in HEADS}
    for name, what in wrong.items():
        print(f"{name}: {what or 'ok'}")
    return any(wrong.values())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
