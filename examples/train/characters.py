"""Trains a transformer on the characters of a text: examples/train/characters.py [STEPS] [TEXT]

The text is docs/glossary.md without another path. At the end it writes some characters of its own.
"""
import os
import sys
import time

import numpy as np
import tensorwright as tw

nn = tw.nn
LENGTH, WIDTH, BATCH = 64, 64, 16
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
TEXT = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "../../docs/glossary.md")


class Network(nn.Module):
    def __init__(self, letters):
        self.letters, self.places = nn.Embedding(letters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        block = lambda: nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.1, activation=tw.gelu, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, 2, nn.LayerNorm(WIDTH))
        self.head = nn.Linear(WIDTH, letters)
        for table in (self.letters, self.places):
            table.weight *= 0.1

    def __call__(self, x):
        x = self.letters(x) + self.places(tw.arange(0, LENGTH))
        return self.head(self.blocks(x, is_causal=True))


optimizer = tw.optim.AdamW(tw.optim.cosine_decay(3e-3, STEPS, warmup=30), weight_decay=0.05)


def loss(model, text, key):
    with nn.random(key):
        return tw.cross_entropy(model(text[:, :-1]), text[:, 1:])


@tw.jit
def step(model, state, text):
    value, gradients = tw.value_and_grad(loss)(model, text, state["step"])
    return value, *optimizer.update(model, tw.optim.clip_by_norm(gradients, 1.0), state)


@tw.jit
def predict(model, text, at):
    """The probabilities of what follows the letter at that place."""
    return tw.softmax(tw.take(model(text)[0], at, 0) / 0.7)


def repeat(loader):
    """Batches of one epoch after the other."""
    while True:
        yield from loader


def main():
    with open(TEXT, encoding="utf-8") as file:
        text = file.read()
    letters = sorted(set(text))
    codes = np.array([letters.index(one) for one in text])
    rows = np.stack([codes[i : i + LENGTH + 1] for i in range(len(codes) - LENGTH)])
    tw.init.manual_seed(0)
    model = Network(len(letters))
    state, loader, losses = optimizer.init(model), tw.data.Loader(rows, BATCH, seed=0), tw.data.Receiver()
    began = time.perf_counter()
    for number, batch in zip(range(1, STEPS + 1), repeat(loader)):
        value, model, state = step(model, state, batch)
        losses.put(value)
        if number % 50 == 0:
            print(f"step {number}  loss {losses.take().mean():.3f}  {time.perf_counter() - began:.1f} s", flush=True)
    model.eval()
    rng, made = np.random.default_rng(0), [int(codes[0])]
    for _ in range(min(100, STEPS)):
        shown = made[-LENGTH:]
        padded = np.array([shown + [0] * (LENGTH - len(shown))])
        p = predict(model, padded, len(shown) - 1).astype("float64")
        made.append(int(rng.choice(len(letters), p=p / p.sum())))
    print("".join(letters[one] for one in made))


if __name__ == "__main__":
    main()
