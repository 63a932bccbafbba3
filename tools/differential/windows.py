"""Draws of convolutions, pools, and the sampling of images."""
import numpy as np
from onnx.reference.ops.op_col2im import Col2Im

from draws import Case, Input, integers, rule
from reductions import byte, step, weight, zero_point


def spatial(d, rank, channels, most=6):
    return [d.between(1, 2), channels, *[d.between(1, most) for _ in range(rank)]]


def windows(d, size, kernel, dilated=True):
    """Attributes of windows of `kernel` over an input of `size` that leave at least one place."""
    rank = len(kernel)
    attributes = {"strides": [d.between(1, 3) for _ in kernel] if d.chance(0.6) else None}
    if dilated:
        attributes["dilations"] = [d.between(1, 2) for _ in kernel] if d.chance(0.4) else None
    dilations = attributes.get("dilations") or [1] * rank
    extents = [(k - 1) * v + 1 for k, v in zip(kernel, dilations)]
    auto = d.maybe("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET") if d.chance(0.4) else None
    fits = all(s >= e for s, e in zip(size, extents))
    if auto in ("SAME_UPPER", "SAME_LOWER") or auto == "VALID" and fits:
        attributes["auto_pad"] = auto
        return attributes
    low = [d.between(0, min(e - 1, 2)) for e in extents]
    high = [d.between(0, min(e - 1, 2)) for e in extents]
    for i in range(rank):
        if size[i] + low[i] + high[i] < extents[i]:
            return None
    if any(low + high) or d.chance(0.5):
        attributes["pads"] = low + high
    return attributes


def fitting(d, rank, channels, dilated=True):
    """An input, a kernel and attributes that fit."""
    while True:
        x, kernel = spatial(d, rank, channels), [d.between(1, 3) for _ in range(rank)]
        attributes = windows(d, x[2:], kernel, dilated)
        if attributes is not None:
            return x, kernel, attributes


def dropped(size, kernel, attributes):
    """Why onnxruntime may differ where windows of the same size begin further apart than they are long."""
    if not attributes.get("auto_pad", "").startswith("SAME"):
        return ""
    ones = [1] * len(kernel)
    sides = zip(size, kernel, attributes.get("strides") or ones, attributes.get("dilations") or ones)
    return "negative padding" if any((-(-s // t) - 1) * t + (k - 1) * v + 1 < s for s, k, t, v in sides) else ""


@rule("Conv", "ConvInteger", "QLinearConv")
def conv(d):
    groups, rank = d.among(1, 1, 2, 3), d.between(1, 3 if d.op == "Conv" else 2)
    c, o = groups * d.between(1, 2), groups * d.between(1, 2)
    shape, kernel, attributes = fitting(d, rank, c)
    attributes.update(group=groups if groups > 1 else None, kernel_shape=kernel if d.chance(0.5) else None)
    weights, why = [o, c // groups, *kernel], dropped(shape[2:], kernel, attributes)
    if d.op == "Conv":
        return Case(d, [d.tensor(shape), d.tensor(weights), d.tensor([o]) if d.chance(0.5) else None], attributes, explained=why)
    w = d.among("u8", "i8")
    x = d.among("u8", "i8") if w == "i8" else "u8"
    zx = zero_point(d, x) if d.op == "QLinearConv" or d.chance(0.5) else None
    zw = zero_point(d, w) if d.op == "QLinearConv" or zx is not None and d.chance(0.5) else None
    if d.op == "ConvInteger":
        return Case(d, [byte(d, shape, x), weight(d, weights, w), zx, zw], attributes, explained=why)
    scales = step(d, [o] if d.chance(0.4) else [])
    zw = np.zeros(scales.shape, zw.dtype) if scales.shape else zw
    bias = d.tensor([o], "i32", -100, 100) if d.chance(0.5) else None
    return Case(d, [byte(d, shape, x), step(d), zx, Input(weight(d, weights, w), True), Input(scales, True), Input(zw, True), np.float32(d.among(16.0, 64.0, 128.0)),
                    zero_point(d, x), bias], attributes, explained=why)


@rule("ConvTranspose")
def conv_transpose(d):
    groups, rank = d.among(1, 1, 2), d.between(1, 3)
    c, o = groups * d.between(1, 2), d.between(1, 2)
    shape, kernel = spatial(d, rank, c, 4), [d.between(1, 3) for _ in range(rank)]
    strides, dilations = [d.between(1, 3) for _ in kernel], [d.between(1, 2) for _ in kernel]
    extents = [(k - 1) * v + 1 for k, v in zip(kernel, dilations)]
    full = [(s - 1) * t + e for s, t, e in zip(shape[2:], strides, extents)]
    attributes = {"strides": strides, "dilations": dilations, "group": groups if groups > 1 else None,
                  "kernel_shape": kernel if d.chance(0.5) else None}
    form = d.among("pads", "auto", "shape", "plain")
    if form == "pads":
        attributes["pads"] = [d.between(0, min(2, (f - 1) // 2)) for f in full * 2]
    if form == "auto":
        attributes["auto_pad"] = d.among("SAME_UPPER", "SAME_LOWER", "VALID")
    if form == "shape":
        attributes["output_shape"] = [d.between(max(f - 2, 1), f) for f in full]
        attributes["auto_pad"] = d.maybe("SAME_UPPER", "SAME_LOWER")
    if form in ("pads", "plain") and d.chance(0.4):
        # As much as a step, which dilations allow, lets onnxruntime read what it did not write.
        attributes["output_padding"] = [d.between(0, t - 1) for t in strides]
    same = form == "auto" and attributes["auto_pad"] != "VALID" and any(e < t for e, t in zip(extents, strides))
    return Case(d, [d.tensor(shape), d.tensor([c, o, *kernel]), d.tensor([o * groups]) if d.chance(0.4) else None], attributes,
                explained="steps beyond the kernel" if same else "")


def nothing(results):
    return "maximum of padding alone" if (results[0] == np.finfo(np.float32).min).any() else ""


@rule("AveragePool", "MaxPool", "LpPool")
def pool(d):
    rank = d.between(1, 3)
    dilated = d.opset >= {"AveragePool": 19, "MaxPool": 10, "LpPool": 18}[d.op]
    shape, kernel, attributes = fitting(d, rank, d.between(1, 2), dilated)
    attributes["kernel_shape"] = kernel
    if d.opset >= (18 if d.op == "LpPool" else 10) and "auto_pad" not in attributes:
        attributes["ceil_mode"] = d.maybe(0, 1)
    x, outputs = d.tensor(shape), 1
    same = attributes.get("auto_pad", "").startswith("SAME") and set(attributes.get("dilations") or [1]) != {1}
    why = "same size with dilations" if same else dropped(shape[2:], kernel, attributes) or nothing
    if d.op == "AveragePool":
        attributes["count_include_pad"] = d.maybe(0, 1)
        pads = attributes.get("pads") or [0]
        if attributes["count_include_pad"] and (d.opset >= 19 and len(set(pads)) > 1 or d.opset < 19 and attributes.get("ceil_mode")):
            why = "padding that counts"
    if d.op == "LpPool":
        attributes["p"] = d.maybe(1, 2, 3)
    if d.op == "MaxPool":
        outputs = d.among(1, 1, 2)
        attributes["storage_order"] = d.maybe(0, 1) if outputs == 2 else None
    return Case(d, [x], attributes, outputs, why)


@rule("MaxUnpool")
def max_unpool(d):
    rank = d.between(1, 3)
    size, block = [d.between(1, 3) for _ in range(rank)], [d.between(1, 3) for _ in range(rank)]
    shape = [d.between(1, 2), d.between(1, 2), *size]
    whole = [*shape[:2], *[s * b for s, b in zip(size, block)]]
    count = int(np.prod(shape))
    at = np.array(d.random.sample(range(int(np.prod(whole))), count), np.int64).reshape(shape)
    return Case(d, [d.tensor(shape), at], {"kernel_shape": block, "strides": block})


@rule("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(d):
    return Case(d, [d.tensor(spatial(d, d.between(1, 3), d.between(1, 3)))], {"p": d.maybe(1, 2, 3)} if d.op == "GlobalLpPool" else {})


def sampled(shape, axes, attributes, scales, roi):
    """Why onnxruntime may differ in a resize."""
    crops = attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize"
    if any(a < 0 for a in attributes.get("axes") or []):
        return "negative axes of a resize"
    if crops and any(s == 1 and roi.value[[i, i + len(axes)]].tolist() != [0, 1] for i, s in enumerate(scales)):
        return "cropping at scale 1"
    if any(s * shape[a] % 1 for a, s in zip(axes, scales)):
        return "length before rounding"
    exact = all(s * 64 % 1 == 0 for s in scales)
    return "" if exact or attributes["mode"] in ("linear", "cubic") else "places in between"


@rule("Resize")
def resize(d):
    shape = spatial(d, d.between(1, 3), d.between(1, 2), 5)
    rank, mode = len(shape), d.maybe("nearest", "linear", "cubic")
    if mode == "cubic":
        shape = spatial(d, 2, d.between(1, 2), 5)
        rank = 4
    x = d.tensor(shape)
    if d.opset < 11:
        mode = "nearest" if mode == "cubic" else mode
        scales = [1.0, 1.0, *[d.among(0.5, 1.0, 2.0, 1.5, 0.75) for _ in shape[2:]]]
        return Case(d, [x, Input(np.array(scales, np.float32), True)], {"mode": mode})
    modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"]
    modes += ["half_pixel_symmetric"] if d.opset >= 19 else ["tf_half_pixel_for_nn"] if d.opset < 13 else []
    coordinates = d.maybe(*modes)
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode in (None, "nearest"):
        attributes["nearest_mode"] = d.maybe("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    if mode == "cubic":
        attributes["cubic_coeff_a"] = d.maybe(-0.5, -0.75)
        attributes["exclude_outside"] = d.maybe(0, 1)
    axes = list(range(rank))
    if d.opset >= 18 and d.chance(0.5):
        axes = d.random.sample(range(2, rank), rank - 2)
        attributes["axes"] = [a - rank if d.chance(0.3) else a for a in axes]
    if d.opset >= 18 and mode in ("linear", "cubic") and coordinates != "tf_crop_and_resize":
        attributes["antialias"] = d.maybe(0, 1)
    roi = None
    if coordinates == "tf_crop_and_resize":
        starts = [d.among(0.0, 0.25, -0.25) if a > 1 else 0.0 for a in axes]
        ends = [d.among(1.0, 0.75, 1.25) if a > 1 else 1.0 for a in axes]
        roi = Input(np.array(starts + ends, np.float32), True)
        attributes["extrapolation_value"] = d.maybe(-1.0, 10.0)
    if d.opset < 13 and roi is None:
        roi = Input(np.zeros([0], np.float32), True)
    if d.chance(0.5):
        scales = [d.among(0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 0.6) if a > 1 else 1.0 for a in axes]
        why = sampled(shape, axes, attributes, np.array(scales, np.float32).tolist(), roi)
        return Case(d, [x, roi, Input(np.array(scales, np.float32), True)], attributes, explained=why)
    sizes = [d.between(1, 8) if a > 1 else shape[a] for a in axes]
    policies = ("stretch", "not_larger", "not_smaller")
    attributes["keep_aspect_ratio_policy"] = d.maybe(*policies) if d.opset >= 18 and "axes" in attributes else None
    empty = Input(np.zeros([0], np.float32), True) if d.opset < 13 else None
    why = sampled(shape, axes, attributes, [s / shape[a] for a, s in zip(axes, sizes)], roi)
    return Case(d, [x, roi, empty, integers(*sizes)], attributes, explained=why)


@rule("Upsample")
def upsample(d):
    d.opset = d.among(7, 9)
    scales = [1.0, 1.0, float(d.between(1, 3)), float(d.between(1, 3))]
    x, mode = d.tensor(spatial(d, 2, d.between(1, 2), 4)), d.maybe("nearest", "linear")
    if d.opset == 7:
        return Case(d, [x], {"scales": scales, "mode": mode})
    return Case(d, [x, Input(np.array(scales, np.float32), True)], {"mode": mode})


@rule("GridSample")
def grid_sample(d):
    shape = spatial(d, 2, d.between(1, 2), 4)
    grid = [shape[0], d.between(1, 4), d.between(1, 4), 2]
    modes = ("bilinear", "nearest", "bicubic") if d.opset < 20 else ("linear", "nearest", "cubic")
    # Off the halves, where nearest neighbours tie.
    at = np.array([d.between(-20, 20) / 16 + 0.013 for _ in range(int(np.prod(grid)))], np.float32).reshape(grid)
    return Case(d, [d.tensor(shape), at], {"mode": d.maybe(*modes), "padding_mode": d.maybe("zeros", "border", "reflection"), "align_corners": d.maybe(0, 1)})


@rule("RoiAlign", "MaxRoiPool")
def regions(d):
    aligned = d.op == "RoiAlign"
    d.opset = d.among(10, 16) if aligned else 7
    shape, count, scale = spatial(d, 2, d.between(1, 2), 7), d.between(1, 3), d.maybe(0.5, 0.25, 1.5)
    boxes = []
    for _ in range(count):
        x, y, w, h = (d.between(-24, 120) / 8 + 0.03 for _ in range(4))
        boxes.append([x, y, x + w * (1 if aligned else 0.5), y + h])
    boxes, images = np.array(boxes, np.float32), np.array([d.between(0, shape[0] - 1) for _ in range(count)])
    size = [d.between(1, 4), d.between(1, 4)]
    if not aligned:
        return Case(d, [d.tensor(shape), np.concatenate([images[:, None].astype(np.float32), boxes], 1)], {"pooled_shape": size, "spatial_scale": scale})
    ratio = d.maybe(0, 1, 2, 3)
    return Case(d, [d.tensor(shape), Input(boxes, not ratio), images],
                {"output_height": size[0], "output_width": size[1], "sampling_ratio": ratio, "spatial_scale": scale, "mode": d.maybe("avg", "max"),
                 "coordinate_transformation_mode": d.maybe("half_pixel", "output_half_pixel") if d.opset >= 16 else None})


@rule("AffineGrid")
def affine_grid(d):
    rank, corners = d.between(2, 3), d.maybe(0, 1)
    size = [d.between(1, 2), d.between(1, 2), *[d.between(2 if corners else 1, 5) for _ in range(rank)]]
    return Case(d, [d.tensor([size[0], rank, rank + 1]), Input(np.array(size), True)], {"align_corners": corners})


def unpadded(d, rank, channels):
    """An input, a kernel and attributes that fit, without auto_pad, and how many windows there are."""
    while True:
        x, kernel, attributes = fitting(d, rank, channels)
        if "auto_pad" not in attributes:
            break
    ones = [1] * rank
    strides, dilations, pads = (attributes.get(name) or [*default] for name, default in (("strides", ones), ("dilations", ones), ("pads", [0] * 2 * rank)))
    counts = [(s + pads[i] + pads[i + rank] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i, s in enumerate(x[2:])]
    return x, kernel, attributes, counts, (strides, dilations, pads)


@rule("Col2Im")
def col2im(d):
    """Of volumes ONNX's reference says what it gives: onnxruntime reads beyond the columns."""
    x, kernel, attributes, counts, (strides, dilations, pads) = unpadded(d, d.between(2, 3), d.between(1, 3))
    columns, image, block = d.tensor([x[0], x[1] * int(np.prod(kernel)), int(np.prod(counts))]), np.array(x[2:]), np.array(kernel)
    results = [Col2Im.eval(columns, image, block, dilations=dilations, pads=pads, strides=strides)] if len(kernel) == 3 else None
    return Case(d, [columns, Input(image, True), Input(block, True)], attributes, results=results)


def interpolated(image, y, x):
    """Pixels [H, W] between four neighbours, 0 outside."""
    total = np.zeros(y.shape)
    for down in (0, 1):
        for right in (0, 1):
            row, column = np.floor(y).astype(int) + down, np.floor(x).astype(int) + right
            inside = (row >= 0) & (row < image.shape[0]) & (column >= 0) & (column < image.shape[1])
            total += np.where(inside, image[np.where(inside, row, 0), np.where(inside, column, 0)] * (1 - abs(y - row)) * (1 - abs(x - column)), 0)
    return total


@rule("DeformConv")
def deform_conv(d):
    """What it gives is computed here: onnxruntime has none of it on CPUs."""
    groups, moved, outputs = d.among(1, 1, 2, 3), d.among(1, 1, 2), d.between(1, 2)
    shape, kernel, attributes, counts, (strides, dilations, pads) = unpadded(d, 2, groups * moved)
    points = kernel[0] * kernel[1]
    image, bias = d.tensor(shape), d.tensor([outputs * groups]) if d.chance(0.5) else None
    weights = d.tensor([outputs * groups, moved, *kernel])
    offsets = d.tensor([shape[0], moved * points * 2, *counts])
    mask = d.tensor([shape[0], moved * points, *counts]) if d.chance(0.5) else None
    result = np.zeros([shape[0], outputs * groups, *counts]) + (0 if bias is None else bias[:, None, None])
    rows, columns = np.arange(counts[0])[:, None] * strides[0] - pads[0], np.arange(counts[1])[None, :] * strides[1] - pads[1]
    for batch, channel, point in np.ndindex(shape[0], shape[1], points):
        at = channel // groups * points + point  # groups channels move together
        y = rows + point // kernel[1] * dilations[0] + offsets[batch, 2 * at]
        x = columns + point % kernel[1] * dilations[1] + offsets[batch, 2 * at + 1]
        value = interpolated(image[batch, channel], y, x) * (1 if mask is None else mask[batch, at])
        group = channel // moved
        for output in range(group * outputs, (group + 1) * outputs):
            result[batch, output] += weights[output, channel % moved, point // kernel[1], point % kernel[1]] * value
    attributes.update(group=groups if groups > 1 else None, offset_group=moved if moved > 1 else None, kernel_shape=kernel if d.chance(0.5) else None)
    return Case(d, [image, weights, offsets, bias, mask], attributes, results=[result.astype(np.float32)])
