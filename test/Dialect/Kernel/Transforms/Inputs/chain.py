"""Prints a function that applies an op to its argument many times. Usage: chain.py OP COUNT"""
import sys

op, count = sys.argv[1], int(sys.argv[2])
print("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {")
for i in range(count):
    print(f"  %{i + 1} = tgraph.{op} %{i} : tensor<4xf32>")
print(f"  return %{count} : tensor<4xf32>\n}}")
