# Runs where the wheel tensorwright is installed and nothing else: compile, run, save, the tools.
import importlib.metadata
import subprocess
import sys

import tensorwright as tw
from tensorwright import ir

ADD = """
func.func @main(%x: tensor<8xf32> {tgraph.name = "x"}, %y: tensor<8xf32> {tgraph.name = "y"}) -> tensor<8xf32> {
  %z = tgraph.add %x, %y : tensor<8xf32>
  return %z : tensor<8xf32>
}"""

model = tw.compile(ADD, target="host:x86-64-v3,opencl,cuda:sm_80,amd:gfx942")
x, y = tw.Buffer(8), tw.Buffer(8)
for i in range(8):
    memoryview(x)[i], memoryview(y)[i] = i, 2 * i
assert memoryview(model(x, y)).tolist() == [3 * i for i in range(8)]
assert memoryview(tw.jit(lambda x, y: tw.relu(x - 4) * y)(x, y)).tolist() == [max(i - 4, 0) * 2 * i for i in range(8)]
model.save(sys.argv[1])
# torch finds its backend by this name, and is asked for when it is used.
(backend,) = importlib.metadata.entry_points(group="torch_dynamo_backends", name="tensorwright")
assert backend.load().__module__ == "tensorwright.torch" and "torch" not in sys.modules
maps = open("/proc/self/maps").read()
for library in ("libLLVM", "libMLIR", "/build/"):
    assert library not in maps, library
assert "numpy" not in sys.modules
# Programs as objects, by the C API in the same library.
program = ir.parse(ADD)
assert [op.name for op in program.walk()] == ["func.func", "tgraph.add", "func.return"]
program.lower("kernel")
assert memoryview(tw.compile(program)(x, y)).tolist() == [3 * i for i in range(8)]
for tool in ("run", "compile", "opt", "translate"):
    done = subprocess.run([sys.executable, "-m", "tensorwright", tool, "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and tw.__version__ in done.stdout, done
with open("add.mlir", "w") as file:
    file.write(ADD)
for arguments in ([sys.argv[1]], ["add.mlir", "--no-cache", "--compare=interpreter"]):
    done = subprocess.run([sys.executable, "-m", "tensorwright", "run", *arguments, "--seed=1"], capture_output=True, text=True)
    assert done.returncode == 0, done
try:
    tw.compile(ADD.replace("add", "addd"))
except tw.CompileError as error:
    assert "did you mean 'tgraph.add'?" in error.message, error.message
print("tensorwright: compiled, ran, saved; no library of LLVM in the process")
