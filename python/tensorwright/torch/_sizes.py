"""Graphs with symbolic sizes as one program for ranges of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from tensorwright import _errors
from tensorwright.torch import Report, _note
from tensorwright.torch._backend import _Plan, _Run
from tensorwright.torch._freeze import find_weights, hold_weights
from tensorwright.torch._graph import Sizes, Unsupported, find_unsupported, get_value, is_symbolic, torch

# Ends of ranges beyond it are none.
_ENDLESS = 1 << 31


class _Sample(_Plan):
    """Of some sizes; its programs are no models yet."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.texts: list[bytes] = []
        # As the program is to be compiled, once for all sizes.
        self.settled: dict[str, Any] = {}

    def compile(self, text: bytes, options: dict[str, Any]) -> Any:
        self.texts.append(text)
        self.settled = options


def open_sizes(
    gm: Any,
    kind: str,
    placeholders: list[Any],
    options: dict[str, Any],
    most: int | None,
    each: Callable[..., Any],
    freeze: bool = False,
) -> Any:
    """A function as of `compile_graph` whose program serves all sizes within their ranges; `each`, which
    compiles for each set of sizes and has weights as arguments, serves others. Ranges are those that torch knows, and
    end at `most` where it knows no end. Without any end it is `each`."""
    symbols = _find_symbols(placeholders)
    ranges = {name: _get_range(symbol, shape_env, most) for name, (symbol, shape_env, _) in symbols.items()}
    if not ranges or any(one is None for one in ranges.values()):
        return each
    try:
        make = partial(_compile, gm, kind, placeholders, options, symbols, ranges, each)
        plan, call = make(find_weights(placeholders) if freeze else ())
        if plan.frozen:
            return hold_weights(plan, call, lambda: _make_or(make, each))
        return call
    except _errors.Error as error:
        reason = error.message
    except Unsupported as error:
        reason = str(error)
    warnings.warn(f"sizes that change have a program for each: {reason}", _errors.FallbackWarning, stacklevel=2)
    return each


def _make_or(make: Callable[..., Any], each: Callable[..., Any]) -> Callable[..., Any]:
    """The program with weights as arguments, or `each` where there is none for all sizes."""
    try:
        call: Callable[..., Any] = make(())[1]
        return call
    except (_errors.Error, Unsupported):
        return each


def _find_symbols(placeholders: list[Any]) -> dict[str, Any]:
    """By name the symbol, its environment and the argument's number and dimension (None: it is a number)
    that tell its value; None where a symbol stands nowhere alone."""
    found: dict[str, Any] = {}
    for i, node in enumerate(placeholders):
        value = get_value(node)
        shape = value.shape if isinstance(value, torch.Tensor) else (value,)
        for dimension, size in enumerate(shape):
            if isinstance(size, torch.SymInt):
                place = (i, dimension if isinstance(value, torch.Tensor) else None)
                for symbol in size.node.expr.free_symbols:
                    known = found.get(str(symbol))
                    alone = place if size.node.expr == symbol else None
                    if known is None or known[2] is None:
                        found[str(symbol)] = (symbol, size.node.shape_env, alone)
    return found


def _get_range(symbol: Any, shape_env: Any, most: int | None) -> tuple[int, int] | None:
    bounds = shape_env.var_to_range.get(symbol)
    if bounds is None:
        return None
    upper = int(bounds.upper) if bounds.upper < _ENDLESS else most
    return None if upper is None or upper < bounds.lower else (max(int(bounds.lower), 0), upper)


def _compile(
    gm: Any,
    kind: str,
    placeholders: list[Any],
    options: dict[str, Any],
    symbols: dict[str, Any],
    ranges: dict[str, Any],
    each: Callable[..., Any],
    weights: Collection[Any],
) -> tuple[_Plan, Any]:
    from tensorwright._compile import Samples, compile

    samples = Samples(ranges)
    plans = []
    for numbers in samples.sizes:
        sizes = Sizes()
        sizes.known.update({symbols[name][0]: _integer(size) for name, size in zip(samples.names, numbers)})
        plan = _Sample(gm, kind, placeholders, sizes, options, weights)
        missing = find_unsupported(gm, sizes, plan.draws)
        if missing:
            reason = next(filter(None, missing.values()), "an op is left to torch")
            raise Unsupported(f"an op is left to torch: {reason}")
        for reason in plan._build({}).values():
            raise Unsupported(reason)
        if len(plan.steps) != 1 or len(plan.runs) != 1 or not plan.runs[0].used:
            raise Unsupported("the graph is not one program")
        plans.append(plan)
        samples.programs += plan.texts
    plan = plans[0]
    run = plan.runs[0]
    if any(_get_form(one.runs[0]) != _get_form(run) for one in plans):
        raise Unsupported("tensors lie in another order for other sizes")
    run.model = compile(samples, dims=ranges, **plan.settled)
    _note(Report(kind, [run if run.weights else run.model], []))
    return plan, _make_call(plan, run, symbols, ranges, each)


def _get_form(run: _Run) -> Any:
    return run.used, run.orders, run.turned, run.places, run.weights


def _integer(number: int) -> Any:
    from importlib import import_module

    return import_module("sympy").Integer(number)


def _make_call(plan: _Plan, run: _Run, symbols: Any, ranges: Any, each: Callable[..., Any]) -> Any:
    places = [(*symbols[name][2], *ranges[name]) for name in ranges if symbols[name][2] is not None]
    results: list[tuple[int | None, Any]] = []
    for one in plan.output.args[0]:
        if isinstance(one, torch.fx.Node) and not is_symbolic(get_value(one)):
            results.append((plan.slots[one], None))
        else:
            results.append((None, get_value(one) if isinstance(one, torch.fx.Node) else one))
    numbers = [value for slot, value in results if slot is None and is_symbolic(value)]
    rest = plan.start[len(plan.placeholders) :]

    def call(args: list[Any]) -> Any:
        for i, dimension, least, most in places:
            size = args[i] if dimension is None else args[i].shape[dimension]
            if not least <= size <= most:
                return each(args)
        settled = None
        if numbers:
            settled = Sizes()
            for symbol, _, place in symbols.values():
                if place is not None:
                    i, dimension = place
                    size = args[i] if dimension is None else args[i].shape[dimension]
                    settled.known[symbol] = _integer(int(size))
        values = args + rest
        args.clear()
        run(values)
        return [
            values[slot] if slot is not None else settled.get(value) if settled else value for slot, value in results
        ]

    return call
