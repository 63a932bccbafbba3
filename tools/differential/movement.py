"""Draws of operators that move elements, and of those that read and write at computed positions."""
import numpy as np

from draws import Case, Input, integers, rule, scalar

ANY = ("f32", "i64", "i32", "f64", "u8", "bool", "i8")


@rule("Reshape")
def reshape(d):
    shape = d.shape()
    count, target = int(np.prod(shape)), []
    while count > 1 and d.chance(0.8):
        factor = d.among(*[f for f in range(1, count + 1) if count % f == 0])
        target.append(factor)
        count //= factor
    if count != 1 or not target:
        target.append(count)
    allow = d.maybe(0, 1) if d.opset >= 14 else None
    if 0 not in target and not 0 in shape:
        if d.chance(0.4):
            target[d.between(0, len(target) - 1)] = -1
        for i in range(min(len(target), len(shape))):
            if not allow and target[i] == shape[i] and d.chance(0.3):
                target[i] = 0
    return Case(d, [d.tensor(shape, d.among(*ANY)), integers(*target)], {"allowzero": allow})


@rule("Flatten")
def flatten(d):
    shape = d.shape(1)
    return Case(d, [d.tensor(shape, d.among(*ANY))], {"axis": d.maybe(d.between(-len(shape) if d.opset >= 11 else 0, len(shape)))})


@rule("Transpose")
def transpose(d):
    shape = d.shape()
    return Case(d, [d.tensor(shape, d.among(*ANY))], {"perm": d.random.sample(range(len(shape)), len(shape)) if d.chance(0.8) else None})


@rule("Squeeze", "Unsqueeze")
def squeeze(d):
    shape = d.shape(0, 3)
    rank = len(shape)
    if d.op == "Unsqueeze":
        axes = d.axes(rank + 2, 2, 2) if d.chance(0.5) else d.axes(rank + 1, 1, 1)
    else:
        shape = [1 if d.chance(0.5) else s for s in shape]
        ones = [i for i, s in enumerate(shape) if s == 1]
        axes = d.random.sample(ones, d.between(1, len(ones))) if ones and d.chance(0.7) else None
        if axes:
            axes = [a - rank if d.chance(0.3) else a for a in axes]
    if axes and d.opset < 11:
        axes = [a % (rank + (len(axes) if d.op == "Unsqueeze" else 0)) for a in axes]
    x = d.tensor(shape, d.among(*ANY))
    if d.opset < 13:
        return Case(d, [x], {"axes": axes})
    return Case(d, [x, integers(*axes) if axes else None])


@rule("Concat")
def concat(d):
    shape, element = d.shape(1), d.among(*ANY)
    axis = d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1)
    inputs = []
    for _ in range(d.between(1, 4)):
        part = list(shape)
        part[axis] = d.between(0, 4)
        inputs.append(d.tensor(part, element))
    return Case(d, inputs, {"axis": axis})


@rule("Split")
def split(d):
    shape, parts = d.shape(1), d.between(1, 4)
    axis = d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1)
    sizes = [d.between(0, 3) for _ in range(parts)]
    even = d.chance(0.4)
    shape[axis] = parts * d.between(1, 3) if even else sum(sizes)
    uneven = even and d.opset >= 18 and d.chance(0.5)
    if uneven:
        shape[axis] += d.between(0, parts - 1)
    x, attributes = d.tensor(shape, d.among("f32", "i64", "i32", "f64")), {"axis": axis}
    if even and d.opset >= 18:
        attributes["num_outputs"] = parts
    if even or d.opset < 13:
        return Case(d, [x], attributes if even else {**attributes, "split": sizes}, parts)
    return Case(d, [x, integers(*sizes)], attributes, parts)


@rule("Slice")
def slice_(d):
    shape = d.shape(1)
    axes = d.axes(len(shape), 1)
    if d.opset < 10:
        axes = [a % len(shape) for a in axes]
    ends = [-(1 << 63), -9, -3, -2, -1, 0, 1, 2, 3, 5, 9, (1 << 63) - 1]
    starts, stops = [d.among(*ends[1:-1]) for _ in axes], [d.among(*ends) for _ in axes]
    x = d.tensor(shape, d.among(*ANY))
    if d.opset < 10:
        return Case(d, [x], {"starts": starts, "ends": stops, "axes": axes})
    if d.chance(0.3):
        axes = None if len(axes) == len(shape) else axes
    steps = [d.among(1, 1, 2, 3, -1, -2, 100, -100) for _ in starts] if d.chance(0.6) else None
    given = [integers(*v) if v is not None else None for v in (axes if axes is not None else None, steps)]
    backwards = steps and any(s < 0 and e == (1 << 63) - 1 for s, e in zip(steps, stops))
    return Case(d, [x, integers(*starts), integers(*stops), *given], explained="largest end backwards" if backwards else "")


@rule("Pad")
def pad(d):
    shape = [max(s, 1) for s in d.shape(1)]
    mode = d.maybe("constant", "reflect", "edge", *(["wrap"] if d.opset >= 19 else []))
    axes = d.axes(len(shape), 1) if d.opset >= 18 and d.chance(0.4) else None
    sizes = [shape[a] for a in axes] if axes else shape
    low = -1 if d.chance(0.3) else 0
    # A mode that reads the input again reads it once: what goes beyond is not said.
    limit = (lambda s: s - 1) if mode == "reflect" else (lambda s: s if mode == "wrap" else 3)
    pads = [min(d.between(low if s > 2 else 0, 3), max(limit(s), 0)) for s in sizes * 2]
    if mode in ("reflect", "wrap", "edge"):
        pads = [max(p, 0) for p in pads]
    element = d.among("f32", "f32", "i64", "i32", "f64")
    x = d.tensor(shape, element)
    if d.opset < 11:
        return Case(d, [d.tensor(shape)], {"pads": pads, "mode": mode, "value": d.maybe(1.5)})
    value = scalar(2, element) if mode in (None, "constant") and d.chance(0.5) else None
    return Case(d, [x, integers(*pads), value, integers(*axes) if axes else None], {"mode": mode})


@rule("Tile")
def tile(d):
    shape = d.shape()
    return Case(d, [d.tensor(shape, d.among(*ANY)), integers(*[d.between(0 if d.chance(0.1) else 1, 3) for _ in shape])])


@rule("Expand")
def expand(d):
    shape, target = d.pair()
    return Case(d, [d.tensor(shape, d.among(*ANY)), integers(*target)])


@rule("DepthToSpace", "SpaceToDepth")
def blocks(d):
    block, n, c, h, w = d.between(1, 3), d.between(1, 2), d.between(1, 3), d.between(1, 3), d.between(1, 3)
    if d.op == "DepthToSpace":
        mode = d.maybe("DCR", "CRD") if d.opset >= 11 else None
        return Case(d, [d.tensor([n, c * block * block, h, w])], {"blocksize": block, "mode": mode})
    return Case(d, [d.tensor([n, c, h * block, w * block])], {"blocksize": block})


@rule("ReverseSequence")
def reverse_sequence(d):
    shape = [d.between(1, 4), d.between(1, 4), *d.shape(0, 2)]
    time = d.maybe(0, 1)
    batch = None if time is None else 1 - time
    lengths = [d.between(1, shape[time or 0]) for _ in range(shape[1 if batch is None else batch])]
    return Case(d, [d.tensor(shape, d.among("f32", "i64")), np.array(lengths, np.int64)], {"time_axis": time, "batch_axis": batch})


@rule("Compress")
def compress(d):
    shape = [max(s, 1) for s in d.shape(1)]
    axis = d.maybe(d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1))
    size = int(np.prod(shape)) if axis is None else shape[axis]
    return Case(d, [d.tensor(shape, d.among("f32", "i64")), Input(d.tensor([d.between(1, size)], "bool"), True)], {"axis": axis})


@rule("NonZero")
def non_zero(d):
    return Case(d, [d.tensor([max(s, 1) for s in d.shape(1)], d.among("f32", "i64", "i32"), -1, 1)], {})


@rule("Unique")
def unique(d):
    shape = [max(s, 1) for s in d.shape(1)]
    x = d.tensor(shape, d.among("f32", "i64"), -1, 1)
    return Case(d, [x], {"axis": d.maybe(d.axis(len(shape))), "sorted": d.maybe(0, 1)}, 4)


@rule("NonMaxSuppression")
def non_max_suppression(d):
    batches, classes, count = d.between(1, 2), d.between(1, 3), d.between(1, 12)
    corners = d.tensor([batches, count, 4], "f32", 0, 4)
    boxes = np.concatenate([corners[..., :2], corners[..., :2] + np.abs(corners[..., 2:]) + np.float32(0.25)], axis=-1)
    scores = d.tensor([batches, classes, count], "f32", 0, 4)
    most = Input(np.array([d.between(0, count)], np.int64), d.chance(0.5))
    at = [np.array([value], np.float32) for value in (d.between(0, 4) / 4, d.between(0, 12) / 4)]
    return Case(d, [boxes, scores, most, *at], {})


def positions(d, shape, size):
    low = -size if d.opset >= 11 and d.chance(0.5) else 0
    return d.tensor(shape, d.among("i64", "i32"), low, size - 1)


def source(d, least=1):
    return [max(s, 1) for s in d.shape(least)]


@rule("Gather")
def gather(d):
    shape = source(d)
    axis = d.axis(len(shape))
    return Case(d, [d.tensor(shape, d.among(*ANY)), positions(d, d.shape(0, 3), shape[axis])], {"axis": axis})


@rule("GatherElements")
def gather_elements(d):
    shape = source(d)
    axis = d.axis(len(shape))
    at = [s if i == axis % len(shape) else d.between(1, s) for i, s in enumerate(shape)]
    at[axis] = d.between(1, 5)
    return Case(d, [d.tensor(shape, d.among(*ANY)), positions(d, at, shape[axis])], {"axis": axis})


def tuples(d, outer, shape):
    """[outer..., depth] positions into the leading dimensions of `shape`."""
    parts = [d.tensor(outer, "i64", -s if d.chance(0.3) else 0, s - 1) for s in shape]
    return np.stack(parts, -1).reshape([*outer, len(shape)])


@rule("GatherND")
def gather_nd(d):
    shape = source(d)
    batch = d.between(0, len(shape) - 1) if d.opset >= 12 and d.chance(0.5) else 0
    depth = d.between(1, len(shape) - batch)
    outer = shape[:batch] + d.shape(0 if not batch else 0, 2)
    at = tuples(d, outer, shape[batch:batch + depth])
    return Case(d, [d.tensor(shape, d.among(*ANY)), at], {"batch_dims": batch if batch else None})


def distinct(d, count, size):
    return np.array(d.random.sample(range(size), min(count, size)), np.int64)


def reduction(d):
    modes = ["add", "mul"] + (["max", "min"] if d.opset >= 18 else [])
    return d.maybe("none", *modes) if d.opset >= 16 else None


@rule("Scatter", "ScatterElements")
def scatter_elements(d):
    if d.op == "Scatter":
        d.opset = d.among(9, 10)
    shape = source(d)
    axis = d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1)
    count = d.between(1, shape[axis])
    at = [d.between(1, s) for s in shape]
    at[axis] = count
    mode = reduction(d)
    if mode in (None, "none"):  # the order of equal indices is not said
        rows = [distinct(d, count, shape[axis]) for _ in range(int(np.prod(at)) // count)]
        index = np.moveaxis(np.array(rows).reshape([*[s for i, s in enumerate(at) if i != axis % len(shape)], count]), -1, axis)
    else:
        index = positions(d, at, shape[axis])
    element = d.among("f32", "f32", "i64", "i32")
    return Case(d, [d.tensor(shape, element), index, d.tensor(at, element)], {"axis": axis, "reduction": mode})


@rule("ScatterND")
def scatter_nd(d):
    shape = source(d)
    depth, mode = d.between(1, len(shape)), reduction(d)
    if mode in (None, "none"):
        outer = int(np.prod(shape[:depth]))
        flat = distinct(d, d.between(1, 5), outer)
        at = np.stack(np.unravel_index(flat, shape[:depth]), -1).astype(np.int64)
    else:
        at = tuples(d, d.shape(1, 2), shape[:depth])
    element = d.among("f32", "f32", "i64", "i32")
    return Case(d, [d.tensor(shape, element), at, d.tensor([*at.shape[:-1], *shape[depth:]], element)], {"reduction": mode})


@rule("TensorScatter")
def tensor_scatter(d):
    """What it gives is computed here: onnxruntime has none of it."""
    shape = [d.between(1, 4) for _ in range(d.between(2, 5))]
    axis = d.between(1, len(shape) - 1)
    room = shape[axis] = d.between(1, 9)
    length = d.between(0 if d.chance(0.1) else 1, room)
    mode = d.maybe("linear", "circular")
    first = [d.between(-20, 40) if mode == "circular" else d.between(0, room - length) for _ in range(shape[0])]
    element = d.among("f32", "f32", "i64", "i32", "bool")
    cache, update = d.tensor(shape, element), d.tensor([*shape[:axis], length, *shape[axis + 1:]], element)
    places, has_first = np.array(first), d.chance(0.85)
    result = cache.copy()
    rows, stored = np.moveaxis(result, axis, 1), np.moveaxis(update, axis, 1)
    for row in range(length):
        at = ((places if has_first else 0 * places) + row) % room
        rows[np.arange(shape[0]), at] = stored[:, row]
    named = axis - len(shape) if d.chance(0.5) else axis
    attributes = {"mode": mode, "axis": None if named == -2 and d.chance(0.5) else named}
    return Case(d, [cache, update, places if has_first else None], attributes, results=[result])


@rule("TopK")
def top_k(d):
    shape = source(d)
    axis = d.axis(len(shape)) if d.opset >= 11 else d.between(0, len(shape) - 1)
    k = d.between(0 if d.opset >= 11 and d.chance(0.1) else 1, shape[axis])
    x = d.tensor(shape, d.among("f32", "f32", "i64", "f64") if d.opset >= 11 else "f32")
    if d.opset < 10:
        return Case(d, [x], {"axis": axis, "k": k}, 2)
    attributes = {"axis": axis}
    if d.opset >= 11:
        attributes.update(largest=d.maybe(0, 1), sorted=d.maybe(1))
    return Case(d, [x, integers(k)], attributes, 2)
