# RUN: %venv_python %s
# tensorwright.ir: programs walked, changed, lowered and compiled; what is wrong with that.
import gc
import subprocess
import sys
import unittest

import numpy as np

import tensorwright as tw
from tensorwright import ir

TEXT = """
func.func @main(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = tgraph.relu %x : tensor<4x3xf32>
  %1 = tgraph.reduce add %0 dims [0] : tensor<4x3xf32> -> tensor<3xf32>
  %2 = tgraph.neg %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
"""


def find(module, name):
    return next(op for op in module.walk() if op.name == name)


class Read(unittest.TestCase):
    def test_walk(self):
        module = ir.parse(TEXT)
        function, relu, total, negated, end = module.walk()
        self.assertEqual([function.name, relu.name, total.name, end.name], ["func.func", "tgraph.relu", "tgraph.reduce", "func.return"])
        self.assertIs(relu.parent, function)
        self.assertIs(function.parent, module.operation)
        self.assertIsNone(module.operation.parent)
        self.assertEqual(module.operations, [function])
        (block,) = function.regions[0]
        self.assertEqual(relu.operands, block.arguments)
        self.assertEqual(block.operations, [relu, total, negated, end])
        self.assertEqual(relu.results[0].uses, [(total, 0)])
        self.assertEqual(total.operands[0], relu.results[0])
        self.assertIs(total.operands[0].owner, relu)
        self.assertEqual((relu.results[0].type, repr(block.arguments[0])), ("tensor<4x3xf32>", "<argument 0: tensor<4x3xf32>>"))
        self.assertIn("dims", total.attributes)
        self.assertEqual(function.attributes["sym_name"], '"main"')
        self.assertIn('"-":3:8', relu.location)
        self.assertIn("tgraph.reduce", str(total))
        self.assertIn('"tgraph.relu"(', relu.text(generic=True))
        self.assertEqual(ir.parse(str(module)).text(), module.text())

    def test_modules_and_bytes(self):
        self.assertEqual(len(ir.parse("#a = loc(unknown)\nfunc.func private @f()\nfunc.func private @g() loc(#a)").operations), 2)
        module = ir.parse(b"module { func.func private @f() }")
        self.assertEqual([op.name for op in module.walk()], ["func.func"])
        self.assertEqual(repr(module), "<module of <func.func>>")

    def test_what_is_no_program(self):
        with self.assertRaises(tw.CompileError) as caught:
            ir.parse("func.func @main() {\n  tgraph.rleu\n}")
        self.assertEqual((caught.exception.code, caught.exception.file, caught.exception.line), ("T0514", "-", 2))


class Change(unittest.TestCase):
    def test_attributes_and_operands(self):
        module = ir.parse(TEXT)
        relu, total = find(module, "tgraph.relu"), find(module, "tgraph.reduce")
        relu.attributes["note"] = "7 : i64"
        self.assertEqual(dict(relu.attributes), {"note": "7 : i64"})
        del relu.attributes["note"]
        self.assertEqual(len(relu.attributes), 0)
        with self.assertRaises(KeyError):
            del relu.attributes["note"]
        total.set_operand(0, relu.operands[0])
        relu.erase()
        module.verify()
        self.assertEqual(tw.compile(module)(np.float32([[1, -2, 3]] * 4)).tolist(), [-4, 8, -12])

    def test_passes(self):
        seen = []

        def twice(module):
            for op in module.walk():
                if op.name == "tgraph.relu":
                    x = op.operands[0]
                    new = module.create("tgraph.add", [x, x], [x.type], before=op)
                    op.results[0].replace_all_uses_with(new.results[0])
                    op.erase()
                seen.append(op)

        module = ir.parse(TEXT)
        module.run("func.func(canonicalize)", twice, "func.func(cse)")
        self.assertEqual(tw.compile(module)(np.float32([[1, -2, 3]] * 4)).tolist(), [-8, 16, -24])
        with self.assertRaisesRegex(tw.ArgumentError, "of before passes ran"):
            seen[-1].name

    def test_stages(self):
        module = ir.parse(TEXT)
        module.lower("kernel")
        kernels = [op for op in module.walk() if op.name == "tkernel.kernel"]
        self.assertTrue(kernels)
        module.lower("schedule", start="schedule")
        self.assertEqual(tw.compile(module)(np.float32([[1, -2, 3]] * 4)).tolist(), [-4, 0, -12])

    def test_inference_of_types(self):
        module = ir.parse(TEXT)
        relu = find(module, "tgraph.relu")
        new = module.create("arith.constant", (), None, {"value": "3 : i32"}, after=relu)
        self.assertEqual(new.results[0].type, "i32")
        new.move_before(relu)
        self.assertIs(find(module, "func.func").regions[0][0].operations[0], new)
        new.move_after(relu)
        module.verify()


class Wrong(unittest.TestCase):
    def refuse(self, text, kind, function, *args, **kwargs):
        with self.assertRaisesRegex(kind, text):
            function(*args, **kwargs)

    def test_refused(self):
        module, other = ir.parse(TEXT), ir.parse(TEXT)
        relu, total = find(module, "tgraph.relu"), find(module, "tgraph.reduce")
        x = relu.operands[0]
        error = tw.ArgumentError
        self.refuse("no op 'tgraph.rleu'", error, module.create, "tgraph.rleu", [x], [x.type], before=relu)
        self.refuse("expected one of before and after", error, module.create, "tgraph.relu", [x], [x.type])
        self.refuse("another module", error, module.create, "tgraph.relu", [x], [x.type], before=find(other, "tgraph.relu"))
        self.refuse("another module", error, total.set_operand, 0, find(other, "tgraph.relu").operands[0])
        self.refuse("nothing before or after", error, module.create, "tgraph.relu", [x], [x.type], before=module.operation)
        self.refuse("tgraph.relu cannot be erased: tgraph.reduce takes result 0", error, relu.erase)
        self.refuse("own op cannot be erased", error, module.operation.erase)
        self.refuse("1 operands, found index 3", error, relu.set_operand, 3, x)
        self.refuse(r"type tensor<4x3xf32> by one of type tensor<3xf32>", error, x.replace_all_uses_with, total.results[0])
        self.refuse("tensr", error, module.create, "tgraph.relu", [x], ["tensr<4xf32>"], before=relu)
        self.refuse(".", error, relu.attributes.__setitem__, "note", "<<")
        self.refuse("no pipeline: 'graph-decompos' .*; did you mean 'graph-decompose'", error, module.run, "func.func(graph-decompos)")
        self.refuse("no stage 'kernl'", error, module.lower, "kernl")
        # All of this left it as it was.
        self.assertEqual(str(module), str(other))
        module.verify()

    def test_erased(self):
        module = ir.parse(TEXT)
        function, relu = find(module, "func.func"), find(module, "tgraph.relu")
        value, block = relu.results[0], function.regions[0][0]
        function.erase()
        for use in (lambda: relu.name, lambda: value.type, lambda: value.uses, lambda: block.operations, lambda: function.regions):
            self.refuse("this op was erased", tw.ArgumentError, use)
        self.assertEqual(list(module.walk()), [])

    def test_a_pass_that_fails(self):
        def raises(module):
            find(module, "tgraph.relu").attributes["note"] = "1 : i64"
            raise ZeroDivisionError("of the pass")

        def breaks(module):
            find(module, "tgraph.relu").results[0].type = "tensor<5xf32>"

        module = ir.parse(TEXT)
        self.refuse("of the pass", ZeroDivisionError, module.run, raises)
        self.assertIn("note", str(module))
        with self.assertRaises(tw.CompileError) as caught:
            module.run(breaks)
        self.assertIn("tgraph.relu", caught.exception.message)
        self.assertEqual((caught.exception.file, caught.exception.line), ("-", 3))
        find(module, "tgraph.relu").results[0].type = "tensor<4x3xf32>"
        module.verify()

    def test_lifetime(self):
        relu = find(ir.parse(TEXT), "tgraph.relu")
        gc.collect()
        self.assertEqual(relu.name, "tgraph.relu")
        self.assertEqual(relu.operands[0].type, "tensor<4x3xf32>")

    def test_nothing_is_loaded_before(self):
        code = "import tensorwright.ir, sys; assert 'numpy' not in sys.modules; print(open('/proc/self/maps').read().count('libMLIR'))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "0\n")


if __name__ == "__main__":
    unittest.main()
