"""Graphs of torch.fx as programs: which ops have a rule, and what is made of them."""

from __future__ import annotations

import math
import operator
from importlib import import_module
from typing import Any

from tensorwright import _errors, _functions as tw
from tensorwright._trace import Program, Tensor, tracing
from tensorwright.torch import Fallback

torch: Any = import_module("torch")
aten: Any = torch.ops.aten

DRAWS = "it draws random numbers, which come from torch's generator"
# Of the counter of random numbers: each op that draws has a range of its own, at all sizes the same.
_COUNTER_BITS = 40

_COMPLEX = ("complex32", "complex64", "complex128")


class Unsupported(Exception):
    """Raised by a rule that has no form for what it is given."""


def dtype_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


class Sizes:
    """Numbers for symbolic sizes: those of the call that is compiled for."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def bind(self, size: Any, value: Any) -> None:
        """Learns symbols from a size of an argument."""
        if is_symbolic(size) and size.node.expr.is_Symbol:
            self.known[size.node.expr] = import_module("sympy").sympify(value)

    def get(self, size: Any) -> Any:
        if isinstance(size, torch.SymInt):
            return int(self._settle(size))
        if isinstance(size, torch.SymFloat):
            return float(self._settle(size))
        if isinstance(size, torch.SymBool):
            return bool(self._settle(size))
        return size

    def _settle(self, size: Any) -> Any:
        settled = size.node.expr.xreplace(self.known)
        if settled.free_symbols:
            raise Unsupported(f"the size {size} depends on data")
        return settled


def is_symbolic(value: Any) -> bool:
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool))


class Meta:
    """What a tensor of a graph is: dtype, shape, strides."""

    __slots__ = ("dtype", "shape", "strides")

    def __init__(self, value: Any, sizes: Sizes) -> None:
        if value.layout is not torch.strided or value.is_quantized or value.device.type != "cpu":
            raise Unsupported(f"tensors of layout {value.layout} on device {value.device} are not compiled")
        self.dtype = dtype_of(value.dtype)
        self.shape = tuple(sizes.get(size) for size in value.shape)
        self.strides = tuple(sizes.get(stride) for stride in value.stride())
        if self.dtype in _COMPLEX:
            raise Unsupported("complex numbers are not compiled")

    def order(self) -> tuple[int, ...] | None:
        """The dimensions as they lie in memory, if they lie there densely and not in their own order."""
        if 0 in self.shape:
            return None
        order = sorted(range(len(self.shape)), key=lambda i: (-self.strides[i], -self.shape[i]))
        expected = 1
        for i in reversed(order):
            if self.shape[i] != 1 and self.strides[i] != expected:
                return None
            expected *= self.shape[i]
        moved = [i for i in order if self.shape[i] != 1]
        if moved == sorted(moved):
            return None
        return tuple(order)


def get_value(node: Any) -> Any:
    return node.meta.get("val")


class Call:
    """One op of a graph as its rule sees it."""

    def __init__(self, translation: Translation, node: Any) -> None:
        self._node = node
        self._translation = translation
        self.program = translation.program
        value = get_value(node)
        values = value if isinstance(value, (tuple, list)) else (value,)
        self.results = tuple(
            Meta(one, translation.sizes) if isinstance(one, torch.Tensor) else None for one in values
        )

    @property
    def dtype(self) -> str:
        assert self.results[0]
        return self.results[0].dtype

    @property
    def shape(self) -> tuple[int, ...]:
        assert self.results[0]
        return self.results[0].shape

    def draw(self) -> tuple[Tensor, int]:
        """Key and counter of random numbers that nothing else has."""
        return self._translation.draw()

    def is_used(self, index: int) -> bool:
        """Whether somebody takes that one of its results."""
        return any(
            user.target is not operator.getitem or user.args[1] == index for user in self._node.users
        )


class Translation:
    """A program in the making, from nodes of one graph. With `draws` it may draw random numbers, of a key
    that is its last argument then."""

    def __init__(self, program: Program, sizes: Sizes, eager: Any = (), draws: bool = False) -> None:
        self.program = program
        self.sizes = sizes
        self.eager = eager
        self.draws = draws
        self.values: dict[Any, Any] = {}
        self.key: Tensor | None = None
        self.drawn = 0

    def draw(self) -> tuple[Tensor, int]:
        if not self.draws:
            raise Unsupported(DRAWS)
        if self.key is None:
            self.key = self.program.argument("random_key", "uint64", (), self.program.place or ("torch.fx", 1, 1))
        self.drawn += 1
        return self.key, self.drawn << _COUNTER_BITS

    def argument(self, node: Any, name: str) -> tuple[int, ...] | None:
        """Makes the node an argument. Gives the order of dimensions to hand it over in."""
        meta = Meta(get_value(node), self.sizes)
        order = meta.order()
        shape = meta.shape if order is None else tuple(meta.shape[i] for i in order)
        value = self.program.argument(name, meta.dtype, shape, get_place(node))
        self.values[node] = value if order is None else _invert(value, order)
        return order

    def weight(self, node: Any, name: str) -> bool:
        """Makes the node a constant that is supplied by name when the program is loaded, as it lies in
        memory. False where it has gaps."""
        value = get_value(node)
        meta = Meta(value, self.sizes)
        order = meta.order()
        if not (value if order is None else value.permute(order)).is_contiguous():
            return False
        shape = meta.shape if order is None else tuple(meta.shape[i] for i in order)
        made = self.program.file_constant(name, 0, meta.dtype, shape)
        self.values[node] = made if order is None else _invert(made, order)
        return True

    def constant(self, node: Any, value: Any) -> None:
        Meta(value, self.sizes)
        self.values[node] = self.program.constant(value.detach())

    def result(self, node: Any) -> tuple[Tensor, tuple[int, ...] | None]:
        """The node's value as it is to lie in memory, and the order of its dimensions there."""
        value = self.values[node]
        order = Meta(get_value(node), self.sizes).order()
        return (value if order is None else tw.permute_dims(value, order)), order

    def read(self, argument: Any) -> Any:
        """An argument of an op: nodes are tensors, symbolic sizes numbers."""
        if isinstance(argument, torch.fx.Node):
            value = get_value(argument)
            if is_symbolic(value):
                return self.sizes.get(value)
            if argument not in self.values and is_view(argument, self.eager):
                self.add(argument)
            if argument not in self.values:
                raise Unsupported("an operand of it is no tensor of a type that is compiled")
            return self.values[argument]
        if isinstance(argument, (list, tuple)):
            return type(argument)(self.read(one) for one in argument)
        return self.sizes.get(argument)

    def add(self, node: Any) -> None:
        """Translates one op. Raises Unsupported or an Error where it has no form."""
        from tensorwright.torch import _rules

        if node.target is operator.getitem:
            self.values[node] = self.values[node.args[0]][node.args[1]]
            return
        rule = _rules.RULES.get(node.target)
        if rule is None:
            _rules.check_known(node.target)
        call = Call(self, node)
        self.program.place = get_place(node)
        args, kwargs = self.read(node.args), {name: self.read(one) for name, one in node.kwargs.items()}
        if rule is None:
            made = self._fold(node, args, kwargs)
        else:
            made = rule(call, *bind(node.target, args, kwargs))
        single = not isinstance(get_value(node), (tuple, list))
        if single:
            self.values[node] = self._check(made, call.results[0])
        else:
            self.values[node] = tuple(
                None if one is None else self._check(one, meta) for one, meta in zip(made, call.results)
            )

    def _fold(self, node: Any, args: Any, kwargs: Any) -> Any:
        """What depends on no tensor is computed now."""
        from tensorwright.torch import _rules

        leaves: list[Any] = []
        torch.fx.map_arg((node.args, node.kwargs), leaves.append)
        value = get_value(node)
        if (
            not isinstance(value, torch.Tensor)
            or any(isinstance(get_value(one), torch.Tensor) for one in leaves)
            or math.prod(self.sizes.get(size) for size in value.shape) > 1 << 20
        ):
            raise Unsupported(_rules.MISSING)
        with outside():
            return self.program.constant(node.target(*args, **kwargs).contiguous())

    def _check(self, made: Any, meta: Meta | None) -> Any:
        if meta is None:
            return None
        if not isinstance(made, Tensor):
            made = tw.full(meta.shape, made, meta.dtype)
        if made.shape != meta.shape and made.size == 1 == math.prod(meta.shape):
            made = tw.reshape(made, meta.shape)
        if (made.dtype, made.shape) != (meta.dtype, meta.shape):
            raise Unsupported(
                f"its rule gives {made.dtype}{list(made.shape)}, torch {meta.dtype}{list(meta.shape)}"
            )
        return made


def _invert(value: Tensor, order: tuple[int, ...]) -> Tensor:
    return tw.permute_dims(value, tuple(sorted(range(len(order)), key=order.__getitem__)))


def outside() -> Any:
    """Real tensors, not those of the trace that calls the backend."""
    return torch.utils._python_dispatch._disable_current_modes()


def bind(op: Any, args: Any, kwargs: Any) -> list[Any]:
    """Arguments in the order of the op's schema, with defaults."""
    bound = list(args)
    for parameter in op._schema.arguments[len(args) :]:
        if parameter.name in kwargs:
            bound.append(kwargs[parameter.name])
        else:
            bound.append(parameter.default_value if parameter.has_default_value() else None)
    return bound


def is_view(node: Any, eager: Any) -> bool:
    """Whether it only looks at an argument of the graph, or at what torch makes."""
    from tensorwright.torch import _rules

    if node in eager:
        return False
    while node.op == "call_function" and node.target in _rules.VIEWS:
        node = node.args[0]
        if node.op in ("placeholder", "get_attr") or node in eager:
            return True
    return False


def is_outside(node: Any, eager: Any) -> bool:
    """Whether it lies in the memory of an argument or of what torch makes."""
    return node.op in ("placeholder", "get_attr") or node in eager or is_view(node, eager)


def get_place(node: Any) -> tuple[str, int, int]:
    """Where the user's program has it."""
    file, line, _ = read_stack(node)
    return file or "torch.fx", line or 1, 1


def read_stack(node: Any) -> tuple[str, int, str]:
    """File, line and text of the innermost call."""
    text = node.meta.get("stack_trace") or ""
    lines = text.split("\n")
    for i in range(len(lines) - 1, -1, -1):
        line = lines[i].strip()
        if line.startswith('File "'):
            file, _, rest = line[6:].partition('", line ')
            number = rest.partition(",")[0]
            source = lines[i + 1].strip() if i + 1 < len(lines) else ""
            return file, int(number) if number.isdigit() else 0, source
    return "", 0, ""


def describe(node: Any, reason: str) -> Fallback:
    from tensorwright.torch import _rules

    file, line, source = read_stack(node)
    nearest = _rules.find_nearest(node.target) if reason == _rules.MISSING else ""
    return Fallback(str(node.target), reason, nearest, file, line, source)


def find_unsupported(gm: Any, sizes: Sizes, draws: bool = False) -> dict[Any, str]:
    """The nodes that have no form, and why: each is translated, what fails stands as an argument."""
    found: dict[Any, str] = {}
    with tracing() as program:
        translation = Translation(program, sizes, draws=draws)
        for number, node in enumerate(gm.graph.nodes):
            if node.op == "output" or is_symbolic(get_value(node)):
                continue
            if node.op == "call_function":
                if node.target is operator.getitem and node.args[0] in found:
                    found[node] = ""
                elif node.target is aten.as_strided.default and is_outside(node.args[0], found):
                    # A view of memory that torch knows.
                    found[node] = ""
                else:
                    reason = _try(translation, node)
                    if reason is None:
                        continue
                    found[node] = reason
            _stand_in(translation, node, number)
    return found


def _try(translation: Translation, node: Any) -> str | None:
    """Why the node cannot be translated."""
    try:
        translation.add(node)
    except Unsupported as error:
        return str(error)
    except _errors.Error as error:
        return error.message
    except Exception as error:
        # A rule for other arguments than these.
        return f"{type(error).__name__}: {error}"
    return None


def _stand_in(translation: Translation, node: Any, number: int) -> None:
    """An argument in place of what is computed elsewhere; nothing where it is no tensor."""
    if not isinstance(get_value(node), torch.Tensor):
        return
    try:
        translation.argument(node, f"value{number}")
    except Unsupported:
        translation.values.pop(node, None)
