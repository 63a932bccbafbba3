"""Small C and C++ sources built on demand: kept in the cache under the hash of what they were made from."""
import hashlib
import os
import subprocess
import tempfile


def build(source, folder, options=()):
    """The shared library of a source file; raises RuntimeError with the compiler's message."""
    with open(source, "rb") as file:
        text = file.read()
    compiler = "c++" if source.endswith(".cpp") else "cc"
    standard = "-std=c++17" if source.endswith(".cpp") else "-std=gnu11"
    command = [compiler, standard, "-O3", "-march=native", "-shared", "-fPIC", "-Wall"]
    key = hashlib.sha256(text + repr((command, options)).encode()).hexdigest()[:16]
    library = os.path.join(folder, "native", os.path.basename(source).split(".")[0] + "-" + key + ".so")
    if not os.path.exists(library):
        os.makedirs(os.path.dirname(library), exist_ok=True)
        handle, made = tempfile.mkstemp(dir=os.path.dirname(library))
        os.close(handle)
        done = subprocess.run([*command, source, "-o", made, *options], capture_output=True, text=True)
        if done.returncode:
            os.unlink(made)
            raise RuntimeError(f"{os.path.basename(source)}: {done.stderr.strip()[:2000]}")
        os.replace(made, library)
    return library
