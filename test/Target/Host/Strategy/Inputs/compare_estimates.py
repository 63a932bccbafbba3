"""Compares what strategies estimate of the schedules they choose with what counting loops says of them."""
import json
import re
import subprocess
import sys

FACTOR = 1.35


def main():
    wrong = compared = 0
    for path in sys.argv[1:]:
        command = ["tensor-compile", path, "--target=host:znver4", "--explain", "--report=json"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        report = json.loads(text[re.search("^{", text, re.M).start():])
        for kernel in report["targets"][0]["kernels"]:
            chosen = [candidate for candidate in kernel["candidates"] if candidate["chosen"]]
            # Parts and their sum are estimated as one.
            if not chosen or "rfactor" in chosen[0]["schedule"]:
                continue
            ratio = kernel["counted"]["cycles"] / chosen[0]["cycles"]
            compared += 1
            wrong += not 1 / FACTOR < ratio < FACTOR
            print(f"{kernel['name']}: counted {kernel['counted']['cycles']:.3g}, {chosen[0]['strategy']} {chosen[0]['cycles']:.3g}, {ratio:.2f}")
    print(f"{wrong} of {compared} further apart than {FACTOR}")
    return 1 if wrong or not compared else 0


sys.exit(main())
