"""A workload made ready: its kernel, inputs in files, our module, the reference; and the check of results."""
import json
import os
import subprocess
import time
import zlib

import numpy

from harness import kernels
from harness.programs import PROGRAMS, Program

DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "uint16", "i64": "int64", "i32": "int32", "i8": "int8", "ui8": "uint8"}
# Largest error relative to the largest element of the reference.
TOLERANCE = {"f32": 2e-5, "f64": 1e-12, "f16": 2e-3, "bf16": 1e-2}
# More for sums over all elements in f32, one after the other in some libraries.
LONG_SUMS = {"cumsum": 5, "network": 5, "sum": 20}


def widen(array, element):
    """An array as stored, in f64 (bf16 is stored as the upper half of an f32); row numbers stay."""
    if element == "bf16":
        array = (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return array.astype(numpy.float64) if element != "i64" else array


def narrow(array, element):
    if element == "bf16":
        bits = array.view(numpy.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(numpy.uint16)
    return array.astype(DTYPES[element])


def fill(tensor, sizes, random):
    """Normal floats; row numbers below the table's length; small integers."""
    if tensor.element == "i64":
        return random.integers(0, sizes["t"], tensor.dims)
    if tensor.element in ("i8", "ui8"):
        low = 0 if tensor.element == "ui8" else -128
        return random.integers(low, low + 256, tensor.dims, DTYPES[tensor.element])
    values = random.standard_normal(tensor.dims, numpy.float32)
    return narrow(values / numpy.float32(numpy.sqrt(numpy.prod(tensor.dims[1:]))) if tensor.constant else values, tensor.element)


class Task:
    """Files of a workload in a folder of its own; `close` gives its memory back."""

    def __init__(self, workload, folder):
        self.workload, self.folder, self.name = workload, folder, workload.name
        os.makedirs(folder)
        self.kernel = kernels.load(workload.kernel, workload.sizes)
        self.ours = f"kernel-{workload.group}" if workload.beside() else "kernel"
        self.program = PROGRAMS[workload.kernel]
        self.sizes, self.inputs, self.results = self.kernel.sizes, self.kernel.inputs, self.kernel.results
        self.compile_seconds, self.references = None, None
        random = numpy.random.default_rng(zlib.crc32(workload.name.encode()))
        self.arrays = {tensor.name: fill(tensor, self.sizes, random) for tensor in self.inputs}
        for tensor in self.inputs:
            numpy.save(os.path.join(folder, tensor.name + ".npy"), self.arrays[tensor.name])
        self.write("kernel")
        self.source = os.path.join(folder, "kernel.mlir")

    def write(self, name):
        """The kernel file at these sizes, and the file of its constants."""
        with open(os.path.join(self.folder, self.kernel.name + ".bin"), "wb") as file:
            for tensor in self.inputs:
                if tensor.constant:
                    file.write(self.arrays[tensor.name].tobytes())
        with open(os.path.join(self.folder, name + ".mlir"), "w") as file:
            file.write(self.kernel.text)
        if self.ours != "kernel":
            with open(os.path.join(self.folder, self.ours + ".mlir"), "w") as file:
                file.write(self.other_form())

    def other_form(self):
        """What a row beside the kernel file is of: the file with sizes that a call settles, or the graph."""
        if self.workload.most:
            return kernels.open_sizes(self.kernel.text, self.workload.most)
        return kernels.load(self.workload.kernel, self.workload.sizes, kernels.GRAPHS).text

    def element(self):
        return self.inputs[0].element

    def flops(self):
        return self.program.flops(self.sizes)

    def bytes(self):
        """The least traffic: each input and result once, of a table the rows that are used."""
        total = sum(tensor.bytes() for tensor in self.inputs + self.results)
        if self.program.op == "gather":
            total += self.results[0].bytes() - self.inputs[0].bytes()
        return total

    def compile(self, binaries, target):
        """Compiles our module; returns why not, or nothing."""
        begin = time.perf_counter()
        done = self.compile_to(binaries, target, self.source, "kernel.twm")
        self.compile_seconds = time.perf_counter() - begin
        if self.ours != "kernel" and done.returncode == 0:
            done = self.compile_to(binaries, target, os.path.join(self.folder, self.ours + ".mlir"), self.ours + ".twm")
        return " ".join(done.stderr.split())[:300] if done.returncode else None

    def compile_to(self, binaries, target, source, module):
        command = [os.path.join(binaries, "tensor-compile"), source, "-o", os.path.join(self.folder, module)]
        if target != "native":
            command.append("--target=host:" + target)
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    def describe(self, binaries):
        """Writes work.json, which the peers read."""
        tensors = lambda values: [{"name": t.name, "element": t.element, "dtype": DTYPES[t.element], "dims": t.dims,
                                   "constant": t.constant} for t in values]
        data = {"op": self.program.op, "attributes": self.program.attributes, "sizes": self.sizes, "inputs": tensors(self.inputs),
                "results": tensors(self.results), "flops": self.flops(), "binaries": binaries,
                "module": os.path.join(self.folder, self.ours + ".twm"), "beside": self.workload.beside(),
                "kernel": os.path.join(self.folder, "kernel.twm"), "weights": os.path.dirname(self.source), "model": self.source}
        with open(os.path.join(self.folder, "work.json"), "w") as file:
            json.dump(data, file)

    def reference(self):
        if self.references is None:
            wide = {tensor.name: widen(self.arrays[tensor.name], tensor.element) for tensor in self.inputs}
            self.references = [numpy.asarray(self.program.reference(wide, self.sizes))]
        return self.references

    def error(self, peer):
        """The largest relative error of a peer's results, and whether that is too large."""
        worst, wrong = 0.0, False
        for i, (result, reference) in enumerate(zip(self.results, self.reference())):
            found = numpy.load(os.path.join(self.folder, f"{peer}-{i}.npy"))
            if found.size != reference.size:
                return float("inf"), True
            found = widen(found, result.element).reshape(reference.shape)
            if result.element not in TOLERANCE:
                error = 0.0 if numpy.array_equal(found, reference) else float("inf")
                worst, wrong = max(worst, error), wrong or error > 0
                continue
            error = float(numpy.abs(found - reference).max() / max(numpy.abs(reference).max(), 1e-30))
            limit = TOLERANCE[result.element] * LONG_SUMS.get(self.program.op, 1)
            worst, wrong = max(worst, error), wrong or not error <= limit
        return worst, wrong

    def close(self):
        self.references, self.arrays = None, {tensor.name: None for tensor in self.inputs}


# What writes the networks of a group, and the peer's virtual environment that has what it takes.
WRITERS = {"networks": ("networks.py", "onnxruntime"), "exported": ("exported.py", "exporters")}


class NetworkTask(Task):
    """A whole network: written once to the cache by a Python that has what it takes."""

    def __init__(self, workload, folder, cache):
        self.workload, self.folder, self.name, self.sizes, self.ours = workload, folder, workload.name, {}, "kernel"
        os.makedirs(folder)
        place = os.path.join(cache, workload.group, workload.name)
        if not os.path.exists(os.path.join(place, "done.json")):
            script, environment = WRITERS[workload.group]
            python = os.path.join(cache, environment, "bin", "python")
            if not os.path.exists(python):
                raise SystemExit(f"cpu: {workload.name} needs {os.path.dirname(python)}; give --install")
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), script)
            subprocess.run([python, script, workload.name, place], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(place, "done.json")) as file:
            self.facts = json.load(file)
        self.inputs = [kernels.Tensor(name, self.facts.get("elements", {}).get(name, "f32"), dims) for name, dims in self.facts["inputs"].items()]
        self.results = [kernels.Tensor("result", "f32", self.facts["result"])]
        for tensor in self.inputs:
            os.symlink(os.path.join(place, tensor.name + ".npy"), os.path.join(folder, tensor.name + ".npy"))
        self.program, self.compile_seconds, self.arrays = Program("network", None), None, {}
        self.references = [numpy.load(os.path.join(place, "reference.npy"))]
        self.source = os.path.join(place, "model.onnx")

    def element(self):
        return "f32"

    def flops(self):
        return self.facts["flops"]

    def bytes(self):
        return self.facts["bytes"]


def make(workload, folder, cache):
    return NetworkTask(workload, folder, cache) if workload.group in WRITERS else Task(workload, folder)
