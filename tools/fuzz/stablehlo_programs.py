"""Mutants of StableHLO programs as JAX prints them, in both forms.

Half of them change one thing throughout (an extent, an element type, an op), which stays well formed often.
"""
import glob
import re

import mlir_programs

UNARY = "abs negate sign exponential log sqrt rsqrt tanh logistic floor sine cosine not cbrt popcnt".split()
BINARY = "add subtract multiply divide remainder power minimum maximum and or xor shift_left atan2".split()


def seeds(root):
    return [open(path).read() for path in sorted(glob.glob(f"{root}/test/Import/StableHLO/Inputs/*.mlir"))]


def throughout(random, text):
    for ops in random.sample([UNARY, BINARY], 2) if random.random() < 0.3 else []:
        present = [op for op in ops if f"stablehlo.{op} " in text]
        if present:
            return text.replace(f"stablehlo.{random.choice(present)} ", f"stablehlo.{random.choice(ops)} ")
    return mlir_programs.throughout(random, text)


def mutant(random, programs):
    text = random.choice(programs)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        text = (throughout if random.random() < 0.5 else mlir_programs.locally)(random, text)
    return text
