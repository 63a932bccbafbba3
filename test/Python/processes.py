# RUN: %venv_python %s
# Threads that call and compile at once, children made by fork, import.
import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tensorwright as tw
from programs import ADD, compiled

LARGE = """
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = tgraph.contract "mk,kn->mn" %x, %y : tensor<256x256xf32>, tensor<256x256xf32> -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}"""


def run_all(count, function):
    failures = []

    def guarded(i):
        try:
            function(i)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Threads(unittest.TestCase):
    def test_short_calls(self):
        model = tw.compile(ADD)

        def call(i):
            random = np.random.default_rng(i)
            for _ in range(500):
                x, y = random.standard_normal((2, 4, 8), "float32")
                np.testing.assert_array_equal(model(x, y), x + y)

        run_all(8, call)

    def test_long_calls(self):
        model = compiled(LARGE)

        def call(i):
            random = np.random.default_rng(i)
            for _ in range(6):
                x, y = random.integers(-3, 4, (2, 256, 256)).astype("float32")
                np.testing.assert_array_equal(model(x, y), x @ y)

        run_all(8, call)

    def test_others_go_on(self):
        model = compiled(LARGE)
        x = np.ones((256, 256), "float32")
        model(x, x)
        stop = time.monotonic() + 0.5
        counted = [0]

        def count(_):
            while time.monotonic() < stop:
                counted[0] += 1

        thread = threading.Thread(target=count, args=(0,))
        thread.start()
        while time.monotonic() < stop:
            model(x, x)
        thread.join()
        self.assertGreater(counted[0], 1000)

    def test_compile_at_once(self):
        def compile(i):
            size = 16 + i
            model = tw.compile(f"func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{"
                               f"%y = tgraph.neg %x : tensor<{size}xf32> return %y : tensor<{size}xf32> }}")
            x = np.arange(size, dtype="float32")
            np.testing.assert_array_equal(model(x), -x)

        run_all(4, compile)


class Forks(unittest.TestCase):
    def test_fork(self):
        model = compiled(LARGE)
        x = np.random.default_rng(1).integers(-3, 4, (256, 256)).astype("float32")
        buffer = tw.Buffer.copy_of(x)
        expected = model(x, x)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                good = np.array_equal(model(x, x), expected)
                good = good and np.array_equal(model(buffer, x).numpy(), expected)
                text = ADD.replace("4x8", "2x2")
                good = good and np.array_equal(tw.compile(text)(np.ones((2, 2), "float32"), np.ones((2, 2), "float32")),
                                               np.full((2, 2), 2))
                status = 0 if good else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        np.testing.assert_array_equal(model(x, x), expected)


class Import(unittest.TestCase):
    def run_python(self, text):
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.split()

    def test_what_import_loads(self):
        out = self.run_python(
            "import sys, tensorwright as tw\n"
            "maps = open('/proc/self/maps').read()\n"
            "print('numpy' in sys.modules, 'libLLVM' in maps, 'libtensorwright' in maps)"
        )
        self.assertEqual(out, ["False", "False", "False"])

    def test_time(self):
        times = [
            float(self.run_python("import time; t = time.process_time(); import tensorwright; print(time.process_time() - t)")[0])
            for _ in range(5)
        ]
        self.assertLess(min(times), 0.06)


if __name__ == "__main__":
    unittest.main()
