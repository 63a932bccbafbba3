# RUN: %venv_python %s
# Derivatives beside finite differences, and optimizers beside plain loops.
import unittest

import numpy as np
import tensorwright as tw

R = np.random.default_rng(3)


def floats(*shape):
    return R.uniform(-1, 1, shape)


def differences(function, arguments, place, step=1e-5):
    """Central ones of a scalar function of arrays of f64, by one of them."""
    run = tw.jit(function)
    found = np.zeros_like(arguments[place])
    for i in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = [one.copy() for one in arguments]
            moved[place][i] += sign * step
            sides.append(float(run(*moved)))
        found[i] = (sides[0] - sides[1]) / (2 * step)
    return found


RECURRENCE = lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1])
MATRICES = lambda x, y: (
    x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3])
X, W, B = floats(4, 3), floats(3, 5), floats(5)
FUNCTIONS = {
    "layer": (lambda x, w, b: tw.mean(tw.tanh(x @ w + b) ** 2), (X, W, B)),
    "softmax": (lambda x, w, b: tw.cross_entropy(x @ w + b, np.int64([0, 4, 2, 2])), (X, W, B)),
    "norm": (lambda x: tw.sum(tw.layer_norm(x) * x[::-1, 1:2]), (X,)),
    "indices": (lambda x: tw.sum(x[np.array([0, 0, 2])] * x[1, 2] + x[:3, None, 0]), (X,)),
    "choice": (lambda x: tw.sum(tw.where(x > 0, x**3, tw.exp(x))), (X,)),
    "cond": (lambda x: tw.cond(tw.sum(x) > 100, lambda: tw.sum(x), lambda: tw.sum(x * x)), (X,)),
    "scan": (lambda x, b: tw.sum(tw.scan(lambda c, s: (tw.tanh(c * s + b[:3] * c), c), b[:3], x)[0]), (X, B)),
    "recurrence": (lambda x, b: tw.sum(tw.associative_scan(RECURRENCE, (x, x * b[:3] + 1))[1] ** 2), (X, B)),
    "recurrence from the end": (
        lambda x, b: tw.sum(tw.associative_scan(RECURRENCE, (tw.sin(x) * b[1], x), True, 1)[1] * x + b[0]), (X, B)),
    "matrices": (lambda x: tw.sum(tw.stack(tw.associative_scan(MATRICES, (x, x + 1, x * x, 1 - x))) ** 2 * x), (X,)),
    "sums of exponentials": (
        lambda x: tw.sum(tw.associative_scan(lambda a, b: tw.log(tw.exp(a) + tw.exp(b)), x, axis=1) * x), (X,)),
    "carried in and used": (lambda b: tw.sum(tw.fori_loop(0, 3, lambda i, y: y * b, b)), (B,)),
}


class Derivatives(unittest.TestCase):
    def test_beside_differences(self):
        for name, (function, arguments) in FUNCTIONS.items():
            with self.subTest(name):
                places = tuple(range(len(arguments)))
                value, found = tw.value_and_grad(function, argnums=places)(*arguments)
                self.assertAlmostEqual(float(value), float(tw.jit(function)(*arguments)))
                for place in places:
                    np.testing.assert_allclose(found[place], differences(function, arguments, place), rtol=1e-5, atol=1e-7)

    def test_of_derivatives(self):
        second = tw.grad(lambda x: tw.sum(tw.grad(lambda y: tw.sum(y**3 * x))(x) * x))
        # d/dx sum(3 x^2 * x * x), where x is constant inside.
        np.testing.assert_allclose(second(B), 12 * B**3, rtol=1e-10)
        self.assertEqual(float(tw.grad(tw.grad(tw.grad(lambda x: x**4)))(2.0)), 48)

    def test_loops_of_unknown_length(self):
        f = lambda x, w: tw.while_loop(lambda y: y < 100, lambda y: y * y * w, x, limit=20)
        value, (by_x, by_w) = tw.value_and_grad(f, argnums=(0, 1))(2.0, 1.5)
        # 2, 6, 54, 4374: w^7 x^8
        np.testing.assert_allclose([value, by_x, by_w], [4374, 4374 * 8 / 2, 4374 * 7 / 1.5], rtol=1e-6)
        np.testing.assert_allclose(tw.grad(f)(200.0, 1.5), 1)

    def test_forward(self):
        t, s = floats(4, 3), floats(3, 5)
        f = lambda x, w: {"y": tw.tanh(x @ w), "x": x[0]}
        value, moved = tw.jit(lambda x, w, t, s: tw.jvp(f, (x, w), (t, s)))(X, W, t, s)
        np.testing.assert_allclose(moved["y"], (1 - value["y"] ** 2) * (t @ W + X @ s), rtol=1e-9)
        np.testing.assert_allclose(moved["x"], t[0])
        pull = tw.jit(lambda x, w, a, b: tw.vjp(f, x, w)[1]({"y": a, "x": b}))
        by_x, by_w = pull(X, W, value["y"], X[1])
        np.testing.assert_allclose((by_x * t).sum() + (by_w * s).sum(), (moved["y"] * value["y"]).sum() + (moved["x"] * X[1]).sum(), rtol=1e-9)
        # With arrays both are compiled as they stand.
        value, moved = tw.jvp(f, (X, W), (t, s))
        np.testing.assert_allclose(moved["y"], (1 - value["y"] ** 2) * (t @ W + X @ s), rtol=1e-9)
        value, pull = tw.vjp(f, X, W)
        for found, expected in zip(pull({"y": value["y"], "x": X[1]}), (by_x, by_w)):
            np.testing.assert_allclose(found, expected, rtol=1e-9)
        # Through a loop, forward over reverse and reverse over forward.
        loss = lambda b: tw.sum(tw.scan(lambda c, s: (tw.tanh(c * s + b), c), b, np.float64([[1, 2, 3], [3, 1, 2]]))[0] ** 3)
        v = floats(3)
        one = tw.jit(lambda b, v: tw.jvp(tw.grad(loss), (b,), (v,))[1])(B[:3], v)
        other = tw.grad(lambda b, v: tw.jvp(loss, (b,), (v,))[1])(B[:3], v)
        np.testing.assert_allclose(one, other, rtol=1e-9)

    def test_computed_again(self):
        def loss(params, x, wrap):
            block = wrap(lambda x, w: x + tw.tanh(tw.tanh(tw.tanh(x @ w) * x) @ w))
            for w in params:
                x = block(x, w)
            return tw.mean(x**2)

        params, x = [floats(8, 8) for _ in range(6)], floats(512, 8)
        make = lambda wrap: tw.jit(tw.value_and_grad(lambda params, x: loss(params, x, wrap)))
        keep, again = make(lambda f: f), make(tw.remat)
        np.testing.assert_allclose(keep(params, x)[0], again(params, x)[0], rtol=1e-13)
        for one, other in zip(keep(params, x)[1], again(params, x)[1]):
            np.testing.assert_allclose(one, other, rtol=1e-9)
        arena = [step.model(params, x).report["targets"][0]["arenaBytes"] for step in (keep, again)]
        self.assertLess(arena[1], 0.6 * arena[0])

    def test_warnings(self):
        with self.assertWarnsRegex(tw.CompileWarning, "does not depend on 'params.b'.*T0222"):
            grads = tw.grad(lambda params: tw.sum(params["w"]))({"w": W, "b": B})
        self.assertEqual(grads["b"].tolist(), [0] * 5)

    def test_constants(self):
        # What else depends on the argument is none of the function's.
        f = tw.jit(lambda x: tw.grad(lambda y: y * (x * x))(x))
        self.assertEqual(float(f(3.0)), 9)
        self.assertEqual(float(tw.grad(lambda x: tw.stop_gradient(x) * x)(3.0)), 3)
        with self.assertWarns(tw.CompileWarning):
            self.assertEqual(tw.grad(lambda x: 1.0)(X).tolist(), np.zeros_like(X).tolist())

    def test_trees_and_aux(self):
        def loss(params, x):
            y = x @ params["w"] + params["b"]
            return tw.sum(y * y), {"y": y}

        params = {"w": W, "b": B}
        (value, aux), gradients = tw.value_and_grad(loss, has_aux=True)(params, X)
        y = X @ W + B
        np.testing.assert_allclose(aux["y"], y)
        np.testing.assert_allclose(value, (y * y).sum())
        np.testing.assert_allclose(gradients["w"], 2 * X.T @ y)
        np.testing.assert_allclose(gradients["b"], 2 * y.sum(0))
        only, again = tw.jit(tw.grad(loss, has_aux=True))(params, X)
        np.testing.assert_allclose(only["w"], gradients["w"])
        np.testing.assert_allclose(again["y"], y)
        by_x = tw.grad(lambda params, x: loss(params, x)[0], argnums=-1)(params, X)
        np.testing.assert_allclose(by_x, 2 * y @ W.T)

    def test_wrong(self):
        for function, arguments, text in (
            (tw.grad(lambda x: x), (X,), "T0223"),
            (tw.grad(lambda x: tw.sum(x)), (np.int32([1, 2]),), "expected floats to differentiate by"),
            (tw.grad(lambda x: tw.sum(x), argnums=1), (X,), "argnums has 1, but there are 1"),
            (tw.grad(lambda x: tw.sum(x), has_aux=True), (X,), "with has_aux"),
            (tw.grad(lambda x: None), (X,), "expected a tensor, an array or a number, found 'NoneType'"),
            (tw.grad(lambda x: tw.while_loop(lambda y: tw.sum(y) < 9, lambda y: y * 2, tw.repeat(x[None], 9999, 0))[0]), (1.0,), "T0220.*nearer limit|nearer limit.*T0220"),
        ):
            with self.assertRaisesRegex(tw.Error, text) as caught:
                function(*arguments)
            self.assertEqual(caught.exception.file, __file__)

    def test_way_to_what_has_none(self):
        def loss(params, x):
            h = tw.tanh(x * params["w"])
            return tw.sum(tw.reduce_window(h, "max", (2000,)))

        place = r"\(.*derivatives.py:\d+:\d+\)"
        way = rf"'tgraph.reduce' {place}, 'tgraph.window' {place}, 'tgraph.tanh' {place}, 'tgraph.mul' {place}, to 'params.w'"
        with self.assertRaisesRegex(tw.CompileError, f"grad: 'tgraph.window' op has no derivative that is known: .*; on the way back from what is differentiated: {way}"):
            tw.grad(loss)({"w": np.ones(2048)}, np.ones(2048))


class Optimizers(unittest.TestCase):
    def check(self, optimizer, advance):
        """Three steps in one program each, and with arrays; `advance(g, own, t)` is the plain loop of
        [w, state...]."""
        params = {"w": W.copy(), "b": [B.copy()]}
        gradients = [{"w": floats(3, 5), "b": [floats(5)]} for _ in range(3)]
        step = tw.jit(optimizer.update)
        found, state = params, optimizer.init(params)
        eager, eager_state = params, optimizer.init(params)
        for one in gradients:
            found, state = step(found, one, state)
            eager, eager_state = optimizer.update(eager, one, eager_state)
        self.assertEqual(step.cache_size, 1)
        for start, pick in ((W, lambda tree: tree["w"]), (B, lambda tree: tree["b"][0])):
            own = [start, np.zeros_like(start), np.zeros_like(start)]
            for t, one in enumerate(gradients, 1):
                own = advance(pick(one), own, t)
            np.testing.assert_allclose(pick(found), own[0], rtol=1e-6)
            np.testing.assert_array_equal(pick(found), pick(eager))

    def test_sgd(self):
        self.check(tw.optim.SGD(0.1), lambda g, s, t: [s[0] - 0.1 * g, *s[1:]])

        def advance(g, s, t):
            g = g + 0.01 * s[0]
            v = 0.9 * s[1] + g
            return [s[0] - 0.1 * (g + 0.9 * v), v, s[2]]

        self.check(tw.optim.SGD(0.1, momentum=0.9, weight_decay=0.01, nesterov=True), advance)

        # PyTorch does not dampen the first derivative.
        dampened = lambda g, s, t: (lambda v: [s[0] - 0.1 * v, v, 0])(0.9 * s[1] + (0.7 if t > 1 else 1) * g)
        self.check(tw.optim.SGD(0.1, momentum=0.9, dampening=0.3), dampened)

    def test_narrow(self):
        # What is kept of narrow parameters is of float32, and so is the step: 1e-4 squared is no float16.
        for kind, steps in (("float16", 3), ("bfloat16", 3)):
            import ml_dtypes

            dtype = np.dtype(kind if kind == "float16" else ml_dtypes.bfloat16)
            optimizer = tw.optim.Adam(0.125)
            w, state = np.ones(4, dtype), optimizer.init(np.ones(4, dtype))
            self.assertEqual(state["variance"].dtype, np.float32)
            for _ in range(steps):
                w, state = optimizer.update(w, np.full(4, 1e-4, dtype), state)
            self.assertEqual((w.dtype, w.astype("float64").tolist()), (dtype, [0.625] * 4))
        accumulate = tw.optim.Accumulate(tw.optim.SGD(1.0), every=2)
        w = np.float16([1])
        state = accumulate.init(w)
        for _ in range(2):
            w, state = accumulate.update(w, np.float16([0.5]), state)
        self.assertEqual((w.dtype, w.tolist(), state["sum"].dtype), (np.float16, [0.5], np.float32))

    def test_wrong(self):
        w, optimizer = {"w": W}, tw.optim.Adam()
        for grads, state, text in (
            ({"w": W[:1]}, optimizer.init(w), r"the derivative of 'params.w' has shape \[1, 5\], expected \[3, 5\]"),
            (w, {}, r"the optimizer's state has no 'mean', found \[\]"),
            ({"b": B}, optimizer.init(w), "expected a tree like"),
        ):
            with self.assertRaisesRegex(tw.ArgumentError, text):
                optimizer.update(w, grads, state)

    def test_adam(self):
        def moments(g, s, t):
            m, v = 0.9 * s[1] + 0.1 * g, 0.999 * s[2] + 0.001 * g * g
            return m, v, m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)

        def adam(g, s, t):
            m, v, by = moments(g, s, t)
            return [s[0] - 0.01 * by, m, v]

        def adamw(g, s, t):
            m, v, by = moments(g, s, t)
            return [s[0] * (1 - 0.01 * 0.1) - 0.01 * by, m, v]

        self.check(tw.optim.Adam(0.01), adam)
        self.check(tw.optim.AdamW(0.01, weight_decay=0.1), adamw)

    def test_others(self):
        self.check(tw.optim.RMSprop(0.01, weight_decay=0.1), lambda g, s, t: (lambda g: (lambda v: [s[0] - 0.01 * g / (np.sqrt(v) + 1e-8), v, 0])(0.99 * s[1] + 0.01 * g * g))(g + 0.1 * s[0]))
        self.check(tw.optim.Adagrad(0.01), lambda g, s, t: (lambda v: [s[0] - 0.01 * g / (np.sqrt(v) + 1e-10), v, 0])(s[1] + g * g))
        self.check(tw.optim.Lion(0.01, weight_decay=0.1), lambda g, s, t: [s[0] * (1 - 0.001) - 0.01 * np.sign(0.9 * s[1] + 0.1 * g), 0.99 * s[1] + 0.01 * g, 0])

    def test_schedules(self):
        self.check(tw.optim.SGD(tw.optim.linear(0.0, 1.0, 4)), lambda g, s, t: [s[0] - (t - 1) / 4 * g, *s[1:]])
        steps = np.arange(12)
        run = lambda schedule: np.array([float(tw.jit(schedule)(np.float32(one))) for one in steps[::3]])
        at = steps[::3]
        down = 0.1 + 0.45 * (1 + np.cos(np.pi * np.clip((at - 4) / 5, 0, 1)))
        np.testing.assert_allclose(run(tw.optim.cosine_decay(1.0, 9, warmup=4, end=0.1)), np.where(at < 4, at / 4, down), atol=1e-6)
        np.testing.assert_allclose(run(tw.optim.exponential_decay(2.0, 3, 0.5)), 2 * 0.5 ** (at / 3), rtol=1e-6)
        np.testing.assert_allclose(run(tw.optim.piecewise_constant(1.0, {3: 0.1, 6: 0.5})), [1, 0.1, 0.05, 0.05], rtol=1e-6)
        average = tw.jit(tw.optim.moving_average)({"w": W}, {"w": W + 1})
        np.testing.assert_allclose(average["w"], W + 0.001)
        norm = np.sqrt((W**2).sum() + (B**2).sum())
        clipped = tw.jit(lambda g: tw.optim.clip_by_norm(g, 0.1))({"w": W, "b": B})
        np.testing.assert_allclose(clipped["b"], B * 0.1 / (norm + 1e-6), rtol=1e-6)

    def test_rate(self):
        optimizer = tw.optim.SGD(0.5)
        step = tw.jit(lambda w, g, rate: optimizer.update(w, g, {}, lr=rate)[0])
        np.testing.assert_allclose(step(B, B, 0.25), 0.75 * B)
        np.testing.assert_allclose(step(B, B, 0.5), 0.5 * B)
        self.assertEqual(step.cache_size, 1)

    def test_loop_in_the_program(self):
        optimizer = tw.optim.Adam(0.1)

        def step(carried, _):
            w, state = carried
            loss, by = tw.value_and_grad(lambda w: tw.sum((w - 3) ** 2))(w)
            return optimizer.update(w, by, state), loss

        train = tw.jit(lambda w: tw.scan(step, (w, optimizer.init(w)), length=100))
        (w, state), losses = train(np.zeros(2, "float32"))
        np.testing.assert_allclose(w, 3, atol=0.05)
        self.assertEqual((losses.shape, int(state["step"])), ((100,), 100))
        self.assertLess(losses[-1], losses[0] / 1000)


if __name__ == "__main__":
    unittest.main()
