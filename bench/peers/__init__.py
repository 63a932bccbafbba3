"""The libraries that Tensorwright is measured against, one file each, with the same functions.

NAME, VENV    what the table calls it, and its virtual environment (empty: the Python of bench/cpu)
PACKAGES      what pip installs in the virtual environment
DEBIAN        Debian packages whose files are unpacked in the cache (empty: none)
TARGETS       code it can be told to run: "native", "x86-64-v3"
environment(threads, target, folder) -> variables that its process is started with
version(folder) -> text; raises if the library is not there
prepare(work, threads) -> Prepared; raises Unsupported for an operation that it has not

`folder` is where --install put things. A module imports its library inside of its functions: bench/cpu
itself reads the tables above without having it.
"""
