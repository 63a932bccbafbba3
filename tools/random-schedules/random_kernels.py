"""Kernels of the classes of bench/kernels at random: other extents, element types, layouts and windows.

draw_kernel(draw) gives a file's text; all choices come from the `random.Random` that it is given.
"""
import math

import element_types

SMALL = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 23, 31, 32, 33]
LARGE = [47, 48, 49, 61, 63, 64, 65, 67, 96, 97, 127, 128, 129, 191, 255, 256, 257, 333, 511, 512, 513, 769, 1021, 1024, 1025,
         1536, 2049, 4099]
# Stored, summed in.
FLOATS = [("f32", "f32")] * 4 + [("f64", "f64"), ("bf16", "f32"), ("f16", "f32")]
INTEGERS = [(element, element_types.scalar(element)) for element in element_types.INTEGERS]
SIGNED = [(element, own) for element, own in INTEGERS if element == own]
# Minus infinity, or the least integer.
LOWEST = {element: element_types.SPECIAL_BITS[element][1] for element in ("f32", "f64", "bf16", "f16")} | {
    element: str(element_types.lowest(element)) for element in element_types.INTEGERS}


class Kernel:
    """The text of a kernel under construction: axes, operands, the lines of its body."""

    def __init__(self, draw, what, **axes):
        self.draw, self.what, self.axes = draw, what, axes
        self.arguments, self.lines, self.stores, self.types = [], [], [], []

    def value(self, line):
        """Adds an op with one result."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {line}")
        return name

    def load(self, shape, index, element, otherwise=None, widen=True):
        """Loads from an operand of its own; the value is in the type that sums have."""
        number = len(self.arguments)
        kind = "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"
        self.arguments.append(kind)
        border = f" else {otherwise}" if otherwise is not None else ""
        value = self.value(f"tkernel.load %a{number}[{', '.join(index)}]{border} : {kind}")
        if widen and element in element_types.NARROW_FLOATS:
            value = self.value(f"arith.extf {value} : {element} to f32")
        return value

    def at(self, axes):
        """Shape and index of a tensor with these axes as dimensions."""
        return [self.axes[axis] for axis in axes], [f"%{axis}" for axis in axes]

    def constant(self, number, element):
        return self.value(f"arith.constant {number} : {element}")

    def store(self, value, shape, index, element, own):
        scalar = element_types.scalar(element)
        if scalar != own:
            value = self.value(f"arith.truncf {value} : {own} to {element}")
        self.lines.append(f"tkernel.store {value}, {len(self.types)}[{', '.join(index)}] : {scalar}")
        self.types.append("tensor<" + "".join(f"{size}x" for size in shape) + element + ">")

    def finish(self, value, own):
        """Something between a reduction and its result."""
        if own not in ("f32", "f64"):
            return value
        kind = self.draw.randrange(6)
        if kind == 0:
            return self.value(f"arith.maximumf {value}, {self.constant('0.0', own)} : {own}")
        if kind == 1:
            return self.value(f"arith.mulf {value}, {self.constant('0.25', own)} : {own}")
        if kind == 2:
            return self.value(f"math.tanh {value} : {own}")
        return value

    def text(self):
        arguments = ", ".join(f"%x{i}: {kind}" for i, kind in enumerate(self.arguments))
        reads = ", ".join(f"%a{i} = %x{i} : {kind}" for i, kind in enumerate(self.arguments))
        axes = ", ".join(f"%{axis} : {extent}" for axis, extent in self.axes.items())
        body = "\n".join("    " + line for line in self.lines)
        results = [f"%y#{i}" for i in range(len(self.types))]
        types = ", ".join(self.types)
        given = f"({types})" if len(self.types) > 1 else types
        return (f"// {self.what}\nfunc.func @main({arguments}) -> ({types}) {{\n"
                f"  %y:{len(results)} = tkernel.kernel @k ({axes}) reads({reads}) -> {given} {{\n{body}\n  }}\n"
                f"  return {', '.join(results)} : {types}\n}}\n")


def extent(draw, most=4099):
    return draw.choice([size for size in (LARGE if most >= 64 and draw.random() < 0.4 else SMALL) if size <= most])


def shuffled(draw, axes, chance=0.3):
    axes = list(axes)
    if draw.random() < chance:
        draw.shuffle(axes)
    return axes


def product(draw):
    """Matrices, vectors and batches of them, stored in any order, of any type that has products."""
    batch = {"b": extent(draw, 33)} if draw.random() < 0.3 else {}
    sizes = [extent(draw) for _ in "mnk"]
    if draw.random() < 0.15:
        sizes[draw.randrange(2)] = 1
    two = draw.random() < 0.1
    kernel = Kernel(draw, "a product", **batch, **dict(zip("mnk", sizes)), **({"l": extent(draw, 17)} if two else {}))
    own, over = list(batch), ["k"] + ["l"] * two
    kind = draw.choice(["f32", "f32", "f32", "f64", "bf16", "f16", "i8", "u8", "i16", "i32", "i64"])
    element = {"u8": "ui8"}.get(kind, kind)
    lhs = kernel.load(*kernel.at(shuffled(draw, own + ["m"] + over)), element, widen=False)
    shared = draw.random() < 0.3
    rhs = kernel.load(*kernel.at(shuffled(draw, ([] if shared else own) + over + ["n"])),
                      "i8" if kind == "u8" else element, widen=False)
    total = {"bf16": "f32", "f16": "f32", "i8": "i32", "u8": "i32"}.get(kind, kind)
    inner = "i8" if kind == "u8" else element
    types = total if total == kind else f"{inner}, {inner} -> {total}"
    sum = kernel.value(f"tkernel.contract {lhs}, {rhs} over ({', '.join('%' + axis for axis in over)})"
                       f"{' lhs_unsigned' if kind == 'u8' else ''} : {types}")
    if total in ("f32", "f64") and draw.random() < 0.3:
        sum = kernel.value(f"arith.addf {sum}, {kernel.load(*kernel.at(draw.choice('mn')), total)} : {total}")
    result = kind if kind in ("bf16", "f16") and draw.random() < 0.6 else total
    kernel.store(kernel.finish(sum, total), *kernel.at(shuffled(draw, own + ["m", "n"], 0.15)), result, total)
    return kernel


def windows(draw, channels_last):
    """Convolutions, depthwise ones and pooling of one to three dimensions."""
    rank = draw.choice([1, 2, 2, 2, 2, 3])
    kind = draw.choice(["conv", "conv", "depthwise", "max", "sum"])
    element, own = draw.choice(FLOATS + [("i8", "i32")] * (kind == "conv"))
    most = [1025, 65, 17][rank - 1]
    outer, inner, axes, places, input = [], [], {}, [], []
    for i in range(rank):
        size, window = extent(draw, most), draw.choice([1, 2, 3, 3, 3, 4, 5, 7])
        stride, dilation = draw.choice([1, 1, 1, 2, 2, 3, 5]), draw.choice([1, 1, 1, 2, 3])
        reach = (window - 1) * dilation
        low, high = draw.randint(0, reach // 2 + draw.randint(0, 1)), draw.randint(0, reach // 2)
        size = max(size, reach + 1 - low - high, 1)
        outer.append(f"p{i}")
        inner.append(f"r{i}")
        axes[f"p{i}"], axes[f"r{i}"] = (size + low + high - reach - 1) // stride + 1, window
        strided = f"{stride} * %p{i}" if stride > 1 else f"%p{i}"
        places.append(f"{strided} + {f'{dilation} * ' if dilation > 1 else ''}%r{i}" + (f" - {low}" if low else ""))
        input.append(size)
    n, c, f = extent(draw, 5), extent(draw, 129), extent(draw, 129)
    order = [("n", n)] + [("f", f)] * (kind == "conv") + [("c", c)] * (kind != "conv")
    order += [(axis, axes[axis]) for axis in outer] + [("c", c)] * (kind == "conv") + [(axis, axes[axis]) for axis in inner]
    kernel = Kernel(draw, f"{kind}{', channels last' if channels_last else ''}", **dict(order))
    at = lambda channel, rest: ["%n"] + rest + [channel] if channels_last else ["%n", channel] + rest
    of = lambda count, rest: [n] + rest + [count] if channels_last else [n, count] + rest
    zero = "0" if element == "i8" else "0.0"
    border = LOWEST[element] if kind == "max" else zero
    value = kernel.load(of(c, input), at("%c", places), element, border, widen=kind != "conv")
    over = ", ".join("%" + axis for axis in (["c"] if kind == "conv" else []) + inner)
    if kind in ("max", "sum"):
        sum = kernel.value(f"tkernel.reduce {'maximumf' if kind == 'max' else 'addf'} {value} over ({over}) : {own}")
    else:
        weights = (inner + ["c", "f"] if draw.random() < 0.4 else ["f", "c"] + inner) if kind == "conv" else ["c"] + inner
        weight = kernel.load(*kernel.at(weights), element, widen=kind != "conv")
        types = own if element == own or kind != "conv" else f"{element}, {element} -> {own}"
        sum = kernel.value(f"tkernel.contract {value}, {weight} over ({over}) : {types}")
    channel = "f" if kind == "conv" else "c"
    if own != "i32" and draw.random() < 0.3:
        sum = kernel.value(f"arith.addf {sum}, {kernel.load(*kernel.at(channel), own)} : {own}")
    sizes = [axes[axis] for axis in outer]
    kernel.store(kernel.finish(sum, own), of(kernel.axes[channel], sizes), at("%" + channel, ["%" + axis for axis in outer]),
                 own if own == "i32" else element, own)
    return kernel


def some_axes(draw, most):
    names = "ijkl"[:draw.choice([1, 2, 2, 3, 3, 4])]
    axes = {axis: extent(draw) for axis in names}
    while math.prod(axes.values()) > most:
        axis = max(axes, key=axes.get)
        axes[axis] = extent(draw, max(1, axes[axis] // 2))
    return axes


def reduction(draw):
    """One or two reductions over any axes of a tensor."""
    axes = some_axes(draw, 1 << 20)
    kernel = Kernel(draw, "a reduction", **axes)
    over = [axis for axis in axes if draw.random() < 0.5] or [draw.choice(list(axes))]
    kept = [axis for axis in axes if axis not in over]
    element, own = draw.choice(FLOATS + INTEGERS)
    value = kernel.load(*kernel.at(shuffled(draw, axes)), element)
    kind = draw.choice(["addf", "maximumf", "minimumf"] if "f" in own else ["addi", "maxs", "mins"] if element == own else
                       ["addi", "maxu", "minu"])
    if "f" in own and draw.random() < 0.3:
        value = kernel.value(f"arith.mulf {value}, {value} : {own}")
    sum = kernel.value(f"tkernel.reduce {kind} {value} over ({', '.join('%' + axis for axis in over)}) : {own}")
    if "f" in own and draw.random() < 0.2:
        least = kernel.value(f"tkernel.reduce minimumf {value} over ({', '.join('%' + axis for axis in over)}) : {own}")
        sum = kernel.value(f"arith.subf {sum}, {least} : {own}")
    kernel.store(kernel.finish(sum, own), *kernel.at(shuffled(draw, kept)), element, own)
    return kernel


def position(draw):
    """Where the largest element stands."""
    axes = some_axes(draw, 1 << 19)
    kernel = Kernel(draw, "argmax", **axes)
    over = draw.choice(list(axes))
    element, _ = draw.choice([("f32", "f32")] * 2 + [("f64", "f64")] + SIGNED)
    value = kernel.load(*kernel.at(shuffled(draw, axes)), element)
    place = kernel.value(f"arith.index_cast %{over} : index to i64")
    compare = (lambda how, a, b: f"arith.cmpf o{how}, {a}, {b} : {element}") if "f" in element else (
        lambda how, a, b: f"arith.cmpi {'s' if how == 'gt' else ''}{how}, {a}, {b} : {element}")
    kernel.lines.append("\n      ".join([
        f"%m:2 = tkernel.reduce {value}, {place} over (%{over}) identities "
        f"[{LOWEST[element]} : {element}, 9223372036854775807 : i64] : {element}, i64 {{",
        f"^bb0(%a: {element}, %b: i64, %c: {element}, %d: i64):",
        f"%more = {compare('gt', '%c', '%a')}", f"%same = {compare('eq', '%c', '%a')}",
        "%before = arith.cmpi slt, %d, %b : i64", "%first = arith.andi %same, %before : i1",
        "%take = arith.ori %more, %first : i1", f"%r0 = arith.select %take, %c, %a : {element}",
        "%r1 = arith.select %take, %d, %b : i64", f"tkernel.yield %r0, %r1 : {element}, i64 }}"]))
    kernel.store("%m#1", *kernel.at([axis for axis in axes if axis != over]), "i64", "i64")
    return kernel


def rows(draw):
    """Softmax and norms, along any axes."""
    axes = some_axes(draw, 1 << 19)
    kernel = Kernel(draw, "softmax or a norm", **axes)
    over = list(axes)[-2:]
    # One by one, longer sums in f32 are too far from those of the interpreter.
    if math.prod(axes[axis] for axis in over) > 8192 or draw.random() < 0.8:
        over = [draw.choice(list(axes))]
    along = f"over ({', '.join('%' + axis for axis in over)})"
    element, own = draw.choice(FLOATS)
    value = kernel.load(*kernel.at(shuffled(draw, axes, 0.15)), element)
    if draw.random() < 0.5:
        most = kernel.value(f"tkernel.reduce maximumf {value} {along} : {own}")
        power = kernel.value(f"math.exp {kernel.value(f'arith.subf {value}, {most} : {own}')} : {own}")
        sum = kernel.value(f"tkernel.reduce addf {power} {along} : {own}")
        result = kernel.value(f"arith.divf {power}, {sum} : {own}")
    else:
        count = kernel.constant(f"{math.prod(axes[axis] for axis in over)}.0", own)
        if draw.random() < 0.5:
            sum = kernel.value(f"tkernel.reduce addf {value} {along} : {own}")
            value = kernel.value(f"arith.subf {value}, {kernel.value(f'arith.divf {sum}, {count} : {own}')} : {own}")
        squares = kernel.value(f"tkernel.reduce addf {kernel.value(f'arith.mulf {value}, {value} : {own}')} {along} : {own}")
        variance = kernel.value(f"arith.divf {squares}, {count} : {own}")
        above = kernel.value(f"arith.addf {variance}, {kernel.constant('1.0e-03', own)} : {own}")
        result = kernel.value(f"arith.mulf {value}, {kernel.value(f'math.rsqrt {above} : {own}')} : {own}")
        if draw.random() < 0.6:
            result = kernel.value(f"arith.mulf {result}, {kernel.load(*kernel.at(over), own)} : {own}")
    kernel.store(result, *kernel.at(axes), element, own)
    return kernel


def elementwise(draw):
    """Sums of tensors that are transposed, repeated, padded, cut, reversed or strided."""
    axes = some_axes(draw, 1 << 20)
    kernel = Kernel(draw, "elementwise", **axes)
    element, own = draw.choice(FLOATS + INTEGERS)
    zero = "0.0" if "f" in own else "0"
    result = None
    for _ in range(draw.choice([1, 1, 2, 3])):
        shape, index, border = [], [], None
        for axis in shuffled(draw, axes, 0.6):
            size = axes[axis]
            kind = draw.randrange(12)
            if kind == 0:  # repeated
                continue
            if kind == 1:  # padded
                low, high = draw.randint(0, 3), draw.randint(0, 3)
                shape.append(max(1, size - low - high))
                index.append(f"%{axis} - {low}" if low else f"%{axis}")
                border = zero
            elif kind == 2:  # cut, strided
                stride, offset = draw.choice([1, 2, 3, 7]), draw.randint(0, 5)
                shape.append((size - 1) * stride + offset + 1 + draw.randint(0, 3))
                index.append((f"{stride} * %{axis}" if stride > 1 else f"%{axis}") + (f" + {offset}" if offset else ""))
            elif kind == 3:  # reversed
                shape.append(size)
                index.append(f"{size - 1} - %{axis}")
            else:
                shape.append(size)
                index.append(f"%{axis}")
        if math.prod(shape) > 1 << 22:
            continue
        value = kernel.load(shape, index, element, border)
        op = "addf" if "f" in own else "addi"
        result = value if result is None else kernel.value(f"arith.{op} {result}, {value} : {own}")
    if result is None:
        return elementwise(draw)
    kernel.store(kernel.finish(result, own), *kernel.at(axes), element, own)
    return kernel


def running(draw):
    axes = some_axes(draw, 1 << 19)
    kernel = Kernel(draw, "a scan", **axes)
    element, own = draw.choice(FLOATS + INTEGERS)
    value = kernel.load(*kernel.at(axes), element)
    how = draw.choice(["", "", " exclusive", " reverse", " exclusive reverse"])
    kind = draw.choice(["addf", "addf", "maximumf"] if "f" in own else ["addi", "maxs" if element == own else "maxu"])
    sum = kernel.value(f"tkernel.scan {kind} {value} over %{draw.choice(list(axes))}{how} : {own}")
    kernel.store(sum, *kernel.at(axes), element, own)
    return kernel


def rows_of_table(draw):
    kernel = Kernel(draw, "gather", i=extent(draw), j=extent(draw))
    element = draw.choice(["f32", "f64", "bf16"] + element_types.INTEGERS)
    number = kernel.load(*kernel.at("i"), draw.choice(["i64", "i32"]))
    kind = kernel.arguments[0].split("x")[1][:-1]
    place = kernel.value(f"arith.index_cast {number} : {kind} to index")
    table = extent(draw) + 2
    last = draw.random() < 0.3
    value = kernel.load([kernel.axes["j"], table] if last else [table, kernel.axes["j"]],
                        ["%j", place] if last else [place, "%j"], element, widen=False)
    kernel.store(value, *kernel.at("ij"), element, element_types.scalar(element))
    return kernel


def attention(draw):
    """Softmax of one product times another, all keys or those up to the query's place, heads in groups."""
    i, j = extent(draw, 1025), extent(draw, 1025)
    if draw.random() < 0.2:
        i = draw.choice([1, 2, 3])
    groups = draw.choice([1, 1, 2, 3, 4])
    grouped = {"g": groups} if groups > 1 else {}
    kernel = Kernel(draw, "attention", b=extent(draw, 3), h=extent(draw, 5), **grouped, i=i, j=j,
                    d=extent(draw, 97), e=extent(draw, 97))
    axes, head = kernel.axes, (f"{groups} * %h + %g" if grouped else "%h")
    element, own = draw.choice(FLOATS)
    last = draw.random() < 0.3  # [b, i, h, d] instead of [b, h, i, d]

    def place(heads, at_head, row, column):
        shape, index = [heads, axes[row]], [at_head, f"%{row}"]
        if last:
            shape, index = shape[::-1], index[::-1]
        return [axes["b"]] + shape + [axes[column]], ["%b"] + index + [f"%{column}"]

    query = kernel.load(*place(axes["h"] * groups, head, "i", "d"), element)
    key = kernel.load(*place(axes["h"], "%h", "j", "d"), element)
    scores = kernel.value(f"tkernel.contract {query}, {key} over (%d) : {own}")
    scores = kernel.value(f"arith.mulf {scores}, {kernel.constant('0.125', own)} : {own}")
    mask = draw.randrange(4)
    if mask == 0:
        scores = kernel.value(f"arith.addf {scores}, {kernel.load(*kernel.at('ij'), own)} : {own}")
    elif mask < 3 and j >= i:
        end = kernel.value(f"affine.apply affine_map<(d0) -> (d0 + {j - i})>(%i)") if j > i else "%i"
        seen = kernel.value(f"arith.cmpi sge, {end}, %j : index")
        scores = kernel.value(f"arith.select {seen}, {scores}, {kernel.constant(LOWEST[own], own)} : {own}")
    most = kernel.value(f"tkernel.reduce maximumf {scores} over (%j) : {own}")
    power = kernel.value(f"math.exp {kernel.value(f'arith.subf {scores}, {most} : {own}')} : {own}")
    sum = kernel.value(f"tkernel.reduce addf {power} over (%j) : {own}")
    value = kernel.load(*place(axes["h"], "%h", "j", "e"), element)
    result = kernel.value(f"tkernel.contract {power}, {value} over (%j) : {own}")
    result = kernel.value(f"arith.divf {result}, {sum} : {own}")
    kernel.store(result, *place(axes["h"] * groups, head, "i", "e"), element, own)
    return kernel


def roots(draw):
    """Two to four contractions, reductions, scans and stores that share some axes."""
    axes = {axis: extent(draw, 513) for axis in "ijk"[:draw.choice([2, 3, 3])]}
    while math.prod(axes.values()) > 1 << 20:
        axis = max(axes, key=axes.get)
        axes[axis] = extent(draw, max(1, axes[axis] // 2))
    kernel = Kernel(draw, "several roots", **axes)
    values = []  # with the axes along which they vary
    for _ in range(draw.choice([2, 2, 3, 4])):
        kind = draw.choice(["contract", "rest", "reduce", "reduce", "scan", "map"])
        if not values or draw.random() < 0.4:
            own = [axis for axis in axes if draw.random() < 0.7] or [draw.choice(list(axes))]
            values.append((kernel.load(*kernel.at(shuffled(draw, own)), "f32"), own))
        value, own = draw.choice(values)
        if kind in ("contract", "rest") and own:
            over = draw.choice(own)
            other = [axis for axis in axes if axis == over or draw.random() < 0.5]
            rhs = kernel.load(*kernel.at(shuffled(draw, other)), "f32")
            result = kernel.value(f"tkernel.contract {value}, {rhs} over (%{over}) : f32")
            both = [axis for axis in axes if axis in own or axis in other]
            own = [axis for axis in both if axis != over]
            if kind == "rest":  # what is summed over, less the sum
                result, own = kernel.value(f"arith.subf {value}, {result} : f32"), both
        elif kind == "reduce" and own:
            over = draw.choice(own)
            result = kernel.value(f"tkernel.reduce {draw.choice(['addf', 'addf', 'maximumf'])} {value} over (%{over}) : f32")
            own = [axis for axis in own if axis != over]
        elif kind == "scan" and own:
            result = kernel.value(f"tkernel.scan {draw.choice(['addf', 'maximumf'])} {value} over %{draw.choice(own)} : f32")
        else:
            result = kernel.value(f"math.tanh {value} : f32")
            if len(values) > 1 and draw.random() < 0.5:
                other, axes_of = draw.choice(values)
                result = kernel.value(f"arith.subf {result}, {other} : f32")
                own = [axis for axis in axes if axis in own or axis in axes_of]
        values.append((result, own))
    # Several stores, over other axes perhaps; some values only lead to others.
    for value, own in values[-draw.choice([1, 2, 2]):]:
        kernel.store(value, *kernel.at(shuffled(draw, own, 0.15)), "f32", "f32")
    return kernel


def sequences(draw):
    """Sums in sequence: a reduction of rows, products of what is computed of it, a softmax or squares of those, another
    product; with results of several of them."""
    small = [size for size in SMALL if size < 18]
    kernel = Kernel(draw, "sums in sequence", **{axis: draw.choice(small) for axis in shuffled(draw, "ijde", 0.5)})
    shown = []

    def load(axes):
        return kernel.load(*kernel.at(shuffled(draw, axes)), "f32")

    def of_rows(value, axes, over):
        """Over the root of squares, less the mean or the maximum, or a share."""
        kind = draw.randrange(5)
        if kind == 0:
            return value
        term = kernel.value(f"arith.mulf {value}, {value} : f32") if kind == 1 else value
        sum = kernel.value(f"tkernel.reduce {'maximumf' if kind == 2 else 'addf'} {term} over (%{over}) : f32")
        shown.append((sum, [axis for axis in axes if axis != over]))
        if kind == 1:
            more = kernel.value(f"arith.addf {sum}, {kernel.constant('1.0', 'f32')} : f32")
            result = kernel.value(f"arith.mulf {value}, {kernel.value(f'math.rsqrt {more} : f32')} : f32")
        elif kind == 2:
            result = kernel.value(f"math.exp {kernel.value(f'arith.subf {value}, {sum} : f32')} : f32")
        else:
            mean = kernel.value(f"arith.mulf {sum}, {kernel.constant('0.0625', 'f32')} : f32")
            result = kernel.value(f"arith.subf {value}, {mean} : f32")
        shown.append((result, axes))
        return result

    def softmax(score):
        if draw.random() < 0.3:
            squares = kernel.value(f"arith.mulf {score}, {score} : f32")
            shown.append((squares, ["i", "j"]))
            return squares
        most = kernel.value(f"tkernel.reduce maximumf {score} over (%j) : f32")
        power = kernel.value(f"math.exp {kernel.value(f'arith.subf {score}, {most} : f32')} : f32")
        sum = kernel.value(f"tkernel.reduce addf {power} over (%j) : f32")
        shown.extend([(power, ["i", "j"]), (sum, ["i"])])
        return kernel.value(f"arith.divf {power}, {sum} : f32") if draw.random() < 0.7 else power

    query, key = of_rows(load("id"), ["i", "d"], "d"), load("jd")
    if draw.random() < 0.4:
        key = of_rows(key, ["j", "d"], "d")
    score = kernel.value(f"tkernel.contract {query}, {key} over (%d) : f32")
    weight = softmax(score) if draw.random() < 0.8 else of_rows(score, ["i", "j"], "j")
    shown.append((score, ["i", "j"]))
    result = kernel.value(f"tkernel.contract {weight}, {load('je')} over (%j) : f32")
    if draw.random() < 0.4:
        result = of_rows(result, ["i", "e"], draw.choice("ei"))
    for value, axes in [(result, ["i", "e"])] + draw.sample(shown, min(len(shown), draw.choice([0, 0, 1, 2]))):
        kernel.store(value, *kernel.at(shuffled(draw, axes, 0.2)), "f32", "f32")
    return kernel


def boxes(draw):
    """Windows of what is computed: functions, products of channels or convolutions below pools or depthwise convolutions."""
    rank, kind, below = draw.choice([1, 2, 2, 2]), draw.choice(["depthwise", "max", "sum"]), draw.choice(["function", "product", "conv", "pool"])
    axes, places, rows, inner, taps, sizes, constraints = {"c": extent(draw, 33)}, [], [], [], [], [], []
    for i in range(rank):
        size, window, own = extent(draw, 65 if rank == 1 else 33), draw.choice([2, 3, 3, 5]), draw.choice([1, 3, 3])
        stride, dilation = draw.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
        reach = (window - 1) * dilation
        low, high = draw.randint(0, reach // 2), draw.randint(0, reach // 2)
        size = max(size, reach + 1)
        axes[f"p{i}"], axes[f"r{i}"] = (size + low + high - reach - 1) // stride + 1, window
        place = (f"{stride} * %p{i}" if stride > 1 else f"%p{i}") + f" + {f'{dilation} * ' if dilation > 1 else ''}%r{i} - {low}"
        rows.append((place, size))
        inner.append(f"r{i}")
        if below in ("conv", "pool") and own > 1:
            axes[f"t{i}"] = own
            taps.append(f"t{i}")
            places.append(f"{place} + %t{i} - 1")
        else:
            places.append(place)
        sizes.append(size)
    channel = "c"
    if below in ("product", "conv"):
        axes["d"], channel = extent(draw, 17), "d"
    kernel = Kernel(draw, f"{kind} over a {below}", **axes)
    value = kernel.load([axes[channel]] + sizes, ["%" + channel] + places, "f32", "0.0")
    if below == "function":
        value = kernel.value(f"math.tanh {value} : f32")
    elif below == "pool" and taps:
        value = kernel.value(f"tkernel.reduce {draw.choice(['addf', 'maximumf'])} {value} over ({', '.join('%' + axis for axis in taps)}) : f32")
    elif below != "pool":
        weight = kernel.load(*kernel.at(["c", "d"] + taps), "f32")
        value = kernel.value(f"tkernel.contract {value}, {weight} over ({', '.join('%' + axis for axis in ['d'] + taps)}) : f32")
        value = kernel.finish(value, "f32")
    # Beyond the border is another number than what is computed there.
    zero = kernel.value("arith.constant 0 : index")
    inside = None
    for i, (place, size) in enumerate(rows):
        first = place.replace(f"%p{i}", "d0").replace(f"%r{i}", "d1")
        for bound in [first, f"{size - 1} - ({first})"]:
            at = kernel.value(f"affine.apply affine_map<(d0, d1) -> ({bound})>(%p{i}, %r{i})")
            holds = kernel.value(f"arith.cmpi sge, {at}, {zero} : index")
            inside = holds if inside is None else kernel.value(f"arith.andi {inside}, {holds} : i1")
    value = kernel.value(f"arith.select {inside}, {value}, {kernel.constant(LOWEST['f32'] if kind == 'max' else '0.0', 'f32')} : f32")
    over = ", ".join("%" + axis for axis in inner)
    if kind == "depthwise":
        weight = kernel.load(*kernel.at(["c"] + inner), "f32")
        sum = kernel.value(f"tkernel.contract {value}, {weight} over ({over}) : f32")
    else:
        sum = kernel.value(f"tkernel.reduce {'maximumf' if kind == 'max' else 'addf'} {value} over ({over}) : f32")
    kernel.store(sum, *kernel.at(["c"] + [f"p{i}" for i in range(rank)]), "f32", "f32")
    return kernel


def draw_roots(draw):
    """Several roots over so many points that what is chosen for them matters."""
    while True:
        kernel = roots(draw)
        if math.prod(kernel.axes.values()) >= 1 << 13:
            return kernel


KINDS = [product, product, product, lambda draw: windows(draw, False), lambda draw: windows(draw, False),
         lambda draw: windows(draw, True), reduction, position, rows, elementwise, running, rows_of_table, attention, roots, roots, sequences, sequences, boxes]


def draw_kernel(draw, most_points):
    """A kernel of at most so many points, those of the two products of attention counted apart."""
    while True:
        kernel = draw.choice(KINDS)(draw)
        points = math.prod(kernel.axes.values())
        if kernel.what == "attention":
            points //= min(kernel.axes["d"], kernel.axes["e"])
        if points <= most_points:
            return kernel.text()
