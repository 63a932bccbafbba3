"""Whether the kernels of the second file cost less under their schedules than those of the first one."""
import json
import subprocess
import sys


def cost(path):
    done = subprocess.run([sys.argv[3], path, "--host-print-prices", "-o", "/dev/null"], capture_output=True, text=True, check=True)
    return {row["kernel"]: row["cycles"] for row in map(json.loads, done.stdout.splitlines())}


before, after = cost(sys.argv[1]), cost(sys.argv[2])
assert after["two"] < 0.8 * before["two"], (before, after)
assert after["known"] == before["known"], (before, after)
