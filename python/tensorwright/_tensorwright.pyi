"""
The runtime, and the way to the compiler. Use the package tensorwright.
"""

from collections.abc import Callable, Generator, Iterable
from typing import Any


def describe_device(uri: str, threads: int = 0) -> str:
    """The runtime's description of a device, as JSON."""

def device_memory(uri: str, threads: int = 0) -> tuple[int, int]:
    """Bytes in use and bytes that the device has."""

def list_devices() -> list[str]:
    """The names of the devices of this machine."""

def list_missing() -> dict[str, str]:
    """Drivers that cannot be used, with the reasons."""

def runtime_version() -> str:
    """Version of the runtime."""

def explain(code: str) -> str | None:
    """
    What an error code means and what to change, or None if there is no such code.
    """

class Buffer:
    """
    A dense row-major tensor in the memory of a device, with undefined contents at first.

    On the host it lends its memory, which is aligned to 64 bytes, to numpy, torch, JAX and
    others without a copy: by the buffer protocol and by DLPack. It lives until the last of
    them lets go.
    """

    def __init__(self, shape: int | Iterable[int], dtype: str = 'float32', device: str = 'host', threads: int = 0) -> None: ...

    @staticmethod
    def copy_of(array: object, device: str = 'host', threads: int = 0) -> Buffer:
        """A Buffer with the elements of an array, on a device."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, a tuple of ints."""

    @property
    def dtype(self) -> str:
        """Name of the element type as in numpy and ml_dtypes, such as "float32"."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""

    @property
    def device(self) -> str:
        """Name of the device that it lies on."""

    @property
    def address(self) -> int:
        """Address of the first element; 0 where the host cannot reach it."""

    def numpy(self) -> Any:
        """
        An array of numpy: in the same memory on the host, of other devices a copy.
        """

    def fill(self, array: object) -> None:
        """Copies the elements of an array of the same shape and dtype into it."""

    def __array__(self, dtype: object | None = None, copy: bool | None = None) -> Any: ...

    def __dlpack__(self, *, stream: object | None = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __repr__(self) -> str: ...

def address_of(array: object) -> int:
    """Where a call reads an array that it need not copy."""

class Queue:
    """
    Work handed to a queue runs in order; work of several queues may overlap.
    The host's queues run their work in the thread that hands it in.
    """

    def __init__(self, device: str = 'host', threads: int = 0) -> None: ...

    @property
    def device(self) -> str:
        """Name of the device."""

class State:
    """
    An array with room for more, such as a cache of keys: an argument that a program keeps in
    place, of which `filled` are the extents that count now. The result that shares its memory
    is a State of the same array.
    """

    def __init__(self, array: object, filled: int | Iterable[int]) -> None: ...

    @property
    def array(self) -> Any:
        """The whole of it, of whatever library."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents that are filled."""

    @property
    def filled(self) -> Any:
        """The part of the array that is filled, in the same memory."""

    def __repr__(self) -> str: ...

class Pending:
    """A run that Model.submit has begun."""

    def done(self) -> bool:
        """Whether it is over, by success or failure."""

    def __await__(self) -> Generator[Any]: ...

    def result(self, timeout: float | None = None) -> Any:
        """
        Waits and returns what the model's call would. Raises what failed, and
        TimeoutError if it takes longer than `timeout` seconds, after which it goes on.
        """

class Model:
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call self as a function."""

    def __init__(self, source: bytes | str, device: str = 'host', threads: int = 0, function: str | None = None, weights: str | None = None, check_weights: bool = False, supplied: dict[str, tuple[int, int]] = ...) -> None: ...

    def open(self) -> None:
        """Makes the model ready on its device now rather than at the first call."""

    def submit(self, *args: Any, queue: Queue | None = None, after: Iterable[Pending] = (), **kwargs: Any) -> Pending:
        """
        Begins a run and returns without waiting for a device. The arguments must not be
        written before it is over.
        """

    def _profile(self, *args: Any, **kwargs: Any) -> list[tuple[int, int, int, int, int, int, str]]: ...

    def _describe(self) -> str: ...

    def _kernels(self) -> list[tuple[str, int]]: ...

    @property
    def _function(self) -> str | None: ...

    @property
    def _source(self) -> bytes | str: ...

    @property
    def device(self) -> str:
        """Name of the device that it runs on."""

    @property
    def max_threads(self) -> int:
        """The most threads of the host that a run takes, 0 for all."""

    @max_threads.setter
    def max_threads(self, threads: int) -> None: ...

    @property
    def time_limit(self) -> float | None:
        """
        Seconds after which a run on the host stops, before its next launch or between parts
        of one, with TimeoutError; None for any number.
        """

    @time_limit.setter
    def time_limit(self, seconds: float | None) -> None: ...

    @property
    def captured(self) -> bool:
        """
        Whether runs are handed to the device as one graph each, which is recorded at the
        first of them; devices of CUDA and AMD have graphs.
        """

    @captured.setter
    def captured(self, captured: bool) -> None: ...

    @property
    def check_nan(self) -> bool:
        """
        Whether a run looks at what each kernel made, which takes time, and stops at the
        first NaN with a RunError that names the kernel.
        """

    @check_nan.setter
    def check_nan(self, check_nan: bool) -> None: ...

    @property
    def copied(self) -> int:
        """
        Bytes of arguments that the last call had to copy: of lists, of arrays that
        are strided or not aligned, and of arrays of the host for other devices.
        """

def compile(library: str, path: str | None, data: bytes | None, kind: int, imports: str, target: str | None, device: str | None, options: str, dump_folder: str | None, module_folder: str | None, threads: int, progress: Callable[[str, int, int], None] | None) -> tuple[int, bytes | None, bytes | None, list[tuple[int, str, str, str, int, int, str, str, str]]]:
    """
    A code of the compiler, the module, the report as JSON, and the diagnostics.
    """

def list_targets(library: str) -> bytes:
    """The compiler's targets, as JSON."""

def compiler_version(library: str) -> str:
    """Version of the compiler."""

class Trace:
    """
    A function in the making; its values are numbers. Each method returns a code of the compiler, what it made, and the diagnostics.
    """

    def __init__(self, library: str) -> None: ...

    def argument(self, name: str, dtype: str, shape: tuple[int, ...], place: tuple[str, int, int]) -> tuple[int, int, list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def alias(self, argument: int, result: int, shape: tuple[int, ...], place: tuple[str, int, int]) -> tuple[int, int, list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def constant(self, array: object, dtype: str, place: tuple[str, int, int]) -> tuple[int, int, list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def file_constant(self, file: str, offset: int, dtype: str, shape: tuple[int, ...], place: tuple[str, int, int]) -> tuple[int, int, list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def call(self, op: str, kinds: str, arguments: tuple[object, ...], place: tuple[str, int, int]) -> tuple[int, list[int], list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def cond(self, predicate: int, then: Callable[[tuple[int, ...]], tuple[int, ...]], otherwise: Callable[[tuple[int, ...]], tuple[int, ...]], place: tuple[str, int, int]) -> tuple[int, list[int], list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def while_loop(self, condition: Callable[[tuple[int, ...]], tuple[int, ...]], body: Callable[[tuple[int, ...]], tuple[int, ...]], init: tuple[int, ...], limit: int, place: tuple[str, int, int]) -> tuple[int, list[int], list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def scan(self, body: Callable[[tuple[int, ...]], tuple[int, ...]], init: tuple[int, ...], xs: tuple[int, ...], length: int, reverse: bool, place: tuple[str, int, int]) -> tuple[int, list[int], list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def associative_scan(self, combine: Callable[[tuple[int, ...]], tuple[int, ...]], xs: tuple[int, ...], axis: int, reverse: bool, place: tuple[str, int, int]) -> tuple[int, list[int], list[tuple[int, str, str, str, int, int, str, str, str]]]: ...

    def type(self, value: int) -> tuple[str, tuple[int, ...]]: ...

    def finish(self, results: tuple[int, ...], names: tuple[str, ...], place: tuple[str, int, int]) -> tuple[int, bytes, list[tuple[int, str, str, str, int, int, str, str, str]]]: ...
