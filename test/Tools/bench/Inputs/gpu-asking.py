"""Asks processes that misbehave, and prints a table of results made up."""
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import asking
import table

# Answers case after case as its number says.
PROGRAM = """
import json, sys, time
for number in open(sys.argv[1]).read().split():
    if number == "1":
        print("out of reasons", file=sys.stderr)
        sys.exit(3)
    if number == "3":
        time.sleep(600)
    print("nonsense" if number == "2" else json.dumps({"said": "fine " + number}), flush=True)
"""

with tempfile.TemporaryDirectory() as folder:
    path, begun = os.path.join(folder, "cases"), []

    def make_lines(first):
        begun.append(str(first))
        with open(path, "w") as file:
            file.write(" ".join(str(number) for number in range(first, 5)))

    command = [sys.executable, "-c", PROGRAM, path]
    # The one that hangs is not waited for as long as one that starts on a busy machine.
    for number, answer in asking.run_all(command, make_lines, 5, lambda: 2 if begun[-1:] == ["3"] else 60):
        print(number, answer.get("message", answer))
    print("begun at", *begun)
    print("nothing is begun:", list(asking.run_all(command, make_lines, 5, lambda: 0)))

results = {"device": "cuda:0", "limits": [{"name": "copy", "gbps": 2000.0}, {"name": "peak_bf16", "message": "no such instruction"}]}
limits = table.limits_of(results)
rows = [{"name": "right", "element": "bf16", "bytes": 1500000000, "ns": 1e6, "beforeNs": 2e6, "forecast": {"cycles": 1e6}, "error": 1e-3, "passed": True,
         "peers": {"torch": 8e5, "slow": 9e5, "none": "not there"}},
        {"name": "wrong", "element": "bf16", "flops": 2000000000, "ns": 1e4, "error": 0.5, "passed": False},
        {"name": "failed", "element": "bf16", "message": "T0609: it | does not fit\nat all", "passed": False}]
results["speed"] = [table.judge(row, limits, 2e9) for row in rows]
print(table.text(results))
