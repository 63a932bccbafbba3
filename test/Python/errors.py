# RUN: %venv_python %s
# What goes wrong while compiling and loading: typed errors with code, place and remedy.
import os
import pickle
import tempfile
import unittest

import tensorwright as tw
from programs import ADD


class Errors(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, contents=b""):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(contents)
        return path

    def test_place_and_text(self):
        with self.assertRaises(tw.CompileError) as caught:
            tw.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = tgraph.rleu %x : tensor<4xf32>\n}")
        error = caught.exception
        self.assertEqual((error.code, error.line, error.column), ("T0514", 2, 8))
        self.assertIn("tgraph.rleu", error.message)
        self.assertEqual(error.remedy, tw.explain("T0514"))
        self.assertIn("input:2:8: ", str(error))
        self.assertIn("[T0514]", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.line), (tw.CompileError, str(error), 2))

    def test_verifier(self):
        with self.assertRaises(tw.CompileError) as caught:
            tw.compile("func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> {\n"
                       "  %y = \"tgraph.neg\"(%x) : (tensor<4xf32>) -> tensor<5xf32>\n  return %y : tensor<5xf32>\n}")
        self.assertRegex(caught.exception.code, "T0[0-9]{3}")
        self.assertEqual(caught.exception.line, 2)

    def test_files(self):
        with self.assertRaises(tw.FileError) as caught:
            tw.compile(os.path.join(self.folder.name, "missing.onnx"))
        self.assertIsInstance(caught.exception, OSError)
        with self.assertRaises(tw.FileError):
            tw.load(os.path.join(self.folder.name, "missing.twm"))
        with self.assertRaises(tw.ModuleError) as caught:
            tw.load(self.path("cut.twm", b"\x89TWM rubbish"))
        self.assertEqual(caught.exception.code, "T0609")
        with self.assertRaises(tw.CompileError) as caught:
            tw.compile(self.path("cut.onnx", b"\x08\xff"))
        self.assertEqual(caught.exception.code, "T0101")
        model = tw.compile(ADD)
        with self.assertRaises(tw.FileError) as caught:
            model.save(os.path.join(self.folder.name, "none", "x.twm"))
        self.assertEqual(caught.exception.code, "T0601")
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["cut.onnx", "cut.twm"])

    def test_options(self):
        for options, text in (
            ({"fusion": "most"}, "unknown compile option 'fusion=most'"),
            ({"optimize": 7}, "unknown compile option 'optimize=7'"),
            ({"options": {"speed": 11}}, "unknown compile option 'speed=11'"),
            ({"target": "abacus"}, "abacus"),
        ):
            with self.assertRaisesRegex(tw.ArgumentError, text):
                tw.compile(ADD, **options)

    def test_sources(self):
        with self.assertRaisesRegex(tw.ArgumentError, "cannot compile a 'builtins.int'"):
            tw.compile(3)

    def test_devices(self):
        with self.assertRaisesRegex(tw.DeviceError, "no device 'abacus'"):
            tw.compile(ADD, target="host", device="abacus")
        # Code for what is not here can be made and saved.
        model = tw.compile(ADD, target="cuda:sm_80")
        self.assertEqual(model.device, "cuda")
        path = os.path.join(self.folder.name, "cuda.twm")
        model.save(path)
        with self.assertRaises(tw.DeviceError) as caught:
            tw.load(path, device="host")
        self.assertEqual(caught.exception.code, "T0608")

    def test_missing_compiler(self):
        import subprocess
        import sys

        done = subprocess.run(
            [sys.executable, "-c", "import tensorwright as tw\ntry: tw.compile('func.func @main() { return }')\n"
             "except tw.CompilerMissingError as e: print(e.code, isinstance(e, ImportError))"],
            env={**os.environ, "TENSORWRIGHT_LIBRARY": "/nowhere/libtensorwright.so"}, capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("T0607 True\n", ""))


if __name__ == "__main__":
    unittest.main()
