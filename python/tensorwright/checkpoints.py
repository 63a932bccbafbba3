"""Trees of arrays in files: the safetensors format, which other libraries read too.

A file is written whole or not at all. What is read back has the same bits, so that a training that
goes on from it goes on as it would have.

>>> import tensorwright as tw, numpy as np, os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "step-10.safetensors")
>>> tw.checkpoints.save(path, {"w": np.float32([1, 2]), "step": 10})
>>> tw.checkpoints.load(path, like={"w": np.zeros(2, "float32"), "step": 0})
{'w': array([1., 2.], dtype=float32), 'step': 10}
>>> sorted(tw.checkpoints.read(path))
['step', 'w']
"""

from __future__ import annotations

import os
from math import prod

from tensorwright import _errors, _tensorwright
from tensorwright._trace import _NUMBERS, get_dtype
from tensorwright._tree import flatten, names, unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load", "read", "save"]

_CODES = {
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "float32": "F32",
    "float64": "F64",
}
_DTYPES = {code: dtype for dtype, code in _CODES.items()}
_MOST_HEADER = 100_000_000


def _file_error(text: str, code: str) -> _errors.FileError:
    return _errors.FileError(text, code=code, remedy=_tensorwright.explain(code) or "")


def _get_names(tree: Any) -> list[str]:
    return [name.removeprefix(".") or "value" for name in names(tree, "")]


def _get_type(leaf: Any) -> tuple[str, tuple[int, ...]]:
    known = _NUMBERS.get(type(leaf))
    # A float of Python is kept as it is.
    if known:
        return "float64" if known == "float32" else known, ()
    return get_dtype(leaf.dtype), tuple(leaf.shape)


def _show(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def save(path: str | os.PathLike[str], tree: Any) -> None:
    """Writes the leaves of a tree, arrays, buffers and numbers, under their places in it, such as
    "params.layers.0.weight". The file is there when it is whole, and on the disk.

    Raises FileError if it cannot be written."""
    import json

    import numpy

    leaves: list[Any] = []
    flatten(tree, leaves)
    header: dict[str, Any] = {}
    arrays = []
    end = 0
    for name, leaf in zip(_get_names(tree), leaves):
        if name in header:
            raise _errors.ArgumentError(
                f"two places of the tree are named '{name}'",
                code="T0606",
                remedy="Name them otherwise: dots stand between the names of nested parts.",
            )
        dtype, shape = _get_type(leaf)
        if dtype not in _CODES:
            raise _errors.UnsupportedError(
                f"'{name}' is of the type {dtype}, which a checkpoint does not hold",
                code="T0605",
                remedy=f"Convert it to one of {', '.join(_CODES)}.",
            )
        array = leaf.numpy() if isinstance(leaf, _tensorwright.Buffer) else numpy.asarray(leaf)
        array = numpy.ascontiguousarray(array).reshape(shape)
        header[name] = {"dtype": _CODES[dtype], "shape": list(shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
        arrays.append(array)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    target = os.fsdecode(path)
    scratch = f"{target}.{os.getpid()}.part"
    try:
        with open(scratch, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for array in arrays:
                file.write(array.tobytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
        folder = os.open(os.path.dirname(os.path.abspath(target)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        if os.path.exists(scratch):
            os.unlink(scratch)
        raise _file_error(f"cannot write {target}: {error.strerror}", "T0601") from error


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of a file of safetensors by their names; they are read where they lie in the file
    when they are used.

    Raises FileError if it cannot be read, or is none."""
    import json

    import numpy

    name = os.fsdecode(path)
    try:
        data = numpy.memmap(name, mode="r", dtype="uint8")
        size = int.from_bytes(data[:8].tobytes(), "little")
        if len(data) < 8 or size > min(len(data) - 8, _MOST_HEADER):
            raise ValueError("its header is longer than the file")
        header = json.loads(data[8 : 8 + size].tobytes())
        found = {}
        for key, one in header.items():
            if key == "__metadata__":
                continue
            dtype, (first, last) = _DTYPES[one["dtype"]], one["data_offsets"]
            if dtype == "bfloat16" or dtype.startswith("float8"):
                from importlib import import_module

                element = numpy.dtype(getattr(import_module("ml_dtypes"), dtype))
            else:
                element = numpy.dtype(dtype)
            shape = tuple(one["shape"])
            if not 0 <= first <= last <= len(data) - 8 - size or last - first != prod(shape) * element.itemsize:
                raise ValueError(f"'{key}' does not lie in it")
            found[key] = data[8 + size + first : 8 + size + last].view(element).reshape(shape)
        return found
    except OSError as error:
        raise _file_error(f"cannot read {name}: {error.strerror}", "T0603") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _file_error(f"{name} is no file of safetensors: {error}", "T0603") from error


def load(path: str | os.PathLike[str], like: Any) -> Any:
    """A tree like another, of what `save` wrote: arrays of numpy, and numbers where there are numbers.

    Raises ArgumentError with all names, types and shapes that differ if the file is of another tree,
    and FileError as `read`."""
    import numpy

    found = read(path)
    leaves: list[Any] = []
    structure = flatten(like, leaves)
    expected = dict(zip(_get_names(like), leaves))
    wrong = [f"'{name}' is missing" for name in expected if name not in found]
    wrong += [f"'{name}' is too much" for name in found if name not in expected]
    for name, leaf in expected.items():
        if name not in found:
            continue
        wanted, there = _get_type(leaf), (found[name].dtype.name, found[name].shape)
        if wanted != there:
            wrong.append(f"'{name}': expected {_show(*wanted)}, found {_show(*there)}")
    if wrong:
        shown = "; ".join(wrong[:12]) + (f"; and {len(wrong) - 12} more" if len(wrong) > 12 else "")
        raise _errors.ArgumentError(
            f"{os.fsdecode(path)} is of another model: {shown}",
            code="T0606",
            remedy="Load it into the model that it was saved from, or take single arrays from checkpoints.read.",
        )
    made = [
        found[name].item() if type(leaf) in _NUMBERS else numpy.array(found[name]) for name, leaf in expected.items()
    ]
    return unflatten(structure, iter(made))
