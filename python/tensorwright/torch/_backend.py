"""The backend of torch.compile: graphs cut into programs and what is left to torch."""

from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorwright import _errors
from tensorwright._model import Model
from tensorwright._trace import tracing
from tensorwright.torch import Fallback, Report, _note
from tensorwright.torch._graph import (
    Sizes,
    Translation,
    Unsupported,
    describe,
    find_unsupported,
    get_place,
    get_value,
    is_symbolic,
    is_view,
    outside,
    torch,
)
from tensorwright.torch._rules import RULES

if TYPE_CHECKING:
    from collections.abc import Collection

# Programs of one graph for sizes that come, of which the last used stay.
_MOST_SIZES = 32
# Constants of more bytes are arguments of programs, which read them where they lie.
_SMALL = 4096

_table: dict[Any, Any] | None = None


def get_decompositions() -> dict[Any, Any]:
    """Ops that are traced as others: torch's own, less what has a rule."""
    global _table
    if _table is None:
        decomposition: Any = import_module("torch._decomp")
        core = dict(decomposition.core_aten_decompositions())
        found = {**decomposition.decomposition_table, **core}
        _table = {
            op: function
            for op, function in found.items()
            if op not in RULES and (op in core or _is_helpful(op, function))
        }
    return _table


def _is_helpful(op: Any, function: Any) -> bool:
    """Whether what has no rule had better be decomposed: not into prims, which torch runs slowly."""
    return (
        isinstance(op, torch._ops.OpOverload)
        and function.__module__ != "torch._refs"
        and not function.__module__.startswith("torch._refs.")
        and op.namespace == "aten"
        and not op._schema.is_mutable
        and torch.Tag.nondeterministic_seeded not in op.tags
    )


def make(gm: Any, inputs: Any, options: dict[str, Any]) -> Any:
    """What dynamo calls."""
    options = dict(options)
    freeze = bool(options.pop("freeze", False))
    _check_options(options)
    common: Any = import_module("torch._dynamo.backends.common")
    partitioners: Any = import_module("torch._functorch.partitioners")

    def compiler(kind: str) -> Any:
        return lambda graph, _: compile_graph(graph, kind, options, freeze and kind == "inference")

    return common.aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=get_decompositions(),
        partition_fn=partitioners.min_cut_rematerialization_partition,
    )(gm, inputs)


def _check_options(options: dict[str, Any]) -> None:
    from difflib import get_close_matches
    from inspect import signature

    from tensorwright._compile import compile

    known = {"fallback_random", "freeze", "max_size", *signature(compile).parameters} - {"source", "inputs", "weights"}
    for name in options:
        if name not in known:
            nearest = get_close_matches(name, known, 1)
            raise _errors.ArgumentError(
                f"there is no option '{name}'" + (f"; did you mean '{nearest[0]}'?" if nearest else ""),
                code="T0507",
                remedy=f"Options are fallback_random, freeze, max_size and those of tensorwright.compile: {', '.join(sorted(known))}.",
            )


def compile_graph(gm: Any, kind: str, options: dict[str, Any], freeze: bool = False) -> Any:
    """A function from the graph's arguments, a list that it empties, to its results. With `freeze`
    parameters and buffers are constants, unless each set of sizes has a program of its own."""
    placeholders = [node for node in gm.graph.nodes if node.op == "placeholder"]
    options = dict(options)
    most = options.pop("max_size", None)
    with outside():
        if any(_is_open(get_value(node)) for node in gm.graph.nodes):
            from tensorwright.torch._sizes import open_sizes

            each = _for_each_size(gm, kind, placeholders, options)
            run = open_sizes(gm, kind, placeholders, options, most, each, freeze)
        elif freeze:
            from tensorwright.torch._freeze import freeze_graph

            run = freeze_graph(gm, kind, placeholders, options)
        else:
            run = _Plan(gm, kind, placeholders, Sizes(), options).make()
    run._boxed_call = True
    return run


def _is_open(value: Any) -> bool:
    """Whether it has a size that the call settles."""
    if isinstance(value, torch.Tensor):
        return any(is_symbolic(size) for size in (*value.shape, *value.stride()))
    if isinstance(value, (tuple, list)):
        return any(_is_open(one) for one in value)
    return is_symbolic(value)


def _for_each_size(gm: Any, kind: str, placeholders: list[Any], options: dict[str, Any]) -> Any:
    known: OrderedDict[Any, Any] = OrderedDict()

    def run(args: list[Any]) -> Any:
        key = tuple([tuple(one.shape) if isinstance(one, torch.Tensor) else one for one in args])
        found = known.get(key)
        if found is None:
            sizes = Sizes()
            for node, argument in zip(placeholders, args):
                value = get_value(node)
                if isinstance(value, torch.Tensor):
                    for size, number in zip(value.shape, argument.shape):
                        sizes.bind(size, number)
                else:
                    sizes.bind(value, argument)
            with outside():
                found = known[key] = _Plan(gm, kind, placeholders, sizes, options).make()
            if len(known) > _MOST_SIZES:
                known.popitem(last=False)
        else:
            known.move_to_end(key)
        return found(args)

    return run


class _Plan:
    """How one graph is run: programs, and ops of torch between them."""

    def __init__(
        self,
        gm: Any,
        kind: str,
        placeholders: list[Any],
        sizes: Sizes,
        options: dict[str, Any],
        weights: Collection[Any] = (),
    ) -> None:
        self.gm = gm
        self.kind = kind
        self.placeholders = placeholders
        self.sizes = sizes
        self.options = dict(options)
        self.options.setdefault("threads", torch.get_num_threads())
        # Whether programs draw random numbers of their own.
        self.draws = not self.options.pop("fallback_random", False)
        # Placeholders that are constants of programs, and those of them that are used.
        self.weights = weights
        self.frozen: set[Any] = set()
        self.runs: list[_Run] = []
        self.nodes = list(gm.graph.nodes)
        self.output = self.nodes[-1]
        self.slots: dict[Any, int] = {node: i for i, node in enumerate(placeholders)}
        self.start: list[Any] = [None] * len(placeholders)
        # Each with the slots that it reads and that it fills.
        self.steps: list[tuple[Any, list[int], list[int]]] = []

    def compile(self, text: bytes, options: dict[str, Any]) -> Model:
        from tensorwright._compile import compile

        return compile(text, **options)

    def make(self) -> Any:
        unsupported = find_unsupported(self.gm, self.sizes, self.draws)
        while True:
            self.runs, self.steps = [], []
            self.slots = {node: i for i, node in enumerate(self.placeholders)}
            self.start = [None] * len(self.placeholders)
            failed = self._build(unsupported)
            if not failed:
                break
            unsupported.update(failed)
        fallbacks = [describe(node, unsupported[node]) for node in self.nodes if unsupported.get(node)]
        _note(Report(self.kind, [run if run.weights else run.model for run in self.runs], fallbacks))
        _warn(fallbacks)
        return self._close()

    def _build(self, unsupported: dict[Any, str]) -> dict[Any, str]:
        """The steps; where a program fails, its nodes and why."""
        self.unsupported = unsupported
        stages = _find_stages(self.nodes, unsupported)
        count = max(stages.values(), default=-1) + 1
        ours: list[list[Any]] = [[] for _ in range(count)]
        theirs: list[list[Any]] = [[] for _ in range(count)]
        for node in self.nodes:
            if node in stages:
                (theirs if node in unsupported else ours)[stages[node]].append(node)
        taken = self._find_taken(stages)
        for own, others in zip(ours, theirs):
            if own:
                results = [node for node in own if node in taken]
                try:
                    self._add_program(own, results)
                except _errors.Error as error:
                    return {node: f"its program: {error.message}" for node in own}
                except Unsupported as error:
                    return {node: f"its program: {error}" for node in own}
            for node in others:
                self._add_op(node)
        for argument in _nodes_of(self.output.args):
            self._need(argument)
        return {}

    def _find_taken(self, stages: dict[Any, int]) -> set[Any]:
        """What is made by a program and used outside of it."""
        taken = set()
        for node in self.nodes:
            for operand in _nodes_of((node.args, node.kwargs)):
                if node.op == "output" or node in self.unsupported or (
                    node in stages and stages.get(operand) != stages[node]
                ):
                    taken.add(operand)
        # Views of them in other places read them too.
        for node in reversed(self.nodes):
            if node in taken and node not in stages and node.op == "call_function":
                taken.update(_nodes_of(node.args))
        return taken

    def _need(self, node: Any) -> None:
        """Lets the node have a slot when it is used: tensors of the graph, and views of what is there."""
        if node in self.slots or is_symbolic(get_value(node)):
            return
        if node.op == "get_attr":
            value = self.gm
            for part in node.target.split("."):
                value = getattr(value, part)
            self._take_slot(node, value)
        else:
            self._add_op(node)

    def _take_slot(self, node: Any, value: Any = None) -> int:
        self.slots[node] = len(self.start)
        self.start.append(value)
        return self.slots[node]

    def _add_op(self, node: Any) -> None:
        """Leaves it to torch."""
        for operand in _nodes_of((node.args, node.kwargs)):
            self._need(operand)

        def place(argument: Any) -> Any:
            if is_symbolic(get_value(argument)):
                return self.sizes.get(get_value(argument))
            return _Slot(self.slots[argument])

        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), place)
        args, kwargs = _settle(self.sizes, args), _settle(self.sizes, kwargs)
        reads = [self.slots[one] for one in _nodes_of((node.args, node.kwargs)) if one in self.slots]
        slot = self._take_slot(node)
        target = node.target
        if target is operator.getitem:
            source, index = args[0].number, args[1]

            def take(values: list[Any]) -> None:
                values[slot] = values[source][index]

            self.steps.append((take, reads, [slot]))
            return

        def call(values: list[Any]) -> None:
            values[slot] = target(*_fill(args, values), **{name: _fill(one, values) for name, one in kwargs.items()})

        self.steps.append((call, reads, [slot]))

    def _add_program(self, nodes: list[Any], results: list[Any]) -> None:
        own = set(nodes)
        inputs: dict[Any, None] = {}

        def find(node: Any) -> None:
            for operand in _nodes_of((node.args, node.kwargs)):
                if operand in own or is_symbolic(get_value(operand)):
                    continue
                if is_view(operand, self.unsupported):
                    find(operand)
                else:
                    inputs[operand] = None

        for node in nodes:
            find(node)
        for node in inputs:
            self._need(node)
        used: list[Any] = []
        weights: list[tuple[int, str]] = []
        orders: list[tuple[int, tuple[int, ...]]] = []
        with tracing() as program:
            translation = Translation(program, self.sizes, self.unsupported, self.draws)
            for node in inputs:
                value = self.start[self.slots[node]]
                if value is not None and value.numel() * value.element_size() <= _SMALL:
                    translation.constant(node, value)
                    continue
                if node in self.weights:
                    name = f"weight{self.slots[node]}"
                    if translation.weight(node, name):
                        weights.append((self.slots[node], name))
                        self.frozen.add(node)
                        continue
                order = translation.argument(node, _name(node, len(used)))
                if order is not None:
                    orders.append((len(used), order))
                used.append(node)
            for node in nodes:
                translation.add(node)
            made, turned = [], []
            kept = [node for node in results if isinstance(get_value(node), torch.Tensor)]
            for i, node in enumerate(kept):
                value, order = translation.result(node)
                made.append(value._value)
                if order is not None:
                    turned.append((i, tuple(sorted(range(len(order)), key=order.__getitem__))))
            names = tuple(f"result{i}" for i in range(len(made)))
            text = program.check(program.trace.finish(tuple(made), names, get_place(nodes[-1])))
        if not made:
            return
        options = dict(self.options)
        if weights:
            # Whether they are is seen when they come.
            options["options"] = {**options.get("options", {}), "supplied_weights": "finite"}
        model = self.compile(text, options)
        empty = None
        draws = translation.key is not None
        if not used and not draws:
            # Without arguments the results are of numpy, unless they are given.
            shapes = [(value.shape, getattr(torch, value.dtype)) for value in model.outputs]
            empty = lambda: tuple(torch.empty(shape, dtype=dtype) for shape, dtype in shapes)  # noqa: E731
        places = [self._take_slot(node) for node in kept]
        reads = [self.slots[node] for node in used]
        run = _Run(model, reads, orders, places, turned, empty, weights, draws)
        self.runs.append(run)
        self.steps.append((run, reads, places))

    def _close(self) -> Any:
        """The function that runs the steps."""
        results: list[Any] = []
        for one in self.output.args[0]:
            if not isinstance(one, torch.fx.Node):
                results.append((None, self.sizes.get(one)))
            elif is_symbolic(get_value(one)):
                results.append((None, self.sizes.get(get_value(one))))
            else:
                results.append((self.slots[one], None))
        start, count = self.start, len(self.placeholders)
        if len(self.steps) == 1 and isinstance(self.steps[0][0], _Run):
            only = self.steps[0][0]
            fast = only.alone(count, results) if len(start) == count + len(only.places) else None
            if fast is not None:
                return fast
        rest = start[count:]
        steps = self._let_go({slot for slot, _ in results if slot is not None})

        def run(args: list[Any]) -> list[Any]:
            values = args + rest
            args.clear()
            for step, last in steps:
                step(values)
                for slot in last:
                    values[slot] = None
            return [value if slot is None else values[slot] for slot, value in results]

        return run


    def _let_go(self, kept: set[int]) -> list[tuple[Any, list[int]]]:
        """The steps with the slots that nothing reads after them."""
        found: list[tuple[Any, list[int]]] = []
        for step, reads, fills in reversed(self.steps):
            last = sorted({*reads, *fills} - kept)
            kept = kept | set(last)
            found.append((step, last))
        return found[::-1]


class _Slot:
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def _fill(argument: Any, values: list[Any]) -> Any:
    if type(argument) is _Slot:
        return values[argument.number]
    if isinstance(argument, (list, tuple)):
        return [_fill(one, values) for one in argument]
    return argument


def _settle(sizes: Sizes, argument: Any) -> Any:
    if isinstance(argument, dict):
        return {name: _settle(sizes, one) for name, one in argument.items()}
    if isinstance(argument, (list, tuple)):
        return [_settle(sizes, one) for one in argument]
    return sizes.get(argument)


class _Run:
    """Runs a program on values in slots."""

    def __init__(
        self,
        model: Model,
        used: list[int],
        orders: Any,
        places: list[int],
        turned: Any,
        empty: Any,
        weights: list[tuple[int, str]],
        draws: bool,
    ) -> None:
        self.model = model
        # Slots of weights that the module has by name: the model changes with them.
        self.weights = weights
        self.used = used
        self.orders = orders
        self.places = places
        self.turned = turned
        self.empty = empty
        # Whether its last argument is a key of random numbers.
        self.draws = draws

    def call(self, values: list[Any]) -> Any:
        given = [values[i] for i in self.used]
        for i, order in self.orders:
            given[i] = given[i].permute(order)
        if self.draws:
            given.append(_draw_key())
        made = self.model(*given) if self.empty is None else self.model(out=self.empty())
        if len(self.places) == 1 and self.empty is None:
            made = (made,)
        if self.turned:
            made = list(made)
            for i, order in self.turned:
                made[i] = made[i].permute(order)
        return made

    def __call__(self, values: list[Any]) -> None:
        for slot, value in zip(self.places, self.call(values)):
            values[slot] = value

    def alone(self, count: int, results: list[Any]) -> Any:
        """A shorter way where there is no other step: arguments in, results out in their order."""
        if [slot for slot, _ in results] != self.places or self.orders or self.turned:
            return None
        if self.empty is not None or self.draws:
            return None
        model = self.model
        single = len(self.places) == 1
        if self.weights:

            def run_frozen(args: list[Any]) -> Any:
                made = self.model(*[args[i] for i in self.used])
                args.clear()
                return [made] if single else made

            return run_frozen
        if self.used == list(range(count)):
            if single:

                def run_whole(args: list[Any]) -> list[Any]:
                    made = [model(*args)]
                    args.clear()
                    return made

                return run_whole

            def run_several(args: list[Any]) -> Any:
                made = model(*args)
                args.clear()
                return made

            return run_several
        used = self.used

        def run_some(args: list[Any]) -> Any:
            made = model(*[args[i] for i in used])
            args.clear()
            return [made] if single else made

        return run_some


def _draw_key() -> Any:
    """64 bits of torch's generator, so that its seed and state decide what a program draws."""
    return torch.randint(-(1 << 63), (1 << 63) - 1, (), dtype=torch.int64, device="cpu").view(torch.uint64)


def _find_stages(nodes: list[Any], unsupported: dict[Any, str]) -> dict[Any, int]:
    """In which turn each op runs: in each, one program, and then the ops left to torch. Views of what is
    there before are in none."""
    stages: dict[Any, int] = {}

    def before(node: Any, is_ours: bool) -> int:
        if is_view(node, unsupported):
            return before(node.args[0], is_ours)
        if node in unsupported:
            return stages[node] + 1 if is_ours else stages[node]
        return stages.get(node, 0)

    last_random = 0
    for node in nodes:
        if node.op != "call_function" or is_symbolic(get_value(node)) or is_view(node, unsupported):
            continue
        is_ours = node not in unsupported
        stage = max([before(one, is_ours) for one in _nodes_of((node.args, node.kwargs))], default=0)
        if not is_ours and torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()):
            # Random numbers are drawn in the order of the program.
            stage = last_random = max(stage, last_random)
        stages[node] = stage
    return stages


def _nodes_of(arguments: Any) -> list[Any]:
    found: list[Any] = []
    torch.fx.map_arg(arguments, found.append)
    return found


def _name(node: Any, number: int) -> str:
    return f"{node.name}" if node.name.isidentifier() else f"argument{number}"


def _warn(fallbacks: list[Fallback]) -> None:
    told = set()
    for one in fallbacks:
        key = (one.op, one.file, one.line)
        if key in told:
            continue
        told.add(key)
        nearest = f"; nearest is {one.nearest}" if one.nearest else ""
        warnings.warn_explicit(
            f"{one.op} is left to torch: {one.reason}{nearest}" + (f" ({one.source})" if one.source else ""),
            _errors.FallbackWarning,
            one.file or "torch.fx",
            one.line or 1,
        )
