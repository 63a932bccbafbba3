# RUN: %venv_python %s
# Functions of Python as programs: what is traced when, trees, control flow, errors with the caller's place.
import collections
import dataclasses
import inspect
import unittest

import numpy as np
import tensorwright as tw

X = np.float32([[1, -2, 3], [0, 5, -6]])
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Layer:
    weight: object
    bias: object


class Jit(unittest.TestCase):
    def test_traced_once_for_each_type(self):
        traced = []

        @tw.jit
        def double(x):
            traced.append((x.dtype, x.shape))
            return x * 2

        for _ in range(3):
            np.testing.assert_array_equal(double(X), X * 2)
        self.assertEqual(traced, [("float32", (2, 3))])
        double(X[0])
        self.assertEqual(double(X.astype("int32")).dtype, np.int32)
        self.assertEqual(float(double(3.5)), 7)
        self.assertEqual(float(double(4.5)), 9)
        self.assertEqual(int(double(3)), 6)
        self.assertEqual(traced[1:], [("float32", (3,)), ("int32", (2, 3)), ("float32", ()), ("int64", ())])
        self.assertEqual(double.cache_size, 5)
        self.assertEqual((double.__name__, double.__wrapped__.__name__), ("double", "double"))

    def test_trees(self):
        @tw.jit
        def f(layer, pair, named, *, scale=None):
            self.assertIsNone(layer.bias if scale is None else None)
            y = pair[0] @ layer.weight + named["b"][0]
            return Layer(y, None), [y, {"sum": tw.sum(y)}], Point(named["b"][0], 2.5), None

        w, b = np.ones((3, 2), "float32"), np.float32([1, 2])
        layer, (y, sums), point, nothing = f(Layer(w, None), (X,), {"b": [b], "unused": 3})
        np.testing.assert_array_equal(y, X @ w + b)
        np.testing.assert_array_equal(layer.weight, y)
        self.assertEqual((type(layer), layer.bias, nothing), (Layer, None, None))
        np.testing.assert_allclose(sums["sum"], y.sum())
        self.assertEqual((type(point), point.x.tolist(), float(point.y)), (Point, [1, 2], 2.5))

    def test_buffers_and_libraries(self):
        double = tw.jit(lambda x: x + x)
        result = double(tw.Buffer.copy_of(X))
        self.assertIsInstance(result, tw.Buffer)
        np.testing.assert_array_equal(result.numpy(), X + X)
        self.assertEqual(double.cache_size, 1)

    def test_static_arguments(self):
        @tw.jit(static_argnames=("axis", "kind"))
        def reduce(x, axis, *, kind="sum"):
            return getattr(tw, kind)(x, axis=axis)

        np.testing.assert_array_equal(reduce(X, 0), X.sum(0))
        np.testing.assert_array_equal(reduce(X, 1), X.sum(1))
        np.testing.assert_array_equal(reduce(X, axis=1, kind="max"), X.max(1))
        self.assertEqual(reduce.cache_size, 3)
        with self.assertRaisesRegex(tw.ArgumentError, "static argument 1 is a 'list'"):
            reduce(X, [0])

    def test_donated_arguments(self):
        @tw.jit(donate_argnames=("state", "more"))
        def step(x, state, *, more=None):
            return tw.sum(state["b"]), {"a": state["b"] + x, "b": state["a"] * 2}, more

        a, b, c = np.float32([1, 2]), np.float32([3, 4]), np.int32([5])
        total, state, more = step(1.0, {"a": a, "b": b, "k": 3}, more=c)
        # The memory of one is written where the other is still to be read.
        self.assertTrue(state["a"] is a and state["b"] is b and more is c)
        self.assertEqual((float(total), a.tolist(), b.tolist(), c.tolist()), (7, [4, 5], [2, 4], [5]))
        total, state, more = step(1.0, {"a": a, "b": b, "k": 3}, more=c)
        self.assertEqual((float(total), a.tolist(), b.tolist()), (6, [3, 5], [8, 10]))
        self.assertEqual(step.cache_size, 1)
        frozen = np.float32([1, 2])
        frozen.flags.writeable = False
        with self.assertRaises(tw.ArgumentError):
            step(1.0, {"a": frozen, "b": b, "k": 3}, more=c)

    def test_within_another(self):
        inner = tw.jit(lambda x: x * 2)
        np.testing.assert_array_equal(tw.jit(lambda x: inner(x) + 1)(X), X * 2 + 1)
        self.assertEqual(inner.cache_size, 0)

    def test_methods_and_constants(self):
        class Net:
            weight = np.float32([1, 2, 3])

        net = Net()
        f = tw.jit(lambda x: x * net.weight + np.float32(1) + [1, 1, 1])
        np.testing.assert_array_equal(f(X), X * net.weight + 2)
        strided = np.arange(6, dtype="float32").reshape(3, 2).T
        np.testing.assert_array_equal(tw.jit(lambda x: x + strided)(X), X + strided)

    def test_model(self):
        layer = tw.jit(lambda x, w: tw.relu(x @ w), target="host", threads=1)
        model = layer.model(X, X.T.copy())
        self.assertEqual([one.name for one in model.inputs], ["x", "w"])
        self.assertEqual(model.outputs[0].shape, (2, 2))
        self.assertEqual(tw.jit(lambda: tw.ones(2))().tolist(), [1, 1])
        self.assertEqual(tw.jit(lambda x: {"a": None})(X), {"a": None})

    def test_threads(self):
        import threading

        f = tw.jit(lambda x, k: x * k)
        found = {}

        def work(i):
            found[i] = [f(np.full(4 + n, i, "float32"), 2.0).tolist() == [2 * i] * (4 + n) for n in range(3)]

        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(found, {i: [True] * 3 for i in range(6)})
        self.assertEqual(f.cache_size, 3)


class Control(unittest.TestCase):
    def test_cond(self):
        f = tw.jit(lambda p, x: tw.cond(p, lambda y: {"a": y * 2}, lambda y: {"a": y - 1}, x))
        np.testing.assert_array_equal(f(True, X)["a"], X * 2)
        np.testing.assert_array_equal(f(False, X)["a"], X - 1)
        self.assertEqual(tw.jit(lambda x: (tw.cond(True, lambda: None, lambda: None), x))(1)[0], None)
        self.assertEqual(tw.jit(lambda x: (tw.scan(lambda c, s: (None, None), None, x), 1))(X)[0], (None, None))

    def test_scan(self):
        def f(total, x):
            return {"t": total["t"] + x, "n": total["n"] + 1}, (x * 2, total["n"])

        carry, (doubled, counts) = tw.jit(lambda xs: tw.scan(f, {"t": np.zeros(3, "float32"), "n": 0}, xs))(X)
        np.testing.assert_array_equal(carry["t"], X.sum(0))
        np.testing.assert_array_equal(doubled, X * 2)
        self.assertEqual((int(carry["n"]), counts.tolist()), (2, [0, 1]))
        back = tw.jit(lambda xs: tw.scan(lambda c, x: (c + x, c), 0.0, xs, reverse=True))
        self.assertEqual([one.tolist() for one in back(np.float32([1, 2, 4]))], [7, [6, 4, 0]])
        powers = tw.jit(lambda x: tw.scan(lambda c, _: (c * x, c), 1.0, length=4))
        self.assertEqual([one.tolist() for one in powers(2.0)], [16, [1, 2, 4, 8]])

    def test_associative_scan(self):
        random = np.random.default_rng(11)

        def expected(fn, elems, axis, reverse):
            turned = [np.moveaxis(one, axis, 0)[:: -1 if reverse else 1] for one in elems]
            rows = [tuple(one[0] for one in turned)]
            for i in range(1, len(turned[0])):
                rows.append(fn(rows[-1], tuple(one[i] for one in turned)))
            found = [np.stack([np.asarray(row[k]) for row in rows]) for k in range(len(elems))]
            return [np.moveaxis(one[:: -1 if reverse else 1], 0, axis) for one in found]

        recurrence = lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1])
        matrices = lambda x, y: (  # 2x2 matrices do not commute
            x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3])
        smallest = lambda x, y: (x[0] + 0 * y[0], y[1] * 2 + x[1] * 0)  # the first of one, the last of the other
        for fn, count in ((recurrence, 2), (matrices, 4), (smallest, 2)):
            for shape, axis in (((37,), 0), ((5, 33, 7), 1), ((6, 130), -1), ((3, 1), 1)):
                for reverse in (False, True):
                    elems = [random.uniform(-1, 1, shape).astype("float32") for _ in range(count)]
                    run = tw.jit(lambda *xs: tw.associative_scan(fn, xs, reverse, axis))
                    for one, other in zip(run(*elems), expected(fn, elems, axis, reverse)):
                        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        sums = tw.jit(lambda x: tw.associative_scan(lambda a, b: a + b, {"x": x, "n": x > 0}["x"], axis=1))
        whole = random.integers(-9, 9, (4, 50))
        np.testing.assert_array_equal(sums(whole), np.cumsum(whole, 1))
        # With a number from around it, and one that is an element.
        f = tw.jit(lambda x: tw.associative_scan(lambda a, b: tw.maximum(a, b) * 1.0, x))
        np.testing.assert_array_equal(f(elems[0]), np.maximum.accumulate(elems[0]))
        for function, text in (
            (lambda x: tw.associative_scan(lambda a, b: a + b * tw.sum(x), x), "uses a tensor from around it"),
            (lambda x: tw.associative_scan(lambda a, b: (a, b), x), r"the combination changes: expected \*, found \(\*, \*\)"),
            (lambda x: tw.associative_scan(lambda a, b: a < b, x), "T0219"),
            (lambda x: tw.associative_scan(lambda a, b: (a[0], b[1]), (x, x[0])), "T0208"),
            (lambda x: tw.associative_scan(lambda a, b: a, ()), "nothing to scan"),
            (lambda x: tw.associative_scan(lambda a, b: a, x, axis=2), "expected an axis"),
        ):
            with self.assertRaisesRegex(tw.Error, text):
                tw.jit(function)(X)

    def test_loops(self):
        f = tw.jit(lambda x: tw.fori_loop(2, 5, lambda i, y: (y[0] * i, y[1] + 1), (x, 0)))
        self.assertEqual([int(one) for one in f(1)], [24, 3])
        collatz = tw.jit(lambda n: tw.while_loop(
            lambda s: s[0] != 1, lambda s: (tw.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0)))
        self.assertEqual([int(collatz(n)[1]) for n in (1, 6, 27)], [0, 8, 111])
        endless = tw.jit(lambda x: tw.while_loop(lambda x: x == x, lambda x: x + 1, x, limit=50))
        with self.assertRaises(tw.RunError):
            endless(1)

    def test_wrong(self):
        for function, text in (
            (lambda x: tw.cond(True, lambda: (x, x), lambda: x), r"the sides differ: expected \(\*, \*\), found \*"),
            (lambda x: tw.scan(lambda c, x: ((c, c), None), 0.0, x), r"the carry changes: expected \*, found \(\*, \*\)"),
            (lambda x: tw.scan(lambda c, x: c, 0.0, x), "expected to give"),
            (lambda x: tw.scan(lambda c, x: (c, x), 0.0), "nothing to run over"),
            (lambda x: tw.scan(lambda c, x: (c + x, None), 0.0, x), "T0219"),
            (lambda x: tw.while_loop(lambda x: (x, x), lambda x: x, x), "the condition: expected"),
        ):
            with self.assertRaisesRegex(tw.Error, text):
                tw.jit(function)(X)
        kept = []

        def keep(c, x):
            kept.append(c + x)
            return kept[-1], None

        def leave(x):
            tw.scan(keep, x[0] * 0, x)
            return kept[-1] + 1

        def leave_after_failure(x):
            try:
                tw.scan(lambda c, x: keep(c, x)[2], x[0] * 0, x)
            except IndexError:
                return kept[-1] + 1

        for function in (leave, leave_after_failure):
            with self.assertRaisesRegex(tw.Error, "of a branch or a loop is used outside"):
                tw.jit(function)(X)
        # What a region raises arrives as it is.
        with self.assertRaises(ZeroDivisionError):
            tw.jit(lambda x: tw.cond(True, lambda: x * (1 // 0), lambda: x))(X)


class Errors(unittest.TestCase):
    def line(self):
        return inspect.currentframe().f_back.f_lineno

    def test_places(self):
        def multiply(x):
            return tw.matmul(x, x)

        with self.assertRaises(tw.Error) as caught:
            tw.jit(multiply)(X)
        error = caught.exception
        self.assertEqual((error.file, error.line), (__file__, multiply.__code__.co_firstlineno + 1))
        self.assertEqual((error.code, error.column), ("T0208", 20))
        self.assertTrue(error.remedy)
        self.assertIn("matmul: expected one inner size", str(error))

    def test_decisions(self):
        def choose(x):
            if tw.sum(x) > 0:
                return x
            return -x

        with self.assertRaises(tw.CompileError) as caught:
            tw.jit(choose)(X)
        error = caught.exception
        self.assertEqual((error.file, error.line, error.code), (__file__, choose.__code__.co_firstlineno + 1, "T0219"))
        self.assertIn("tensorwright.where", error.remedy)
        self.assertIn("tensorwright.cond", error.remedy)
        for use in (float, int, np.asarray, lambda x: range(x), lambda x: [1, 2][x]):
            with self.assertRaisesRegex(tw.CompileError, "not known while"):
                tw.jit(use)(1)
        with self.assertRaisesRegex(tw.CompileError, "cannot be assigned"):
            tw.jit(lambda x: x.__setitem__(0, 1))(X)

    def test_arguments(self):
        for function, text in (
            (lambda x: tw.softmax(x, axis=7), "softmax: expected an axis from -2 to 1"),
            (lambda x: tw.softmax(x, axis=0.5), "softmax: expected an int"),
            (lambda x: tw.reshape(x, (4, 2)), "reshape"),
            (lambda x: x[0, 0, 0], "expected at most 2 indices"),
            (lambda x: x[5], "select"),
            (lambda x: x[x > 0], "index of bools"),
            (lambda x: tw.astype(x, "float99"), "unknown element type 'float99'"),
            (lambda x: x + "text", "'str'"),
            (lambda x: x + 2**70, "add: expected an integer of 64 bits"),
            (lambda x: tw.reshape(x, 2**70), "reshape: expected an integer of 64 bits"),
            (lambda x: object(), "'object'"),
        ):
            with self.assertRaisesRegex(tw.Error, text) as caught:
                tw.jit(function)(X)
            self.assertEqual((caught.exception.file, bool(caught.exception.line)), (__file__, True))
        with self.assertRaisesRegex(tw.ArgumentError, "'x' is of the unknown element type"):
            tw.jit(lambda x: x)(np.array(["a"]))
        with self.assertRaises(TypeError):
            tw.jit(lambda x: tw.softmax(x, axes=1))(X)
        with self.assertRaisesRegex(tw.ArgumentError, "argument 'x.name' is a 'str'"):
            tw.jit(lambda x: x)({"name": "text"})

    def test_outside(self):
        with self.assertRaisesRegex(tw.CompileError, "no function that is traced") as caught:
            tw.add(X, X)
        self.assertEqual(caught.exception.file, __file__)
        self.assertIn("tensorwright.jit", caught.exception.remedy)
        kept = []
        tw.jit(lambda x: kept.append(x) or x)(X)
        with self.assertRaisesRegex(tw.CompileError, "another function"):
            tw.jit(lambda x: x + kept[0])(X)
        # A failure leaves nothing behind.
        np.testing.assert_array_equal(tw.jit(lambda x: x + 1)(X), X + 1)


if __name__ == "__main__":
    unittest.main()
