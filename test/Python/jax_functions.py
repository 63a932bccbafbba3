# REQUIRES: jax
# RUN: %venv_python %s
# Functions and networks of JAX through StableHLO, compared with JAX.
import doctest
import os
import unittest

import jax
import jax.numpy as jnp
import numpy as np
import tensorwright as tw
from jax import lax

random = np.random.default_rng(1)


def f32(*shape):
    return random.standard_normal(shape).astype("float32")


def i32(low, high, *shape):
    return random.integers(low, high, shape).astype("int32")


class Functions(unittest.TestCase):
    def check(self, function, *args, rtol=2e-5, atol=2e-5, **kwargs):
        expected = jax.jit(function)(*args, **kwargs)
        found = tw.jax.jit(function)(*args, **kwargs)
        self.assertEqual(jax.tree_util.tree_structure(found), jax.tree_util.tree_structure(expected))
        for one, other in zip(jax.tree_util.tree_leaves(found), jax.tree_util.tree_leaves(expected)):
            self.assertIsInstance(one, jax.Array)
            self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
            if jax.dtypes.issubdtype(one.dtype, jax.dtypes.prng_key):
                one, other = jax.random.key_data(one), jax.random.key_data(other)
            one, other = np.asarray(one), np.asarray(other)
            if one.dtype.kind == "c":
                np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)
            elif one.dtype.kind in "fV":
                np.testing.assert_allclose(one.astype("float64"), other.astype("float64"), rtol=rtol, atol=atol)
            else:
                np.testing.assert_array_equal(one, other)

    def test_how_to(self):
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/how-tos/jax.md")
        self.assertEqual(doctest.testfile(page, module_relative=False, verbose=False).failed, 0)

    def test_no_copies(self):
        x = jnp.arange(32.0).reshape(4, 8)
        double = tw.jax.jit(lambda tree: {"y": tree["x"] * 2 + tree["k"]})
        model = double.model({"x": x, "k": 1.0})
        result = double({"x": x, "k": 1.0})["y"]
        np.testing.assert_array_equal(result, x * 2 + 1)
        self.assertEqual((model.copied, double.cache_size), (0, 1))
        double({"x": np.asarray(x), "k": 2.0})
        self.assertEqual(double.cache_size, 1)
        np.testing.assert_array_equal(jax.jit(lambda x: double({"x": x, "k": 3.0})["y"])(x), x * 2 + 3)

    def test_complex_numbers(self):
        """Inside of a function whose arguments and results are real."""
        def parts(z):
            return jnp.real(z), jnp.imag(z)

        x, y = f32(3, 8), f32(3, 8)

        def functions(x, y):
            z, w = lax.complex(x, y), lax.complex(y + 0.5, -x)
            every = [z + w, z - w, z * w, z / w, -z, jnp.conj(z), z * x, y * z, z / y, 1j * z, z ** w, z ** 2, jnp.exp(z), jnp.log(z),
                     jnp.sqrt(z), lax.rsqrt(z), jnp.sin(z), jnp.cos(z), jnp.tan(z), jnp.tanh(z), jnp.log1p(z / 100),
                     jnp.expm1(z / 100), jnp.sign(z), jnp.sum(z, 0), z @ w.T, x @ w.T, jnp.where(x > 0, z, w), z[:, ::-2], z.T,
                     jnp.concatenate([z, w]), jnp.pad(z, ((1, 0), (0, 2)), constant_values=2 + 1j), z.reshape(4, 6),
                     jnp.take(z, jnp.asarray([2, 0]), axis=0), lax.dynamic_slice(z, (1, 2), (2, 3))]
            return [parts(one) for one in every], jnp.abs(z), jnp.angle(z), z == w, z != z, jnp.isfinite(jnp.real(z))

        self.check(functions, x, y, rtol=1e-4, atol=1e-5)
        def loops(x, y):
            z = lax.complex(x, y)
            turned = lax.fori_loop(0, 5, lambda i, w: w * 1j + z, z)
            small = lax.while_loop(lambda w: jnp.sum(jnp.abs(w)) > 1e-2, lambda w: (0.3 + 0.1j) * w, z)
            last, all = lax.scan(lambda w, r: (w * r, jnp.real(w)), z[0], x)
            chosen = lax.cond(x[0, 0] > 0, lambda z: (z * 2, x), lambda z: (z.conj(), y), z)
            switched = lax.switch(jnp.int32(x[0, 0] > y[0, 0]) + 1, [lambda z: z, lambda z: z + 1j, lambda z: z - 1], z)
            return parts(turned), parts(small), parts(last), all, parts(chosen[0]), chosen[1], parts(switched)

        self.check(loops, x, y, rtol=1e-4, atol=1e-4)
        zero = np.zeros((2, 2), "float32")
        self.check(lambda x: parts(jnp.sqrt(lax.complex(x, x))) + (jnp.abs(lax.complex(x, 0 * x)),), np.float32([[0, 1e30], [3, -4]]))
        self.check(lambda x: parts(lax.complex(x, x) ** 2.0), zero)

    def test_fourier_transforms(self):
        for n in (1, 2, 7, 60, 97, 1000):
            x, y = f32(2, n), f32(2, n)

            def transforms(x, y):
                z = lax.complex(x, y)
                found = [jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.rfft(x)]
                return [(one.real, one.imag) for one in found], jnp.fft.irfft(jnp.fft.rfft(x) * 2, n=x.shape[-1])

            self.check(transforms, x, y, rtol=1e-4, atol=2e-4)
        image = f32(2, 12, 10)
        self.check(lambda x: (jnp.fft.irfft2(jnp.fft.rfft2(x)), jnp.abs(jnp.fft.fft2(x)), jnp.abs(jnp.fft.rfftn(x))), image, rtol=1e-4, atol=1e-3)
        # A convolution by transforms is one.
        a, b = f32(64), f32(64)
        found = tw.jax.jit(lambda a, b: jnp.fft.ifft(jnp.fft.fft(a, 128) * jnp.fft.fft(b, 128)).real)(a, b)
        np.testing.assert_allclose(found[:127], np.convolve(a, b), atol=1e-3)

    def test_complex_arguments_and_results(self):
        z, w = (f32(2, 6) + 1j * f32(2, 6) for _ in range(2))
        self.check(lambda z, w: (z * w + 2, jnp.abs(z), {"w": w.T}), z, w)
        self.check(jnp.fft.fft, z, rtol=1e-4, atol=1e-4)
        self.check(lambda x: lax.complex(x, x), f32(3))
        self.check(lambda z, s: z * s, jnp.asarray(z), 2 + 1j)
        self.check(lambda s: s * 1j, np.complex64(2 - 3j))
        self.check(lambda z: z.T, z[:, ::2])
        self.check(lambda z: z * 2, z[:0])
        # A model by itself takes and gives them too.
        model = tw.jax.jit(lambda z: (z * 2, abs(z))).model(z)
        self.assertEqual([(one.dtype, one.shape) for one in model.inputs + model.outputs],
                         [("complex64", (2, 6)), ("complex64", (2, 6)), ("float32", (2, 6))])
        doubled, size = model(z.astype("complex64"))
        self.assertEqual((doubled.dtype, size.dtype), (np.complex64, np.float32))
        np.testing.assert_array_equal(doubled, 2 * z)
        self.assertEqual(model.copied, 0)
        with self.assertRaisesRegex(tw.ArgumentError, r"is float32\[2, 6, 2\], expected complex64\[2, 6\]"):
            model(z.view("float32").reshape(2, 6, 2))

    def test_products_of_complex_numbers(self):
        z = f32(3, 5) + 1j * f32(3, 5)
        self.check(lambda z: (jnp.prod(z), jnp.prod(z, axis=0), jnp.cumprod(z, axis=1), jnp.cumsum(z, axis=1), jnp.sum(z)), z)
        self.check(lambda z: (lax.reduce(z, np.complex64(1j), lambda a, b: a + b, (1,)), jnp.prod(z[:0], axis=0)), z)
        self.check(lambda z: lax.reduce((z, z.real), (np.complex64(1), np.float32(0)), lambda a, b: (a[0] * b[0], a[1] + b[1]), (0,)), z)

    def test_sorts_and_scatters_of_complex_numbers(self):
        z = np.round(f32(3, 5)) + 1j * f32(3, 5)
        i = np.int32([2, 0, 2])
        self.check(lambda z: (jnp.sort(z, axis=1), lax.sort((z, z.real), dimension=0, num_keys=1)), z)
        self.check(lambda z, i: (z.at[i].add(z), z.at[i[:2]].set(1j), z.at[:, i].add(z[:, :3]), z.at[i[:2]].multiply(z[:2], unique_indices=True)), z, i)

    def test_complex_numbers_that_are_refused(self):
        with self.assertRaisesRegex(tw.Error, "scatter with a region that is no sum"):
            tw.jax.jit(lambda x, i: lax.complex(x, x).at[i].multiply(2).real)(f32(3), np.int32([0, 0]))

    def test_symbolic_sizes(self):
        def f(x, w):
            y = jnp.tanh(x @ w)
            return jax.nn.softmax(y, axis=-1), {"mean": y.mean(0)}, y[-1], jnp.concatenate([y, y[:1]]), jnp.cumsum(y, 0), x.reshape(-1), jnp.arange(x.shape[0]), lax.top_k(x, 2), x[:, None] - x[None]

        b, = jax.export.symbolic_shape("b")
        exported = jax.export.export(jax.jit(f))(jax.ShapeDtypeStruct((b, 4), "float32"), jax.ShapeDtypeStruct((4, 3), "float32"))
        w = f32(4, 3)
        model = tw.compile(exported, dims={"b": (1, 64)})
        self.assertEqual(model.inputs[0].shape, ("b", 4))
        for n in (1, 2, 13, 64):
            x = f32(n, 4)
            for found, right in zip(model(x, w), jax.tree_util.tree_leaves(f(x, w)), strict=True):
                np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)
        self.assertEqual(tw.compile(exported, symbols={"b": 5})(f32(5, 4), w)[0].shape, (5, 3))
        self.assertEqual(tw.compile(exported, shapes=[(7, 4)])(f32(7, 4), w)[0].shape, (7, 3))
        with self.assertRaisesRegex(tw.Error, "no symbolic dimension 'n'"):
            tw.compile(exported, dims={"n": (1, 64)})

    def test_bytecode(self):
        exported = jax.export.export(jax.jit(lambda x: jnp.sin(x) + 1))(jax.ShapeDtypeStruct((3,), "float32"))
        x = f32(3)
        np.testing.assert_allclose(tw.compile(bytes(exported.mlir_module_serialized))(x), np.sin(x) + 1, rtol=1e-6)
        with self.assertRaisesRegex(tw.CompileError, "not a portable artifact"):
            tw.compile(bytes(exported.mlir_module_serialized)[:40])

    def test_static_arguments(self):
        scaled = tw.jax.jit(lambda x, n, axis=0: jnp.sum(x, axis=axis) * n, static_argnums=1, static_argnames="axis")
        x = f32(2, 3)
        np.testing.assert_allclose(scaled(x, 3), x.sum(0) * 3, rtol=1e-6)
        np.testing.assert_allclose(scaled(x, 2, axis=1), x.sum(1) * 2, rtol=1e-6)
        self.assertEqual(scaled.cache_size, 2)

    def test_lowered(self):
        x = f32(2, 3)
        model = tw.compile(jax.jit(lambda a, b: {"sum": a + b}).lower(x, x))
        self.assertEqual(repr(model.outputs), "[result.sum: float32[2, 3]]")
        np.testing.assert_array_equal(model(x, x), x + x)
        with self.assertRaisesRegex(tw.ArgumentError, "whose arguments are not known"):
            tw.compile(jax.jit(jnp.sin))

    def test_report(self):
        def f(x):
            return jnp.linalg.cholesky(x) + lax.complex(x, x).at[np.int32([0, 0])].multiply(2).real
        with self.assertRaises(tw.UnsupportedError) as raised:
            tw.jax.jit(f)(np.eye(3, dtype="float32"))
        text = str(raised.exception)
        self.assertRegex(text, r"jax_functions.py:\d+:\d+: note: stablehlo.custom_call with the target 'lapack_spotrf_ffi'")
        self.assertRegex(text, r"jax_functions.py:\d+:\d+: note: stablehlo.scatter with a region that is no sum")

    # Elementwise

    def test_arithmetic(self):
        x, y = f32(4, 5), f32(4, 5)
        self.check(lambda x, y: (x + y, x - y, x * y, x / y, -x, abs(x), jnp.sign(x), x**2, x**0.5, jnp.maximum(x, y),
                                 jnp.minimum(x, y), lax.rem(x, y), jnp.mod(x, y), jnp.floor_divide(x, y)), x, y)

    def test_integers(self):
        x, y = i32(-50, 50, 4, 5), i32(-3, 4, 4, 5)
        self.check(lambda x, y: (x + y, x * y, x // y, x % y, lax.div(x, y), lax.rem(x, y), x & y, x | y, x ^ y, ~x,
                                 x << (y & 3), x >> (y & 3), lax.shift_right_logical(x, y & 3),
                                 lax.population_count(x), lax.clz(x), x < y, jnp.abs(x)), x, y)
        self.check(lambda x: (lax.population_count(x), lax.clz(x), lax.shift_right_arithmetic(x, x & 3)),
                   x.astype("uint8"))

    def test_conversions(self):
        x = np.float32([-300.7, -1.5, 0, 0.4, 2.5, 3e9])
        self.check(lambda x: [x.astype(t) for t in ("int32", "int8", "uint8", "bool", "float16", "bfloat16")], x)
        self.check(lambda x: (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x, jnp.uint8)), x)
        self.check(lambda x: lax.bitcast_convert_type(x, jnp.float32), i32(0, 2**15, 3, 2).astype("uint16"))

    def test_elementary_functions(self):
        x = np.float32([-3, -0.7, -0.0, 0.0, 1e-4, 0.3, 0.99, 1.5, 4])
        self.check(lambda x: (jnp.exp(x), jnp.expm1(x), jnp.log(abs(x) + 1), jnp.log1p(x), jnp.sin(x), jnp.cos(x),
                              jnp.tan(x), jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x), jnp.sinh(x), jnp.cosh(x),
                              jnp.tanh(x), jnp.arcsinh(x), jnp.arctanh(x), jnp.arccosh(x), jnp.cbrt(x), lax.rsqrt(x),
                              jnp.sqrt(x), lax.logistic(x), jnp.exp2(x), jnp.sinc(x)), x)
        self.check(lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), lax.round(x), jnp.trunc(x), jnp.isfinite(x / x),
                              jnp.isnan(x / x), jnp.isinf(1 / x), lax.reduce_precision(x, 5, 10),
                              lax.reduce_precision(x, 8, 7), lax.nextafter(x, -x + 1)), x)
        y, x = np.meshgrid(*[np.float32([-np.inf, -2, -0.0, 0.0, 1, np.inf, np.nan])] * 2)
        self.check(jnp.arctan2, y, x)

    def test_special_functions(self):
        x = np.float32([-2.5, -0.9, -0.1, 0.0, 0.2, 0.5, 0.95, 1, 3.3, 12])
        self.check(lambda x: (lax.erf(x), lax.erfc(x), lax.erf_inv(x), lax.lgamma(x), lax.digamma(x), lax.bessel_i0e(x),
                              lax.bessel_i1e(x)), x, rtol=1e-4)
        self.check(lambda x: (lax.zeta(1 + x, x), lax.polygamma(jnp.round(x), x)), abs(x) + 0.5, rtol=1e-3)

    def test_narrow_floats(self):
        x = f32(3, 4)
        for dtype in ("float16", "bfloat16"):
            tolerance = 2e-2 if dtype == "bfloat16" else 2e-3
            self.check(lambda x: (x + 1, jnp.exp(x), x @ x.T, x.sum(0), jnp.log1p(abs(x)), jax.nn.softmax(x)),
                       jnp.asarray(x, dtype), rtol=tolerance, atol=tolerance)

    def test_wide_types(self):
        with jax.enable_x64(True):
            x = random.standard_normal((3, 4))
            self.check(lambda x: (jnp.exp(x), x @ x.T, lax.erf_inv(x / 5), lax.erfc(x), lax.lgamma(x),
                                  (x * 1e12).astype("int64"), jnp.argsort(x)), x, rtol=1e-12, atol=1e-12)

    def test_more_special_functions(self):
        x = abs(f32(5)) + 0.5
        self.check(lambda x: (lax.igamma(x, x + 1), lax.betainc(x, x, x / 20)), x, rtol=1e-4)

    # Movement

    def test_movement(self):
        x = f32(4, 6)
        self.check(lambda x: (x.T, x.reshape(3, 8), x[1:3, ::2], x[::-1], jnp.pad(x, ((1, 2), (0, 1)), constant_values=2),
                              lax.pad(x, 3.0, ((1, -1, 2), (-2, 1, 0))), lax.pad(x, x[0, 0], ((0, 1, 1), (2, 0, 3))),
                              jnp.concatenate([x, x + 1], 1), jnp.stack([x, x]), jnp.tile(x, (2, 1)), jnp.roll(x, 2, 1),
                              jnp.tril(x), jnp.eye(3), jnp.broadcast_to(x[:, :1], (4, 3)), x[None, 0], jnp.repeat(x, 2, 0),
                              jnp.flip(x), jnp.moveaxis(x[None], 0, 2), jnp.triu(x, 1), jnp.diag(x[:, 1])), x)

    def test_dynamic_slices(self):
        x = f32(5, 6)
        for i, j in ((1, 2), (-1, 9), (4, 5)):
            self.check(lambda x, i, j: (lax.dynamic_slice(x, (i, j), (2, 3)), lax.dynamic_index_in_dim(x, j, 1),
                                        lax.dynamic_update_slice(x, x[:2, :3] * 0, (i, j)), x[i]), x, np.int32(i), np.int32(j))

    def test_gathers(self):
        x, i = f32(5, 4, 3), i32(-5, 5, 6)
        self.check(lambda x, i: (x[i], x[:, i % 4], x[i, i % 4], x[i, :, i % 3], jnp.take(x, i, axis=0, mode="clip"),
                                 jnp.take(x, i + 3, axis=0, mode="fill"), jnp.take_along_axis(x, i.reshape(1, 2, 3) % 4, 1),
                                 jax.vmap(lambda row, k: row[k], (0, 0))(x, i[:5] % 4)), x, i)
        numbers = lax.GatherDimensionNumbers(offset_dims=(0, 2), collapsed_slice_dims=(1,), start_index_map=(2, 0))
        self.check(lambda x, i: lax.gather(x, i, numbers, (2, 1, 2)), x, i32(-1, 5, 7, 2))

    def test_segments(self):
        x, s = f32(40, 3), np.random.default_rng(2).integers(-2, 9, 40).astype("int32")
        for of in (jax.ops.segment_sum, jax.ops.segment_prod, jax.ops.segment_max, jax.ops.segment_min):
            self.check(lambda x, s: (of(x, s, 7), of(x[:, 0], s, 7), of(jnp.int32(x * 9), s, 7), of(x, s, 7, bucket_size=16),
                                     of(x, jnp.sort(s), 7, indices_are_sorted=True)), x, s)
        self.check(lambda x, s: (jax.vmap(lambda x, s: jax.ops.segment_sum(x, s, 7))(x.reshape(4, 10, 3), s.reshape(4, 10)),
                                 jax.grad(lambda x: (jax.ops.segment_sum(x, s, 7) ** 2).sum())(x)), x, s)

    def test_running_combinations(self):
        x = f32(33, 5)
        combine = lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1])
        self.check(lambda x: (lax.associative_scan(combine, (jnp.tanh(x), x)), lax.associative_scan(combine, (x, x), reverse=True, axis=1)), x)
        # As a window with a region of its own, which grows along a dimension.
        def window(x, init, combine, reverse):
            size = len(jax.tree.leaves(x)[0])
            pads = [(0, size - 1), (0, 0)] if reverse else [(size - 1, 0), (0, 0)]
            return lax.reduce_window(x, init, combine, (size, 1), (1, 1), pads)
        self.check(lambda x: [window(x, np.float32(-np.inf), jnp.logaddexp, reverse) for reverse in (False, True)], x)
        # In the order of its elements, from either end, which XLA itself only keeps in short windows.
        one, zero = np.float32(1), np.float32(0)
        self.check(lambda x: [window((jnp.tanh(x), x), (one, zero), combine, reverse) for reverse in (False, True)], f32(5, 4))

    def test_scatters(self):
        x, i, u = f32(6, 4), i32(-7, 8, 5), f32(5, 4)
        self.check(lambda x, i, u: (x.at[i].set(u[0]), x.at[i].add(u), x.at[i].multiply(u), x.at[i].max(u), x.at[i].min(u),
                                    x.at[i % 6, i % 4].add(u[:, 0]), x.at[:, 2].set(1.0), x.at[1:3].add(2.0),
                                    x.at[jnp.arange(3)].apply(jnp.exp, unique_indices=True), (x > 0).at[i].set(True)), x, i, u)
        self.check(lambda x, i: jax.vmap(lambda row, k: row.at[k].add(1.0))(x, i[:6] % 4), x, i32(0, 4, 6))

    def test_window_scatter(self):
        numbers = lax.ScatterDimensionNumbers(update_window_dims=(0, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(1, 0))
        self.check(lambda x, i, u: lax.scatter_add(x, i, u, numbers), f32(5, 6), i32(-1, 5, 4, 2), f32(2, 4, 3))

    # Reductions, windows, sorts

    def test_reductions(self):
        x = f32(4, 7)
        self.check(lambda x: (x.sum(), x.max(0), x.min(1), x.prod(1), x.mean(), x.var(1), (x > 0).any(), (x > -9).all(1),
                              jnp.linalg.norm(x), jax.nn.logsumexp(x, 1), jnp.argmax(x, 1), jnp.argmin(x, 0), x.std(),
                              jnp.max(x, initial=3.0), jnp.sum(x, where=x > 0), jnp.nanmax(x), jnp.count_nonzero(x > 0)), x)
        self.check(lambda x: (lax.reduce_and(x, (0,)), lax.reduce_xor(x, (1,)), lax.reduce_or(x, (0, 1)), x.max(1)), i32(0, 99, 5, 3))

    def test_reductions_by_own_regions(self):
        x, y = f32(3, 7), f32(3, 7)
        def most(a, b):
            keep = a[0] >= b[0]
            return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])
        self.check(lambda x, y: lax.reduce((x, y), (-np.float32(np.inf), np.float32(0)), most, (1,)), x, y)
        self.check(lambda x: lax.reduce(x, np.float32(-np.inf), jnp.logaddexp, (0,)), x)

    def test_arg_reductions_of_nan(self):
        x = f32(3, 5)
        x[1, 3] = np.nan
        x[2] = -np.inf
        self.check(lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 1), jnp.nanargmax(x[:2], 1), x.max(1)), x)

    def test_scans_of_elements(self):
        x = f32(3, 9)
        self.check(lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1), lax.cummin(x, 1, reverse=True),
                              lax.cumlogsumexp(x, 1), lax.cumlogsumexp(x, 1, reverse=True), lax.associative_scan(jnp.add, x, axis=1)), x)

    def test_windows(self):
        x = f32(2, 7, 8, 3)
        self.check(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 3, 1), (1, 2, 1, 1), "SAME"),
                              lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 2, 1), "VALID", window_dilation=(1, 2, 1, 1)),
                              lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 1, 1, 1), "VALID", base_dilation=(1, 2, 1, 1)),
                              lax.reduce_window(x, 1.0, lambda a, b: a * b, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")), x)

    def test_pooling_gradients(self):
        x = f32(2, 6, 6, 1).round(1)
        pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME")
        mean = lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "SAME")
        self.check(jax.grad(lambda x: (pool(x) ** 2).sum() + (mean(x) ** 2).sum()), x)

    def test_sorts(self):
        x = f32(4, 9).round(1)
        x[0, 2], x[1, 1], x[1, 5] = np.nan, -0.0, 0.0
        self.check(lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argsort(x, 0), jnp.sort(x, descending=True),
                              lax.sort((x, x + 1), num_keys=1), lax.sort((x.round(), x), num_keys=2), lax.top_k(x, 3),
                              jnp.median(x[2:], 1), jnp.searchsorted(jnp.sort(x[2]), x[3]), lax.sort(x, dimension=0)), x)
        self.check(lambda x: (jnp.sort(x), jnp.unique(x, size=5), jnp.bincount(x, length=6), jnp.argsort(-x)), i32(0, 6, 11))

    # Products

    def test_products(self):
        a, b = f32(2, 3, 4), f32(2, 4, 5)
        self.check(lambda a, b: (a @ b, jnp.einsum("bij,bjk->kbi", a, b), jnp.tensordot(a, b, ((2, 0), (1, 0))), a[0] @ b[0, :, 0],
                                 jnp.outer(a[0, 0], b[0, 0]), jnp.vdot(a, a), jnp.kron(a[0], b[0]),
                                 lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))), precision="highest")), a, b)
        self.check(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), i32(-9, 9, 3, 4).astype("int8"),
                   i32(-9, 9, 4, 2).astype("int8"))

    def test_convolutions(self):
        x, w = f32(2, 9, 8, 4), f32(3, 2, 4, 6)
        conv = lambda x, w, *a, **k: lax.conv_general_dilated(x, w, *a, dimension_numbers=("NHWC", "HWIO", "NHWC"), **k)
        self.check(lambda x, w: (conv(x, w, (1, 1), "SAME"), conv(x, w, (2, 1), "VALID"), conv(x, w, (1, 2), ((2, 1), (0, 3))),
                                 conv(x, w, (1, 1), ((1, 2), (2, 2)), lhs_dilation=(2, 1)), conv(x, w, (1, 1), "SAME", rhs_dilation=(2, 2)),
                                 conv(x, w, (1, 1), ((-1, 2), (1, -1))), conv(x, w[:, :, :2], (1, 1), "SAME", feature_group_count=2),
                                 conv(x, w, (1, 1), "SAME", batch_group_count=2),
                                 lax.conv_transpose(x, w.swapaxes(2, 3)[..., :4, :4], (2, 2), "SAME")), x, w, atol=1e-4)
        self.check(lambda x, w: (lax.conv_general_dilated(x, w, (1,), "SAME"), jnp.convolve(x[0, 0], w[0, 0])), f32(2, 3, 8), f32(5, 3, 3))

    def test_convolution_gradients(self):
        x, w = f32(2, 8, 8, 2), f32(3, 3, 1, 4)
        loss = lambda x, w: (lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2) ** 2).sum()
        self.check(jax.grad(loss, (0, 1)), x, w, atol=1e-4)

    # Control

    def test_branches(self):
        x = f32(3, 4)
        for i in (-1, 0, 1, 2, 5):
            self.check(lambda x, i: (lax.cond(i > 0, lambda x: x + 1, lambda x: x * 2, x),
                                     lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * i], x)), x, np.int32(i))
        self.check(lambda x: jax.vmap(lambda r: lax.cond(r[0] > 0, jnp.sin, jnp.cos, r))(x), x)

    def test_loops(self):
        x = f32(5, 4)
        self.check(lambda x: (lax.scan(lambda c, y: (c + y, c * y), x[0], x), lax.scan(lambda c, y: (c * 0.5 + y, c), x[0], x, reverse=True),
                              lax.fori_loop(0, 5, lambda k, v: v * 0.5 + k, x), lax.fori_loop(2, 9, lambda k, v: v + x[k % 5], x[0]),
                              lax.map(lambda r: r.sum(), x), lax.fori_loop(3, 3, lambda k, v: v + 1, x)), x)

    def test_while(self):
        x = abs(f32(5))
        self.check(lambda x: (lax.while_loop(lambda v: v.sum() < 100, lambda v: v * 2, x),
                              lax.while_loop(lambda s: s[0] < 7.5, lambda s: (s[0] + 1, s[1] * s[0]), (x[0], x)),
                              jax.vmap(lambda a: lax.while_loop(lambda v: v < 10, lambda v: v * 3, a))(x)), x)
        self.check(lambda n, x: lax.fori_loop(0, n, lambda k, v: v + k, x), np.int32(6), x)

    def test_loop_gradients(self):
        cell = lambda w, x: lax.scan(lambda h, y: (jnp.tanh(h @ w + y), h), x[0], x)[0].sum()
        self.check(jax.grad(cell, (0, 1)), f32(4, 4), f32(6, 4))
        self.check(jax.grad(lambda x: lax.cond(x[0] > 0, lambda x: (x**2).sum(), lambda x: x.sum(), x)), f32(4))

    # Random numbers

    def test_random(self):
        key = jax.random.PRNGKey(7)
        for draw in (lambda k: jax.random.uniform(k, (3, 4)), lambda k: jax.random.normal(k, (5,)),
                     lambda k: jax.random.bernoulli(k, 0.3, (6,)), lambda k: jax.random.split(k, 3),
                     lambda k: jax.random.randint(k, (4,), 0, 9),
                     lambda k: jax.random.permutation(k, 8), lambda k: jax.random.truncated_normal(k, -1, 1, (4,)),
                     lambda k: jax.random.categorical(k, jnp.ones((3, 5)))):
            self.check(draw, key)
        self.check(lambda k: (jax.random.split(k), jax.random.exponential(k, (3,))), jax.random.key(3))

    def test_bit_generators(self):
        for algorithm in (lax.RandomAlgorithm.RNG_PHILOX, lax.RandomAlgorithm.RNG_THREE_FRY):
            for shape in ((6,), (5,), (3, 4), (4, 3), (3, 5), (2, 2, 2), ()):
                for dtype in ("uint32", "uint8"):
                    self.check(lambda k: lax.rng_bit_generator(k, shape, dtype, algorithm=algorithm), np.uint32([5, 0, 7, 9]))
        self.check(lambda k: jax.random.normal(k, (4, 3)), jax.random.key(3, impl="rbg"))

    # Networks

    def test_mlp(self):
        params = [(f32(8, 16), f32(16)), (f32(16, 4), f32(4))]
        def loss(params, x, y):
            for w, b in params[:-1]:
                x = jax.nn.relu(x @ w + b)
            logits = x @ params[-1][0] + params[-1][1]
            return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(y)), y])
        self.check(jax.value_and_grad(loss), params, f32(6, 8), i32(0, 4, 6))

    def test_training_step(self):
        params = {"w": f32(8, 4), "b": f32(4), "m": None}
        def step(params, x, y):
            gradients = jax.grad(lambda p: ((jnp.tanh(x @ p["w"] + p["b"]) - y) ** 2).mean())(params)
            return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, gradients)
        self.check(step, params, f32(5, 8), f32(5, 4))

    def test_convolutional_network(self):
        params = {"c1": f32(3, 3, 1, 4), "c2": f32(3, 3, 4, 8), "w": f32(32, 5) * 0.1, "s": f32(4), "b": f32(4)}
        def network(p, x):
            conv = lambda x, w, s: lax.conv_general_dilated(x, w, (s, s), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = conv(x, p["c1"], 1)
            x = (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * p["s"] + p["b"]
            x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            x = jax.nn.gelu(conv(x, p["c2"], 2))
            return x.reshape(len(x), -1) @ p["w"]
        x = f32(2, 8, 8, 1)
        self.check(network, params, x, atol=1e-4)
        self.check(jax.grad(lambda p, x: (network(p, x) ** 2).mean()), params, x, rtol=1e-3, atol=1e-3)

    def test_transformer(self):
        heads, width = 2, 8
        layer = lambda: {"qkv": f32(width, 3 * width) * 0.3, "o": f32(width, width) * 0.3, "u": f32(width, 16) * 0.3,
                         "d": f32(16, width) * 0.3, "g1": f32(width), "g2": f32(width)}
        params = {"e": f32(11, width), "p": f32(6, width), "layers": [layer(), layer()]}
        norm = lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g
        def network(p, tokens):
            x = p["e"][tokens] + p["p"]
            b, s, _ = x.shape
            for l in p["layers"]:
                q, k, v = jnp.split(norm(x, l["g1"]) @ l["qkv"], 3, -1)
                q, k, v = (t.reshape(b, s, heads, -1) for t in (q, k, v))
                scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width / heads)
                scores = jnp.where(jnp.tril(jnp.ones((s, s), bool)), scores, -jnp.inf)
                x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(b, s, width) @ l["o"]
                x = x + jax.nn.gelu(norm(x, l["g2"]) @ l["u"]) @ l["d"]
            return x @ p["e"].T
        tokens = i32(0, 11, 2, 6)
        self.check(network, params, tokens, atol=1e-4)
        loss = lambda p, t: -jnp.take_along_axis(jax.nn.log_softmax(network(p, t)), t[..., None], -1).mean()
        self.check(jax.grad(loss), params, tokens, rtol=1e-3, atol=1e-3)

    def test_attention(self):
        q = f32(1, 4, 2, 8)
        self.check(lambda q: jax.nn.dot_product_attention(q, q, q, is_causal=True), q)

    def test_recurrent_network(self):
        p = {"i": f32(3, 16) * 0.5, "h": f32(4, 16) * 0.5, "b": f32(16)}
        def lstm(p, x):
            def step(carry, x):
                h, c = carry
                i, f, g, o = jnp.split(x @ p["i"] + h @ p["h"] + p["b"], 4, -1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
                return (h, c), h
            return lax.scan(step, (jnp.zeros((2, 4)), jnp.zeros((2, 4))), x)
        self.check(lstm, p, f32(5, 2, 3))
        self.check(jax.grad(lambda p, x: lstm(p, x)[1].sum()), p, f32(5, 2, 3))

    def test_solvers(self):
        # Newton's steps, conjugate gradients, a Runge-Kutta step
        a = f32(4, 4)
        a = a @ a.T + 4 * np.eye(4, dtype="float32")
        self.check(lambda a, b: jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, maxiter=6)[0], a, f32(4), rtol=1e-3, atol=1e-3)
        self.check(lambda x: lax.fori_loop(0, 8, lambda _, y: y - (y * y - x) / (2 * y), x), abs(f32(5)) + 0.5)
        self.check(jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x**2)), f32(4))
        self.check(jax.jacfwd(lambda x: jnp.tanh(x[:, None] * x[None]).sum(1)), f32(4))


if __name__ == "__main__":
    unittest.main()
