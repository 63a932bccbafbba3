# RUN: %venv_python %s
# Functions that are traced for ranges of sizes: one program for all of them.
import unittest

import numpy as np
import tensorwright as tw

BATCH, LENGTH = tw.Dim("batch", 0, 8), tw.Dim("length", 1, 40)
WEIGHT = np.random.default_rng(0).standard_normal((6, 5), "float32")


def attend(x, weight):
    """Attention of rows on those before them, through products of all rows at once, and means of rows."""
    batch, length, width = x.shape
    rows = (x.reshape(batch * length, width) @ weight).reshape(batch, length, weight.shape[1])
    scores = rows @ rows.mT / width**0.5
    position = tw.arange(0, length, 1)
    scores = tw.where(position[:, None] >= position[None, :], scores, -1e9)
    mixed = tw.softmax(scores, axis=-1) @ rows
    return mixed, tw.mean(mixed, axis=1), mixed[:, -1]


def reference(x, weight):
    rows = x @ weight
    scores = rows @ rows.swapaxes(1, 2) / x.shape[2] ** 0.5
    scores = np.where(np.tri(x.shape[1], dtype=bool), scores, -1e9)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = scores / scores.sum(-1, keepdims=True) @ rows
    return mixed, mixed.mean(1), mixed[:, -1]


class Dims(unittest.TestCase):
    def test_one_program_for_all_sizes(self):
        f = tw.jit(attend, dims={"x": (BATCH, LENGTH, None)})
        for batch, length in ((2, 7), (1, 1), (0, 3), (8, 40), (3, 13), (5, 32)):
            x = np.random.default_rng(length).standard_normal((batch, length, 6), "float32")
            for found, expected in zip(f(x, WEIGHT), reference(x, WEIGHT)):
                np.testing.assert_allclose(found, expected, atol=1e-5)
        self.assertEqual(f.cache_size, 1)

    def test_other_sizes_have_programs(self):
        f = tw.jit(lambda x: x * 2, dims={"x": (BATCH, None)})
        for shape in ((2, 3), (4, 3), (4, 5)):
            self.assertEqual(f(np.ones(shape, "float32")).shape, shape)
        self.assertEqual(f.cache_size, 2)

    def test_parts_of_trees(self):
        f = tw.jit(lambda p: p["w"] @ p["x"], dims={"p.x": (None, LENGTH)})
        for length in (1, 11):
            self.assertEqual(f({"w": np.ones((2, 3), "float32"), "x": np.ones((3, length), "float32")}).shape, (2, length))
        self.assertEqual(f.cache_size, 1)

    def test_sorts(self):
        f = tw.jit(lambda x: (tw.sort(x, axis=1), tw.argsort(x, axis=1, descending=True)), dims={"x": (BATCH, LENGTH)})
        for batch, length in ((2, 7), (1, 1), (0, 3), (8, 40), (3, 13)):
            x = np.random.default_rng(length).integers(-5, 5, (batch, length)).astype("float32")
            rows, places = f(x)
            np.testing.assert_array_equal(rows, np.sort(x, axis=1))
            np.testing.assert_array_equal(places, np.argsort(-x, axis=1, kind="stable"))
        self.assertEqual(f.cache_size, 1)

    def test_quotients(self):
        def f(x):
            patches = x.reshape(x.shape[0] // 4, 4, 3)
            return (patches - tw.mean(patches, axis=1, keepdims=True)).reshape(x.shape[0], 3)

        def halves(x):
            half = x.shape[0] // 2
            return tw.concat((x[half:] * 2, x[:half]), axis=0)

        f, halves = tw.jit(f, dims={"x": (tw.Dim("n", 0, 40, 4), None)}), tw.jit(halves, dims={"x": (LENGTH, None)})
        for length in (4, 20, 40):
            x = np.random.default_rng(length).standard_normal((length, 3), "float32")
            parts = x.reshape(-1, 4, 3)
            np.testing.assert_allclose(f(x), (parts - parts.mean(1, keepdims=True)).reshape(length, 3), atol=1e-6)
        for length in (1, 7, 40):
            x = np.random.default_rng(length).standard_normal((length, 3), "float32")
            np.testing.assert_array_equal(halves(x), np.concatenate((x[length // 2 :] * 2, x[: length // 2])))
        self.assertEqual((f.cache_size, halves.cache_size), (1, 1))
        with self.assertRaisesRegex(tw.Error, "n must be from 0 to 40 and a multiple of 4"):
            f(np.ones((7, 3), "float32"))

    def test_wrong_sizes(self):
        f = tw.jit(lambda x: x * 2, dims={"x": (BATCH, None)})
        with self.assertRaisesRegex(tw.Error, "'batch'|batch"):
            f(np.ones((9, 3), "float32"))
        with self.assertRaisesRegex(tw.ArgumentError, "argument 'x' has 1 dimensions, dims gives it 2"):
            f(np.ones(9, "float32"))
        with self.assertRaisesRegex(tw.ArgumentError, "Dim 'batch' has two ranges"):
            tw.jit(lambda x: x, dims={"x": (BATCH, tw.Dim("batch", 0, 9))})
        with self.assertRaisesRegex(tw.ArgumentError, "expected 0 <= least <= most, found 3 and 2"):
            tw.Dim("n", 3, 2)
        with self.assertRaisesRegex(tw.ArgumentError, "expected multiples of the step 4, found 2 and 8"):
            tw.Dim("n", 2, 8, 4)

    def test_what_remainders_decide(self):
        # Ends whose distance is a power of two, or in steps, have between them what is odd.
        for least, most, step in ((2, 34, 1), (32, 512, 1), (64, 512, 1), (8, 136, 4), (0, 4096, 1)):
            for divisor in (2, 3, 5, 7, 8):
                f = tw.jit(
                    lambda x, by=divisor * step: x * 2 if x.shape[0] % by else x + 1,
                    dims={"x": (tw.Dim("n", least, most, step),)},
                )
                with self.assertRaisesRegex(tw.CompileError, "at other sizes of the ranges"):
                    f(np.ones(most, "float32"))

    def test_what_sizes_decide(self):
        f = tw.jit(lambda x: x * 2 if x.shape[0] > 4 else x + 1, dims={"x": (BATCH,)})
        with self.assertRaisesRegex(tw.CompileError, "at other sizes of the ranges"):
            f(np.ones(2, "float32"))


if __name__ == "__main__":
    unittest.main()
