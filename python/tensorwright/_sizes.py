"""Sizes of a function that is traced for ranges of them: ints that know what they are at all sizes.

A trace sees the numbers of one sample. What the function decides by them has to be decided so at all sizes of the
ranges, so the first sample is traced once more with a `Size` in place of each size that changes: arithmetic gives
further ones, and a comparison is tried at all sizes, and refused where it is another one at some. What leaves as a plain
number (`range(n)`, `math.sqrt(n)`, a key of a dict) is noted: what follows from it nobody knows.
"""

from __future__ import annotations

import math
import operator
import sys
from fractions import Fraction
from itertools import product

from tensorwright import _errors
from tensorwright._clamps import Clamps
from tensorwright._terms import (
    Least,
    Shape,
    add_terms,
    can_take_least,
    count_sizes,
    describe_terms,
    divide_down,
    find_bases,
    find_ends,
    find_least,
    find_multiples,
    find_whole,
    list_sizes,
    make_evaluator,
    multiply_terms,
    simplify,
    take_least,
    take_most,
)
from tensorwright._trace import _PACKAGE, Tensor, fail, find_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, NoReturn

    from tensorwright._terms import Terms
    from tensorwright._trace import Program

# So many sizes are tried.
_MOST_TRIED = 1 << 18
# And so many calls of a function are traced at sizes one by one; to begin a trace is as long as some calls.
_MOST_CALLS = 1 << 16
_CALLS_OF_BEGIN = 8


def refuse_small(error: Exception, name: str, size: int) -> None:
    """Raises that a function has no program where a symbol is none or one, so that its range is refused."""
    known = error if isinstance(error, _errors.Error) else _errors.CompileError(str(error), code="T0108")
    raise type(known)(
        f"where '{name}' is {size}, there is no such program: {known.message}",
        code=known.code,
        file=known.file,
        line=known.line,
        column=known.column,
        remedy=f"Begin its range behind {size}.",
    ) from error


class MissingSamples(Exception):
    """Of a size with another one where there are none or one: samples have to tell that."""


class Sizes(Clamps):
    """What is known of the sizes of a function.

    Attributes:
        known: sizes that slices take, the least of some, as the compiler reads them.
        ranges: by name, least, most and step.
        left: the symbols of which a plain number has left, or what follows from them.
        escaped: what that was, and where, the first time; or None.
    """

    def __init__(
        self,
        ranges: Mapping[str, tuple[int, ...]],
        samples: Sequence[Mapping[str, int]],
        programs: Sequence[Program],
    ) -> None:
        # In the order in which samples change them.
        self.ranges = {name: (least, most, (*step, 1)[0]) for name, (least, most, *step) in sorted(ranges.items())}
        self.samples = samples
        self.shapes = [one.shapes for one in programs]
        self.calls = [one.calls for one in programs]
        # Of this trace only those of which no plain number has left are open, beside these sizes.
        self.given = dict(self.ranges)
        self.base = samples[0]
        self._whole: Sizes | None = None
        self.left: set[str] = set()
        self.escaped: tuple[tuple[str, int], str] | None = None
        # The first refusal, which the function may have caught.
        self._refused: BaseException | None = None
        self._solved: dict[tuple[int, ...], Any] = {}
        self._decided: set[str] = set()
        self.known: list[str] = []
        # Where sizes bend, in the order of the trace.
        self.leasts: dict[Least, None] = {}

    def at(self, sizes: Mapping[str, int]) -> Sizes:
        """The same for a trace at these sizes, where those of which a plain number has left are known."""
        own = Sizes(self.given, self.samples, ())
        own.shapes, own.calls, own.base, own._whole, own.left = self.shapes, self.calls, sizes, self, self.left
        own._leave(self.left)
        return own

    def _leave(self, names: Iterable[str]) -> None:
        """From here on these have one size, as all are traced."""
        self.left.update(names)
        self.ranges.update({name: (self.base[name], self.base[name], self.given[name][2]) for name in names})

    def ends(self, names: Sequence[str]) -> Iterator[dict[str, int]]:
        for sizes in product(*[self.ranges[name][:2] for name in names]):
            yield dict(zip(names, sizes))

    def shape(self, number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a tensor, by its number in the program, with sizes that change."""
        found = [each[number] if number < len(each) else None for each in self.shapes]
        if any(each is None or len(each) != len(shape) for each in found):
            # Samples are other programs, which is told when they are compared.
            return shape
        sizes = [self.solve(tuple([each[i] for each in found if each])) for i in range(len(shape))]
        for i, size in enumerate(sizes):
            if type(size) is Size and size._at is None:
                sizes[i] = Size(self, shape[i], None, None, size._names, size._text)
        return tuple(sizes)

    def solve(self, values: tuple[int, ...]) -> Any:
        """The size that has these values at the samples."""
        if values not in self._solved and all(one == values[0] for one in values):
            return values[0]
        if values not in self._solved:
            self._solved[values] = self._solve(values) if self._whole is None else self._settle(self._whole.solve(values))
        return self._solved[values]

    def _settle(self, size: Size) -> Any:
        """The size of all traces in this one."""
        if size._at is None:
            return Size(self, size._value, None, None, size._names, size._text)
        value = size._at(self.base)
        found = Size(self, value, size._terms, size._at, size._names, size._text, size._bounds, size._is_whole)
        found._is_bent, found._named = size._is_bent, size._named
        return found

    def _solve(self, values: tuple[int, ...]) -> Any:
        symbols: dict[str, Any] = {name: Size(self, self.base[name], {(name,): Fraction(1)}) for name in self.ranges}
        found = self._fit(values, symbols)
        if found is not None:
            return found
        for name in self.ranges:
            for divisor in range(2, 65):
                for more in {0, divisor - 1}:
                    part = (symbols[name] + more) // divisor
                    own = self._fit(values, {**symbols, name: part})
                    if own is not None:
                        return own
        found = self._fit_beside_parts(values, symbols)
        return Size(self, values[0], None, None, tuple(self.ranges), "a size") if found is None else found

    def _fit_beside_parts(self, values: tuple[int, ...], symbols: Mapping[str, Any]) -> Any:
        """The sum of a multiple of the least of two sizes, which a slice takes, and of what else is known; or None."""
        leasts = [find_least(one._terms) for one in self._solved.values() if one._terms]
        for least in {one: one for one in leasts if one is not None}:
            part: Any = Size(self, least.at(self.base), {(least,): Fraction(1)})
            own = [part._at(sample) for sample in self.samples]
            for times in find_multiples(values, own):
                rest = tuple([value - times * one for value, one in zip(values, own)])
                found = rest[0] if all(one == rest[0] for one in rest) else self._fit(rest, symbols)
                if found is not None:
                    return part * times + found
        return None

    def _fit(self, values: tuple[int, ...], variables: Mapping[str, Any]) -> Any:
        """The sum of multiples of the variables, and of products of two, that has these values; or None."""
        names = list(variables)
        columns = [[one._at(sample) for sample in self.samples] for one in variables.values()]
        total: Any = 0
        pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
        rest: list[Any] = [Fraction(one) for one in values]
        for number, (i, j) in enumerate(pairs):
            pair = 1 + len(names) + number
            moved = (columns[i][pair] - columns[i][0]) * (columns[j][pair] - columns[j][0])
            change = values[pair] - values[1 + i] - values[1 + j] + values[0]
            if moved and change:
                total = variables[names[i]] * variables[names[j]] * simplify(Fraction(change) / moved) + total
        if isinstance(total, Size):
            rest = [Fraction(one - total._at(sample)) for one, sample in zip(rest, self.samples)]
        # Of which a fraction on the left would take a size for an int.
        linear: Any = simplify(rest[0])
        for i, name in enumerate(names):
            moved = columns[i][0] - columns[i][1 + i]
            change = rest[0] - rest[1 + i]
            if moved and change:
                factor = Fraction(change) / moved
                linear = variables[name] * simplify(factor) + (linear - simplify(columns[i][0] * factor))
        found = linear + total if type(linear) is Size or type(total) is not Size else total + linear
        if not isinstance(found, Size):
            return None
        fits = all(found._at(sample) == one for sample, one in zip(self.samples, values))
        return found if fits else None

    def find_untraced(self) -> Iterator[dict[str, int]]:
        """Sizes to trace, too: all of those of which a plain number has left, beside the others of the first sample."""
        own = {name: self.given[name] for name in sorted(self.left)}
        count = count_sizes(own)
        if self.escaped is not None and count * (_CALLS_OF_BEGIN + len(self.calls[0])) > _MOST_CALLS:
            (file, line), use = self.escaped
            raise _errors.CompileError(
                f"{use} is taken, and what follows from it at {count} sizes of the ranges is not known",
                code="T0118",
                file=file,
                line=line,
                remedy="Compute with the size alone, as x.shape gives it, give a smaller range (tensorwright.Dim, in "
                "steps), of which all sizes are traced, or name what follows from it in static_argnames.",
            )
        return ({**self.samples[0], **sizes} for sizes in list_sizes(own))

    def check_alike(self, program: Program) -> None:
        """Whether the first sample, traced once more with sizes in place of numbers, is what it was, and nothing
        that was refused was caught."""
        self.check_refused()
        if repr((program.shapes, program.calls)) != repr((self.shapes[0], self.calls[0])):
            fail(
                "the function does something else where it is given sizes for numbers",
                "T0118",
                "Decide by comparisons of sizes, not by their type or identity.",
            )

    def check_refused(self) -> None:
        if self._refused is not None:
            raise self._refused

    def check(self, program: Program, at: Mapping[str, int]) -> None:
        """Whether a trace at these sizes calls what those of the samples do, with numbers and for shapes that follow
        from theirs."""
        same = len(program.shapes) == len(self.shapes[0])
        same = same and [one[:2] for one in program.calls] == [one[:2] for one in self.calls[0]]
        same = same and all([len(one) == len(program.calls) for one in self.calls])
        for i, shape in enumerate(program.shapes if same else ()):
            same = same and self._follows(shape, [one[i] for one in self.shapes if i < len(one)], at)
        for i, call in enumerate(program.calls if same else ()):
            same = same and self._follows(call[2], [one[i][2] for one in self.calls], at)
        if not same and self.escaped is not None:
            (file, line), use = self.escaped
            where = ", ".join([f"{name} = {at[name]}" for name in sorted(self.left)])
            raise _errors.CompileError(
                f"{use} is taken, and the function does something else where {where} than at other sizes of the ranges",
                code="T0118",
                file=file,
                line=line,
                remedy="Give ranges (tensorwright.Dim) on one side of it, a function for each.",
            )

    def _follows(self, found: Any, samples: Sequence[Any], at: Mapping[str, int]) -> bool:
        """Whether numbers are what those of the samples come to."""
        if type(found) is tuple:
            alike = all(type(one) is tuple and len(one) == len(found) for one in samples)
            return alike and all(self._follows(one, [each[i] for each in samples], at) for i, one in enumerate(found))
        if all(repr(one) == repr(samples[0]) for one in samples):
            return repr(found) == repr(samples[0])
        if len(samples) != len(self.samples):
            return False
        if all(type(one) is float for one in (found, *samples)):
            # A size as a float, or one over it, as the compiler knows them.
            for is_over in (False, True):
                whole = [find_whole(one, is_over) for one in (found, *samples)]
                if None not in whole and self._follows(whole[0], whole[1:], at):
                    return True
        if not all(type(one) is int for one in (found, *samples)):
            return False
        size = self.solve(tuple(samples))
        return type(size) is Size and size._at is not None and size._at(at) == found

    def unwrap(self, value: Any) -> Any:
        """Plain numbers, for the program."""
        if type(value) is Size:
            if value._is_bent:
                self._let_out(value)
            elif value._at is not None:
                self._check_small(value)
            return value._value
        if type(value) is Shape:
            value = tuple(value)
        if type(value) in (list, tuple) and any(type(one) in (Size, list, tuple) for one in value):
            return type(value)([self.unwrap(one) for one in value])
        return value

    def _let_out(self, size: Size) -> None:
        """What follows from a slice's length is told as it is: of numbers at samples alone another sum may be found."""
        if self._whole is not None:
            return
        if size._terms is None or not can_take_least(size._terms):
            self._fail(
                f"'{size._text}' follows from a size that is clamped or rounded, and is no sum of multiples of sizes and "
                "products",
                "Give ranges (tensorwright.Dim) in which no slice, 'min', 'max' or quotient takes another one of two.",
            )
        self._learn(size)

    def _check_small(self, size: Size) -> None:
        """None and one are no samples: what is found from few others has to hold there, too, or they are traced."""
        few = {name: range(least, min(most, 1) + 1, step) for name, (least, most, step) in self.given.items()}
        small = [{**self.base, name: one} for name in size._names for one in few[name]]
        if self._whole is not None or not small:
            return
        found = self.solve(tuple([size._at(one) for one in self.samples]))
        at = found._at if type(found) is Size else lambda _: found
        if at is not None and any(_holds(lambda a, _: a == at(one), size, one) is False for one in small):
            raise MissingSamples(size._text)

    def _choose(self, a: Any, b: Any, takes_most: bool = False) -> Any:
        """The smaller or the greater one: one of both where that is known, and else a size of its own."""
        a, b = self._name(a), self._name(b)
        difference = a - b
        own = difference._terms if type(difference) is Size else {}
        if type(difference) is not Size or own is None or not can_take_least(own):
            return b if (a < b if takes_most else a > b) else a
        first, second = (b, a) if takes_most else (a, b)
        for compare, one in ((operator.le, first), (operator.ge, second)):
            # Samples of few sizes are beyond their range.
            at_samples = all(_holds(compare, difference, {**at, **self._settled()}) is True for at in self.samples)
            if at_samples and (self._proves(compare, difference, True) or self._holds_at_all(compare, difference)):
                return one
        take = take_most if takes_most else take_least
        terms = take(_terms_of(a), _terms_of(b))
        self.leasts.update({name: None for names in terms for name in names if type(name) is Least})
        return Size(self, (max if takes_most else min)(_value(a), _value(b)), terms)

    def _name(self, size: Any) -> Any:
        """A quotient by its name, which the least of it and of another one has, too."""
        if type(size) is not Size or size._terms is not None or size._named is None or not size._is_whole:
            return size
        return Size(self, size._value, size._named)

    def _divide(self, size: Any, by: int) -> Any:
        size = self._name(size)
        if by == 1 or type(size) is not Size or size._terms is None or not can_take_least(size._terms):
            return size // by
        terms = divide_down(size._terms, by)
        return Size(self, size._value // by, terms) if find_bases(terms) else simplify(terms.get((), Fraction(0)))

    def _settled(self) -> dict[str, int]:
        """Symbols of one size in this trace."""
        return {} if self._whole is None else {name: self.base[name] for name in self.left}

    def _holds_at_all(self, compare: Callable[[Any, Any], bool], difference: Size) -> bool:
        # Between steps, too, of which what the compiler proves of a size knows nothing.
        own = {name: (*self.ranges[name][:2], 1) for name in difference._names}
        return count_sizes(own) <= _MOST_TRIED and all(_holds(compare, difference, at) is True for at in list_sizes(own))

    def _learn(self, size: Any) -> Any:
        """What a slice takes is what dimensions with its values at the samples are; or what these are, where both are
        one at all sizes."""
        size = self._name(size)
        if type(size) is not Size or size._terms is None or find_least(size._terms) is None or self._whole is not None:
            return size
        values = tuple([size._at(one) for one in self.samples])
        known = self._solved.get(values)
        if known is None or known._terms is None:
            symbols = {name: Size(self, self.base[name], {(name,): Fraction(1)}) for name in self.ranges}
            known = values[0] if len(set(values)) == 1 else self._fit(values, symbols)
        if known is None:
            self._solved[values] = size
            self.known.append(describe_terms(size._terms))
            return size
        own = {name: self.ranges[name] for name in size._names}
        apart = size - known
        if type(apart) is Size and (count_sizes(own) > _MOST_TRIED or any(_holds(operator.ne, apart, at) for at in list_sizes(own))):
            raise MissingSamples(size._text)
        return known

    def check_from_end(self, item: Any, size: Any) -> None:
        """Whether there is an element that far from the end at all sizes."""
        self.decide(operator.ge, ">=", size, -item)

    def note(self, size: Size, use: str) -> None:
        """A plain number leaves; to this package that is a number of the program."""
        frame = sys._getframe(2)
        if frame.f_code.co_filename.startswith(_PACKAGE):
            return
        self._leave(size._names)
        if self.escaped is None:
            file, line, _ = find_place()
            self.escaped = (file, line), f"{use} of the size '{size._text}'"

    def decide(self, compare: Callable[[Any, Any], bool], sign: str, a: Any, b: Any) -> bool:
        """What is so for the sample; it has to be for all sizes."""
        found = bool(compare(_value(a), _value(b)))
        difference = a - b
        text = f"{_text(a)} {sign} {_text(b)}"
        if not isinstance(difference, Size) or text in self._decided:
            return found
        if difference._at is None:
            self._refuse(text, "a size is no sum of multiples of those of arguments, nor a quotient")
        names = difference._names
        other = next((at for at in self.ends(names) if _holds(compare, difference, at) != found), None)
        if other is None and not self._proves(compare, difference, found):
            own = {name: self.ranges[name] for name in names}
            if count_sizes(own) > _MOST_TRIED:
                self._refuse(text, f"there are {count_sizes(own)} of them, which are not all tried")
            other = next((at for at in list_sizes(own) if _holds(compare, difference, at) != found), None)
        if other is not None:
            elsewhere = "at other sizes of the ranges"
            if beyond := {name: self.base[name] for name in names if self.base[name] > self.ranges[name][1]}:
                elsewhere = f"where {_describe_sizes(beyond)}, at which programs of so few sizes are made, too"
            is_so = f"{_holds(compare, difference, other)} where {_describe_sizes(other)}"
            self._fail(
                f"'{text}' is {is_so}, and {found} {elsewhere}",
                "Give ranges (tensorwright.Dim) on one side of it, a function for each; or choose with "
                "tensorwright.where or cond.",
            )
        self._decided.add(text)
        return found

    def _proves(self, compare: Callable[[Any, Any], bool], difference: Size, found: bool) -> bool:
        """Whether the ends of the ranges say it: a sum of products of different sizes is most and least there."""
        if difference._bounds is None:
            return False
        found_at = [find_ends(terms, self.ends) for terms in difference._bounds]
        if found_at[0] is None or found_at[1] is None:
            return False
        low: Any = found_at[0][0]
        high: Any = found_at[1][1]
        if difference._is_whole:
            low, high = math.ceil(low), math.floor(high)
        if compare in (operator.eq, operator.ne):
            return bool(low > 0 or high < 0)
        return bool(compare(low, 0)) == bool(compare(high, 0)) == found

    def _refuse(self, what: str, why: str) -> NoReturn:
        self._fail(
            f"whether '{what}' at all sizes of the ranges is not known: {why}",
            "Give smaller ranges (tensorwright.Dim), or decide by sizes of arguments.",
        )

    def _fail(self, what: str, remedy: str) -> NoReturn:
        try:
            fail(what, "T0118", remedy)
        except _errors.CompileError as error:
            self._refused = self._refused or error
            raise


def _holds(compare: Callable[[Any, Any], bool], difference: Size, at: Mapping[str, int]) -> bool | str:
    try:
        return bool(compare(difference._at(at), 0))
    except (ArithmeticError, ValueError) as error:
        return str(error)


def _describe_sizes(sizes: Mapping[str, int]) -> str:
    return ", ".join([f"{name} = {size}" for name, size in sizes.items()])


def _plain(number: Any) -> Any:
    """Numbers of other types (of an enum, of numpy) as what they are."""
    if type(number) in _KINDS:
        return number
    if isinstance(number, int):
        return int(number)
    if isinstance(number, float):
        return float(number)
    if isinstance(number, complex):
        return complex(number)
    is_index = hasattr(number, "__index__") and not isinstance(number, Tensor) and getattr(number, "shape", ()) == ()
    return operator.index(number) if is_index else number


def _value(number: Any) -> Any:
    return number._value if type(number) is Size else number


def _text(number: Any) -> str:
    return number._text if type(number) is Size else str(number)


def _group(number: Any) -> str:
    text = _text(number)
    is_group = text.startswith("(") and text.find(")") == len(text) - 1
    return f"({text})" if " " in text and not is_group else text


class Size:
    """A size, or what is computed from some, at the sample that is traced and at all others. To Python an int, or a
    float, which it is no subclass of, as that would be read unseen."""

    __slots__ = ("_at", "_bounds", "_is_bent", "_is_whole", "_named", "_names", "_of", "_terms", "_text", "_value")

    def __init__(
        self,
        of: Sizes,
        value: Any,
        terms: Terms | None,
        at: Any = None,
        names: tuple[str, ...] = (),
        text: str = "",
        bounds: tuple[Terms, Terms] | None = None,
        is_whole: bool = False,
    ) -> None:
        self._of = of
        self._value = value
        self._terms = terms
        self._at = at
        self._names = names
        self._text = text
        # Sums that it is not below, and not above.
        self._bounds = bounds
        # Whether it is an integer at all sizes.
        self._is_whole = is_whole
        # Whether it follows from the least of two sizes.
        self._is_bent = terms is not None and find_least(terms) is not None
        # Terms in which quotients have names, which those have that are beside what bends.
        self._named = terms
        if terms is not None:
            self._names = tuple(sorted(find_bases(terms)))
            self._text = describe_terms(terms)
            self._at = make_evaluator(terms)
            self._bounds = terms, terms
            self._is_whole = all(factor.denominator == 1 for factor in terms.values())

    def _get_class(self) -> type:
        return type(self._value) if isinstance(self._value, (float, complex)) else int

    if not TYPE_CHECKING:
        __class__ = property(_get_class)

    def _combine(self, other: Any, apply: Callable[[Any, Any], Any], sign: str, is_turned: bool = False) -> Any:
        other = _plain(other)
        if type(other) not in _KINDS:
            return NotImplemented
        a, b = (other, self) if is_turned else (self, other)
        if type(other) is int and other == (sign == "*") and sign in "*+":
            return self
        if type(b) is Size and sign in ("/", "//", "%"):
            self._of.decide(operator.ne, "!=", b, 0)
        terms = _combine_terms(self._of, a, b, sign)
        named = None
        if terms is None:
            named = _combine_terms(self._of, a, b, sign, takes_named=True)
            if _is_bent(a) or _is_bent(b):
                terms = named
        value = apply(_value(a), _value(b))
        if isinstance(value, Fraction):
            value = simplify(value)
        if terms is not None:
            if all(not names for names in terms):
                return simplify(terms.get((), Fraction(0)))
            found = Size(self._of, value, terms)
            found._text = f"{_group(a)} % {_group(b)}" if sign == "%" else found._text
            return found
        first = a._at if type(a) is Size else lambda _: a
        second = b._at if type(b) is Size else lambda _: b
        names = {name for one in (a, b) if type(one) is Size for name in one._names}
        at = None if first is None or second is None else lambda sizes: apply(first(sizes), second(sizes))
        text = f"{_group(a)} {sign} {_group(b)}"
        is_whole = sign in ("+", "-", "*", "//") and _is_whole(a) and _is_whole(b)
        found = Size(self._of, value, None, at, tuple(sorted(names)), text, _combine_bounds(a, b, sign), is_whole)
        found._is_bent, found._named = _is_bent(a) or _is_bent(b), named
        return found

    def _apply(self, apply: Callable[[Any], Any], name: str, *more: Any) -> Size:
        own = self._at
        at = None if own is None else lambda sizes: apply(own(sizes))
        text = ", ".join([self._text, *map(str, more)])
        found = Size(self._of, apply(self._value), None, at, self._names, f"{name}({text})")
        found._is_bent = _is_bent(self)
        return found

    def __abs__(self) -> Size:
        return self._apply(abs, "abs")

    def __neg__(self) -> Any:
        return self._combine(-1, operator.mul, "*")

    def __pos__(self) -> Size:
        return self

    def __invert__(self) -> Any:
        return -self - 1

    def __round__(self, *digits: int) -> Size:
        return self._apply(lambda one: round(one, *digits), "round", *digits)

    def __floor__(self) -> Size:
        return self._apply(math.floor, "floor")

    def __ceil__(self) -> Size:
        return self._apply(math.ceil, "ceil")

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        found = self._combine(other, operator.pow, "**")
        return found if modulus is None or found is NotImplemented else found % modulus

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __bool__(self) -> bool:
        return self._of.decide(operator.ne, "!=", self, 0)

    def __index__(self) -> int:
        self._of.note(self, "a plain number")
        return operator.index(self._value)

    def __int__(self) -> int:
        self._of.note(self, "int()")
        return int(self._value)

    __trunc__ = __int__

    def __float__(self) -> float:
        self._of.note(self, "float()")
        return float(self._value)

    def __complex__(self) -> complex:
        self._of.note(self, "complex()")
        return complex(self._value)

    def __hash__(self) -> int:
        self._of.note(self, "a key")
        return hash(self._value)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        from importlib import import_module

        self._of.note(self, "an array")
        return import_module("numpy").asarray(self._value, *args)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._value, name)
        self._of.note(self, f"'{name}'")
        return found

    def __repr__(self) -> str:
        self._of.note(self, "the text")
        return repr(self._value)

    def __format__(self, form: str) -> str:
        self._of.note(self, "the text")
        return format(self._value, form)


def _combine_terms(of: Sizes, a: Any, b: Any, sign: str, takes_named: bool = False) -> Terms | None:
    """Of a sum or product, or of a quotient without a rest at any size, or one that has a name."""
    parts: list[Terms] = []
    for one in (a, b):
        if type(one) is Size:
            own = one._named if takes_named else one._terms
            if own is None:
                return None
            parts.append(own)
        elif isinstance(one, (int, Fraction)):
            parts.append({(): Fraction(one)})
        else:
            return None
    left, right = parts
    if sign in "+-":
        found = add_terms(left, right, 1 if sign == "+" else -1)
    elif sign == "*":
        found = multiply_terms(left, right)
    elif sign == "//" and list(right) == [()] and right[()].denominator == 1 and right[()] > 0:
        found = {names: factor / right[()] for names, factor in left.items()}
        # Multiples of steps.
        for names, factor in found.items():
            steps = [math.gcd(of.ranges[one][0], of.ranges[one][2]) for one in names if one in of.ranges]
            if (factor * math.prod(steps)).denominator != 1:
                return _divide_named(left, right) if takes_named or find_least(left) else None
    elif sign == "%" and (quotient := _divide_named(left, right)) is not None:
        found = add_terms(left, multiply_terms(quotient, right), -1)
    elif sign == "**" and find_least(left) and list(right) == [()] and right[()] in (1, 2, 3):
        found = left
        for _ in range(int(right[()]) - 1):
            found = multiply_terms(found, left)
    else:
        return None
    return {names: factor for names, factor in found.items() if factor}


def _divide_named(left: Terms, right: Terms) -> Terms | None:
    """By what it is, as the compiler names it."""
    if not can_take_least(left) or list(right) != [()] or right[()].denominator != 1 or right[()] <= 0:
        return None
    return divide_down(left, int(right[()]))


def _terms_of(number: Any) -> Terms:
    return (number._terms or {}) if type(number) is Size else {(): Fraction(number)}


def _bounds_of(number: Any) -> tuple[Terms, Terms] | None:
    if type(number) is Size:
        return number._bounds
    terms: Terms = {(): Fraction(number)}
    return terms, terms


def _is_whole(number: Any) -> bool:
    return number._is_whole if type(number) is Size else type(number) is int


def _is_bent(number: Any) -> bool:
    """Or may follow from what bends, as sizes of which nobody knows what they are."""
    return type(number) is Size and (number._is_bent or (number._at is None and bool(number._of.leasts)))


def _is_float(number: Any) -> bool:
    return isinstance(_value(number), float)


def _widen(terms: Terms, sign: int) -> Terms:
    """By more than what rounding to floats of 64 bits changes; sizes are not negative."""
    return {names: factor + sign * abs(factor) / (1 << 50) for names, factor in terms.items()}


def _combine_bounds(a: Any, b: Any, sign: str) -> tuple[Terms, Terms] | None:
    """What a sum, a multiple or a quotient is not below, and not above."""
    found = _combine_exact_bounds(a, b, sign)
    if found is None or not (sign == "/" or _is_float(a) or _is_float(b)):
        return found
    return None if sign == "//" else (_widen(found[0], -1), _widen(found[1], 1))


def _combine_exact_bounds(a: Any, b: Any, sign: str) -> tuple[Terms, Terms] | None:
    if any([type(one) is complex or (type(one) is float and not math.isfinite(one)) for one in (a, b)]):
        return None
    first, second = _bounds_of(a), _bounds_of(b)
    if first is None or second is None:
        return None
    if sign == "+":
        return add_terms(first[0], second[0]), add_terms(first[1], second[1])
    if sign == "-":
        return add_terms(first[0], second[1], -1), add_terms(first[1], second[0], -1)
    if type(b) is Size and sign == "*":
        a, b, first = b, a, second
    if type(b) is Size or (sign != "*" and b <= 0):
        return None
    factor: Terms = {(): Fraction(b) if sign == "*" else 1 / Fraction(b)}
    low, high = multiply_terms(first[0], factor), multiply_terms(first[1], factor)
    if sign in ("*", "/"):
        return (low, high) if b >= 0 else (high, low)
    # Rounded down.
    rest = 1 - factor[()] if _is_whole(a) and _is_whole(b) else Fraction(1)
    return (add_terms(low, {(): -rest}), high) if sign == "//" else None


def _add_operators() -> None:
    arithmetic = {
        "add": "+",
        "sub": "-",
        "mul": "*",
        "truediv": "/",
        "floordiv": "//",
        "mod": "%",
        "pow": "**",
        "lshift": "<<",
        "rshift": ">>",
        "and_": "&",
        "or_": "|",
        "xor": "^",
    }
    for name, sign in arithmetic.items():
        apply = getattr(operator, name)

        def forward(self: Size, other: Any, apply: Any = apply, sign: str = sign) -> Any:
            return self._combine(other, apply, sign)

        def backward(self: Size, other: Any, apply: Any = apply, sign: str = sign) -> Any:
            return self._combine(other, apply, sign, is_turned=True)

        if name != "pow":
            setattr(Size, f"__{name.rstrip('_')}__", forward)
        setattr(Size, f"__r{name.rstrip('_')}__", backward)
    for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
        compare = getattr(operator, name)

        def decide(self: Size, other: Any, compare: Any = compare, sign: str = sign) -> Any:
            other = _plain(other)
            return self._of.decide(compare, sign, self, other) if type(other) in _KINDS else NotImplemented

        setattr(Size, f"__{name}__", decide)


Sizes.size_type = Size
_KINDS = (Size, int, float, bool, complex, Fraction)
_add_operators()
