# Runs where the wheel tensorwright-runtime is installed and nothing else: what the other one saved.
import sys

import tensorwright as tw

model = tw.load(sys.argv[1])
x = tw.Buffer(8)
for i in range(8):
    memoryview(x)[i] = i
assert memoryview(model(x, y=x)).tolist() == [2 * i for i in range(8)]
try:
    tw.compile("func.func @main() { return }")
except tw.CompilerMissingError as error:
    assert error.code == "T0607"
    print("tensorwright-runtime: loaded, ran;", error.message)
else:
    sys.exit("it should not have a compiler")
