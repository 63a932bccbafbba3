"""The other process of part `speed`, asked for one row at a time; where it dies or does not answer, a new one takes over."""
import json
import os
import select
import subprocess
import sys
import time

# What opening the device and importing torch may take.
START = 120


class Worker:
    def __init__(self, pack, device, options=()):
        here = os.path.dirname(os.path.abspath(__file__))
        self.command = [sys.executable, os.path.join(here, "speed.py"), pack, device, *options]
        self.process, self.text, self.description = None, b"", {}

    def start(self):
        """Why it cannot be asked, or nothing."""
        self.text = b""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.said = b""
        answer = self.read(START)
        if "message" in answer:
            self.stop()
            return answer["message"]
        self.description = answer
        return ""

    def ask(self, request, timeout):
        """The answer, or {"message": why there is none}."""
        if not self.process:
            message = self.start()
            if message:
                return {"message": message}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            self.stop()
            return {"message": f"the process is gone: {error}"}
        answer = self.read(timeout)
        if "message" in answer:
            # Whatever failed may have left the device's context unusable.
            self.stop()
        return answer

    def read(self, timeout):
        end = time.time() + timeout
        while b"\n" not in self.text:
            out, errors = self.process.stdout.fileno(), self.process.stderr.fileno()
            ready = select.select([out, errors], [], [], max(0, end - time.time()))[0]
            if errors in ready:
                self.said = (self.said + (os.read(errors, 65536) or b""))[-4000:]
            part = os.read(out, 65536) if out in ready else None
            if part == b"":
                return {"message": f"the process ended: {self.last_words()}"}
            if not ready:
                return {"message": f"no answer within {timeout:.0f} s"}
            self.text += part or b""
        line, self.text = self.text.split(b"\n", 1)
        return json.loads(line)

    def last_words(self):
        status = self.process.wait()
        try:
            self.said += self.process.stderr.read() or b""
        except OSError:
            pass
        lines = self.said.decode(errors="replace").strip().splitlines()
        return f"status {status}, {lines[-1] if lines else 'nothing said'}"

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                try:
                    pipe.close()
                except OSError:
                    pass
            self.process = None
