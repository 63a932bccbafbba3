"""Graphs whose parameters and buffers are constants, taken anew when they change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import tensorwright.torch as package
from tensorwright.torch._backend import _Plan
from tensorwright.torch._graph import Sizes, outside, torch

# Weights that change in fewer calls, several times running, are arguments: taking them costs about a call.
_FEW_CALLS = 8
_SHORT_LIVES = 3


def find_weights(placeholders: list[Any]) -> set[Any]:
    """The parameters and buffers among the arguments of the graph that is being traced."""
    context: Any = import_module("torch._guards").TracingContext.try_get()
    found = getattr(getattr(context, "fw_metadata", None), "static_input_indices", None) or ()
    return {placeholders[i] for i in found if i < len(placeholders)}


def freeze_graph(gm: Any, kind: str, placeholders: list[Any], options: dict[str, Any]) -> Any:
    """A function as of `compile_graph`."""
    plan = _Plan(gm, kind, placeholders, Sizes(), options, find_weights(placeholders))
    run = plan.make()
    if not plan.frozen:
        return run
    return hold_weights(plan, run, lambda: _Plan(gm, kind, placeholders, Sizes(), options).make())


def hold_weights(plan: _Plan, run: Any, make_other: Callable[[], Any]) -> Any:
    """The function of a plan with frozen weights, which is `run` once their models are there. Weights that
    are no constants for long are arguments of the function that `make_other` makes."""
    call = _Frozen(plan, run, make_other).call
    return lambda args: call(args)


class _Frozen:
    def __init__(self, plan: _Plan, run: Any, make_other: Callable[[], Any]) -> None:
        self.plan = plan
        self.run = run
        self.make_other = make_other
        self.indices = [i for i, node in enumerate(plan.placeholders) if node in plan.frozen]
        self.templates = [one.model for one in plan.runs]
        # Of each weight its place among the arguments, the tensor, its version and address as they
        # were taken; another tensor at the address, which holds the memory, as the first may let it go.
        self.known: list[tuple[int, Any, int, int]] = []
        self.held: list[Any] = []
        self.generation = -1
        self.calls = 0
        self.short_lives = 0
        self.as_arguments: Any = None
        self.lock = threading.Lock()

    def call(self, args: list[Any]) -> Any:
        if self.as_arguments is not None:
            return self.as_arguments(args)
        if self._is_stale(args):
            with self.lock, outside():
                if self._is_stale(args) and not self._take(args):
                    self.as_arguments = self.make_other()
                    self.known, self.held = [], []
            if self.as_arguments is not None:
                return self.as_arguments(args)
        self.calls += 1
        return self.run(args)

    def _is_stale(self, args: list[Any]) -> bool:
        if self.generation != package._generation:
            return True
        for index, tensor, version, address in self.known:
            now = args[index]
            if now is not tensor or now._version != version or now.data_ptr() != address:
                return True
        return False

    def _take(self, args: list[Any]) -> bool:
        """Models for the weights as they are; False where they had better be arguments."""
        given = [args[i] for i in self.indices]
        # Those made in inference mode have no version, and the code is for finite ones.
        if any(one.is_inference() or not _is_finite(one) for one in given):
            return False
        if self.known:
            self.short_lives = self.short_lives + 1 if self.calls < _FEW_CALLS else 0
            if self.short_lives >= _SHORT_LIVES:
                return False
        generation = package._generation
        known = [(i, one, one._version, one.data_ptr()) for i, one in zip(self.indices, given)]
        for run, template in zip(self.plan.runs, self.templates):
            if run.weights:
                supplied = {
                    name: (args[slot].data_ptr(), args[slot].numel() * args[slot].element_size())
                    for slot, name in run.weights
                }
                run.model = template._supply(supplied)
                run.model._report_text = template._report_text
                run.model.open()
        self.held = [one.detach() for one in given]
        self.known, self.generation, self.calls = known, generation, 0
        return True


def _is_finite(tensor: Any) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())
