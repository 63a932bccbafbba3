"""Random tgraph programs, each a function of its seed alone, and inputs for them."""
import random
import re
import struct

from element_types import INTEGERS, KIND, MANTISSA, NARROW_FLOATS, NPY, SPECIAL_BITS, struct_letter, to_bits

# What a program computes in, and what it casts to and back.
ELEMENTS = ["f32", "f64"] + INTEGERS
CASTS = ELEMENTS + ["i1"]
EXTENTS = [1, 2, 3, 4, 5, 7, 8, 16, 17, 33]
MOST_ELEMENTS, MOST_PRODUCTS = 20000, 200000
# What is rounded even of integers.
ROUNDED = set("exp log sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh asinh acosh atanh tanh erf sigmoid gelu "
              "softmax log_softmax layer_norm batch_norm".split())
# Of what is centred around zero these are not.
POSITIVE = ["abs", "relu", "exp", "sigmoid", "softmax"]
# Functions whose results are as near as their operands are.
TAME = ["tanh", "sigmoid", "erf", "atan"]
FUNCTIONS = TAME + ["exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "cos", "tan", "asin", "acos", "sinh", "cosh",
                    "asinh", "acosh", "atanh", "ceil"]
SPECIAL = [float("inf"), float("-inf"), float("nan"), 0.0, -0.0]


def exact(element):
    """Integers up to here are exact in sums of any order."""
    return 1 << min(MANTISSA[element] - 1, 40)


def least(element):
    """The least of the small numbers that inputs are."""
    return 0 if KIND[element] == "Unsigned" else -4


def product(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


class Graph:
    """A program under construction: arguments, lines, and the values so far with their shapes."""

    def __init__(self, seed, element=None):
        self.random = random.Random(seed)
        chosen = self.random.choice(["f32", "f32", "f32", "f32", *ELEMENTS])
        self.element = element or chosen
        self.is_float = "f" in self.element
        self.is_special = self.is_float and seed % 4 == 3
        self.arguments, self.values, self.lines, self.names = [], [], [], 0
        self.bounds = {}  # of what is exact: no element is larger
        self.centred = set()  # whose sums may be nothing but what rounding left
        self.draw()

    def draw(self):
        for _ in range(self.random.randint(1, 3)):
            self.argument([self.random.choice(EXTENTS) for _ in range(self.random.randint(1, 3))])
        categories = [self.unary, self.binary, self.select, self.permute, self.reshape, self.expand, self.pad,
                      self.slice, self.flip, self.concat, self.reduce, self.arg_reduce, self.scan, self.softmax,
                      self.window, self.contract, self.conv, self.matrices, self.image, self.function, self.function,
                      self.quotient, self.gather, self.scatter, self.sort, self.cast, self.norm, self.loop, self.branch]
        for _ in range(self.random.randint(2, 8)):
            self.random.choice(categories)(*self.random.choice(self.values))

    def type(self, shape, element=None):
        return "tensor<" + "".join(f"{size}x" for size in shape) + (element or self.element) + ">"

    def name(self, letter="v"):
        self.names += 1
        return f"%{letter}{self.names}"

    def argument(self, shape):
        name = self.name("a")
        self.arguments.append((name, shape))
        self.values.append((name, shape))
        self.bounds[name] = 4
        return name

    def is_exact(self, *names):
        return all(name in self.bounds for name in names)

    def emit(self, text, shape, element=None, grows=lambda *bounds: max(bounds)):
        """`grows` gives the largest element of the result from those of the operands."""
        name, operands = self.name(), re.findall(r"%\w+", text)
        self.lines.append(f"{name} = tgraph.{text}")
        if text.split()[0] not in ROUNDED and self.is_exact(*operands):
            bound = grows(*(self.bounds[operand] for operand in operands)) if operands else 4
            if not self.is_float or bound <= exact(self.element):
                self.bounds[name] = bound
        op = text.split()[0]
        if op == "layer_norm" or (op not in POSITIVE and not self.centred.isdisjoint(operands)):
            self.centred.add(name)
        if shape and element is None:
            self.values.append((name, shape))
        return name

    def moved(self, text, before, after, grows=max):
        return self.emit(f"{text} : {self.type(before)} -> {self.type(after)}", after,
                         grows=lambda *bounds: grows(bounds))

    def some(self, low, high, shape):
        return [self.random.randint(low, high) for _ in shape]

    def dims(self, shape):
        return sorted(self.random.sample(range(len(shape)), self.random.randint(1, len(shape))))

    def unary(self, x, shape):
        ops = ["neg", "abs", "relu"] + (TAME if self.is_float else ["not"])
        ops += ["sign"] + (["floor", "round"] if self.is_float else []) if self.is_exact(x) else []
        self.emit(f"{self.random.choice(ops)} {x} : {self.type(shape)}", shape)

    def function(self, x, shape):
        if self.is_float:
            self.emit(f"{self.random.choice(FUNCTIONS if self.is_exact(x) else TAME)} {x} : {self.type(shape)}", shape)

    def partner(self, shape):
        return self.random.choice([value for value, other in self.values if other == shape])

    def binary(self, x, shape):
        ops = ["add", "sub", "mul", "minimum", "maximum"]
        ops += [] if self.is_float else ["div", "rem", "mod", "pow", "shl", "shr", "and", "or", "xor"]
        op = self.random.choice(ops)
        self.emit(f"{op} {x}, {self.partner(shape)} : {self.type(shape)}", shape,
                  grows=lambda a, b: a * b if op == "mul" else a + b)

    def quotient(self, x, shape):
        """Where a result is, or is not, the next one may lie far away: of exact operands alone."""
        y = self.partner(shape)
        if not self.is_float or not self.is_exact(x, y):
            return
        op = self.random.choice(["div", "div", "pow", "rem", "mod"])
        result = self.emit(f"{op} {x}, {y} : {self.type(shape)}", shape)
        if op in ("div", "pow"):
            del self.bounds[result]

    def select(self, x, shape):
        y, predicate = self.partner(shape), self.random.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        if not self.is_exact(x, y):
            return
        condition = self.emit(f"compare {predicate}, {x}, {y} : {self.type(shape)}", shape, "i1")
        self.emit(f"select {condition}, {x}, {y} : {self.type(shape)}", shape)

    def permute(self, x, shape):
        order = self.random.sample(range(len(shape)), len(shape))
        self.moved(f"permute {x} {order}", shape, [shape[dim] for dim in order])

    def reshape(self, x, shape):
        result, rest, factor = [1] * self.random.randint(1, 4), product(shape), 2
        while rest > 1:
            if rest % factor == 0:
                result[self.random.randrange(len(result))] *= factor
                rest //= factor
            else:
                factor += 1
        self.moved(f"reshape {x}", shape, result)

    def expand(self, x, shape):
        result = [self.random.randint(1, 9) if size == 1 else size for size in shape]
        if product(result) <= MOST_ELEMENTS:
            self.moved(f"expand {x}", shape, result)

    def pad(self, x, shape):
        low, high = self.some(0, 2, shape), self.some(0, 2, shape)
        result = [a + size + b for a, size, b in zip(low, shape, high)]
        if product(result) <= MOST_ELEMENTS:
            value = "1.5" if self.is_float else "3"
            self.moved(f"pad {x} low {low} high {high} value {value} : {self.element}", shape, result)

    def slice(self, x, shape):
        steps = self.some(1, 2, shape)
        offsets = [self.random.randint(0, size - 1) for size in shape]
        sizes = [self.random.randint(1, (size - offset - 1) // step + 1)
                 for size, offset, step in zip(shape, offsets, steps)]
        self.moved(f"slice {x} offsets {offsets} sizes {sizes} strides {steps}", shape, sizes)

    def flip(self, x, shape):
        self.emit(f"flip {x} dims {self.dims(shape)} : {self.type(shape)}", shape)

    def concat(self, x, shape):
        dim = self.random.randrange(len(shape))
        fitting = [(value, other) for value, other in self.values if len(other) == len(shape) and
                   all(i == dim or a == b for i, (a, b) in enumerate(zip(other, shape)))]
        parts = [self.random.choice(fitting) for _ in range(self.random.randint(1, 3))]
        result = list(shape)
        result[dim] = sum(part[dim] for _, part in parts)
        names, types = ", ".join(name for name, _ in parts), ", ".join(self.type(part) for _, part in parts)
        self.emit(f"concat {names} dim {dim} : {types} -> {self.type(result)}", result)

    def reduce(self, x, shape):
        dims, kinds = self.dims(shape), ["add", "max", "min"] + ([] if self.is_float else ["mul"])
        result = [size for dim, size in enumerate(shape) if dim not in dims]
        kind, count = self.random.choice(kinds), product(shape) // product(result)
        if kind == "add" and x in self.centred:
            return
        scalar = self.moved(f"reduce {kind} {x} dims {dims}", shape, result,
                            lambda bounds: bounds[0] * (count if kind == "add" else 1))
        if not result:
            self.moved(f"reshape {scalar}", [], [1])

    def arg_reduce(self, x, shape):
        dim = self.random.randrange(len(shape))
        result = shape[:dim] + shape[dim + 1:]
        if result and self.is_exact(x):
            index = self.type(result, "i64")
            where = self.emit(f"arg_reduce {self.random.choice(['max', 'min'])} {x} dim {dim} : "
                              f"{self.type(shape)} -> {index}", result, "i64")
            self.emit(f"cast {where} : {index} to {self.type(result)}", result)

    def scan(self, x, shape):
        how = self.random.choice(["", " {exclusive}", " {reverse}", " {exclusive, reverse}"])
        kind, dim = self.random.choice(["add", "max", "min"]), self.random.randrange(len(shape))
        self.emit(f"scan {kind} {x} dim {dim}{how} : {self.type(shape)}", shape,
                  grows=lambda bound: bound * shape[dim])

    def softmax(self, x, shape):
        if self.is_float:
            self.emit(f"{self.random.choice(['softmax', 'log_softmax'])} {x} dim {self.random.randrange(len(shape))} : "
                      f"{self.type(shape)}", shape)

    def norm(self, x, shape):
        """Of exact values: what is left of equal ones minus their mean would be rounding alone."""
        if not self.is_float or not self.is_exact(x):
            return
        kind = self.random.choice(["layer_norm", "batch_norm", "gelu erf", "gelu tanh"])
        if kind.startswith("gelu"):
            self.emit(f"{kind} {x} : {self.type(shape)}", shape)
        elif kind == "layer_norm":
            self.emit(f"layer_norm {x} dims {self.dims(shape)} eps 1.0e-02 : {self.type(shape)}", shape)
        elif len(shape) > 1:
            channels = [shape[1]]
            scale, bias, mean, variance = (self.argument(channels) for _ in range(4))
            variance = self.emit(f"abs {variance} : {self.type(channels)}", channels)
            self.emit(f"batch_norm {x}, {scale}, {bias}, {mean}, {variance} eps 1.0e-02 : {self.type(shape)}, "
                      f"{self.type(channels)}", shape)

    def gather(self, x, shape):
        """Along one dimension, at positions that are computed."""
        y, other = self.random.choice(self.values)
        if not self.is_exact(y):
            return
        axis = self.random.randrange(len(shape))
        result, index = shape[:axis] + other + shape[axis + 1:], self.type(other, "i64")
        if product(result) > MOST_ELEMENTS or len(result) > 5:
            return
        size = self.emit(f"constant dense<{shape[axis]}> : {index}", other, "i64")
        at = self.emit(f"cast {y} : {self.type(other)} to {index}", other, "i64")
        at = self.emit(f"mod {at}, {size} : {index}", other, "i64")
        self.emit(f"gather {x}, {at} {{axis = {axis} : i64}} : {self.type(shape)}, {index} -> {self.type(result)}", result)

    def scatter(self, x, shape):
        """Along one dimension, at positions that are computed, of which some come twice and some are outside."""
        y, other = self.random.choice(self.values)
        if not self.is_exact(x, y):
            return
        axis = self.random.randrange(len(shape))
        updated, index = shape[:axis] + other + shape[axis + 1:], self.type(other, "i64")
        if product(updated) > MOST_ELEMENTS or len(updated) > 5:
            return
        size = self.emit(f"constant dense<{shape[axis] + self.random.randint(0, 2)}> : {index}", other, "i64")
        at = self.emit(f"cast {y} : {self.type(other)} to {index}", other, "i64")
        at = self.emit(f"mod {at}, {size} : {index}", other, "i64")
        if self.random.random() < 0.5:  # what is there now
            updates = self.emit(f"gather {x}, {at} {{axis = {axis} : i64}} : {self.type(shape)}, {index} -> "
                                f"{self.type(updated)}", updated)
            updates = self.emit(f"neg {updates} : {self.type(updated)}", updated) if self.is_float else updates
        else:
            known = [value for value, of in self.values if of == updated and self.is_exact(value)]
            updates = self.random.choice(known) if known else self.argument(updated)
        kind = self.random.choice(["", "add ", "max ", "min "])
        count = product(other) + 1 if kind == "add " else 1
        self.emit(f"scatter {kind}{x}, {updates} at {at} {{axis = {axis} : i64}} : {self.type(shape)}, "
                  f"{self.type(updated)} at {index} -> {self.type(shape)}", shape,
                  grows=lambda *bounds: count * max(bounds[:2]))

    def sort(self, x, shape):
        if not self.is_exact(x):
            return
        dim = self.random.randrange(len(shape))
        first = self.random.randint(1, max(shape[dim], 1)) if shape[dim] else 0
        result = shape[:dim] + [first] + shape[dim + 1:]
        at = self.emit(f"arg_sort {x} dim {dim} {self.random.choice(['', 'descending '])}first {first} : "
                       f"{self.type(shape)} -> {self.type(result, 'i64')}", result, "i64")
        self.emit(f"cast {at} : {self.type(result, 'i64')} to {self.type(result)}", result)

    def cast(self, x, shape):
        """To another element type and back."""
        if not self.is_exact(x):
            return
        other = self.random.choice([element for element in CASTS if element != self.element])
        there = self.emit(f"cast {x} : {self.type(shape)} to {self.type(shape, other)}", shape, other)
        self.emit(f"cast {there} : {self.type(shape, other)} to {self.type(shape)}", shape,
                  grows=lambda bound: bound if self.is_float else 1 << 62)

    def window(self, x, shape):
        window, strides, dilations = self.some(1, 3, shape), self.some(1, 2, shape), self.some(1, 2, shape)
        low, high = self.some(0, 1, shape), self.some(0, 1, shape)
        result = [(size + a + b - dilation * (width - 1) - 1) // stride + 1 for size, a, b, dilation, width, stride
                  in zip(shape, low, high, dilations, window, strides)]
        if min(result) >= 1:
            self.moved(f"window {self.random.choice(['add', 'max', 'min'])} {x} window {window} strides {strides} "
                       f"dilations {dilations} pad_low {low} pad_high {high}", shape, result,
                       lambda bounds: bounds[0] * product(window))

    def contract(self, x, shape):
        y, other = self.random.choice(self.values)
        lhs, rhs = "abc"[:len(shape)], ""
        if len(shape) > 3 or len(other) > 3:
            return
        for size in other:
            shared = [letter for letter, extent in zip(lhs, shape) if extent == size and letter not in rhs]
            rhs += self.random.choice(shared) if shared and self.random.random() < 0.7 else "xyz"[len(rhs)]
        extents = dict(zip(lhs, shape)) | dict(zip(rhs, other))
        kept = [letter for letter in extents if self.random.random() < 0.5]
        self.random.shuffle(kept)
        result = [extents[letter] for letter in kept]
        # A dimension of one operand alone is summed by itself.
        alone = [(x, set(lhs) - set(rhs)), (y, set(rhs) - set(lhs))]
        if any(name in self.centred and letters - set(kept) for name, letters in alone):
            return
        if result and product(extents.values()) <= MOST_PRODUCTS:
            self.emit(f'contract "{lhs},{rhs}->{"".join(kept)}" {x}, {y} : {self.type(shape)}, {self.type(other)} '
                      f"-> {self.type(result)}", result, grows=lambda a, b: a * b * product(extents.values()))

    def weights(self, shape):
        """An argument, or a constant of finite numbers or not."""
        if self.random.random() < 0.4:
            return self.argument(shape)
        special = self.is_special and self.random.random() < 0.5

        def number():
            if special and self.random.random() < 0.1:
                return self.random.choice(SPECIAL_BITS[self.element])
            value = self.random.randint(least(self.element), 4)
            return f"{value}.0" if self.is_float else str(value)

        def nest(sizes):
            if not sizes:
                return number()
            return "[" + ", ".join(nest(sizes[1:]) for _ in range(sizes[0])) + "]"

        return self.emit(f"constant dense<{nest(shape)}> : {self.type(shape)}", shape)

    def conv(self, x, shape):
        if len(shape) != 3:
            return
        low, high, stride = self.random.randint(0, 1), self.random.randint(0, 1), self.random.randint(1, 2)
        width = self.random.randint(1, min(3, shape[2]))
        weights = [self.random.randint(1, 5), shape[1], width]
        result = [shape[0], weights[0], (shape[2] + low + high - width) // stride + 1]
        w = self.weights(weights)
        self.emit(f"conv {x}, {w} strides [{stride}] dilations [1] pad_low [{low}] pad_high [{high}] groups 1 : "
                  f"{self.type(shape)}, {self.type(weights)} -> {self.type(result)}", result,
                  grows=lambda a, b: a * b * product(weights[1:]))

    def matrices(self, x, shape):
        """A product of two matrices, large enough for tiles of its result."""
        m, n, k = (self.random.randint(low, 56) for low in (20, 20, 8))
        a, b = self.random.choice([[m, k], [k, m]]), self.random.choice([[k, n], [n, k]])
        spec = ("ik" if a == [m, k] else "ki") + "," + ("kj" if b == [k, n] else "jk")
        result = self.random.choice([[m, n], [n, m]])
        spec += "->ij" if result == [m, n] else "->ji"
        lhs, rhs = self.argument(a), self.argument(b)
        self.emit(f'contract "{spec}" {lhs}, {rhs} : {self.type(a)}, {self.type(b)} -> {self.type(result)}', result,
                  grows=lambda a, b: a * b * k)

    def image(self, x, shape):
        """A convolution in two dimensions, in groups or not."""
        groups = self.random.choice([1, 1, 1, 2, 3])
        channels, outputs = groups * self.random.randint(1, 3), groups * self.random.randint(2, 12)
        height, width, rows, columns = (self.random.randint(*r) for r in ((6, 11), (6, 11), (1, 3), (1, 3)))
        strides, pad = self.some(1, 2, [0, 0]), self.some(0, 1, [0, 0])
        image, weights = [self.random.randint(1, 2), channels, height, width], [outputs, channels // groups, rows, columns]
        result = [image[0], outputs, (height + 2 * pad[0] - rows) // strides[0] + 1,
                  (width + 2 * pad[1] - columns) // strides[1] + 1]
        x, w = self.argument(image), self.weights(weights)
        self.emit(f"conv {x}, {w} strides {strides} dilations [1, 1] pad_low {pad} pad_high {pad} groups {groups} : "
                  f"{self.type(image)}, {self.type(weights)} -> {self.type(result)}", result,
                  grows=lambda a, b: a * b * product(weights[1:]))

    def inside(self, arguments, draw):
        """The lines of a region that has these arguments and sees what is around it, and what `draw` gives in it."""
        lines, values = self.lines, self.values
        self.lines, self.values = [], values + arguments
        for _ in range(self.random.randint(0, 3)):
            self.random.choice([self.unary, self.binary, self.select, self.permute, self.expand, self.slice, self.flip,
                                self.concat, self.contract, self.scan])(*self.random.choice(self.values))
        result = draw()
        lines, self.lines, self.values = self.lines, lines, values
        return lines, result

    def result(self, operation, lines, shapes):
        """The values of an op with regions: nothing is said of how exact they are."""
        names = [self.name() for _ in shapes]
        self.lines += [f"{', '.join(names)} = tgraph.{operation} {{", *lines, "}"]
        self.values += list(zip(names, shapes))
        self.centred.update(names)

    def loop(self, x, shape):
        """Over the slices of a value, or as often as a constant says; what is carried stays small or wraps."""
        if len(shape) < 2:
            return
        own, counted = shape[1:], self.random.random() < 0.3
        a, b, t = self.name("s"), self.name("s"), self.name("t")
        first, second = self.argument(own), self.argument(own)
        arguments = [(a, own), (b, own)] + ([] if counted else [(t, own)])
        if x in self.bounds:
            self.bounds[t] = self.bounds[x]

        def draw():
            other = self.random.choice([value for value, size in self.values if size == own])
            op = self.random.choice(["add", "sub", "mul", "maximum", "minimum"])
            next = self.emit(f"{op} {a}, {other} : {self.type(own)}", own)
            if self.is_float:
                next = self.emit(f"tanh {next} : {self.type(own)}", own)
            # Carried on, swapped, from outside, the same twice.
            return self.random.choice([next, b]), self.random.choice([next, a, b, first]), self.random.choice(self.values)

        lines, (next, other, (stacked, size)) = self.inside(arguments, draw)
        carried = f"carried({a} = {first} : {self.type(own)}, {b} = {second} : {self.type(own)})"
        if counted:
            count = self.name("n")
            self.lines.append(f"{count} = tgraph.constant dense<{self.random.randint(-1, 5)}> : tensor<i64>")
            lines.append(f"tgraph.yield {next}, {other} : {self.type(own)}, {self.type(own)}")
            self.result(f"for {count} : tensor<i64> limit 5 {carried} -> {self.type(own)}, {self.type(own)}", lines,
                        [own, own])
            return
        lines.append(f"tgraph.yield {next}, {other}, {stacked} : {self.type(own)}, {self.type(own)}, {self.type(size)}")
        whole = [shape[0]] + size
        self.result(f"for {shape[0]}{self.random.choice(['', ' reverse'])} {carried} slices({t} = {x} : {self.type(shape)}) "
                    f"-> {self.type(own)}, {self.type(own)}, {self.type(whole)}", lines, [own, own, whole])

    def branch(self, x, shape):
        """Decided by a number that is exact."""
        if not self.is_exact(x) or self.is_special:
            return
        zero = "0.0" if self.is_float else "0"
        most, end, condition = self.name(), self.name(), self.name("c")
        self.lines += [f"{most} = tgraph.reduce max {x} dims {list(range(len(shape)))} : {self.type(shape)} -> {self.type([])}",
                       f"{end} = tgraph.constant dense<{zero}> : {self.type([])}",
                       f"{condition} = tgraph.compare gt, {most}, {end} : {self.type([])}"]
        draw = lambda: self.partner(shape)
        sides = [self.inside([], draw) for _ in range(2)]
        lines = []
        for side, value in sides:
            lines += ["} else {"] if lines else []
            lines += side + [f"tgraph.yield {value} : {self.type(shape)}"]
        self.result(f"if {condition} -> {self.type(shape)}", lines, [shape])

    def results(self):
        return self.values[-2:]

    def text(self):
        results = self.results()
        types = ", ".join(self.type(shape) for _, shape in results)
        arguments = ", ".join(f"{name}: {self.type(shape)}" for name, shape in self.arguments)
        body = "\n  ".join(self.lines + [f"return {', '.join(name for name, _ in results)} : {types}"])
        return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}\n"


def write_array(path, element, shape, numbers, special=False, rows=False):
    """NumPy's format, version 1; some rows are one special value as a whole."""
    code, is_narrow = NPY[element], element in NARROW_FLOATS
    values = [numbers.randint(least(element), 4) for _ in range(product(shape))]
    if special:
        values = [numbers.choice(SPECIAL) if numbers.random() < 0.05 else value for value in values]
    if rows:
        for first in range(0, len(values), shape[-1]):
            if numbers.random() < 0.1:
                values[first:first + shape[-1]] = [numbers.choice(SPECIAL)] * shape[-1]
    sizes = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{'|' if code[1] == '1' else '<'}{code}', 'fortran_order': False, 'shape': ({sizes}), }}"
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        letter = {1: "B", 2: "H"}[int(code[1])] if is_narrow else struct_letter(element)
        file.write(struct.pack(f"<{len(values)}{letter}", *(to_bits(element, value) if is_narrow else value for value in values)))
