# Entries of a cache of kernels that nobody used for a while, and what became of them.
import glob
import os
import sys
import time

what, folder = sys.argv[1:3]
old = [os.path.join(folder, f"old{i}.twk") for i in range(20)]
scratch = os.path.join(folder, "old.twk.12345678")
if what == "make":
    now = time.time()
    for path in glob.glob(folder + "/*.twk"):
        os.utime(path, (now - 90000, now - 90000))
    for i, path in enumerate([*old, scratch]):
        with open(path, "wb") as file:
            file.write(bytes(10000))
        os.utime(path, (now - 80000 + i, now - 80000 + i))
    with open(os.path.join(folder, "written"), "ab") as file:
        file.write(b"." * 64)
else:
    left = [os.path.exists(path) for path in old]
    if what == "kept":
        assert all(left) and os.path.exists(scratch)
    else:
        total = sum(os.path.getsize(path) for path in glob.glob(folder + "/*.twk"))
        assert total <= int(sys.argv[3]), total
        # The newest stay, and what was found and made now, which is older than they but for its use.
        assert left == sorted(left) and any(left) and not all(left), left
        assert len(glob.glob(folder + "/k*.twk")) == 2, os.listdir(folder)
        assert not os.path.exists(scratch)
        assert os.path.getsize(os.path.join(folder, "written")) == 0
