# RUN: %venv_python %s
# Functions of the front end, traced, beside numpy's; and that the package has all of the table.
import math
import unittest

import numpy as np
import tensorwright as tw

R = np.random.default_rng(7)


def floats(*shape, low=-2.0, high=2.0, dtype="float32"):
    return R.uniform(low, high, shape).astype(dtype)


def ints(*shape, low=-9, high=9, dtype="int32"):
    return R.integers(low, high, shape).astype(dtype)


X, Y, P, U = floats(3, 4), floats(4), floats(3, 4, low=0.1), floats(3, 4, low=-0.9, high=0.9)
I, J, B, C = ints(3, 4), ints(3, 4, low=1), X > 0, U > 0
erf = np.vectorize(math.erf, otypes=["float64"])


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# What is traced, numpy's, arguments.
CASES = {}
for name in """add subtract multiply divide floor_divide fmod minimum maximum logaddexp equal not_equal less less_equal
               greater greater_equal""".split():
    CASES[name] = (getattr(tw, name), getattr(np, name), (X, Y))
for name in """negative abs sign square exp exp2 expm1 sin cos tan sinh cosh tanh floor ceil trunc asinh:arcsinh atan:arctan
               isnan isinf isfinite flip zeros_like ones_like ravel""".split():
    ours, _, theirs = name.partition(":")
    if hasattr(tw, ours):
        CASES[ours] = (getattr(tw, ours), getattr(np, theirs or ours), (X,))
for name in "log log1p log2 log10 sqrt reciprocal".split():
    CASES[name] = (getattr(tw, name), getattr(np, name), (P,))
for name in "asin:arcsin acos:arccos atanh:arctanh".split():
    ours, _, theirs = name.partition(":")
    CASES[ours] = (getattr(tw, ours), getattr(np, theirs), (U,))
for name in "bitwise_and bitwise_or bitwise_xor".split():
    CASES[name] = (getattr(tw, name), getattr(np, name), (I, J))
for name in "logical_and logical_or logical_xor".split():
    CASES[name] = (getattr(tw, name), getattr(np, name), (B, C))
CASES |= {
    "remainder": (tw.remainder, np.remainder, (I, J)),
    "pow": (tw.pow, np.power, (P, Y)),
    "round": (tw.round, np.round, (4 * X,)),
    "rsqrt": (tw.rsqrt, lambda x: 1 / np.sqrt(x), (P,)),
    "acosh": (tw.acosh, np.arccosh, (1 + P,)),
    "erf": (tw.erf, erf, (X,)),
    "clip": (lambda x: tw.clip(x, min=-1, max=0.5), lambda x: np.clip(x, -1, 0.5), (X,)),
    "clip, one side": (lambda x: tw.clip(x, max=0.5), lambda x: np.clip(x, None, 0.5), (X,)),
    "bitwise_invert": (tw.bitwise_invert, np.bitwise_not, (I,)),
    "bitwise_left_shift": (tw.bitwise_left_shift, np.left_shift, (I, np.abs(J))),
    "bitwise_right_shift": (tw.bitwise_right_shift, np.right_shift, (I, np.abs(J))),
    "logical_not": (tw.logical_not, np.logical_not, (B,)),
    "where": (tw.where, np.where, (B, X, Y)),
    "where, a number": (lambda c, x: tw.where(c, x, 0), lambda c, x: np.where(c, x, np.float32(0)), (B, X)),
    "astype": (lambda x: tw.astype(x, np.int32), lambda x: x.astype("int32"), (8 * X,)),
    "bitcast": (lambda x: tw.bitcast(x, "int32"), lambda x: x.view("int32"), (X,)),
    "full": (lambda x: x + tw.full((3, 4), 2.5), lambda x: x + np.float32(2.5), (X,)),
    "zeros, ones": (lambda x: x * tw.zeros((3, 1)) + tw.ones(4), lambda x: x * 0 + 1, (X,)),
    "full_like": (lambda x: tw.full_like(x, 3), lambda x: np.full_like(x, 3), (X,)),
    "arange": (lambda x: x + tw.arange(1, 9, 2, dtype="int32"), lambda x: x + np.arange(1, 9, 2, "int32"), (I,)),
    "iota": (lambda x: x + tw.iota((3, 4), 0, "int32"), lambda x: x + np.arange(3, dtype="int32")[:, None], (I,)),
    "linspace": (lambda x: x + tw.linspace(0, 1, 4), lambda x: x + np.linspace(0, 1, 4, dtype="float32"), (X,)),
    "eye": (lambda x: x + tw.eye(3, 4, k=1), lambda x: x + np.eye(3, 4, 1, dtype="float32"), (X,)),
    "tril": (tw.tril, np.tril, (X,)),
    "triu": (lambda x: tw.triu(x, k=-1), lambda x: np.triu(x, -1), (X,)),
    "matmul": (tw.matmul, np.matmul, (X, floats(2, 4, 5))),
    "einsum": (lambda x, y: tw.einsum("ij,j->i", [x, y]), lambda x, y: np.einsum("ij,j->i", x, y), (X, Y)),
    "tensordot": (lambda x, y: tw.tensordot(x, y, [0, 1], [1, 0]), lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), (X, floats(4, 3))),
    "vecdot": (tw.vecdot, lambda x, y: (x * y).sum(-1), (X, Y)),
    "outer": (tw.outer, np.outer, (Y, floats(3))),
    "matrix_transpose": (tw.matrix_transpose, lambda x: x.swapaxes(-1, -2), (floats(2, 3, 4),)),
    "permute_dims": (lambda x: tw.permute_dims(x, (2, 0, 1)), lambda x: x.transpose(2, 0, 1), (floats(2, 3, 4),)),
    "moveaxis": (lambda x: tw.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1), (floats(2, 3, 4),)),
    "swapaxes": (lambda x: tw.swapaxes(x, 0, 2), lambda x: x.swapaxes(0, 2), (floats(2, 3, 4),)),
    "reshape": (lambda x: tw.reshape(x, (2, -1)), lambda x: x.reshape(2, -1), (X,)),
    "flatten": (tw.flatten, np.ravel, (X,)),
    "expand_dims": (lambda x: tw.expand_dims(x, (0, 2)), lambda x: np.expand_dims(x, (0, 2)), (X,)),
    "squeeze": (tw.squeeze, np.squeeze, (floats(1, 3, 1),)),
    "broadcast_to": (lambda x: tw.broadcast_to(x, (2, 4)), lambda x: np.broadcast_to(x, (2, 4)), (Y,)),
    "concat": (lambda x, y: tw.concat([x, y], axis=1), lambda x, y: np.concatenate([x, y], 1), (X, P)),
    "stack": (lambda x, y: tw.stack([x, y], axis=-1), lambda x, y: np.stack([x, y], -1), (X, P)),
    "split": (lambda x: tw.split(x, [1, 3], axis=1), lambda x: np.split(x, [1], 1), (X,)),
    "unstack": (lambda x: tw.unstack(x, axis=1), lambda x: [x[:, i] for i in range(4)], (X,)),
    "slice": (lambda x: tw.slice(x, (1, 0), (3, 4), (1, 2)), lambda x: x[1:3, 0:4:2], (X,)),
    "select": (lambda x: tw.select(x, -1, axis=1), lambda x: x[:, -1], (X,)),
    "dynamic_slice": (lambda x, i: tw.dynamic_slice(x, i, 2, axis=1), lambda x, i: x[:, 1:3], (X, np.int32(1))),
    "update_slice": (lambda x, y: tw.update_slice(x, y, [1, 2]), lambda x, y: np.block([[x[:1]], [x[1:, :2], y]]), (X, floats(2, 2))),
    "pad": (lambda x: tw.pad(x, [1, 0], [0, 2], 5.0), lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=5), (X,)),
    "roll": (lambda x: tw.roll(x, 1, 1), lambda x: np.roll(x, 1, 1), (X,)),
    "tile": (lambda x: tw.tile(x, (2, 3)), lambda x: np.tile(x, (2, 3)), (X,)),
    "repeat": (lambda x: tw.repeat(x, 2, 1), lambda x: np.repeat(x, 2, 1), (X,)),
    "take": (lambda x, i: tw.take(x, i, axis=1), lambda x, i: np.take(x, i, 1), (X, np.int32([[3, 0], [1, 1]]))),
    "take_along_axis": (tw.take_along_axis, lambda x, i: np.take_along_axis(x, i, -1), (X, np.int64([[0], [3], [1]]))),
    "one_hot": (lambda i: tw.one_hot(i, 5), lambda i: np.eye(5, dtype="float32")[i], (np.int32([4, 0, 2]),)),
    "argsort": (tw.argsort, np.argsort, (X,)),
    "sort": (lambda x: tw.sort(x, axis=0), lambda x: np.sort(x, 0), (X,)),
    "top_k": (lambda x: tw.top_k(x, 2), lambda x: (np.sort(x)[:, :-3:-1], np.argsort(x)[:, :-3:-1]), (X,)),
    "sum": (lambda x: tw.sum(x, axis=0, keepdims=True), lambda x: x.sum(0, keepdims=True), (X,)),
    "sum of all": (tw.sum, np.sum, (X,)),
    "mean": (lambda x: tw.mean(x, axis=(0, 1)), np.mean, (X,)),
    "prod": (lambda x: tw.prod(x, axis=1), lambda x: x.prod(1), (X,)),
    "max": (lambda x: tw.max(x, axis=-1), lambda x: x.max(-1), (X,)),
    "min": (lambda x: tw.min(x, axis=-1), lambda x: x.min(-1), (X,)),
    "any": (lambda x: tw.any(x, axis=0), lambda x: x.any(0), (B,)),
    "all": (lambda x: tw.all(x, axis=0), lambda x: x.all(0), (B,)),
    "argmax": (lambda x: tw.argmax(x, axis=0), lambda x: x.argmax(0), (X,)),
    "argmin": (lambda x: tw.argmin(x, axis=1), lambda x: x.argmin(1), (X,)),
    "cumulative_sum": (tw.cumulative_sum, lambda x: np.cumsum(x, -1), (X,)),
    "cumulative_prod": (lambda x: tw.cumulative_prod(x, axis=0), lambda x: np.cumprod(x, 0), (X,)),
    "cumulative_max": (tw.cumulative_max, lambda x: np.maximum.accumulate(x, -1), (X,)),
    "relu": (tw.relu, lambda x: np.maximum(x, 0), (X,)),
    "leaky_relu": (lambda x: tw.leaky_relu(x, negative_slope=0.2), lambda x: np.where(x < 0, 0.2 * x, x), (X,)),
    "sigmoid": (tw.sigmoid, sigmoid, (X,)),
    "silu": (tw.silu, lambda x: x * sigmoid(x), (X,)),
    "softplus": (tw.softplus, lambda x: np.log1p(np.exp(x)), (X,)),
    "gelu": (lambda x: tw.gelu(x, approximate=False), lambda x: x * (1 + erf(x / np.sqrt(2))) / 2, (X,)),
    "softmax": (tw.softmax, softmax, (X,)),
    "log_softmax": (tw.log_softmax, lambda x: np.log(softmax(x)), (X,)),
    "linear": (tw.linear, lambda x, w, b: x @ w.T + b, (X, floats(2, 4), floats(2))),
    "embedding": (tw.embedding, lambda i, w: w[i], (np.int32([2, 0]), X)),
    "layer_norm": (tw.layer_norm, lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5), (X,)),
    "rms_norm": (tw.rms_norm, lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), (X,)),
    "mse_loss": (tw.mse_loss, lambda x, y: ((x - y) ** 2).mean(), (X, P)),
    "l1_loss": (lambda x, y: tw.l1_loss(x, y, reduction="none"), lambda x, y: abs(x - y), (X, P)),
    "cross_entropy": (tw.cross_entropy, lambda x, i: -np.log(softmax(x))[np.arange(3), i].mean(), (X, np.int64([3, 0, 1]))),
}
# Operators and indices of tensors.
OPERATORS = {
    "numbers on both sides": (lambda x: 2 - x * 3 + 1 / (x + 5), (X,)),
    "** and abs": (lambda x: abs(x) ** 2, (X,)),
    "// and %": (lambda x, y: x // y + x % y, (I, J)),
    "& | ^ ~ << >>": (lambda x, y: ((x & y) | ~x ^ y) + (abs(x) << 2) + (x >> 1), (I, J)),
    "comparisons": (lambda x, y: ((x < y) | (x == y)) & (x != 0) & ~(x > 1), (X, Y)),
    "@ and T": (lambda x, y: x.T @ (x @ y), (X, floats(4, 2))),
    "an array on the left": (lambda x: Y + x, (X,)),
    "methods": (lambda x: x.reshape(4, 3).transpose(1, 0).sum(0) + x.max() - x.min(axis=1).mean(), (X,)),
    "indices": (lambda x: x[1], (X,)),
    "slices": (lambda x: x[..., 1:3] + x[:, -1:], (X,)),
    "steps": (lambda x: x[::-1, ::2], (X,)),
    "backwards in steps": (lambda x: x[2:0:-1, 3::-2], (X,)),
    "None": (lambda x: x[:, None, 0:2, None], (X,)),
    "negative": (lambda x: x[-1, -2], (X,)),
    "an array": (lambda x: x[:, np.array([2, 0])], (X,)),
    "rows": (lambda x: sum(row * i for i, row in enumerate(x)), (X,)),
}


def equal(case, found, expected):
    if isinstance(expected, (tuple, list)):
        case.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            equal(case, one, other)
        return
    expected = np.asarray(expected)
    case.assertEqual(found.shape, expected.shape)
    case.assertEqual(found.dtype.kind, expected.dtype.kind)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(found, expected)


class Functions(unittest.TestCase):
    def test_beside_numpy(self):
        self.assertGreater(len(CASES), 100)
        for name, (ours, theirs, arguments) in CASES.items():
            with self.subTest(name):
                equal(self, tw.jit(lambda *x: ours(*x))(*arguments), theirs(*arguments))

    def test_operators(self):
        for name, (function, arguments) in OPERATORS.items():
            with self.subTest(name):
                equal(self, tw.jit(function)(*arguments), function(*arguments))

    def test_random_words(self):
        def philox(counter, key):
            x, most = list(counter), 2**32 - 1
            for i in range(10):
                p, q = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
                k = [(key[0] + i * 0x9E3779B9) & most, (key[1] + i * 0xBB67AE85) & most]
                x = [q >> 32 ^ x[1] ^ k[0], q & most, p >> 32 ^ x[3] ^ k[1], p & most]
            return x

        # The known answers of the authors' library, tests/kat_vectors.
        ones, pi = 2**32 - 1, (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
        for counter, key, words in (
            ((0,) * 4, (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
            ((ones,) * 4, (ones, ones), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
            (pi, (0xA4093822, 0x299F31D0), (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
        ):
            self.assertEqual(tuple(philox(counter, key)), words)
        draw = tw.jit(lambda key, counter: tw.random_bits(key, counter, (11,)))
        for key, counter in R.integers(0, 2**64, (20, 2), "uint64").tolist() + [[0, 2**64 - 2], [2**64 - 1, 0], [7, 2**32 - 1]]:
            words = []
            for at in range(counter, counter + 3):
                at %= 2**64
                words += philox((at % 2**32, at >> 32, 0, 0), (key % 2**32, key >> 32))
            self.assertEqual(draw(np.uint64(key), np.uint64(counter)).tolist(), words[:11])

    def test_narrow_types(self):
        half = X.astype("float16")
        found = tw.jit(lambda x: x * 2 + 1)(half)
        self.assertEqual(found.dtype, np.float16)
        np.testing.assert_array_equal(found, half * 2 + 1)

    def test_signatures(self):
        import inspect

        from tensorwright import _functions

        for name in _functions.__all__:
            function = getattr(tw, name)
            self.assertTrue(function.__doc__)
            self.assertIn("Tensor", inspect.signature(function).return_annotation)
        self.assertEqual(str(inspect.signature(tw.softmax)), "(x: 'Operand', axis: 'int' = -1) -> 'Tensor'")
        self.assertGreater(len(_functions.__all__), 180)
        self.assertLess(set(_functions.__all__), set(tw.__all__))


if __name__ == "__main__":
    unittest.main()
