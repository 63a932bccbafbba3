"""The element types that are held, as include/tw/Format/ElementTypes.def defines them: for tools that draw programs.

BITS, KIND and NPY go from a name such as "ui16" to bits, "Bool", "Signed", "Unsigned" or "Float", and NumPy's code.
"""
import math
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

# Of floats: bits of the mantissa, the bias, the largest number, and the bits of both infinities, if there are any, and of a NaN.
DEFINED = {name: (int(mantissa), specials) for name, mantissa, specials in re.findall(
    r"^using (\w+) = NarrowFloat<\d+, (\d+)(?:, Specials::(\w+))?>;$", read("Support", "NarrowFloats.h"), re.M)}
MANTISSA, BIAS, LARGEST, SPECIAL_BITS = {}, {}, {}, {}
for name, bits, kind, storage, _ in ROWS:
    if kind != "Float":
        continue
    mantissa, specials = {"float": (23, ""), "double": (52, "")}.get(storage) or DEFINED[storage]
    exponents, sign = bits - 1 - mantissa, 1 << bits - 1
    MANTISSA[name] = mantissa
    BIAS[name] = 2 ** (exponents - 1) - (specials != "MinusZero")
    infinity = sign - (1 << mantissa)
    special = {"": (infinity, sign | infinity, infinity | 1 << mantissa - 1), "AllOnes": (sign - 1,), "MinusZero": (sign,)}[specials]
    SPECIAL_BITS[name] = [f"0x{one:X}" for one in special]
    most = (special[0] if specials != "MinusZero" else sign) - 1
    LARGEST[name] = (1 + most % (1 << mantissa) / (1 << mantissa)) * 2.0 ** ((most >> mantissa) - BIAS[name])


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


def to_bits(name, value):
    """The bits of the number nearest to `value` in a narrow float, ties to even: beyond the largest one an infinity or NaN."""
    mantissa, sign = MANTISSA[name], 1 << BITS[name] - 1
    special = [int(bits, 16) for bits in SPECIAL_BITS[name]]
    if value != value:
        return special[-1]
    negative, size = (sign if math.copysign(1, value) < 0 else 0), abs(value)
    bits = special[0]
    if size != math.inf:
        exponent = max(math.frexp(size)[1] - 1 if size else 1 - BIAS[name], 1 - BIAS[name])
        # Python rounds to even as well.
        units = round(math.ldexp(size, mantissa - exponent))
        bits = min((exponent + BIAS[name] - 1 << mantissa) + units, special[0])
    return bits if bits == 0 and special[0] == sign else negative | bits
