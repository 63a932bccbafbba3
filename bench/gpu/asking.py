"""Other processes that answer with one JSON object a line; where one dies or does not answer, a new one takes over."""
import json
import os
import select
import subprocess
import sys
import time

# What opening the device and importing torch may take.
START = 120


class Process:
    """What runs, and what it has said."""

    def __init__(self, command):
        self.text, self.said = b"", b""
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def send(self, request):
        """Why it cannot be asked, or nothing."""
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            return ""
        except OSError as error:
            return f"the process is gone: {error}"

    def read(self, timeout):
        """Its next line, or {"message": why there is none, "over": True}."""
        end = time.time() + timeout
        out, errors = self.process.stdout.fileno(), self.process.stderr.fileno()
        watched = [out, errors]
        while b"\n" not in self.text:
            ready = select.select(watched, [], [], max(0, end - time.time()))[0]
            if not ready:
                return {"message": f"no answer within {timeout:.0f} s", "over": True}
            part = os.read(ready[0], 65536)
            if ready[0] == errors:
                self.said = (self.said + part)[-4000:]
                watched = watched if part else [out]
            elif part:
                self.text += part
            else:
                return {"message": f"the process ended: {self.last_words()}", "over": True}
        line, self.text = self.text.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError:
            return {"message": f"no JSON: {line[:200]!r}", "over": True}

    def last_words(self):
        status = self.process.wait()
        self.said += self.process.stderr.read() or b""
        lines = self.said.decode(errors="replace").strip().splitlines()
        return f"status {status}, {lines[-1] if lines else 'nothing said'}"

    def stop(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass


class Worker:
    """The process of part `speed`, asked for one row at a time."""

    def __init__(self, pack, device, options=()):
        here = os.path.dirname(os.path.abspath(__file__))
        self.command = [sys.executable, os.path.join(here, "speed.py"), pack, device, *options]
        self.process, self.description = None, {}

    def start(self):
        """Why it cannot be asked, or nothing."""
        self.process = Process(self.command)
        answer = self.process.read(START)
        if "message" in answer:
            self.stop()
            return answer["message"]
        self.description = answer
        return ""

    def ask(self, request, timeout):
        """The answer, or {"message": why there is none}."""
        message = "" if self.process else self.start()
        message = message or self.process.send(request)
        answer = {"message": message} if message else self.process.read(timeout)
        if "message" in answer or answer.pop("restart", False):
            # Whatever failed may have left the device's context unusable.
            self.stop()
        return answer

    def stop(self):
        if self.process:
            self.process.stop()
            self.process = None


def run_all(command, make_lines, count, timeout):
    """(number, answer) for each of `count` cases of a program that answers them in order, of which `make_lines(first)` writes those from
    `first` on. `timeout()` is the time left for one; at 0 the rest is left alone."""
    done, process = 0, None
    while done < count and timeout():
        if not process:
            make_lines(done)
            process = Process(command)
            process.process.stdin.close()
        answer = process.read(timeout())
        yield done, answer
        done += 1
        if answer.get("over"):
            process.stop()
            process = None
    if process:
        process.stop()
