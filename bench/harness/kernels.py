"""Kernel files at other sizes than those they are written with (bench/README.md, "Sizes")."""
import os
import re

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(BENCH, "kernels")
# The same programs as ops of a graph, where kernels are written by hand.
GRAPHS = os.path.join(BENCH, "graphs")
ELEMENT_BYTES = {"i1": 1, "i8": 1, "ui8": 1, "f16": 2, "bf16": 2, "i16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}


class Tensor:
    """A value of the program: its name, element type and dimensions, and whether it is a constant."""

    def __init__(self, name, element, dims, constant=False):
        self.name, self.element, self.dims, self.constant = name, element, dims, constant

    def bytes(self):
        count = ELEMENT_BYTES[self.element]
        for dim in self.dims:
            count *= dim
        return count


class Kernel:
    """A kernel file at some sizes: its text, its inputs (constants among them) and results."""

    def __init__(self, name, text, sizes, inputs, results):
        self.name, self.text, self.sizes, self.inputs, self.results = name, text, sizes, inputs, results


def evaluate(expression, sizes, real=False):
    """The value of an expression of sizes; `/` rounds down unless `real`."""
    value = eval(expression if real else expression.replace("/", "//"), {"__builtins__": {}}, dict(sizes))
    return float(value) if real else int(value)


def read_sizes(text, given):
    """The sizes of the line `// sizes: m = 512, p = m / 2`, in order, with `given` in place of defaults."""
    line = re.search(r"^// sizes: (.*)$", text, re.M)
    if not line:
        raise ValueError("no line '// sizes: name = value, ...'")
    sizes = {}
    for part in line.group(1).split(", "):
        name, expression = part.split(" = ", 1)
        sizes[name] = given.get(name, None)
        if sizes[name] is None:
            sizes[name] = evaluate(expression, sizes)
    unknown = set(given) - set(sizes)
    if unknown:
        raise ValueError(f"no size {', '.join(sorted(unknown))}; the sizes are {', '.join(sizes)}")
    return sizes


def resize_line(line, sizes):
    alias = re.match(r"^(!\w+ = tensor<)[0-9x]+x(\w+)> // \[(.*)\]$", line)
    if alias:
        dims = [str(evaluate(dim, sizes)) for dim in alias.group(3).split(", ")]
        return f"{alias.group(1)}{'x'.join(dims)}x{alias.group(2)}> // [{alias.group(3)}]"
    number = re.match(r"^(.*) // (\S+) = (.*)$", line)
    if number:
        old, expression = number.group(2), number.group(3)
        new = str(evaluate(expression, sizes, "." in old))
        changed = re.sub(r"(?<![\w.%])" + re.escape(old) + r"(?![\w.])", new, number.group(1))
        return f"{changed} // {new} = {expression}"
    kernel = re.match(r"^(.*tkernel\.kernel (?:@\w+ )?\()([^)]*)(\).*)$", line)
    if kernel:
        axes = re.sub(r"%(\w+) : \d+", lambda axis: f"%{axis.group(1)} : {sizes.get(axis.group(1), axis.group(0).split()[-1])}",
                      kernel.group(2))
        return kernel.group(1) + axes + kernel.group(3)
    return line


def open_sizes(text, most):
    """The text with symbols, in upper case, in place of the sizes in `most`, which says the most that each comes to."""
    def resize(alias):
        dims, element, names = alias.group(2).split("x"), alias.group(3), alias.group(4).split(", ")
        bounds = [str(most.get(name, dim)) for name, dim in zip(names, dims)]
        if bounds == dims and not set(names) & set(most):
            return alias.group(0)
        sizes = ", ".join(name.upper() if name in most else dim for name, dim in zip(names, dims))
        return f"{alias.group(1)}tensor<{'x'.join(bounds)}x{element}, #tview.sizes<[{sizes}]>>"

    text = re.sub(r"^(!\w+ = )tensor<([0-9x]+)x(\w+)>(?= // \[(.*)\]$)", resize, text, flags=re.M)
    for name, bound in most.items():
        text = re.sub(rf"%{name} : \d+", f"%{name} : {name.upper()} <= {bound}", text)
    symbols = ", ".join(f"{name.upper()} = #tgraph.symbol<min = 1, max = {bound}, step = 1>" for name, bound in most.items())
    return re.sub(r"^(func\.func .*) \{$", rf"\1 attributes {{tgraph.symbols = {{{symbols}}}}} {{", text, flags=re.M)


def place_constants(text, aliases, weights):
    """Constants read their elements from the file `weights`, one after the other."""
    constants, offset = [], 0

    def replace(found):
        nonlocal offset
        tensor = Tensor(found.group(1), *aliases[found.group(2)], constant=True)
        constants.append(tensor)
        start, offset = offset, offset + tensor.bytes()
        return f'%{tensor.name} = tgraph.constant #tgraph.file<"{weights}", {start}, {tensor.bytes()}> : {found.group(2)}'

    text = re.sub(r"%(\w+) = tgraph\.constant dense<[^>]*> : (!\w+)", replace, text)
    return text, constants


def parse_type(text, aliases):
    if text in aliases:
        return aliases[text]
    *dims, element = text[len("tensor<"):-1].split("x")
    return element, [int(dim) for dim in dims]


def load(name, given=None, folder=FOLDER):
    """The kernel file at its default sizes, with those of `given` changed."""
    with open(os.path.join(folder, name + ".mlir")) as file:
        text = file.read()
    sizes = read_sizes(text, given or {})
    text = "\n".join(resize_line(line, sizes) for line in text.split("\n"))
    aliases = {}
    for alias, dims, element in re.findall(r"^(!\w+) = tensor<((?:\d+x)*)(\w+)>", text, re.M):
        aliases[alias] = element, [int(dim) for dim in dims.split("x")[:-1]]
    text, constants = place_constants(text, aliases, name + ".bin")
    signature = re.search(r"func\.func @main\((.*)\) -> \((.*)\) \{$", text, re.M)
    pattern = r'(!\w+|tensor<\w*>) \{tgraph\.name = "(\w+)"\}'
    inputs = [Tensor(name, *parse_type(type, aliases)) for type, name in re.findall(pattern, signature.group(1))]
    results = [Tensor(name, *parse_type(type, aliases)) for type, name in re.findall(pattern, signature.group(2))]
    return Kernel(name, text, sizes, inputs + constants, results)


def names(folder=FOLDER):
    """The kernel files that name their sizes."""
    found = []
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file)) as opened:
            if file.endswith(".mlir") and "\n// sizes: " in opened.read():
                found.append(file[:-len(".mlir")])
    return found
