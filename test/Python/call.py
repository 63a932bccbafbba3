# RUN: %venv_python %s
# Calls with arrays of numpy, buffers, lists; zero copies; results that nothing overwrites; errors.
import gc
import unittest
import warnings

import numpy as np
import tensorwright as tw
from programs import ADD, TWO_RESULTS, compiled
from tensorwright import _tensorwright


def aligned(shape, dtype="float32"):
    return tw.Buffer(shape, dtype).numpy()


class Calls(unittest.TestCase):
    def setUp(self):
        self.add = compiled(ADD)
        random = np.random.default_rng(7)
        self.x = random.standard_normal((4, 8), "float32")
        self.y = random.standard_normal((4, 8), "float32")

    def test_check_nan(self):
        @tw.jit(check_nan=True)
        def step(x, y):
            return tw.sum(tw.log(x) * y, axis=0)[None] @ tw.ones((3, 2))

        x = np.ones((8, 3), "float32")
        self.assertEqual(step(x, x).tolist(), [[0, 0]])
        with self.assertRaisesRegex(tw.RunError, r"kernel '\w+' made the first NaN: element 0 of a result of shape \[1, 2\], in launch 0 of 1") as caught:
            step(x - np.float32([0, 1.5, 0]), x)
        self.assertEqual(caught.exception.code, "T0610")
        self.assertIn("check_nan=False", caught.exception.remedy)
        self.assertNotIn("memory", str(caught.exception))
        with self.assertRaisesRegex(tw.RunError, r"kernel '\w+' read a NaN that no kernel made: element 3 of an argument of shape \[8, 3\]"):
            step(x, np.where(np.arange(24).reshape(8, 3) == 3, np.nan, x).astype("float32"))
        self.assertEqual(step(x, x).tolist(), [[0, 0]])
        model = step.model(x, x)
        model.check_nan = False
        self.assertTrue(np.isnan(model(-x, x)).all())

    def test_by_position_and_name(self):
        expected = self.x + self.y
        for result in (self.add(self.x, self.y), self.add(self.x, y=self.y), self.add(y=self.y, x=self.x)):
            self.assertIs(type(result), np.ndarray)
            np.testing.assert_array_equal(result, expected)

    def test_names_made_at_run_time(self):
        names = {"".join(["", letter]): array for letter, array in (("x", self.x), ("y", self.y))}
        names["".join(["o", "ut"])] = out = np.empty((4, 8), "float32")
        self.assertIs(self.add(**names), out)
        np.testing.assert_array_equal(out, self.x + self.y)

    def test_limits_of_runs(self):
        expected = self.x + self.y
        self.assertEqual((self.add.max_threads, self.add.time_limit), (0, None))
        for threads in (1, 2, 0):
            self.add.max_threads = threads
            np.testing.assert_array_equal(self.add(self.x, self.y), expected)
        self.add.time_limit = 1e-9
        for _ in range(2):
            with self.assertRaisesRegex(tw.TimeoutError, "the call's time was over before launch 0"):
                self.add(self.x, self.y)
        self.add.time_limit = None
        np.testing.assert_array_equal(self.add(self.x, self.y), expected)
        with self.assertRaisesRegex(tw.ArgumentError, "time_limit is not above 0"):
            self.add.time_limit = 0

    def test_several_results(self):
        twice, square = compiled(TWO_RESULTS)(np.int32([1, 2, 3]))
        self.assertEqual(twice.tolist(), [2, 4, 6])
        self.assertEqual(square.tolist(), [1, 4, 9])

    def test_lists_and_numbers(self):
        twice, _ = compiled(TWO_RESULTS)([1, 2, 3])
        self.assertEqual(twice.dtype, np.int32)
        self.assertEqual(twice.tolist(), [2, 4, 6])
        scalar = compiled("func.func @main(%x: tensor<f32>) -> tensor<f32> { %y = tgraph.neg %x : tensor<f32> return %y : tensor<f32> }")
        self.assertEqual(scalar(2.5).item(), -2.5)
        whole = compiled("func.func @main(%x: tensor<i64> {tgraph.name = \"x\"}) -> tensor<i64> { %y = tgraph.neg %x : tensor<i64> return %y : tensor<i64> }")
        self.assertEqual([whole(5).item(), whole(np.int64(5)).item()], [-5, -5])
        with self.assertRaisesRegex(tw.ArgumentError, r"x is a float, expected int64: give ints \[T0605\]"):
            whole(5.5)
        with self.assertRaisesRegex(tw.ArgumentError, "x has floats, expected int32: give ints"):
            compiled(TWO_RESULTS)([1, 2.5, 3])

    def test_no_copy_in(self):
        for array in (self.x, self.x[:], np.asfortranarray(self.x).T.copy()):
            self.assertEqual(_tensorwright.address_of(array), array.ctypes.data)
        self.add(self.x, self.y)
        self.assertEqual(self.add.copied, 0)

    def test_no_copy_out(self):
        result = self.add(self.x, self.y)
        self.assertIsInstance(result.base, tw.Buffer)
        self.assertEqual(result.ctypes.data, result.base.address)
        self.assertEqual(result.ctypes.data % 64, 0)
        out = aligned((4, 8))
        address = out.ctypes.data
        self.assertIs(self.add(self.x, self.y, out=out), out)
        self.assertEqual(out.ctypes.data, address)
        np.testing.assert_array_equal(out, self.x + self.y)

    def test_strided_is_copied_and_said(self):
        model = tw.compile(ADD)  # which has warned of nothing yet
        wide = np.repeat(self.x, 2, axis=1)
        with self.assertWarnsRegex(tw.CopyWarning, "argument 0 'x' is not dense in row-major order"):
            result = model(wide[:, ::2], self.y)
        np.testing.assert_array_equal(result, self.x + self.y)
        self.assertEqual(model.copied, self.x.nbytes)
        with self.assertWarns(tw.CopyWarning) as caught:
            tw.jit(lambda x: x + 1)(wide[:, ::2])
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it is said once
            transposed = model(self.x, np.asfortranarray(self.y))
        np.testing.assert_array_equal(transposed, self.x + self.y)
        reversed_rows = model(self.x[::-1], self.y)
        np.testing.assert_array_equal(reversed_rows, self.x[::-1] + self.y)

    def test_unaligned_is_copied(self):
        bytes_ = np.zeros(self.x.nbytes + 1, "uint8")
        odd = bytes_[1:].view("float32").reshape(4, 8)
        odd[:] = self.x
        model = tw.compile(ADD)
        with self.assertWarnsRegex(tw.CopyWarning, "not aligned"):
            np.testing.assert_array_equal(model(odd, self.y), self.x + self.y)

    def test_read_only_arguments(self):
        self.x.setflags(write=False)
        np.testing.assert_array_equal(self.add(self.x, self.y), self.x + self.y)
        with self.assertRaisesRegex(tw.ArgumentError, "out of result 'z' cannot be written"):
            self.add(self.y, self.y, out=self.x)

    def test_out_overlaps_nothing(self):
        memory = aligned((5, 8))
        for x, y, out in ((memory[:4], self.y, memory[1:]), (self.x, memory[1:], memory[:4]), (self.x, self.y, self.y)):
            with self.assertRaisesRegex(tw.ArgumentError, "out of result 'z' shares memory with argument [01] '[xy]'"):
                self.add(x, y, out=out)
        kept = tw.Buffer.copy_of(self.x)
        with self.assertRaisesRegex(tw.ArgumentError, "shares memory with argument 0 'x'"):
            self.add(kept, self.y, out=kept)
        pair = np.zeros(3, "int32")
        with self.assertRaisesRegex(tw.ArgumentError, "out of result 'square' shares memory with that of result 'twice'"):
            compiled(TWO_RESULTS)([1, 2, 3], out=(pair, pair))
        # Beside each other is fine, and so is what is copied.
        halves = aligned((8, 8))
        halves[:4] = self.x
        self.add(halves[:4], self.y, out=halves[4:])
        np.testing.assert_array_equal(halves[4:], self.x + self.y)

    def test_results_are_not_overwritten(self):
        results = [self.add(self.x * i, self.y) for i in range(20)]
        for i, result in enumerate(results):
            np.testing.assert_array_equal(result, self.x * np.float32(i) + self.y)

    def test_memory_is_used_again(self):
        addresses = set()
        for _ in range(50):
            result = self.add(self.x, self.y)
            addresses.add(result.ctypes.data)
            del result
        self.assertLessEqual(len(addresses), 5)

    def test_results_outlive_the_model(self):
        model = tw.compile(ADD)
        result = model(self.x, self.y)
        del model
        gc.collect()
        np.testing.assert_array_equal(result, self.x + self.y)

    def test_buffers(self):
        x, y, z = tw.Buffer.copy_of(self.x), tw.Buffer.copy_of(self.y), tw.Buffer((4, 8))
        result = self.add(x, y)
        self.assertIsInstance(result, tw.Buffer)
        self.assertEqual((result.shape, result.dtype, result.nbytes, result.device), ((4, 8), "float32", 128, "host"))
        np.testing.assert_array_equal(result.numpy(), self.x + self.y)
        self.assertIs(self.add(x, y, out=z), z)
        np.testing.assert_array_equal(np.asarray(z), self.x + self.y)
        self.assertEqual(np.asarray(z).ctypes.data, z.address)
        z.fill(self.x)
        np.testing.assert_array_equal(np.from_dlpack(z), self.x)
        with self.assertRaisesRegex(tw.ArgumentError, r"the buffer is float32\(4, 8\), the array float32\(3,\)"):
            z.fill(np.zeros(3, "float32"))
        self.assertEqual(repr(z), "Buffer((4, 8), float32)")

    def test_small_floats(self):
        import ml_dtypes

        model = compiled(
            "func.func @main(%x: tensor<4xbf16>) -> tensor<4xbf16> { %y = tgraph.neg %x : tensor<4xbf16> return %y : tensor<4xbf16> }"
        )
        x = np.array([1, -2, 0.5, 3], ml_dtypes.bfloat16)
        self.assertEqual(_tensorwright.address_of(x), x.ctypes.data)
        result = model(x)
        self.assertEqual(result.dtype, x.dtype)
        np.testing.assert_array_equal(result, -x)

    def test_empty_and_scalars(self):
        empty = compiled(
            "func.func @main(%x: tensor<0x3xf32>) -> tensor<0x3xf32> { %y = tgraph.neg %x : tensor<0x3xf32> return %y : tensor<0x3xf32> }"
        )
        self.assertEqual(empty(np.zeros((0, 3), "float32")).shape, (0, 3))

    def test_wrong_arguments(self):
        for arguments, named, text in (
            ((self.x.astype("float64"), self.y), {}, r"argument 0 'x' is float64\[4, 8\], expected float32\[4, 8\]: convert"),
            ((self.x, self.y[:3]), {}, r"argument 1 'y' is float32\[3, 8\], expected float32\[4, 8\]"),
            ((self.x,), {}, "argument 1 'y' is missing: the model has x, y"),
            ((self.x, self.y, self.y), {}, r"expected 2 arguments \(x, y\), found 3"),
            ((self.x,), {"x": self.x}, "argument 0 'x' is given by position and by name"),
            ((self.x, self.y), {"z": self.x}, "there is no argument 'z'; the model has x, y"),
            ((self.x.astype(">f4"), self.y), {}, "elements of format '>f'"),
            (("text", self.y), {}, "is a 'str'"),
            ((None, self.y), {}, "is a 'NoneType'"),
            ((self.x, self.y), {"out": np.zeros((4, 8))}, r"out of result 'z' is float64\[4, 8\], expected float32\[4, 8\]"),
            ((self.x, self.y), {"out": np.zeros((4, 16), "float32")[:, ::2]}, "dense, aligned, writable"),
            ((self.x, self.y), {"out": (self.x, self.y)}, "out has 2 arrays, the model 1 results"),
        ):
            with self.assertRaisesRegex(tw.ArgumentError, text) as caught:
                self.add(*arguments, **named)
            self.assertRegex(caught.exception.code, "T060[56]")
            self.assertIsInstance(caught.exception, ValueError)
            # It stays usable.
            np.testing.assert_array_equal(self.add(self.x, self.y), self.x + self.y)

    def test_nothing_leaks(self):
        import sys

        before = sys.getrefcount(self.x)
        for _ in range(100):
            self.add(self.x, self.y)
            with self.assertRaises(tw.ArgumentError):
                self.add(self.x, self.y[0])
        self.assertEqual(sys.getrefcount(self.x), before)

    def test_submit(self):
        pending = self.add.submit(self.x, y=self.y)
        np.testing.assert_array_equal(pending.result(), self.x + self.y)
        self.assertTrue(pending.done())
        self.assertIs(pending.result(), pending.result())
        queue = tw.Queue("host")
        first = self.add.submit(self.x, self.y, queue=queue)
        second = self.add.submit(self.x, self.x, queue=queue, after=[first])
        np.testing.assert_array_equal(second.result(timeout=10), self.x + self.x)
        np.testing.assert_array_equal(first.result(), self.x + self.y)

    def test_profile(self):
        found = self.add.profile(self.x, self.y)
        self.assertEqual(found["kernel"].tolist(), ["add"])
        self.assertEqual(found["flops"].tolist(), [32])
        self.assertGreater(found["begin"][0], 0)
        self.assertGreaterEqual(found["end"][0], found["begin"][0])

    def test_the_host_captures_nothing(self):
        self.assertFalse(self.add.captured)
        self.add.captured = True
        with self.assertRaisesRegex(tw.DeviceError, "calls cannot be captured on device host, which has no graphs"):
            self.add(self.x, self.y)
        self.add.captured = False
        np.testing.assert_array_equal(self.add(self.x, self.y), self.x + self.y)


class Sizes(unittest.TestCase):
    def test_open_sizes(self):
        model = tw.compile(
            """
func.func @main(%x: tensor<?x8xf32, #tgraph.dims<[n, 8]>> {tgraph.name = "x"}) -> tensor<?x8xf32, #tgraph.dims<[n, 8]>>
    attributes {tgraph.symbols = {n = #tgraph.symbol<min = 1, max = 64, step = 1>}} {
  %y = tgraph.neg %x : tensor<?x8xf32, #tgraph.dims<[n, 8]>>
  return %y : tensor<?x8xf32, #tgraph.dims<[n, 8]>>
}"""
        )
        self.assertEqual(model.inputs[0].shape, ("n", 8))
        results = []
        for rows in (3, 7, 64, 3):
            x = np.random.default_rng(rows).standard_normal((rows, 8), "float32")
            results.append((x, model(x)))
        for x, result in results:
            np.testing.assert_array_equal(result, -x)
        with self.assertRaisesRegex(tw.ArgumentError, "65"):
            model(np.zeros((65, 8), "float32"))

    def test_state_in_place(self):
        model = tw.compile(
            """
func.func @main(%k: tensor<?x4xf32, #tgraph.dims<[S, 4]>> {tgraph.name = "k"},
                %cache: tensor<?x4xf32, #tgraph.dims<[P, 4]>>
                    {tgraph.name = "cache", tgraph.alias = 0 : i64, tgraph.storage = #tgraph.dims<[16, 4]>})
    -> (tensor<?x4xf32, #tgraph.dims<[P + S, 4]>> {tgraph.name = "all"})
    attributes {tgraph.symbols = {P = #tgraph.symbol<min = 0, max = 16, step = 1>, S = #tgraph.symbol<min = 1, max = 16, step = 1>}} {
  %all = tgraph.concat %cache, %k dim 0 : tensor<?x4xf32, #tgraph.dims<[P, 4]>>, tensor<?x4xf32, #tgraph.dims<[S, 4]>>
    -> tensor<?x4xf32, #tgraph.dims<[P + S, 4]>>
  return %all : tensor<?x4xf32, #tgraph.dims<[P + S, 4]>>
}"""
        )
        memory = np.full((16, 4), np.nan, "float32")
        cache, rows = tw.State(memory, (0, 4)), []
        for count in (3, 1, 1, 4):
            rows.append(np.random.default_rng(count).standard_normal((count, 4), "float32"))
            cache = model(rows[-1], cache)
            self.assertIs(cache.array, memory)
            np.testing.assert_array_equal(cache.filled, np.concatenate(rows))
        self.assertEqual((cache.shape, repr(cache), cache.filled.ctypes.data), ((9, 4), "State((9, 4))", memory.ctypes.data))
        self.assertTrue(np.isnan(memory[9:]).all())
        for wrong, text in ((tw.State(memory, (17, 4)), "17"), (tw.State(memory, (3,)), "rank 2"), (tw.State(memory, (14, 4)), "16"),
                            (tw.State(memory[:8], (3, 4)), r"float32\[8, 4\], expected float32\[16, 4\]")):
            with self.assertRaisesRegex(tw.ArgumentError, text):
                model(np.ones((4, 4), "float32"), wrong)
        with self.assertRaisesRegex(tw.ArgumentError, "argument 1 'cache' is written in place and shares memory with argument 0 'k'"):
            model(memory[:2], tw.State(memory, (0, 4)))
        memory.setflags(write=False)
        with self.assertRaisesRegex(tw.ArgumentError, "written in place: expected a dense, aligned, writable array"):
            model(rows[0], tw.State(memory, (0, 4)))


if __name__ == "__main__":
    unittest.main()
