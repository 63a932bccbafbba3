# RUN: %venv_python %s --count=3000
# Random calls in any order with anything as arguments: each does what it says or raises an error of
# a documented type, what is returned is right, and everything stays usable.
# `random_calls.py --seed=N --count=N` runs others.
import argparse
import os
import random
import tempfile
import warnings

import numpy as np
import tensorwright as tw
from programs import ADD, TWO_RESULTS, compiled

warnings.simplefilter("ignore")
ALLOWED = (tw.Error, TypeError, BufferError, OverflowError)
DTYPES = ["float32", "int32", "float64", "bool", "int8", "uint16", "complex64", "bfloat16", "int4", "nonsense"]


def draw_shape(rng):
    return rng.choice([(4, 8), (4, 8), (4, 8), (3,), (3,), (), (0,), (8, 4), (4, 8, 1), (-1,), (2,) * 40, "ab", (1 << 40, 1 << 40), 3])


def draw_array(rng, made):
    kind = rng.randrange(12)
    if kind < 3:
        return rng.choice(made) if made else None
    if kind == 3:
        return tw.Buffer(draw_shape(rng), rng.choice(DTYPES), rng.choice(["host", "host", "opencl", "null", "nowhere"]))
    if kind < 8:
        return np.array(np.random.default_rng(rng.randrange(9)).integers(-9, 9, (4, 8)), "float32")
    if kind == 8:
        return np.arange(rng.randrange(64), dtype=rng.choice(["float32", "int32", ">f4", "O", "U3", "datetime64[s]"]))
    if kind == 9:
        base = np.arange(256, dtype="float32").reshape(8, 32)
        return rng.choice([base[::2, ::4], base[:4, :8], base.T[:4, :8], base[:4, :8][::-1], np.broadcast_to(base[0, :8], (4, 8))])
    if kind == 10:
        return rng.choice([None, "x", 3, 2.5, 1j, [1, 2, 3], [[1, "a"]], {}, b"bytes", object(), bytearray(128), memoryview(b"12345678"), tw])
    return np.array([1, 2, 3], "int32")


class Program:
    def __init__(self, rng):
        self.rng = rng
        self.models = [compiled(ADD), compiled(TWO_RESULTS), compiled(ADD, device="null")]
        self.made, self.pending = [], []
        self.folder = tempfile.mkdtemp()

    def keep(self, value):
        for one in value if isinstance(value, tuple) else (value,):
            self.made.append(one)
        del self.made[:-16], self.pending[:-8]

    def call(self):
        arguments = [draw_array(self.rng, self.made) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 2, 3]))]
        named = {name: draw_array(self.rng, self.made) for name in self.rng.sample(["x", "y", "z"], self.rng.choice([0, 0, 0, 1, 2]))}
        if self.rng.random() < 0.2:
            out = draw_array(self.rng, self.made)
            named["out"] = self.rng.choice([out, (out,), [out, out]])
        self.keep(self.rng.choice(self.models)(*arguments, **named))

    def submit(self):
        queue = self.rng.choice([None, None, tw.Queue("host"), tw.Queue("opencl"), 5])
        arguments = [draw_array(self.rng, self.made) for _ in range(2)]
        self.pending.append(self.rng.choice(self.models).submit(*arguments, queue=queue, after=self.rng.choice([(), self.pending, [3]])))

    def finish(self):
        if self.pending:
            self.keep(self.rng.choice(self.pending).result(self.rng.choice([None, 0, 1, -1])))

    def fill(self):
        target = draw_array(self.rng, self.made)
        if isinstance(target, tw.Buffer):
            source = draw_array(self.rng, self.made)
            self.rng.choice([lambda: target.fill(source), target.numpy, lambda: memoryview(target), lambda: target.dtype != "bfloat16" and np.from_dlpack(target),
                             lambda: np.asarray(target), lambda: tw.Buffer.copy_of(source, target.device)])()

    def save(self):
        path = os.path.join(self.folder, "m.twm")
        self.rng.choice(self.models).save(path)
        with open(path, "rb") as file:
            data = bytearray(file.read())
        for _ in range(self.rng.choice([0, 1, 4])):
            data[self.rng.randrange(min(len(data), 4000))] ^= 1 << self.rng.randrange(8)
        tw.load(bytes(data), device=self.rng.choice(["host", "null", "opencl"]), function=self.rng.choice([None, "main", "other"]))

    def build(self):
        words = ADD.split()
        words[self.rng.randrange(len(words))] = self.rng.choice(words)
        tw.compile(" ".join(words), device="null")

    def check(self):
        x, y = np.random.default_rng(self.rng.randrange(99)).standard_normal((2, 4, 8), "float32")
        np.testing.assert_array_equal(self.models[0](x, y=y), x + y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    program = Program(rng)
    steps = [program.call] * 12 + [program.submit] * 3 + [program.finish] * 3 + [program.fill] * 4 + [program.save, program.build, program.check]
    refused = 0
    for number in range(arguments.count):
        step = rng.choice(steps)
        try:
            step()
        except ALLOWED:
            refused += 1
        except ValueError as error:
            # Of numpy, for what it cannot make an array of.
            if type(error).__module__ != "builtins":
                raise
            refused += 1
        if number % 50 == 0:
            program.check()
    print(f"{arguments.count} steps, {refused} refused")
    assert refused < arguments.count * 0.9


if __name__ == "__main__":
    main()
