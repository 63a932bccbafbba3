#!/usr/bin/env python3
"""A worker of onnx-suite that answers by the name of the case."""
import json
import os
import sys
import time

for line in iter(sys.stdin.readline, ""):
    name = os.path.basename(line.strip())
    if name == "dies":
        print("about to die", file=sys.stderr, flush=True)
        os.abort()
    if name == "stalls":
        time.sleep(30)
    if name == "refused":
        answer = {"result": "diagnostic", "code": "T0107", "node": "n0", "op": "Foo",
                  "need": "an importer for Foo", "message": "no importer for op Foo [T0107]"}
    elif name == "wrong":
        answer = {"result": "mismatch", "message": "output_0 differs by 2"}
    else:
        answer = {"result": "pass"}
    print(json.dumps(answer), flush=True)
