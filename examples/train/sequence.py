"""Trains an LSTM to add the two marked numbers of a sequence: examples/train/sequence.py [STEPS]

Who always says 1 has a mean squared error of 0.167.
"""
import sys

import numpy as np
import tensorwright as tw

nn = tw.nn
LENGTH, BATCH = 20, 64


def draw(rng):
    """Numbers and marks [LENGTH, BATCH, 2], and sums [BATCH]."""
    x = np.zeros((LENGTH, BATCH, 2), "float32")
    x[..., 0] = rng.uniform(0, 1, (LENGTH, BATCH))
    for column in range(BATCH):
        x[rng.choice(LENGTH, 2, replace=False), column, 1] = 1
    return x, (x[..., 0] * x[..., 1]).sum(0)


class Network(nn.Module):
    def __init__(self):
        self.lstm, self.head = nn.LSTM(2, 32), nn.Linear(32, 1)

    def __call__(self, x):
        _, (h, _) = self.lstm(x)
        return self.head(h[0])[:, 0]


optimizer = tw.optim.Adam(1e-2)


@tw.jit
def step(model, state, x, sums):
    value, gradients = tw.value_and_grad(lambda model: tw.mse_loss(model(x), sums))(model)
    return value, *optimizer.update(model, tw.optim.clip_by_norm(gradients, 1.0), state)


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng, losses = np.random.default_rng(0), tw.data.Receiver()
    tw.init.manual_seed(0)
    model = Network()
    state = optimizer.init(model)
    for number in range(1, steps + 1):
        value, model, state = step(model, state, *draw(rng))
        losses.put(value)
        if number % 100 == 0:
            print(f"step {number}  loss {losses.take().mean():.4f}", flush=True)


if __name__ == "__main__":
    main()
