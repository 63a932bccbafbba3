"""Which op of torch is which functions of the front end."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import math
from importlib import import_module
from typing import Any

from tensorwright import _functions as tw
from tensorwright._trace import Tensor, many
from tensorwright.torch._graph import DRAWS, Unsupported, dtype_of

torch: Any = import_module("torch")
aten: Any = torch.ops.aten

MISSING = "there is no rule for it"

# By op, a function of the call and of its arguments in the order of the op's schema.
RULES: dict[Any, Any] = {}


def find_op(name: str) -> Any:
    """The op of a name such as "add.Tensor" or "prims.iota.default", or None."""
    parts = name.split(".")
    space = torch.ops.prims if parts[0] == "prims" else aten
    parts = parts[1:] if parts[0] == "prims" else parts
    packet = getattr(space, parts[0], None)
    return getattr(packet, parts[1] if len(parts) > 1 else "default", None)


def rule(*names: str) -> Any:
    def note(function: Any) -> Any:
        for name in names:
            op = find_op(name)
            if op is not None:
                RULES[op] = function
        return function

    return note


def _find_views() -> frozenset[Any]:
    names = (
        "view expand permute t transpose.int unsqueeze squeeze squeeze.dim squeeze.dims slice.Tensor select.int "
        "alias detach _unsafe_view diagonal"
    )
    return frozenset(find_op(name) for name in names.split())


# What gives tensors in the memory of their first argument, and computes nothing.
VIEWS = _find_views()


def check_known(op: Any) -> None:
    """Raises for what is left to torch whatever its arguments are."""
    if not isinstance(op, torch._ops.OpOverload):
        raise Unsupported("it is no op of tensors")
    if torch.Tag.nondeterministic_seeded in op.tags:
        raise Unsupported(DRAWS)
    if torch.Tag.data_dependent_output in op.tags or torch.Tag.dynamic_output_shape in op.tags:
        raise Unsupported("the size of what it gives depends on data")


def find_nearest(op: Any) -> str:
    from difflib import get_close_matches

    names = {str(known): known for known in RULES}
    found = get_close_matches(str(op), names, 1, 0.6)
    return found[0] if found else ""


# ---------------------------------------------------------------------------------------------
# What rules share.


def is_float(x: Any) -> bool:
    return "float" in x.dtype if isinstance(x, Tensor) else isinstance(x, float)


def is_small(dtype: str) -> bool:
    """Floats that torch computes with in float32."""
    return dtype in ("float16", "bfloat16")


def cast(x: Any, dtype: str) -> Any:
    """A tensor or a number of that type."""
    if isinstance(x, Tensor):
        return x if x.dtype == dtype else tw.astype(x, dtype)
    if "float" in dtype:
        return float(x)
    if dtype == "bool":
        return bool(x)
    return int(x)


def convert(x: Tensor, dtype: str) -> Tensor:
    """As torch does: narrow integers are the low bits of wide ones."""
    if is_float(x) and dtype != "bool" and "float" not in dtype:
        x = cast(x, "int64")
    return cast(x, dtype)


def tensor(x: Any, dtype: str) -> Tensor:
    """A tensor also of a number."""
    x = cast(x, dtype)
    return x if isinstance(x, Tensor) else tw.full((), x, dtype)


def promote(x: Any, y: Any) -> str:
    """The type that torch computes in: tensors before scalars of them before numbers."""

    def stand_in(one):
        if not isinstance(one, Tensor):
            return one
        return torch.empty((1,) * one.ndim, dtype=getattr(torch, one.dtype), device="meta")

    return dtype_of(torch.result_type(stand_in(x), stand_in(y)))


def axis(x: Tensor, dim: int) -> int:
    rank = max(x.ndim, 1)
    return dim + rank if dim < 0 else dim


def axes(x: Tensor, dims: Any) -> tuple[int, ...]:
    """Dimensions from 0 on; all for None and for none."""
    if dims is None:
        return tuple(range(x.ndim))
    if isinstance(dims, int):
        dims = (dims,)
    found = tuple(sorted(axis(x, d) for d in dims))
    return (found or tuple(range(x.ndim))) if x.ndim else ()


def line(x: Tensor) -> Tensor:
    """Scalars as rows of one element."""
    return x if x.ndim else tw.reshape(x, (1,))


def lowest(dtype: str) -> Any:
    if "float" in dtype:
        return -math.inf
    return False if dtype == "bool" else torch.iinfo(getattr(torch, dtype)).min


def greatest(dtype: str) -> Any:
    if "float" in dtype:
        return math.inf
    return True if dtype == "bool" else torch.iinfo(getattr(torch, dtype)).max


def widened(dtype: str) -> str:
    return "float32" if is_small(dtype) else dtype


def constant(c: Any, array: Any) -> Tensor:
    """Of what torch.tensor takes."""
    return c.program.constant(array.contiguous() if isinstance(array, torch.Tensor) else torch.tensor(array))


def gradients(value: Tensor, weights: Tensor, *by: Tensor) -> tuple[Tensor, ...]:
    """Derivatives of the sum of value times weights."""
    return many("grad", "vVv", value, by, weights)


def repeat_to(values: Any, count: int) -> tuple[int, ...]:
    """One number for each of `count` dimensions."""
    values = (values,) if isinstance(values, int) else tuple(values)
    return values * count if len(values) == 1 else values


for _module in ("_pointwise", "_movement", "_reductions", "_indexing", "_networks", "_random"):
    import_module(f"tensorwright.torch.{_module}")
