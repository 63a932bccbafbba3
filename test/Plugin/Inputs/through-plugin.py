"""Runs lit tests of tensor-opt with the stock mlir-opt and the plugin instead.

Usage: through-plugin.py --bin=FOLDER --plugin=FILE --mlir-opt=FILE PATH..

PATHs are tests, or folders of them. Their RUN lines are run as they stand, but that tensor-opt is a script which
takes the pipeline that the passes on its command line make (--dump-pass-pipeline) to mlir-opt. Prints how many ran.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

# Options of mlir-opt that are no passes, which both tools have.
GENERAL = ("--split-input-file", "--verify-diagnostics", "--mlir-print-", "--allow-unregistered-dialect",
           "--verify-each", "--mlir-disable-threading", "--pass-pipeline", "-o", "--mlir-very-unsafe")


def stand_in(real, plugin, mlir_opt, arguments):
    """What `tensor-opt ARGUMENTS` becomes."""
    own = [a for a in arguments if not a.startswith("-") or a == "-" or a.startswith(GENERAL)]
    passes = [a for a in arguments if a not in own]
    command = [mlir_opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]
    if passes:
        dumped = subprocess.run([real, "--dump-pass-pipeline", *passes], input="", capture_output=True, text=True)
        # On the empty program some passes fail, after the pipeline is printed over several lines.
        found = re.search(r"^builtin\.module\(\n(.*?)^\)$", dumped.stderr, re.M | re.S)
        if not found:
            sys.exit(f"through-plugin: {' '.join(passes)}\n{dumped.stderr}")
        command.append("--pass-pipeline=builtin.module(" + "".join(line.strip() for line in found.group(1).splitlines()) + ")")
    os.execvp(mlir_opt, command + own)


def run_test(path, folder):
    text = open(path).read()
    lines = re.findall(r"^(?://|#)?\s*RUN:\s*(.*)$", text, re.M)
    joined = re.sub(r"\\\n", "", "\n".join(lines)).split("\n")
    scratch = os.path.join(folder, re.sub(r"\W", "_", path))
    for line in joined:
        command = line.replace("%s", path).replace("%S", os.path.dirname(path)).replace("%t", scratch).replace("%python", sys.executable)
        environment = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"])
        done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], capture_output=True, text=True,
                              env=environment)
        if done.returncode:
            return f"{path}: {command}\n{done.stdout}{done.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--mlir-opt", required=True)
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    tests = []
    for path in arguments.paths:
        tests += sorted(glob.glob(os.path.join(path, "*.mlir"))) if os.path.isdir(path) else [path]
    tests = [test for test in tests if "RUN: tensor-opt" in open(test).read() and "not tensor-opt" not in open(test).read()]
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "tensor-opt")
        with open(script, "w") as file:
            real = os.path.join(arguments.bin, "tensor-opt")
            file.write(f"#!/bin/sh\nexec {sys.executable} {os.path.abspath(__file__)} --as-tensor-opt {real} "
                       f"{arguments.plugin} {arguments.mlir_opt} \"$@\"\n")
        os.chmod(script, 0o755)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            failures = [failure for failure in pool.map(lambda test: run_test(test, folder), tests) if failure]
    for failure in failures:
        print(failure)
    print(f"{len(tests) - len(failures)} of {len(tests)} tests agree")
    return 1 if failures or not tests else 0


if len(sys.argv) > 1 and sys.argv[1] == "--as-tensor-opt":
    stand_in(*sys.argv[2:5], sys.argv[5:])
sys.exit(main())
