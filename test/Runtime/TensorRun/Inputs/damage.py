"""damage.py FOLDER OFFSET|cut: changes a byte of every cache entry, or cuts them in half."""
import os
import sys

for name in os.listdir(sys.argv[1]):
    path = os.path.join(sys.argv[1], name)
    data = bytearray(open(path, "rb").read())
    if sys.argv[2] == "cut":
        data = data[: len(data) // 2]
    else:
        data[int(sys.argv[2])] ^= 0x20
    open(path, "wb").write(data)
