"""write-npy.py FILE DESCR SHAPE BYTES [FORTRAN]: an .npy file with that header and zero bytes."""
import sys

path, descr, shape, count = sys.argv[1:5]
fortran = len(sys.argv) > 5
header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(int(count)))
