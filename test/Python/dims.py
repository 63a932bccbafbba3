# RUN: %venv_python %s
# Functions that are traced for ranges of sizes: one program for all of them.
import concurrent.futures
import enum
import itertools
import math
import pickle
import threading
import unittest
import unittest.mock

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

    def test_parts_that_are_clamped(self):
        parts = ((0, 3), (-3, None), (3, None), (0, -3), (0, 1), (1, None), (-1, None), (2, -1), (-4, 3), (3, 1), (0, 2))
        # Of few sizes samples below the bend are asked for, and 3 is a sample beyond 0 to 2.
        for least, most, step in ((2, 64, 1), (0, 64, 1), (0, 2, 1), (0, 100000, 1), (0, 64, 8)):
            for begin, end in parts:
                f = tw.jit(lambda x, part=slice(begin, end): x[part] * 2, dims={"x": (tw.Dim("n", least, most, step), None)})
                for n in range(least, min(most, 16) + 1, step):
                    x = np.arange(n * 2, dtype="float32").reshape(n, 2)
                    np.testing.assert_array_equal(f(x), x[begin:end] * 2, f"x[{begin}:{end}] of {n}")
                self.assertEqual(f.cache_size, 1)

    def test_parts_as_long_as_others(self):
        def f(x, y):
            both = x[: y.shape[0]] + y[: x.shape[0]]
            few = x[:3]
            rows = few.reshape(few.shape[0] * few.shape[1])
            rest = tw.zeros((3 - few.shape[0], 2))
            return both, x[-y.shape[0] :], x[y.shape[0] :], rows, tw.concat((few, rest), axis=0), few @ few.mT

        def g(x, y):
            few = x[:3]
            rest = np.zeros((3 - len(few), 2), "float32")
            ends = x[: len(y)] + y[: len(x)], x[-len(y) :], x[len(y) :]
            return *ends, few.reshape(-1), np.concatenate((few, rest)), few @ few.T

        f = tw.jit(f, dims={"x": (tw.Dim("n", 1, 5000), None), "y": (tw.Dim("m", 1, 5000), None)})
        for n, m in ((1, 1), (1, 3), (2, 40), (3, 3), (40, 2), (41, 40)):
            x, y = np.arange(n * 2, dtype="float32").reshape(n, 2), np.ones((m, 2), "float32")
            for found, expected in zip(f(x, y), g(x, y)):
                np.testing.assert_array_equal(found, expected)
        self.assertEqual(f.cache_size, 1)
        f = tw.jit(lambda x: x if x[:3].shape[0] == 3 else x * 2, dims={"x": (LENGTH,)})
        with self.assertRaisesRegex(tw.CompileError, r"'\(length min 3\) == 3' is False where length = 1"):
            f(np.ones(3, "float32"))

    def check_at_all_sizes(self, function, expected, dims, refused=None):
        """Right at all sizes of the ranges, or refused."""
        f = tw.jit(function, dims={name: (dim, None) for name, dim in dims.items()})
        for sizes in itertools.product(*[range(one.least, one.most + 1) for one in dims.values()]):
            arrays = [np.arange(n * 2, dtype="float32").reshape(n, 2) + 1 for n in sizes]
            if refused is not None:
                with self.assertRaisesRegex(tw.Error, refused):
                    f(*arrays)
                return
            found, known = np.asarray(f(*arrays)), np.asarray(expected(*arrays))
            self.assertEqual(found.shape, known.shape, f"at {sizes}")
            np.testing.assert_allclose(found, known, err_msg=f"at {sizes}")
        self.assertEqual(f.cache_size, 1)

    def test_arithmetic_of_what_slices_take(self):
        functions = (
            ("x * (x[:5].shape[0] - x[:3].shape[0])", 1),
            ("x * (x[:5].shape[0] * x.shape[0])", 0),
            ("x * (x[:3].shape[0] * x.shape[0])", 0),
            ("x + (x[-9:-3].shape[0] * 2 - 1)", 0),
            ("x * (x[:5].shape[0] * x.shape[0] * x[:3].shape[0])", 0),
            ("x[x[:5].shape[0] - x[:3].shape[0] :]", 0),
            ("XP.ones((x[:5].shape[0] * x.shape[0], 2), dtype='float32')", 2),
            ("XP.ones((x[:5].shape[0] * x[5:].shape[0], 2), dtype='float32')", 0),
            ("(x[:5] @ x.mT).reshape(-1)", 1),
            ("(x[:3] @ x.mT).reshape(-1)", 0),
        )
        for text, least, *refused in functions:
            with self.subTest(text):
                own = eval("lambda x: " + text.replace("XP", "tw"))
                known = eval("lambda x: " + text.replace("XP", "np").replace(".mT", ".T"))
                self.check_at_all_sizes(own, known, {"x": tw.Dim("n", least, 40)}, *refused)
        n, m = tw.Dim("n", 0, 12), tw.Dim("m", 0, 12)
        for text in ("x * (x[:5].shape[0] * y.shape[0])", "x + (x[:4].shape[0] - y[:3].shape[0])"):
            with self.subTest(text):
                f = eval("lambda x, y: " + text)
                self.check_at_all_sizes(f, f, {"x": n, "y": m})
        texts = ("x + x[:5].shape[0] ** 2", "x + x[:5].shape[0] % 3", "x + x[:5].shape[0] // 2", "x[: x[:9].shape[0] // 3] * 2")
        for text, most in itertools.product(texts, (2, 40)):
            with self.subTest(text):
                f = eval("lambda x: " + text)
                self.check_at_all_sizes(f, f, {"x": tw.Dim("n", 0, most)})
        f = eval("lambda x: x + x[:5].shape[0] / 4")
        self.check_at_all_sizes(f, f, {"x": tw.Dim("n", 0, 40)}, "follows from a size that is clamped or rounded")

    def test_parts_of_steps(self):
        parts = ("::2", "1::2", ":7:3", "-5::2", ":-5:3", "::-2", "5::-2", ":3:-2", "-2:2:-1", "4:1:-1", "2:-2:3", "-2:2:-3", "::2][:3")
        for part, least in itertools.product(parts, (0, 2)):
            with self.subTest(part, least=least):
                f = eval(f"lambda x: x[{part}] * 2")
                self.check_at_all_sizes(f, f, {"x": tw.Dim("n", least, 24)})

    def test_parts_of_quotients(self):
        parts = (
            ": min(x.shape[0] // 2, 3)",
            ": min(max(x.shape[0] // 2, 2), 5)",
            ": x.shape[0] * 2 // 3",
            "x.shape[0] // 3 : 2 * x.shape[0] // 3",
            "max(x.shape[0] // 2 - 1, 0) :",
            "::-1][::4",
            "::3][::2",
        )
        for part, (least, most) in itertools.product(parts, ((0, 24), (1, 24))):
            with self.subTest(part, least=least):
                f = eval(f"lambda x: x[{part}] * 2")
                self.check_at_all_sizes(f, f, {"x": tw.Dim("n", least, most)})
        f = eval("lambda x: x * min(x.shape[0] // 2, 3)")
        self.check_at_all_sizes(f, f, {"x": tw.Dim("n", 0, 24)})

    def test_the_smaller_and_the_greater_one(self):
        texts = ("x * min(x.shape[0], 3)", "x[: min(x.shape[0], 3)] * 2", "x[max(x.shape[0] - 4, 0) :] * 2", "x + x.shape[0] % 3")
        for text, least in itertools.product(texts, (0, 2)):
            with self.subTest(text, least=least):
                f = eval("lambda x: " + text)
                self.check_at_all_sizes(f, f, {"x": tw.Dim("n", least, 24)})
        self.assertEqual((min(3, 2), max([1, 5]), min("b", "a"), max(1, 2, key=lambda one: -one)), (2, 5, "a", 1))

    def test_builtins_that_a_trace_replaces(self):
        n, ones, plain, kept, texts, found = tw.Dim("n", 0, 9), np.ones(5, "float32"), (min, max), [], [], []

        def note():
            kept.append(min)
            texts.append(pickle.dumps((min, max)))
            found.append((min(iter((3, 2))), max(1, 2, key=lambda one: -one)))

        def f(x):
            note()
            other = threading.Thread(target=note)
            other.start()
            other.join()
            return x * min(x.shape[0], 3)

        np.testing.assert_array_equal(tw.jit(f, dims={"x": (n,)})(ones), ones * 3)
        self.assertEqual((min, max), plain)
        self.assertGreater(len(set(kept)), 1)
        # To others, and behind the trace, they are the builtins.
        texts += [pickle.dumps((one, max)) for one in kept]
        self.assertEqual({pickle.loads(one) for one in texts}, {plain})
        self.assertEqual(set(found), {(2, 1)})

        def patched(*numbers):
            return plain[1](*numbers)

        with unittest.mock.patch("builtins.max", patched):
            f = tw.jit(lambda x: x * max(x.shape[0], 3), dims={"x": (n,)})
            np.testing.assert_array_equal(f(ones), ones * 5)
            self.assertIs(max, patched)
        self.assertEqual((min, max), plain)

        def trace(number):
            f = tw.jit(lambda x: x * min(x.shape[0], number) + max(x.shape[0], 4), dims={"x": (n,)})
            for size in (0, 1, 5, 9):
                expected = np.full(size, min(size, number) + max(size, 4))
                np.testing.assert_array_equal(f(np.ones(size, "float32")), expected)

        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            list(threads.map(trace, range(2, 6)))
        self.assertEqual((min, max), plain)

    def test_arithmetic_in_ranges_of_few_sizes(self):
        for text in ("x * (x.shape[0] * x.shape[0])", "x + x.shape[0] ** 3", "x + x.shape[0] % 3"):
            for least in (0, 1):
                with self.subTest(text, least=least):
                    f = eval("lambda x: " + text)
                    try:
                        self.check_at_all_sizes(f, f, {"x": tw.Dim("n", least, 3)})
                    except tw.CompileError as error:
                        self.assertEqual(error.code, "T0118")

    def test_remainders_beside_quotients(self):
        texts = (
            "x + (x.shape[0] % 3) * (x.shape[0] // 4)",
            "x + (x.shape[0] % 3 - (x.shape[0] // 4 + 1) * 2)",
            "x * (x.shape[0] // 2 // 3 + x[:4].shape[0])",
        )
        for text, (least, most) in itertools.product(texts, ((0, 3), (0, 4), (1, 3), (2, 3), (0, 24))):
            with self.subTest(text, least=least, most=most):
                f = eval("lambda x: " + text)
                self.check_at_all_sizes(f, f, {"x": tw.Dim("n", least, most)})

    def test_refusals_name_what_gives_ranges(self):
        f = tw.jit(lambda x: x[: x.shape[0] % 3 + x.shape[0] // 2] * 2, dims={"x": (tw.Dim("n", 2, 3),)})
        with self.assertRaisesRegex(tw.CompileError, "ranges that tensorwright.Dim gives.*one size .None in dims.") as caught:
            f(np.ones(2, "float32"))
        self.assertNotIn("--", str(caught.exception))

    def test_products_by_numpy(self):
        n, m = tw.Dim("n", 1, 5000), tw.Dim("m", 1, 5000)
        f = tw.jit(lambda x: (x.reshape(np.prod(x.shape)), tw.sum(x) / np.prod(x.shape[:2])), dims={"x": (n, m)})
        for shape in ((1, 1), (3, 40), (41, 2)):
            x = np.random.default_rng(1).standard_normal(shape, "float32")
            found, mean = f(x)
            np.testing.assert_array_equal(found, x.reshape(-1))
            np.testing.assert_allclose(mean, x.mean(), atol=1e-6)
        self.assertEqual(f.cache_size, 1)

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

    def test_first_of_an_order(self):
        f = tw.jit(lambda x: tw.top_k(x, min(x.shape[0], 5)), dims={"x": (LENGTH,)})
        half = tw.jit(lambda x: tw.top_k(x, (x.shape[0] + 1) // 2)[0], dims={"x": (LENGTH,)})
        for length in (1, 2, 4, 5, 6, 13, 40):
            x = np.random.default_rng(length).permutation(length).astype("float32")
            order = np.argsort(-x)
            values, places = f(x)
            np.testing.assert_array_equal(places, order[:5])
            np.testing.assert_array_equal(values, x[order[:5]])
            np.testing.assert_array_equal(half(x), x[order[: (length + 1) // 2]])
        self.assertEqual((f.cache_size, half.cache_size), (1, 1))

    def test_products_of_one_matrix(self):
        f = tw.jit(lambda x: x[: x.shape[0] // 2] @ x[: x.shape[0] // 2].mT, dims={"x": (tw.Dim("n", 2, 73), LENGTH, None)})
        for n, length in ((2, 1), (3, 7), (5, 4), (73, 2)):
            x = np.random.default_rng(n).standard_normal((n, length, 3), "float32")
            half = x[: n // 2]
            np.testing.assert_allclose(f(x), half @ half.swapaxes(1, 2), atol=1e-5)
        self.assertEqual(f.cache_size, 1)

    def test_typical_size(self):
        n = tw.Dim("n", 0, 64, 4, typical=8)
        self.assertEqual(repr(n), "Dim('n', 0, 64, 4, typical=8)")
        f = tw.jit(lambda x: tw.sum(x, axis=1), dims={"x": (n, None)})
        for size in (0, 4, 8, 64):
            x = np.random.default_rng(size).standard_normal((size, 3), "float32")
            np.testing.assert_allclose(f(x), x.sum(1), atol=1e-6)
        self.assertEqual(f.cache_size, 1)
        # What it is given reaches the compiler, which counts the typical size for more.
        with unittest.mock.patch("tensorwright._compile.compile", side_effect=tw.compile) as made:
            tw.jit(lambda x: x * 2, dims={"x": (n, tw.Dim("m", 1, 9))})(np.ones((4, 3), "float32"))
        self.assertEqual(made.call_args.kwargs["dims"], {"n": (0, 64, 4, 8), "m": (1, 9, 1)})
        for wrong in (68, 6, -4):
            with self.assertRaisesRegex(tw.ArgumentError, f"the typical size is {wrong}, expected a multiple of 4 from 0"):
                tw.Dim("n", 0, 64, 4, typical=wrong)
        with self.assertRaisesRegex(tw.ArgumentError, "Dim 'n' has two ranges or typical sizes"):
            tw.jit(lambda x: x, dims={"x": (n, tw.Dim("n", 0, 64, 4))})

    def test_numbers_beside_dims(self):
        f = tw.jit(lambda x: x * 2, dims={"x": [BATCH, 3]})
        self.assertEqual([f(np.ones((n, 3), "float32")).shape for n in (1, 4)], [(1, 3), (4, 3)])
        self.assertEqual(f.cache_size, 1)
        with self.assertRaisesRegex(tw.ArgumentError, r"dimension 1 of argument 'x' is 4, dims gives it 3 \[T0507\]"):
            f(np.ones((2, 4), "float32"))

    def test_what_is_no_range(self):
        for wrong, text in (
            ({"x": BATCH}, "dims gives argument 'x' a 'Dim', expected a tuple with a Dim"),
            ({"x": "batch"}, "dims gives argument 'x' a 'str'"),
            ({"x": {0: BATCH}}, "dims gives argument 'x' a 'dict'"),
            ({"x": ("batch", None)}, "dims gives a dimension of argument 'x' a 'str'"),
            ({"x": (BATCH, True)}, "dims gives a dimension of argument 'x' a 'bool'"),
            ({"x": (BATCH, 2.0)}, "dims gives a dimension of argument 'x' a 'float'"),
            ([BATCH], "dims are of type 'list' and not a mapping of names"),
        ):
            with self.assertRaisesRegex(tw.ArgumentError, text):
                tw.jit(lambda x: x, dims=wrong)
        for wrong in ((1, 2.5), ("1", 2), (1, 4, None), (1, 4, 1, True), (True, 4)):
            with self.assertRaisesRegex(tw.ArgumentError, r"Dim 'n': expected ints, found .* \[T0209\]"):
                tw.Dim("n", *wrong)
        self.assertEqual(repr(tw.Dim("n", np.int64(1), np.int32(4))), "Dim('n', 1, 4)")

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

    def test_what_sizes_decide_between_samples(self):
        n, m = tw.Dim("n", 2, 64), tw.Dim("m", 0, 4100)

        def is_so(what, expected):
            try:
                return bool(what())
            except expected:
                return False

        for decide in (
            lambda n, m: 2 < n and n < 5,
            lambda n, m: n == 7,
            lambda n, m: n in (9, 11),
            lambda n, m: n // 16 == 1,
            lambda n, m: 0.1 * n > 0.5 and 0.1 * n < 0.7,
            lambda n, m: round(n / 3) == 5,
            lambda n, m: 10 < (n + 3) // 2 <= 12,
            lambda n, m: bool(n - 13) is False,
            lambda n, m: min(n, 63) != n,
            lambda n, m: 4000 < m < 4002,
            lambda n, m: 2500 < n + m < 2503,
            lambda n, m: n * m == 3 * 17,
            # Numbers of other types, rounded ones, and what is caught.
            lambda n, m: n == enum.IntEnum("Number", {"SEVEN": 7}).SEVEN,
            lambda n, m: n == 7 + 0j,
            lambda n, m: (n / 7) * 7 >= n,
            lambda n, m: round(n / 4 + 0.1, 1) == 4 or round(n / 4 + 0.1) == 4,
            lambda n, m: is_so(lambda: n == 7, Exception),
            lambda n, m: is_so(lambda: 1 / (n - 5), ZeroDivisionError),
        ):
            f = tw.jit(lambda x, y, by=decide: x * 2 if by(x.shape[0], y.shape[0]) else x + 1, dims={"x": (n,), "y": (m,)})
            with self.assertRaisesRegex(tw.CompileError, "and (True|False) at other sizes of the ranges"):
                f(np.ones(9, "float32"), np.ones(4, "float32"))

    def test_what_is_so_at_all_sizes(self):
        n, m, large = tw.Dim("n", 3, 64), tw.Dim("m", 0, 5000), tw.Dim("k", 1, 1 << 40)

        def f(x, y, z):
            (a,), (b,), (c,) = x.shape, y.shape, z.shape
            self.assertTrue(a > 1 and b >= 0 and a + b >= 2 and c and c // 2 < c and a * c >= 2 * c)
            self.assertFalse(a == 65 or a // 2 > a or max(a, 1) != a or a + c < 3 or c * 0.5 > c)
            self.assertTrue(isinstance(a, int) and x.shape == (a,) and len((a, b)) == 2 and y.ndim == 1 and 0 < a < math.inf)
            return tw.concat((x[1:-1], x[::-1], y[:b]), axis=0) / a, z * 2

        f = tw.jit(f, dims={"x": (n,), "y": (m,), "z": (large,)})
        for length in (3, 5, 64):
            x, y = np.arange(length, dtype="float32"), np.ones(length // 2, "float32")
            expected = np.concatenate((x[1:-1], x[::-1], y)) / np.float32(length)
            np.testing.assert_allclose(f(x, y, x)[0], expected, rtol=1e-6)
        self.assertEqual(f.cache_size, 1)

    def test_places_from_the_end(self):
        for place, least in ((lambda n: n - 2, 1), (lambda n: -2, 1), (lambda n: -1, 0)):
            f = tw.jit(lambda x, at=place: x[at(x.shape[0])], dims={"x": (tw.Dim("n", least, 64),)})
            with self.assertRaisesRegex(tw.CompileError, "where n = [01], and (True|False) at other sizes"):
                f(np.ones(9, "float32"))
            f = tw.jit(lambda x, at=place: x[at(x.shape[0])], dims={"x": (tw.Dim("n", least + 1, 64),)})
            x = np.arange(5, dtype="float32")
            self.assertEqual(f(x), x[place(5)])
        f = tw.jit(lambda x: x[::-1] * 2, dims={"x": (tw.Dim("n", 0, 64),)})
        for length in (0, 1, 5):
            x = np.arange(length, dtype="float32")
            np.testing.assert_array_equal(f(x), x[::-1] * 2)

    def test_what_is_not_there_of_none_or_one(self):
        for f, least in (
            (lambda x: x[(x.shape[0] + 1) // 2], 1),
            (lambda x: x[x.shape[0] // 2], 0),
            (lambda x: tw.select(x, -2, 0), 1),
            (lambda x: tw.top_k(x, 2)[0], 1),
        ):
            with self.assertRaisesRegex(tw.Error, f"where 'n' is {least}, there is no such program: .*\n?"):
                tw.jit(f, dims={"x": (tw.Dim("n", least, 64),)})(np.ones(9, "float32"))
            self.assertIsNotNone(tw.jit(f, dims={"x": (tw.Dim("n", least + 1, 64),)})(np.ones(9, "float32")))
        line = tw.jit(lambda x: tw.linspace(0, 1, x.shape[0]), dims={"x": (tw.Dim("n", 0, 64),)})
        for length in (0, 1, 2, 7):
            np.testing.assert_allclose(line(np.ones(length, "float32")), np.linspace(0, 1, length), rtol=1e-6)

    def test_parts_of_none_and_all(self):
        for part, least in ((lambda x: x[1:-1], 2), (lambda x: x[1:-1:2], 2), (lambda x: x[-3:], 3), (lambda x: x[:3], 3)):
            f = tw.jit(lambda x, part=part: part(x) * 2, dims={"x": (tw.Dim("n", least, 64), None)})
            for length in (least, least + 1, 9, 64):
                x = np.arange(3 * length, dtype="float32").reshape(length, 3)
                np.testing.assert_array_equal(f(x), part(x) * 2)

    def test_parts_of_one_at_a_sample(self):
        def f(x):
            n = x.shape[0]
            return x[1:] * 2 - tw.mean(x[1:]), x[: n // 2] / n, x[1:, None] * x[None, 1:]

        f = tw.jit(f, dims={"x": (tw.Dim("n", 2, 64),)})
        for length in (2, 3, 9, 64):
            x = np.arange(length, dtype="float32")
            expected = x[1:] * 2 - x[1:].mean(), x[: length // 2] / length, x[1:, None] * x[None, 1:]
            for found, right in zip(f(x), expected):
                np.testing.assert_allclose(found, right, rtol=1e-6)

    def test_what_leaves_as_plain_numbers(self):
        def f(x, by):
            return x * 2 if by(x.shape[0]) else x + 1

        table = {7: True}
        for leaves in (
            lambda n: math.sqrt(n) == math.sqrt(7),
            lambda n: 7 in range(n, n + 1),
            lambda n: int(n) == 7,
            lambda n: table.get(n, False),
            lambda n: [one == 7 for one in range(1 << 17)][n],
            lambda n: n.bit_count() == 5,
            lambda n: f"{n}" == "7",
            lambda n: {"7": True}.get(str(n), False),
        ):
            # So few are traced one by one.
            for most, message in ((40, "at other sizes of the ranges"), (1 << 16, "what follows from it at 65535 sizes")):
                g = tw.jit(lambda x, by=leaves: f(x, by), dims={"x": (tw.Dim("n", 2, most),)})
                with self.assertRaisesRegex(tw.CompileError, message):
                    g(np.ones(9, "float32"))
        g = tw.jit(lambda x: f(x, lambda n: math.sqrt(n) > 0.5), dims={"x": (tw.Dim("n", 1, 40),)})
        for length in (1, 7, 40):
            np.testing.assert_array_equal(g(np.ones(length, "float32")), np.full(length, 2, "float32"))
        g = tw.jit(lambda x: f(x, lambda n: math.sqrt(n) > 0.5), dims={"x": (tw.Dim("n", 0, 40),)})
        with self.assertRaisesRegex(tw.CompileError, "something else where n = 0"):
            g(np.ones(9, "float32"))
        # At 1 and 0, too, where programs are other ones in any case: which tensor, which constant, how often.
        for one in (
            lambda x: (x * 2, x * 3)[0 if int(x.shape[0]) == 1 else 1],
            lambda x: x * np.float32([5 if int(x.shape[0]) == 1 else 2]),
            lambda x: tw.scan(lambda c, _: (c * 2, None), x, length=5 if int(x.shape[0]) == 1 else 3)[0],
        ):
            g = tw.jit(lambda x, one=one: one(x), dims={"x": (tw.Dim("n", 1, 40),)})
            with self.assertRaisesRegex(tw.CompileError, "something else where n = 1"):
                g(np.ones(9, "float32"))


    def test_plain_numbers_that_harm_nothing(self):
        n, m = tw.Dim("n", 1, 400), tw.Dim("m", 1, 3000)

        def f(x, y):
            scaled = x.reshape(len(x), -1) * float(x.shape[0]) / int(x.shape[0])
            part = scaled[: len(x)][int(x.shape[0]) // 2 :]
            return scaled.reshape(int(np.prod(x.shape))), y * (2 if y.shape[0] >= 1 else 3), part

        f = tw.jit(f, dims={"x": (n, None), "y": (m,)})
        for length, other in ((1, 1), (7, 3000), (400, 5)):
            x, y = np.ones((length, 3), "float32"), np.ones(other, "float32")
            found = f(x, y)
            np.testing.assert_allclose(found[0], x.reshape(-1), rtol=1e-6)
            np.testing.assert_array_equal(found[1], y * 2)
            np.testing.assert_allclose(found[2], x[length // 2 :], rtol=1e-6)
        self.assertEqual(f.cache_size, 1)
        # What is decided by another size beside it, at one of them.
        for by in (lambda k, m: m == 2000 + k, lambda k, m: k == 131 and m == 17, lambda k, m: k == 131):
            g = tw.jit(lambda x, y, by=by: y * 2 if by(len(x), y.shape[0]) else y + 1, dims={"x": (n, None), "y": (m,)})
            with self.assertRaisesRegex(tw.CompileError, "at other sizes of the ranges|something else where n = 131|and True where"):
                g(np.ones((9, 3), "float32"), np.ones(5, "float32"))

    def test_arithmetic(self):
        def numbers(x):
            n = x.shape[0]
            self.assertTrue(isinstance(n * 1j, complex) and n * 1j != 1 + 1j and n * 1j + 1 == 1 + n * 1j)
            return x * pow(n, 2, 2 * n + 1) + pow(n, 0, 5)

        def parts(x):
            n = x.shape[0]
            self.assertTrue(0 <= n // 2 // 2 <= n and n // 3 * 3 <= n)
            return tw.concat((x[: n // 2] * 2, x[n // 2 :]), axis=0)

        g = tw.jit(lambda x: x * (x.shape[0] * 1j == 7j), dims={"x": (tw.Dim("n", 1, 64),)})
        with self.assertRaisesRegex(tw.CompileError, "is True where n = 7, and False at other sizes"):
            g(np.ones(9, "float32"))
        with self.assertRaisesRegex(tw.CompileError, "other sizes of the ranges"):
            tw.jit(numbers, dims={"x": (tw.Dim("n", 1, 64),)})(np.ones(9, "float32"))
        f = tw.jit(parts, dims={"x": (tw.Dim("n", 0, 1 << 20), None)})
        for length in (0, 1, 2, 7, 1000):
            x = np.arange(3 * length, dtype="float32").reshape(length, 3)
            np.testing.assert_array_equal(f(x), np.concatenate((x[: length // 2] * 2, x[length // 2 :])))
        self.assertEqual(f.cache_size, 1)

    def test_loops_of_sizes(self):
        def f(x):
            return tw.fori_loop(0, x.shape[0] - 1, lambda i, y: y + 1, 0.0)

        with self.assertRaisesRegex(tw.CompileError, "'n - 1 < 0' is True where n = 0, and False at other sizes"):
            tw.jit(f, dims={"x": (tw.Dim("n", 0, 64),)})(np.ones(9, "float32"))
        f = tw.jit(f, dims={"x": (tw.Dim("n", 1, 64),)})
        for length in (1, 2, 64):
            self.assertEqual(f(np.ones(length, "float32")), length - 1)

    def test_none_or_one(self):
        f = tw.jit(lambda x: x * 2 if x.shape[0] > 1 else x + 1, dims={"x": (tw.Dim("n", 0, 1),)})
        with self.assertRaisesRegex(tw.CompileError, "'n > 1' is False where n = 0, and True where n = 3, at which programs"):
            f(np.ones(1, "float32"))


if __name__ == "__main__":
    unittest.main()
