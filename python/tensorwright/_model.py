"""Models: compiled programs on a device."""

from __future__ import annotations

import os

from tensorwright import _errors, _tensorwright

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The runtime's names of element types are short ones.
_DTYPES = {
    "i": "int",
    "u": "uint",
    "f": "float",
    "c": "complex",
}
_SPECIAL = {
    "i1": "bool",
    "bf16": "bfloat16",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f4E2M1": "float4_e2m1fn",
    "f6E2M3": "float6_e2m3fn",
    "c64": "complex64",
    "c128": "complex128",
}


def _get_dtype(element: str) -> str:
    if element in _SPECIAL:
        return _SPECIAL[element]
    return _DTYPES.get(element[:1], element[:1]) + element[1:]


class Value:
    """An argument or a result of a model.

    Attributes:
        name: as the model has it; "" if it has none.
        dtype: as numpy and ml_dtypes call it, such as "float32".
        shape: extents; those that calls settle are the names of their symbols.
    """

    __slots__ = ("name", "dtype", "shape")

    def __init__(self, name: str, dtype: str, shape: tuple[int | str, ...]) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape

    def __repr__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


class Model(_tensorwright.Model):
    """A compiled program on a device. `compile` and `load` make them.

    Called with its arguments, by position or by name, it returns its result, or a tuple of several.
    Arguments are arrays of anything that speaks DLPack or the buffer protocol (numpy, torch, JAX),
    a `Buffer`, or numbers and lists, which become arrays of the expected type. Their memory is read
    where it is; what is strided or not aligned is copied, with a CopyWarning. Results are new
    arrays of the library that the first argument is of, in memory that nothing else uses.
    `out` is an array, or a tuple of arrays, that results are written to instead.

    Threads may call a model at once. A run that takes longer than 20 microseconds lets other
    threads of Python go on. A child made by os.fork opens the model anew at its first call.

    Raises ArgumentError for arguments of another type than the model's, DeviceError and RunError for
    what fails on the device.

    >>> import tensorwright as tw, numpy as np
    >>> model = tw.compile('''
    ... func.func @main(%x: tensor<2xf32> {tgraph.name = "x"}, %y: tensor<2xf32> {tgraph.name = "y"})
    ...     -> tensor<2xf32> {
    ...   %0 = tgraph.sub %x, %y : tensor<2xf32>
    ...   return %0 : tensor<2xf32>
    ... }''')
    >>> model(y=np.float32([1, 2]), x=np.float32([5, 5]))
    array([4., 3.], dtype=float32)
    >>> out = np.empty(2, "float32")
    >>> model(np.float32([1, 1]), np.float32([1, 2]), out=out) is out
    True
    >>> model.inputs
    [x: float32[2], y: float32[2]]
    """

    _report_text: bytes | None = None
    _kept: Any = None
    _recompile: Any = None
    _supply: Any = None

    if TYPE_CHECKING:

        def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any: ...

    @property
    def description(self) -> dict[str, Any]:
        """What the module holds: functions with arguments and results, kernels, files."""
        import json

        return dict(json.loads(self._describe()))

    def _signature(self) -> dict[str, Any]:
        functions = self.description["functions"]
        return next((one for one in functions if one["name"] == (self._function or "main")), functions[0])

    def _values(self, key: str) -> list[Value]:
        return [
            Value(one["name"], _get_dtype(one["element"]), tuple(one["dims"])) for one in self._signature()[key]
        ]

    @property
    def inputs(self) -> list[Value]:
        """Its arguments in order."""
        return self._values("arguments")

    @property
    def outputs(self) -> list[Value]:
        """Its results in order."""
        return self._values("results")

    @property
    def kernels(self) -> list[str]:
        """Names of its kernels."""
        return [name for name, _ in self._kernels()]

    @property
    def nbytes(self) -> int:
        """Bytes of the module, without weights that stay in files of their own."""
        source = self._source
        return len(source) if isinstance(source, bytes) else os.path.getsize(source)

    @property
    def report(self) -> dict[str, Any] | None:
        """What `tensor-compile --explain=json` prints: times of stages, and each kernel's schedule,
        candidates, cycles and limits. None for a model that was loaded."""
        import json

        return None if self._report_text is None else dict(json.loads(self._report_text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the module to a file that `load` opens, whole or not at all. Weights that lie in
        files of their own are copied into it, for which the model is compiled once more.

        Raises FileError if it cannot be written."""
        data = self._source
        if not isinstance(data, bytes):
            with open(data, "rb") as file:
                data = file.read()
        if self.description.get("files"):
            if self._recompile is None:
                raise _errors.UnsupportedError(
                    "the weights of this module lie in files of their own",
                    code="T0503",
                    remedy="Copy the module and its weights, or compile the model with embed_weights=True.",
                )
            data, _ = self._recompile(" embed-weights=true", None)
        name = os.fsdecode(path)
        scratch = f"{name}.{os.getpid()}.part"
        try:
            with open(scratch, "wb") as file:
                file.write(data)
            os.replace(scratch, name)
        except OSError as error:
            if os.path.exists(scratch):
                os.unlink(scratch)
            raise _errors.FileError(
                f"cannot write {name}: {error.strerror}", code="T0601", remedy=_tensorwright.explain("T0601") or ""
            ) from error

    def profile(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it once and returns an array of numpy with a record for each launch, in order:
        "kernel" and "node" (names), "begin" and "end" (nanoseconds of the monotonic clock), "flops"
        and "bytes" (of one run of the launch), and "runs".

        >>> import tensorwright as tw
        >>> model = tw.compile("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {"
        ...                    "%y = tgraph.neg %x : tensor<2xf32> return %y : tensor<2xf32> }")
        >>> model.profile([1, 2])[["kernel", "bytes"]].tolist()
        [('neg', 16)]
        """
        import numpy

        names = self.kernels
        fields = [("kernel", "U64"), ("begin", "u8"), ("end", "u8"), ("flops", "u8"), ("bytes", "u8"), ("runs", "u8")]
        records = [(names[one[0]], *one[1:]) for one in self._profile(*args, **kwargs)]
        return numpy.array(records, dtype=[*fields, ("node", "U128")])

    def __repr__(self) -> str:
        function = self._signature()
        return (
            f"Model({function['name']}: ({', '.join(map(repr, self.inputs))}) -> "
            f"({', '.join(map(repr, self.outputs))}), {len(self._kernels())} kernels, "
            f"{self.nbytes} bytes, {self.device})"
        )

    def _repr_html_(self) -> str:
        from tensorwright._notebook import draw

        return draw(self)
