"""Runs a program on an input that may be anything, and says whether what came of it is a finding."""
import os
import re
import resource
import signal
import subprocess

# What a tool may not say to a user whose input is wrong.
INTERNAL = (r"Assertion|LLVM ERROR|PLEASE submit|Stack dump|AddressSanitizer|runtime error:|terminate called|"
            r"Segmentation fault")
# Upstream's note at a failed verifier shows the op in generic form: of use to who wrote MLIR, to nobody else.
GENERIC = r"see current operation"
# Bytes of addresses that a program may take.
MEMORY = 8 << 30


def limited(memory, seconds):
    def apply():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, 2 * seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def run(command, seconds=30, environment=None):
    """(status, output); status is the exit status, -N for signal N, or None for a run that took too long.

    The seconds are those of a CPU, since others may keep the machine busy; one that waits gets ten times as many.
    """
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               preexec_fn=limited(MEMORY, seconds), env=environment)
    try:
        output, _ = process.communicate(timeout=10 * seconds)
        if process.returncode == -signal.SIGXCPU:
            return None, ""
        return process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""


def judge(status, output, wrote_mlir):
    """None for an outcome that is allowed, else one line that says what is wrong with it."""
    if status is None:
        return "takes too long"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    if status >= 128:
        return f"ended with status {status}"
    found = re.search(INTERNAL if wrote_mlir else f"{INTERNAL}|{GENERIC}", output)
    if found:
        line = output[output.rfind("\n", 0, found.start()) + 1:].split("\n")[0]
        return f"says '{line.strip()[:150]}'"
    if status and "error" not in output:
        return f"status {status} without an error"
    return None


def computes_long(command, status, seconds=30):
    """Whether a run took too long because the interpreter was asked for a long computation: without it there is time."""
    without = [word for word in command if not word.startswith("--interpret")]
    return status is None and without != command and run(without, seconds)[0] is not None
