"""Where a function is traced for ranges of sizes: at samples of them, and at more where sizes bend."""

from __future__ import annotations

import re
from contextlib import contextmanager

from tensorwright import _errors
from tensorwright._clamps import choosing
from tensorwright._sizes import MissingSamples, Size, Sizes, refuse_small
from tensorwright._terms import add_terms, find_bases, make_evaluator
from tensorwright._trace import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from tensorwright._compile import Samples
    from tensorwright._terms import Least
    from tensorwright._trace import Program

# So many samples are traced beside the first ones.
_MOST_MORE = 128
# Between so many places of a range one side is looked for where the other one is the smaller.
_PLACES = 16


@contextmanager
def naming_dims() -> Iterator[None]:
    """What the compiler refuses of ranges names what gives them here, not options of its commands."""

    def name(text: str) -> str:
        text = re.sub(r"--dim(=NAME=MIN\.\.MAX(\[?/STEP\]?)?)?", "tensorwright.Dim", text)
        return re.sub(r"--symbol=NAME=(SIZE|VALUE)", "None in dims", text)

    try:
        yield
    except _errors.Error as error:
        error.message, error.remedy = name(error.message), name(error.remedy)
        error.notes = tuple([name(one) for one in error.notes])
        error.args = (error.message,)
        raise


def trace_ranges(
    ranges: Mapping[str, tuple[int, ...]],
    samples: Samples,
    made: list[Program],
    trace: Callable[..., tuple[bytes | None, Any]],
) -> None:
    """Traces with sizes in place of numbers what was traced at samples, and at all that this asks for."""
    taken = [dict(zip(samples.names, one)) for one in samples.sizes]
    first = len(taken)
    while True:
        sizes = Sizes(ranges, taken, list(made))
        missing: MissingSamples | None = None
        try:
            with choosing(Size):
                trace(taken[0], sizes)
        except MissingSamples as error:
            missing = error
        more = [{**taken[0], name: size} for name, size in samples.small] if missing else []
        for least in sizes.leasts:
            more += _find_around(least, sizes.given, samples)
        more = [one for i, one in enumerate(more) if one not in taken and one not in more[:i]]
        if not more and missing is None:
            break
        if not more or len(taken) + len(more) > first + _MOST_MORE:
            fail(
                f"nothing tells '{missing or next(iter(sizes.leasts))}' from other sizes where the function is traced",
                "T0118",
                "Give ranges (tensorwright.Dim) on one side of where they part.",
            )
        del made[-1]
        for values in more:
            text, _ = trace(values)
            samples.sizes.append(list(values.values()))
            samples.programs.append(text or b"")
            taken.append(values)
    sizes.check_alike(made[-1])
    samples.known = sizes.known
    traced: set[str] = set()
    while sizes.left != traced:
        traced = set(sizes.left)
        for values in sizes.find_untraced():
            own = sizes.at(values)
            with choosing(Size):
                trace(values, own)
            own.check_refused()
            sizes.check(made.pop(), values)
            if sizes.left != traced:
                break
    for name, size in samples.small:
        try:
            trace({**taken[0], name: size})
        except (_errors.Error, IndexError) as error:
            refuse_small(error, name, size)


def _find_around(
    least: Least, ranges: Mapping[str, tuple[int, int, int]], samples: Samples
) -> Iterator[dict[str, int]]:
    """Sizes on both sides of where the other one of two is the smaller, and between there and the ends: what was
    fitted to some of them is no sum that bends elsewhere, and no product, where it has to hold at the others, too."""
    apart = make_evaluator(add_terms(least.first, least.second, -1))
    ends = {name: (max(low, 2 if step == 1 else step), high) for name, (low, high, step) in ranges.items()}
    for name in sorted(find_bases(least.first) | find_bases(least.second)):
        step = ranges[name][2]
        low, high = ends[name]
        if low > high:
            continue
        others = [one for one in ends if one != name]
        middle: dict[str, int] = {}
        for one in others:
            begin, end = ends[one]
            middle[one] = begin + (end - begin) * 5 // 8 // ranges[one][2] * ranges[one][2]
        for at in ({one: ends[one][1] for one in others}, {one: ends[one][0] for one in others}, middle):
            fixed = {one: max(size, ranges[one][0]) for one, size in at.items()}
            found: set[int] = set()
            for bend in _find_bends(lambda size: apart({**fixed, name: size}), ranges[name]):
                found.update((bend - step, bend, bend + step, bend + 2 * step))
                found.update(low + (bend - low) * part // 4 // step * step for part in (0, 1, 2, 3))
                # Of few sizes below it the smallest are not done without.
                found.update(size for one, size in samples.small if one == name and bend <= low + 2 * step)
            for size in sorted(found):
                if ranges[name][0] <= size <= high:
                    known = {**fixed, name: size}
                    yield {one: known[one] for one in samples.names}


def _find_bends(apart: Callable[[int], Any], given: tuple[int, int, int]) -> Iterator[int]:
    """The first size of each side, between places far from each other."""
    low, high, step = given
    count = (high - low) // step
    places = sorted({count * each // _PLACES for each in range(_PLACES + 1)})
    for begin, end in zip(places, places[1:]):
        side = apart(low + begin * step) < 0
        if (apart(low + end * step) < 0) == side:
            continue
        while end - begin > 1:
            half = (begin + end) // 2
            begin, end = (half, end) if (apart(low + half * step) < 0) == side else (begin, half)
        yield low + end * step
