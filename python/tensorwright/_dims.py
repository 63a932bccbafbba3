"""Sizes that programs leave open, and what gives them: `dims` of `jit` and of `compile`."""

from __future__ import annotations

from tensorwright import _errors
from tensorwright._trace import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def _as_int(given: Any) -> int | None:
    """None of what is no int, and of a bool."""
    from operator import index

    try:
        return None if isinstance(given, bool) else index(given)
    except TypeError:
        return None


class Dim:
    """A size that a program leaves open: each call has one between the least and the most.

    Args:
        name: by which it is the same one everywhere.
        least: from 0 on.
        most: at least as much.
        step: of which all sizes are multiples, those two among them.
        typical: the size that calls have most. Code is made for all sizes; this one counts for more in what is chosen.
    """

    __slots__ = ("name", "least", "most", "step", "typical")

    def __init__(self, name: str, least: int, most: int, step: int = 1, typical: int | None = None) -> None:
        for one in (least, most, step, 0 if typical is None else typical):
            if _as_int(one) is None:
                fail(
                    f"Dim '{name}': expected ints, found {one!r}",
                    "T0209",
                    "Give the least and the most of the sizes that calls may have.",
                    _errors.ArgumentError,
                )
        if not 0 <= least <= most:
            fail(
                f"Dim '{name}': expected 0 <= least <= most, found {least} and {most}",
                "T0209",
                "Give a range of sizes.",
                _errors.ArgumentError,
            )
        if step < 1 or least % step or most % step:
            fail(
                f"Dim '{name}': expected multiples of the step {step}, found {least} and {most}",
                "T0209",
                "Give the least and the most of the sizes that calls may have.",
                _errors.ArgumentError,
            )
        if typical is not None and (not least <= typical <= most or typical % step):
            fail(
                f"Dim '{name}': the typical size is {typical}, expected a multiple of {step} from {least} to {most}",
                "T0209",
                "Give one of the sizes that calls may have.",
                _errors.ArgumentError,
            )
        self.name, self.least, self.most, self.step, self.typical = name, least, most, step, typical

    def __repr__(self) -> str:
        text = f"Dim({self.name!r}, {self.least}, {self.most}" + (f", {self.step}" if self.step > 1 else "")
        return text + (")" if self.typical is None else f", typical={self.typical})")


def check_dims(dims: Any) -> dict[str, tuple[Dim | int | None, ...]]:
    """What `dims` gives each argument, a tuple of what it says of each dimension."""
    from collections.abc import Mapping, Sequence

    def refuse(found: str) -> NoReturn:
        fail(
            f"{found}, expected a tuple with a Dim, a number or None for each dimension",
            "T0507",
            'Give dims={"x": (tensorwright.Dim("n", 1, 64), None)} for an argument x of rank 2.',
            _errors.ArgumentError,
        )

    if not isinstance(dims, Mapping):
        refuse(f"dims are of type '{type(dims).__name__}' and not a mapping of names")
    for name, shape in dims.items():
        if not isinstance(shape, Sequence) or isinstance(shape, str):
            refuse(f"dims gives argument '{name}' a '{type(shape).__name__}'")
        for one in shape:
            if not (one is None or isinstance(one, Dim) or _as_int(one) is not None):
                refuse(f"dims gives a dimension of argument '{name}' a '{type(one).__name__}'")
    return {name: tuple(shape) for name, shape in dims.items()}


def list_ranges(dims: Any) -> list[str]:
    """Entries of the import options for `dims` of `compile`."""
    from collections.abc import Mapping

    def refuse(found: str) -> NoReturn:
        raise _errors.ArgumentError(
            f"{found}, expected a Dim of that name, (least, most), (least, most, step) or (least, most, step, typical)",
            code="T0506",
            remedy='Give dims={"batch": (1, 64)}; symbols={"batch": 8} gives one size.',
        )

    if not isinstance(dims, Mapping):
        refuse(f"dims are of type '{type(dims).__name__}' and not a mapping of names")
    entries = []
    for name, given in dims.items():
        if isinstance(given, (tuple, list)) and 2 <= len(given) <= 4:
            given = Dim(name, *given)
        if not isinstance(given, Dim) or given.name != name:
            refuse(f"dims gives '{name}' {given!r}")
        text = f"dim={name}={given.least}..{given.most}/{given.step}"
        entries.append(text if given.typical is None else f"{text}:{given.typical}")
    return entries
