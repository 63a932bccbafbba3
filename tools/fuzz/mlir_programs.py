"""Mutants of the MLIR programs of the tests and the documents.

A mutant changes tokens or lines, or, half of the time, one thing throughout: every occurrence of an extent, an
element type or an op becomes another, so that the program often stays well formed and goes deep.
"""
import glob
import os
import re
import shlex

EXTENTS = ["0", "1", "2", "3", "7", "16", "17", "64", "100", "255", "4096", "65537", "2147483647", "4294967296",
           "9223372036854775807", "-1", "-9223372036854775808", "?"]
ELEMENTS = ["f32", "f64", "bf16", "f16", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "index", "f8E4M3FN", "i4"]
UNARY = "neg abs sign exp log sqrt rsqrt tanh erf floor ceil round sin cos sigmoid relu not is_nan cast".split()
BINARY = "add sub mul div rem mod pow minimum maximum and or xor shl shr".split()
PIPELINES = [
    [], ["--graph-decompose"], ["--graph-decompose", "--graph-to-view"],
    ["--graph-decompose", "--graph-to-view", "--view-to-kernel"],
    ["--graph-decompose", "--graph-to-view", "--view-to-kernel", "--kernel-fuse"], ["--canonicalize"], ["--cse"],
]
TARGETS = ["host", "host:x86-64-v3", "opencl", "vulkan", "cuda:sm_90a", "amd:gfx942"]


def seeds(root):
    """(text, passes) of every program, with the passes that its tests run."""
    found = []
    for path in sorted(glob.glob(f"{root}/test/**/*.mlir", recursive=True) + glob.glob(f"{root}/examples/*.mlir") +
                       glob.glob(f"{root}/bench/kernels/*.mlir")):
        text = open(path).read()
        if len(text) > 60000 or path.endswith(".stablehlo.mlir"):
            continue
        passes = []
        for line in re.findall(r"// RUN:.*?tensor-opt ([^|>\n]*)", text):
            try:
                words = shlex.split(line)
            except ValueError:  # the line goes on
                continue
            passes.append([word for word in words
                           if word.startswith("--") and "%" not in word and "dump" not in word])
        for part in re.split(r"^// -----$", text, flags=re.M):
            body = "\n".join(line for line in part.split("\n") if not line.lstrip().startswith("//")).strip()
            if body:
                found.append((body + "\n", passes))
    return found


def throughout(random, text):
    """One thing of the program changed wherever it stands."""
    kind = random.randrange(4)
    if kind == 0:
        extents = sorted(set(re.findall(r"(?<=[<x: ])\d+(?=[x,\)\] ])", text)))
        if extents:
            old, new = random.choice(extents), random.choice(EXTENTS)
            return re.sub(rf"(?<=[<x: \[]){old}(?=[x,\)\] >])", new, text)
    if kind == 1:
        elements = sorted(set(re.findall(r"\b(?:" + "|".join(ELEMENTS) + r")\b", text)))
        if elements:
            return re.sub(rf"(?<![%\w]){random.choice(elements)}\b", random.choice(ELEMENTS), text)
    for ops in (UNARY, BINARY) if kind == 2 else (BINARY, UNARY):
        present = [op for op in ops if f"tgraph.{op} " in text]
        if present:
            return text.replace(f"tgraph.{random.choice(present)} ", f"tgraph.{random.choice(ops)} ")
    return locally(random, text)


def locally(random, text):
    """One place changed."""
    kind = random.randrange(7)
    lines = text.split("\n")
    at = random.randrange(len(lines))
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, random.choice(lines))
    elif kind == 2:
        other = random.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        tokens = re.findall(r"\s+|[%@#!]?[\w.]+|\"[^\"]*\"|->|.", lines[at]) or [""]
        place = random.randrange(len(tokens))
        everything = re.findall(r"[%@#!]?[\w.]+|->|[^\s\w]", text) or [""]
        if kind == 3:
            tokens[place] = random.choice(everything)
        elif kind == 4:
            del tokens[place]
        elif kind == 5:
            numbers = [i for i, token in enumerate(tokens) if re.fullmatch(r"-?\d+", token)]
            if numbers:
                tokens[random.choice(numbers)] = random.choice(EXTENTS)
        else:
            tokens.insert(place, random.choice(everything))
        lines[at] = "".join(tokens)
    return "\n".join(lines)


def mutant(random, programs):
    """(text, command without the file)."""
    text, passes = random.choice(programs)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        text = (throughout if random.random() < 0.6 else locally)(random, text)
    if random.random() < 0.6:
        chosen = random.choice(passes) if passes and random.random() < 0.7 else random.choice(PIPELINES)
        return text, ["tensor-opt"] + [word for word in chosen if word != "--split-input-file"]
    return text, ["tensor-compile", "-o", os.devnull, f"--target={random.choice(TARGETS)}"]
