"""Writes x.npy, d.npy and i.npy: ties, overflow, denormals, infinities and NaN of bf16 and f16; a.npy and b.npy: 77 x 77 of bf16 whose
products are exact in f32, but for infinities and NaN in a few rows."""
import struct
import sys

INF, NAN = float("inf"), float("nan")
X = [0.0, -0.0, 1.0, 1.00390625, 1.01171875, -1.0039063, 3.3895e38, 3.4e38, INF, -INF, NAN, 1e-40, -9.2e-41, 4.6e-41,
     65519.0, 65520.0, 6e-8, 2.9802322e-8, 2.98023260e-8, -127.5, 300.0]
# Just above ties of bf16 and f16, by less than f32 sees: rounding twice would go down.
D = [1.0039062500000002, 1.00390625, -1.0039062500000002, 1.0004882812500002, 1e300, -1e-300, NAN, 65519.99999999999,
     -0.0, 2.980232238769532e-08, 1.0117187499999998]
I = [16777217, 2147483647, -2147483648, 257, 258, 259, -3, 0, 2049]


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
