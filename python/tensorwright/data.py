"""Data for training: batches that are made while a step runs, and losses that are read later.

>>> import tensorwright as tw, numpy as np
>>> loader = tw.data.Loader({"x": np.arange(10), "y": np.arange(10) % 2}, batch_size=4, seed=1)
>>> for epoch in range(2):
...     print([batch["x"].tolist() for batch in loader])
[[8, 4, 7, 0], [1, 2, 5, 9]]
[[7, 2, 4, 6], [1, 0, 3, 5]]
"""

from __future__ import annotations

import os

from tensorwright import _errors, _tensorwright, checkpoints
from tensorwright._tree import flatten, tree_map, unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["Loader", "Receiver", "read"]


def read(path: str | os.PathLike[str]) -> Any:
    """The array of a file of numpy (.npy), or the dict of arrays of one of safetensors, which stay in
    the file until they are used."""
    name = os.fsdecode(path)
    if not name.endswith(".npy"):
        return checkpoints.read(path)
    import numpy

    try:
        return numpy.load(name, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise _errors.FileError(
            f"cannot read {name}: {error}", code="T0603", remedy=_tensorwright.explain("T0603") or ""
        ) from error


class Loader:
    """Iterates over an epoch of batches: trees like `data` of rows along its arrays' first dimension.

    The next batch is copied, and put on the device, by a thread of its own while the last one is in
    use. The order is a function of seed and epoch alone; without a seed it is that of the rows.

    Args:
        data: a tree of arrays with as many rows each, also of those that `read` gives.
        batch_size: rows of each batch.
        seed: what the order of each epoch is drawn by; None to leave it.
        device: where batches are; arrays of numpy on the host, a `Buffer` on others.
        drop_last: whether rows that do not fill a batch are left out, so that all have one shape.

    Attributes:
        epoch: the number of the epoch, and `batch` of the batches that were given in it: setting both
            goes on from there.
    """

    def __init__(
        self, data: Any, batch_size: int, seed: int | None = None, device: str = "host", drop_last: bool = True
    ) -> None:
        leaves: list[Any] = []
        flatten(data, leaves)
        rows = {len(one) for one in leaves}
        if len(rows) != 1 or batch_size < 1:
            raise _errors.ArgumentError(
                f"expected arrays of as many rows each and batches of 1 or more, found {sorted(rows)} rows and "
                f"batches of {batch_size}",
                code="T0605",
                remedy="Give arrays whose first dimension is the same.",
            )
        self.data, self.batch_size, self.seed, self.device, self.drop_last = data, batch_size, seed, device, drop_last
        self.rows = rows.pop()
        if len(self) == 0:
            raise _errors.ArgumentError(
                f"{self.rows} rows make no batch of {batch_size}, so an epoch has none",
                code="T0605",
                remedy="Make batches smaller, or give drop_last=False.",
            )
        self.epoch = self.batch = 0

    def __len__(self) -> int:
        """Batches of an epoch."""
        return self.rows // self.batch_size if self.drop_last else -(-self.rows // self.batch_size)

    def state(self) -> dict[str, int]:
        """Where it is, for a checkpoint; `restore` goes on from there."""
        return {"epoch": self.epoch, "batch": self.batch}

    def restore(self, state: dict[str, int]) -> None:
        """Goes on from what `state` gave."""
        self.epoch, self.batch = int(state["epoch"]), int(state["batch"])

    def __iter__(self) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        import numpy

        order = None if self.seed is None else numpy.random.default_rng([self.seed, self.epoch]).permutation(self.rows)
        count = len(self)

        def take(number: int) -> Any:
            first = number * self.batch_size
            last = min(first + self.batch_size, self.rows)
            rows = slice(first, last) if order is None else order[first:last]
            batch = tree_map(lambda one: numpy.array(one[rows]), self.data)
            return batch if self.device == "host" else tree_map(lambda one: _tensorwright.Buffer.copy_of(one, self.device), batch)

        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(take, self.batch)
            for number in range(self.batch, count):
                batch = coming.result()
                self.batch = number + 1
                if self.batch < count:
                    coming = pool.submit(take, self.batch)
                else:
                    self.epoch, self.batch = self.epoch + 1, 0
                yield batch


class Receiver:
    """Keeps what steps give, without waiting for it.

    >>> import tensorwright as tw, numpy as np
    >>> losses = tw.data.Receiver()
    >>> for loss in np.float32([3, 2, 1]):
    ...     losses.put(loss)
    >>> losses.take().tolist(), losses.take().tolist()
    ([3.0, 2.0, 1.0], [])
    """

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def put(self, value: Any) -> None:
        """Keeps an array, a `Buffer` or a tree of them, as it is."""
        self._kept.append(value)

    def take(self) -> Any:
        """All that was put since, stacked, as arrays of numpy: here the device is waited for."""
        import numpy

        kept, self._kept = self._kept, []
        if not kept:
            return numpy.zeros(0, "float32")
        columns: list[list[Any]] = []
        structure: Any = None
        for one in kept:
            leaves: list[Any] = []
            structure = flatten(one, leaves)
            columns.append([leaf.numpy() if isinstance(leaf, _tensorwright.Buffer) else leaf for leaf in leaves])
        return unflatten(structure, iter([numpy.stack(column) for column in zip(*columns)]))
