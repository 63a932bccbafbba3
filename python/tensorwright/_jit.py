"""Functions of Python as programs: tracing, derivatives, branches and loops."""

from __future__ import annotations

import functools
import threading

from tensorwright import _errors
from tensorwright._dims import Dim, check_dims
from tensorwright._trace import one as _one
from tensorwright._trace import _NUMBERS, Program, Tensor, fail, find_place, get_dtype, get_program, is_tracing, tracing
from tensorwright._tree import LEAF, describe, flatten, names, unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from tensorwright._model import Model
    from tensorwright._sizes import Sizes
    from tensorwright._trace import Operand, Place

    T = TypeVar("T")


def _get_types(leaves: list[Any]) -> tuple[Any, ...]:
    return tuple([kind if (kind := type(one)) in _NUMBERS else (one.dtype, one.shape) for one in leaves])


class Jitted:
    """What `jit` makes of a function: called as that, it runs the program of the arguments' types.

    Within a function that is being traced it is that function's part.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        static_argnames: str | Iterable[str] = (),
        donate_argnames: str | Iterable[str] = (),
        options: dict[str, Any] | None = None,
        dims: Mapping[str, Sequence[Dim | int | None]] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._static = frozenset((static_argnames,) if isinstance(static_argnames, str) else static_argnames)
        self._donated = frozenset((donate_argnames,) if isinstance(donate_argnames, str) else donate_argnames)
        self._options = options or {}
        self._dims = {} if dims is None else check_dims(dims)
        self._ranges: dict[str, tuple[int, ...]] = {}
        self._typical: dict[str, int | None] = {}
        for one in (one for shape in self._dims.values() for one in shape if isinstance(one, Dim)):
            own = (one.least, one.most, one.step)
            typical = self._typical.setdefault(one.name, one.typical)
            if self._ranges.setdefault(one.name, own) != own or typical != one.typical:
                fail(
                    f"Dim '{one.name}' has two ranges" + (" or typical sizes" if typical != one.typical else ""),
                    "T0209",
                    "Use one Dim for all places of one size.",
                    _errors.ArgumentError,
                )
        self._models: dict[Any, tuple[Model | None, Any]] = {}
        self._lock = threading.RLock()
        self._parameters: tuple[str, ...] | None = None

    @property
    def cache_size(self) -> int:
        """The number of programs that were made so far."""
        return len(self._models)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return self._function(*args, **kwargs)
        leaves, (model, structure) = self._get(args, kwargs)
        if model is None:
            return unflatten(structure, iter(()))
        results = model(*leaves)
        return unflatten(structure, iter(results if type(results) is tuple else (results,)))

    def model(self, *args: Any, **kwargs: Any) -> Model:
        """The compiled program that a call with these arguments runs, to look into or to save. Its
        arguments and results are the leaves of the function's, in order."""
        model = self._get(args, kwargs)[1][0]
        if model is None:
            raise _errors.ArgumentError("the function gives no tensors", code="T0507", remedy="Return one.")
        return model

    def _get(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], tuple[Model | None, Any]]:
        fixed: tuple[Any, ...] = ()
        if self._static:
            args, kwargs, fixed = self._split(args, kwargs)
        leaves: list[Any] = []
        structure = flatten((args, kwargs), leaves)
        try:
            types = _get_types(leaves)
        except (AttributeError, TypeError):
            leaves = self._convert(leaves, args, kwargs)
            types = _get_types(leaves)
        if self._dims:
            types = self._open(types, args, kwargs)
        key = (structure, fixed, types)
        entry = self._models.get(key)
        if entry is None:
            with self._lock:
                entry = self._models.get(key)
                if entry is None:
                    entry = self._models[key] = self._make(structure, fixed, leaves, args, kwargs)
        return leaves, entry

    def _open(self, types: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The types with sizes left open that dims name."""
        found = []
        for name, known in zip(self._name(args, kwargs), types):
            sizes = self._dims.get(name)
            if sizes is None or not isinstance(known, tuple):
                found.append(known)
                continue
            dtype, shape = known
            if len(sizes) != len(shape):
                fail(
                    f"argument '{name}' has {len(shape)} dimensions, dims gives it {len(sizes)}",
                    "T0507",
                    "Give a Dim, a number or None for each dimension.",
                    _errors.ArgumentError,
                )
            for i, (size, one) in enumerate(zip(shape, sizes)):
                if one is not None and not isinstance(one, Dim) and one != size:
                    fail(
                        f"dimension {i} of argument '{name}' is {size}, dims gives it {one}",
                        "T0507",
                        "Give an array of that size, or None in dims for any size.",
                        _errors.ArgumentError,
                    )
            found.append((dtype, tuple([size if one is None else one for size, one in zip(shape, sizes)])))
        return tuple(found)

    def _convert(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """What has no dtype and shape of its own, as arrays of numpy."""
        from importlib import import_module

        converted = []
        for name, leaf in zip(self._name(args, kwargs), leaves):
            if type(leaf) in _NUMBERS or (hasattr(leaf, "dtype") and hasattr(leaf, "shape")):
                converted.append(leaf)
                continue
            try:
                converted.append(import_module("numpy").asarray(memoryview(leaf)))
            except TypeError:
                fail(
                    f"argument '{name}' is a '{type(leaf).__name__}': an array or a number is expected, or a tuple, "
                    "list, dict or dataclass of them",
                    "T0605",
                    "Name arguments that are no arrays, and settle what is computed, in static_argnames.",
                    _errors.ArgumentError,
                )
        return converted

    def _get_parameters(self) -> tuple[str, ...]:
        """Names of parameters by position; of those that *args takes, numbers."""
        if self._parameters is None:
            import inspect

            try:
                kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
                known = inspect.signature(self._function).parameters.values()
                self._parameters = tuple(one.name for one in known if one.kind in kinds)
            except (TypeError, ValueError):
                self._parameters = ()
        return self._parameters

    def _name(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        """A name for each leaf."""
        known = self._get_parameters()
        found: list[str] = []
        for i, one in enumerate(args):
            found += names(one, known[i] if i < len(known) else f"arg{i}")
        for name, one in kwargs.items():
            found += names(one, name)
        return found

    def _split(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], tuple[Any, ...]]:
        """Without static arguments, in whose place None stands, and those as ((place or name, value), ...)."""
        known = self._get_parameters()
        fixed = [(i, args[i]) for i, name in enumerate(known[: len(args)]) if name in self._static]
        for i, _ in fixed:
            args = (*args[:i], None, *args[i + 1 :])
        by_name = [(name, one) for name, one in kwargs.items() if name in self._static]
        for name, value in (*fixed, *by_name):
            try:
                hash(value)
            except TypeError:
                fail(
                    f"static argument {name!r} is a '{type(value).__name__}', which has no hash",
                    "T0507",
                    "Static arguments are known by their hash and equality: give a tuple in place of a list.",
                    _errors.ArgumentError,
                )
        kwargs = {name: one for name, one in kwargs.items() if name not in self._static}
        # 1, 1.0 and True are equal.
        return args, kwargs, tuple((name, type(value), value) for name, value in (*fixed, *by_name))

    def _make(
        self, structure: Any, fixed: tuple[Any, ...], leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Model | None, Any]:
        from tensorwright._compile import Samples, compile
        from tensorwright._samples import naming_dims, trace_ranges

        types: list[Any] = []
        for leaf in leaves:
            known = _NUMBERS.get(type(leaf))
            types.append((known, ()) if known else (get_dtype(leaf.dtype), tuple(leaf.shape)))
        if not self._ranges:
            text, outer = self._trace(structure, fixed, types, leaves, args, kwargs)
            return (None if text is None else compile(text, **self._options)), outer
        samples = Samples(self._ranges)
        opened = self._open(tuple(types), args, kwargs)
        made: list[Program] = []

        def trace(values: dict[str, int], sizes: Sizes | None = None) -> tuple[bytes | None, Any]:
            settled = [
                (dtype, tuple([values[one.name] if isinstance(one, Dim) else one for one in shape]))
                for dtype, shape in opened
            ]
            return self._trace(structure, fixed, settled, leaves, args, kwargs, sizes, made)

        for one in samples.sizes:
            text, outer = trace(dict(zip(samples.names, one)))
            if text is None:
                return None, outer
            samples.programs.append(text)
        trace_ranges(self._ranges, samples, made, trace)
        with naming_dims():
            dims = {
                name: own if (typical := self._typical[name]) is None else (*own, typical)
                for name, own in self._ranges.items()
            }
            return compile(samples, dims=dims, **self._options), outer

    def _trace(
        self,
        structure: Any,
        fixed: tuple[Any, ...],
        types: list[Any],
        leaves: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        sizes: Sizes | None = None,
        made: list[Program] | None = None,
    ) -> tuple[bytes | None, Any]:
        """The program of arguments of these types, and the structure of what it gives. `made` gets the
        program; with `sizes` all that is decided by sizes is checked."""
        code = getattr(self._function, "__code__", None)
        place = (code.co_filename, code.co_firstlineno, 1) if code else find_place()
        with tracing() as program:
            program.sizes = sizes
            program.records = made is not None
            if made is not None:
                made.append(program)
            arguments = []
            for name, (dtype, shape) in zip(self._name(args, kwargs), types):
                arguments.append(program.argument(name, dtype, shape, place))
            positional, named = unflatten(structure, iter(arguments))
            positional = list(positional)
            for where, _, value in fixed:
                if isinstance(where, int):
                    positional[where] = value
                else:
                    named[where] = value
            results: list[Any] = []
            outer = flatten(self._function(*positional, **named), results)
            if not results:
                return None, outer
            results = [program.lift(one) for one in results]
            result_names = tuple(f"result{i}" for i in range(len(results)))
            values = tuple(one._value for one in results)
            if self._donated and self._ranges:
                fail(
                    "dims and donate_argnames are given, but sizes that stay open are of other memory",
                    "T0507",
                    "Leave one of them out.",
                    _errors.ArgumentError,
                )
            if self._donated:
                self._donate(program, arguments, self._find_donated(args, kwargs, leaves), results, place)
            return program.check(program.trace.finish(values, result_names, place)), outer

    def _find_donated(self, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]) -> list[bool]:
        """Of each leaf whether it is an array that is given up."""
        known = self._get_parameters()
        given = [(known[i] if i < len(known) else "", one) for i, one in enumerate(args)] + list(kwargs.items())
        found = [name in self._donated for name, one in given for _ in names(one, name)]
        return [one and type(leaf) not in _NUMBERS for one, leaf in zip(found, leaves)]

    def _donate(
        self, program: Program, arguments: list[Tensor], donated: list[bool], results: list[Tensor], place: Place
    ) -> None:
        """Each result takes the memory of the first argument of its type that is given up and left."""
        free = [one for one, is_donated in zip(arguments, donated) if is_donated]
        for number, result in enumerate(results):
            for i, argument in enumerate(free):
                if (argument.dtype, argument.shape) == (result.dtype, result.shape):
                    program.check(program.trace.alias(argument._value, number, argument.shape, place))
                    del free[i]
                    break

    def __repr__(self) -> str:
        return f"<jit of {getattr(self, '__qualname__', self._function)}>"


def jit(
    function: Callable[..., Any] | None = None,
    *,
    static_argnames: str | Iterable[str] = (),
    donate_argnames: str | Iterable[str] = (),
    dims: Mapping[str, Sequence[Dim | int | None]] | None = None,
    **options: Any,
) -> Any:
    """Makes a program of a function of arrays.

    The first call with arguments of each type and shape runs the function once on tensors without
    elements, `Tensor`, compiles what it does with them, and runs that; later calls run it at once.
    Arguments and results are arrays, numbers, and tuples, lists, dicts and dataclasses of them. They
    come and go as those of a `Model`. A float is a float32, an int an int64.

    Args:
        function: computes with operators and functions of this package, and with Python's own decisions
            only as far as they depend on shapes and static arguments. Side effects happen while tracing.
            Arrays that it refers to, which are no arguments, are constants.
        static_argnames: names of arguments that are handed over as they are and need a hash; each value
            has a program of its own.
        donate_argnames: names of arguments whose arrays are given up: each result takes the memory of the
            first of them that has its type and is left, and is the same object. They are dense and writable.
        dims: sizes that stay open, by the names of arguments (or of what is in them, "weights.w"): a `Dim`
            for each dimension, or None for one that has the size it has, or that size. One program serves all their
            sizes. The function runs at some of them, and what it does may differ in sizes alone, which
            are sums of multiples of them and of products of two; what it decides by `x.shape` has to be
            decided so at all of them. Such arguments are not given up.
        options: of `compile`, such as device, target, threads.

    Raises:
        Error: with code, remedy, and the file and line of the function's call that does not fit.

    >>> import tensorwright as tw, numpy as np
    >>> @tw.jit
    ... def layer(x, weight, bias):
    ...     return tw.softmax(tw.relu(x @ weight.T + bias), axis=-1)
    >>> layer(np.ones((1, 3), "float32"), np.zeros((2, 3), "float32"), np.float32([0, 0]))
    array([[0.5, 0.5]], dtype=float32)
    >>> layer.cache_size
    1
    >>> batch = tw.Dim("batch", 0, 64)
    >>> @tw.jit(dims={"x": (batch, None)})
    ... def mean(x):
    ...     return tw.mean(x.reshape(x.shape[0] * 2), axis=0)
    >>> [float(mean(np.ones((n, 2), "float32"))) for n in (1, 7)], mean.cache_size
    ([1.0, 1.0], 1)
    """
    if function is None:
        return functools.partial(
            jit, static_argnames=static_argnames, donate_argnames=donate_argnames, dims=dims, **options
        )
    return Jitted(function, static_argnames, donate_argnames, options, dims)


def value_and_grad(
    function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """A function that gives the value of `function` and its derivatives.

    It gives (value, derivatives): the derivatives are a tree like argument `argnums`, or a tuple of
    one for each of several. It may be part of a function that is traced; called with arrays it is
    compiled as by `jit`.

    Args:
        function: gives a scalar of floats.
        argnums: places of arguments, trees of floats, by which it is differentiated.
        has_aux: it gives (scalar, anything else), and the new function ((scalar, else), derivatives).

    >>> import tensorwright as tw, numpy as np
    >>> loss = tw.value_and_grad(lambda w, x: tw.sum((w["scale"] * x) ** 2))
    >>> value, gradients = loss({"scale": np.float32(3)}, np.float32([1, 2]))
    >>> float(value), float(gradients["scale"])
    (45.0, 30.0)
    """
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        program = get_program("value_and_grad")
        given = list(args)
        by: list[Tensor] = []
        structures = []
        for place in places:
            if not -len(given) <= place < len(given):
                fail(
                    f"argnums has {place}, but there are {len(given)} arguments by position",
                    "T0507",
                    "Hand over by position what is differentiated by.",
                    _errors.ArgumentError,
                )
            leaves: list[Any] = []
            structure = flatten(given[place], leaves)
            # Values of their own: what else depends on the argument is constant here.
            fresh = [_renew(program.lift(leaf)) for leaf in leaves]
            given[place] = unflatten(structure, iter(fresh))
            structures.append((structure, len(fresh)))
            by += fresh
        made = function(*given, **kwargs)
        if has_aux and not (isinstance(made, (tuple, list)) and len(made) == 2):
            fail(
                f"with has_aux the function gives a value and something else, found '{type(made).__name__}'",
                "T0223",
                "Return (value, else).",
            )
        value = program.lift(made[0] if has_aux else made)
        derivatives = iter(_gradients(program, value, by))
        trees = tuple(unflatten(structure, derivatives) for structure, _ in structures)
        return ((value, made[1]) if has_aux else value), (trees[0] if isinstance(argnums, int) else trees)

    return Jitted(differentiated)


def grad(function: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the derivatives of `function`, as `value_and_grad` does, without its value.

    With has_aux it gives (derivatives, else).

    >>> import tensorwright as tw
    >>> float(tw.grad(tw.grad(lambda x: x**3))(2.0))
    12.0
    """
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, derivatives = both(*args, **kwargs)
        return (derivatives, value[1]) if has_aux else derivatives

    return Jitted(differentiated)


def jvp(function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """What `function(*primals)` gives, and how it changes as the primals move along the tangents.

    Both are sequences of trees of floats, alike. It is part of a function that is traced; called with
    arrays it is compiled, anew in each call, so what is called often goes into `jit`.

    >>> import tensorwright as tw
    >>> f = tw.jit(lambda x, t: tw.jvp(lambda x: x**3, (x,), (t,)))
    >>> [float(part) for part in f(2.0, 1.0)]
    [8.0, 12.0]
    """
    from tensorwright._trace import many

    if not is_tracing():
        both: tuple[Any, Any] = Jitted(lambda by, along: jvp(function, by, along))(tuple(primals), tuple(tangents))
        return both
    program = get_program("jvp")
    by: list[Any] = []
    along: list[Any] = []
    structure = flatten(tuple(primals), by)
    _expect("jvp", "tangents are like the primals", structure, flatten(tuple(tangents), along))
    by = [_renew(program.lift(one)) for one in by]
    leaves: list[Any] = []
    outer = flatten(function(*unflatten(structure, iter(by))), leaves)
    leaves = [program.lift(one) for one in leaves]
    if not leaves or not by:
        return unflatten(outer, iter(leaves)), unflatten(outer, iter(leaves))
    moved = many("jvp", "VVV", leaves, by, [program.lift(one) for one in along])
    return unflatten(outer, iter(leaves)), unflatten(outer, iter(moved))


def vjp(function: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """What `function(*primals)` gives, and a function from weights of that, a tree like it, to the
    derivatives of the weighted sum: a tuple of a tree like each of the primals.

    It is part of a function that is traced. Called with arrays both functions are compiled, and the
    second one computes again what it needs of the first.

    >>> import tensorwright as tw
    >>> def f(x, y):
    ...     value, pull_back = tw.vjp(lambda x, y: x * y, x, y)
    ...     return pull_back(1.0)
    >>> [float(part) for part in tw.jit(f)(2.0, 5.0)]
    [5.0, 2.0]
    """
    from tensorwright import _functions

    if not is_tracing():
        back = Jitted(lambda primals, weights: vjp(function, *primals)[1](weights))
        return Jitted(function)(*primals), lambda weights: back(primals, weights)
    program = get_program("vjp")
    by: list[Any] = []
    structure = flatten(tuple(primals), by)
    by = [_renew(program.lift(one)) for one in by]
    leaves: list[Any] = []
    outer = flatten(function(*unflatten(structure, iter(by))), leaves)
    leaves = [program.lift(one) for one in leaves]

    def pull_back(weights: Any) -> tuple[Any, ...]:
        given: list[Any] = []
        _expect("vjp", "weights are like the value", outer, flatten(weights, given))
        total = sum((_functions.sum(one * weight) for one, weight in zip(leaves, given)), start=program.lift(0.0))
        return tuple(unflatten(structure, iter(_gradients(program, total, by))))

    return unflatten(outer, iter(leaves)), pull_back


def _renew(x: Tensor) -> Tensor:
    from tensorwright._trace import one

    if not ("float" in x.dtype):
        fail(
            f"expected floats to differentiate by, found {x!r}",
            "T0223",
            "Leave it out of argnums, or convert it with astype.",
            _errors.ArgumentError,
        )
    return one("multiply", "vv", x, 1)


def _gradients(program: Program, value: Tensor, by: list[Tensor]) -> tuple[Tensor, ...]:
    from tensorwright._trace import many

    return many("grad", "vV", value, by) if by else ()


def _expect(name: str, what: str, expected: Any, found: Any) -> None:
    if expected != found:
        fail(
            f"{name}: {what}: expected {describe(expected)}, found {describe(found)}",
            "T0219",
            "Both sides of a branch, and what goes into and out of an iteration, are trees of one structure.",
        )


def _values(program: Program, leaves: list[Any]) -> tuple[int, ...]:
    """What a region gives: at least one value, which is ignored where there are no leaves."""
    return tuple(program.lift(leaf)._value for leaf in leaves or (0,))


def cond(
    predicate: Operand, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any
) -> Any:
    """What `true_fun(*operands)` gives where a bool scalar holds, else what `false_fun(*operands)` does.

    Only one of them is computed. Both give trees of the same structure, types and shapes, and may use
    tensors around them. See `where` to choose by element.

    >>> import tensorwright as tw, numpy as np
    >>> f = tw.jit(lambda x: tw.cond(tw.sum(x) > 0, lambda x: x, lambda x: -x, x))
    >>> f(np.float32([1, -3])).tolist()
    [-1.0, 3.0]
    """
    program = get_program("cond")
    found: list[Any] = []

    def build(function: Callable[..., Any]) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        def region(values: tuple[int, ...]) -> tuple[int, ...]:
            leaves: list[Any] = []
            with program.region():
                found.append(flatten(function(*operands), leaves))
                if len(found) == 2:
                    _expect("cond", "the sides differ", found[0], found[1])
                return _values(program, leaves)

        return region

    made = program.check(
        program.trace.cond(program.lift(predicate)._value, build(true_fun), build(false_fun), find_place())
    )
    return unflatten(found[0], iter([program.wrap(one) for one in made]))


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Runs (carry, y) = f(carry, x) over the slices x of xs along their first dimension.

    Returns the last carry, of the structure, types and shapes of `init`, and all y stacked. Without
    xs, x is None, and `length` says how often. With `reverse` the last slice comes first.

    >>> import tensorwright as tw, numpy as np
    >>> f = tw.jit(lambda xs: tw.scan(lambda total, x: (total + x, total), 0.0, xs))
    >>> [part.tolist() for part in f(np.float32([1, 2, 3]))]
    [6.0, [0.0, 1.0, 3.0]]
    """
    program = get_program("scan")
    carried: list[Any] = []
    slices: list[Any] = []
    outer, inner = flatten(init, carried), flatten(xs, slices)
    carried, slices = [program.lift(one) for one in carried], [program.lift(one) for one in slices]
    if length is None:
        if not slices or not slices[0].shape:
            fail("scan: there is nothing to run over", "T0219", "Give xs with a dimension, or length.", _errors.ArgumentError)
        length = slices[0].shape[0]
    stacked: list[Any] = []

    def build(values: tuple[int, ...]) -> tuple[int, ...]:
        with program.region():
            tensors = [program.wrap(one) for one in values]
            made = f(unflatten(outer, iter(tensors[: len(carried)])), unflatten(inner, iter(tensors[len(carried) :])))
            if not (isinstance(made, tuple) and len(made) == 2):
                fail(
                    f"scan: the function is expected to give (carry, y), found '{type(made).__name__}'",
                    "T0219",
                    "Return the next carry, and None where nothing is stacked.",
                )
            leaves: list[Any] = []
            _expect("scan", "the carry changes", outer, flatten(made[0], leaves))
            stacked.append(flatten(made[1], leaves))
            return _values(program, leaves)

    program.record("scan", length, reverse)
    results = program.check(
        program.trace.scan(
            build,
            tuple(one._value for one in carried),
            tuple(one._value for one in slices),
            int(length),
            bool(reverse),
            find_place(),
        )
    )
    tensors = iter([program.wrap(one) for one in results])
    return unflatten(outer, tensors), unflatten(stacked[0], tensors)


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """The running combination of trees of tensors along an axis, from its end with `reverse`.

    `fn(a, b)` gives what two trees of elements are together, `a` coming first (what is behind, with
    `reverse`). It is called once, with scalars, works element by element, uses no tensors around it but
    numbers, and must be associative. bfloat16 and float16 come as float32.

    A recurrence h = a * h + b:

    >>> import tensorwright as tw, numpy as np
    >>> def step(x, y):
    ...     return x[0] * y[0], y[0] * x[1] + y[1]
    >>> f = tw.jit(lambda a, b: tw.associative_scan(step, (a, b))[1])
    >>> f(np.float32([1, 2, 3]), np.float32([1, 1, 1])).tolist()
    [1.0, 3.0, 10.0]
    """
    program = get_program("associative_scan")
    leaves: list[Any] = []
    structure = flatten(elems, leaves)
    if not leaves:
        fail("associative_scan: there is nothing to scan", "T0219", "Give a tensor, or a tree of them.", _errors.ArgumentError)

    def build(values: tuple[int, ...]) -> tuple[int, ...]:
        with program.region():
            tensors = [program.wrap(one) for one in values]
            before, after = tensors[: len(leaves)], tensors[len(leaves) :]
            made: list[Any] = []
            found = flatten(fn(unflatten(structure, iter(before)), unflatten(structure, iter(after))), made)
            _expect("associative_scan", "the combination changes", structure, found)
            return tuple(program.lift(leaf)._value for leaf in made)

    values = tuple(program.lift(leaf)._value for leaf in leaves)
    program.record("associative_scan", axis, reverse)
    results = program.check(program.trace.associative_scan(build, values, int(axis), bool(reverse), find_place()))
    return unflatten(structure, iter([program.wrap(one) for one in results]))


def remat(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, of trees of tensors, which a derivative computes again on its way back instead of
    keeping what it computed: less memory for more time.

    >>> import tensorwright as tw
    >>> f = tw.remat(lambda x: tw.sin(tw.sin(x)))
    >>> float(tw.grad(f)(0.0))
    1.0
    """

    @functools.wraps(function)
    def computed_again(*args: Any) -> Any:
        program = get_program("remat")
        leaves: list[Any] = []
        structure = flatten(args, leaves)
        # The way back through a loop computes an iteration again: this one has one.
        rows = [_one("expand_dims", "vI", program.lift(leaf), 0) for leaf in leaves]
        body = lambda _, xs: (None, function(*unflatten(structure, iter(xs))))
        made: list[Any] = []
        outer = flatten(scan(body, None, rows, length=1)[1], made)
        return unflatten(outer, iter([_one("squeeze", "vI", leaf, 0) for leaf in made]))

    return computed_again


def fori_loop(lower: int, upper: int, body_fun: Callable[[Tensor, Any], Any], init_val: Any) -> Any:
    """Runs value = body_fun(i, value) for i, an int64 scalar, from `lower` to `upper` - 1.

    The bounds are ints; where tensors decide, `while_loop` does. The value keeps the structure, types
    and shapes of `init_val`.

    >>> import tensorwright as tw
    >>> int(tw.jit(lambda x: tw.fori_loop(1, 6, lambda i, y: y * i, x))(1))
    120
    """
    from operator import index

    from tensorwright._trace import one

    program = get_program("fori_loop")
    # An int, or a size that knows what it is at other sizes.
    first, last = [bound if isinstance(bound, int) else index(bound) for bound in (lower, upper)]
    # Of sizes of ranges there may be none at one of them.
    if first > last or (not program.records and first == last):
        return init_val
    counts = one("arange", "iiiT", first, last, 1, "int64")
    return scan(lambda carry, i: (body_fun(i, carry), None), init_val, counts)[0]


def while_loop(
    cond_fun: Callable[[Any], Operand], body_fun: Callable[[Any], Any], init_val: Any, limit: int = 1_000_000
) -> Any:
    """Runs value = body_fun(value) as long as cond_fun(value), a bool scalar, holds.

    The value keeps the structure, types and shapes of `init_val`. A call with more iterations than
    `limit` fails. Its derivative keeps what each of so many may begin with: give a near one.

    >>> import tensorwright as tw
    >>> float(tw.jit(lambda x: tw.while_loop(lambda x: x < 100, lambda x: x * 2, x))(3.0))
    192.0
    """
    program = get_program("while_loop")
    leaves: list[Any] = []
    structure = flatten(init_val, leaves)
    if not leaves:
        fail("while_loop: init_val holds no tensors", "T0219", "Carry what the condition depends on.", _errors.ArgumentError)

    def build(function: Callable[[Any], Any], what: str, expected: Any) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        def region(values: tuple[int, ...]) -> tuple[int, ...]:
            made: list[Any] = []
            with program.region():
                found = flatten(function(unflatten(structure, iter([program.wrap(one) for one in values]))), made)
                _expect("while_loop", what, expected, found)
                return tuple(program.lift(leaf)._value for leaf in made)

        return region

    values = tuple(program.lift(leaf)._value for leaf in leaves)
    program.record("while_loop", limit)
    results = program.check(
        program.trace.while_loop(
            build(cond_fun, "the condition", LEAF),
            build(body_fun, "the value changes", structure),
            values,
            int(limit),
            find_place(),
        )
    )
    return unflatten(structure, iter([program.wrap(one) for one in results]))
