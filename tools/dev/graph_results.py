"""What programs give: the interpreter's numbers, and whether other numbers are those up to rounding."""
import os
import re
import subprocess

from element_types import MANTISSA

# How far numbers may be apart where they are rounded: three steps of a narrow float, and a hundredth of it in any case.
LIMITS = {element: max(3 * 2.0 ** -mantissa, 1e-3) for element, mantissa in MANTISSA.items()}


def agree(a, b, element):
    """Whether two outputs are equal up to the rounding of f32, or of a narrow float."""
    a, b, limit = a.split(), b.split(), LIMITS.get(element, 1e-3)
    return len(a) == len(b) and all(x == y or close(x, y, limit) for x, y in zip(a, b))


def close(x, y, limit):
    try:
        x, y = float(x), float(y)
    except ValueError:
        return False
    return abs(x - y) <= limit * max(abs(x), abs(y)) + 1e-2 * limit


def interpret(tool, text, passes):
    command = [tool, "-", *passes, "--interpret=integers=true digits=6", "-o", os.devnull]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else "failed: " + result.stderr


def is_rounding(report, element):
    """Whether all that differs is as near to the reference as stages are to each other: what is left where rounded
    numbers cancel out is small against what it is computed from, not against itself."""
    errors = re.findall(r"max error (\S+) .*DIFFERS", report)
    return bool(errors) and all(float(error) <= 1e-2 * LIMITS.get(element, 1e-3) for error in errors)
