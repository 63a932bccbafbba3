"""Writes a program of convolutions with infinities and NaN in weights, images or both, and its inputs.

Usage: special-convolutions.py FOLDER [f32|bf16|f16] [seen]
seen: no tap of an infinite weight has padding alone.
"""
import os
import random
import struct
import sys

folder, element = sys.argv[1], (sys.argv[2:] or ["f32"])[0]
seen = "seen" in sys.argv[3:]
draw = random.Random(3)
os.makedirs(folder, exist_ok=True)


def values(shape, special):
    """Small integers; about one in 60 is no finite number."""
    count = 1
    for extent in shape:
        count *= extent
    numbers = [float(draw.choice([-2, -1, 1, 2, 3])) for _ in range(count)]
    if special:
        for _ in range(1 + count // 60):
            numbers[draw.randrange(count)] = draw.choice([float("inf"), -float("inf"), float("nan")])
    return struct.pack(f"<{count}f", *numbers)


def tensor(shape, type=element):
    return f"tensor<{'x'.join(map(str, shape))}x{type}>"


body, arguments, results = [], [], []


def argument(shape, special):
    name = f"a{len(arguments)}"
    data = values(shape, special)
    header = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)
    arguments.append(f'%{name}: {tensor(shape, "f32")} {{tgraph.name = "{name}"}}')
    return cast(name, shape)


def constant(shape, special):
    name = f"c{len(body)}"
    data = values(shape, special).hex().upper()
    body.append(f'%{name} = tgraph.constant dense<"0x{data}"> : {tensor(shape, "f32")}')
    return cast(name, shape)


def cast(name, shape):
    if element == "f32":
        return name
    body.append(f'%{name}n = tgraph.cast %{name} : {tensor(shape, "f32")} to {tensor(shape)}')
    return name + "n"


def convolve(x, w, strides=None, dilations=None, low=None, high=None, groups=1, weights="constant", special="w",
             channels_last=False, padded_before=None, spread=False):
    """`weights` are a constant or an argument; `special` says which of x and w hold what is not finite."""
    rank = len(x) - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    low, high = low or [1] * rank, high or low or [1] * rank
    image = argument(x, "x" in special)
    factor = (constant if weights == "constant" else argument)(w, "w" in special)
    n = len(body)
    if channels_last:
        order = [0, rank + 1, *range(1, rank + 1)]
        turned = [x[i] for i in order]
        body.append(f"%p{n} = tgraph.permute %{image} {order} : {tensor(x)} -> {tensor(turned)}")
        image, x = f"p{n}", turned
    if spread:  # as a transposed convolution of stride 2 is imported
        image, x = pad(image, x + [1], [0] * (rank + 3), [0] * (rank + 2) + [1])
        wide = x[:-2] + [2 * x[-2]]
        body.append(f"%r{n} = tgraph.reshape %{image} : {tensor(x)} -> {tensor(wide)}")
        image, x = f"r{n}", wide
    if padded_before:
        image, x = pad(image, x, [0, 0] + padded_before, [0, 0] + padded_before)
    y = [x[0], w[0]]
    for i in range(rank):
        y.append((x[i + 2] + low[i] + high[i] - dilations[i] * (w[i + 2] - 1) - 1) // strides[i] + 1)
    body.append(f"%y{n} = tgraph.conv %{image}, %{factor} strides {strides} dilations {dilations} pad_low {low} "
                f"pad_high {high} groups {groups} : {tensor(x)}, {tensor(w)} -> {tensor(y)}")
    results.append((f"y{n}", y))


def pad(name, x, low, high):
    n = len(body)
    if x[-1] == 1 and len(low) > len(x) - 1 and high[-1]:
        body.append(f"%u{n} = tgraph.reshape %{name} : {tensor(x[:-1])} -> {tensor(x)}")
        name = f"u{n}"
    y = [a + b + c for a, b, c in zip(x, low, high)]
    body.append(f"%q{n} = tgraph.pad %{name} low {low} high {high} value 0.0 : {element} : {tensor(x)} -> {tensor(y)}")
    return f"q{n}", y


for weights in ("constant", "argument"):
    convolve([1, 5, 7, 9], [20, 5, 3, 3], weights=weights)
    convolve([2, 6, 9, 33], [37, 6, 3, 3], weights=weights, special="xw")
    convolve([1, 8, 8, 8], [9, 8, 5, 5], low=[2, 2], weights=weights)
    convolve([1, 4, 11, 10], [6, 4, 3, 3], strides=[2, 3], dilations=[2, 1], low=[2, 0], high=[1, 2], weights=weights)
    convolve([1, 19, 9, 11], [19, 1, 3, 3], groups=19, weights=weights)
    convolve([1, 6, 7, 8], [10, 3, 3, 3], groups=2, weights=weights)
    convolve([1, 7, 9, 32], [32, 32, 3, 3], channels_last=True, weights=weights)
    convolve([1, 3, 12], [5, 3, 4], low=[3], weights=weights)
    if not seen:
        convolve([1, 8, 5, 6], [12, 8, 3, 3], dilations=[6, 4], low=[6, 4], weights=weights)
convolve([1, 16, 14, 14], [32, 16, 3, 3], special="x")
convolve([1, 16, 7, 7], [64, 16, 3, 3], special="x")
convolve([1, 16, 5, 6], [32, 16, 3, 3], dilations=[5, 6], low=[5, 6], special="x")
convolve([3, 12, 1, 2], [12, 1, 5, 5], groups=12, low=[2, 2], special="x")
convolve([1, 24, 8, 8], [24, 1, 5, 5], groups=24, low=[2, 2], special="x")
convolve([1, 3, 5, 6], [4, 3, 3, 3], low=[0, 0], padded_before=[1, 1])
convolve([1, 3, 5, 6], [4, 3, 1, 3], low=[0, 2], spread=True)
convolve([1, 2, 3, 4, 5], [3, 2, 3, 3, 3])

names = ", ".join("%" + name for name, _ in results)
types = ", ".join(tensor(shape) for _, shape in results)
with open(os.path.join(folder, "program.mlir"), "w") as file:
    file.write(f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n  ")
    file.write("\n  ".join(body))
    file.write(f"\n  return {names} : {types}\n}}\n")
