"""Trains a network to tell digits apart, in Python: examples/train/digits.py [EPOCHS]

The pictures are made here: 5 x 7 glyphs at random places of 10 x 10 pixels, of random strength, in
noise. A program for a step and one for predictions are traced and compiled; an epoch runs steps on
batches in a new order.
"""
import sys
import time

import numpy as np
import tensorwright as tw

# A bit for a pixel, five to a row from the top.
GLYPHS = [
    "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111", "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
]
BATCH = 128


def draw(count, rng):
    """Pictures [count, 100] of float32 and the digits on them, int64."""
    glyphs = np.array([[[int(bit) for bit in row] for row in glyph.split()] for glyph in GLYPHS])
    digits = rng.integers(0, 10, count)
    pictures = rng.normal(0, 0.3, (count, 10, 10)).astype("float32")
    for picture, digit, top, left, strength in zip(pictures, digits, rng.integers(0, 4, count), rng.integers(0, 6, count), rng.uniform(0.7, 1.3, count)):
        picture[top : top + 7, left : left + 5] += strength * glyphs[digit]
    return pictures.reshape(count, 100), digits


def init(sizes, rng):
    return [{"weight": (rng.normal(0, 1, (n, k)) * np.sqrt(2 / k)).astype("float32"), "bias": np.zeros(n, "float32")}
            for k, n in zip(sizes, sizes[1:])]


def network(layers, x):
    for layer in layers[:-1]:
        x = tw.gelu(tw.linear(x, layer["weight"], layer["bias"]))
    return tw.linear(x, layers[-1]["weight"], layers[-1]["bias"])


optimizer = tw.optim.AdamW(2e-3, weight_decay=0.01)


@tw.jit
def step(layers, state, x, digits):
    loss, gradients = tw.value_and_grad(lambda layers: tw.cross_entropy(network(layers, x), digits))(layers)
    return loss, *optimizer.update(layers, gradients, state)


@tw.jit
def count_right(layers, x, digits):
    return tw.sum(tw.astype(tw.argmax(network(layers, x), axis=-1) == digits, "int32"))


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    rng = np.random.default_rng(0)
    (x, digits), (test_x, test_digits) = draw(8192, rng), draw(2048, rng)
    layers = init([100, 256, 128, 10], rng)
    state = optimizer.init(layers)
    began = time.perf_counter()
    for epoch in range(1, epochs + 1):
        order, losses = rng.permutation(len(x)), []
        for batch in order.reshape(-1, BATCH):
            loss, layers, state = step(layers, state, x[batch], digits[batch])
            losses.append(loss)
        right = count_right(layers, test_x, test_digits)
        print(f"epoch {epoch}  loss {np.mean(losses):.4f}  accuracy {int(right) / len(test_x):.3f}  {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
