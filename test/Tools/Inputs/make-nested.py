"""Writes texts that nest deeper than any reader's stack, and some that are as deep as they may be."""
DEEP, MOST = 100_000, 500


def write(name, text):
    with open(name, "w") as file:
        file.write(text + "\n")


def nest(opening, inner, closing, levels):
    return opening * levels + inner + closing * levels


def attribute(value):
    return f"module attributes {{tw.a = {value}}} {{}}"


write("module.mlir", nest("module {\n", "", "}\n", DEEP))
write("tuple.mlir", attribute(nest("tuple<", "f32", ">", DEEP)))
write("attribute.mlir", attribute(nest("[", "", "]", DEEP)))
write("affine.mlir", attribute("affine_map<(d0) -> (" + nest("(", "d0", ")", DEEP) + ")>"))
write("sum.mlir", attribute("affine_map<(d0, d1) -> (d0" + " + d1 * 2 + d0" * DEEP + ")>"))
write("minus.mlir", attribute("affine_map<(d0) -> (" + "- " * DEEP + "d0)>"))
write("location.mlir", "module {} loc(" + nest("callsite(", "unknown", " at unknown)", DEEP) + ")")
write("alias.mlir", "".join(f"#a{i + 1} = [#a{i}]\n" if i else "#a1 = [1]\n" for i in range(DEEP)) + attribute(f"#a{DEEP}"))
write("schedule", "#tkernel.schedule<" + nest("[", "", "]", DEEP) + ">")
write("cpu.json", nest("[", "", "]", DEEP))

write("deepest.mlir", nest("module {\n", attribute(nest("[", "", "]", MOST // 2 - 4)), "}\n", MOST // 2))
loops = "".join(f"scf.for %i{level} = %zero to %n step %one {{\n" for level in range(MOST - 4))
write("loops.mlir", "func.func @main(%x: memref<4xf32>, %n: index, %v: f32) {\n%zero = arith.constant 0 : index\n"
      "%one = arith.constant 1 : index\n" + loops + "memref.store %v, %x[%n] : memref<4xf32>\n" + "}\n" * (MOST - 4) +
      "return\n}")
