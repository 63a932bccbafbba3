"""run-kernels.py SOURCE FOLDER CPU EMULATED-CPU RUN [--only=TEXT] [--deterministic]: compiles every kernel of
SOURCE/bench/kernels at small sizes for CPU, runs it by RUN, a command that runs modules in an emulator, on EMULATED-CPU,
and compares its results with those of this machine, which the interpreter judges first: bit by bit where they are
integers or deterministic, within the limits of tensor-run else. --only: kernels whose text has TEXT."""
import argparse
import os
import random
import shlex
import struct
import subprocess
import sys

parser = argparse.ArgumentParser()
for name in ("source", "folder", "cpu", "emulated", "run"):
    parser.add_argument(name)
parser.add_argument("--only", default="")
parser.add_argument("--deterministic", action="store_true")
options = parser.parse_args()
sys.path.insert(0, os.path.join(options.source, "bench"))
from harness import kernels

os.makedirs(options.folder, exist_ok=True)
os.chdir(options.folder)
problems = ran = 0


def small(sizes):
    """Sizes that no vector divides, for all that are not computed from others."""
    return {name: min(int(size), 37 if int(size) > 64 else 17) for name, size in sizes if size.isdigit()}


def constant(tensor):
    count = tensor.bytes() // kernels.ELEMENT_BYTES[tensor.element]
    if tensor.element in ("i8", "ui8"):
        return random.randbytes(count)
    values = [random.uniform(-1, 1) for _ in range(count)]
    if tensor.element == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{count}{ {'f16': 'e', 'f32': 'f'}[tensor.element] }", *values)


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else f"{shlex.join(command)}\n{done.stdout}{done.stderr}"


for name in kernels.names():
    with open(os.path.join(kernels.FOLDER, name + ".mlir")) as file:
        text = file.read()
    if options.only not in text:
        continue
    line = next(line for line in text.split("\n") if line.startswith("// sizes: "))
    kernel = kernels.load(name, small(part.split(" = ", 1) for part in line[len("// sizes: "):].split(", ")))
    random.seed(name)
    with open(name + ".bin", "wb") as file:
        file.write(b"".join(constant(tensor) for tensor in kernel.inputs if tensor.constant))
    with open(name + ".mlir", "w") as file:
        file.write(kernel.text)
    bits = ["--option=deterministic=true"] if options.deterministic else []
    results = [f"{result.name}={name}.{result.name}.npy" for result in kernel.results]
    problem = call("tensor-run", name + ".mlir", "--no-cache", "--compare=interpreter", *bits,
                   *("--output=" + result for result in results))
    problem = problem or call("tensor-compile", name + ".mlir", f"--target=host:{options.cpu}", "-o", name + ".twm",
                              *(["--deterministic"] if options.deterministic else []))
    emulator, *rest = shlex.split(options.run)
    problem = problem or call(emulator, "-cpu", options.emulated, *rest, name + ".twm", "--threads=2",
                              *("--compare=" + result for result in results),
                              *(["--max-error=0"] if options.deterministic else []))
    ran += 1
    if problem:
        problems += 1
        print(f"{name}: {problem}")
print(f"{ran} kernels for {options.cpu} on {options.emulated}, {problems} differ")
