# REQUIRES: torch
# RUN: %torch_python %s
# torch.compile with the backend by its name: inference, training, what is left to torch, views,
# mutation, random numbers, sizes that change, addresses.
import unittest
import warnings

import torch
import torch.nn.functional as F

import tensorwright as tw
import tensorwright.torch


def setUpModule():
    torch.set_num_threads(1)


class Case(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        tw.torch.reset()
        torch.manual_seed(7)

    def compile(self, function, **options):
        return torch.compile(function, backend="tensorwright", **options)

    def assertClose(self, found, expected, tolerance=1e-4):
        torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)

    def check(self, function, *args, whole=True, **options):
        """Equal to eager; one program for each graph, with nothing left to torch."""
        expected = function(*[one.clone() if isinstance(one, torch.Tensor) else one for one in args])
        compiled = self.compile(function, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error" if whole else "ignore", tw.FallbackWarning)
            found = compiled(*args)
        self.assertClose(found, expected)
        self.assertTrue(tw.torch.reports())
        if whole:
            for report in tw.torch.reports():
                self.assertEqual((len(report.models), report.fallbacks), (1, []), report)
        return compiled


class Inference(Case):
    def test_networks(self):
        mlp = torch.nn.Sequential(
            torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4), torch.nn.Softmax(-1)
        )
        cnn = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1),
            torch.nn.Conv2d(8, 8, 3, padding=1, groups=4), torch.nn.SiLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
            torch.nn.Linear(8, 5),
        ).eval()
        encoder = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
        with torch.no_grad():
            self.check(mlp, torch.randn(3, 16))
            self.check(cnn, torch.randn(2, 3, 20, 20))
            tw.torch.reset()
            self.check(lambda x: encoder(x), torch.randn(2, 5, 16), whole=False)

    def test_dtypes(self):
        self.check(lambda x, y: (x + y, x // 3, x % 5, x * 2.5, x.double() / y, x > y), torch.arange(-4, 4), torch.arange(1, 9))
        self.check(lambda x, y: (x & y, x | ~y, torch.where(x, 1, 2), x.sum(), x + y), torch.tensor([True, False]), torch.tensor([True, True]))
        self.check(lambda x: (x * 0.1 + 1, x.float().mean()), torch.randn(8).bfloat16())

    def test_attention_and_indices(self):
        q = torch.randn(2, 2, 6, 8)
        self.check(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True), q)
        table, at = torch.randn(10, 4), torch.tensor([[1, 9], [-1, 0]])
        self.check(lambda t, i: (t[i], t[:, i[0] % 4], t.gather(1, i.abs() % 4), t.sort(dim=1), t.topk(2)), table, at)

    def test_a_loop_of_python_is_unrolled(self):
        def f(x):
            for i in range(3):
                x = x * 2 if x.shape[0] > 2 else x + i
            return x

        self.check(f, torch.ones(3))
        self.check(f, torch.ones(2))


class Training(Case):
    def steps(self, make, x, y, loss, count=3):
        found = []
        for compiled in (False, True):
            torch.manual_seed(1)
            net = make()
            optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
            run = self.compile(net) if compiled else net
            losses = []
            for _ in range(count):
                optimizer.zero_grad()
                value = loss(run(x), y)
                value.backward()
                optimizer.step()
                losses.append(float(value.detach()))
            state = [one.detach().clone() for one in net.state_dict().values()]
            found.append((losses, state))
        self.assertClose(torch.tensor(found[1][0]), torch.tensor(found[0][0]))
        for got, expected in zip(found[1][1], found[0][1]):
            self.assertClose(got, expected)
        kinds = [report.kind for report in tw.torch.reports()]
        self.assertEqual(kinds, ["forward", "backward"])
        for report in tw.torch.reports():
            self.assertEqual((len(report.models), report.fallbacks), (1, []), report)

    def test_mlp(self):
        self.steps(
            lambda: torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3)),
            torch.randn(5, 8), torch.tensor([0, 2, 1, 1, 0]), F.cross_entropy,
        )

    def test_cnn(self):
        self.steps(
            lambda: torch.nn.Sequential(
                torch.nn.Conv2d(2, 4, 3, 2, 1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                torch.nn.Conv2d(4, 4, 3, padding=1, groups=2), torch.nn.GELU(), torch.nn.AvgPool2d(2), torch.nn.Flatten(),
                torch.nn.Linear(16, 3),
            ),
            torch.randn(3, 2, 16, 16), torch.tensor([0, 2, 1]), F.cross_entropy,
        )

    def test_attention(self):
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.table, self.project = torch.nn.Embedding(11, 8), torch.nn.Linear(8, 24)

            def forward(self, tokens):
                q, k, v = self.project(self.table(tokens)).view(2, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
                return F.scaled_dot_product_attention(q, k, v, is_causal=True).sum(2).flatten(1)

        self.steps(Net, torch.randint(0, 11, (2, 5)), torch.randn(2, 8), F.mse_loss)


class LeftToTorch(Case):
    def test_report(self):
        def f(x):
            y = torch.sin(x)
            z = torch.special.bessel_j0(y)
            return torch.exp(z) + y

        x = torch.randn(4)
        with self.assertWarnsRegex(tw.FallbackWarning, r"aten.*bessel_j0.* is left to torch: there is no rule") as caught:
            found = self.compile(f)(x)
        self.assertClose(found, f(x))
        self.assertEqual(caught.filename, __file__)
        (report,) = tw.torch.reports()
        (fallback,) = report.fallbacks
        self.assertEqual(fallback.source, "z = torch.special.bessel_j0(y)")
        self.assertEqual((fallback.file, len(report.models)), (__file__, 2))
        self.assertIn("bessel_j0", fallback.op)

    def test_random_numbers_are_those_of_torch(self):
        def f(x):
            return F.dropout(torch.sin(x), 0.5, True) + torch.rand(3) * torch.randn(3)

        x = torch.randn(2, 3)
        compiled = self.compile(f, options={"fallback_random": True})
        with self.assertWarnsRegex(tw.FallbackWarning, "random numbers"):
            compiled(x)
        for seed in (3, 4):
            torch.manual_seed(seed)
            expected, after = f(x), torch.rand(1)
            torch.manual_seed(seed)
            found = compiled(x)
            self.assertTrue(torch.equal(torch.rand(1), after))
            self.assertEqual(int((found == 0).sum()), int((expected == 0).sum()))

    def test_training_with_dropout(self):
        found = []
        for compiled in (False, True):
            torch.manual_seed(2)
            net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Dropout(0.3), torch.nn.ReLU(), torch.nn.Linear(16, 3))
            x = torch.randn(4, 8)
            run = self.compile(net, options={"fallback_random": True}) if compiled else net
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", tw.FallbackWarning)
                for _ in range(2):
                    run(x).square().sum().backward()
            found.append([parameter.grad.clone() for parameter in net.parameters()])
        self.assertClose(found[1], found[0])

    def test_what_depends_on_data(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.FallbackWarning)
            f = lambda x: (x[x > 0] * 2).sum()  # noqa: E731
            x = torch.randn(8)
            self.assertClose(self.compile(f)(x), f(x))

    def test_complex_numbers(self):
        f = lambda x: torch.view_as_real(torch.fft.fft(x * 2)) + 1  # noqa: E731
        x = torch.randn(8)
        with self.assertWarns(tw.FallbackWarning):
            found = self.compile(f)(x)
        self.assertClose(found, f(x))


class Random(Case):
    """Numbers of our own, whose key comes from torch's generator."""

    def whole(self, count=1):
        reports = tw.torch.reports()
        self.assertEqual(len(reports), count)
        for report in reports:
            self.assertEqual((len(report.models), report.fallbacks), (1, []), report)

    def test_seeds(self):
        compiled = self.compile(lambda x: (torch.rand(3, 5), F.dropout(x, 0.5, True), torch.randn_like(x)))
        x = torch.randn(40, 30)

        def draw(seed):
            torch.manual_seed(seed)
            return [*compiled(x), *compiled(x), torch.rand(2)]

        first, same, other = draw(3), draw(3), draw(4)
        for one, two, three in zip(first, same, other):
            self.assertTrue(torch.equal(one, two))
            self.assertFalse(torch.equal(one, three))
        # Each call draws others, and so does each op of it.
        self.assertFalse(torch.equal(first[0], first[3]))
        state = torch.get_rng_state()
        self.assertFalse(torch.equal(compiled(x)[0], first[0]))
        again = compiled(x)[0]
        torch.set_rng_state(state)
        compiled(x)
        self.assertTrue(torch.equal(compiled(x)[0], again))
        self.whole()

    def test_classes(self):
        weights = torch.tensor([[1.0, 0.0, 3.0, 4.0], [2.0, 2.0, 0.0, 0.0]])

        def f(w):
            return torch.multinomial(w, 20_000, True), torch.multinomial(w[0], 3), torch.multinomial(w[1].double(), 2)

        drawn, apart, both = self.compile(f)(weights)
        self.whole()
        for row, chances in zip(drawn, weights, strict=True):
            counts = torch.bincount(row, minlength=4) / 20_000
            self.assertClose(counts, chances / chances.sum(), 0.02)
        self.assertEqual(sorted(apart.tolist()), [0, 2, 3])
        self.assertEqual(sorted(both.tolist()), [0, 1])

    def test_distributions(self):
        n = 200_000
        p = torch.linspace(0, 1, 5).expand(n // 5, 5)

        def f(x, p):
            return (
                torch.rand(n), torch.rand(n), torch.randn(n), torch.randint(-3, 7, (n,)), torch.bernoulli(p),
                torch.empty(n).bernoulli_(0.2), torch.empty(n).uniform_(2, 5), torch.empty(n).normal_(3, 2),
                torch.empty(n).exponential_(4), torch.rand(n, dtype=torch.float64), torch.rand(n, dtype=torch.bfloat16),
                torch.randint(-(1 << 40), 1 << 60, (n,)), torch.randperm(1000), x.normal_(),
            )

        found = self.compile(f)(torch.empty(n), p)
        self.whole()
        one, two, normal, integers, chances, fifth, between, moved, waits, double, narrow, wide, order, filled = found
        for x in (one, double, narrow.float()):
            self.assertTrue(0 <= x.min() < 0.01 and 0.99 < x.max() < 1, (x.min(), x.max()))
            self.assertClose(x.double().mean(), torch.tensor(0.5).double(), 0.01)
        self.assertLess(abs(float(torch.corrcoef(torch.stack((one, two)))[0, 1])), 0.01)
        self.assertLess(abs(float(torch.corrcoef(torch.stack((one[:-1], one[1:])))[0, 1])), 0.01)
        for x, mean, deviation in ((normal, 0, 1), (moved, 3, 2), (filled, 0, 1)):
            self.assertTrue(abs(x.mean() - mean) < 0.02 and abs(x.std() - deviation) < 0.02, (x.mean(), x.std()))
        counts = torch.bincount(integers + 3, minlength=10) / n
        self.assertClose(counts, torch.full((10,), 0.1), 0.01)
        self.assertClose(chances.mean(0), p[0], 0.01)
        self.assertClose(fifth.mean(), torch.tensor(0.2), 0.01)
        self.assertTrue(2 <= between.min() and between.max() < 5 and abs(between.mean() - 3.5) < 0.02)
        self.assertTrue(0 < waits.min() and abs(waits.mean() - 0.25) < 0.01)
        self.assertTrue(-(1 << 40) <= wide.min() and wide.max() < 1 << 60 and wide.max() > 1 << 59)
        self.assertEqual(order.sort()[0].tolist(), list(range(1000)))
        self.assertNotEqual(order.tolist(), list(range(1000)))

    def test_dropout_and_its_gradient(self):
        for rate, dtype in ((0.3, torch.float32), (0.0, torch.float32), (1.0, torch.float32), (0.5, torch.bfloat16)):
            torch._dynamo.reset()
            tw.torch.reset()
            x = (torch.rand(50, 40) + 1).to(dtype).requires_grad_()
            y = self.compile(lambda x: F.dropout(x * 2, rate, True) * 3)(x)
            y.sum().backward()
            scale = 1 / (1 - rate) if rate < 1 else 0
            self.assertClose(y.detach(), (x.detach() * (y != 0) * 6 * scale).to(dtype), 0.02)
            self.assertClose(x.grad, ((y != 0) * 6 * scale).to(dtype), 0.02)
            self.assertLess(abs(float((y == 0).float().mean()) - rate), 0.05)

    def test_training(self):
        torch.manual_seed(2)
        net = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
        x = torch.randn(3, 5, 16)
        optimizer = torch.optim.SGD(net.parameters(), 0.05)
        run = self.compile(net)
        losses = []
        with warnings.catch_warnings():
            warnings.simplefilter("error", tw.FallbackWarning)
            for _ in range(30):
                optimizer.zero_grad()
                loss = (run(x) - 1).square().mean()
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
        self.assertLess(losses[-1], losses[0] * 0.8)
        self.whole(2)

    def test_sizes_that_change(self):
        net = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.Dropout(0.5))
        fast = self.compile(net, dynamic=True, options={"max_size": 64})
        for rows in (3, 64, 17):
            x = torch.randn(rows, 8)
            torch.manual_seed(rows)
            y = fast(x)
            y.sum().backward()
            torch.manual_seed(rows)
            self.assertTrue(torch.equal(fast(x), y))
            self.assertClose(y, net[0](x) * 2 * (y != 0))
        self.whole(2)

    def test_recomputed_with_the_same_numbers(self):
        from torch.utils.checkpoint import checkpoint

        def f(x):
            return checkpoint(lambda x: F.dropout(torch.sin(x), 0.5, True), x, use_reentrant=False)

        x = torch.rand(20, 30, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tw.FallbackWarning)
            y = self.compile(f)(x)
            y.sum().backward()
        self.assertClose(x.grad, (y != 0) * 2 * torch.cos(x.detach()))

    def test_a_generator_of_its_own(self):
        generator = torch.Generator()
        f = lambda x: x + torch.empty(4).uniform_(generator=generator)  # noqa: E731
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(self.compile(f)(torch.zeros(4)).shape, (4,))


class Memory(Case):
    def test_views_of_one_storage(self):
        base = torch.arange(24.0)
        self.check(lambda x, y: x + y, base[:6], base[6:12])
        tw.torch.reset()
        self.check(lambda x, y: x + y, base[1:13].view(3, 4).t(), base[3:24].as_strided((4, 3), (5, 2)))
        self.check(lambda x: x[1:, ::2].permute(1, 0) * 2, base.view(4, 6))

    def test_mutation(self):
        def f(x, y):
            x.mul_(2)
            x[0] = 5
            return x + y

        for views in (False, True):
            base = torch.arange(12.0)
            other = base.clone()
            a = (base[:6], base[3:9]) if views else (base[:6], torch.ones(6))
            b = (other[:6], other[3:9]) if views else (other[:6], torch.ones(6))
            torch._dynamo.reset()
            with torch.no_grad():
                found, expected = self.compile(f)(*a), f(*b)
            self.assertClose(found, expected)
            self.assertClose(base, other)

    def test_addresses(self):
        x, w = torch.randn(8, 8), torch.nn.Parameter(torch.randn(8, 8))
        with torch.no_grad():
            compiled = self.check(lambda x, w: (x.t(), torch.relu(x @ w), x), x, w)
            turned, made, same = compiled(x, w)
        # What is a view is one, what comes in comes out, and nothing was copied.
        self.assertEqual(turned.data_ptr(), x.data_ptr())
        self.assertEqual(turned.stride(), x.t().stride())
        self.assertEqual(same.data_ptr(), x.data_ptr())
        self.assertEqual(made.data_ptr() % 64, 0)
        (report,) = tw.torch.reports()
        self.assertEqual(report.models[0].copied, 0)

    def test_strides_of_results(self):
        f = lambda x: (torch.sin(x).permute(2, 0, 1), (x + 1).t() if x.dim() == 2 else x * 2)  # noqa: E731
        x = torch.randn(2, 3, 4)
        for found, expected in zip(self.compile(f)(x), f(x)):
            self.assertEqual(found.stride(), expected.stride())
            self.assertClose(found, expected)

    def test_results_are_not_overwritten(self):
        compiled = self.compile(lambda x: x * 2)
        first = compiled(torch.ones(4))
        second = compiled(torch.full((4,), 3.0))
        self.assertEqual((first.tolist(), second.tolist()), ([2.0] * 4, [6.0] * 4))


class Sizes(Case):
    def test_recompiled(self):
        f = lambda x, n: x.softmax(-1).reshape(x.shape[0] * 2, -1) * x.shape[1] + n  # noqa: E731
        compiled = self.compile(f)
        for rows in (2, 4, 6, 4, 2):
            x = torch.randn(rows, 6)
            self.assertClose(compiled(x, 1), f(x, 1))

    def check_sizes(self, net, fast, sizes):
        """Of all sizes one program."""
        for size in sizes:
            x = torch.randn(*size)
            expected, found = net(x), fast(x)
            self.assertClose(found, expected)
            if found.requires_grad:
                gradients = [torch.autograd.grad(y.square().sum(), net.parameters()) for y in (expected, found)]
                for want, got in zip(*gradients):
                    self.assertClose(got, want)
        return [report.kind for report in tw.torch.reports()]

    def test_one_program_for_many_sizes(self):
        net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.LayerNorm(32), torch.nn.Linear(32, 4))
        fast = self.compile(net, dynamic=True, options={"max_size": 64})
        with torch.no_grad():
            self.assertEqual(self.check_sizes(net, fast, ((3, 16), (64, 16), (2, 16), (17, 16))), ["inference"])
            inputs = {str(one) for one in tw.torch.reports()[0].models[0].inputs}
            self.assertRegex(" ".join(inputs), r"float32\[s\d+, 16\]")
            # Beyond the end each size has its own.
            self.assertEqual(self.check_sizes(net, fast, ((65, 16), (66, 16), (5, 16))), ["inference"] * 3)
        tw.torch.reset()
        self.assertEqual(self.check_sizes(net, fast, ((3, 16), (11, 16))), ["forward", "backward"])

    def test_ranges_are_those_of_torch(self):
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, 2, 1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 36, 4))

        def fast(x):
            torch._dynamo.mark_dynamic(x, 0, min=2, max=20)
            return compiled(x)

        compiled = self.compile(net)
        with torch.no_grad():
            self.assertEqual(self.check_sizes(net, fast, ((4, 3, 12, 12), (2, 3, 12, 12), (20, 3, 12, 12))), ["inference"])

    def test_sizes_that_are_quotients(self):
        f = self.compile(lambda x: F.max_pool2d(x, 3, 2), dynamic=True, options={"max_size": 64})
        for size in ((2, 3, 12, 11), (3, 2, 17, 9), (5, 4, 31, 40)):
            x = torch.randn(*size)
            self.assertClose(f(x), F.max_pool2d(x, 3, 2))
        self.assertEqual(len(tw.torch.reports()), 1)

    def test_what_has_no_program_for_many_sizes(self):
        f = self.compile(lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), dynamic=True, options={"max_size": 64})
        with self.assertWarnsRegex(tw.FallbackWarning, "sizes that change have a program for each: "):
            for size in ((2, 3, 12, 12), (3, 2, 17, 9)):
                x = torch.randn(*size)
                self.assertClose(f(x), F.max_pool2d(x, 3, 2, ceil_mode=True))
        self.assertEqual(len(tw.torch.reports()), 2)

    def test_symbolic_training(self):
        net = torch.nn.Linear(4, 3)
        compiled = self.compile(net, dynamic=True)
        for rows in (2, 5, 3):
            x = torch.randn(rows, 4)
            (found,) = torch.autograd.grad(compiled(x).square().sum(), net.weight)
            (expected,) = torch.autograd.grad(net(x).square().sum(), net.weight)
            self.assertClose(found, expected)

    def test_no_elements_and_scalars(self):
        self.check(lambda x: (x + 1, x.sum(), x.sum(0)), torch.empty(0, 3))
        self.check(lambda x: (x.softmax(0), x.cumsum(0), x.sort()[0], x.argmax()), torch.tensor(2.5))
        self.check(lambda: torch.arange(4) * 2)


if __name__ == "__main__":
    unittest.main()
