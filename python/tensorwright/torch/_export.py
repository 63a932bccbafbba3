"""Modules and exported programs of torch as programs with their weights."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tensorwright import _errors
from tensorwright._trace import Program, tracing
from tensorwright.torch._graph import (
    Meta,
    Sizes,
    Translation,
    describe,
    dtype_of,
    find_unsupported,
    get_place,
    get_value,
    is_symbolic,
    torch,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE = "weights.bin"
# Smaller ones are constants of the program.
_SMALL = 4096


class _Folder:
    """A folder that goes with the object."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="tensorwright-")
        weakref.finalize(self, shutil.rmtree, self.name, True)


class _Weights:
    """A file of tensors, each of which is written once."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, _FILE)
        self.offset = 0
        self.known: dict[Any, int] = {}

    def add(self, tensor: Any) -> int:
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
        if key not in self.known:
            dense = tensor.contiguous().reshape(-1).view(torch.uint8)
            self.known[key] = self.offset
            with open(self.path, "ab") as file:
                file.write(dense.numpy().data)
                file.write(bytes(-dense.numel() % 64))
            self.offset += dense.numel() + -dense.numel() % 64
        return self.known[key]


def trace(source: Any, inputs: Sequence[Any] | None) -> tuple[bytes, Any]:
    """The program, and the folder of its weights, which is removed with the object."""
    exported = _export(source, inputs)
    program = _decompose(exported)
    gm = program.graph_module
    sizes = _settle(gm)
    missing = find_unsupported(gm, sizes)
    found = [describe(node, missing[node]) for node in missing if missing[node]]
    if found:
        first = found[0]
        raise _errors.UnsupportedError(
            f"{first.op}: {first.reason}",
            code="T0213",
            file=first.file,
            line=first.line,
            column=1 if first.line else 0,
            excerpt=first.source,
            notes=[repr(one) for one in found[1:]],
            remedy="torch.compile(module, backend='tensorwright') leaves such ops to torch.",
        )
    folder = _Folder()
    with tracing() as made:
        return _translate(program, made, Translation(made, sizes), _Weights(folder.name)), folder


def _export(source: Any, inputs: Sequence[Any] | None) -> Any:
    if not isinstance(source, torch.nn.Module):
        return source
    if inputs is None:
        raise _errors.ArgumentError(
            "a torch.nn.Module is compiled for arguments of some types and shapes",
            code="T0506",
            remedy="Give examples of them: tensorwright.compile(module, inputs=(x,)).",
        )
    if isinstance(inputs, torch.Tensor):
        inputs = (inputs,)
    with torch.no_grad():
        return import_module("torch.export").export(source, tuple(inputs))


def _decompose(exported: Any) -> Any:
    from tensorwright.torch._backend import get_decompositions

    with torch.no_grad():
        return exported.run_decompositions(get_decompositions())


def _settle(gm: Any) -> Sizes:
    """Symbolic sizes are those of the examples."""
    sizes = Sizes()
    for node in gm.graph.nodes:
        value = get_value(node)
        if node.op == "placeholder" and isinstance(value, torch.Tensor):
            for size in value.shape:
                if is_symbolic(size):
                    sizes.bind(size, size.node.hint)
    return sizes


def _translate(exported: Any, program: Program, translation: Translation, weights: _Weights) -> bytes:
    signature = exported.graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        raise _errors.UnsupportedError(
            f"the module changes {', '.join(map(repr, changed))} when it is called, and a program has results alone",
            code="T0213",
            remedy="Call .eval() of it first, which keeps statistics as they are, or return what changes.",
        )
    stored = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    stored.update(signature.inputs_to_lifted_tensor_constants)
    values = {**exported.state_dict, **exported.constants}
    nodes = list(exported.graph.nodes)
    names = set(signature.user_inputs)
    for node in nodes[:-1]:
        if is_symbolic(get_value(node)):
            continue
        if node.op == "call_function":
            translation.add(node)
        elif node.name in stored:
            value = values[stored[node.name]].detach()
            if value.numel() * value.element_size() <= _SMALL:
                translation.constant(node, value)
            else:
                Meta(value, translation.sizes)
                offset = weights.add(value)
                shape = tuple(value.shape)
                translation.values[node] = program.file_constant(_FILE, offset, dtype_of(value.dtype), shape)
        elif isinstance(get_value(node), torch.Tensor) and node.name in names:
            meta = Meta(get_value(node), translation.sizes)
            translation.values[node] = program.argument(node.name, meta.dtype, meta.shape, get_place(node))
    results: list[int] = []
    for one in nodes[-1].args[0]:
        if not isinstance(one, torch.fx.Node) or one not in translation.values:
            raise _errors.UnsupportedError(
                f"result {len(results)} is no tensor", code="T0213", remedy="Return tensors alone."
            )
        results.append(translation.values[one]._value)
    labels = tuple(f"result{i}" for i in range(len(results)))
    text: bytes = program.check(program.trace.finish(tuple(results), labels, get_place(nodes[-1])))
    return text
