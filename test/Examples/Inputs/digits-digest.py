"""The set of digits is that of scikit-learn: its sklearn/datasets/data/digits.csv.gz, unpacked."""
import hashlib
import sys

with open(sys.argv[1], "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
EXPECTED = "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8"
assert found == EXPECTED, f"{sys.argv[1]} has sha256 {found}, expected {EXPECTED}"
