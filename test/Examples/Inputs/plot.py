"""Runs an example with --plot=FILE: as if matplotlib were missing, and where it is there with it."""
import os
import runpy
import sys

example, picture = sys.argv[1:]
sys.path.insert(0, os.path.dirname(example))
sys.argv = [example, "2", f"--plot={picture}"]
try:
    import matplotlib
except ImportError:
    matplotlib = None
kept = {name: module for name, module in sys.modules.items() if name.startswith("matplotlib")}
sys.modules["matplotlib"] = None
try:
    runpy.run_path(example, run_name="__main__")
except SystemExit as end:
    print(end, flush=True)
else:
    raise AssertionError("expected an error without matplotlib")
assert not os.path.exists(picture)
if matplotlib:
    sys.modules.update(kept)
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    runpy.run_path(example, run_name="__main__")
    sys.stdout = out
    with open(picture, "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
print("plot: ok")
