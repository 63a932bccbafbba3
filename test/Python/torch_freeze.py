# REQUIRES: torch
# RUN: %torch_python %s
# torch.compile with weights that are constants: what torch counts as a change is seen by the next call.
import unittest

import torch
from torch import nn

import tensorwright as tw
import tensorwright.torch
from tensorwright.torch import _freeze


class Freeze(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        torch._dynamo.reset()
        tw.torch.reset()
        torch.manual_seed(7)
        self.net = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(),
            nn.Linear(16 * 64, 256), nn.ReLU(), nn.Linear(256, 10),
        ).eval()
        self.x = torch.randn(2, 3, 8, 8)
        self.fast = torch.compile(self.net, backend="tensorwright", options={"freeze": True})

    @property
    def arguments(self):
        """How many arguments the last program has."""
        return len(tw.torch.reports()[-1].models[0].inputs)

    def check(self, calls=_freeze._FEW_CALLS + 1):
        with torch.no_grad():
            expected = self.net(self.x)
            for _ in range(calls):
                found = self.fast(self.x)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
        return found

    def test_changes_are_seen(self):
        before = self.check()
        self.assertEqual(self.arguments, 1)
        with torch.no_grad():
            self.net[4].weight.mul_(2)  # packed
        self.assertGreater(float((self.check() - before).abs().max()), 1e-2)
        with torch.no_grad():
            self.net[1].running_mean.add_(1)  # folded
        self.check()
        self.net[0].weight.data = self.net[0].weight * 3  # other memory
        self.check()
        self.net[6].weight = nn.Parameter(self.net[6].weight.detach() * 3)  # another tensor
        self.check()
        optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
        self.net(self.x).square().mean().backward()
        optimizer.step()
        self.check()
        self.net.load_state_dict({key: value + 0.125 if value.is_floating_point() else value for key, value in self.net.state_dict().items()})
        self.check()
        self.assertEqual(self.arguments, 1)
        self.assertEqual(len(tw.torch.reports()), 1)

    def test_refresh(self):
        self.check()
        self.net[4].weight.data.mul_(2)
        tw.torch.refresh()
        self.check()

    def test_what_changes_often_is_an_argument(self):
        for _ in range(2 + _freeze._SHORT_LIVES):
            self.check(calls=1)
            with torch.no_grad():
                self.net[4].weight.mul_(1.5)
        self.assertEqual(self.arguments, 11)

    def test_what_is_not_finite_is_an_argument(self):
        self.check()
        with torch.no_grad():
            self.net[0].weight[0, 0, 0, 0] = float("inf")
            torch.testing.assert_close(self.fast(self.x), self.net(self.x), equal_nan=True)
        self.assertEqual(self.arguments, 11)

    def test_weights_stay_where_they_are(self):
        weight = self.net[4].weight
        before = weight.data_ptr(), weight.detach().clone()
        self.check()
        self.assertEqual(weight.data_ptr(), before[0])
        torch.testing.assert_close(weight.detach(), before[1], rtol=0, atol=0)
        self.assertLess(tw.torch.reports()[0].models[0].nbytes, 1 << 20)

    def test_gradients_have_arguments(self):
        self.fast(self.x).sum().backward()
        self.assertEqual([report.kind for report in tw.torch.reports()], ["forward", "backward"])
        self.assertIsNotNone(self.net[0].weight.grad)

    def test_one_program_for_many_sizes(self):
        def fast(x):
            torch._dynamo.mark_dynamic(x, 0, min=2, max=15)
            return compiled(x)

        compiled = torch.compile(self.net, backend="tensorwright", options={"freeze": True})
        with torch.no_grad():
            for change in (lambda: None, lambda: self.net[4].weight.mul_(2), lambda: self.net[1].running_mean.add_(1)):
                change()
                for rows in (3, 15, 2, 7):
                    x = torch.randn(rows, 3, 8, 8)
                    torch.testing.assert_close(fast(x), self.net(x), rtol=1e-4, atol=1e-4)
                self.assertEqual((self.arguments, len(tw.torch.reports())), (1, 1))
            # Weights that are not finite are arguments, of one program too.
            self.net[6].bias[0] = float("inf")
            for rows in (3, 9):
                x = torch.randn(rows, 3, 8, 8)
                torch.testing.assert_close(fast(x), self.net(x), rtol=1e-4, atol=1e-4)
            self.assertEqual((self.arguments, len(tw.torch.reports())), (11, 2))

    def test_other_option(self):
        with self.assertRaisesRegex(Exception, "did you mean 'freeze'"):
            torch.compile(self.net, backend="tensorwright", options={"freese": True})(self.x)


if __name__ == "__main__":
    unittest.main()
