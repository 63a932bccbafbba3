# RUN: %venv_python %s
# Sources of every kind, modules that are saved and loaded, weights, what a model says of itself.
import os
import pathlib
import tempfile
import unittest

import numpy as np
import onnx
import tensorwright as tw
from onnx import TensorProto, helper, numpy_helper
from programs import ADD, compiled

WEIGHT = np.arange(16384 * 8, dtype="float32").reshape(8, 16384)


def make_model():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 16384])],
        [numpy_helper.from_array(WEIGHT, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


class Modules(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def check(self, model, batch=2):
        x = np.random.default_rng(3).integers(-4, 5, (batch, 8)).astype("float32")
        np.testing.assert_array_equal(model(x), np.maximum(x @ WEIGHT, 0))

    def test_sources(self):
        proto = make_model()
        path = self.folder / "net.onnx"
        onnx.save(proto, path)
        for source in (proto, proto.SerializeToString(), path, str(path)):
            self.check(tw.compile(source, symbols={"batch": 2}))
        self.check(tw.compile(path, symbols={"batch": 2}, weights="/nowhere"))
        self.check(tw.compile(proto, shapes={"x": (3, 8)}), 3)
        self.check(tw.compile(proto, shapes=[(3, 8)]), 3)
        open_sizes = tw.compile(proto, dims={"batch": (1, 16)})
        self.check(open_sizes, 5)
        self.check(open_sizes, 16)
        self.check(tw.compile(proto, dims={"batch": tw.Dim("batch", 1, 16, typical=4)}), 7)

    def test_what_is_no_range(self):
        for wrong, text in (
            ({"batch": tw.Dim("n", 1, 4)}, r"dims gives 'batch' Dim\('n', 1, 4\), expected a Dim of that name, \(least, most\)"),
            ({"batch": (1,)}, r"dims gives 'batch' \(1,\), expected"),
            ({"batch": (1, 4, 1, 2, 9)}, r"dims gives 'batch' \(1, 4, 1, 2, 9\), expected"),
            ({"batch": 3}, "dims gives 'batch' 3, expected"),
            ([("batch", (1, 4))], "dims are of type 'list' and not a mapping of names"),
            ({"batch": (1, 4, None, 2)}, "Dim 'batch': expected ints, found None"),
            ({"batch": (1, 4, 1, 7)}, "the typical size is 7, expected a multiple of 1 from 1 to 4"),
            ({"batch": (4, 1)}, "expected 0 <= least <= most, found 4 and 1"),
        ):
            with self.assertRaisesRegex(tw.ArgumentError, text):
                tw.compile(make_model(), dims=wrong)

    def test_values_outside_of_their_range(self):
        ends = [numpy_helper.from_array(np.array(i, "int64"), name) for i, name in enumerate(("first", "step"))]
        graph = helper.make_graph(
            [helper.make_node("Range", ["first", "n", "step"], ["y"])],
            "net",
            [helper.make_tensor_value_info("n", TensorProto.INT64, [])],
            [helper.make_tensor_value_info("y", TensorProto.INT64, ["k"])],
            ends,
        )
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
        model = tw.compile(proto, dims={"n": tw.Dim("n", 0, 13)})
        self.assertEqual(model(3).tolist(), [0, 1, 2])
        for wrong in (14, -1):
            with self.assertRaisesRegex(tw.ArgumentError, f"argument 'n' is {wrong}, outside of the range .* 13 is the most") as caught:
                model(wrong)
            self.assertEqual(caught.exception.remedy, "Give values that the ranges hold, or compile for ranges that hold these.")
        self.assertEqual(model(13).tolist(), list(range(13)))

    def test_weights_of_bytes(self):
        proto = make_model()
        onnx.save(proto, self.folder / "net.onnx", save_as_external_data=True, location="net.weights", size_threshold=0)
        proto = onnx.load(self.folder / "net.onnx", load_external_data=False)
        model = tw.compile(proto, symbols={"batch": 2}, weights=self.folder)
        self.check(model)
        self.assertLess(model.nbytes, WEIGHT.nbytes)
        model.save(self.folder / "net.twm")
        (self.folder / "net.weights").unlink()
        self.check(tw.load(self.folder / "net.twm"))
        with self.assertRaises(tw.FileError):
            tw.compile(proto, symbols={"batch": 2}, weights=self.folder)

    def test_programs(self):
        path = self.folder / "add.mlir"
        path.write_text(ADD)
        for source in (path, str(path), ADD, ADD.encode()):
            self.assertEqual([v.name for v in tw.compile(source).inputs], ["x", "y"])

    def test_save_and_load(self):
        source = self.folder / "in"
        source.mkdir()
        onnx.save(make_model(), source / "net.onnx")
        model = tw.compile(source / "net.onnx", symbols={"batch": 2})
        self.check(model)
        self.assertLess(model.nbytes, WEIGHT.nbytes)  # the weights stay in their file
        saved = self.folder / "net.twm"
        model.save(saved)
        self.assertGreater(saved.stat().st_size, WEIGHT.nbytes)
        (source / "net.onnx").unlink()
        loaded = tw.load(saved)
        self.check(loaded)
        self.check(tw.load(saved.read_bytes(), check_weights=True))
        self.assertIsNone(loaded.report)
        again = self.folder / "again.twm"
        loaded.save(again)
        self.assertEqual(again.read_bytes(), saved.read_bytes())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["again.twm", "in", "net.twm"])

    def test_names(self):
        model = compiled(ADD)
        self.assertRegex(
            repr(model),
            r"^Model\(main: \(x: float32\[4, 8\], y: float32\[4, 8\]\) -> \(z: float32\[4, 8\]\), 1 kernels, \d+ bytes, host\)$",
        )
        self.assertEqual(model.kernels, ["add"])
        self.assertEqual([repr(v) for v in model.outputs], ["z: float32[4, 8]"])
        self.assertEqual(model.report["targets"][0]["kernels"][0]["name"], "add")
        self.assertEqual(model.description["functions"][0]["name"], "main")
        page = model._repr_html_()
        self.assertIn("<td", page)
        self.assertRegex(page, r">add</td>.*background: #36c.* %")

    def test_dump_and_progress(self):
        import contextlib
        import io

        tw.compile(ADD, dump_stages=self.folder)
        self.assertIn("kernel", " ".join(p.name for p in self.folder.iterdir()))
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            tw.compile(ADD, progress=True)
        self.assertEqual(text.getvalue(), "")  # it took no second

    def test_targets(self):
        names = [target["name"] for target in tw.targets()]
        for name in ("host", "opencl", "vulkan", "cuda", "amd"):
            self.assertIn(name, names)


if __name__ == "__main__":
    unittest.main()
