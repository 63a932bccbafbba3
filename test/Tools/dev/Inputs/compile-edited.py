"""compile-edited.py SOURCE BUILD TREE FOLDER...: compiles what new-op, new-pass and the others say that they
edited, on standard input, in TREE, a copy of SOURCE whose build folder is BUILD: classes of each edited .td are
generated anew, and each .cpp below one of the FOLDERs is checked by the compiler as the build calls it, alone or as
one of several (TW_UNITY)."""
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

source, build, tree, *folders = sys.argv[1:]
edited = [line for line in sys.stdin.read().split("\n") if line and not line.startswith("look at ")]
llvm = "/usr/lib/llvm-22"


def run(command):
    done = subprocess.run(command, cwd=build, capture_output=True, text=True)
    return done.returncode == 0 or print(" ".join(command), done.stderr, sep="\n")


def generate(path):
    if os.path.basename(path) == "Passes.td":
        lists = open(os.path.join(tree, os.path.dirname(path), "CMakeLists.txt")).read()
        modes = {"Passes.h.inc": ["-gen-pass-decls", "-name", re.search(r"tw_add_passes\((\w+)\)", lists).group(1)]}
    else:
        dialect, name = path.split("/")[3], os.path.basename(path)[:-len(".td")]
        kind, option = ("attrdef", "attrdefs-dialect") if name.endswith("Attrs") else ("op", "dialect")
        modes = {f"{name}.{ending}.inc": [f"-gen-{kind}-{mode}", f"-{option}=t{dialect.lower()}"]
                 for mode, ending in (("decls", "h"), ("defs", "cpp"))}
    folder = os.path.join(tree, "gen", os.path.relpath(os.path.dirname(path), "include"))
    os.makedirs(folder, exist_ok=True)
    return all([run([f"{llvm}/bin/mlir-tblgen", *mode, f"-I{tree}/include", f"-I{llvm}/include",
                     os.path.join(tree, path), "-o", os.path.join(folder, name)]) for name, mode in modes.items()])


def compiled(path):
    """The sources that the build compiles as `path`: what a generated file of several includes, else itself."""
    several = os.path.basename(path).startswith("unity_") and re.findall(r'^#include "(.+)"$', open(path).read(), re.M)
    return [os.path.relpath(one, source) for one in several or [path]]


with open(os.path.join(build, "compile_commands.json")) as file:
    commands = {path: shlex.split(c["command"]) for c in json.load(file) for path in compiled(c["file"])}


def check(path):
    """A new file is compiled as a neighbour is: of the files of the most folders in common, the first one."""
    command = commands.get(path) or commands[max(sorted(commands), key=lambda other: len(
        os.path.commonpath([os.path.dirname(path), os.path.dirname(other)]).split("/")))]
    start = next(i for i, word in enumerate(command) if re.search(r"\b(clang|g)\+\+", word))
    flags = [f"-I{tree}/gen", f"-I{tree}/include", f"-I{tree}/lib/Runtime"] + command[start + 1:command.index("-o")]
    for written in ("-MD", "-MT", "-MF"):
        if written in flags:
            at = flags.index(written)
            del flags[at:at + (1 if written == "-MD" else 2)]
    return run([command[start], *flags, "-fsyntax-only", os.path.join(tree, path)])


ok = all([generate(path) for path in edited if path.endswith(".td")])
sources = [path for path in edited if path.endswith(".cpp") and any(path.startswith(f) for f in folders)]
with ThreadPoolExecutor(2) as pool:
    ok &= all(list(pool.map(check, sources)))
print(f"compiled {len(sources)} files")
sys.exit(not ok)
