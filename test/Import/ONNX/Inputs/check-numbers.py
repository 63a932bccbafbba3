"""Runs the models that the .txt files of a folder describe (see make-onnx.py) and compares.

Usage: check-numbers.py FOLDER

The models have no inputs but initializers. A line `# expect y = 1 2` gives the elements of output y;
its `output` line the type and the shape. The host and the interpreter must give them; the first
difference of each model is printed.
"""
import importlib.util
import json
import os
import subprocess
import sys

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "make-onnx.py")
spec = importlib.util.spec_from_file_location("make_onnx", path)
make_onnx = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_onnx)


def make_case(source):
    """A case in ONNX's layout beside the description; its folder."""
    folder = source[:-len(".txt")]
    data = os.path.join(folder, "test_data_set_0")
    os.makedirs(data)
    make_onnx.main(source, os.path.join(folder, "model.onnx"))
    lines = [line.split() for line in open(source)]
    expected = {line[2]: " ".join(line[4:]) for line in lines if line[:2] == ["#", "expect"]}
    for i, (_, name, kind, *dims) in enumerate(line for line in lines if line[:1] == ["output"]):
        values = make_onnx.numbers(kind, expected[name])
        tensor = make_onnx.tensor(name, kind, make_onnx.dims_of("".join(dims)), values)
        with open(os.path.join(data, f"output_{i}.pb"), "wb") as out:
            out.write(tensor)
    return folder


def main(folder):
    sources = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt"))
    cases = [make_case(source) for source in sources]
    worker = subprocess.run(["tensor-onnx-cases"], input="".join(c + "\n" for c in cases), text=True,
                            stdout=subprocess.PIPE)
    answers = [json.loads(line) for line in worker.stdout.splitlines()]
    failures = len(cases) - len(answers)
    for case, answer in zip(cases, answers):
        if answer["result"] != "pass":
            failures += 1
            print(f"{os.path.basename(case)}: {answer['result']}: {answer['message']}")
    print(f"{len(cases)} models, {failures} failures")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
