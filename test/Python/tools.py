# RUN: %venv_python %s
# python -m tensorwright: the tools.
import subprocess
import sys
import unittest


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "tensorwright", *arguments], capture_output=True, text=True)


class Tools(unittest.TestCase):
    def test_tools(self):
        for tool in ("run", "compile", "opt", "translate"):
            done = run(tool, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("0.1.0", done.stdout)

    def test_status_and_usage(self):
        self.assertNotEqual(run("compile", "missing.mlir").returncode, 0)
        done = run("bake")
        self.assertEqual((done.returncode, done.stderr), (2, "usage: python -m tensorwright run|compile|opt|translate ARGUMENTS...\n"))
        self.assertEqual(run("--help").returncode, 0)


if __name__ == "__main__":
    unittest.main()
