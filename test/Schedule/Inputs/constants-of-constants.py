"""A program of 31 levels of products of constants, and a product by what they come to."""
import array
import random
import sys

folder = sys.argv[1]
random.seed(1)
with open(f"{folder}/weights", "wb") as weights:
    array.array("f", [(random.random() - 0.5) / 4 for _ in range(2 * 256 * 256)]).tofile(weights)
T = "tensor<256x256xf32>"
lines = [f'%a0 = tgraph.constant #tgraph.file<"weights", 0, 262144> : {T}',
         f'%b0 = tgraph.constant #tgraph.file<"weights", 262144, 262144> : {T}']
for level in range(31):
    for one, other in ("ab", "ba"):
        lines.append(f'%{one}{level + 1} = tgraph.contract "ij,jk->ik" %{one}{level}, %{other}{level} : {T}, {T} -> {T}')
lines.append(f'%y = tgraph.contract "ij,jk->ik" %x, %a31 : {T}, {T} -> {T}')
with open(f"{folder}/levels.mlir", "w", encoding="utf-8") as program:
    program.write(f"func.func @main(%x: {T}) -> {T} {{\n  " + "\n  ".join(lines) + f"\n  return %y : {T}\n}}\n")
