"""Writes descriptions (see check-numbers.py) of models of one Attention or RotaryEmbedding with drawn attributes and
inputs, and what the operators' texts make of them, computed here one element at a time.

Usage: draw-attention.py FOLDER SEED COUNT
"""
import itertools
import math
import os
import random
import sys


class Tensor:
    def __init__(self, shape, values):
        self.shape, self.values = tuple(shape), list(values)

    def at(self, *index):
        place = 0
        for i, extent in zip(index, self.shape):
            place = place * extent + i
        return self.values[place]

    def text(self):
        return " ".join(repr(float(v)) if isinstance(v, float) else str(v) for v in self.values)


def fill(shape, function):
    return Tensor(shape, [function(*index) for index in itertools.product(*map(range, shape))])


class Model:
    def __init__(self, opset):
        self.lines = [f"opset {opset}"]

    def init(self, name, kind, tensor):
        self.lines.append(f"init {name} {kind} {list(tensor.shape)} = {tensor.text()}")

    def output(self, name, kind, tensor):
        self.lines.append(f"# expect {name} = {tensor.text()}")
        self.lines.append(f"output {name} {kind} {list(tensor.shape)}")

    def write(self, path):
        with open(path, "w") as file:
            file.write("\n".join(self.lines) + "\n")


def numbers(draw, *shape):
    return fill(shape, lambda *_: round(draw.uniform(-1, 1), 3))


def join(x):
    """[batch, heads, tokens, width] -> [batch, tokens, heads * width]"""
    b, h, t, w = x.shape
    return fill((b, t, h * w), lambda i, j, k: x.at(i, k // w, j, k % w))


def attention(draw, path):
    batch, heads, group = draw.randint(1, 2), draw.randint(1, 2), draw.randint(1, 3)
    queries, keys, width, values = draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 4), draw.randint(1, 4)
    past = draw.choice([0, 0, 2])
    total = past + keys
    q = numbers(draw, batch, heads * group, queries, width)
    k, v = numbers(draw, batch, heads, keys, width), numbers(draw, batch, heads, keys, values)
    pastK, pastV = numbers(draw, batch, heads, past, width), numbers(draw, batch, heads, past, values)
    lengths = None
    if draw.random() < 0.3:
        lengths = fill((batch,), lambda _: draw.randint(min(queries, total), total))
    causal, cap = draw.random() < 0.4, draw.choice([0.0, 0.0, 0.5])
    scale, mode = draw.choice([None, 0.3]), draw.randint(0, 3)
    joined = draw.random() < 0.5
    mask, maskKind = None, draw.choice(["", "", "f32", "bool"])
    if maskKind:
        shape = draw.choice([(queries, total), (1, queries, total), (batch, 1, queries, total),
                             (batch, heads * group, queries, total)])
        if total > 2 and draw.random() < 0.3:
            shape = shape[:-1] + (total - 1,)
        mask = numbers(draw, *shape) if maskKind == "f32" else fill(shape, lambda *i: int(i[-1] == 0 or draw.random() < 0.7))

    def masked(b, h, i, j):
        """What is added to a score; None forbids it."""
        if lengths and j >= lengths.at(b):
            return None
        before = lengths.at(b) - queries if lengths and not past else past
        if causal and j > i + before:
            return None
        if not mask:
            return 0.0
        if j >= mask.shape[-1]:
            return None
        index = [b, h, i, j][4 - len(mask.shape):]
        found = mask.at(*[0 if extent == 1 else n for n, extent in zip(index, mask.shape)])
        return (0.0 if found else None) if maskKind == "bool" else found

    def key(b, h, j, d):
        return pastK.at(b, h, j, d) if j < past else k.at(b, h, j - past, d)

    def value(b, h, j, d):
        return pastV.at(b, h, j, d) if j < past else v.at(b, h, j - past, d)

    factor = scale if scale is not None else 1 / math.sqrt(width)
    shape = (batch, heads * group, queries, total)
    raw = fill(shape, lambda b, h, i, j: factor * sum(q.at(b, h, i, d) * key(b, h // group, j, d) for d in range(width)))
    capped = fill(shape, lambda *n: cap * math.tanh(raw.at(*n) / cap)) if cap else raw

    def biased(*n):
        more = masked(*n)
        return -math.inf if more is None else capped.at(*n) + more
    scores = fill(shape, biased)

    def weight(b, h, i, j):
        row = [scores.at(b, h, i, n) for n in range(total)]
        powers = [math.exp(s - max(row)) for s in row]
        return powers[j] / sum(powers)
    # Of rows in which all is forbidden the text says nothing.
    if any(all(scores.at(b, h, i, j) == -math.inf for j in range(total))
           for b, h, i in itertools.product(*map(range, shape[:3]))):
        return False
    weights = fill(shape, weight)
    y = fill((batch, heads * group, queries, values),
             lambda b, h, i, d: sum(weights.at(b, h, i, j) * value(b, h // group, j, d) for j in range(total)))
    model = Model(24)
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        model.init(name, "f32", join(tensor) if joined else tensor)
    inputs = ["q", "k", "v", '""', '""', '""', '""']
    if mask:
        model.init("mask", maskKind, mask)
        inputs[3] = "mask"
    if past:
        model.init("pastk", "f32", pastK)
        model.init("pastv", "f32", pastV)
        inputs[4:6] = ["pastk", "pastv"]
    if lengths:
        model.init("lengths", "i64", lengths)
        inputs[6] = "lengths"
    attributes = f"is_causal={int(causal)} qk_matmul_output_mode={mode}"
    if cap:
        attributes += f" softcap={cap}"
    if scale is not None:
        attributes += f" scale={scale}"
    if joined:
        attributes += f" q_num_heads={heads * group} kv_num_heads={heads}"
    model.lines.append(f"node Attention {' '.join(inputs)} -> y keys values inside : {attributes}")
    model.output("y", "f32", join(y) if joined else y)
    model.output("keys", "f32", fill((batch, heads, total, width), key))
    model.output("values", "f32", fill((batch, heads, total, values), value))
    inside = [raw, capped, scores, weights][mode]
    if all(math.isfinite(x) for x in inside.values):
        model.output("inside", "f32", inside)
    model.write(path)
    return True


def rotary(draw, path):
    batch, heads, tokens, half = draw.randint(1, 2), draw.randint(1, 3), draw.randint(1, 4), draw.randint(1, 3)
    rest = draw.choice([0, 0, 1, 3])
    width, rows = 2 * half + rest, 6
    x = numbers(draw, batch, heads, tokens, width)
    pairs, positions = draw.random() < 0.5, draw.random() < 0.5
    places = fill((batch, tokens), lambda *_: draw.randint(0, rows - 1))
    table = (rows, half) if positions else (batch, tokens, half)
    cosine, sine = numbers(draw, *table), numbers(draw, *table)

    def rotated(b, h, t, d):
        if d >= 2 * half:
            return x.at(b, h, t, d)
        n = d // 2 if pairs else d % half
        first, second = (2 * n, 2 * n + 1) if pairs else (n, n + half)
        index = (places.at(b, t), n) if positions else (b, t, n)
        a, c = x.at(b, h, t, first), x.at(b, h, t, second)
        return (a * cosine.at(*index) - c * sine.at(*index) if d == first else
                a * sine.at(*index) + c * cosine.at(*index))
    y = fill(x.shape, rotated)
    model, joined = Model(23), draw.random() < 0.5
    model.init("x", "f32", join(x) if joined else x)
    model.init("cosine", "f32", cosine)
    model.init("sine", "f32", sine)
    if positions:
        model.init("places", "i64", places)
    attributes = f"interleaved={int(pairs)}"
    if rest or draw.random() < 0.5:
        attributes += f" rotary_embedding_dim={2 * half}"
    if joined:
        attributes += f" num_heads={heads}"
    model.lines.append(f"node RotaryEmbedding x cosine sine {'places' if positions else ''} -> y : {attributes}")
    model.output("y", "f32", join(y) if joined else y)
    model.write(path)
    return True


def main(folder, seed, count):
    draw = random.Random(int(seed))
    os.makedirs(folder, exist_ok=True)
    for kind in (attention, rotary):
        made = 0
        while made < int(count):
            made += kind(draw, os.path.join(folder, f"{kind.__name__}-{made}.txt"))


main(*sys.argv[1:])
