"""python -m tensorwright run|compile|opt|translate ...: the tools, from the package."""

import os
import sys

from tensorwright import _tensorwright

TOOLS = ("run", "compile", "opt", "translate")


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in TOOLS:
        asked = arguments[:1] in (["-h"], ["--help"])
        print(f"usage: python -m tensorwright {'|'.join(TOOLS)} ARGUMENTS...", file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    name = "tensor-" + arguments[0]
    package = os.path.dirname(_tensorwright.__file__ or "")
    for folder in (os.path.join(package, "bin"), os.path.join(package, "..", "..", "bin")):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            os.execv(path, [name, *arguments[1:]])
    print(f"{name} is not installed: install the package tensorwright", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
