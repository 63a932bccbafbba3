"""Writes attention whose masks are constants: python constant-masks.py DIR."""
import os
import sys

QUERIES, KEYS = 96, 200
SCORES = f"tensor<8x{QUERIES}x{KEYS}xf32>"


def program(mask, apply):
    """`mask` is a line for %c; `apply` makes %m of the scores %s."""
    return f"""func.func @main(%q: tensor<8x{QUERIES}x32xf32>, %k: tensor<8x{KEYS}x32xf32>, %v: tensor<8x{KEYS}x32xf32>) -> tensor<8x{QUERIES}x32xf32> {{
  %s = tgraph.contract "hid,hjd->hij" %q, %k : tensor<8x{QUERIES}x32xf32>, tensor<8x{KEYS}x32xf32> -> {SCORES}
  {mask}
  %never = tgraph.constant dense<0xFF800000> : {SCORES}
  {apply}
  %p = tgraph.softmax %m dim 2 : {SCORES}
  %y = tgraph.contract "hij,hjd->hid" %p, %v : {SCORES}, tensor<8x{KEYS}x32xf32> -> tensor<8x{QUERIES}x32xf32>
  return %y : tensor<8x{QUERIES}x32xf32>
}}
"""


def constant(sees, values, element):
    """A constant of 1 x queries x keys, repeated for all heads."""
    rows = ", ".join("[" + ", ".join(values[sees(i, j)] for j in range(KEYS)) + "]" for i in range(QUERIES))
    own, all_heads = f"tensor<1x{QUERIES}x{KEYS}x{element}>", f"tensor<8x{QUERIES}x{KEYS}x{element}>"
    return f"%own = tgraph.constant dense<[[{rows}]]> : {own}\n  %c = tgraph.expand %own : {own} -> {all_heads}"


def main():
    last = KEYS - QUERIES
    select = f"%m = tgraph.select %c, %s, %never : {SCORES}"
    bools, numbers = ("false", "true"), ("0xFF800000", "0.0")
    programs = {
        "chosen": program(constant(lambda i, j: j <= i + last, bools, "i1"), select),
        "added": program(constant(lambda i, j: j <= i + last, numbers, "f32"), f"%m = tgraph.add %s, %c : {SCORES}"),
        "window": program(constant(lambda i, j: i <= j <= i + last, bools, "i1"), select),
        "holes": program(constant(lambda i, j: j <= i + last and (j != 7 or i != 5), bools, "i1"), select),
    }
    for name, text in programs.items():
        with open(os.path.join(sys.argv[1], name + ".mlir"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
