"""Trains a convolutional network with batch norm to tell digits apart: examples/train/convolutional.py [EPOCHS] [CHECKPOINT]

The pictures are those of digits.py, and as there a fifth is kept to test with. With a path the training is written there after each epoch, and
goes on from it when it is there, with the same bits as if it had not stopped.
"""
import os
import sys
import time

import dataset
import tensorwright as tw

nn = tw.nn
EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
PATH = sys.argv[2] if len(sys.argv) > 2 else None


class Network(nn.Module):
    def __init__(self):
        self.conv1, self.norm1 = nn.Conv(1, 16, (3, 3), padding=1, bias=False), nn.BatchNorm(16)
        self.conv2, self.norm2 = nn.Conv(16, 32, (3, 3), padding=1, bias=False), nn.BatchNorm(32)
        self.head = nn.Linear(32 * 2 * 2, 10)

    def __call__(self, x):
        x = tw.reshape(x, (-1, 1, 8, 8))
        x = tw.max_pool(tw.relu(self.norm1(self.conv1(x))), (2, 2))
        x = tw.max_pool(tw.relu(self.norm2(self.conv2(x))), (2, 2))
        return self.head(tw.flatten(x, 1))


BATCH = 32
train, test = dataset.load()
loader = tw.data.Loader(train, BATCH, seed=1)
optimizer = tw.optim.AdamW(tw.optim.cosine_decay(3e-3, EPOCHS * len(loader), warmup=20))


def loss(params, buffers, x, digits):
    model = nn.merge(params, buffers)
    return tw.cross_entropy(model(x), digits, label_smoothing=0.05), nn.split(model)[1]


@tw.jit
def step(params, buffers, state, x, digits):
    (value, buffers), gradients = tw.value_and_grad(loss, has_aux=True)(params, buffers, x, digits)
    return value, *optimizer.update(params, gradients, state), buffers


@tw.jit
def count_right(model, x, digits):
    return tw.sum(tw.astype(tw.argmax(model(x), axis=-1) == digits, "int32"))


def main():
    tw.init.manual_seed(0)
    params, buffers = nn.split(Network())
    training = {"params": params, "buffers": buffers, "optimizer": optimizer.init(params), "data": loader.state()}
    if PATH and os.path.exists(PATH):
        training = tw.checkpoints.load(PATH, like=training)
        loader.restore(training["data"])
    params, buffers, state = training["params"], training["buffers"], training["optimizer"]
    began = time.perf_counter()
    while loader.epoch < EPOCHS:
        losses = tw.data.Receiver()
        for x, digits in loader:
            value, params, state, buffers = step(params, buffers, state, x, digits)
            losses.put(value)
        if PATH:
            tw.checkpoints.save(PATH, {"params": params, "buffers": buffers, "optimizer": state, "data": loader.state()})
        right = count_right(nn.merge(params, buffers).eval(), *test)
        print(f"epoch {loader.epoch}  loss {losses.take().mean():.4f}  accuracy {int(right) / len(test[1]):.3f}  {time.perf_counter() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
