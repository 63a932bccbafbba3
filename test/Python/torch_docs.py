# REQUIRES: torch
# RUN: %torch_python %s
# The examples in docs/how-tos/torch.md.
import doctest
import os
import sys

page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/how-tos/torch.md")
result = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
print(f"{result.attempted} examples, {result.failed} failed")
sys.exit(result.failed or result.attempted < 8)
