"""Runs a command and fails if it ever had more than so many MiB of memory."""
import resource
import subprocess
import sys

limit, *command = sys.argv[1:]
subprocess.run(command, check=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if most > int(limit):
    sys.exit(f"{command[0]} took {most:.0f} MiB, expected at most {limit}")
