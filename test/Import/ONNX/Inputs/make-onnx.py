"""Writes an ONNX model from a few lines of text; needs nothing but Python.

    opset 17                                  (also: opset DOMAIN VERSION, ir VERSION)
    input x f32 [2, N]                        (a word is a symbolic dimension, ? an unnamed one)
    init w f32 [2] = 1 2                      (or: external FILE OFFSET LENGTH; packed = 1 2)
    node Gemm x w "" -> y : alpha=0.5 axes=[0, 1] mode="linear" name="g" value=i64[2](1 2)
    output y f32 [2, 3]

An attribute `alpha=@b` refers to the attribute b of a function, `alpha=untyped:2` says no kind, and
`alpha=float:2` holds an integer that is declared as a float. Lines that start with # (as RUN and CHECK lines do) are skipped.
"""
import re
import shlex
import struct
import sys

TYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "str": 8, "bool": 9,
         "f16": 10, "f64": 11, "u32": 12, "u64": 13, "f8e4m3fn": 17, "f8e4m3fnuz": 18, "f8e5m2": 19, "f8e5m2fnuz": 20}
CODES = {1: "f", 2: "B", 3: "b", 4: "H", 5: "h", 6: "i", 7: "q", 9: "?", 11: "d", 12: "I", 13: "Q", 17: "B", 18: "B", 19: "B", 20: "B"}


graphs = {}  # by name, for attributes


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def integer(number, value):
    return varint(number << 3) + varint(value)


def data(number, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def dims_of(text):
    return [part.strip() for part in text.strip("[]").split(",") if part.strip()]


def value_info(name, kind, dims):
    shape = b""
    for dim in dims:
        body = integer(1, int(dim)) if dim.lstrip("-").isdigit() else b"" if dim == "?" else data(2, dim)
        shape += data(1, body)
    tensor = integer(1, TYPES[kind]) + data(2, shape)
    return data(1, name) + data(2, data(1, tensor))


def numbers(kind, text):
    return [float(v) if kind in ("f32", "f64") else int(v) for v in text.split()]


def tensor(name, kind, dims, values, packed=False):
    out = b"".join(integer(1, int(d)) for d in dims) + integer(2, TYPES[kind]) + data(8, name)
    if packed:
        return out + data({"f32": 4, "i32": 5, "bool": 5, "i64": 7}[kind], b"".join(
            struct.pack("<f", v) if kind == "f32" else varint(v) for v in values))
    return out + data(9, b"".join(struct.pack("<" + CODES[TYPES[kind]], v) for v in values))


def external(name, kind, dims, location, offset, length):
    out = b"".join(integer(1, int(d)) for d in dims) + integer(2, TYPES[kind]) + data(8, name)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        out += data(13, data(1, key) + data(2, value))
    return out + integer(14, 1)


def attribute(name, text):
    out = data(1, name)
    literal = re.match(r"(\w+)\[([^\]]*)\]\((.*)\)$", text)
    if literal:
        kind, dims, values = literal.groups()
        return out + data(5, tensor("", kind, dims_of(dims), numbers(kind, values))) + integer(20, 4)
    if text.startswith("&"):
        return out + data(6, graphs[text[1:]]) + integer(20, 5)
    if text.startswith("@"):
        return out + data(21, text[1:]) + integer(20, 2)
    if text.startswith("untyped:") or text.startswith("float:"):
        return out + integer(3, int(text.partition(":")[2])) + (integer(20, 1) if text[0] == "f" else b"")
    if text.startswith("["):
        parts = dims_of(text)
        if all(re.match(r"-?\d+$", p) for p in parts):
            return out + b"".join(integer(8, int(p)) for p in parts) + integer(20, 7)
        if all(re.match(r"-?[\d.]+$", p) for p in parts):
            return out + data(7, struct.pack("<%df" % len(parts), *map(float, parts))) + integer(20, 6)
        return out + b"".join(data(9, p) for p in parts) + integer(20, 8)
    if re.match(r"-?\d+$", text):
        return out + integer(3, int(text)) + integer(20, 2)
    if re.match(r"-?[\d.]+(e-?\d+)?$", text):
        return out + varint(2 << 3 | 5) + struct.pack("<f", float(text)) + integer(20, 1)
    return out + data(4, text) + integer(20, 3)


def node(line):
    head, _, tail = line.partition(" : ")
    left, _, right = head.partition("->")
    op, *inputs = shlex.split(left)
    out = b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in shlex.split(right))
    domain, _, op = op.rpartition(":")
    name = ""
    for key, text in re.findall(r'(\w+)=("[^"]*"|\w+\[[^\]]*\]\([^)]*\)|\[[^\]]*\]|\S+)', tail):
        if key == "name":
            name = text.strip('"')
        else:
            out += data(5, attribute(key, text.strip('"')))
    return out + data(3, name) + data(4, op) + (data(7, domain) if domain else b"")


def main(source, target):
    graph, model, ir, outer = data(2, "graph"), b"", 8, []
    for line in open(source):
        word, _, rest = line.strip().partition(" ")
        typed = re.match(r"(\S+) (\w+) (\[[^\]]*\])\s*(.*)", rest)
        if word == "opset":
            domain, _, version = rest.rpartition(" ")
            model += data(8, data(1, domain) + integer(2, int(version)))
        elif word == "graph":
            outer.append((rest, graph))
            graph = data(2, rest)
        elif word == "end":
            name, around = outer.pop()
            graphs[name], graph = graph, around
        elif word == "ir":
            ir = int(rest)
        elif word == "node":
            graph += data(1, node(rest))
        elif word in ("input", "output"):
            name, kind, dims, _ = typed.groups()
            graph += data(11 if word == "input" else 12, value_info(name, kind, dims_of(dims)))
        elif word == "init":
            name, kind, dims, tail = typed.groups()
            if tail.startswith("external"):
                graph += data(5, external(name, kind, dims_of(dims), *tail.split()[1:]))
            else:
                values = numbers(kind, tail.partition("=")[2])
                graph += data(5, tensor(name, kind, dims_of(dims), values, "packed" in tail))
        elif word and not word.startswith("#"):
            sys.exit(f"{source}: unknown line: {line}")
    with open(target, "wb") as out:
        out.write(integer(1, ir) + data(7, graph) + model)


if __name__ == "__main__":
    main(*sys.argv[1:])
