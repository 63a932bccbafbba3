# RUN: %venv_python %s
# The stub of the extension is what nanobind makes of it, and the package is typed throughout:
# mypy checks it strictly, and a program that uses it.
# `annotations.py --write` writes the stub.
import os
import subprocess
import sys
import tempfile
import unittest

import tensorwright

PACKAGE = os.path.dirname(os.path.realpath(tensorwright.__file__))
STUB = os.path.join(PACKAGE, "_tensorwright.pyi")

PROGRAM = """
import tensorwright as tw

model = tw.compile("x.onnx", device=tw.Device("host", threads=1), dims={"batch": (1, 64), "n": tw.Dim("n", 1, 8)})
shape: tuple[int | str, ...] = model.inputs[0].shape
buffer = tw.Buffer((2, 3), "float32")
pending: tw.Pending = model.submit(buffer, queue=tw.Queue("host"))
result = model(buffer, out=buffer, x=buffer)
layer: tw.Tensor = tw.softmax(tw.relu(result), axis=-1).sum(0)[1:, None].mT
step = tw.jit(tw.value_and_grad(lambda w: tw.sum(w * 2.0)), static_argnames="n", target="host")
value, gradients = step(buffer)
halves = tw.jit(lambda x: x * 0.5, dims={"x": (tw.Dim("n", 1, 8), 3, None)})
parts: tuple[tw.Tensor, ...] = tw.top_k(layer, k=2)
params, state = tw.optim.Adam(1e-3).update(layer, gradients, {})
try:
    tw.load(b"", weights="folder")
except tw.ArgumentError as error:
    text: str = error.code + error.remedy
"""


def make_stub():
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "stub.pyi")
        subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", "tensorwright._tensorwright", "-o", path], check=True)
        with open(path) as file:
            text = file.read()
    # What stands in a type's slot has no signature.
    return text.replace("def __call__(self, /, *args, **kwargs):", "def __call__(self, *args: Any, **kwargs: Any) -> Any:")


def check(*arguments, folder):
    environment = {**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)}
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.path.join(folder, "cache"), *arguments],
        capture_output=True, text=True, env=environment)


class Annotations(unittest.TestCase):
    def test_stub(self):
        with open(STUB) as file:
            self.assertEqual(file.read(), make_stub(), "run test/Python/annotations.py --write")

    def test_types(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as file:
                file.write(PROGRAM)
            done = check(PACKAGE, path, folder=folder)
            self.assertEqual((done.stdout, done.returncode), ("", 0))
            with open(path, "a") as file:
                file.write("wrong: int = model.device\ntw.softmax(layer, axis='x')\n")
            done = check(path, folder=folder)
            self.assertIn('has type "str", variable has type "int"', done.stdout)
            self.assertIn('Argument "axis" to "softmax" has incompatible type "str"', done.stdout)


if __name__ == "__main__":
    if "--write" in sys.argv:
        text = make_stub()
        with open(STUB, "w") as file:
            file.write(text)
    else:
        unittest.main()
