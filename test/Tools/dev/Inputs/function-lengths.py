"""function-lengths.py ROOT MOST FOLDER...: names the functions below the FOLDERs of ROOT, laid out by clang-format, that
have more lines than MOST, from the first line of the signature to the closing brace; then how many were looked at."""
import glob
import os
import re
import sys

root, most, *folders = sys.argv[1:]
NOT_FUNCTIONS = re.compile(r"(if|for|while|switch|else|do|namespace|class|struct|enum|union|try|return|case|default)\b|[})]")


def functions(lines):
    """(first line, last line, signature) of each definition outside of functions, by its indentation."""
    at = 0
    while at < len(lines):
        line = lines[at]
        indent = len(line) - len(line.lstrip())
        if not re.match(r"[A-Za-z_~\[]", line.lstrip() or "#") or NOT_FUNCTIONS.match(line.lstrip()):
            at += 1
            continue
        # A statement goes on until a line ends it, or opens a body.
        end = at
        while end < len(lines) - 1 and not re.search(r"[;{}:]\s*(//.*)?$", lines[end]):
            end += 1
        # Initializers of members come before the body.
        while end < len(lines) - 1 and re.match(r"\s+: \w", lines[end + 1]) or (
                end > at and end < len(lines) - 1 and lines[end].rstrip().endswith(",")):
            end += 1
            while not re.search(r"[;{}]\s*(//.*)?$", lines[end]) and end < len(lines) - 1:
                end += 1
        signature = " ".join(part.strip() for part in lines[at:end + 1])
        if "(" not in signature or not signature.endswith("{") or re.search(r"[^=!<>]= ?(\[|\{|$)", signature):
            at += 1
            continue
        close = next((i for i in range(end + 1, len(lines)) if re.match(rf" {{{indent}}}\}}", lines[i])), None)
        if close is None:
            at += 1
            continue
        yield at, close, signature
        at = close + 1


count = 0
for folder in folders:
    for path in sorted(glob.glob(f"{folder}/**/*.cpp", root_dir=root, recursive=True)):
        with open(os.path.join(root, path)) as file:
            lines = file.read().split("\n")
        for first, last, signature in functions(lines):
            count += 1
            if last - first + 1 > int(most):
                print(f"{path}:{first + 1}: {last - first + 1} lines: {signature}")
print(f"looked at {count} functions")
