"""Writes a program with every class of operation for each element type, and checks the lists of the targets.

Usage: element-types.py OUT.mlir [narrow]   of every type that is held but narrow floats, or of those alone
       element-types.py --same RESULTS OUT.mlir   whether tensor-run says of each of the program's results that it is as it should
       element-types.py --lists             whether what tensor-compile --list-targets prints, on standard input, are these types

Results are named TYPE_OPERATION. Small operations of one shape are joined, so that they are few kernels.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "dev"))
from element_types import KIND, NARROW_FLOATS

FLOATS = {name for name in KIND if KIND[name] == "Float"}
WIDE = [name for name in KIND if name not in NARROW_FLOATS]
BINARY = "add sub mul div rem mod pow minimum maximum".split()
BITS = "and or xor shl shr".split()


def define(element, out, results):
    """Adds the operations of one type to the lines and to the (name, value, type) of results."""
    tensor = f"tensor<4x6x{element}>"
    count = 0

    def op(text):
        nonlocal count
        count += 1
        value = f"%{element}_{count}"
        out.append(f"  {value} = {text}")
        return value

    def give(name, value, kind=tensor):
        results.append((f"{element}_{name}", value, kind))

    x, y = f"%x_{element}", f"%y_{element}"
    pointwise = [op(f"tgraph.{name} {x}, {y} : {tensor}") for name in BINARY + (BITS if element not in FLOATS else [])]
    pointwise += [op(f"tgraph.{name} {x} : {tensor}") for name in ["neg", "abs", "sign"]]
    if element in FLOATS:
        pointwise += [op(f"tgraph.{name} {x} : {tensor}") for name in ["exp", "sin"]]
    else:
        pointwise.append(op(f"tgraph.not {x} : {tensor}"))
    for predicate in ["eq", "lt", "ge"]:
        less = op(f"tgraph.compare {predicate}, {x}, {y} : {tensor}")
        pointwise.append(op(f"tgraph.select {less}, {x}, {y} : {tensor}"))
    pointwise.append(op(f"tgraph.clamp {x}, {y}, {y} : {tensor}"))
    for other in ["f32", "i32"]:
        if other != element:
            cast = op(f"tgraph.cast {x} : {tensor} to tensor<4x6x{other}>")
            pointwise.append(op(f"tgraph.cast {cast} : tensor<4x6x{other}> to {tensor}"))
    joined = f"tensor<{4 * len(pointwise)}x6x{element}>"
    give("pointwise", op(f"tgraph.concat {', '.join(pointwise)} dim 0 : {', '.join([tensor] * len(pointwise))} -> {joined}"),
         joined)
    row = f"tensor<4x{element}>"
    for kind in ["add", "mul", "max", "min"]:
        give(f"reduce_{kind}", op(f"tgraph.reduce {kind} {x} dims [1] : {tensor} -> {row}"), row)
        give(f"scan_{kind}", op(f"tgraph.scan {kind} {x} dim 1 : {tensor}"))
    give("arg", op(f"tgraph.arg_reduce max {x} dim 1 : {tensor} -> tensor<4xi64>"), "tensor<4xi64>")
    product = f"tensor<4x4x{element}>"
    give("contract", op(f'tgraph.contract "mk,nk->mn" {x}, {y} : {tensor}, {tensor} -> {product}'), product)
    gathered = f"tensor<3x6x{element}>"
    give("gather", op(f"tgraph.gather {x}, %i {{axis = 0 : i64}} : {tensor}, tensor<3xi64> -> {gathered}"), gathered)
    value = "1.0" if element in FLOATS else "true" if element == "i1" else "1"
    padded = f"tensor<5x6x{element}>"
    value += "" if element == "i1" else f" : {element}"
    give("pad", op(f"tgraph.pad {x} low [1, 0] high [0, 0] value {value} : {tensor} -> {padded}"), padded)


def check_lists():
    """Every target has everything."""
    lists = dict(re.findall(r"^(\w+)$(?:\n  .*)*?\n  elements: (.*)$", sys.stdin.read(), re.M))
    for name in ("amd", "cuda", "host", "opencl", "vulkan"):
        expected = ", ".join(KIND)
        if lists[name] != expected:
            sys.exit(f"{name}: expected {expected}, found {lists[name]}")


def check_same(results, program):
    text = open(results).read()
    names = re.findall(r'tgraph.name = "(\w+)"', open(program).read())
    wrong = [name for name in names if not re.search(rf"^compare  {name} with .*: ok$", text, re.M)]
    if wrong or not names:
        sys.exit(f"not as it should be: {' '.join(wrong)}\n{text}")


def main():
    path, *rest = sys.argv[1:]
    if path == "--lists":
        return check_lists()
    if path == "--same":
        return check_same(*rest)
    elements = NARROW_FLOATS if rest == ["narrow"] else WIDE
    lines, results = [], []
    for element in elements:
        define(element, lines, results)
    arguments = [f"%{name}_{element}: tensor<4x6x{element}>" for element in elements for name in "xy"]
    kinds = ", ".join(f'{kind} {{tgraph.name = "{name}"}}' for name, _, kind in results)
    with open(path, "w") as file:
        file.write(f"func.func @main({', '.join(arguments)}) -> ({kinds}) {{\n"
                   "  %i = tgraph.constant dense<[2, 0, 3]> : tensor<3xi64>\n" + "\n".join(lines) +
                   f"\n  return {', '.join(value for _, value, _ in results)} : "
                   f"{', '.join(kind for _, _, kind in results)}\n}}\n")


main()
