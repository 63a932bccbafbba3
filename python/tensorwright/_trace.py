"""Tensors of a function that is being traced, and the calls that build it."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from itertools import islice

from tensorwright import _errors, _tensorwright
from tensorwright._compile import _describe, _find_compiler, _raise
from tensorwright._terms import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, NoReturn, TypeAlias

    from tensorwright._sizes import Sizes

    # A Tensor, a number, or an array, which is a constant of the program.
    Operand: TypeAlias = Any
    # The name of an element type, or a dtype of numpy or another library, or int, float or bool.
    DTypeLike: TypeAlias = Any
    Place: TypeAlias = tuple[str, int, int]

_PACKAGE = os.path.dirname(__file__) + os.sep
_NUMBERS = {bool: "bool", int: "int64", float: "float32"}


def find_place() -> Place:
    """File, line and column of the innermost call from outside of this package."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    positions = next(islice(code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    return code.co_filename, frame.f_lineno, (positions[2] or 0) + 1


def find_level() -> int:
    """The stack level of a warning that the caller gives at the innermost call from outside of this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    return level


def fail(message: str, code: str, remedy: str, kind: type[_errors.Error] = _errors.CompileError) -> NoReturn:
    """Raises an error with the user's place."""
    file, line, column = find_place()
    raise kind(message, code=code, file=file, line=line, column=column, remedy=remedy)


class placed:
    """Gives the user's place to errors that have none, within a with statement."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _errors.Error) and not error.file:
            error.file, error.line, error.column = find_place()


def get_dtype(dtype: DTypeLike) -> str:
    """The name of an element type: "float32"."""
    if isinstance(dtype, str):
        return dtype
    if dtype in _NUMBERS:
        return _NUMBERS[dtype]
    name = getattr(dtype, "name", None)
    if isinstance(name, str):
        return name
    if isinstance(dtype, type):
        return "bool" if dtype.__name__ == "bool_" else dtype.__name__
    return str(dtype).removeprefix("torch.")


# Bytes of a constant that is compared by its elements.
_MOST_DIGESTED = 1 << 20


class _Region:
    """Where tensors are made: the function, a side of a branch, or the body of a loop."""

    __slots__ = ("is_open",)

    def __init__(self) -> None:
        self.is_open = True


class Program:
    """A function in the making."""

    def __init__(self) -> None:
        self.trace = _tensorwright.Trace(_find_compiler())
        self.regions = [_Region()]
        # Of what is made from now on, where it is no call of the user's that makes it.
        self.place: Place | None = None
        # Of all tensors in the order in which they are made; and what sizes are, where ranges are traced.
        self.shapes: list[tuple[int, ...]] = []
        self.sizes: Sizes | None = None
        # Names of ops, kinds of their arguments, and those that are no tensors; before them what tensors, by
        # number, and what constants are used.
        self.calls: list[tuple[str, str, tuple[Any, ...]]] = []
        # Whether constants are among them.
        self.records = False

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is made meanwhile is used only meanwhile."""
        self.regions.append(_Region())
        try:
            yield
        finally:
            self.regions.pop().is_open = False

    def check(self, result: tuple[int, Any, list[Any]]) -> Any:
        """What a method of Trace has made; raises what is wrong, warns of the rest."""
        code, made, diagnostics = result
        if code:
            _raise(code, diagnostics)
        for diagnostic in diagnostics:
            if diagnostic[0] == 1:
                import warnings

                warnings.warn_explicit(
                    _describe(diagnostic), _errors.CompileWarning, diagnostic[3] or "", diagnostic[4] or 1
                )
        return made

    def wrap(self, value: int) -> Tensor:
        tensor = object.__new__(Tensor)
        tensor._program = self
        tensor._value = value
        tensor._region = self.regions[-1]
        tensor._number = len(self.shapes)
        tensor.dtype, tensor.shape = self.trace.type(value)
        self.shapes.append(tensor.shape)
        if self.records:
            known = tensor.shape
            tensor.shape = Shape(known if self.sizes is None else self.sizes.shape(len(self.shapes) - 1, known))
        return tensor

    def argument(self, name: str, dtype: str, shape: tuple[int, ...], place: Place) -> Tensor:
        with placed():
            return self.wrap(self.check(self.trace.argument(name, dtype, shape, place)))

    def constant(self, array: object, dtype: str = "float32") -> Tensor:
        with placed():
            return self.wrap(self.check(self.trace.constant(array, dtype, self.place or find_place())))

    def file_constant(self, file: str, offset: int, dtype: str, shape: tuple[int, ...]) -> Tensor:
        """Of bytes of a file in the folder of weights."""
        place = self.place or find_place()
        return self.wrap(self.check(self.trace.file_constant(file, offset, dtype, shape, place)))

    def record(self, what: str, *numbers: Any) -> None:
        """Notes what an op does that no call of it says."""
        self.calls.append((what, "", numbers if self.sizes is None else self.sizes.unwrap(numbers)))

    def lift(self, value: Operand) -> Tensor:
        """As a tensor of this program."""
        if self.sizes is not None:
            value = self.sizes.unwrap(value)
        elif type(value) is Shape:
            value = tuple(value)
        if self.records and not isinstance(value, Tensor):
            self.record("constant", type(value).__name__, value if type(value) in _NUMBERS else _digest(value))
        if isinstance(value, Tensor):
            if value._program is not self:
                fail(
                    "a tensor of another function, or of an earlier call of it, is used here",
                    "T0507",
                    "Return it from the function that it was made in, and hand it over as an argument; a tensor "
                    "that is traced is not kept in variables outside.",
                )
            if not value._region.is_open:
                fail(
                    "a tensor of a branch or a loop is used outside of it",
                    "T0219",
                    "Return it from the function that the branch or loop is made of.",
                )
            self.record("use", value._number)
            return value
        kind = type(value)
        if kind in _NUMBERS:
            return self.constant(_check_range(value, "a number") if kind is int else value, _NUMBERS[kind])
        if isinstance(value, (list, tuple)):
            from importlib import import_module

            array = import_module("numpy").asarray(value)
            return self.constant(array.astype("float32") if array.dtype == "float64" else array)
        if value is None or isinstance(value, (str, bytes, dict)) or callable(value):
            fail(
                f"expected a tensor, an array or a number, found '{kind.__name__}'",
                "T0507",
                "Return a tensor, or hand one over, where one is needed.",
                _errors.ArgumentError,
            )
        return self.constant(value)


class _Local(threading.local):
    def __init__(self) -> None:
        self.programs: list[Program] = []


_local = _Local()


def is_tracing() -> bool:
    return bool(_local.programs)


def get_program(name: str) -> Program:
    """The one that is being traced by this thread."""
    if not _local.programs:
        fail(
            f"{name}: there is no function that is traced here",
            "T0507",
            "Call it in a function, and that through tensorwright.jit, which traces and compiles it.",
        )
    return _local.programs[-1]


class tracing:
    """The program that calls build, within a with statement."""

    def __enter__(self) -> Program:
        program = Program()
        _local.programs.append(program)
        return program

    def __exit__(self, *_: object) -> None:
        _local.programs.pop()


def _check_range(value: int, name: str) -> int:
    if not -(2**63) <= value < 2**63:
        fail(
            f"{name}: expected an integer of 64 bits, found {value}",
            "T0206",
            "Give a smaller one, or a float.",
            _errors.ArgumentError,
        )
    return value


def _digest(value: Any) -> str | int:
    """Another one where an array holds other elements; large ones are known by where they are."""
    if isinstance(value, (list, tuple)):
        return repr(value)
    if not hasattr(value, "tobytes") or getattr(value, "nbytes", _MOST_DIGESTED) >= _MOST_DIGESTED:
        return id(value)
    from hashlib import blake2b

    return blake2b(value.tobytes()).hexdigest() + repr(value.shape)


def _to_ints(value: Any, name: str, what: str) -> tuple[str, Any]:
    """Kind and value of one integer or several."""
    from operator import index

    try:
        if hasattr(value, "__index__"):
            return "i", _check_range(index(value), name)
        return "I", tuple(_check_range(index(one), name) for one in value)
    except TypeError:
        fail(
            f"{name}: expected {what}, found {value!r}",
            "T0507",
            "Sizes, axes and the like are ints that are known while the function is traced, such as those of x.shape.",
            _errors.ArgumentError,
        )


def _call(op: str, kinds: str, arguments: tuple[Any, ...]) -> list[Tensor]:
    program = get_program(op)
    if program.sizes is not None:
        arguments = program.sizes.unwrap(arguments)
    letters = ""
    values: list[Any] = []
    is_bare = kinds[0] == "v"
    for kind, value in zip(kinds, arguments):
        if value is None:
            letters += kind
            values.append(None)
        elif kind == "v":
            number = type(value)
            if number in _NUMBERS:
                letters += "b" if number is bool else "i" if number is int else "n"
                values.append(_check_range(value, op) if number is int else value)
            else:
                is_bare = False
                letters += "v"
                values.append(program.lift(value)._value)
        elif kind == "V":
            is_bare = False
            letters += "V"
            values.append([program.lift(one)._value for one in value])
        elif kind in "iI":
            letter, value = _to_ints(value, op, "an int" if kind == "i" else "an int or several")
            letters += letter
            values.append(value)
        elif kind == "n":
            letters += "n"
            values.append(float(value))
        elif kind == "b":
            letters += "b"
            values.append(bool(value))
        elif kind == "T":
            letters += "T"
            values.append(get_dtype(value))
        else:
            letters += "s"
            values.append(str(value))
    if is_bare:
        # Numbers alone: one of them says which function they are of.
        letters = "v" + letters[1:]
        values[0] = program.lift(arguments[0])._value
    program.calls.append((op, letters, tuple([one for kind, one in zip(letters, values) if kind not in "vV"])))
    with placed():
        made = program.check(program.trace.call(op, letters, tuple(values), program.place or find_place()))
    return [program.wrap(one) for one in made]


def one(op: str, kinds: str, *arguments: Any) -> Tensor:
    """Calls an op that gives one tensor."""
    return _call(op, kinds, arguments)[0]


def many(op: str, kinds: str, *arguments: Any) -> tuple[Tensor, ...]:
    """Calls an op that gives several tensors."""
    return tuple(_call(op, kinds, arguments))


def _binary(op: str) -> tuple[Callable[[Tensor, Operand], Tensor], Callable[[Tensor, Operand], Tensor]]:
    def forward(self: Tensor, other: Operand) -> Tensor:
        return one(op, "vv", self, other)

    def backward(self: Tensor, other: Operand) -> Tensor:
        return one(op, "vv", other, self)

    return forward, backward


class Tensor:
    """A tensor of a function that `tensorwright.jit` traces: a type and a shape, no elements.

    Operators and indices work as numpy's; results broadcast and promote as JAX's. Python's own
    decisions, `if`, `while`, `int(x)`, cannot depend on it.

    Attributes:
        dtype: the name of its element type, such as "float32".
        shape: its extents, a tuple of ints.

    >>> import tensorwright as tw, numpy as np
    >>> @tw.jit
    ... def f(x):
    ...     print(x)
    ...     return x[..., ::2].mT + 1
    >>> f(np.float32([[1, 2, 3], [4, 5, 6]])).tolist()
    Tensor(float32[2, 3])
    [[2.0, 5.0], [4.0, 7.0]]
    """

    __slots__ = ("_number", "_program", "_region", "_value", "dtype", "shape")
    _number: int
    _program: Program
    _region: _Region
    _value: int
    dtype: str
    shape: tuple[int, ...]

    # Arrays of numpy leave operators to it.
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self) -> None:
        raise TypeError("tensors are made by tracing a function: tensorwright.jit")

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        from math import prod

        return prod(self.shape)

    @property
    def T(self) -> Tensor:
        """With its dimensions in reverse."""
        return one("permute_dims", "vI", self, tuple(reversed(range(self.ndim))))

    @property
    def mT(self) -> Tensor:
        """With the last two dimensions exchanged."""
        return one("matrix_transpose", "v", self)

    def astype(self, dtype: DTypeLike) -> Tensor:
        """As `tensorwright.astype`."""
        return one("astype", "vT", self, dtype)

    def reshape(self, *shape: Any) -> Tensor:
        """As `tensorwright.reshape`; the extents may be arguments of their own."""
        return one("reshape", "vI", self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Tensor:
        """As `tensorwright.permute_dims`; without axes as T."""
        if not axes:
            return self.T
        return one("permute_dims", "vI", self, axes[0] if len(axes) == 1 else axes)

    def sum(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        """As `tensorwright.sum`."""
        return one("sum", "vIb", self, axis, keepdims)

    def mean(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        """As `tensorwright.mean`."""
        return one("mean", "vIb", self, axis, keepdims)

    def max(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        """As `tensorwright.max`."""
        return one("max", "vIb", self, axis, keepdims)

    def min(self, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
        """As `tensorwright.min`."""
        return one("min", "vIb", self, axis, keepdims)

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("subtract")
    __mul__, __rmul__ = _binary("multiply")
    __truediv__, __rtruediv__ = _binary("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    __pow__, __rpow__ = _binary("pow")
    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift")
    __lt__, _ = _binary("less")
    __le__, _ = _binary("less_equal")
    __gt__, _ = _binary("greater")
    __ge__, _ = _binary("greater_equal")

    def __eq__(self, other: Operand) -> Tensor:  # type: ignore[override]
        return one("equal", "vv", self, other)

    def __ne__(self, other: Operand) -> Tensor:  # type: ignore[override]
        return one("not_equal", "vv", self, other)

    def __neg__(self) -> Tensor:
        return one("negative", "v", self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return one("abs", "v", self)

    def __invert__(self) -> Tensor:
        return one("bitwise_invert", "v", self)

    def __getitem__(self, index: Any) -> Tensor:
        return _index(self, index if isinstance(index, tuple) else (index,))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (one("select", "vii", self, i, 0) for i in range(len(self)))

    def _refuse(self, use: str) -> NoReturn:
        fail(
            f"{use} needs elements of {self!r}, which are not known while the function is traced",
            "T0219",
            "Choose elements with tensorwright.where, or what is computed with tensorwright.cond; loop with "
            "tensorwright.while_loop, scan or fori_loop. What shapes and numbers of Python decide is settled "
            "while tracing: name such arguments in static_argnames.",
        )

    def __bool__(self) -> bool:
        self._refuse("a decision of Python (if, while, and, or, not)")

    def __int__(self) -> int:
        self._refuse("int()")

    def __float__(self) -> float:
        self._refuse("float()")

    def __index__(self) -> int:
        self._refuse("an index or a size of Python's")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self._refuse("a function of numpy")

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        fail(
            "the elements of a tensor cannot be assigned",
            "T0219",
            "Make a new one: tensorwright.update_slice, scatter or where.",
        )

    def __repr__(self) -> str:
        return f"Tensor({self.dtype}[{', '.join(map(str, self.shape))}])"


def _index(x: Tensor, items: tuple[Any, ...]) -> Tensor:
    """Of numpy's indices those of ints, slices, None, an ellipsis, and one array of integers."""
    taken = len(items) - len([one for one in items if one is None or one is Ellipsis])
    if taken > x.ndim:
        fail(
            f"expected at most {x.ndim} indices of {x!r}, found {taken}", "T0208", "Leave some out.", _errors.ArgumentError
        )
    if not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    axis, arrays = 0, 0
    for i, item in enumerate(items):
        if item is Ellipsis:
            axis = x.ndim - len([one for one in items[i + 1 :] if one is not None])
        elif item is None:
            x = one("expand_dims", "vI", x, axis)
            axis += 1
        elif isinstance(item, slice):
            x = _slice(x, item, axis)
            axis += 1
        elif isinstance(item, int) and not isinstance(item, bool):
            sizes = get_program("indexing").sizes
            if sizes is not None and item < 0:
                sizes.check_from_end(item, x.shape[axis])
            x = one("select", "vii", x, item, axis)
        else:
            array = get_program("indexing").lift(item)
            arrays += 1
            if array.dtype == "bool" or arrays > 1:
                fail(
                    "an index of bools, or of several arrays, has no form here",
                    "T0213",
                    "Use tensorwright.where for bools, tensorwright.gather for several arrays.",
                    _errors.UnsupportedError,
                )
            x = one("take", "vvi", x, array, axis)
            axis += array.ndim
    return x


def _slice(x: Tensor, item: slice, axis: int) -> Tensor:
    program = get_program("indexing")
    size = x.shape[axis]
    if item == slice(None):
        return x
    if program.sizes is None:
        start, stop, step = item.indices(size)
        stop = max(start, stop) if step == 1 else stop
    else:
        start, stop, step = program.sizes.bounds(item, size)
    # What is whole at one size of a range may be a part at others.
    if not program.records and (start, stop, step) == (0, size, 1):
        return x
    if step < 0:
        # Turned whole, of none, too.
        if program.sizes is not None:
            first, end = program.sizes.turn(start, stop, -step)
            part = one("slice", "vIIII", x, (first,), (end,), (-step,), (axis,))
            return one("flip", "vI", part, axis)
        is_some = start >= stop if step == -1 else start > stop
        count = -((stop - start) // -step) if is_some else 0
        first, end = (start + (count - 1) * step, start + 1) if is_some else (0, 0)
        part = one("slice", "vIIII", x, (first,), (end,), (-step,), (axis,))
        return one("flip", "vI", part, axis)
    return one("slice", "vIIII", x, (start,), (start if step != 1 and start > stop else stop,), (step,), (axis,))
