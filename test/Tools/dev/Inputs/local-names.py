"""local-names.py ROOT FOLDER...: in each folder below the FOLDERs of ROOT, laid out by clang-format, the names that
several files have, each for itself; then how many names were looked at. An alias of the same thing is no clash."""
import collections
import os
import re
import sys

root, *folders = sys.argv[1:]
TEMPLATE = r"(?:template <.*> )?"


def local_names(text):
    """What the file alone sees: statics, constants, and what stands at the edge of an unnamed namespace."""
    is_unnamed = False
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            is_unnamed = True
        elif line.startswith("} // namespace") and line.rstrip() in ("} // namespace", "}  // namespace"):
            is_unnamed = False
        elif found := re.match(r"using (\w+) = (.*);", line):
            yield found[1], found[2]
        elif line.startswith("using enum "):
            yield line, ""
        elif not is_unnamed and not re.match(TEMPLATE + "(static|constexpr) ", line) or not re.match(r"[A-Za-z]", line):
            continue
        elif found := re.match(TEMPLATE + r"(?:struct|class|enum class|enum) (\w+)", line):
            yield found[1], ""
        elif found := re.match(TEMPLATE + r"(?:static )?[^=;(]*?[\s*&>](\w+)\(", line):
            yield found[1], ""
        elif found := re.match(TEMPLATE + r"(?:static )?[^=(]*?(\w+)(?:\[\w*\])? ?[={;]", line):
            yield found[1], ""
            # int a = 1, b = 2;
            if line.endswith(";"):
                for other in re.findall(r", (\w+)(?:\[\w*\])? = ", line):
                    yield other, ""


count = 0
for folder in folders:
    for place, _, files in sorted(os.walk(os.path.join(root, folder))):
        owners = collections.defaultdict(dict)
        for name in sorted(files):
            if name.endswith(".cpp"):
                with open(os.path.join(place, name)) as file:
                    for local, meaning in local_names(file.read()):
                        owners[local].setdefault(name, meaning)
        count += len(owners)
        for local, found in sorted(owners.items()):
            meanings = set(found.values())
            if len(found) > 1 and (meanings == {""} or len(meanings) > 1):
                print(f"{os.path.relpath(place, root)}: {local}: in {', '.join(found)}")
print(f"looked at {count} names")
