"""judge-long-work FOLDER COMMAND..: what the fuzzers say of a command that gets one second."""
import sys

sys.path.insert(0, sys.argv[1])
import findings  # noqa: E402

command = sys.argv[2:]
status, _ = findings.run(command, seconds=1)
long = findings.computes_long(command, status, seconds=1)
print(f"status {status}" if status is not None else "took too long" + (", computes long" if long else ""))
