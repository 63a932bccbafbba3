"""How a model looks in a notebook: its kernels, their times, and their share of the machine's limit."""

from __future__ import annotations

from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tensorwright._model import Model

_STYLE = "text-align: left; padding: 2px 12px 2px 0"


def _bar(share: float) -> str:
    """A share of one as a bar of 100 pixels."""
    width = max(0.0, min(share, 1.0)) * 100
    return (
        '<div style="width: 100px; background: #ddd; display: inline-block; vertical-align: middle">'
        f'<div style="width: {width:.0f}px; height: 10px; background: #36c"></div></div> {share * 100:.0f} %'
    )


def _rows(model: Model) -> list[tuple[str, str, float, float | None]]:
    """Name, axes, cycles of all launches, and the share of the machine's limit, of each kernel."""
    least = dict(model._kernels())
    report: dict[str, Any] | None = model.report
    if report is None:
        return [(name, "", float(cycles), None) for name, cycles in least.items()]
    rows = []
    for kernel in report["targets"][0]["kernels"]:
        cycles = float(kernel.get("totalCycles") or 0)
        limit = least.get(kernel["name"], 0) * max(int(kernel["launches"]), 1)
        rows.append((kernel["name"], kernel["axes"], cycles, min(limit / cycles, 1.0) if cycles and limit else None))
    return rows


def draw(model: Model) -> str:
    """The table as HTML. Cycles are those that the compiler expects of one core; of a model that was
    loaded, those that it takes at least."""
    rows = _rows(model)
    total = sum(row[2] for row in rows) or 1.0
    heads = ("kernel", "axes", "cycles", "share of the time", "share of the machine's limit")
    text = f"<p>{escape(repr(model))}</p><table><tr>"
    text += "".join(f'<th style="{_STYLE}">{head}</th>' for head in heads) + "</tr>"
    for name, axes, cycles, limit in sorted(rows, key=lambda row: -row[2]):
        cells = (escape(name), escape(axes), f"{cycles:.0f}", _bar(cycles / total), "" if limit is None else _bar(limit))
        text += "<tr>" + "".join(f'<td style="{_STYLE}">{cell}</td>' for cell in cells) + "</tr>"
    return text + "</table>"
