"""Processes that hold one library each: started, pinned and asked over a pipe; a broken one is given up."""
import json
import os
import select
import signal
import subprocess
import sys
import time

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Failed(Exception):
    """The process said no, ended, or took too long; the message says which."""


def python_of(module, folder):
    """That of the peer's virtual environment; raises Failed if it should have one and has not."""
    if not module.VENV:
        return sys.executable
    if not os.path.exists(os.path.join(folder, module.VENV, "done")):
        raise Failed("not installed")
    return os.path.join(folder, module.VENV, "bin", "python")


class Process:
    """One peer at a fixed number of threads. It is stopped but while it answers, so that threads of a library that
    wait by spinning hold no CPU while another library is timed."""

    def __init__(self, peer, module, folder, threads, cpus, target, log):
        self.peer, self.buffer = peer, b""
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads),
                       "OPENBLAS_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true",
                       # Freed memory is kept, so that results in new memory do not fault pages in each run.
                       "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184", "MALLOC_ARENA_MAX": "1",
                       **module.environment(threads, target, folder)}
        self.child = subprocess.Popen(
            [python_of(module, folder), os.path.join(BENCH, "harness", "worker.py"), peer, str(threads),
             ",".join(map(str, cpus[:threads])), folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=environment, cwd=log_folder(log))

    def ask(self, request, seconds):
        """The answer to a request; raises Failed, and ends the process if it does not answer in time."""
        self.child.send_signal(signal.SIGCONT)
        try:
            return self.answer(request, seconds)
        finally:
            self.child.send_signal(signal.SIGSTOP)

    def answer(self, request, seconds):
        try:
            self.child.stdin.write(json.dumps(request).encode() + b"\n")
            self.child.stdin.flush()
        except OSError:
            raise Failed(self.reason_of_end())
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0:
                self.stop()
                raise Failed(f"no answer within {seconds:g} s")
            if not select.select([self.child.stdout], [], [], left)[0]:
                continue
            data = os.read(self.child.stdout.fileno(), 1 << 16)
            if not data:
                raise Failed(self.reason_of_end())
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def reason_of_end(self):
        status = self.child.wait()
        return f"ended by signal {-status}" if status < 0 else f"ended with status {status}"

    def alive(self):
        return self.child.poll() is None

    def stop(self):
        self.child.kill()
        self.child.wait()


def log_folder(log):
    return os.path.dirname(log.name)
