"""PyTorch: a backend of torch.compile, and what it tells of the graphs that it made.

    torch.compile(net, backend="tensorwright")

torch is imported when the backend is first used.
"""

from __future__ import annotations

import weakref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tensorwright._model import Model

__all__ = ["Fallback", "Report", "backend", "refresh", "reports", "reset"]


class Fallback:
    """An op that a graph leaves to torch.

    Attributes:
        op: its name, such as "aten.bernoulli.p".
        reason: why.
        nearest: the op nearest to it that is compiled, or "".
        file, line, source: of the user's program, or "" and 0.
    """

    __slots__ = ("op", "reason", "nearest", "file", "line", "source")

    def __init__(self, op: str, reason: str, nearest: str, file: str, line: int, source: str) -> None:
        self.op = op
        self.reason = reason
        self.nearest = nearest
        self.file = file
        self.line = line
        self.source = source

    def __repr__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        nearest = f"; nearest is {self.nearest}" if self.nearest else ""
        return f"{place}{self.op}: {self.reason}{nearest}" + (f"\n    {self.source}" if self.source else "")


class Report:
    """A graph that was compiled.

    Attributes:
        kind: "inference", "forward" or "backward".
        models: the programs that it runs, in order, as long as the graph lives; of weights that are
            frozen the present ones.
        fallbacks: what is left to torch, in order.
    """

    __slots__ = ("kind", "fallbacks", "_models")

    def __init__(self, kind: str, runs: list[Any], fallbacks: list[Fallback]) -> None:
        self.kind = kind
        self.fallbacks = fallbacks
        # A model, or what has one that changes.
        self._models = [weakref.ref(run) for run in runs]

    @property
    def models(self) -> list[Model]:
        found = [one() for one in self._models]
        return [getattr(one, "model", one) for one in found if one is not None]

    def __repr__(self) -> str:
        lines = [f"{self.kind}: {len(self._models)} programs, {len(self.fallbacks)} ops left to torch"]
        return "\n".join(lines + [repr(one) for one in self.fallbacks])


_reports: list[Report] = []


def reports() -> list[Report]:
    """Of the graphs that were compiled since `reset`, the oldest first; 256 are kept."""
    return list(_reports)


def reset() -> None:
    """Forgets the reports."""
    _reports.clear()


_generation = 0


def refresh() -> None:
    """Lets graphs compiled with `freeze` take their weights anew at their next calls: to be called
    after changes that torch does not count, through `.data` or memory shared with numpy."""
    global _generation
    _generation += 1


def _note(report: Report) -> None:
    _reports.append(report)
    del _reports[:-256]


def backend(gm: Any, inputs: Any, *, options: Mapping[str, Any] | None = None, mode: str | None = None) -> Any:
    """What `torch.compile(..., backend="tensorwright")` calls with each graph.

    Forward and backward graphs are compiled for their types, shapes and strides; graphs with symbolic
    sizes for each set of sizes that comes, or once for ranges of them that have ends. Tensors are read where they lie. What has no form here is
    left to torch, op by op, with a FallbackWarning. Random numbers are functions of a key that each run of a program
    takes from torch's generator.

    Args:
        options: of `tensorwright.compile`, such as threads, optimize, deterministic; and `freeze`,
            which takes parameters and buffers as constants where no gradient is asked for, so that
            they are packed and folded once. A change that torch counts (`tensor._version`) is
            seen by the next call, which takes them anew; others need `refresh`. Weights that change
            every few calls are arguments again. `max_size` is the end of symbolic sizes' ranges that
            have none. `fallback_random` leaves what draws random numbers to torch, so that they are those
            of eager mode.
        mode: that of torch.compile, which means nothing here.

    Raises ArgumentError for options that there are none of.
    """
    from tensorwright.torch import _backend

    return _backend.make(gm, inputs, dict(options or {}))
