"""Writes a program with integers of every type at their limits, its inputs and what Python says it gives.

Usage: integers.py FOLDER TENSOR-RUN DEVICE..

p.mlir, x.npy, y.npy, d.npy, and NAME.npy for each result, go to the folder; each device, and the interpreter, has to
give these results bit by bit.

x and y are all pairs of numbers that are limits of some type, as i64: what they wrap to is computed with. d are
floats about the limits. Results are ops_TYPE, whatever is computed in a type, and to_TYPE, casts from all others.
"""
import math
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "dev"))
from element_types import BITS, INTEGERS, KIND, NARROW_FLOATS, NPY, struct_letter

WIDE = [name for name in KIND if name not in NARROW_FLOATS]
NUMBERS = [0, 1, 2, 3, -1, -2, 7, 10] + [sign * (1 << bits) + more for bits in (7, 8, 15, 16, 31, 32, 63) for sign in (1, -1)
                                         for more in (-1, 0) if -(1 << 63) <= sign * (1 << bits) + more < 1 << 63]
X = [a for a in NUMBERS for _ in NUMBERS]
Y = [b for _ in NUMBERS for b in NUMBERS]
D = [sign * value for bits in (0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64)
     for value in (2.0 ** bits - 1, 2.0 ** bits - 0.5, 2.0 ** bits, 2.0 ** bits + 0.5) for sign in (1, -1)]
D += [1e30, -1e300, float("inf"), float("-inf"), float("nan"), 2.0 ** 63 - 1024, 2.0 ** 64 - 2048, -0.0]
LINES, RESULTS = [], []


def limits(element):
    bits = BITS[element]
    return (0, (1 << bits) - 1) if KIND[element] != "Signed" else (-(1 << bits - 1), (1 << bits - 1) - 1)


def wrap(element, number):
    low = limits(element)[0]
    return (number - low) % (1 << BITS[element]) + low


def rounded(number, digits):
    """A whole number or a float to nearest even, of so many binary digits."""
    if isinstance(number, float) and (math.isnan(number) or math.isinf(number) or number == 0):
        return number
    top, bottom = number.as_integer_ratio()
    shift = abs(top).bit_length() - bottom.bit_length() - digits - 1
    units, rest = divmod(abs(top) << max(-shift, 0), bottom << max(shift, 0))
    bottom <<= max(shift, 0)
    while units >= 1 << digits:  # rest and units into larger units
        rest += bottom * (units & 1)
        units, bottom, shift = units >> 1, bottom * 2, shift + 1
    units += 2 * rest > bottom or (2 * rest == bottom and units & 1)
    return math.copysign(math.ldexp(units, shift), number)


def convert(number, to_type):
    if to_type == "i1":
        return int(number != 0)
    if to_type == "f64":
        return rounded(number, 53)
    if to_type == "f32":
        number = rounded(number, 24)
        return math.copysign(math.inf, number) if abs(number) >= 2.0 ** 128 else number
    if isinstance(number, int):
        return wrap(to_type, number)
    low, high = limits(to_type)
    return 0 if math.isnan(number) else low if number <= low else high if number >= high else int(number)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shift(element, a, b, left):
    amount = b % (1 << BITS[element])
    if amount >= BITS[element]:
        return 0 if left or a >= 0 else -1
    return a << amount if left else a >> amount


BINARY = {"add": lambda e, a, b: a + b, "sub": lambda e, a, b: a - b, "mul": lambda e, a, b: a * b,
          "div": lambda e, a, b: quotient(a, b) if b else -1, "rem": lambda e, a, b: a - quotient(a, b) * b if b else a,
          "mod": lambda e, a, b: a % b if b else a, "minimum": lambda e, a, b: min(a, b),
          "maximum": lambda e, a, b: max(a, b), "and": lambda e, a, b: a & b, "or": lambda e, a, b: a | b,
          "xor": lambda e, a, b: a ^ b, "shl": lambda e, a, b: shift(e, a, b, True),
          "shr": lambda e, a, b: shift(e, a, b, False)}
UNARY = {"neg": lambda a: -a, "abs": abs, "sign": lambda a: (a > 0) - (a < 0), "not": lambda a: ~a}
COMPARE = {"eq": lambda a, b: a == b, "lt": lambda a, b: a < b, "ge": lambda a, b: a >= b}


class Values:
    """A value of the program and its numbers."""

    def __init__(self, text, element, numbers):
        self.element, self.numbers = element, numbers
        if text.startswith("%"):
            self.name = text
        else:
            self.name = f"%v{len(LINES)}"
            LINES.append(f"  {self.name} = tgraph.{text}")

    def type(self):
        return f"tensor<{len(self.numbers)}x{self.element}>"


def cast(x, to_type):
    return Values(f"cast {x.name} : {x.type()} to tensor<{len(x.numbers)}x{to_type}>", to_type,
                  [convert(number, to_type) for number in x.numbers])


def give(name, parts):
    """Joined, so that results are few."""
    numbers = [number for part in parts for number in part.numbers]
    element = parts[0].element
    kind = f"tensor<{len(numbers)}x{element}>"
    joined = Values(f"concat {', '.join(part.name for part in parts)} dim 0 : {', '.join(part.type() for part in parts)} "
                    f"-> {kind}", element, numbers)
    RESULTS.append((name, joined))


def operations(x, y):
    element, pairs = x.element, list(zip(x.numbers, y.numbers))
    for name, compute in BINARY.items():
        yield Values(f"{name} {x.name}, {y.name} : {x.type()}", element,
                     [wrap(element, compute(element, a, b)) for a, b in pairs])
    for name, compute in UNARY.items():
        yield Values(f"{name} {x.name} : {x.type()}", element, [wrap(element, compute(a)) for a in x.numbers])
    for predicate, compute in COMPARE.items():
        condition = Values(f"compare {predicate}, {x.name}, {y.name} : {x.type()}", "i1", [])
        yield Values(f"select {condition.name}, {x.name}, {y.name} : {x.type()}", element,
                     [a if compute(a, b) else b for a, b in pairs])


def write(folder, name, element, numbers):
    code, letter = NPY[element], "?" if element == "i1" else struct_letter(element)
    header = f"{{'descr': '{'|' if code[1] == '1' else '<'}{code}', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    with open(f"{folder}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + (header.ljust(117) + "\n").encode())
        file.write(struct.pack(f"<{len(numbers)}{letter}", *numbers))


def run(folder, tool, device, references):
    command = [tool, f"{folder}/p.mlir", f"--device={device}", "--max-error=0", "--no-cache"]
    command += [f"--input={folder}/{name}.npy" for name in "xyd"] + [f"--compare={name}" for name in references]
    done = subprocess.run(command, capture_output=True, text=True)
    same = len([line for line in done.stdout.split("\n") if line.startswith("compare ") and line.endswith(": ok")])
    if done.returncode or same != (len(references) if "interpreter" not in references else 2 * len(RESULTS)):
        sys.exit(f"{device}:\n{done.stdout}{done.stderr}")
    print(f"{device}: {same} comparisons hold")


def main():
    folder, tool, *devices = sys.argv[1:]
    inputs = [Values("%x", "i64", X), Values("%y", "i64", Y), Values("%d", "f64", D)]
    sources = [inputs[2], cast(inputs[2], "f32")]
    for element in INTEGERS:
        x, y = (value if element == "i64" else cast(value, element) for value in inputs[:2])
        sources.append(x)
        give(f"ops_{element}", list(operations(x, y)))
    for to_type in WIDE:
        give(f"to_{to_type}", [cast(x, to_type) for x in sources if x.element != to_type])
    kinds = ", ".join(f'{result.type()} {{tgraph.name = "{name}"}}' for name, result in RESULTS)
    arguments = ", ".join(f"{value.name}: {value.type()}" for value in inputs)
    with open(f"{folder}/p.mlir", "w") as file:
        file.write(f"func.func @main({arguments}) -> ({kinds}) {{\n" + "\n".join(LINES) +
                   f"\n  return {', '.join(result.name for _, result in RESULTS)} : "
                   f"{', '.join(result.type() for _, result in RESULTS)}\n}}\n")
    for name, value in [(value.name[1:], value) for value in inputs] + RESULTS:
        write(folder, name, value.element, value.numbers)
    for device in devices:
        files = [f"{name}={folder}/{name}.npy" for name, _ in RESULTS]
        run(folder, tool, device, files + ["interpreter"] * (device == devices[0]))


main()
