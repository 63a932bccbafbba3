"""Runs the models that the .txt files of a folder describe (see make-onnx.py) and compares.

Usage: check-numbers.py FOLDER

The models have no inputs but initializers. A line `# expect y = 1 2` gives the elements of output y;
its `output` line the type and the shape. The host and the interpreter must give them. A line
`# refused T0108: text` says that the model is refused with this code and a message that holds the text.
What differs first of each model is printed.
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
        if name not in expected:
            continue
        values = make_onnx.numbers(kind, expected[name])
        tensor = make_onnx.tensor(name, kind, make_onnx.dims_of("".join(dims)), values)
        with open(os.path.join(data, f"output_{i}.pb"), "wb") as out:
            out.write(tensor)
    return folder


def failure(source, answer):
    """Why this answer is not what the description asks for; empty if it is."""
    found = f"{answer['result']}: {answer.get('code', '')}: {answer.get('message', '')}"
    refusals = [line.split("refused ", 1)[1].strip() for line in open(source) if line.startswith("# refused ")]
    if not refusals:
        return "" if answer["result"] == "pass" else found
    code, _, text = refusals[0].partition(": ")
    return "" if answer.get("code") == code and text in answer.get("message", "") else f"expected {refusals[0]}, found {found}"


def main(folder):
    sources = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt"))
    cases = [make_case(source) for source in sources]
    worker = subprocess.run(["tensor-onnx-cases"], input="".join(c + "\n" for c in cases), text=True,
                            stdout=subprocess.PIPE)
    answers = [json.loads(line) for line in worker.stdout.splitlines()]
    failures = len(cases) - len(answers)
    for source, answer in zip(sources, answers):
        why = failure(source, answer)
        if why:
            failures += 1
            print(f"{os.path.basename(source)}: {why}")
    print(f"{len(cases)} models, {failures} failures")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
