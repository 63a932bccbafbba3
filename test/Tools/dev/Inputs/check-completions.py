# Usage: check-completions.py BIN SHARE: that what was written has every option of --help.
import os
import re
import shutil
import subprocess
import sys

folder, share = sys.argv[1:]
for tool in ("tensor-run", "tensor-compile", "tensor-opt", "tensor-translate"):
    text = subprocess.run([os.path.join(folder, tool), "--help"], capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"^  (--?[\w-]+)", text, re.M))
    places = {
        f"bash-completion/completions/{tool}": lambda flag: rf"[ ']{flag}[ =']",
        f"zsh/site-functions/_{tool}": lambda flag: rf"'\*?{flag}(=-?)?\[",
        f"fish/vendor_completions.d/{tool}.fish": lambda flag: f" -l {flag[2:]} " if flag[:2] == "--" else f" -s {flag[1:]} ",
        f"man/man1/{tool}.1": lambda flag: r"^\.B " + re.escape(flag.replace("-", "\\-")) + r"($|[=\[ ])",
    }
    for place, pattern in places.items():
        written = open(os.path.join(share, place)).read()
        for flag in flags:
            if not re.search(pattern(flag), written, re.M):
                sys.exit(f"{place} lacks {flag}")
    page = os.path.join(share, f"man/man1/{tool}.1")
    for checker in (["groff", "-man", "-Tascii", "-z", "-ww", page], ["zsh", "-n", os.path.join(share, f"zsh/site-functions/_{tool}")],
                    ["fish", "-n", os.path.join(share, f"fish/vendor_completions.d/{tool}.fish")]):
        if shutil.which(checker[0]):
            done = subprocess.run(checker, capture_output=True, text=True)
            if done.returncode or done.stderr:
                sys.exit(f"{' '.join(checker)}: {done.stderr}")
    print(f"{tool}: {len(flags)} options in bash, zsh, fish and the page")
