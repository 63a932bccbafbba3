# RUN: %venv_python %s
# The examples in the package's docstrings and in docs/how-tos/python.md.
import doctest
import importlib
import os
import pkgutil
import sys

import tensorwright

failed = attempted = 0
for found in pkgutil.iter_modules(tensorwright.__path__, "tensorwright."):
    if found.name not in ("tensorwright.__main__", "tensorwright._tensorwright"):
        result = doctest.testmod(importlib.import_module(found.name))
        failed, attempted = failed + result.failed, attempted + result.attempted
result = doctest.testmod(tensorwright)
failed, attempted = failed + result.failed, attempted + result.attempted
page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/how-tos/python.md")
result = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
failed, attempted = failed + result.failed, attempted + result.attempted
print(f"{attempted} examples, {failed} failed")
sys.exit(failed or attempted < 10)
