"""Runs the models that the .txt files of a folder describe (see make-onnx.py) with inputs, and compares.

Usage: check-cases.py FOLDER [OPTION FOR tensor-run]...

    # compile --dim=S=1..40
    # case x [2, 3] = 1 0 2 0 0 3 ; c [] = 1 -> y [2] = 1 2 ; n [] = 2
    # fails c [] = 9 -> text of the error

One module serves all cases of a model. Integers are to be equal, floats within 1e-5. What differs first of
each case is printed.
"""
import importlib.util
import os
import re
import subprocess
import sys

import numpy as np

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make-onnx.py")
spec = importlib.util.spec_from_file_location("make_onnx", path)
make_onnx = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_onnx)

KINDS = {"f32": "f4", "f64": "f8", "f16": "f2", "i32": "i4", "i64": "i8", "u8": "u1", "bool": "?"}


def tensors(text, kinds):
    """By name, the tensors of `x [2] = 1 2 ; y [] = 3`."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, dims, values = re.fullmatch(r"(\S+) \[([^\]]*)\] =(.*)", part).groups()
        shape = [int(dim) for dim in dims.split(",") if dim.strip()]
        found[name] = np.array([float(value) for value in values.split()]).astype(KINDS[kinds[name]]).reshape(shape)
    return found


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def check_case(folder, number, line, kinds, module, options):
    """Nothing, or what is wrong."""
    given, expected = (tensors(part, kinds) for part in line.split("->"))
    command = ["tensor-run", module, *options]
    for name, value in given.items():
        np.save(f"{folder}/{number}-{name}.npy", value)
        command.append(f"--input={name}={folder}/{number}-{name}.npy")
    command += [f"--output={name}={folder}/{number}-{name}-found.npy" for name in expected]
    done = run(*command)
    if done.returncode != 0:
        return done.stderr
    for name, value in expected.items():
        found = np.load(f"{folder}/{number}-{name}-found.npy")
        if found.shape != value.shape:
            return f"{name} has the shape {list(found.shape)}, expected {list(value.shape)}"
        if not np.allclose(found.astype("f8"), value.astype("f8"), rtol=1e-5, atol=1e-5 * (value.dtype.kind == "f"), equal_nan=True):
            return f"{name} is {found.tolist()}, expected {value.tolist()}"
    return None


def check_failure(folder, number, line, kinds, module, options):
    given, text = line.split("->")
    command = ["tensor-run", module, *options]
    for name, value in tensors(given, kinds).items():
        np.save(f"{folder}/fails-{number}-{name}.npy", value)
        command.append(f"--input={name}={folder}/fails-{number}-{name}.npy")
    done = run(*command)
    return None if done.returncode == 1 and text.strip() in done.stderr else f"expected '{text.strip()}', found {done.stderr or 'no error'}"


def check(source, options):
    folder = source[:-len(".txt")]
    os.makedirs(folder, exist_ok=True)
    make_onnx.main(source, os.path.join(folder, "model.onnx"))
    text = open(source).read()
    kinds = dict(re.findall(r"^(?:input|output) (\S+) (\S+)", text, re.M))
    compile_options = " ".join(re.findall(r"^# compile (.*)", text, re.M)).split()
    module = os.path.join(folder, "model.twm")
    target = [option for option in options if option.startswith("--target=")]
    options = [option for option in options if not option.startswith("--target=")]
    done = run("tensor-compile", os.path.join(folder, "model.onnx"), *compile_options, *target, "-o", module)
    if done.returncode != 0:
        return [f"{source}: {done.stderr}"]
    cases = re.findall(r"^# case (.*)", text, re.M)
    wrong = [check_case(folder, i, line, kinds, module, options) for i, line in enumerate(cases)]
    failing = re.findall(r"^# fails (.*)", text, re.M)
    wrong += [check_failure(folder, i, line, kinds, module, options) for i, line in enumerate(failing)]
    return [f"{source}: case {i}: {what}" for i, what in enumerate(wrong) if what] if cases else [f"{source}: no case"]


def main(folder, *options):
    sources = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt"))
    wrong = [what for source in sources for what in check(source, list(options))]
    for what in wrong:
        print(what)
    return bool(wrong or not sources)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
