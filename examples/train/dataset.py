"""The digits of the examples: 1,797 pictures of 8 x 8 that people wrote, which scikit-learn ships.

digits.csv is what its sklearn/datasets/data/digits.csv.gz unpacks to, what load_digits reads: a line
has 64 grey values of 0 to 16 and the digit. Whose it is: third_party/README.md.

    python examples/train/dataset.py FOLDER [BATCH]

writes FOLDER/{train,test}.{x,t}.npy for tensor-run: pictures [n, 64] and digits [n], and with a
BATCH whole batches [n, BATCH, 64] and [n, BATCH].
"""
import os
import sys

import numpy as np

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "digits.csv")


def load(seed=0, test=360):
    """((x, digits), (test_x, test_digits)): pictures [n, 64] of 0 to 1, float32, and digits, int64.

    Which ones are kept to test with, and never trained on, is drawn by the seed.
    """
    table = np.loadtxt(PATH, delimiter=",", dtype="int64")
    table = table[np.random.default_rng(seed).permutation(len(table))]
    x, digits = (table[:, :64] / 16).astype("float32"), table[:, 64].copy()
    return (x[test:], digits[test:]), (x[:test], digits[:test])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    for name, rows in zip(("train", "test"), load()):
        for kind, array in zip("xt", rows):
            if len(sys.argv) == 3:
                batch = int(sys.argv[2])
                count = len(array) // batch
                array = array[: count * batch].reshape(count, batch, *array.shape[1:])
            np.save(os.path.join(sys.argv[1], f"{name}.{kind}.npy"), array)


if __name__ == "__main__":
    main()
