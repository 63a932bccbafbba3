# REQUIRES: torch
# RUN: %torch_python %s
# tensorwright.compile of modules and exported programs of torch: weights as constants, saved with the
# model; what cannot be compiled is told with the user's line.
import os
import tempfile
import unittest

import torch

import tensorwright as tw


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 64, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(64)
        self.head = torch.nn.Linear(64 * 16, 10)
        self.scale = torch.tensor(2.0)

    def forward(self, x, bias):
        x = torch.relu(self.norm(self.conv(x)))
        x = torch.nn.functional.max_pool2d(x, 2)
        return self.head(x.flatten(1)) * self.scale + bias, x.mean((2, 3))


class Export(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.net = Net().eval()
        self.inputs = (torch.randn(2, 3, 8, 8), torch.randn(10))

    def check(self, model):
        with torch.no_grad():
            expected = self.net(*self.inputs)
        found = model(*self.inputs)
        for got, want in zip(found, expected):
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)

    def test_module(self):
        model = tw.compile(self.net, inputs=self.inputs)
        self.assertEqual([value.name for value in model.inputs], ["x", "bias"])
        self.check(model)
        # Weights are read from their file, which goes with the model.
        folder = model._kept.name
        path = os.path.join(tempfile.mkdtemp(), "net.twm")
        model.save(path)
        del model
        self.assertFalse(os.path.exists(folder))
        self.check(tw.load(path))

    def test_exported(self):
        exported = torch.export.export(self.net, self.inputs, dynamic_shapes=({0: torch.export.Dim("n", min=2, max=8)}, None))
        self.check(tw.compile(exported))
        self.check(tw.compile(exported.run_decompositions(), embed_weights=True))

    def test_refused(self):
        with self.assertRaisesRegex(tw.ArgumentError, "compiled for arguments of some types"):
            tw.compile(self.net)
        with self.assertRaisesRegex(tw.UnsupportedError, "the module changes 'norm.running_mean'.*\n?.*eval"):
            tw.compile(Net(), inputs=self.inputs)

        class Random(torch.nn.Module):
            def forward(self, x):
                return torch.special.bessel_j0(x) + torch.rand(3)

        with self.assertRaisesRegex(tw.UnsupportedError, "aten.*bessel_j0.*there is no rule") as caught:
            tw.compile(Random(), inputs=(torch.randn(3),))
        self.assertEqual(caught.exception.file, __file__)
        self.assertIn("random numbers", caught.exception.notes[0])
        self.assertIn("torch.special.bessel_j0", caught.exception.excerpt)


if __name__ == "__main__":
    unittest.main()
