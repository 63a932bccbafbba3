"""Reads what json-errors.test had the tools write below the folder given."""
import json
import os
import sys


def read(name):
    with open(os.path.join(sys.argv[1], name + ".json")) as file:
        return json.load(file)


for name, tool in (("run", "tensor-run"), ("compile", "tensor-compile")):
    document = read(name)
    assert (document["tool"], document["exitStatus"]) == (tool, 1), document
    [told] = document["diagnostics"]
    assert told["severity"] == "error" and "did you mean 'tgraph.softmax'?" in told["message"], told
    assert os.path.basename(told["location"]["file"]) == "dialect.mlir", told
    assert (told["location"]["line"], told["location"]["column"]) == (2, 8), told
    assert "Available dialects" in told["notes"][0]["message"], told
for name in ("missing", "missing-2"):
    [told] = read(name)["diagnostics"]
    assert told["code"] == "T0603" and "No such file" in told["message"], told
for name, count in (("use", 2), ("use-2", 1)):
    document = read(name)
    assert document["exitStatus"] == 2 and len(document["diagnostics"]) == count, document
    assert all(told["code"] == "T0602" for told in document["diagnostics"]), document
assert read("good")["diagnostics"] == []
