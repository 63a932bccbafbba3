"""Lists the errors in C++ sources that are reported without a code.

Usage: uncoded-errors.py FOLDER..

Verifiers of ops, attributes and types (lib/Dialect/NAME/*.cpp) and parsers of MLIR's text (`parser.emitError`) are left
out: what they refuse is quoted with its text, and gets a code where passes made it.
"""
import os
import re
import sys

CALL = re.compile(r"(?<!\bparser\.)\bemit(?:Op)?Error\(")


def arguments(text, start):
    """The text of the call's arguments, which begin at `start`."""
    depth = 1
    for end in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[start:end]
    return text[start:]


def main():
    for root in sys.argv[1:]:
        for folder, _, files in os.walk(root):
            if re.search(r"lib/Dialect/\w+$", folder):
                continue
            for name in sorted(files):
                path = os.path.join(folder, name)
                text = open(path).read() if name.endswith((".cpp", ".h")) else ""
                for call in CALL.finditer(text):
                    own = arguments(text, call.end())
                    if not re.search(r"\bcode\b|Code::T\d{4}|\bCode code", own):
                        line = text.count("\n", 0, call.start()) + 1
                        print(f"{path}:{line}: {call.group()}{' '.join(own.split())})")


main()
