"""Writes the version script of the wheel's library and the options that draw in what the tools use.

Usage: exports.py NM MAP RSP OBJECT...
"""

import re
import subprocess
import sys

nm, map_path, rsp_path, *objects = sys.argv[1:]
lines = subprocess.run([nm, *objects], capture_output=True, text=True, check=True).stdout.splitlines()
ours = re.compile(r"^_Z.*(4llvm|4mlir|2tw)")
# With MLIR's C API, for tensorwright.ir.
needed, visible = set(), {"twcGetApi", "mlir[A-Z]*"}
for line in lines:
    words = line.split()
    if len(words) < 2 or not ours.match(words[-1]):
        continue
    if words[-2] in "Uw":
        needed.add(words[-1])
    # Of inline functions and variables the program has one copy.
    if words[-2] in "UwWVvu":
        visible.add(words[-1])
with open(map_path, "w") as file:
    file.write("{\n  global:\n" + "".join(f"    {name};\n" for name in sorted(visible)) + "  local: *;\n};\n")
with open(rsp_path, "w") as file:
    file.write("".join(f"-Wl,--undefined={name}\n" for name in sorted(needed)))
