# RUN: %venv_python %s
# Layers and losses beside formulas in numpy, which are PyTorch's definitions.
import itertools
import unittest

import numpy as np
import tensorwright as tw

R = np.random.default_rng(5)


def floats(*shape):
    return R.uniform(-1, 1, shape)


def run(module, *arguments, **options):
    return tw.jit(lambda module, *arguments: module(*arguments, **options))(module, *arguments)


def near(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x):
    return 0.5 * (1 + np.tanh(0.5 * x))


def attend(q, k, v, causal=False):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    return softmax(scores) @ v


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).swapaxes(1, 2)


def multihead(m, query, memory, causal=False):
    parts = zip((query, memory, memory), np.split(m.in_proj_weight, 3), np.split(m.in_proj_bias, 3))
    q, k, v = (heads(x @ w.T + b, m.num_heads) for x, w, b in parts)
    out = attend(q, k, v, causal).swapaxes(1, 2).reshape(query.shape)
    return out @ m.out_proj.weight.T + m.out_proj.bias


def normalize(x, m):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * m.weight + m.bias


def feed(m, x):
    return np.maximum(x @ m.linear1.weight.T + m.linear1.bias, 0) @ m.linear2.weight.T + m.linear2.bias


class Layers(unittest.TestCase):
    def setUp(self):
        tw.init.manual_seed(3)

    def test_simple(self):
        x = floats(4, 6)
        m = tw.nn.Linear(6, 5, dtype="float64")
        near(run(m, x), x @ m.weight.T + m.bias)
        m = tw.nn.Embedding(7, 3, dtype="float64")
        near(run(m, np.int64([[1, 6]])), m.weight[[[1, 6]]])
        m = tw.nn.Sequential(tw.nn.Linear(6, 5, dtype="float64"), tw.tanh)
        near(run(m, x), np.tanh(x @ m.layers[0].weight.T + m.layers[0].bias))
        m = tw.nn.LayerNorm(6, dtype="float64")
        near(run(m, x), normalize(x, m))
        m = tw.nn.RMSNorm(6, dtype="float64")
        near(run(m, x), x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5))

    def test_wrong(self):
        with self.assertRaisesRegex(tw.ArgumentError, "kernel_size: expected a number for each spatial dimension, found 3"):
            tw.nn.Conv(1, 2, 3)
        for make, text in (
            (lambda: tw.nn.Dropout(1.0), "p: expected a rate from 0 to below 1, found 1.0"),
            (lambda: tw.nn.MultiheadAttention(6, 4), "embed_dim: expected a multiple of 4 heads, found 6"),
            (lambda: tw.optim.Accumulate(tw.optim.SGD(0.1), 0), "every: expected 1 or more, found 0"),
            (lambda: tw.jit(lambda x: tw.huber_loss(x, x, -1.0))(np.ones(2)), "huber_loss: expected a delta above 0, found -1"),
        ):
            with self.assertRaisesRegex(tw.Error, text):
                make()

    def test_convolution(self):
        x = floats(2, 3, 8)
        m = tw.nn.Conv(3, 4, (3,), stride=2, padding=1, dtype="float64")
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
        rows = np.stack([padded[:, :, i : i + 3] for i in range(0, 8, 2)], 2)
        near(run(m, x), np.einsum("ncpk,ock->nop", rows, m.weight) + m.bias[:, None])
        m = tw.nn.ConvTranspose(3, 4, (2,), stride=2, dtype="float64")
        near(run(m, x), np.einsum("ncp,cok->nopk", x, m.weight).reshape(2, 4, 16) + m.bias[:, None])

    def test_batch_norm(self):
        x, m = floats(5, 3, 4), tw.nn.BatchNorm(3, dtype="float64")
        m.weight, m.bias = floats(3), floats(3)

        params, buffers = tw.nn.split([m])
        self.assertIsNone(params[0].running_var)
        self.assertIsNone(buffers[0].weight)
        (_, (y, after)), grads = tw.value_and_grad(_train, has_aux=True)(params, buffers, x)
        mean, var = x.mean((0, 2)), x.var((0, 2))
        wanted = (x - mean[:, None]) / np.sqrt(var[:, None] + 1e-5)
        near(y, wanted * m.weight[:, None] + m.bias[:, None])
        near(after[0].running_mean, 0.1 * mean)
        near(after[0].running_var, 0.9 + 0.1 * var * 20 / 19)
        near(grads[0].weight, (wanted * x**2).sum((0, 2)))
        self.assertIsNone(grads[0].running_mean)
        still = tw.nn.merge(params, after)[0].eval()
        expected = (x - after[0].running_mean[:, None]) / np.sqrt(after[0].running_var[:, None] + 1e-5)
        near(run(still, x), expected * m.weight[:, None] + m.bias[:, None])

    def test_groups(self):
        x = floats(2, 4, 3)
        rows = x.reshape(2, 2, -1)
        wanted = ((rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)).reshape(x.shape)
        near(run(tw.nn.GroupNorm(2, 4, dtype="float64"), x), wanted)
        wanted = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        near(run(tw.nn.InstanceNorm(4, dtype="float64"), x), wanted)

    def test_transformer(self):
        x, memory = floats(2, 5, 8), floats(2, 7, 8)
        m = tw.nn.MultiheadAttention(8, 2, dtype="float64")
        m.in_proj_bias = floats(24)
        near(run(m, x, is_causal=True), multihead(m, x, x, True))
        near(run(m, x, memory), multihead(m, x, memory))
        m = tw.nn.TransformerEncoderLayer(8, 2, 16, dropout=0, dtype="float64")
        a = normalize(x + multihead(m.self_attn, x, x), m.norm1)
        near(run(m, x), normalize(a + feed(m, a), m.norm2))
        m = tw.nn.TransformerDecoderLayer(8, 2, 16, dropout=0, norm_first=True, dtype="float64")
        n = normalize(x, m.norm1)
        a = x + multihead(m.self_attn, n, n, True)
        a = a + multihead(m.multihead_attn, normalize(a, m.norm2), memory)
        near(run(m, x, memory, is_causal=True), a + feed(m, normalize(a, m.norm3)))
        m = tw.nn.Transformer(8, 2, 1, 1, 16, dropout=0.5, dtype="float64").eval()
        first, moved = run(m, memory, x), x.copy()
        moved[:, 3] += 1  # what comes later is not seen
        near(run(m, memory, moved)[:, :3], first[:, :3])

    def test_recurrent(self):
        x = floats(3, 2, 4)

        def steps(cell, kind, reverse=False):
            h = c = np.zeros((2, 5))
            made = []
            for row in x[::-1] if reverse else x:
                i, r = row @ cell["weight_ih"].T + cell["bias_ih"], h @ cell["weight_hh"].T + cell["bias_hh"]
                if kind == "rnn":
                    h = np.tanh(i + r)
                elif kind == "lstm":
                    a, b, g, o = np.split(i + r, 4, -1)
                    c = sigmoid(b) * c + sigmoid(a) * np.tanh(g)
                    h = sigmoid(o) * np.tanh(c)
                else:
                    (a, b, g), (d, e, k) = np.split(i, 3, -1), np.split(r, 3, -1)
                    z = sigmoid(b + e)
                    h = (1 - z) * np.tanh(g + sigmoid(a + d) * k) + z * h
                made.append(h)
            return np.stack(made[::-1] if reverse else made), h, c

        m = tw.nn.RNN(4, 5, bidirectional=True, dtype="float64")
        there, back = steps(m.cells[0], "rnn"), steps(m.cells[1], "rnn", True)
        y, h = run(m, x)
        near(y, np.concatenate([there[0], back[0]], -1))
        near(h, np.stack([there[1], back[1]]))
        m = tw.nn.LSTM(4, 5, dtype="float64")
        y, (h, c) = run(m, x)
        for found, expected in zip((y, h[0], c[0]), steps(m.cells[0], "lstm")):
            near(found, expected)
        m = tw.nn.GRU(4, 5, num_layers=2, dtype="float64")
        y, h = run(m, x)
        near(h[0], steps(m.cells[0], "gru")[1])
        near(h[1], y[-1])

    def test_graph(self):
        nodes, edges = floats(4, 3), np.int64([[0, 1, 2, 2], [1, 1, 0, 1]])
        m = tw.nn.GraphConv(3, 2, dtype="float64")
        means = np.stack([nodes[2], nodes[[0, 1, 2]].mean(0), np.zeros(3), np.zeros(3)])
        near(run(m, nodes, edges), nodes @ m.lin_root.weight.T + m.lin_root.bias + means @ m.lin_rel.weight.T)
        most = tw.jit(lambda x, s: tw.segment_max(x, s, 5))(nodes, np.int64([3, 1, 1, 0]))
        near(most, [nodes[3], np.maximum(nodes[1], nodes[2]), np.full(3, -np.inf), nodes[0], np.full(3, -np.inf)])
        # A type without infinities: the lowest number of none.
        narrow = tw.jit(lambda x, s: tw.segment_max(x.astype("float8_e4m3fn"), s, 3).astype("float32"))
        near(narrow(np.float32([1, 4, -3]), np.int64([0, 0, 2])), [4, -448, -3])

    def test_dropout(self):
        drop, x = tw.nn.Dropout(0.25), np.ones((50, 41), "float32")

        @tw.jit
        def both(x, key):
            with tw.nn.random(key):
                return drop(x), drop(x)

        first, second = both(x, 1)
        self.assertTrue(set(np.unique(first)) == {0, np.float32(4 / 3)} and abs((first == 0).mean() - 0.25) < 0.04)
        self.assertTrue((first != second).any())
        np.testing.assert_array_equal(first, both(x, 1)[0])

        def loss(x, key):
            with tw.nn.random(key):
                return tw.sum(drop(x))

        np.testing.assert_array_equal(tw.grad(loss)(x, 1), first)
        with self.assertRaisesRegex(tw.Error, "no random numbers"):
            run(drop, x)
        np.testing.assert_array_equal(run(tw.nn.Dropout(0.25).eval(), x), x)

    def test_modes(self):
        # That a model was evaluated in between changes neither the program of a step nor the tree of its state.
        model = tw.nn.Sequential(tw.nn.Linear(4, 3), tw.nn.Dropout(0.5), tw.nn.BatchNorm(3))
        optimizer = tw.optim.AdamW(lr=1e-3)
        state, calls = optimizer.init(model), []

        @tw.jit
        def step(model, state, x):
            calls.append(model.training)

            def loss(model):
                with tw.nn.random(3):
                    return tw.sum(tw.square(model(x)))

            return optimizer.update(model, tw.grad(loss)(model), state)

        x = floats(8, 4).astype("float32")
        for _ in range(2):
            model, state = step(model, state, x)
            np.testing.assert_array_equal(run(model.eval(), x), run(model, x))
            model.train()
        self.assertEqual(calls, [True])
        average = tw.optim.moving_average(model, tw.tree_map(np.copy, model).eval(), 0.5)
        near(average.layers[0].weight, model.layers[0].weight)
        with self.assertRaisesRegex(tw.Error, r"expected a tree like Linear\(\*, \*\), found Linear\(\*, None\)"):
            tw.tree_map(np.add, tw.nn.Linear(2, 2), tw.nn.Linear(2, 2, bias=False))

    def test_empty_parts_of_trees(self):
        class Model(tw.nn.Module):
            def __init__(self):
                self.layer, self.drop, self.named, self.listed = tw.nn.Linear(3, 2), tw.nn.Dropout(0.5), {}, []

        model, optimizer = Model(), tw.optim.SGD(0.1)
        gradient = tw.tree_map(np.ones_like, model).eval()
        after, _ = optimizer.update(model, gradient, optimizer.init(model))
        near(after.layer.weight, model.layer.weight - np.float32(0.1), 1e-6)
        self.assertEqual((after.named, after.listed), ({}, []))
        self.assertEqual(tw.tree_map(np.add, {"a": 1, "b": {}, "c": ()}, {"a": 2, "b": {}, "c": ()}), {"a": 3, "b": {}, "c": ()})
        for wrong, found in (({"a": 2}, r"\{'a': \*\}"), ({"a": 2, "b": []}, r"\{'a': \*, 'b': \[\]\}")):
            with self.assertRaisesRegex(tw.ArgumentError, r"expected a tree like \{'a': \*, 'b': \{\}\}, found " + found) as caught:
                tw.tree_map(np.add, {"a": 1, "b": {}}, wrong)
            self.assertEqual(caught.exception.code, "T0507")

    def test_initialisers(self):
        self.assertAlmostEqual(tw.init.xavier_uniform((64, 32, 9)).std(), np.sqrt(2 / (96 * 9)), 3)
        near(np.abs(tw.init.trunc_normal((999,), std=2, a=-2, b=2)).max() <= 2, True)
        w = tw.init.orthogonal((6, 2, 2), dtype="float64").reshape(6, 4)
        near(w.T @ w, np.eye(4))


def _train(params, buffers, x):
    model = tw.nn.merge(params, buffers)
    y = model[0](x)
    return tw.sum(y * x**2), (y, tw.nn.split(model)[1])


def ctc(log, target, steps):
    """All alignments, one by one."""
    total = 0.0
    for path in itertools.product(range(log.shape[1]), repeat=steps):
        labels = [one for i, one in enumerate(path) if one != 0 and (i == 0 or path[i - 1] != one)]
        if labels == list(target):
            total += np.exp(sum(log[i, one] for i, one in enumerate(path)))
    return -np.log(total)


class Losses(unittest.TestCase):
    def test_narrow(self):
        # Sums and counts beyond the type's range do not matter to a mean.
        x = np.full(70000, 3, "float16")
        self.assertEqual(float(tw.jit(tw.mean)(x)), 3)
        self.assertEqual(float(tw.jit(tw.var)(np.float16([0, 600] * 500))), np.float16(9e4))
        self.assertEqual(float(tw.jit(tw.var)(np.float16([0, 100] * 500))), 2500)
        self.assertEqual(float(tw.jit(lambda x: tw.mse_loss(x, x - 2))(x)), 4)
        self.assertEqual(tw.grad(tw.mean)(x).dtype, np.float16)

    def test_derivatives_at_the_ends(self):
        # What is not chosen gives no NaN, and what rounding takes away is none of the derivative.
        x = np.array([-800.0, -40, -1e-9, 0, 1e-12, 1e-5, 0.3, 40, 800])
        of = lambda f, x: tw.grad(lambda x: tw.sum(f(x)))(x)
        near(of(tw.softplus, x), sigmoid(x))
        near(of(tw.selu, x)[-1:], 1.0507009873554805)
        near(of(lambda x: tw.leaky_relu(x, 0.2), x), np.where(x > 0, 1, 0.2))
        near(of(lambda x: tw.prelu(x, np.float64(0.2)), x), np.where(x > 0, 1, 0.2))
        ends = np.float64([-1, 0, 2, np.inf, -3])
        slopes = tw.grad(lambda x, w: tw.sum(tw.prelu(x, w)), argnums=(0, 1))(ends, np.float64(0.25))
        near(slopes[0], [0.25, 0.25, 1, 1, 0.25])
        near(slopes[1], -4)
        near(of(tw.log_sigmoid, x), sigmoid(-x))
        near(of(tw.elu, x), np.where(x > 0, 1, np.exp(np.minimum(x, 0))))
        near(of(tw.log1p, np.abs(x[:7])), 1 / (1 + np.abs(x[:7])))
        near(of(tw.expm1, x[:8]), np.exp(x[:8]), 1e-12)
        near(tw.jit(tw.expm1)(x[:8]), np.expm1(x[:8]), 1e-14)
        near(tw.jit(tw.log1p)(np.abs(x)), np.log1p(np.abs(x)), 1e-14)
        self.assertEqual(of(lambda x: tw.norm(x, -1), np.zeros((2, 3))).tolist(), np.zeros((2, 3)).tolist())
        p, q = np.array([0.0, 0.4, 0.6]), np.log([0.1, 0.3, 0.6])
        twice = tw.jit(lambda q, p: tw.kl_divergence(q, p, "batchmean"))(np.stack([q, q]), np.stack([p, p]))
        near(twice, (p[1:] * (np.log(p[1:]) - q[1:])).sum())
        near(tw.grad(lambda p: tw.kl_divergence(q, p, reduction="sum"))(p)[1:], np.log(p[1:]) + 1 - q[1:])
        self.assertTrue(np.isfinite(tw.grad(lambda p: tw.kl_divergence(q, p))(p)).all())

    def test_classes(self):
        x, t, w = floats(6, 4), np.int64([0, 3, -100, 1, 1, 2]), R.uniform(0.5, 2, 4)
        log, counted = np.log(softmax(x)), t != -100
        rows = -log[np.arange(6), np.where(counted, t, 0)]
        own = np.where(counted, w[np.where(counted, t, 0)], 0)
        near(tw.jit(tw.cross_entropy)(x, t), rows[counted].mean())
        f = tw.jit(lambda x, t, w: tw.cross_entropy(x, t, weight=w))
        near(f(x, t, w), (rows * own).sum() / own.sum())
        smooth = 0.9 * rows * own + 0.1 * -(log * w).mean(-1) * counted
        f = tw.jit(lambda x, t, w: tw.cross_entropy(x, t, label_smoothing=0.1, weight=w))
        near(f(x, t, w), smooth.sum() / own.sum())
        f = tw.jit(lambda x, t: tw.nll_loss(x, t, reduction="none", ignore_index=1))
        near(f(log, np.abs(t) % 4), np.where(np.abs(t) % 4 != 1, -log[np.arange(6), np.abs(t) % 4], 0))

    def test_elementwise(self):
        x, t, p = floats(5, 3) * 3, R.uniform(0, 1, (5, 3)), R.uniform(0.5, 3, 3)
        f = tw.jit(lambda x, t, p: tw.binary_cross_entropy(x, t, pos_weight=p))
        near(f(x, t, p), -(p * t * np.log(sigmoid(x)) + (1 - t) * np.log(sigmoid(-x))).mean())
        e = np.abs(x - t)
        f = tw.jit(lambda x, t: tw.smooth_l1_loss(x, t, beta=0.5))
        near(f(x, t), np.where(e < 0.5, e * e, e - 0.25).mean())

    def test_ctc(self):
        x, targets = floats(4, 3, 3) * 2, np.int64([[1, 1], [2, 1], [2, 0]])
        steps, lengths = np.int64([4, 3, 4]), np.int64([2, 2, 1])
        loss = lambda x, *rest: tw.ctc_loss(tw.log_softmax(x), *rest)
        log = np.log(softmax(x))
        rows = np.array([ctc(log[:, i], targets[i, : lengths[i]], steps[i]) for i in range(3)])
        value, grads = tw.value_and_grad(loss)(x, targets, steps, lengths)
        near(value, (rows / lengths).mean())
        run = tw.jit(loss)
        for at in ((0, 0, 1), (2, 1, 0), (3, 2, 2), (3, 1, 1)):
            up, down = x.copy(), x.copy()
            up[at] += 1e-5
            down[at] -= 1e-5
            near(grads[at], (run(up, targets, steps, lengths) - run(down, targets, steps, lengths)) / 2e-5, 1e-7)


if __name__ == "__main__":
    unittest.main()
