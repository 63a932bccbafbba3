# REQUIRES: jax
# RUN: %venv_python %s
# RUN: %venv_python %s --jax-first
# Arrays of JAX: no copies, never written to; LLVM of jaxlib and of the compiler in one process, in
# both orders.
import sys
import unittest

if "--jax-first" in sys.argv:
    import jax

    jax.jit(lambda x: x + 1)(1.0)
    sys.argv.remove("--jax-first")
import tensorwright as tw
from programs import ADD, compiled

add = compiled(ADD)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from tensorwright import _tensorwright  # noqa: E402


class Arrays(unittest.TestCase):
    def setUp(self):
        self.x = jnp.arange(32.0).reshape(4, 8)
        self.y = jnp.ones((4, 8))

    def test_no_copies(self):
        self.assertEqual(_tensorwright.address_of(self.x), self.x.unsafe_buffer_pointer())
        result = add(self.x, y=self.y)
        self.assertIsInstance(result, jax.Array)
        self.assertEqual((add.copied, result.unsafe_buffer_pointer() % 64), (0, 0))
        np.testing.assert_array_equal(result, self.x + self.y)
        np.testing.assert_array_equal(jax.jit(lambda r: r * 2)(result), (self.x + self.y) * 2)
        buffer = tw.Buffer.copy_of(self.x)
        self.assertEqual(jax.dlpack.from_dlpack(buffer).unsafe_buffer_pointer(), buffer.address)

    def test_traced(self):
        double = tw.jit(lambda tree: {"y": tree["x"] * 2 + tree["k"]})
        result = double({"x": self.x, "k": 1.0})["y"]
        self.assertIsInstance(result, jax.Array)
        np.testing.assert_array_equal(result, self.x * 2 + 1)
        double({"x": np.asarray(self.x), "k": 1.0})
        self.assertEqual(double.cache_size, 1)
        constant = tw.jit(lambda x: x + self.y)(np.asarray(self.x))
        np.testing.assert_array_equal(constant, self.x + self.y)

    def test_results_stay(self):
        results = [add(self.x * i, self.y) for i in range(10)]
        for i, result in enumerate(results):
            np.testing.assert_array_equal(result, self.x * i + self.y)

    def test_small_floats(self):
        model = compiled(
            "func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> { %y = tgraph.neg %x : tensor<4xbf16> return %y : tensor<4xbf16> }"
        )
        x = jnp.array([1, -2, 0.5, 3], jnp.bfloat16)
        result = model(x)
        self.assertEqual(result.dtype, jnp.bfloat16)
        np.testing.assert_array_equal(result, -x)

    def test_never_written(self):
        with self.assertRaisesRegex(tw.ArgumentError, "cannot be written in place"):
            add(self.x, self.y, out=self.x)

    def test_deleted(self):
        gone = jnp.ones((4, 8))
        gone.delete()
        with self.assertRaisesRegex(tw.ArgumentError, "cannot be shared"):
            add(gone, self.y)

    def test_both_compilers(self):
        model = tw.compile(ADD.replace("4x8", "6x8"))
        ones = jnp.ones((6, 8))
        np.testing.assert_array_equal(model(ones, jax.jit(jnp.exp)(ones)), ones + jnp.exp(ones))


if __name__ == "__main__":
    unittest.main()
