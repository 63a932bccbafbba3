"""The element types that are held, as include/tw/Format/ElementTypes.def defines them: for tools that draw programs.

BITS, KIND and NPY go from a name such as "ui16" to bits, "Bool", "Signed", "Unsigned" or "Float", and NumPy's code.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(*path):
    with open(os.path.join(ROOT, "include", "tw", *path), encoding="utf-8") as file:
        return file.read()


def parse(text):
    """(name, bits, kind, C++ type, npy) of each row with a C++ type."""
    row = r'^TW_(FLOAT_)?ELEMENT\((\w+), (\d+), "(\w+)", (\d+), (.*)\)$'
    for is_float, _, _, name, bits, rest in re.findall(row, text, re.M):
        kind, storage, _, npy = (["Float"] if is_float else []) + rest.split(", ")[:3 if is_float else 4]
        if storage != "void":
            yield name, int(bits), kind, storage, npy.strip('"')


ROWS = list(parse(read("Format", "ElementTypes.def")))
BITS = {name: bits for name, bits, *_ in ROWS}
KIND = {name: kind for name, _, kind, *_ in ROWS}
NPY = {name: npy for name, *_, npy in ROWS}
INTEGERS = [name for name in KIND if KIND[name] in ("Signed", "Unsigned")]
NARROW_FLOATS = [name for name in KIND if KIND[name] == "Float" and BITS[name] < 32]

# Of floats: bits of the mantissa, and the bits of both infinities and of a NaN.
DEFINED = dict(re.findall(r"^using (\w+) = NarrowFloat<\d+, (\d+)>;$", read("Support", "NarrowFloats.h"), re.M))
MANTISSA = {name: 23 if storage == "float" else 52 if storage == "double" else int(DEFINED[storage])
            for name, _, kind, storage, _ in ROWS if kind == "Float"}
SPECIAL_BITS = {}
for name, mantissa in MANTISSA.items():
    sign, infinity = 1 << BITS[name] - 1, (1 << BITS[name] - 1) - (1 << mantissa)
    SPECIAL_BITS[name] = [f"0x{bits:X}" for bits in (infinity, sign | infinity, infinity | 1 << mantissa - 1)]


def scalar(name):
    """The type of a value in kernels, which has no sign."""
    return name.removeprefix("u")


def lowest(name):
    return 0 if KIND[name] == "Unsigned" else -(1 << BITS[name] - 1)


def struct_letter(name):
    """What Python's struct packs a value with, for integers and what it has of floats."""
    if KIND[name] == "Float":
        return {16: "e", 32: "f", 64: "d"}[BITS[name]]
    letter = {8: "b", 16: "h", 32: "i", 64: "q"}[BITS[name]]
    return letter.upper() if KIND[name] == "Unsigned" else letter
