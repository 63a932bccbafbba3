"""Ends of slices of sizes that are open, clamped as numpy's are, and the smaller and the greater one of two."""

from __future__ import annotations

import builtins
import operator
import threading
from contextlib import contextmanager
from functools import reduce

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class Clamps:
    """What `Sizes` knows of slices.

    Attributes:
        size_type: of sizes that are open.
    """

    size_type: type

    def _choose(self, a: Any, b: Any, takes_most: bool = False) -> Any:
        """The smaller or the greater one."""
        raise NotImplementedError

    def _learn(self, size: Any) -> Any:
        """What a slice takes."""
        raise NotImplementedError

    def _divide(self, size: Any, by: int) -> Any:
        """Rounded down, by a name of its own."""
        raise NotImplementedError

    def bounds(self, item: slice, size: Any) -> tuple[Any, Any, Any]:
        """As slice.indices, by comparisons."""
        given: list[Any] = [one if one is None or type(one) is self.size_type else operator.index(one) for one in _parts(item)]
        begin, end, by = given
        step = 1 if by is None else by
        if step == 0:
            raise ValueError("slice step cannot be zero")
        # Backward from the last one, to before the first.
        least, most = (0, size) if step > 0 else (-1, size - 1)
        first, last = (least, most) if step > 0 else (most, least)
        first = first if begin is None else self._place(begin, size, least, most)
        last = last if end is None else self._place(end, size, least, most)
        if step < 0:
            return first, last, step
        last = self._choose(last, first, takes_most=True)
        first, length = self._learn(first), self._learn(last - first)
        if step != 1:
            self._learn(self._divide(length + step - 1, step))
        return first, first + length, step

    def turn(self, start: Any, stop: Any, by: int) -> tuple[Any, Any]:
        """Where what is taken backward, every so manyth, begins and ends."""
        apart = start - stop
        reach = self._choose(apart, 0, takes_most=True)
        if type(reach) is int and reach == 0:
            return 0, 0
        count = self._learn(self._divide(reach + by - 1, by))
        first, end = start - (count - 1) * by, start + 1
        # Of none what is taken first lies behind the end.
        if reach is not apart or (by != 1 and self._choose(apart, 1, takes_most=True) is not apart):
            first = self._choose(first, end)
        return self._learn(first), self._learn(end)

    def _place(self, given: Any, size: Any, least: int, most: Any) -> Any:
        """Of an end of a slice, as numpy clamps it."""
        if given < 0:
            return self._choose(given + size, least, takes_most=True)
        return self._choose(given, most)

    def choose_all(self, numbers: list[Any], takes_most: bool) -> Any:
        return reduce(lambda a, b: self._choose(a, b, takes_most), numbers)


def _parts(item: slice) -> tuple[Any, Any, Any]:
    return item.start, item.stop, item.step


_lock = threading.Lock()
# As many traces go on, and what they have put in place of the builtins.
_in_use = 0
_placed: list[_Choice] = []
_here = threading.local()


class _Choice:
    """`min` or `max`, of which those of sizes are sizes in threads that trace."""

    def __init__(self, plain: Callable[..., Any], name: str, size_type: type) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "builtins"
        self.__doc__ = plain.__doc__
        self._plain = plain
        self._size_type = size_type

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or not args or not getattr(_here, "traces", 0):
            return self._plain(*args, **kwargs)
        numbers = list(args) if len(args) > 1 else list(args[0])
        sizes: list[Any] = [one for one in numbers if type(one) is self._size_type]
        if sizes and all(type(one) in (int, self._size_type) for one in numbers):
            return sizes[0]._of.choose_all(numbers, self.__name__ == "max")
        return self._plain(*args) if len(args) > 1 else self._plain(numbers)

    def __reduce__(self) -> Any:
        # By name what stands there is read as that, elsewhere as the builtin.
        is_there = getattr(builtins, self.__name__) is self
        return self.__name__ if is_there else (_get_builtin, (self.__name__,))


def _get_builtin(name: str) -> Any:
    return getattr(builtins, name)


@contextmanager
def choosing(size_type: type) -> Iterator[None]:
    """While a function is traced, `min` and `max` of sizes are sizes, of which Python would ask which it is."""
    global _in_use
    with _lock:
        if _in_use == 0:
            _placed[:] = [_Choice(getattr(builtins, name), name, size_type) for name in ("min", "max")]
            for one in _placed:
                setattr(builtins, one.__name__, one)
        _in_use += 1
    _here.traces = getattr(_here, "traces", 0) + 1
    try:
        yield
    finally:
        _here.traces -= 1
        with _lock:
            _in_use -= 1
            for one in _placed if _in_use == 0 else ():
                # What somebody else has put there meanwhile stays.
                if getattr(builtins, one.__name__) is one:
                    setattr(builtins, one.__name__, one._plain)
