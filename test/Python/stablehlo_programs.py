# RUN: %venv_python %s %source_dir/test/Import/StableHLO/Inputs/linear-algebra.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/sizes-as-operands.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/quantized.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/ragged.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/quantized-regions.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/ragged-batches.stablehlo.mlir %source_dir/test/Import/StableHLO/Inputs/rng.stablehlo.mlir
# Ops of StableHLO that JAX does not print for the CPU, against numpy.
import sys

import numpy as np
import tensorwright as tw

model = tw.compile(sys.argv[1])
random = np.random.default_rng(5)


def draw(*shape):
    return random.standard_normal(shape, "float32")


half = draw(2, 3, 4, 4)
a = half @ half.swapaxes(-1, -2) + 2 * np.eye(4, dtype="float32")
# What lies in the other triangle does not matter to factors of one.
b, c, x, s, o = draw(2, 3, 4, 5), draw(2, 3, 5, 4), draw(2, 4, 3, 5), draw(4), draw(4)
i = np.int32([[0, 3, 1], [2, 2, 0]])
results = model(a, b, c, x, s, o, i)

lower = np.linalg.cholesky(a.astype("float64"))
upper = lower.swapaxes(-1, -2)
unit = upper.copy()
unit[..., range(4), range(4)] = 1
X, axes = x.astype("float64"), (0, 2, 3)
mean, variance = X.mean(axes), X.var(axes)


def along(v):
    return v[None, :, None, None]


normalized = (X - along(mean)) / np.sqrt(along(variance) + 0.01)
output = normalized * along(s) + along(o)
n = X.size / 4
rest = n * output - along(output.sum(axes)) - along((output * (X - along(mean))).sum(axes)) * (X - along(mean)) / along(variance + 0.01)
expected = [
    lower,
    upper,
    np.linalg.solve(lower, b),
    np.linalg.solve(unit, b),
    np.linalg.solve(upper.swapaxes(-1, -2), c.swapaxes(-1, -2)).swapaxes(-1, -2),
    output,
    mean,
    variance,
    along(s / np.sqrt(variance + 0.01) / n) * rest,
    (output * normalized).sum(axes),
    output.sum(axes),
    output,
    np.einsum("abcd,abde->bcea", b, c),
    np.einsum("abcd->cb", b),
    np.stack([x[0][i[0]], x[1][i[1]]]),
    x[:, :, [[0, 2, 1], [2, 2, 0]]],
]
assert len(results) == len(expected)
for number, (found, right) in enumerate(zip(results, expected)):
    assert found.shape == right.shape, (number, found.shape, right.shape)
    np.testing.assert_allclose(found, right, rtol=2e-4, atol=2e-4 * np.abs(right).max(), err_msg=str(number))

# Sizes as operands, and tuples.
other = tw.compile(sys.argv[2])
x, image, w = draw(4, 6), draw(1, 3, 5, 5), draw(2, 3, 3, 3)
padded = np.pad(image[0], ((0, 0), (1, 1), (1, 1)))
windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
expected = [x.reshape(6, 4), np.broadcast_to(x, (3, 4, 6)), np.pad(x, ((1, 2), (0, 3)), constant_values=2.5), x[1:3, ::2], x[[3, 0]],
            np.einsum("cyxrs,ocrs->oyx", windows, w)[None], np.broadcast_to(np.arange(6, dtype="int32"), (4, 6)),
            x[:, :2]]
for number, (found, right) in enumerate(zip(other(x, np.int32([[3], [0]]), image, w), expected, strict=True)):
    assert found.shape == right.shape and found.dtype == right.dtype, (number, found.dtype)
    np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5, err_msg=str(number))

# Quantised tensors are integers outside. Sums in integers are exact, so results are too.
x = draw(2, 4) * 20
q = random.integers(-128, 128, (2, 4)).astype("int8")


def steps(x, scale, zero, low=-128, high=127, kind="int8"):
    return np.clip(np.rint(np.float32(x) / np.float32(scale)) + np.float32(zero), low, high).astype(kind)


number = np.float32(q.astype(int) - 3) * np.float32(0.5)
own = steps(x, 0.5, 3)
both = steps(np.float32(own.astype(int) - 3) * np.float32(0.5) + number, 0.5, 3)
weights = np.float32([[1, 2, 3], [-4, 5, -6], [7, -8, 9], [100, -100, 127]]) * np.float32([0.1, 0.2, 0.05])
expected = [both, np.float32(both.astype(int) - 3) * np.float32(0.5), steps(number, 0.25, 128, 0, 255, "uint8"), q.T,
            steps(number @ weights, 2, -5), x @ weights, steps(x, np.float32([[0.5], [1]]), np.float32([[0], [7]])), own < q]
for number, (found, right) in enumerate(zip(tw.compile(sys.argv[3])(x, q), expected, strict=True)):
    assert found.shape == right.shape and found.dtype == right.dtype, (number, found.dtype)
    if right.dtype == "float32":
        np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-4, err_msg=str(number))
    else:
        np.testing.assert_array_equal(found, right, err_msg=str(number))

# Parts of unequal sizes, an empty one among them; rows behind the last part are zero.
ragged = tw.compile(sys.argv[4])
a, w, c, v, b = draw(8, 4), draw(3, 4, 5), draw(2, 8, 4), draw(2, 3, 4, 5), draw(8, 5)
for sizes in ([2, 3, 3], [4, 0, 2]):
    ends = np.cumsum(sizes)
    rows, batch, summed = np.zeros((8, 5)), np.zeros((2, 8, 5)), []
    for group, (start, end) in enumerate(zip(ends - sizes, ends)):
        rows[start:end] = a[start:end] @ w[group]
        batch[:, start:end] = c[:, start:end] @ v[:, group]
        summed.append(a[start:end].T @ b[start:end])
    for found, right in zip(ragged(a, w, np.int32(sizes), c, v, b), [rows, batch, summed], strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)

# Quantised tensors in regions.
q, u, i = random.integers(-60, 60, (3, 4)).astype("int8"), random.integers(-60, 60, (2, 4)).astype("int8"), np.int32([[2], [0]])
number = np.float32(q.astype(int) - 3) * np.float32(0.5)
wide = np.float32(steps(number, 4, -10).astype(int) + 10) * 4
scattered = number.copy()
scattered[[2, 0]] += np.float32(u.astype(int) - 3) * np.float32(0.5)
expected = [steps(wide.sum(1), 4, -10), q.max(0), np.maximum(q[:, 1:], q[:, :-1]), steps(scattered, 0.5, 3), np.sort(q, 1), q,
            steps(2 * number, 0.5, 3), -np.sort(-q.astype(int), 1)[:, :2].astype("int8")]
for number, (found, right) in enumerate(zip(tw.compile(sys.argv[5])(q, i, u), expected, strict=True)):
    assert found.shape == right.shape and found.dtype == right.dtype, (number, found.dtype)
    np.testing.assert_array_equal(found, right, err_msg=str(number))

# Sizes of parts for each batch.
ragged = tw.compile(sys.argv[6])
c, v, b, w = draw(2, 8, 4), draw(2, 3, 4, 5), draw(2, 8, 5), draw(2, 4, 5)
sizes = np.int32([[2, 3, 3], [5, 0, 1]])
rows, summed = np.zeros((2, 8, 5)), np.zeros((3, 2, 4, 5))
for batch, ends in enumerate(np.cumsum(sizes, axis=1)):
    for group, (start, end) in enumerate(zip(ends - sizes[batch], ends)):
        rows[batch, start:end] = c[batch, start:end] @ v[batch, group]
        summed[group, batch] = c[batch, start:end].T @ b[batch, start:end]
for found, right in zip(ragged(c, v, b, w, sizes, np.int32([1, 0, 1])), [rows, summed, c @ w], strict=True):
    np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)

# A generator whose state the program does not see: each op, at each call of its function, has numbers of its own.
drawn = tw.compile(sys.argv[7])
first, second, normal, integers = drawn(np.float32(-1), np.float32(3))
assert first.min() >= -1 and first.max() < 3 and abs(first.mean() - 1) < 0.1 and abs(first.std() - 4 / 12**0.5) < 0.1
assert np.abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.1 and len(np.unique(first)) > 1990
assert normal.dtype == np.float64 and abs(normal.mean() - 3) < 0.05 and abs(normal.std() - 0.5) < 0.05
assert sorted(np.unique(integers)) == [-2, -1, 0, 1, 2] and np.bincount(integers + 2).min() > 330
np.testing.assert_array_equal(drawn(np.float32(-1), np.float32(3))[0], first)
