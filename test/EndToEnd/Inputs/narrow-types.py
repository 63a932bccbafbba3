"""Writes p.mlir, conversions to, from and between narrow floats; x.npy, d.npy and i.npy for it: ties, overflow, denormals,
infinities and NaN; a.npy and b.npy: 77 x 77 of bf16 whose products are exact in f32, but for infinities and NaN in a few rows."""
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "dev"))
from element_types import BIAS, LARGEST, MANTISSA, NARROW_FLOATS

INF, NAN = float("inf"), float("nan")
X = [0.0, -0.0, 1.0, 1.00390625, 1.01171875, -1.0039063, 3.3895e38, 3.4e38, INF, -INF, NAN, 1e-40, -9.2e-41, 4.6e-41,
     65519.0, 65520.0, 6e-8, 2.9802322e-8, 2.98023260e-8, -127.5, 300.0]
# Just above ties of bf16 and f16, by less than f32 sees: rounding twice would go down.
D = [1.0039062500000002, 1.00390625, -1.0039062500000002, 1.0004882812500002, 1e300, -1e-300, NAN, 65519.99999999999,
     -0.0, 2.980232238769532e-08, 1.0117187499999998]
I = [16777217, 2147483647, -2147483648, 257, 258, 259, -3, 0, 2049]
for name in NARROW_FLOATS:
    step, bias, most = 2.0 ** -MANTISSA[name], BIAS[name], LARGEST[name]
    least, last = 2.0 ** (1 - bias) * step, step * 2.0 ** math.floor(math.log2(most))
    near = [1 + step / 2, 1 + 3 * step / 2, most, most + last / 2, least / 2, 3 * least / 2,
            2.0 ** (1 - bias) - least / 2, 2.0 ** (1 - bias) + least / 2]
    if bias < 127:
        X += [sign * value * (1 + more) for value in near for more in (0, 2.0 ** -22, -(2.0 ** -22)) for sign in (1, -1)]
    D += [sign * value * (1 + more) for value in near for more in (0, 2.0 ** -51, -(2.0 ** -51)) for sign in (1, -1)]
LINES, RESULTS = [], []


def cast(x, from_type, size, to_type):
    name = f"%v{len(LINES)}"
    LINES.append(f"  {name} = tgraph.cast {x} : tensor<{size}x{from_type}> to tensor<{size}x{to_type}>")
    RESULTS.append((name, f"tensor<{size}x{to_type}>"))
    return name


for name in NARROW_FLOATS:
    narrow = cast("%x", "f32", len(X), name)
    for to_type in ["f32", "f64", "i8", "i1"] + [other for other in NARROW_FLOATS if other != name]:
        cast(narrow, name, len(X), to_type)
    cast("%d", "f64", len(D), name)
    cast("%i", "i32", len(I), name)
    LINES.append(f"  %iota_{name} = tgraph.iota dim 0 : tensor<5x{name}>")
    RESULTS.append((f"%iota_{name}", f"tensor<5x{name}>"))
kinds = ", ".join(f'{kind} {{tgraph.name = "{name[1:]}"}}' for name, kind in RESULTS)
with open(f"{sys.argv[1]}/p.mlir", "w") as file:
    file.write(f"func.func @main(%x: tensor<{len(X)}xf32>, %d: tensor<{len(D)}xf64>, %i: tensor<{len(I)}xi32>) -> ({kinds}) {{\n"
               + "\n".join(LINES) + f"\n  return {', '.join(name for name, _ in RESULTS)} : "
               f"{', '.join(kind for _, kind in RESULTS)}\n}}\n")


def bf16(x):
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


A = [bf16(NAN if i == 80 else INF if i in (160, 240) else (i * i + i // 77) % 31 - 15) for i in range(77 * 77)]
B = [bf16((i * 7 + i // 77) % 29 - 14) for i in range(77 * 77)]
for name, kind, letter, shape, values in (("x", "<f4", "f", f"{len(X)},", X), ("d", "<f8", "d", f"{len(D)},", D), ("i", "<i4", "i", f"{len(I)},", I),
                                          ("a", "|V2", "H", "77, 77", A), ("b", "|V2", "H", "77, 77", B)):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}".ljust(117) + "\n"
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{letter}", *values))
