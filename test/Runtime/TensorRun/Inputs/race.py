"""race.py MODEL CACHE: eight runs at once on an empty cache agree, and leave whole entries only."""
import json
import os
import subprocess
import sys

model, cache = sys.argv[1:]
command = ["tensor-run", model, "--json", "--threads=1"]
runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]
outputs = [json.loads(run.communicate()[0])["outputs"] for run in runs]
assert all(run.returncode == 0 for run in runs)
assert all(output == outputs[0] for output in outputs), outputs
names = os.listdir(cache)
assert len(names) == 1 and names[0].endswith(".twc"), names
assert json.loads(subprocess.check_output(command))["fromCache"]
