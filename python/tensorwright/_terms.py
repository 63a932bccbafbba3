"""Sums of multiples of products of sizes, the least of two sums and quotients, which are named by what they are."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    # Coefficients of products of symbols, each the sorted names.
    Terms: TypeAlias = dict[tuple[str, ...], Fraction]


def simplify(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def make_evaluator(terms: Terms) -> Callable[[Mapping[str, int]], int | Fraction]:
    """What the sum is at sizes."""
    scale = math.lcm(*[factor.denominator for factor in terms.values()])
    parts = [(names, int(factor * scale)) for names, factor in terms.items()]

    def evaluate(sizes: Mapping[str, int]) -> int | Fraction:
        total: int | Fraction = 0
        for names, factor in parts:
            number: int | Fraction = factor
            for name in names:
                number *= sizes[name] if type(name) is str else name.at(sizes)  # type: ignore[attr-defined]
            total += number
        return total if type(total) is int and scale == 1 else simplify(Fraction(total) / scale)

    return evaluate


def add_terms(a: Terms, b: Terms, factor: int | Fraction = 1) -> Terms:
    found = dict(a)
    for names, other in b.items():
        found[names] = found.get(names, Fraction(0)) + factor * other
    return found


def multiply_terms(a: Terms, b: Terms) -> Terms:
    found: Terms = {}
    for (names, factor), (others, other) in product(a.items(), b.items()):
        key = tuple(sorted(names + others))
        found[key] = found.get(key, Fraction(0)) + factor * other
    return found


def describe_terms(terms: Terms) -> str:
    text = ""
    for names, factor in terms.items():
        number = simplify(abs(factor))
        part = " * ".join(([str(number)] if number != 1 or not names else []) + list(names))
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {part}" if text else ("-" if factor < 0 else "") + part
    return text or "0"


class Least(str):
    """The name of the smaller of two sums, of which neither is negative."""

    first: Terms
    second: Terms

    @property
    def bases(self) -> set[str]:
        return find_bases(self.first) | find_bases(self.second)

    def at(self, sizes: Mapping[str, int]) -> int | Fraction:
        return min(make_evaluator(self.first)(sizes), make_evaluator(self.second)(sizes))


class Quotient(str):
    """The name of a sum that is not negative over a number, rounded down."""

    numerator: Terms
    divisor: int

    @property
    def bases(self) -> set[str]:
        return find_bases(self.numerator)

    def at(self, sizes: Mapping[str, int]) -> int:
        return make_evaluator(self.numerator)(sizes) // self.divisor


def find_bases(terms: Terms) -> set[str]:
    """The symbols that the value follows from."""
    names = {name for names in terms for name in names}
    return {base for name in names for base in ((name,) if type(name) is str else name.bases)}  # type: ignore[attr-defined]


def find_least(terms: Terms) -> Least | Quotient | None:
    """The first of those that are named by what they are."""
    return next((name for names in terms for name in names if isinstance(name, (Least, Quotient))), None)


def divide_down(terms: Terms, divisor: int) -> Terms:
    """Over a number above zero, rounded down; what it divides stands outside."""
    whole, rest = {}, {}
    for names, factor in terms.items():
        times = factor // divisor
        whole[names] = Fraction(times)
        rest[names] = factor - times * divisor
    numerator = {names: factor for names, factor in rest.items() if factor}
    if set(numerator) - {()}:
        name = Quotient(f"(({describe_terms(numerator)}) floordiv {divisor})")
        name.numerator, name.divisor = numerator, divisor
        whole[(name,)] = Fraction(1)
    return {names: factor for names, factor in whole.items() if factor}


def can_take_least(terms: Terms) -> bool:
    """Whether the compiler reads what is written of it."""
    return all(one.denominator == 1 for one in terms.values()) and all(
        name.isascii() and name.isidentifier() for name in find_bases(terms)
    )


def find_multiples(values: Sequence[int], part: Sequence[int]) -> list[int]:
    """How often a part may stand in a sum that has these values: a few times, or as its change says."""
    changes = [(value - values[0], one - part[0]) for value, one in zip(values, part) if one != part[0]]
    more = [value // one for value, one in changes[:1] if value % one == 0 and value]
    return [*{one: 0 for one in (1, -1, 2, -2, 3, -3, *more)}]


def take_least(a: Terms, b: Terms) -> Terms:
    """What both have in common stands outside, so that one size has one name."""
    apart = {names: factor for names, factor in add_terms(a, b, -1).items() if factor}
    left = {names: factor for names, factor in apart.items() if factor > 0}
    right = {names: -factor for names, factor in apart.items() if factor < 0}
    if not left or not right:
        return b if left else a
    common = math.gcd(*[int(factor) for factor in apart.values()])
    sides = [{names: factor / common for names, factor in sorted(one.items())} for one in (left, right)]
    # Numbers behind.
    first, second = sorted(sides, key=lambda one: (set(one) == {()}, describe_terms(one)))
    name = Least(f"({describe_terms(first)} min {describe_terms(second)})")
    name.first, name.second = first, second
    found = add_terms(add_terms(b, right, -1), {(name,): Fraction(common)})
    return {names: factor for names, factor in found.items() if factor}


def take_most(a: Terms, b: Terms) -> Terms:
    found = add_terms(add_terms(a, b), take_least(a, b), -1)
    return {names: factor for names, factor in found.items() if factor}


def find_ends(
    terms: Terms, ends: Callable[[Sequence[str]], Iterator[Mapping[str, int]]]
) -> tuple[Fraction, Fraction] | None:
    """What the sum is not below and not above; nothing if no ends of ranges say it. A sum of products of different
    sizes is most and least there, and the least of two is one of both, and above neither."""
    least = find_least(terms)
    if type(least) is Quotient:
        return _find_ends_of_quotient(terms, least, ends)
    if type(least) is not Least:
        if any(len(set(names)) != len(names) for names in terms):
            return None
        evaluate = make_evaluator(terms)
        values = [Fraction(evaluate(at)) for at in ends(sorted(find_bases(terms)))]
        return min(values), max(values)
    found = []
    for side in (least.first, least.second):
        own: Terms = {}
        for names, factor in terms.items():
            rest = list(names)
            part: Terms = {(): factor}
            while least in rest:
                rest.remove(least)
                part = multiply_terms(part, side)
            own = add_terms(own, multiply_terms(part, {tuple(rest): Fraction(1)}))
        one = find_ends({names: factor for names, factor in own.items() if factor}, ends)
        if one is None:
            return None
        found.append(one)
    (low, high), (other_low, other_high) = found
    signs = {factor > 0 for names, factor in terms.items() if least in names}
    if any(names.count(least) > 1 for names in terms) or len(signs) > 1:
        return min(low, other_low), max(high, other_high)
    if True in signs:
        return min(low, other_low), min(high, other_high)
    return max(low, other_low), max(high, other_high)


def _find_ends_of_quotient(
    terms: Terms, quotient: Quotient, ends: Callable[[Sequence[str]], Iterator[Mapping[str, int]]]
) -> tuple[Fraction, Fraction] | None:
    """Those where what is rounded down is all of it, or without the rest."""
    if any(quotient in names and len(names) != 1 for names in terms):
        return None
    factor = terms[(quotient,)]
    without = {names: other for names, other in terms.items() if names != (quotient,)}
    most = add_terms(without, quotient.numerator, factor / quotient.divisor)
    rest = factor * Fraction(quotient.divisor - 1, quotient.divisor)
    found = find_ends({names: other for names, other in most.items() if other}, ends)
    if found is None:
        return None
    return found[0] - max(rest, Fraction(0)), found[1] - min(rest, Fraction(0))


def find_whole(number: float, is_over: bool) -> int | None:
    """The integer that a float is, or that it is one over."""
    if not math.isfinite(number) or (is_over and number == 0):
        return None
    whole = round(1 / number if is_over else number)
    return whole if (1 / whole if is_over and whole else float(whole)) == number else None


class Shape(tuple):  # type: ignore[type-arg]
    """Sizes of which numpy makes no array, which would lose what they are."""

    __slots__ = ()

    def __array_function__(self, function: Any, _: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if function.__name__ == "prod" and not kwargs and len(args) == 1 and len(self):
            return math.prod(self)

        def unwrap(value: Any) -> Any:
            return tuple(value) if type(value) is Shape else value

        return function(*map(unwrap, args), **{name: unwrap(one) for name, one in kwargs.items()})

    def __getitem__(self, item: Any) -> Any:
        found = super().__getitem__(item)
        return Shape(found) if isinstance(item, slice) else found

    def __add__(self, other: Any) -> Any:
        found = super().__add__(other)
        return Shape(found) if type(found) is tuple else found


def count_sizes(ranges: Mapping[str, tuple[int, int, int]]) -> int:
    """How many sizes there are."""
    return math.prod([(most - least) // step + 1 for least, most, step in ranges.values()])


def list_sizes(ranges: Mapping[str, tuple[int, int, int]]) -> Iterator[dict[str, int]]:
    for sizes in product(*[range(least, most + 1, step) for least, most, step in ranges.values()]):
        yield dict(zip(ranges, sizes))
