"""Trees of values: tuples, lists, dicts, dataclasses, modules of `nn` and None, with anything else as leaves."""

from __future__ import annotations

from tensorwright import _errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# What a tree looks like, without its leaves: hashable, and equal for equal trees.
LEAF = "leaf"
_NONE = "none"
# Types that were found to be no trees, which are told apart at once.
_leaf_types: set[type] = set()


def flatten(tree: Any, leaves: list[Any]) -> Any:
    """Adds the leaves, in order, to a list and returns the structure around them."""
    kind = type(tree)
    if kind in _leaf_types:
        leaves.append(tree)
        return LEAF
    if kind is tuple or kind is list:
        return (kind, *[flatten(one, leaves) for one in tree])
    if kind is dict:
        return (dict, tuple(tree), *[flatten(one, leaves) for one in tree.values()])
    if tree is None:
        return _NONE
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return (kind, *[flatten(one, leaves) for one in tree])
    if hasattr(kind, "_tree_parts"):
        parts, settled = tree._tree_parts()
        return (kind, tuple(parts), settled, *[flatten(one, leaves) for one in parts.values()])
    fields = getattr(kind, "__dataclass_fields__", None)
    if fields is not None:
        return (kind, tuple(fields), *[flatten(getattr(tree, name), leaves) for name in fields])
    # A type of the user's is not kept alive.
    if kind.__module__.partition(".")[0] in ("builtins", "numpy", "jaxlib", "torch", "tensorwright"):
        _leaf_types.add(kind)
    leaves.append(tree)
    return LEAF


def unflatten(structure: Any, leaves: Iterator[Any]) -> Any:
    """The tree with that structure, of leaves in order."""
    if structure == LEAF:
        return next(leaves)
    if structure == _NONE:
        return None
    kind = structure[0]
    if kind is tuple or kind is list:
        return kind([unflatten(one, leaves) for one in structure[1:]])
    if kind is dict:
        return {name: unflatten(one, leaves) for name, one in zip(structure[1], structure[2:])}
    if hasattr(kind, "_fields"):
        return kind(*[unflatten(one, leaves) for one in structure[1:]])
    # As it was, without running __init__, which may take other things than fields.
    made = object.__new__(kind)
    parts = structure[2:]
    if hasattr(kind, "_tree_parts"):
        made.__dict__.update(structure[2])
        parts = structure[3:]
    for name, one in zip(structure[1], parts):
        object.__setattr__(made, name, unflatten(one, leaves))
    return made


def names(tree: Any, prefix: str) -> Iterator[str]:
    """Of each leaf a name that says where it is, such as "layers.0.weight"."""
    kind = type(tree)
    if tree is None:
        return
    if kind is dict:
        for name, one in tree.items():
            yield from names(one, f"{prefix}.{name}")
    elif isinstance(tree, (tuple, list)):
        for i, one in enumerate(tree):
            yield from names(one, f"{prefix}.{i}")
    elif hasattr(kind, "_tree_parts"):
        for name, one in tree._tree_parts()[0].items():
            yield from names(one, f"{prefix}.{name}")
    elif hasattr(kind, "__dataclass_fields__"):
        for name in kind.__dataclass_fields__:
            yield from names(getattr(tree, name), f"{prefix}.{name}")
    else:
        yield prefix


def _outline(structure: Any) -> Any:
    """A structure without what is settled in modules, such as whether they train: where leaves are."""
    if not isinstance(structure, tuple):
        return structure
    kind = structure[0]
    if kind is tuple or kind is list or hasattr(kind, "_fields"):
        return (kind, *map(_outline, structure[1:]))
    # Keys and names of fields are no structures: those of {} are an empty tuple.
    parts = structure[3:] if hasattr(kind, "_tree_parts") else structure[2:]
    return (kind, structure[1], *map(_outline, parts))


def tree_map(function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    """The tree with `function` of each leaf in its place; of further trees of the same structure it
    is given the leaves beside.

    Trees are tuples, lists, dicts, dataclasses, modules of `tensorwright.nn` and None; all else is a leaf.

    >>> import tensorwright as tw
    >>> tw.tree_map(lambda x, y: x + y, {"a": 1, "b": (2, 3)}, {"a": 10, "b": (20, 30)})
    {'a': 11, 'b': (22, 33)}
    """
    columns: list[list[Any]] = [[] for _ in range(len(rest) + 1)]
    structure = flatten(tree, columns[0])
    for other, column in zip(rest, columns[1:]):
        found = flatten(other, column)
        if found != structure and _outline(found) != _outline(structure):
            raise _errors.ArgumentError(
                f"expected a tree like {describe(structure)}, found {describe(found)}",
                code="T0507",
                remedy="Give trees with the same tuples, lists, keys and fields.",
            )
    return unflatten(structure, iter([function(*row) for row in zip(*columns)]))


def describe(structure: Any) -> str:
    """As text, with * for leaves: "(*, {'w': *})"."""
    if structure == LEAF:
        return "*"
    if structure == _NONE:
        return "None"
    kind, rest = structure[0], structure[1:]
    if kind is list:
        return f"[{', '.join(map(describe, rest))}]"
    if kind is tuple:
        return f"({', '.join(map(describe, rest))}{',' if len(rest) == 1 else ''})"
    if kind is dict:
        return "{" + ", ".join(f"{name!r}: {describe(one)}" for name, one in zip(rest[0], rest[1:])) + "}"
    parts = rest if hasattr(kind, "_fields") else rest[2:] if hasattr(kind, "_tree_parts") else rest[1:]
    return f"{kind.__name__}({', '.join(map(describe, parts))})"
