# REQUIRES: torch
# RUN: %torch_python %s
# RUN: %torch_python %s --torch-first
# Tensors of torch: no copies, gradients, lazy negation, what cannot be shared; LLVM of torch and
# of the compiler in one process, in both orders.
import sys
import unittest

if "--torch-first" in sys.argv:
    import torch

    sys.argv.remove("--torch-first")
import tensorwright as tw
from programs import ADD, compiled

add = compiled(ADD)

import torch  # noqa: E402
from tensorwright import _tensorwright  # noqa: E402


class Tensors(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.x, self.y = torch.randn(4, 8), torch.randn(4, 8)

    def test_no_copies(self):
        self.assertEqual(_tensorwright.address_of(self.x), self.x.data_ptr())
        result = add(self.x, y=self.y)
        self.assertIs(type(result), torch.Tensor)
        self.assertEqual((add.copied, result.data_ptr() % 64), (0, 0))
        self.assertTrue(torch.equal(result, self.x + self.y))
        out = torch.empty(4, 8)
        self.assertIs(add(self.x, self.y, out=out), out)
        self.assertTrue(torch.equal(out, self.x + self.y))
        buffer = tw.Buffer.copy_of(self.x)
        self.assertEqual(torch.from_dlpack(buffer).data_ptr(), buffer.address)

    def test_views(self):
        base = torch.randn(9, 8)
        self.assertTrue(torch.equal(add(base[:4], base[5:]), base[:4] + base[5:]))
        self.assertEqual(add.copied, 0)
        model = tw.compile(ADD)
        with self.assertWarns(tw.CopyWarning):
            result = model(self.x, torch.randn(8, 4).T)
        self.assertIs(type(result), torch.Tensor)

    def test_gradients(self):
        parameter = torch.nn.Parameter(self.x)
        with self.assertRaisesRegex(tw.ArgumentError, "requires a gradient"):
            add(parameter, self.y)
        with torch.no_grad():
            self.assertTrue(torch.equal(add(parameter, self.y), self.x + self.y))
            with self.assertRaisesRegex(tw.ArgumentError, "cannot be written in place"):
                add(self.x, self.y, out=parameter)

    def test_lazy_negation(self):
        lazy = torch.randn(4, 8, dtype=torch.complex64).conj().imag
        self.assertTrue(lazy.is_neg())
        self.assertTrue(torch.equal(add(lazy.contiguous(), self.y), lazy + self.y))
        model = compiled(ADD.replace("4x8", "4x1"))
        column = torch.randn(4, 1, dtype=torch.complex64).conj().imag
        self.assertTrue(torch.equal(model(column, column), column + column))

    def test_what_cannot_be_shared(self):
        for tensor in (self.x.to_sparse(), torch.empty(4, 8, device="meta")):
            with self.assertRaisesRegex(tw.ArgumentError, "argument|cannot be shared"):
                add(tensor, self.y)
        with self.assertRaisesRegex(tw.ArgumentError, r"bfloat16\[4, 8\], expected float32"):
            add(self.x.bfloat16(), self.y)

    def test_both_compilers(self):
        twice = torch.compile(lambda x: torch.sin(x) * 2)
        self.assertTrue(torch.allclose(twice(self.x), torch.sin(self.x) * 2))
        model = tw.compile(ADD.replace("4x8", "6x8"))
        ones = torch.ones(6, 8)
        self.assertTrue(torch.equal(model(ones, ones), ones + ones))


if __name__ == "__main__":
    unittest.main()
