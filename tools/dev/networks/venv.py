"""Finds the root of the tree and continues a script in the pinned venv, making it when needed."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def enter():
    """Replaces this process by the same script under .venv; returns when it already runs there."""
    prefix = os.path.join(ROOT, ".venv")
    if os.path.realpath(sys.prefix) == os.path.realpath(prefix):
        return
    subprocess.run([os.path.join(ROOT, "tools", "dev", "setup"), "--venv"], check=True,
                   stdout=sys.stderr)
    python = os.path.join(prefix, "bin", "python")
    os.execv(python, [python] + sys.argv)
