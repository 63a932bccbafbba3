"""Runs `tensor-run --cases=FILE` and kills the process of the first case, which would run for ever."""
import signal
import subprocess
import sys
import time

tool = subprocess.Popen(["tensor-run", "--cases=" + sys.argv[1], "--quiet"])
children = []
while not children and tool.poll() is None:
    time.sleep(0.05)
    children = open(f"/proc/{tool.pid}/task/{tool.pid}/children").read().split()
for child in children:
    subprocess.run(["kill", f"-{signal.SIGKILL.value}", child])
sys.exit(tool.wait())
